/// \file Unit tests of memory plans: no two values that are in use at the same
/// time overlap, by an oracle that looks at every byte; the checker never
/// accepts what the oracle refuses.
#include "schedule/memory_plan.h"

#include "check.h"
#include "event_oracle.h"
#include "random_graph.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BUFFERS = 32, MAX_OVERWRITES = 256 };

/// A request with all that it points to.
typedef struct plan_case {
  pgopt_profile_graph *graph;
  pgopt_core_lists lists;
  bool *is_kept;
  pgopt_overwrite overwrites[MAX_OVERWRITES];
  size_t overwrite_count;
} plan_case;

static pgopt_memory_request request_of(const plan_case *c) {
  return (pgopt_memory_request){c->graph,      &c->lists,          c->is_kept,
                                c->overwrites, c->overwrite_count, false};
}

/// \param cores 0 for a sequential program.
static void schedule_case_by(plan_case *c, const pgopt_schedule_policy *policy,
                             int64_t cores) {
  c->is_kept = calloc(c->graph->buffer_count + 1, sizeof *c->is_kept);
  if (!cores)
    return;
  pgopt_schedule_request request = {.resources = cores,
                                    .costs = {.latency_ns = 150}};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  CHECK(pgopt_schedule_create(c->graph, policy, &request, &schedule, &error) ==
        PGOPT_OK);
  c->lists = pgopt_schedule_lists(c->graph, &schedule);
  pgopt_schedule_free(&schedule);
}

static void schedule_case(plan_case *c, int64_t cores) {
  schedule_case_by(c, &pgopt_round_robin, cores);
}

static void free_case(plan_case *c) {
  pgopt_profile_graph_destroy(c->graph);
  pgopt_core_lists_free(&c->lists);
  free(c->is_kept);
}

static pgopt_memory_plan make_plan(const plan_case *c) {
  pgopt_memory_request request = request_of(c);
  pgopt_memory_plan plan;
  pgopt_error error = {0};
  CHECK(pgopt_memory_plan_create(&request, &plan, &error) == PGOPT_OK);
  CHECK_EQ_TEXT(error.message, "");
  return plan;
}

static bool checker_accepts(const plan_case *c, const pgopt_memory_plan *plan) {
  pgopt_memory_request request = request_of(c);
  pgopt_error error = {0};
  bool good = pgopt_memory_plan_check(&request, plan, &error) == PGOPT_OK;
  CHECK(good == !*error.message);
  return good;
}

static void add_buffer(pgopt_profile_graph *graph, int64_t elements) {
  char name[32];
  snprintf(name, sizeof name, "v%zu", graph->buffer_count);
  pgopt_graph_buffer buffer = {name, PGOPT_BUFFER_VALUE, elements, 4};
  pgopt_profile_graph_add_buffer(graph, &buffer);
}

/// A node that writes all of one buffer and reads all of others.
static void add_node(pgopt_profile_graph *graph, const char *name,
                     size_t written, const size_t *read, size_t read_count) {
  pgopt_graph_node node = {.function = name, .layer = name, .phase = "main"};
  pgopt_buffer_access accesses[4];
  for (size_t i = 0; i <= read_count; ++i) {
    size_t buffer = i ? read[i - 1] : written;
    accesses[i] = (pgopt_buffer_access){
        buffer, !i, pgopt_range_whole(graph->buffers[buffer].elements)};
  }
  pgopt_profile_graph_add_node(graph, &node, accesses, read_count + 1);
}

/// k0 writes v0, each further one reads the value before and writes its own.
static plan_case chain(size_t length) {
  plan_case c = {.graph = pgopt_profile_graph_create("chain")};
  for (size_t i = 0; i < length; ++i) {
    add_buffer(c.graph, 16 * (int64_t)(i % 3 + 1));
    size_t before = i - 1;
    add_node(c.graph, "k", i, &before, i > 0);
  }
  pgopt_profile_graph_connect(c.graph);
  return c;
}

