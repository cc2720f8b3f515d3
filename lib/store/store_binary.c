/// \file The binary form: proto/store.proto.
///
/// protobuf-c checks every length against the bytes that are there. What it
/// makes of them may still be many times larger (an empty message of two bytes
/// becomes a struct), so memory is limited by the size of the input.
#include "store/store_internal.h"

#include "base/hash.h"

#include <proto/store.pb-c.h>
#include <stdlib.h>
#include <string.h>

/// Bytes that messages may take: a share that is for small files, and per byte
/// of the file. A real Timing takes about two bytes a byte.
enum { LIMIT_BASE = 1 << 20, LIMIT_PER_BYTE = 16 };

typedef struct limiter {
  size_t left;
  bool is_exceeded;
} limiter;

static void *limited_allocate(void *data, size_t size) {
  limiter *l = data;
  if (size > l->left) {
    l->is_exceeded = true;
    return NULL;
  }
  l->left -= size;
  return malloc(size);
}

static void limited_free(void *data, void *pointer) {
  (void)data;
  free(pointer);
}

static ProtobufCAllocator limited(limiter *l, size_t size) {
  *l = (limiter){.left = LIMIT_BASE + size * LIMIT_PER_BYTE};
  return (ProtobufCAllocator){limited_allocate, limited_free, l};
}

static pgopt_status fail_unpack(const limiter *l, pgopt_error *error) {
  return l->is_exceeded
             ? pgopt_fail(error, PGOPT_INVALID,
                          "needs more memory than a store of its size can")
             : pgopt_fail(error, PGOPT_INVALID, "is not a store, or damaged");
}

static bool has_unknown(const ProtobufCMessage *message) {
  return message->n_unknown_fields > 0;
}

static pgopt_status fail_unknown(pgopt_error *error) {
  return pgopt_fail(error, PGOPT_UNSUPPORTED,
                    "has fields that this pgopt does not know; a later one may "
                    "have written it");
}

static bool copy_bounded(char *target, const char *text) {
  size_t size = strlen(text);
  if (size >= PGOPT_MACHINE_TEXT)
    return false;
  memcpy(target, text, size + 1);
  return true;
}

static pgopt_status unpack_machine(const Pgopt__Store__Machine *from,
                                   pgopt_machine *machine, pgopt_error *error) {
  *machine = (pgopt_machine){.cores = from->cores,
                             .cpus = from->cpus,
                             .cache_count = from->n_caches,
                             .rate_count = from->n_rates,
                             .peak_mflops = from->peak_mflops,
                             .latency_min_ns = from->latency_min_ns,
                             .latency_max_ns = from->latency_max_ns,
                             .sharing = {from->fetch_ps, from->reclaim_ps,
                                         from->wake_ns, from->call_ns,
                                         from->shared_peak_mflops,
                                         from->shared_read_mb_s},
                             .date_s = from->date_s};
  if (has_unknown(&from->base))
    return fail_unknown(error);
  if (from->n_caches > PGOPT_MACHINE_MAX_CACHES ||
      from->n_rates > PGOPT_MACHINE_MAX_RATES)
    return pgopt_fail(error, PGOPT_INVALID,
                      "a machine has %zu caches and %zu rates; at most %d and "
                      "%d are allowed",
                      from->n_caches, from->n_rates, PGOPT_MACHINE_MAX_CACHES,
                      PGOPT_MACHINE_MAX_RATES);
  if (!copy_bounded(machine->cpu, from->cpu) ||
      !copy_bounded(machine->isa, from->isa) ||
      !copy_bounded(machine->blas, from->blas))
    return pgopt_fail(error, PGOPT_INVALID,
                      "a machine's text is longer than %d bytes",
                      PGOPT_MACHINE_TEXT - 1);
  for (size_t i = 0; i < from->n_caches; ++i) {
    const Pgopt__Store__Cache *c = from->caches[i];
    if (has_unknown(&c->base))
      return fail_unknown(error);
    machine->caches[i] = (pgopt_cache){c->level, c->bytes, c->cpus};
  }
  for (size_t i = 0; i < from->n_rates; ++i) {
    const Pgopt__Store__Rate *r = from->rates[i];
    if (has_unknown(&r->base))
      return fail_unknown(error);
    machine->rates[i] =
        (pgopt_rate){r->working_set_bytes, r->read_mb_s, r->copy_mb_s};
  }
  return PGOPT_OK;
}

