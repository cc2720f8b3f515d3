/// \file oneDNN's kernels for the same cases.
#include "memory_cases.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef PGOPT_HAVE_DNNL
#include <dnnl.h>

enum { MAX_ARGUMENTS = 4 };

typedef struct onednn {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  int count;
  dnnl_exec_arg_t arguments[MAX_ARGUMENTS];
  float *result; ///< in the case's layout; else null
} onednn;

static void check(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", status);
    exit(1);
  }
}

/// `data` null: memory of its own.
static void add(onednn *o, int name, const dnnl_memory_desc_t *type,
                float *data) {
  dnnl_exec_arg_t *argument = &o->arguments[o->count++];
  argument->arg = name;
  check(dnnl_memory_create(&argument->memory, type, o->engine,
                           data ? (void *)data : DNNL_MEMORY_ALLOCATE));
  if (!data) {
    void *own;
    size_t bytes = dnnl_memory_desc_get_size(type);
    check(dnnl_memory_get_data_handle(argument->memory, &own));
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
      ((float *)own)[i] = (float)(i % 1021) / 1021 - 0.5f;
  }
}

static void create_depthwise(onednn *o, const memory_case *c,
                             const memory_buffers *b, const dnnl_dims_t in,
                             const dnnl_dims_t out) {
  dnnl_dims_t weights = {c->channels, 1, 1, c->window, c->window};
  dnnl_dims_t strides = {c->stride, c->stride}, bias = {c->channels};
  dnnl_dims_t padding = {c->padding, c->padding};
  dnnl_memory_desc_t s, w, v, d;
  check(dnnl_memory_desc_init_by_tag(&s, 4, in, dnnl_f32, dnnl_format_tag_any));
  check(
      dnnl_memory_desc_init_by_tag(&d, 4, out, dnnl_f32, dnnl_format_tag_any));
  check(dnnl_memory_desc_init_by_tag(&w, 5, weights, dnnl_f32,
                                     dnnl_format_tag_any));
  check(dnnl_memory_desc_init_by_tag(&v, 1, bias, dnnl_f32, dnnl_a));
  dnnl_convolution_desc_t desc;
  check(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_inference,
                                           dnnl_convolution_direct, &s, &w, &v,
                                           &d, strides, padding, padding));
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t behind;
  check(dnnl_primitive_attr_create(&attributes));
  check(dnnl_post_ops_create(&behind));
  check(dnnl_post_ops_append_eltwise(behind, 1, dnnl_eltwise_relu, 0, 0));
  check(dnnl_primitive_attr_set_post_ops(attributes, behind));
  dnnl_primitive_desc_t made;
  check(dnnl_primitive_desc_create(&made, &desc, attributes, o->engine, NULL));
  check(dnnl_primitive_create(&o->primitive, made));
  add(o, DNNL_ARG_SRC, dnnl_primitive_desc_query_md(made, dnnl_query_src_md, 0),
      NULL);
  add(o, DNNL_ARG_WEIGHTS,
      dnnl_primitive_desc_query_md(made, dnnl_query_weights_md, 0), NULL);
  add(o, DNNL_ARG_BIAS, &v, b->data[2]);
  add(o, DNNL_ARG_DST, dnnl_primitive_desc_query_md(made, dnnl_query_dst_md, 0),
      NULL);
  dnnl_primitive_desc_destroy(made);
  dnnl_post_ops_destroy(behind);
  dnnl_primitive_attr_destroy(attributes);
}

static void create_pool(onednn *o, const memory_case *c,
                        const memory_buffers *b, const dnnl_dims_t in,
                        const dnnl_dims_t out) {
  dnnl_dims_t strides = {c->stride, c->stride};
  dnnl_dims_t window = {c->window, c->window};
  dnnl_dims_t padding = {c->padding, c->padding};
  dnnl_memory_desc_t s, d;
  check(dnnl_memory_desc_init_by_tag(&s, 4, in, dnnl_f32, dnnl_nhwc));
  check(dnnl_memory_desc_init_by_tag(&d, 4, out, dnnl_f32, dnnl_nhwc));
  dnnl_pooling_desc_t desc;
  check(dnnl_pooling_forward_desc_init(
      &desc, dnnl_forward_inference,
      c->kind == MEMORY_POOL_MAX ? dnnl_pooling_max
                                 : dnnl_pooling_avg_exclude_padding,
      &s, &d, strides, window, padding, padding));
  dnnl_primitive_desc_t made;
  check(dnnl_primitive_desc_create(&made, &desc, NULL, o->engine, NULL));
  check(dnnl_primitive_create(&o->primitive, made));
  add(o, DNNL_ARG_SRC, &s, b->data[0]);
  add(o, DNNL_ARG_DST, &d, b->data[b->count - 1]);
  o->result = c->kind == MEMORY_POOL_MAX ? b->data[b->count - 1] : NULL;
  dnnl_primitive_desc_destroy(made);
}

static void run(void *data) {
  onednn *o = data;
  check(
      dnnl_primitive_execute(o->primitive, o->stream, o->count, o->arguments));
  check(dnnl_stream_wait(o->stream));
}

bool memory_rival_create(const memory_case *c, const memory_buffers *b,
                         memory_rival *rival) {
  onednn *o = calloc(1, sizeof *o);
  dnnl_dims_t in = {1, c->channels, c->rows, c->columns};
  dnnl_dims_t out = {1, c->channels,
                     (c->rows + 2 * c->padding - c->window) / c->stride + 1,
                     (c->columns + 2 * c->padding - c->window) / c->stride + 1};
  check(dnnl_engine_create(&o->engine, dnnl_cpu, 0));
  check(dnnl_stream_create(&o->stream, o->engine, dnnl_stream_default_flags));
  if (c->kind == MEMORY_DEPTHWISE)
    create_depthwise(o, c, b, in, out);
  else
    create_pool(o, c, b, in, out);
  *rival = (memory_rival){"oneDNN", run, o};
  return true;
}

void memory_rival_destroy(void *data) {
  onednn *o = data;
  for (int i = 0; i < o->count; ++i)
    dnnl_memory_destroy(o->arguments[i].memory);
  dnnl_primitive_destroy(o->primitive);
  dnnl_stream_destroy(o->stream);
  dnnl_engine_destroy(o->engine);
  free(o);
}

const float *memory_rival_result(void *data, const memory_buffers *b) {
  (void)b;
  return ((onednn *)data)->result;
}

#else
bool memory_rival_create(const memory_case *c, const memory_buffers *b,
                         memory_rival *rival) {
  (void)c, (void)b, (void)rival;
  return false;
}

void memory_rival_destroy(void *data) { (void)data; }

const float *memory_rival_result(void *data, const memory_buffers *b) {
  (void)data, (void)b;
  return NULL;
}
#endif
