/// \file Memory plans.
///
/// Values that lie on one another (the one is written over the other in place)
/// make one block. Two blocks must not overlap unless all uses of the one are
/// done before any use of the other begins; this is decided from summaries of
/// their uses, one number a core. Blocks get their places one by one, each the
/// smallest gap between the places of those that it must not overlap: best fit,
/// by size (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net
/// Inference, 2020), by size times lifetime, or as they come into use. Where
/// the best of these is above the bound, the block that ends last comes first
/// in the order of the next round, as long as rounds are cheap.
#include "schedule/buffer_uses.h"

#include "base/checked_math.h"

#include <stdlib.h>
#include <string.h>

typedef struct block {
  int64_t bytes, offset;
  size_t begin, end; ///< the first and the last node that uses it
  bool is_kept;
  uint32_t *first, *last;             ///< per core: places in its list of the
                                      ///< first and last node that uses it
  uint32_t *least_known, *most_known; ///< per core: over all its uses
} block;

typedef struct planner {
  const pgopt_memory_request *request;
  pgopt_buffer_uses uses;
  size_t *block_of; ///< per buffer
  size_t *next;     ///< per buffer: another one in the same block, a ring
  block *blocks;    ///< at the index of one of its values
  size_t *heads;    ///< the indices of all blocks
  size_t head_count;
  size_t *by_offset; ///< blocks that have a place
  size_t placed;
  size_t work; ///< pairs of blocks looked at, times cores
} planner;

/// Rounds that improve an order, and when to stop trying: about 0.3 s.
enum { ROUNDS = 50, MAX_WORK = 60 * 1000 * 1000 };

static bool is_value(const planner *p, size_t buffer) {
  return p->request->graph->buffers[buffer].kind == PGOPT_BUFFER_VALUE;
}

static bool is_unused(const planner *p, size_t buffer) {
  return p->uses.first[buffer] == p->uses.first[buffer + 1];
}

/// True when no value of the block of `read` is in use any more when `written`
/// comes into use, in place where that is allowed.
static bool may_join(const planner *p, size_t read, size_t written) {
  const pgopt_graph_buffer *a = &p->request->graph->buffers[read];
  const pgopt_graph_buffer *b = &p->request->graph->buffers[written];
  if (!is_value(p, read) || !is_value(p, written) ||
      p->next[written] != written ||
      p->block_of[read] == p->block_of[written] || a->elements != b->elements ||
      a->element_bytes != b->element_bytes)
    return false;
  size_t member = read;
  do {
    if (p->request->is_kept[member] ||
        !pgopt_uses_end_before(&p->uses, member, written, true, NULL))
      return false;
    member = p->next[member];
  } while (member != read);
  return true;
}

static void join_in_place(planner *p, pgopt_memory_plan *plan) {
  for (size_t i = 0; i < p->request->overwrite_count; ++i) {
    const pgopt_overwrite *o = &p->request->overwrites[i];
    if (!may_join(p, o->read, o->written))
      continue;
    p->block_of[o->written] = p->block_of[o->read];
    p->next[o->written] = p->next[o->read];
    p->next[o->read] = o->written;
    ++plan->in_place_count;
  }
}

static void summarize(planner *p, block *b, size_t buffer) {
  const pgopt_happens_before *order = &p->uses.order;
  b->is_kept |= p->request->is_kept[buffer];
  for (size_t u = p->uses.first[buffer]; u < p->uses.first[buffer + 1]; ++u) {
    size_t node = p->uses.uses[u].node, core = (size_t)order->core[node];
    b->begin = node < b->begin ? node : b->begin;
    b->end = node > b->end ? node : b->end;
    if (order->place[node] < b->first[core])
      b->first[core] = order->place[node];
    if (order->place[node] > b->last[core])
      b->last[core] = order->place[node];
    for (size_t c = 0; c < order->cores; ++c) {
      uint32_t known = pgopt_known_done(order, node, c);
      if (known < b->least_known[c])
        b->least_known[c] = known;
      if (known > b->most_known[c])
        b->most_known[c] = known;
    }
  }
}

