/// \file The bytes that pass between cores under a schedule.
///
/// The lists are gone through twice in an order in which they can run, with a
/// note for each piece of the arena: who wrote it last, and who has read it
/// since. The first time only makes notes, the second time counts.
#include "schedule/exchange.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "schedule/buffer_uses.h"
#include "schedule/list_walk.h"

#include <stdlib.h>
#include <string.h>

/// Pieces of the arena, at most, and bytes of one, at least: a cache line.
enum { MOST_PIECES = 8192, LINE_BYTES = 64 };
/// Buffers that a memory plan is made for, at most: it takes their square.
enum { MOST_PLANNED = 2000 };

#define NOBODY (-1)

typedef struct watcher {
  const pgopt_profile_graph *graph;
  pgopt_memory_plan plan;
  int64_t piece_bytes;
  int64_t *writer;   ///< per piece: a list, or NOBODY
  uint64_t *readers; ///< per piece: a set of lists, `words` each
  size_t words;
  pgopt_exchange *exchange;
  bool counts;
} watcher;

static bool is_empty(const uint64_t *set, size_t words) {
  for (size_t i = 0; i < words; ++i)
    if (set[i])
      return false;
  return true;
}

/// \returns true when the list did not have the piece.
static bool read_piece(watcher *w, int64_t piece, int64_t list) {
  uint64_t *readers = w->readers + (size_t)piece * w->words;
  uint64_t bit = UINT64_C(1) << list % 64;
  bool is_own = w->writer[piece] == list;
  bool has_it =
      is_own || w->writer[piece] == NOBODY || readers[list / 64] & bit;
  // As long as nobody else has it, the writer's reading changes nothing.
  if (!is_own || !is_empty(readers, w->words))
    readers[list / 64] |= bit;
  return !has_it;
}

/// \returns true when other lists have read the piece.
static bool write_piece(watcher *w, int64_t piece, int64_t list) {
  uint64_t *readers = w->readers + (size_t)piece * w->words;
  readers[list / 64] &= ~(UINT64_C(1) << list % 64);
  bool takes_back = !is_empty(readers, w->words);
  memset(readers, 0, w->words * sizeof *readers);
  w->writer[piece] = list;
  return takes_back;
}

/// Bytes [begin, end) of the arena, of which the node accesses a share.
static void touch(watcher *w, size_t node, int64_t list, bool writes,
                  int64_t begin, int64_t end, double share) {
  double passed = 0;
  for (int64_t i = begin / w->piece_bytes; i * w->piece_bytes < end; ++i) {
    int64_t low = i * w->piece_bytes, high = low + w->piece_bytes;
    double bytes = share * (double)((high < end ? high : end) -
                                    (low > begin ? low : begin));
    if (writes ? write_piece(w, i, list) : read_piece(w, i, list))
      passed += bytes;
  }
  if (w->counts && writes)
    w->exchange->reclaimed[node] += passed;
  else if (w->counts)
    w->exchange->fetched[node] += passed;
}

/// Reads first: a kernel that updates a buffer reads what others wrote.
static void run_node(watcher *w, size_t node, int64_t list) {
  const pgopt_graph_node *n = &w->graph->nodes[node];
  for (int writes = 0; writes < 2; ++writes)
    for (size_t i = 0; i < n->access_count; ++i) {
      const pgopt_buffer_access *a = &w->graph->accesses[n->first_access + i];
      const pgopt_graph_buffer *buffer = &w->graph->buffers[a->buffer];
      int64_t offset = w->plan.offsets[a->buffer], size = buffer->element_bytes;
      const pgopt_buffer_range *range = &a->range;
      if (a->writes != (writes == 1) || offset == PGOPT_NO_PLACE ||
          range->begin >= range->end)
        continue;
      // Of a range in many strips, the buffer from the first to the last one.
      int64_t last = buffer->elements - range->period;
      double share =
          (double)(range->end - range->begin) / (double)range->period;
      touch(w, node, list, a->writes, offset + range->begin * size,
            offset + (last + range->end) * size, last > 0 ? share : 1);
    }
}

static pgopt_status run_lists(watcher *w, const pgopt_core_lists *lists,
                              pgopt_error *error) {
  pgopt_list_walk walk;
  pgopt_walk_step step;
  pgopt_status status = pgopt_list_walk_begin(&walk, lists, error);
  while (status == PGOPT_OK && pgopt_list_walk_next(&walk, &step))
    if (step.event->kind == PGOPT_EVENT_RUN)
      run_node(w, step.event->node, (int64_t)step.core);
  pgopt_status end =
      pgopt_list_walk_end(&walk, status == PGOPT_OK ? error : NULL);
  return status ? status : end;
}

