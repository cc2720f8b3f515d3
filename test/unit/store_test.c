/// \file The two forms of a store, merging, and what readers refuse.
#include "store/store_internal.h"

#include "check.h"
#include "store_fixture.h"

#include <stdlib.h>

static pgopt_text bytes_of(const pgopt_store *store, bool as_text) {
  pgopt_text bytes = {0};
  pgopt_store_write(store, as_text, &bytes);
  return bytes;
}

static bool same_bytes(const pgopt_store *a, const pgopt_store *b) {
  bool same = true;
  for (int as_text = 0; as_text < 2; ++as_text) {
    pgopt_text left = bytes_of(a, as_text), right = bytes_of(b, as_text);
    same = same && left.size == right.size &&
           !memcmp(left.data, right.data, left.size);
    pgopt_text_free(&left);
    pgopt_text_free(&right);
  }
  return same;
}

static pgopt_store example(void) {
  pgopt_store store = {0};
  test_add(&store, "CPU \"B\"", "matmul 3x5x7 #1", 700);
  test_add(&store, "CPU \"A\"", "conv \xC3\xA9 #2", 1100);
  test_add(&store, "CPU \"A\"", "add 11 #3", 13);
  test_choose(&store, "CPU \"B\"", "matmul 3x5x7 #1", 31);
  return store;
}

/// What is written is read, in each form, and written as the same bytes.
static void check_round_trip(void) {
  pgopt_store store = example();
  for (int as_text = 0; as_text < 2; ++as_text) {
    pgopt_text bytes = bytes_of(&store, as_text);
    pgopt_store again;
    bool is_text;
    pgopt_error error = {0};
    CHECK_EQ_I64(
        pgopt_store_parse(bytes.data, bytes.size, &again, &is_text, &error),
        PGOPT_OK);
    CHECK_EQ_TEXT(error.message, "");
    CHECK(is_text == as_text);
    CHECK(same_bytes(&store, &again));
    CHECK_EQ_I64(again.profile_count, 2);
    CHECK_EQ_I64(test_median(&again, "CPU \"A\"", "add 11 #3"), 13);
    CHECK_EQ_I64(test_median(&again, "CPU \"B\"", "add 11 #3"), -1);
    CHECK_EQ_I64(test_median(&again, "CPU", "add 11 #3"), -1);
    CHECK_EQ_I64(again.profiles[0].machine.latency_max_ns, 210);
    CHECK_EQ_I64(again.profiles[0].machine.caches[1].bytes, 1048576);
    CHECK_EQ_I64(again.profiles[0].machine.rates[0].copy_mb_s, 20000);
    const pgopt_store_choice *choice =
        pgopt_store_find_choice(&again.profiles[1], "matmul 3x5x7 #1");
    CHECK(!pgopt_store_find_choice(&again.profiles[0], "matmul 3x5x7 #1"));
    if (CHECK(choice && choice->candidate_count == 3)) {
      CHECK_EQ_I64(choice->chosen, 1);
      CHECK_EQ_TEXT(choice->candidates[1].variant, "product:8x3 packed");
      CHECK_EQ_I64(choice->candidates[1].ratio_ppm, 857000);
      CHECK_EQ_I64(choice->candidates[1].chance_ppm, 12);
      CHECK_EQ_TEXT(choice->candidates[2].failure, "trapped: SIGSEGV");
    }
    pgopt_store_free(&again);
    pgopt_text_free(&bytes);
  }
  pgopt_store empty = {0};
  pgopt_text bytes = bytes_of(&empty, false);
  pgopt_store again;
  bool is_text;
  CHECK_EQ_I64(
      pgopt_store_parse(bytes.data, bytes.size, &again, &is_text, NULL),
      PGOPT_OK);
  CHECK_EQ_I64(again.profile_count, 0);
  pgopt_text_free(&bytes);
  pgopt_store_free(&store);
}

