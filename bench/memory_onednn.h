/// \file A primitive of oneDNN with its memory, for bench/memory.
#ifndef PGOPT_BENCH_MEMORY_ONEDNN_H
#define PGOPT_BENCH_MEMORY_ONEDNN_H

#include "memory_cases.h"

#ifdef PGOPT_HAVE_DNNL
#include <dnnl.h>

enum { MEMORY_ONEDNN_MAX_ARGUMENTS = 6 };

typedef struct memory_onednn {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  int count;
  dnnl_exec_arg_t arguments[MEMORY_ONEDNN_MAX_ARGUMENTS];
  float *result; ///< in the case's layout; else null
} memory_onednn;

/// Ends the program when the call has failed.
void memory_onednn_check(dnnl_status_t status);
/// On one stream, without a primitive.
memory_onednn *memory_onednn_create(void);
/// Adds an argument of the primitive. `data` null: memory of its own.
void memory_onednn_add(memory_onednn *o, int name,
                       const dnnl_memory_desc_t *type, float *data);
memory_rival memory_onednn_rival(memory_onednn *o);
#endif

#endif // PGOPT_BENCH_MEMORY_ONEDNN_H