static pgopt_status unpack_choice(const Pgopt__Store__Choice *from,
                                  pgopt_store *store,
                                  pgopt_store_profile *profile,
                                  pgopt_error *error) {
  pgopt_store_candidate candidates[PGOPT_STORE_MAX_CANDIDATES];
  if (has_unknown(&from->base))
    return fail_unknown(error);
  for (size_t i = 0; i < from->n_candidates && i < PGOPT_STORE_MAX_CANDIDATES;
       ++i) {
    const Pgopt__Store__Candidate *c = from->candidates[i];
    if (has_unknown(&c->base))
      return fail_unknown(error);
    candidates[i] = (pgopt_store_candidate){
        c->variant, c->cycles,    c->median_ns,  c->min_ns, c->mad_ns,
        c->runs,    c->ratio_ppm, c->chance_ppm, c->failure};
  }
  const pgopt_store_choice choice = {.signature = from->signature,
                                     .candidates = candidates,
                                     .candidate_count = from->n_candidates,
                                     .chosen = from->chosen,
                                     .date_s = from->date_s,
                                     .version = from->version};
  return pgopt_store_read_choice(store, profile, &choice, error);
}

static pgopt_status unpack_profile(const Pgopt__Store__Profile *from,
                                   pgopt_store *store, pgopt_error *error) {
  pgopt_machine machine;
  pgopt_store_profile *profile;
  if (has_unknown(&from->base))
    return fail_unknown(error);
  if (!from->machine)
    return pgopt_fail(error, PGOPT_INVALID, "a profile names no machine");
  pgopt_status status = unpack_machine(from->machine, &machine, error);
  if (!status)
    status = pgopt_store_read_machine(store, &machine, &profile, error);
  for (size_t i = 0; i < from->n_timings && !status; ++i) {
    const Pgopt__Store__Timing *t = from->timings[i];
    const pgopt_store_timing timing = {t->signature, t->median_ns, t->min_ns,
                                       t->mad_ns,    t->runs,      t->how,
                                       t->date_s,    t->version};
    status = has_unknown(&t->base)
                 ? fail_unknown(error)
                 : pgopt_store_read_timing(store, profile, &timing, error);
  }
  for (size_t i = 0; i < from->n_choices && !status; ++i)
    status = unpack_choice(from->choices[i], store, profile, error);
  return status;
}

pgopt_status pgopt_store_parse_content(const void *bytes, size_t size,
                                       pgopt_store *store, pgopt_error *error) {
  limiter l;
  ProtobufCAllocator allocator = limited(&l, size);
  Pgopt__Store__Content *content =
      pgopt__store__content__unpack(&allocator, size, bytes);
  if (!content)
    return fail_unpack(&l, error);
  pgopt_status status =
      has_unknown(&content->base) ? fail_unknown(error) : PGOPT_OK;
  for (size_t i = 0; i < content->n_profiles && !status; ++i)
    status = unpack_profile(content->profiles[i], store, error);
  pgopt__store__content__free_unpacked(content, &allocator);
  return status;
}

static pgopt_hash hash_content(const void *bytes, size_t size) {
  pgopt_hash hash = pgopt_hash_begin("store");
  pgopt_hash_bytes(&hash, bytes, size);
  return hash;
}