static void check_text_form(void) {
  pgopt_store store = {0};
  test_add(&store, "C", "s", 7);
  pgopt_text text = bytes_of(&store, true);
  CHECK_EQ_TEXT(
      text.data,
      "{\"format\": \"pgopt-store\", \"version\": 1, \"profiles\": [\n"
      "  {\"machine\": {\"cpu\": \"C\", \"isa\": \"avx2 fma\", \"blas\": "
      "\"OpenBLAS 0.3.21\", \"cores\": 2, \"cpus\": 4,\n"
      "    \"caches\": [{\"level\": 1, \"bytes\": 32768, \"cpus\": 2}, "
      "{\"level\": 2, \"bytes\": 1048576, \"cpus\": 2}],\n"
      "    \"rates\": [{\"working_set_bytes\": 524288, \"read_mb_s\": 50000, "
      "\"copy_mb_s\": 20000}],\n"
      "    \"peak_mflops\": 117500, \"latency_min_ns\": 60, "
      "\"latency_max_ns\": 210, \"date\": \"2025-11-30T16:05:00Z\"},\n"
      "   \"timings\": [\n"
      "    {\"signature\": \"s\", \"median_ns\": 7, \"min_ns\": 6, \"mad_ns\": "
      "3, \"runs\": 10, \"how\": \"in-place\", \"date\": "
      "\"2025-11-30T16:05:00Z\", \"version\": \"0.1.0\"}]}]}\n");
  pgopt_text_free(&text);
  pgopt_store_free(&store);
}

static void check_choice_text(void) {
  pgopt_store store = {0};
  test_choose(&store, "C", "s", 31);
  pgopt_text text = bytes_of(&store, true);
  CHECK_CONTAINS(text.data, "\"version\": 2, \"profiles\": [");
  CHECK_CONTAINS(
      text.data,
      "   \"timings\": [],\n   \"choices\": [\n"
      "    {\"signature\": \"s\", \"chosen\": 1, \"date\": "
      "\"2025-11-30T16:05:00Z\", \"version\": \"0.1.0\", \"candidates\": [\n"
      "      {\"variant\": \"product:6x4\", \"cycles\": 1000, \"median_ns\": "
      "700, \"min_ns\": 690, \"mad_ns\": 3, \"runs\": 31, \"ratio_ppm\": "
      "1000000, \"chance_ppm\": 1000000, \"failure\": \"\"},\n");
  CHECK_CONTAINS(text.data, "\"failure\": \"trapped: SIGSEGV\"}]}]}]}\n");
  pgopt_text_free(&text);
  pgopt_store_free(&store);
}

/// Each choice beats the one before it.
static void check_choice_rule(void) {
  const pgopt_store_candidate few[] = {
      {"blas", 9, 50, 50, 1, 3, 1000000, 1000000, ""},
      {"vector", 9, 60, 50, 1, 3, 1200000, 0, ""}};
  const pgopt_store_candidate many[] = {
      {"blas", 9, 50, 50, 1, 4, 1000000, 1000000, ""},
      {"vector", 9, 60, 50, 1, 4, 1200000, 0, ""}};
  const pgopt_store_choice ascending[] = {
      {"s", many, 2, 0, 9, "0.9.1"},  {"s", few, 2, 0, 1, "0.10.0"},
      {"s", few, 2, 0, 2, "0.10.0"},  {"s", many, 1, 0, 1, "0.10.0"},
      {"s", many, 2, 1, 1, "0.10.0"}, {"s", many, 2, 0, 1, "0.10.0"},
      {"s", few, 2, 0, 0, "0.11.0"}};
  enum { COUNT = sizeof ascending / sizeof *ascending };
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < COUNT; ++k) {
      int order = pgopt_store_compare_choices(&ascending[i], &ascending[k]);
      CHECK_EQ_I64((order > 0) - (order < 0), (i > k) - (i < k));
    }
}