static void test_a_chain_needs_two_places(void) {
  // 64, 128, 192 bytes in turn: at most 128 + 192 are in use.
  plan_case c = chain(9);
  schedule_case(&c, 0);
  pgopt_memory_plan plan = make_plan(&c);
  CHECK_EQ_I64(plan.values_bytes, 3 * (64 + 128 + 192));
  CHECK_EQ_I64(plan.bound_bytes, 128 + 192);
  CHECK_EQ_I64(plan.arena_bytes, 128 + 192);
  CHECK_EQ_I64(plan.value_count, 9);
  CHECK_EQ_I64(plan.in_place_count, 0);
  CHECK(checker_accepts(&c, &plan));
  pgopt_memory_plan_free(&plan);
  free_case(&c);
}

static void test_what_is_returned_stays(void) {
  plan_case c = chain(3);
  schedule_case(&c, 0);
  c.is_kept[0] = c.is_kept[2] = true;
  pgopt_memory_plan plan = make_plan(&c);
  CHECK_EQ_I64(plan.arena_bytes, 64 + 128 + 192);
  plan.offsets[2] = plan.offsets[0];
  CHECK(!checker_accepts(&c, &plan));
  pgopt_memory_plan_free(&plan);
  free_case(&c);
}

/// v0, v1 = f(v0), v2 = g(v1): the middle one over the first, when it may.
static void test_in_place(void) {
  for (int may = 0; may < 2; ++may)
    for (int kept = 0; kept < 2; ++kept) {
      plan_case c = {.graph = pgopt_profile_graph_create("f")};
      for (size_t i = 0; i < 3; ++i) {
        add_buffer(c.graph, 32);
        size_t before = i - 1;
        add_node(c.graph, "k", i, &before, i > 0);
      }
      pgopt_profile_graph_connect(c.graph);
      schedule_case(&c, 0);
      c.is_kept[0] = kept;
      if (may)
        c.overwrites[c.overwrite_count++] = (pgopt_overwrite){1, 0, 1};
      if (may)
        c.overwrites[c.overwrite_count++] = (pgopt_overwrite){2, 1, 2};
      pgopt_memory_plan plan = make_plan(&c);
      CHECK_EQ_I64(plan.in_place_count, may ? 2 - kept : 0);
      CHECK_EQ_I64(plan.arena_bytes, kept  ? (may ? 256 : 384)
                                     : may ? 128
                                           : 256);
      CHECK(checker_accepts(&c, &plan));
      plan.offsets[1] = plan.offsets[0];
      CHECK(checker_accepts(&c, &plan) == (may && !kept));
      pgopt_memory_plan_free(&plan);
      free_case(&c);
    }
}

/// Two kernels that halve a layer, each in place on its half: no order between
/// them is needed. A third that reads all of the first value forbids it.
static void test_in_place_in_ranges(void) {
  for (int third = 0; third < 2; ++third) {
    plan_case c = {.graph = pgopt_profile_graph_create("f")};
    for (int i = 0; i < 3; ++i)
      add_buffer(c.graph, 32);
    pgopt_graph_node node = {.function = "k"};
    for (size_t layer = 0; layer < 2; ++layer)
      for (int64_t half = 0; half < 2; ++half) {
        pgopt_buffer_range range = {32, 16 * half, 16 * half + 16};
        pgopt_buffer_access accesses[] = {{layer, true, range},
                                          {0, false, range}};
        pgopt_profile_graph_add_node(c.graph, &node, accesses, 1 + layer);
      }
    size_t read = 0;
    if (third)
      add_node(c.graph, "third", 2, &read, 1);
    pgopt_profile_graph_connect(c.graph);
    c.overwrites[0] = (pgopt_overwrite){2, 0, 1};
    c.overwrites[1] = (pgopt_overwrite){3, 0, 1};
    c.overwrite_count = 2;
    schedule_case(&c, 2);
    pgopt_memory_plan plan = make_plan(&c);
    CHECK_EQ_I64(plan.in_place_count, !third);
    CHECK(checker_accepts(&c, &plan));
    // Half of the permission is none.
    c.overwrite_count = 1;
    plan.offsets[1] = plan.offsets[0];
    CHECK(!checker_accepts(&c, &plan));
    pgopt_memory_plan_free(&plan);
    free_case(&c);
  }
}