pgopt_status pgopt_store_parse_binary(const void *bytes, size_t size,
                                      pgopt_store *store, pgopt_error *error) {
  static const char begin[] = "\n\013" PGOPT_STORE_MAGIC; // tag, length, text
  if (size < sizeof begin - 1 || memcmp(bytes, begin, sizeof begin - 1))
    return pgopt_fail(error, PGOPT_INVALID,
                      "is not a store: it begins neither with 'pgopt-store' "
                      "nor with '{'");
  limiter l;
  ProtobufCAllocator allocator = limited(&l, size);
  Pgopt__Store__File *file =
      pgopt__store__file__unpack(&allocator, size, bytes);
  if (!file)
    return l.is_exceeded
               ? fail_unpack(&l, error)
               : pgopt_fail(error, PGOPT_INVALID, "is damaged or was cut off");
  pgopt_hash hash = hash_content(file->content.data, file->content.len);
  pgopt_status status;
  if (file->version < 1 || file->version > PGOPT_STORE_VERSION)
    status = pgopt_fail(error, PGOPT_UNSUPPORTED,
                        "has version %u of the format; this pgopt reads "
                        "versions 1 to %d",
                        file->version, PGOPT_STORE_VERSION);
  else if (has_unknown(&file->base))
    status = fail_unknown(error);
  else if (strcmp(file->magic, PGOPT_STORE_MAGIC) ||
           hash.high != file->hash_high || hash.low != file->hash_low)
    status = pgopt_fail(error, PGOPT_INVALID,
                        "is damaged: the content does not have the checksum "
                        "that the file tells");
  else
    status = pgopt_store_parse_content(file->content.data, file->content.len,
                                       store, error);
  if (!status && (int)file->version != pgopt_store_version(store))
    status = pgopt_fail(error, PGOPT_INVALID,
                        "tells version %u of the format, but holds what "
                        "version %d is for",
                        file->version, pgopt_store_version(store));
  pgopt__store__file__free_unpacked(file, &allocator);
  return status;
}

/// Messages that are packed borrow the store's texts.
typedef struct packer {
  pgopt_arena arena;
} packer;

static char *borrow(const char *text) { return (char *)text; }

static Pgopt__Store__Machine *pack_machine(packer *p, const pgopt_machine *m) {
  Pgopt__Store__Machine *to = pgopt_arena_allocate(&p->arena, 1, sizeof *to);
  pgopt__store__machine__init(to);
  to->cpu = borrow(m->cpu);
  to->isa = borrow(m->isa);
  to->blas = borrow(m->blas);
  to->cores = m->cores;
  to->cpus = m->cpus;
  to->peak_mflops = m->peak_mflops;
  to->latency_min_ns = m->latency_min_ns;
  to->latency_max_ns = m->latency_max_ns;
  to->fetch_ps = m->sharing.fetch_ps;
  to->reclaim_ps = m->sharing.reclaim_ps;
  to->wake_ns = m->sharing.wake_ns;
  to->call_ns = m->sharing.call_ns;
  to->shared_peak_mflops = m->sharing.peak_mflops;
  to->shared_read_mb_s = m->sharing.read_mb_s;
  to->date_s = m->date_s;
  to->n_caches = m->cache_count;
  to->caches =
      pgopt_arena_allocate(&p->arena, m->cache_count, sizeof *to->caches);
  for (size_t i = 0; i < m->cache_count; ++i) {
    Pgopt__Store__Cache *c = to->caches[i] =
        pgopt_arena_allocate(&p->arena, 1, sizeof *c);
    pgopt__store__cache__init(c);
    c->level = m->caches[i].level;
    c->bytes = m->caches[i].bytes;
    c->cpus = m->caches[i].cpus;
  }
  to->n_rates = m->rate_count;
  to->rates = pgopt_arena_allocate(&p->arena, m->rate_count, sizeof *to->rates);
  for (size_t i = 0; i < m->rate_count; ++i) {
    Pgopt__Store__Rate *r = to->rates[i] =
        pgopt_arena_allocate(&p->arena, 1, sizeof *r);
    pgopt__store__rate__init(r);
    r->working_set_bytes = m->rates[i].working_set_bytes;
    r->read_mb_s = m->rates[i].read_mb_s;
    r->copy_mb_s = m->rates[i].copy_mb_s;
  }
  return to;
}

