/// \file Who uses each buffer of a Profile graph, and when, under a schedule:
/// what making a memory plan and checking one share.
#ifndef PGOPT_SCHEDULE_BUFFER_USES_H
#define PGOPT_SCHEDULE_BUFFER_USES_H

#include "schedule/happens_before.h"
#include "schedule/memory_plan.h"

typedef struct pgopt_buffer_use {
  size_t node;
  const pgopt_buffer_access *access;
} pgopt_buffer_use;

typedef struct pgopt_buffer_uses {
  const pgopt_memory_request *request;
  pgopt_happens_before order;
  size_t *first;          ///< per buffer, and one more: into `uses`
  pgopt_buffer_use *uses; ///< grouped by buffer, in the order of the graph
} pgopt_buffer_uses;

/// \param[out] uses freed with pgopt_buffer_uses_free; empty on failure.
/// \returns PGOPT_INVALID when the lists cannot run or leave a kernel out.
pgopt_status pgopt_buffer_uses_create(const pgopt_memory_request *request,
                                      pgopt_buffer_uses *uses,
                                      pgopt_error *error);
void pgopt_buffer_uses_free(pgopt_buffer_uses *uses);

/// True when every use of `first` is done before any of `second` begins. With
/// `in_place` a node may use both, where it may write the one over the other,
/// and nodes that touch different elements need no order.
/// \param[out] clash the first two uses that are not so; may be null.
bool pgopt_uses_end_before(const pgopt_buffer_uses *uses, size_t first,
                           size_t second, bool in_place,
                           pgopt_buffer_use clash[2]);

/// Bytes of a buffer rounded up to the alignment; false when they do not fit.
bool pgopt_place_bytes(const pgopt_graph_buffer *buffer, int64_t *bytes);

#endif // PGOPT_SCHEDULE_BUFFER_USES_H