/// Equal content is equal bytes, whatever the order of adding.
static void check_order(void) {
  pgopt_store forward = {0}, backward = {0};
  char signature[16];
  for (int i = 0; i < 50; ++i) {
    snprintf(signature, sizeof signature, "k%d", i);
    test_add(&forward, i % 3 ? "A" : "B", signature, 100 + i);
  }
  for (int i = 50; i-- > 0;) {
    snprintf(signature, sizeof signature, "k%d", i);
    test_add(&backward, i % 3 ? "A" : "B", signature, 100 + i);
  }
  CHECK(same_bytes(&forward, &backward));
  pgopt_store_merge(&forward, &backward);
  CHECK(same_bytes(&forward, &backward));
  pgopt_store_free(&forward);
  pgopt_store_free(&backward);
}

/// Each Timing beats the one before it.
static void check_rule(void) {
  const pgopt_store_timing ascending[] = {
      {"s", 5, 5, 0, 90, "in-place", 90, "0.9"},
      {"s", 5, 5, 0, 90, "in-place", 90, "0.9.1"},
      {"s", 50, 50, 9, 1, "isolated", 1, "0.10.0"},
      {"s", 50, 50, 9, 2, "isolated", 1, "0.10.0"},
      {"s", 50, 50, 9, 2, "isolated", 2, "0.10.0"},
      {"s", 49, 40, 9, 2, "isolated", 2, "0.10.0"},
      {"s", 49, 39, 9, 2, "isolated", 2, "0.10.0"},
      {"s", 49, 39, 8, 2, "isolated", 2, "0.10.0"},
      {"s", 49, 39, 8, 2, "in-place", 2, "0.10.0"},
      {"s", 49, 39, 8, 2, "in-place", 2, "0.10.00"},
      {"s", 60, 60, 9, 1, "isolated", 1, "0.10.1"},
  };
  enum { COUNT = sizeof ascending / sizeof *ascending };
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < COUNT; ++k) {
      int order = pgopt_store_compare(&ascending[i], &ascending[k]);
      CHECK_EQ_I64((order > 0) - (order < 0), (i > k) - (i < k));
    }
  pgopt_store a = {0}, b = {0};
  pgopt_machine machine = test_machine("C");
  pgopt_store_add_timing(&a, pgopt_store_add_machine(&a, &machine),
                         &ascending[3]);
  pgopt_store_sort(&a);
  pgopt_store_add_timing(&b, pgopt_store_add_machine(&b, &machine),
                         &ascending[7]);
  pgopt_store_sort(&b);
  pgopt_store_merge(&a, &b);
  CHECK_EQ_I64(test_median(&a, "C", "s"), 49);
  pgopt_store_merge(&b, &a);
  CHECK(same_bytes(&a, &b));
  pgopt_store_free(&a);
  pgopt_store_free(&b);
}

static int next_random(uint64_t *state, int below) {
  *state = *state * UINT64_C(6364136223846793005) + 1;
  return (int)((*state >> 33) % (uint64_t)below);
}

static pgopt_store random_store(uint64_t *state) {
  pgopt_store store = {0};
  for (int n = next_random(state, 12); n > 0; --n) {
    char signature[8];
    pgopt_machine m = test_machine(next_random(state, 2) ? "A" : "B");
    m.latency_min_ns = 50 + next_random(state, 3);
    m.latency_max_ns = 100 + next_random(state, 3);
    m.peak_mflops = next_random(state, 3);
    m.cpus = 1 + next_random(state, 3);
    m.date_s = next_random(state, 3);
    m.sharing = (pgopt_sharing){next_random(state, 3), next_random(state, 3),
                                next_random(state, 3), next_random(state, 3),
                                next_random(state, 3), next_random(state, 3)};
    m.rate_count = (size_t)next_random(state, 3);
    for (size_t i = 0; i < PGOPT_MACHINE_MAX_RATES; ++i)
      m.rates[i] =
          i < m.rate_count
              ? (pgopt_rate){(int64_t)i * 10 + 1 + next_random(state, 2),
                             next_random(state, 3), next_random(state, 3)}
              : (pgopt_rate){0};
    snprintf(signature, sizeof signature, "s%d", next_random(state, 4));
    pgopt_store_timing t = test_timing(signature, 10);
    t.runs = 1 + next_random(state, 2);
    t.date_s = next_random(state, 2);
    t.mad_ns = next_random(state, 2);
    pgopt_store_add_timing(&store, pgopt_store_add_machine(&store, &m), &t);
    if (next_random(state, 2))
      test_choose(&store, "A", signature, 1 + next_random(state, 3));
  }
  pgopt_store_sort(&store);
  return store;
}