/// One value after the other: no two of them share memory.
static pgopt_status place_apart(const pgopt_profile_graph *graph,
                                pgopt_memory_plan *plan, pgopt_error *error) {
  int64_t bytes;
  *plan = (pgopt_memory_plan){
      .buffer_count = graph->buffer_count,
      .offsets = pgopt_allocate(graph->buffer_count, sizeof *plan->offsets)};
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    plan->offsets[i] = PGOPT_NO_PLACE;
    if (graph->buffers[i].kind != PGOPT_BUFFER_VALUE)
      continue;
    plan->offsets[i] = plan->arena_bytes;
    if (pgopt_place_bytes(&graph->buffers[i], &bytes) &&
        pgopt_checked_add(plan->arena_bytes, bytes, &plan->arena_bytes))
      continue;
    pgopt_memory_plan_free(plan);
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "the bytes of all values do not fit 64 bits");
  }
  return PGOPT_OK;
}

/// The values that no node reads are what the network returns.
static pgopt_status plan_memory(const pgopt_profile_graph *graph,
                                const pgopt_core_lists *lists,
                                pgopt_memory_plan *plan, pgopt_error *error) {
  if (graph->buffer_count > MOST_PLANNED)
    return place_apart(graph, plan, error);
  bool *is_kept = pgopt_allocate(graph->buffer_count, sizeof *is_kept);
  for (size_t i = 0; i < graph->buffer_count; ++i)
    is_kept[i] = true;
  for (size_t i = 0; i < graph->access_count; ++i)
    is_kept[graph->accesses[i].buffer] &= graph->accesses[i].writes;
  const pgopt_memory_request request = {
      .graph = graph, .lists = lists, .is_kept = is_kept, .is_rough = true};
  pgopt_status status = pgopt_memory_plan_create(&request, plan, error);
  free(is_kept);
  return status;
}

/// A line has elements of several nodes: no node fetches more than what its
/// edges to other lists bring.
static void limit_fetched(const pgopt_profile_graph *graph,
                          const pgopt_core_lists *lists, double *fetched) {
  size_t nodes = graph->node_count;
  int64_t *list_of = pgopt_allocate(nodes, sizeof *list_of);
  double *limit = pgopt_allocate(nodes, sizeof *limit);
  for (size_t i = 0; i < lists->count; ++i)
    for (size_t k = 0; k < lists->cores[i].count; ++k)
      if (lists->cores[i].events[k].kind == PGOPT_EVENT_RUN)
        list_of[lists->cores[i].events[k].node] = (int64_t)i;
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    if (list_of[edge->from] != list_of[edge->to])
      limit[edge->to] += (double)edge->bytes;
  }
  for (size_t i = 0; i < nodes; ++i)
    fetched[i] = fetched[i] < limit[i] ? fetched[i] : limit[i];
  free(list_of);
  free(limit);
}

pgopt_status pgopt_exchange_create(const pgopt_profile_graph *graph,
                                   const pgopt_core_lists *lists,
                                   pgopt_exchange *exchange,
                                   pgopt_error *error) {
  size_t nodes = graph->node_count;
  *exchange = (pgopt_exchange){
      .fetched = pgopt_allocate(nodes, sizeof *exchange->fetched),
      .reclaimed = pgopt_allocate(nodes, sizeof *exchange->reclaimed)};
  if (lists->count < 2)
    return PGOPT_OK;
  watcher w = {.graph = graph, .exchange = exchange};
  pgopt_status status = plan_memory(graph, lists, &w.plan, error);
  if (status == PGOPT_OK) {
    w.piece_bytes = (w.plan.arena_bytes / MOST_PIECES / LINE_BYTES + 1) *
                    (int64_t)LINE_BYTES;
    size_t count = (size_t)(w.plan.arena_bytes / w.piece_bytes) + 1;
    w.words = lists->count / 64 + 1;
    w.writer = pgopt_allocate(count, sizeof *w.writer);
    w.readers = pgopt_allocate(count * w.words, sizeof *w.readers);
    for (size_t i = 0; i < count; ++i)
      w.writer[i] = NOBODY;
    status = run_lists(&w, lists, error);
    w.counts = true;
    if (status == PGOPT_OK)
      status = run_lists(&w, lists, error);
    free(w.writer);
    free(w.readers);
    pgopt_memory_plan_free(&w.plan);
    limit_fetched(graph, lists, exchange->fetched);
  }
  if (status != PGOPT_OK)
    pgopt_exchange_free(exchange);
  return status;
}

void pgopt_exchange_free(pgopt_exchange *exchange) {
  free(exchange->fetched);
  free(exchange->reclaimed);
  *exchange = (pgopt_exchange){0};
}
