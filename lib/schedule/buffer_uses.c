/// \file Who uses each buffer of a Profile graph, and when.
#include "schedule/buffer_uses.h"

#include "base/checked_math.h"

#include <stdlib.h>

static void collect(const pgopt_profile_graph *graph, pgopt_buffer_uses *uses) {
  size_t buffers = graph->buffer_count;
  uses->first = pgopt_allocate(buffers + 2, sizeof *uses->first);
  uses->uses = pgopt_allocate(graph->access_count, sizeof *uses->uses);
  // Counted one further on, so that filling moves each begin to its place.
  for (size_t i = 0; i < graph->access_count; ++i)
    ++uses->first[graph->accesses[i].buffer + 2];
  for (size_t i = 0; i < buffers; ++i)
    uses->first[i + 2] += uses->first[i + 1];
  for (size_t n = 0; n < graph->node_count; ++n)
    for (size_t i = 0; i < graph->nodes[n].access_count; ++i) {
      const pgopt_buffer_access *access =
          &graph->accesses[graph->nodes[n].first_access + i];
      uses->uses[uses->first[access->buffer + 1]++] =
          (pgopt_buffer_use){n, access};
    }
}

pgopt_status pgopt_buffer_uses_create(const pgopt_memory_request *request,
                                      pgopt_buffer_uses *uses,
                                      pgopt_error *error) {
  const pgopt_profile_graph *graph = request->graph;
  *uses = (pgopt_buffer_uses){.request = request};
  pgopt_status status =
      pgopt_happens_before_create(graph, request->lists, &uses->order, error);
  for (size_t i = 0; i < graph->node_count && status == PGOPT_OK; ++i)
    if (graph->nodes[i].access_count && uses->order.core[i] == PGOPT_NO_CORE)
      status = pgopt_fail(error, PGOPT_INVALID, "no core runs '%.60s'",
                          graph->nodes[i].function);
  if (status == PGOPT_OK)
    collect(graph, uses);
  else
    pgopt_buffer_uses_free(uses);
  return status;
}

void pgopt_buffer_uses_free(pgopt_buffer_uses *uses) {
  pgopt_happens_before_free(&uses->order);
  free(uses->first);
  free(uses->uses);
  *uses = (pgopt_buffer_uses){0};
}

/// The overwrites are sorted by node.
static bool may_overwrite(const pgopt_memory_request *request, size_t node,
                          size_t read, size_t written) {
  size_t low = 0, high = request->overwrite_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (request->overwrites[middle].node < node)
      low = middle + 1;
    else
      high = middle;
  }
  for (;
       low < request->overwrite_count && request->overwrites[low].node == node;
       ++low)
    if (request->overwrites[low].read == read &&
        request->overwrites[low].written == written)
      return true;
  return false;
}

static bool is_in_order(const pgopt_buffer_uses *uses,
                        const pgopt_buffer_use *a, const pgopt_buffer_use *b,
                        bool in_place) {
  if (a->node == b->node)
    return in_place && may_overwrite(uses->request, a->node, a->access->buffer,
                                     b->access->buffer);
  if (pgopt_is_before(&uses->order, a->node, b->node))
    return true;
  return in_place &&
         !pgopt_range_overlap(
             &a->access->range, &b->access->range,
             uses->request->graph->buffers[a->access->buffer].elements);
}

bool pgopt_uses_end_before(const pgopt_buffer_uses *uses, size_t first,
                           size_t second, bool in_place,
                           pgopt_buffer_use clash[2]) {
  for (size_t a = uses->first[first]; a < uses->first[first + 1]; ++a)
    for (size_t b = uses->first[second]; b < uses->first[second + 1]; ++b) {
      if (is_in_order(uses, &uses->uses[a], &uses->uses[b], in_place))
        continue;
      if (clash) {
        clash[0] = uses->uses[a];
        clash[1] = uses->uses[b];
      }
      return false;
    }
  return true;
}

bool pgopt_place_bytes(const pgopt_graph_buffer *buffer, int64_t *bytes) {
  int64_t exact;
  if (!pgopt_checked_multiply(buffer->elements, buffer->element_bytes,
                              &exact) ||
      !pgopt_checked_add(exact, PGOPT_PLACE_ALIGNMENT - 1, &exact))
    return false;
  *bytes = exact / PGOPT_PLACE_ALIGNMENT * PGOPT_PLACE_ALIGNMENT;
  return true;
}
