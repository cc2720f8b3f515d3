/// \file oneDNN's convolutions of the same data.
#include "convolution_rival.h"

#ifdef PGOPT_HAVE_DNNL
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARGUMENTS = 4 };

struct convolution_rival {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[ARGUMENTS];
};

static void check(dnnl_status_t status) {
  if (status == dnnl_success)
    return;
  fprintf(stderr, "oneDNN: status %d\n", status);
  exit(1);
}

static void describe(dnnl_memory_desc_t *md, int rank, const dnnl_dims_t dims,
                     dnnl_format_tag_t tag) {
  check(dnnl_memory_desc_init_by_tag(md, rank, dims, dnnl_f32, tag));
}

/// Of the weights, groups in front where there are any. \returns the rank.
static int weight_dims(const convolution *c, dnnl_dims_t dims) {
  int64_t groups = c->groups;
  int rank = 0;
  if (groups > 1)
    dims[rank++] = groups;
  dims[rank++] = c->outputs / groups;
  dims[rank++] = c->inputs / groups;
  dims[rank++] = c->kernel;
  dims[rank++] = c->kernel;
  return rank;
}

/// Null when oneDNN has no such convolution.
static dnnl_primitive_desc_t
describe_primitive(const convolution *c, dnnl_engine_t engine, bool winograd) {
  dnnl_dims_t in = {1, c->inputs, c->size, c->size}, bias = {c->outputs};
  dnnl_dims_t out = {1, c->outputs, convolution_output(c),
                     convolution_output(c)};
  dnnl_dims_t weights;
  int rank = weight_dims(c, weights);
  dnnl_dims_t strides = {c->stride, c->stride};
  dnnl_dims_t padding = {c->padding, c->padding};
  dnnl_memory_desc_t s, w, b, d;
  dnnl_format_tag_t images = winograd ? dnnl_format_tag_any : dnnl_nhwc;
  describe(&s, 4, in, images);
  describe(&w, rank, weights, dnnl_format_tag_any);
  describe(&b, 1, bias, dnnl_a);
  describe(&d, 4, out, images);
  dnnl_convolution_desc_t desc;
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t ops;
  dnnl_primitive_desc_t result = NULL;
  check(dnnl_primitive_attr_create(&attributes));
  check(dnnl_post_ops_create(&ops));
  check(dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0));
  check(dnnl_primitive_attr_set_post_ops(attributes, ops));
  if (dnnl_convolution_forward_desc_init(
          &desc, dnnl_forward_inference,
          winograd ? dnnl_convolution_winograd : dnnl_convolution_direct, &s,
          &w, &b, &d, strides, padding, padding) != dnnl_success ||
      dnnl_primitive_desc_create(&result, &desc, attributes, engine, NULL) !=
          dnnl_success)
    result = NULL;
  check(dnnl_post_ops_destroy(ops));
  check(dnnl_primitive_attr_destroy(attributes));
  return result;
}

/// The weights as the primitive wants them.
static dnnl_memory_t pack_weights(convolution_rival *r, const convolution *c,
                                  float *data, const dnnl_memory_desc_t *to) {
  dnnl_memory_desc_t from;
  dnnl_memory_t plain, packed;
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t reorder;
  dnnl_dims_t dims;
  int rank = weight_dims(c, dims);
  describe(&from, rank, dims, rank == 5 ? dnnl_hwigo : dnnl_hwio);
  check(dnnl_memory_create(&plain, &from, r->engine, data));
  check(dnnl_memory_create(&packed, to, r->engine, DNNL_MEMORY_ALLOCATE));
  check(dnnl_reorder_primitive_desc_create(&desc, &from, r->engine, to,
                                           r->engine, NULL));
  check(dnnl_primitive_create(&reorder, desc));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, packed}};
  check(dnnl_primitive_execute(reorder, r->stream, 2, arguments));
  check(dnnl_stream_wait(r->stream));
  check(dnnl_primitive_destroy(reorder));
  check(dnnl_primitive_desc_destroy(desc));
  check(dnnl_memory_destroy(plain));
  return packed;
}

/// \param data null: memory of its own, of numbers that are not denormal.
static dnnl_memory_t use_memory(convolution_rival *r, dnnl_primitive_desc_t pd,
                                dnnl_query_t which, float *data) {
  dnnl_memory_t memory;
  const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, which, 0);
  check(dnnl_memory_create(&memory, md, r->engine,
                           data ? (void *)data : DNNL_MEMORY_ALLOCATE));
  if (data)
    return memory;
  void *own;
  check(dnnl_memory_get_data_handle(memory, &own));
  for (size_t i = 0; i < dnnl_memory_desc_get_size(md) / sizeof(float); ++i)
    ((float *)own)[i] = (float)(i % 1021) / 1021 - 0.5f;
  return memory;
}

convolution_rival *convolution_rival_create(const convolution *c,
                                            const convolution_data *data,
                                            bool winograd) {
  dnnl_engine_t engine;
  check(dnnl_engine_create(&engine, dnnl_cpu, 0));
  dnnl_primitive_desc_t pd = describe_primitive(c, engine, winograd);
  if (!pd) {
    check(dnnl_engine_destroy(engine));
    return NULL;
  }
  convolution_rival *r = calloc(1, sizeof *r);
  r->engine = engine;
  check(dnnl_stream_create(&r->stream, engine, dnnl_stream_default_flags));
  check(dnnl_primitive_create(&r->primitive, pd));
  r->arguments[0] = (dnnl_exec_arg_t){
      DNNL_ARG_SRC,
      use_memory(r, pd, dnnl_query_src_md, winograd ? NULL : data->image)};
  r->arguments[1] = (dnnl_exec_arg_t){
      DNNL_ARG_WEIGHTS,
      pack_weights(r, c, data->weights,
                   dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0))};
  dnnl_memory_desc_t bias;
  dnnl_dims_t dims = {c->outputs};
  describe(&bias, 1, dims, dnnl_a);
  r->arguments[2].arg = DNNL_ARG_BIAS;
  check(dnnl_memory_create(&r->arguments[2].memory, &bias, engine, data->bias));
  r->arguments[3] = (dnnl_exec_arg_t){
      DNNL_ARG_DST, use_memory(r, pd, dnnl_query_dst_md,
                               winograd ? NULL : data->rival_result)};
  check(dnnl_primitive_desc_destroy(pd));
  return r;
}

void convolution_rival_run(convolution_rival *r) {
  check(
      dnnl_primitive_execute(r->primitive, r->stream, ARGUMENTS, r->arguments));
  check(dnnl_stream_wait(r->stream));
}

void convolution_rival_destroy(convolution_rival *r) {
  if (!r)
    return;
  for (int i = 0; i < ARGUMENTS; ++i)
    check(dnnl_memory_destroy(r->arguments[i].memory));
  check(dnnl_primitive_destroy(r->primitive));
  check(dnnl_stream_destroy(r->stream));
  check(dnnl_engine_destroy(r->engine));
  free(r);
}

#else

convolution_rival *convolution_rival_create(const convolution *c,
                                            const convolution_data *data,
                                            bool winograd) {
  (void)c, (void)data, (void)winograd;
  return 0;
}

void convolution_rival_run(convolution_rival *r) { (void)r; }
void convolution_rival_destroy(convolution_rival *r) { (void)r; }

#endif