/// Merging is a join: neither order, grouping nor repetition matters.
static void check_merge_laws(void) {
  uint64_t state = 7;
  for (int round = 0; round < 300; ++round) {
    uint64_t seeds[3];
    pgopt_store all[2], pair = {0};
    pgopt_store parts[3];
    memset(all, 0, sizeof all);
    for (int i = 0; i < 3; ++i) {
      seeds[i] = state;
      parts[i] = random_store(&state);
    }
    for (int i = 0; i < 3; ++i) // ((a b) c)
      pgopt_store_merge(&all[0], &parts[i]);
    pgopt_store_merge(&pair, &parts[2]); // (c b) a, and c again
    pgopt_store_merge(&pair, &parts[1]);
    pgopt_store_merge(&all[1], &pair);
    pgopt_store_merge(&all[1], &parts[0]);
    pgopt_store_merge(&all[1], &parts[2]);
    if (!CHECK(same_bytes(&all[0], &all[1])))
      fprintf(stderr, "  seeds %llu %llu %llu\n", (unsigned long long)seeds[0],
              (unsigned long long)seeds[1], (unsigned long long)seeds[2]);
    for (int i = 0; i < 3; ++i)
      pgopt_store_free(&parts[i]);
    pgopt_store_free(&all[0]);
    pgopt_store_free(&all[1]);
    pgopt_store_free(&pair);
  }
}

static pgopt_status parse(const void *bytes, size_t size, pgopt_error *error) {
  // Exactly as long as it is: a sanitizer sees a byte read beyond.
  void *copy = pgopt_duplicate(bytes, size);
  pgopt_store store;
  bool is_text;
  *error = (pgopt_error){0};
  pgopt_status status = pgopt_store_parse(copy, size, &store, &is_text, error);
  CHECK(!status || !store.profile_count);
  CHECK(!status == !*error->message);
  pgopt_store_free(&store);
  free(copy);
  return status;
}

/// Every shorter file and every flipped bit is found.
static void check_damage(void) {
  pgopt_store store = example();
  pgopt_text bytes = bytes_of(&store, false);
  pgopt_error error;
  for (size_t size = 0; size < bytes.size; ++size)
    CHECK(parse(bytes.data, size, &error) != PGOPT_OK && *error.message);
  for (size_t bit = 0; bit < 8 * bytes.size; ++bit) {
    bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    if (!CHECK(parse(bytes.data, bytes.size, &error) != PGOPT_OK))
      fprintf(stderr, "  bit %zu\n", bit);
    bytes.data[bit / 8] ^= (char)(1 << bit % 8);
  }
  pgopt_text_append(&bytes, "x");
  CHECK(parse(bytes.data, bytes.size, &error) != PGOPT_OK);
  pgopt_text_free(&bytes);
  bytes = bytes_of(&store, true);
  for (size_t size = 0; size + 1 < bytes.size; ++size) // but for the last \n
    CHECK(parse(bytes.data, size, &error) != PGOPT_OK);
  for (size_t bit = 0; bit < 8 * bytes.size; ++bit) {
    bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    parse(bytes.data, bytes.size, &error); // must only not crash
    bytes.data[bit / 8] ^= (char)(1 << bit % 8);
  }
  pgopt_text_free(&bytes);
  pgopt_store_free(&store);
}

static void check_refused(const void *bytes, size_t size, const char *part) {
  pgopt_error error;
  CHECK(parse(bytes, size, &error) != PGOPT_OK);
  CHECK_CONTAINS(error.message, part);
}