/// Two chains dealt to two cores: the second value of the first chain is made
/// while the second chain begins.
static void test_cores_share_nothing_unordered(void) {
  for (int64_t cores = 0; cores <= 2; ++cores) {
    plan_case c = {.graph = pgopt_profile_graph_create("f")};
    for (size_t i = 0; i < 4; ++i)
      add_buffer(c.graph, 16);
    for (size_t i = 0; i < 2; ++i) {
      size_t read = 2 * i;
      add_node(c.graph, "make", 2 * i, NULL, 0);
      add_node(c.graph, "use", 2 * i + 1, &read, 1);
    }
    pgopt_profile_graph_connect(c.graph);
    schedule_case(&c, cores);
    pgopt_memory_plan plan = make_plan(&c);
    CHECK(checker_accepts(&c, &plan));
    CHECK_EQ_I64(plan.arena_bytes, cores < 2 ? 128 : 192);
    CHECK(plan.bound_bytes <= plan.arena_bytes);
    pgopt_memory_plan_free(&plan);
    free_case(&c);
  }
}

static void test_violations_in_words(void) {
  plan_case c = chain(3);
  add_buffer(c.graph, 16);
  schedule_case(&c, 0);
  pgopt_memory_request request = request_of(&c);
  pgopt_memory_plan plan = make_plan(&c);
  static const struct {
    size_t moved;
    int64_t offset; ///< -1: where v0 lies
    bool kept;
    const char *message;
  } cases[] = {
      {1, -1, false,
       "'v0' and 'v1' share memory, though 'k' need not be done with the one "
       "when 'k' uses the other"},
      {2, -1, true,
       "'v0' and 'v2' share memory, though the one is read at the end and not "
       "the first"},
      {3, -1, false,
       "'v0' and 'v3' share memory, though nothing is known of when they are "
       "used"},
      {0, 8, false,
       "'v0' does not lie in the arena of 384 bytes at a multiple of 64"},
      {0, 384, false,
       "'v0' does not lie in the arena of 384 bytes at a multiple of 64"},
      {0, -64, false,
       "'v0' does not lie in the arena of 384 bytes at a multiple of 64"},
  };
  CHECK_EQ_I64(plan.arena_bytes, 384);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t before = plan.offsets[cases[i].moved];
    plan.offsets[cases[i].moved] =
        cases[i].offset == -1 ? plan.offsets[0] : cases[i].offset;
    c.is_kept[0] = cases[i].kept;
    pgopt_error error = {0};
    CHECK(pgopt_memory_plan_check(&request, &plan, &error) == PGOPT_INVALID);
    CHECK_EQ_TEXT(error.message, cases[i].message);
    plan.offsets[cases[i].moved] = before;
  }
  pgopt_memory_plan_free(&plan);
  free_case(&c);
}

static void test_sizes_that_do_not_fit(void) {
  plan_case c = chain(2);
  schedule_case(&c, 0);
  c.graph->buffers[0].elements = INT64_MAX / 4 - 100;
  c.graph->buffers[1].elements = INT64_MAX / 4 - 100;
  pgopt_memory_request request = request_of(&c);
  pgopt_memory_plan plan;
  pgopt_error error = {0};
  CHECK(pgopt_memory_plan_create(&request, &plan, &error) ==
        PGOPT_OUT_OF_RANGE);
  free_case(&c);
}

/// True when the node touches byte `byte` of the buffer.
static bool touches(const pgopt_profile_graph *graph,
                    const pgopt_buffer_access *access, int64_t byte) {
  int64_t element = byte / graph->buffers[access->buffer].element_bytes;
  int64_t at = element % access->range.period;
  return at >= access->range.begin && at < access->range.end;
}

static bool is_allowed(const plan_case *c, size_t node, size_t read,
                       size_t written) {
  for (size_t i = 0; i < c->overwrite_count; ++i)
    if (c->overwrites[i].node == node && c->overwrites[i].read == read &&
        c->overwrites[i].written == written)
      return true;
  return false;
}