/// Makes the blocks. One that nobody uses is in use all the time: as long as
/// the first node has not begun and behind the last one.
static void make_blocks(planner *p) {
  const pgopt_profile_graph *graph = p->request->graph;
  size_t cores = p->uses.order.cores;
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    if (!is_value(p, i))
      continue;
    block *b = &p->blocks[p->block_of[i]];
    if (!b->first) {
      p->heads[p->head_count++] = p->block_of[i];
      b->first = pgopt_allocate(cores * 4, sizeof *b->first);
      b->last = b->first + cores;
      b->least_known = b->last + cores;
      b->most_known = b->least_known + cores;
      memset(b->first, 0xff, cores * sizeof *b->first);
      memset(b->least_known, 0xff, cores * sizeof *b->least_known);
      b->begin = graph->node_count;
      // In place, all have the same size; checked before.
      pgopt_place_bytes(&graph->buffers[i], &b->bytes);
    }
    summarize(p, b, i);
    if (is_unused(p, i)) {
      b->begin = 0;
      b->end = graph->node_count;
      b->is_kept = true;
      memset(b->first, 0, cores * sizeof *b->first);
      memset(b->least_known, 0, cores * sizeof *b->least_known);
    }
  }
}

static bool ends_before(const planner *p, const block *a, const block *b) {
  if (a->is_kept)
    return false;
  for (size_t c = 0; c < p->uses.order.cores; ++c)
    if (a->last[c] > b->least_known[c])
      return false;
  return true;
}

static bool may_overlap(const planner *p, size_t a, size_t b) {
  const block *x = &p->blocks[a], *y = &p->blocks[b];
  return ends_before(p, x, y) || ends_before(p, y, x);
}

/// Gives the block the smallest gap that it fits in, the first of these.
static void place(planner *p, size_t index) {
  block *b = &p->blocks[index];
  int64_t end = 0, best = -1, smallest = INT64_MAX;
  for (size_t i = 0; i < p->placed; ++i) {
    const block *other = &p->blocks[p->by_offset[i]];
    if (other->offset + other->bytes <= end ||
        may_overlap(p, index, p->by_offset[i]))
      continue;
    int64_t gap = other->offset - end;
    if (gap >= b->bytes && gap < smallest) {
      best = end;
      smallest = gap;
    }
    end = other->offset + other->bytes;
  }
  b->offset = best < 0 ? end : best;
  size_t at = p->placed++;
  for (; at && p->blocks[p->by_offset[at - 1]].offset > b->offset; --at)
    p->by_offset[at] = p->by_offset[at - 1];
  p->by_offset[at] = index;
}

/// A block in an order of placing: the largest key first, then as they come
/// into use.
typedef struct candidate {
  double key;
  size_t begin, index;
} candidate;

static int by_key(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->key != y->key)
    return x->key > y->key ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static double key_size(const block *b) { return (double)b->bytes; }

static double key_size_and_lifetime(const block *b) {
  return (double)b->bytes * (double)(b->end - b->begin + 1);
}

static double key_begin(const block *b) { return -(double)b->begin; }

static void sort_blocks(const planner *p, double (*key)(const block *),
                        size_t *order) {
  candidate *sorted = pgopt_allocate(p->head_count, sizeof *sorted);
  for (size_t i = 0; i < p->head_count; ++i) {
    const block *b = &p->blocks[p->heads[i]];
    sorted[i] = (candidate){key(b), b->begin, p->heads[i]};
  }
  qsort(sorted, p->head_count, sizeof *sorted, by_key);
  for (size_t i = 0; i < p->head_count; ++i)
    order[i] = sorted[i].index;
  free(sorted);
}

/// Places all blocks in the order; keeps what that gives when it is the best so
/// far. \returns the position of the first block that ends last.
static size_t place_all(planner *p, const size_t *order,
                        pgopt_memory_plan *plan) {
  int64_t bytes = 0;
  size_t top = 0;
  p->placed = 0;
  for (size_t i = 0; i < p->head_count; ++i) {
    const block *b = &p->blocks[order[i]];
    place(p, order[i]);
    if (b->offset + b->bytes <= bytes)
      continue;
    bytes = b->offset + b->bytes;
    top = i;
  }
  p->work += p->head_count * p->head_count * p->uses.order.cores;
  if (bytes >= plan->arena_bytes)
    return top;
  plan->arena_bytes = bytes;
  for (size_t i = 0; i < plan->buffer_count; ++i)
    plan->offsets[i] =
        is_value(p, i) ? p->blocks[p->block_of[i]].offset : PGOPT_NO_PLACE;
  return top;
}

static void move_to_front(size_t *order, size_t position) {
  size_t moved = order[position];
  memmove(order + 1, order, position * sizeof *order);
  order[0] = moved;
}

static bool goes_on(const planner *p, const pgopt_memory_plan *plan) {
  return !p->request->is_rough && plan->arena_bytes > plan->bound_bytes &&
         p->work < MAX_WORK;
}

