/// \file The checker of memory plans: values in the order of their places,
/// every two that overlap compared use by use.
#include "schedule/buffer_uses.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct located {
  size_t buffer;
  int64_t begin, end;
} located;

typedef struct checker {
  const pgopt_memory_request *request;
  const pgopt_memory_plan *plan;
  pgopt_buffer_uses uses;
  pgopt_error *error;
} checker;

static int by_place(const void *a, const void *b) {
  const located *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static bool is_unused(const checker *c, size_t buffer) {
  return c->uses.first[buffer] == c->uses.first[buffer + 1];
}

static bool follows(const checker *c, size_t first, size_t second,
                    bool in_place, pgopt_buffer_use clash[2]) {
  return !c->request->is_kept[first] &&
         pgopt_uses_end_before(&c->uses, first, second, in_place, clash);
}

static pgopt_status fail(const checker *c, size_t a, size_t b,
                         const char *reason) {
  const pgopt_graph_buffer *buffers = c->request->graph->buffers;
  return pgopt_fail(c->error, PGOPT_INVALID,
                    "'%.60s' and '%.60s' share memory, though %s",
                    buffers[a].name, buffers[b].name, reason);
}

static pgopt_status check_pair(const checker *c, const located *x,
                               const located *y) {
  const pgopt_profile_graph *graph = c->request->graph;
  size_t a = x->buffer, b = y->buffer;
  if (is_unused(c, a) || is_unused(c, b))
    return fail(c, a, b, "nothing is known of when they are used");
  // The one that is used first, first: only then can the answer be yes.
  if (c->uses.uses[c->uses.first[b]].node < c->uses.uses[c->uses.first[a]].node)
    b = x->buffer, a = y->buffer;
  bool coincide =
      x->begin == y->begin &&
      graph->buffers[a].elements == graph->buffers[b].elements &&
      graph->buffers[a].element_bytes == graph->buffers[b].element_bytes;
  pgopt_buffer_use clash[2];
  if (c->request->is_kept[a] && c->request->is_kept[b])
    return fail(c, a, b, "both are read at the end");
  if (follows(c, a, b, coincide, clash) || follows(c, b, a, coincide, NULL))
    return PGOPT_OK;
  if (c->request->is_kept[a])
    return fail(c, a, b, "the one is read at the end and not the first");
  char reason[192];
  snprintf(reason, sizeof reason,
           "'%.60s' need not be done with the one when '%.60s' uses the other",
           graph->nodes[clash[0].node].function,
           graph->nodes[clash[1].node].function);
  return fail(c, a, b, reason);
}

static pgopt_status locate(const checker *c, located *values, size_t *count) {
  const pgopt_profile_graph *graph = c->request->graph;
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    int64_t bytes, offset = c->plan->offsets[i];
    if (graph->buffers[i].kind != PGOPT_BUFFER_VALUE)
      continue;
    if (!pgopt_place_bytes(&graph->buffers[i], &bytes) || offset < 0 ||
        offset % PGOPT_PLACE_ALIGNMENT || offset > c->plan->arena_bytes - bytes)
      return pgopt_fail(c->error, PGOPT_INVALID,
                        "'%.60s' does not lie in the arena of %lld bytes at a "
                        "multiple of %d",
                        graph->buffers[i].name, (long long)c->plan->arena_bytes,
                        PGOPT_PLACE_ALIGNMENT);
    if (bytes)
      values[(*count)++] = (located){i, offset, offset + bytes};
  }
  qsort(values, *count, sizeof *values, by_place);
  return PGOPT_OK;
}

pgopt_status pgopt_memory_plan_check(const pgopt_memory_request *request,
                                     const pgopt_memory_plan *plan,
                                     pgopt_error *error) {
  checker c = {.request = request, .plan = plan, .error = error};
  pgopt_status status = pgopt_buffer_uses_create(request, &c.uses, error);
  if (status != PGOPT_OK)
    return status;
  size_t count = 0;
  located *values =
      pgopt_allocate(request->graph->buffer_count, sizeof *values);
  status = locate(&c, values, &count);
  for (size_t i = 0; i < count && status == PGOPT_OK; ++i)
    for (size_t k = i + 1;
         k < count && status == PGOPT_OK && values[k].begin < values[i].end;
         ++k)
      status = check_pair(&c, &values[i], &values[k]);
  free(values);
  pgopt_buffer_uses_free(&c.uses);
  return status;
}