static void check_other_files(void) {
  check_refused("", 0, "is empty; remove it to begin a new store");
  check_refused("\177ELF", 4, "is not a store: it begins neither with");
  check_refused("\n\013pgopt-stora", 13, "is not a store");
  check_refused("  \n ", 4, "is not a store");
  check_refused("{", 1, "line 1, column 1");
  check_refused("{}", 2, "is not a store: its 'format' is not 'pgopt-store'");
  check_refused("{\"format\": \"other\"}", 19, "is not a store: its 'format'");
  check_refused("\n\013pgopt-store\020\004", 15,
                "has version 4 of the format; this pgopt reads versions 1 to "
                "3");
  check_refused("\n\013pgopt-store\020\001\170\001", 17,
                "has fields that this pgopt does not know");
  // A content of 2^34 bytes in a file of 20.
  check_refused("\n\013pgopt-store\020\001*\x80\x80\x80\x80\x40", 21,
                "is damaged or was cut off");
  char *deep = pgopt_allocate(100000, 1);
  memset(deep, '[', 99999);
  deep[0] = '{';
  check_refused(deep, 99999, "line 1");
  free(deep);
}

/// Contents whose checksum is right and that are no store all the same.
static void check_content(const char *bytes, size_t size, const char *part) {
  pgopt_store store = {0};
  pgopt_error error = {0};
  void *copy = pgopt_duplicate(bytes, size);
  CHECK(pgopt_store_parse_content(copy, size, &store, &error) != PGOPT_OK);
  CHECK_CONTAINS(error.message, part);
  pgopt_store_free(&store);
  free(copy);
}

static void check_contents(void) {
  check_content("\n\0", 2, "a profile names no machine");
  check_content("\n\2\n\0", 4, "the machine's cores is 0; it must be 1 to");
  check_content("\n\6\n\4\030\1(\1\n\6\n\4\030\1(\1", 16, "two profiles of");
  check_content("\n\10\n\4\030\1(\1\022\0", 10,
                "a signature is not UTF-8 without control characters");
  check_content("\n\12\n\4\030\1(\1\022\2\n\0", 12, "a signature is not UTF-8");
  check_content("\n\13\n\4\030\1(\1\022\3\n\1s", 13,
                "the Timing of 's' has no runs");
  check_content("\n\12\n\6\030\1(\1x\1", 10, "");
  check_content("\n\10\n\4\030\1(\1\032\0", 10,
                "a signature is not UTF-8 without control characters");
  check_content("\n\13\n\4\030\1(\1\032\3\n\1s", 13,
                "the choice for 's' does not have 1 to 64 candidates");
  check_content("\n\377\377\377\377\377\377\377\377\177", 10,
                "is not a store, or damaged");
  // 4,000,000 empty Timings: 8 MB that would become 500.
  size_t size = 8000000, head = 10;
  char *many = pgopt_allocate(size + head + 1, 1);
  memcpy(many, "\n\206\222\350\003\n\4\030\1(\1", 11); // length size + 6
  for (size_t i = 11; i + 1 < size + head + 1; i += 2)
    many[i] = '\022';
  check_content(many, size + 11, "needs more memory than a store of its size");
  free(many);
}

/// Replaces `from` by `to` in the text form of a store.
static void edit(const pgopt_store *store, const char *from, const char *to,
                 const char *part) {
  pgopt_text text = bytes_of(store, true), edited = {0};
  const char *at = strstr(text.data, from);
  if (CHECK(at != NULL)) {
    pgopt_text_append(&edited, "%.*s%s%s", (int)(at - text.data), text.data, to,
                      at + strlen(from));
    check_refused(edited.data, edited.size, part);
  }
  pgopt_text_free(&text);
  pgopt_text_free(&edited);
}

/// One with a Timing.
static void check_edit(const char *from, const char *to, const char *part) {
  pgopt_store store = {0};
  test_add(&store, "C", "s", 7);
  edit(&store, from, to, part);
  pgopt_store_free(&store);
}

/// One with a choice.
static void check_choice_edit(const char *from, const char *to,
                              const char *part) {
  pgopt_store store = {0};
  test_choose(&store, "C", "s", 31);
  edit(&store, from, to, part);
  pgopt_store_free(&store);
}