static Pgopt__Store__Choice *pack_choice(packer *p,
                                         const pgopt_store_choice *from) {
  Pgopt__Store__Choice *to = pgopt_arena_allocate(&p->arena, 1, sizeof *to);
  pgopt__store__choice__init(to);
  to->signature = borrow(from->signature);
  to->chosen = (uint32_t)from->chosen;
  to->date_s = from->date_s;
  to->version = borrow(from->version);
  to->n_candidates = from->candidate_count;
  to->candidates = pgopt_arena_allocate(&p->arena, from->candidate_count,
                                        sizeof *to->candidates);
  for (size_t i = 0; i < from->candidate_count; ++i) {
    const pgopt_store_candidate *c = &from->candidates[i];
    Pgopt__Store__Candidate *one = to->candidates[i] =
        pgopt_arena_allocate(&p->arena, 1, sizeof *one);
    pgopt__store__candidate__init(one);
    one->variant = borrow(c->variant);
    one->cycles = c->cycles;
    one->median_ns = c->median_ns;
    one->min_ns = c->min_ns;
    one->mad_ns = c->mad_ns;
    one->runs = c->runs;
    one->ratio_ppm = c->ratio_ppm;
    one->chance_ppm = c->chance_ppm;
    one->failure = borrow(c->failure);
  }
  return to;
}

static Pgopt__Store__Profile *pack_profile(packer *p,
                                           const pgopt_store_profile *from) {
  Pgopt__Store__Profile *to = pgopt_arena_allocate(&p->arena, 1, sizeof *to);
  pgopt__store__profile__init(to);
  to->machine = pack_machine(p, &from->machine);
  to->n_timings = from->timing_count;
  to->timings =
      pgopt_arena_allocate(&p->arena, from->timing_count, sizeof *to->timings);
  for (size_t i = 0; i < from->timing_count; ++i) {
    const pgopt_store_timing *t = &from->timings[i];
    Pgopt__Store__Timing *one = to->timings[i] =
        pgopt_arena_allocate(&p->arena, 1, sizeof *one);
    pgopt__store__timing__init(one);
    one->signature = borrow(t->signature);
    one->median_ns = t->median_ns;
    one->min_ns = t->min_ns;
    one->mad_ns = t->mad_ns;
    one->runs = t->runs;
    one->how = borrow(t->how);
    one->date_s = t->date_s;
    one->version = borrow(t->version);
  }
  to->n_choices = from->choice_count;
  to->choices =
      pgopt_arena_allocate(&p->arena, from->choice_count, sizeof *to->choices);
  for (size_t i = 0; i < from->choice_count; ++i)
    to->choices[i] = pack_choice(p, &from->choices[i]);
  return to;
}

void pgopt_store_write_binary(const pgopt_store *store, pgopt_text *bytes) {
  packer p = {0};
  Pgopt__Store__Content content = PGOPT__STORE__CONTENT__INIT;
  content.n_profiles = store->profile_count;
  content.profiles = pgopt_arena_allocate(&p.arena, store->profile_count,
                                          sizeof *content.profiles);
  for (size_t i = 0; i < store->profile_count; ++i)
    content.profiles[i] = pack_profile(&p, &store->profiles[i]);
  size_t size = pgopt__store__content__get_packed_size(&content);
  uint8_t *packed = pgopt_allocate(size, 1);
  pgopt__store__content__pack(&content, packed);
  pgopt_arena_free(&p.arena);
  pgopt_hash hash = hash_content(packed, size);
  Pgopt__Store__File file = PGOPT__STORE__FILE__INIT;
  file.magic = borrow(PGOPT_STORE_MAGIC);
  file.version = (uint32_t)pgopt_store_version(store);
  file.hash_high = hash.high;
  file.hash_low = hash.low;
  file.content = (ProtobufCBinaryData){size, packed};
  size_t whole = pgopt__store__file__get_packed_size(&file);
  uint8_t *all = pgopt_allocate(whole, 1);
  pgopt__store__file__pack(&file, all);
  pgopt_text_append_bytes(bytes, (const char *)all, whole);
  free(all);
  free(packed);
}