/// All that touch the byte as a part of `a` before all that touch it as a part
/// of `b`.
static bool byte_in_order(const plan_case *c, const oracle *o, size_t a,
                          int64_t byte_of_a, size_t b, int64_t byte_of_b) {
  const pgopt_profile_graph *graph = c->graph;
  if (c->is_kept[a])
    return false;
  for (size_t n = 0; n < graph->node_count; ++n)
    for (size_t m = 0; m < graph->node_count; ++m)
      for (size_t i = 0; i < graph->nodes[n].access_count; ++i)
        for (size_t k = 0; k < graph->nodes[m].access_count; ++k) {
          const pgopt_buffer_access *x =
              &graph->accesses[graph->nodes[n].first_access + i];
          const pgopt_buffer_access *y =
              &graph->accesses[graph->nodes[m].first_access + k];
          if (x->buffer != a || y->buffer != b ||
              !touches(graph, x, byte_of_a) || !touches(graph, y, byte_of_b))
            continue;
          bool in_place = byte_of_a == byte_of_b && is_allowed(c, n, a, b);
          if (n == m ? !in_place : !node_follows(o, n, m))
            return false;
        }
  return true;
}

/// Looks at the first byte of every element, which is enough: elements of all
/// sizes are aligned to their size.
static bool oracle_accepts(const plan_case *c, const pgopt_memory_plan *plan) {
  pgopt_core_lists sequence = pgopt_core_lists_create(1);
  for (size_t i = 0; i < c->graph->node_count; ++i) {
    pgopt_event run = {.kind = PGOPT_EVENT_RUN, .node = i};
    pgopt_core_lists_append(&sequence, 0, run);
  }
  oracle o;
  bool good = oracle_create(c->lists.count ? &c->lists : &sequence,
                            c->graph->node_count, &o);
  for (size_t a = 0; a < c->graph->buffer_count && good; ++a)
    for (size_t b = 0; b < a && good; ++b) {
      int64_t bytes_a = 210 * c->graph->buffers[a].element_bytes;
      int64_t bytes_b = 210 * c->graph->buffers[b].element_bytes;
      int64_t step = c->graph->buffers[a].element_bytes;
      if (c->graph->buffers[b].element_bytes < step)
        step = c->graph->buffers[b].element_bytes;
      for (int64_t byte = 0; byte < bytes_a && good; byte += step) {
        int64_t other = byte + plan->offsets[a] - plan->offsets[b];
        if (other < 0 || other >= bytes_b)
          continue;
        good = byte_in_order(c, &o, a, byte, b, other) ||
               byte_in_order(c, &o, b, other, a, byte);
      }
    }
  oracle_free(&o);
  pgopt_core_lists_free(&sequence);
  return good;
}

/// As if every kernel could write over all that it reads.
static void allow_all(plan_case *c) {
  for (size_t n = 0; n < c->graph->node_count; ++n) {
    const pgopt_graph_node *node = &c->graph->nodes[n];
    const pgopt_buffer_access *accesses =
        &c->graph->accesses[node->first_access];
    for (size_t i = 1; i < node->access_count; ++i)
      if (accesses[0].writes && c->overwrite_count < MAX_OVERWRITES)
        c->overwrites[c->overwrite_count++] =
            (pgopt_overwrite){n, accesses[i].buffer, accesses[0].buffer};
  }
}

static plan_case random_case(uint64_t *state, size_t nodes, size_t buffers,
                             const pgopt_schedule_policy *policy,
                             int64_t cores) {
  plan_case c = {.graph = random_graph(state, nodes, buffers, cores % 2 * 9)};
  for (size_t i = 0; i < buffers; ++i)
    c.graph->buffers[i].element_bytes = (int64_t)1 << random_below(state, 4);
  schedule_case_by(&c, policy, cores);
  for (size_t i = 0; i < buffers; ++i)
    c.is_kept[i] = random_below(state, 8) == 0;
  allow_all(&c);
  return c;
}