/// What cores share makes it version 3, with choices, also without any.
static void check_sharing_text(void) {
  pgopt_store store = {0};
  pgopt_machine machine = test_machine("C");
  machine.sharing = (pgopt_sharing){29, 165, 80000, 9000, 110000, 40000};
  pgopt_store_add_machine(&store, &machine);
  pgopt_text text = bytes_of(&store, true);
  CHECK_CONTAINS(text.data, "\"version\": 3, \"profiles\": [");
  CHECK_CONTAINS(text.data,
                 "\"latency_max_ns\": 210, \"sharing\": {\"fetch_ps\": 29, "
                 "\"reclaim_ps\": 165, \"wake_ns\": 80000, \"call_ns\": "
                 "9000, \"peak_mflops\": 110000, "
                 "\"read_mb_s\": 40000}, \"date\": ");
  CHECK_CONTAINS(text.data, "   \"timings\": [],\n   \"choices\": []}]}\n");
  for (int as_text = 0; as_text < 2; ++as_text) {
    pgopt_text bytes = bytes_of(&store, as_text);
    pgopt_store again;
    bool is_text;
    CHECK(!pgopt_store_parse(bytes.data, bytes.size, &again, &is_text, NULL));
    if (CHECK_EQ_I64(again.profile_count, 1)) {
      const pgopt_sharing *sharing = &again.profiles[0].machine.sharing;
      CHECK_EQ_I64(sharing->fetch_ps, 29);
      CHECK_EQ_I64(sharing->reclaim_ps, 165);
      CHECK_EQ_I64(sharing->wake_ns, 80000);
      CHECK_EQ_I64(sharing->call_ns, 9000);
      CHECK_EQ_I64(sharing->peak_mflops, 110000);
      CHECK_EQ_I64(sharing->read_mb_s, 40000);
    }
    pgopt_store_free(&again);
    pgopt_text_free(&bytes);
  }
  edit(&store, "\"version\": 3,", "\"version\": 2,",
       "a machine has a member 'sharing', which is not known");
  edit(&store, "\"sharing\": {", "\"sharing\": {\"more\": 1, ",
       "what cores share has a member 'more', which is not known");
  edit(&store, "\"fetch_ps\": 29, ", "", "what cores share has no 'fetch_ps'");
  edit(&store, "\"reclaim_ps\": 165", "\"reclaim_ps\": -1",
       "the machine's reclaim_ps is -1; it must be 0 to");
  pgopt_text_free(&text);
  pgopt_store_free(&store);
}

