/// \file A primitive of oneDNN with its memory.
#include "memory_onednn.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef PGOPT_HAVE_DNNL
void memory_onednn_check(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", status);
    exit(1);
  }
}

memory_onednn *memory_onednn_create(void) {
  memory_onednn *o = calloc(1, sizeof *o);
  memory_onednn_check(dnnl_engine_create(&o->engine, dnnl_cpu, 0));
  memory_onednn_check(
      dnnl_stream_create(&o->stream, o->engine, dnnl_stream_default_flags));
  return o;
}

void memory_onednn_add(memory_onednn *o, int name,
                       const dnnl_memory_desc_t *type, float *data) {
  dnnl_exec_arg_t *argument = &o->arguments[o->count++];
  argument->arg = name;
  memory_onednn_check(
      dnnl_memory_create(&argument->memory, type, o->engine,
                         data ? (void *)data : DNNL_MEMORY_ALLOCATE));
  if (!data) {
    void *own;
    size_t bytes = dnnl_memory_desc_get_size(type);
    memory_onednn_check(dnnl_memory_get_data_handle(argument->memory, &own));
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
      ((float *)own)[i] = (float)(i % 1021) / 1021 - 0.5f;
  }
}

static void run(void *data) {
  memory_onednn *o = data;
  memory_onednn_check(
      dnnl_primitive_execute(o->primitive, o->stream, o->count, o->arguments));
  memory_onednn_check(dnnl_stream_wait(o->stream));
}

memory_rival memory_onednn_rival(memory_onednn *o) {
  return (memory_rival){"oneDNN", run, o};
}

void memory_rival_destroy(void *data) {
  memory_onednn *o = data;
  for (int i = 0; i < o->count; ++i)
    dnnl_memory_destroy(o->arguments[i].memory);
  dnnl_primitive_destroy(o->primitive);
  dnnl_stream_destroy(o->stream);
  dnnl_engine_destroy(o->engine);
  free(o);
}

const float *memory_rival_result(void *data, const memory_buffers *b) {
  (void)b;
  return ((memory_onednn *)data)->result;
}
#else
void memory_rival_destroy(void *data) { (void)data; }

const float *memory_rival_result(void *data, const memory_buffers *b) {
  (void)data, (void)b;
  return NULL;
}
#endif