/// Tries orders until the bound is reached or enough is done.
static void choose_places(planner *p, pgopt_memory_plan *plan) {
  static double (*const keys[])(const block *) = {
      key_size, key_size_and_lifetime, key_begin};
  enum { KEYS = sizeof keys / sizeof *keys };
  size_t *order = pgopt_allocate(p->head_count, sizeof *order);
  plan->arena_bytes = INT64_MAX;
  for (size_t i = 0; i < KEYS && (!i || goes_on(p, plan)); ++i) {
    sort_blocks(p, keys[i], order);
    place_all(p, order, plan);
  }
  for (size_t i = 0; i < KEYS && goes_on(p, plan); ++i) {
    sort_blocks(p, keys[i], order);
    for (int round = 0; round < ROUNDS && goes_on(p, plan); ++round)
      move_to_front(order, place_all(p, order, plan));
  }
  free(order);
}

/// True when some use of the block is done before the node or at it, and some
/// use is still to come or at it. All such blocks need memory of their own: of
/// no two of them all uses of the one come before all of the other.
static bool is_in_use(const pgopt_happens_before *order, const block *b,
                      size_t node) {
  size_t core = (size_t)order->core[node];
  uint32_t place = order->place[node];
  bool begun = b->first[core] <= place;
  for (size_t c = 0; c < order->cores && !begun; ++c)
    begun = b->first[c] <= pgopt_known_done(order, node, c);
  return begun &&
         (b->is_kept || b->last[core] >= place || b->most_known[core] >= place);
}

static int64_t most_in_use(const planner *p) {
  int64_t most = 0;
  for (size_t i = 0; i < p->head_count; ++i)
    if (p->blocks[p->heads[i]].is_kept)
      most += p->blocks[p->heads[i]].bytes;
  for (size_t n = 0; n < p->request->graph->node_count; ++n) {
    int64_t bytes = 0;
    if (p->uses.order.core[n] == PGOPT_NO_CORE)
      continue;
    for (size_t i = 0; i < p->head_count; ++i)
      if (is_in_use(&p->uses.order, &p->blocks[p->heads[i]], n))
        bytes += p->blocks[p->heads[i]].bytes;
    most = bytes > most ? bytes : most;
  }
  return most;
}

static pgopt_status sum_values(const planner *p, pgopt_memory_plan *plan,
                               pgopt_error *error) {
  const pgopt_profile_graph *graph = p->request->graph;
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    int64_t bytes;
    if (!is_value(p, i))
      continue;
    ++plan->value_count;
    if (!pgopt_place_bytes(&graph->buffers[i], &bytes) ||
        !pgopt_checked_add(plan->values_bytes, bytes, &plan->values_bytes))
      return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                        "the bytes of all values do not fit 64 bits");
  }
  return PGOPT_OK;
}

static void plan_places(planner *p, pgopt_memory_plan *plan) {
  size_t buffers = plan->buffer_count;
  p->block_of = pgopt_allocate(buffers, sizeof *p->block_of);
  p->next = pgopt_allocate(buffers, sizeof *p->next);
  p->blocks = pgopt_allocate(buffers, sizeof *p->blocks);
  p->heads = pgopt_allocate(buffers, sizeof *p->heads);
  p->by_offset = pgopt_allocate(buffers, sizeof *p->by_offset);
  for (size_t i = 0; i < buffers; ++i)
    p->block_of[i] = p->next[i] = i;
  join_in_place(p, plan);
  make_blocks(p);
  plan->bound_bytes = most_in_use(p);
  choose_places(p, plan);
  for (size_t i = 0; i < buffers; ++i)
    free(p->blocks[i].first);
  free(p->block_of);
  free(p->next);
  free(p->blocks);
  free(p->heads);
  free(p->by_offset);
}

pgopt_status pgopt_memory_plan_create(const pgopt_memory_request *request,
                                      pgopt_memory_plan *plan,
                                      pgopt_error *error) {
  planner p = {.request = request};
  *plan = (pgopt_memory_plan){.buffer_count = request->graph->buffer_count};
  pgopt_status status = sum_values(&p, plan, error);
  if (status == PGOPT_OK)
    status = pgopt_buffer_uses_create(request, &p.uses, error);
  if (status != PGOPT_OK) {
    *plan = (pgopt_memory_plan){0};
    return status;
  }
  plan->offsets = pgopt_allocate(plan->buffer_count, sizeof *plan->offsets);
  plan_places(&p, plan);
  pgopt_buffer_uses_free(&p.uses);
  return PGOPT_OK;
}

void pgopt_memory_plan_free(pgopt_memory_plan *plan) {
  free(plan->offsets);
  *plan = (pgopt_memory_plan){0};
}