/// Moves one value onto another one, or anywhere.
static void damage(const plan_case *c, const pgopt_memory_plan *plan,
                   uint64_t *state, int *refused, int *accepted) {
  pgopt_memory_plan damaged = *plan;
  size_t count = plan->buffer_count;
  damaged.offsets = malloc(count * sizeof *damaged.offsets);
  memcpy(damaged.offsets, plan->offsets, count * sizeof *damaged.offsets);
  damaged.arena_bytes += 2048;
  size_t moved = (size_t)random_below(state, (int64_t)count);
  damaged.offsets[moved] =
      random_below(state, 2)
          ? plan->offsets[random_below(state, (int64_t)count)]
          : random_below(state, 1 + plan->arena_bytes / 64) * 64;
  bool good = checker_accepts(c, &damaged);
  if (good)
    CHECK(oracle_accepts(c, &damaged));
  ++*(good ? accepted : refused);
  free(damaged.offsets);
}

/// Under every policy, on no to 4 cores.
static void test_random_plans_and_their_damage(void) {
  uint64_t state = 31;
  size_t policies = 0;
  while (pgopt_schedule_policies[policies])
    ++policies;
  int refused = 0, accepted = 0;
  int64_t arena = 0, bound = 0, values = 0;
  size_t in_place = 0;
  for (int round = 0; round < 80; ++round) {
    plan_case c = random_case(
        &state, 8 + (size_t)round % 14, 6 + (size_t)round % (MAX_BUFFERS - 6),
        pgopt_schedule_policies[(size_t)round / 5 % policies], round % 5);
    pgopt_memory_plan plan = make_plan(&c);
    CHECK(checker_accepts(&c, &plan));
    CHECK(oracle_accepts(&c, &plan));
    CHECK(plan.bound_bytes <= plan.arena_bytes);
    CHECK(plan.arena_bytes <= plan.values_bytes);
    arena += plan.arena_bytes;
    bound += plan.bound_bytes;
    values += plan.values_bytes;
    in_place += plan.in_place_count;
    for (int i = 0; i < 10; ++i)
      damage(&c, &plan, &state, &refused, &accepted);
    pgopt_memory_plan_free(&plan);
    free_case(&c);
  }
  printf("random plans: %lld bytes of %lld, bound %lld, %zu in place; of the "
         "damaged ones %d refused, %d accepted\n",
         (long long)arena, (long long)values, (long long)bound, in_place,
         refused, accepted);
  CHECK(refused > 100);
  CHECK(accepted > 20);
  CHECK(in_place > 20);
}

/// Every node reads some of the last 20 values and writes a new one.
static plan_case long_network(uint64_t *state, size_t nodes) {
  plan_case c = {.graph = pgopt_profile_graph_create("long")};
  for (size_t i = 0; i < nodes; ++i) {
    add_buffer(c.graph, 1 + random_below(state, 100000));
    size_t read[2];
    for (size_t k = 0; k < 2; ++k)
      read[k] =
          i - 1 - (size_t)random_below(state, (int64_t)(i < 20 ? i : 20) + !i);
    add_node(c.graph, "k", i, read, i ? 2 : 0);
  }
  pgopt_profile_graph_connect(c.graph);
  return c;
}

static void test_many_nodes(void) {
  for (int64_t cores = 0; cores <= 8; cores += 4) {
    uint64_t state = 37;
    plan_case c = long_network(&state, 10000);
    schedule_case(&c, cores);
    clock_t begin = clock();
    pgopt_memory_plan plan = make_plan(&c);
    clock_t middle = clock();
    CHECK(checker_accepts(&c, &plan));
    printf("10000 values on %lld cores: %.3f of the sum, %.3f of the bound, "
           "plan %.3f s, check %.3f s\n",
           (long long)cores,
           (double)plan.arena_bytes / (double)plan.values_bytes,
           (double)plan.arena_bytes / (double)plan.bound_bytes,
           (double)(middle - begin) / CLOCKS_PER_SEC,
           (double)(clock() - middle) / CLOCKS_PER_SEC);
    pgopt_memory_plan_free(&plan);
    free_case(&c);
  }
}

int main(void) {
  test_a_chain_needs_two_places();
  test_what_is_returned_stays();
  test_in_place();
  test_in_place_in_ranges();
  test_cores_share_nothing_unordered();
  test_violations_in_words();
  test_sizes_that_do_not_fit();
  test_random_plans_and_their_damage();
  test_many_nodes();
  return check_result();
}