static void check_texts(void) {
  check_edit("\"median_ns\": 7", "\"median_ns\": NaN", "line 7, column");
  check_edit("\"median_ns\": 7", "\"median_ns\": 7.5",
             "'median_ns' is not an integer");
  check_edit("\"median_ns\": 7", "\"median_ns\": 1e999", "line 7");
  check_edit("\"median_ns\": 7", "\"median_ns\": 99999999999999999999",
             "line 7");
  check_edit("\"median_ns\": 7", "\"median_ns\": \"7\"",
             "'median_ns' is not an integer");
  check_edit("\"median_ns\": 7", "\"median_ns\": 5",
             "0 <= min_ns <= median_ns and 0 <= mad_ns must hold");
  check_edit("\"mad_ns\": 3", "\"mad_ns\": -3", "0 <= mad_ns must hold");
  check_edit("\"runs\": 10", "\"runs\": 0", "there must be at least 1");
  check_edit("\"runs\": 10, ", "", "a Timing has no 'runs'");
  check_edit("\"runs\": 10", "\"runs\": 10, \"runs\": 11", "duplicate");
  check_edit("\"runs\": 10", "\"runs\": 10, \"walks\": 11",
             "a Timing has a member 'walks', which is not known");
  check_edit("in-place", "guessed", "neither measured in-place nor isolated");
  check_edit("\"s\"", "\"\"", "of 1 to 65536 bytes");
  check_edit("\"s\"", "\"a\\nb\"", "without control characters");
  check_edit("\"s\"", "\"\\u0000\"", "line 7");
  check_edit("\"0.1.0\"", "\"\"", "does not tell pgopt's version");
  check_edit("16:05:00Z\", \"version\"", "16:05:61Z\", \"version\"",
             "it must be like 2026-11-30T16:05:00Z");
  check_edit("2025-11-30T16:05:00Z\", \"version\"",
             "1965-01-01T00:00:00Z\", "
             "\"version\"",
             "before 1970");
  check_edit("\"cores\": 2", "\"cores\": 0", "cores is 0; it must be 1 to");
  check_edit("\"latency_max_ns\": 210", "\"latency_max_ns\": 59",
             "latency_max_ns is 59; it must be 60 to");
  check_edit("{\"level\": 1, ", "{\"level\": 2, ",
             "caches do not ascend by level");
  check_edit("\"caches\": [", "\"caches\": [1, ", "a cache is not an object");
  check_edit("\"rates\": [", "\"rates\": {}, \"more\": [", "not known");
  check_edit("\"C\"", "\"\\u0007\"",
             "the machine's cpu is not UTF-8 without control characters");
  check_edit("\"version\": 1,", "\"version\": 4,",
             "has version 4 of the format; this pgopt reads versions 1 to 3");
  check_choice_edit("\"version\": 2,", "\"version\": 1,",
                    "a profile has a member 'choices', which is not known");
  check_choice_edit(
      "\"chosen\": 1", "\"chosen\": 3",
      "the choice for 's' takes a candidate that it does not have");
  check_choice_edit("\"chosen\": 1", "\"chosen\": -1",
                    "takes a candidate that it does not have");
  check_choice_edit("\"chosen\": 1", "\"chosen\": 2",
                    "takes a candidate that failed");
  check_choice_edit("\"im2col\"", "\"product:6x4\"",
                    "the choice for 's' has a variant twice");
  check_choice_edit("\"im2col\"", "\"\"",
                    "the choice for 's' has a variant that is not a text");
  check_choice_edit("\"runs\": 31", "\"runs\": 0",
                    "the choice for 's' has times that cannot be");
  check_choice_edit("\"trapped: SIGSEGV\"", "\"\"",
                    "the choice for 's' has times that cannot be");
  check_choice_edit(
      "\"chance_ppm\": 12,", "\"chance_ppm\": 1000001,",
      "the choice for 's' has a negative number, or a chance above 1");
  check_choice_edit("\"cycles\": 1100, ", "", "a candidate has no 'cycles'");
  check_choice_edit("\"candidates\": [", "\"candidates\": [1, ",
                    "a candidate is not an object");
  check_choice_edit("16:05:00Z\", \"version\": \"0.1.0\"",
                    "16:05:00Z\", \"version\": \"\"",
                    "the choice for 's' does not tell pgopt's version");
  check_edit("\"timings\": [",
             "\"timings\": [{\"signature\": \"s\", \"median_ns\": 7, "
             "\"min_ns\": 6, \"mad_ns\": 3, \"runs\": 10, \"how\": "
             "\"in-place\", \"date\": \"2025-11-30T16:05:00Z\", \"version\": "
             "\"0.1.0\"},",
             "has 1 Timings or choices of signatures that it has one of "
             "already");
  char *longer = pgopt_allocate(PGOPT_STORE_MAX_SIGNATURE + 4, 1);
  memset(longer, 'x', PGOPT_STORE_MAX_SIGNATURE + 3);
  longer[0] = longer[PGOPT_STORE_MAX_SIGNATURE + 2] = '"';
  check_edit("\"s\"", longer, "of 1 to 65536 bytes");
  free(longer);
}

int main(void) {
  check_round_trip();
  check_text_form();
  check_choice_text();
  check_sharing_text();
  check_choice_rule();
  check_order();
  check_rule();
  check_merge_laws();
  check_damage();
  check_other_files();
  check_contents();
  check_texts();
  return check_result();
}
