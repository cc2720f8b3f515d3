/// \file oneDNN's kernels for what moves memory.
#include "memory_onednn.h"
#include "memory_streams.h"

#ifdef PGOPT_HAVE_DNNL
static dnnl_memory_desc_t type_of(int rank, const int64_t *extents,
                                  const int64_t *strides) {
  dnnl_memory_desc_t type;
  dnnl_dims_t all = {0}, steps = {0};
  for (int d = 0; d < rank; ++d) {
    all[d] = extents[d];
    steps[d] = strides[d];
  }
  memory_onednn_check(
      dnnl_memory_desc_init_by_strides(&type, rank, all, dnnl_f32, steps));
  return type;
}

static dnnl_memory_desc_t matrix(int64_t rows, int64_t columns) {
  return type_of(2, (int64_t[]){rows, columns}, (int64_t[]){columns, 1});
}

/// Pixels whose channels are last, as an image of one row.
static dnnl_memory_desc_t pixels(int64_t count, int64_t channels) {
  return type_of(4, (int64_t[]){1, channels, 1, count},
                 (int64_t[]){count * channels, 1, count * channels, channels});
}

static void make(memory_onednn *o, const void *desc,
                 const_dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t made;
  memory_onednn_check(
      dnnl_primitive_desc_create(&made, desc, attributes, o->engine, NULL));
  memory_onednn_check(dnnl_primitive_create(&o->primitive, made));
  dnnl_primitive_desc_destroy(made);
}

static void make_of(memory_onednn *o, dnnl_primitive_desc_t made) {
  memory_onednn_check(dnnl_primitive_create(&o->primitive, made));
  dnnl_primitive_desc_destroy(made);
}

static void add_ends(memory_onednn *o, const memory_buffers *b,
                     const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y) {
  memory_onednn_add(o, DNNL_ARG_SRC, x, b->data[0]);
  memory_onednn_add(o, DNNL_ARG_DST, y, b->data[b->count - 1]);
}

static void create_map(memory_onednn *o, const memory_stream *s,
                       const memory_buffers *b, dnnl_alg_kind_t kind) {
  dnnl_memory_desc_t x = matrix(s->e[0], s->e[1]);
  dnnl_eltwise_desc_t desc;
  memory_onednn_check(dnnl_eltwise_forward_desc_init(
      &desc, dnnl_forward_inference, kind, &x, 0, 0));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &x);
}

static void create_add_relu(memory_onednn *o, const memory_stream *s,
                            const memory_buffers *b) {
  dnnl_memory_desc_t x = matrix(s->e[0], s->e[1]);
  dnnl_binary_desc_t desc;
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t behind;
  memory_onednn_check(
      dnnl_binary_desc_init(&desc, dnnl_binary_add, &x, &x, &x));
  memory_onednn_check(dnnl_primitive_attr_create(&attributes));
  memory_onednn_check(dnnl_post_ops_create(&behind));
  memory_onednn_check(
      dnnl_post_ops_append_eltwise(behind, 1, dnnl_eltwise_relu, 0, 0));
  memory_onednn_check(dnnl_primitive_attr_set_post_ops(attributes, behind));
  make(o, &desc, attributes);
  dnnl_post_ops_destroy(behind);
  dnnl_primitive_attr_destroy(attributes);
  memory_onednn_add(o, DNNL_ARG_SRC_0, &x, b->data[0]);
  memory_onednn_add(o, DNNL_ARG_SRC_1, &x, b->data[1]);
  memory_onednn_add(o, DNNL_ARG_DST, &x, b->data[2]);
}

/// With means and variances of its own.
static void create_scale_shift(memory_onednn *o, const memory_stream *s,
                               const memory_buffers *b) {
  dnnl_memory_desc_t x = pixels(s->e[0], s->e[1]);
  dnnl_memory_desc_t row = type_of(1, &s->e[1], (int64_t[]){1});
  dnnl_batch_normalization_desc_t desc;
  memory_onednn_check(dnnl_batch_normalization_forward_desc_init(
      &desc, dnnl_forward_inference, &x, 1e-5f,
      dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &x);
  memory_onednn_add(o, DNNL_ARG_MEAN, &row, NULL);
  memory_onednn_add(o, DNNL_ARG_VARIANCE, &row, NULL);
  memory_onednn_add(o, DNNL_ARG_SCALE, &row, b->data[1]);
  memory_onednn_add(o, DNNL_ARG_SHIFT, &row, b->data[2]);
  o->result = NULL;
}

static void create_reduction(memory_onednn *o, const memory_stream *s,
                             const memory_buffers *b, dnnl_alg_kind_t kind) {
  int64_t from[3] = {s->e[0], s->e[1], s->e[2] ? s->e[2] : 1};
  int64_t to[3] = {from[0], 1, from[2]};
  dnnl_memory_desc_t x =
      type_of(3, from, (int64_t[]){from[1] * from[2], from[2], 1});
  dnnl_memory_desc_t y = type_of(3, to, (int64_t[]){to[2], to[2], 1});
  dnnl_reduction_desc_t desc;
  memory_onednn_check(dnnl_reduction_desc_init(&desc, kind, &x, &y, 0, 0));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &y);
}

static void create_softmax(memory_onednn *o, const memory_stream *s,
                           const memory_buffers *b) {
  dnnl_memory_desc_t x = matrix(s->e[0], s->e[1]);
  dnnl_softmax_desc_t desc;
  memory_onednn_check(
      dnnl_softmax_forward_desc_init(&desc, dnnl_forward_inference, &x, 1));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &x);
}

static void create_layer_norm(memory_onednn *o, const memory_stream *s,
                              const memory_buffers *b) {
  dnnl_memory_desc_t x = matrix(s->e[0], s->e[1]);
  dnnl_memory_desc_t row = type_of(1, &s->e[1], (int64_t[]){1});
  dnnl_layer_normalization_desc_t desc;
  memory_onednn_check(dnnl_layer_normalization_forward_desc_init(
      &desc, dnnl_forward_inference, &x, NULL, 1e-5f,
      dnnl_use_scale | dnnl_use_shift));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &x);
  memory_onednn_add(o, DNNL_ARG_SCALE, &row, b->data[1]);
  memory_onednn_add(o, DNNL_ARG_SHIFT, &row, b->data[2]);
}

static void create_lrn(memory_onednn *o, const memory_stream *s,
                       const memory_buffers *b) {
  dnnl_memory_desc_t x = pixels(s->e[0], s->e[1]);
  dnnl_lrn_desc_t desc;
  memory_onednn_check(dnnl_lrn_forward_desc_init(&desc, dnnl_forward_inference,
                                                 dnnl_lrn_across_channels, &x,
                                                 5, 1e-4f, 0.75f, 1));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &x);
}

static void create_concat(memory_onednn *o, const memory_stream *s,
                          const memory_buffers *b) {
  dnnl_memory_desc_t x[2] = {matrix(s->e[0], s->e[1]),
                             matrix(s->e[0], s->e[2])};
  dnnl_memory_desc_t y = matrix(s->e[0], s->e[3]);
  dnnl_primitive_desc_t made;
  memory_onednn_check(
      dnnl_concat_primitive_desc_create(&made, &y, 2, 1, x, NULL, o->engine));
  make_of(o, made);
  memory_onednn_add(o, DNNL_ARG_MULTIPLE_SRC, &x[0], b->data[0]);
  memory_onednn_add(o, DNNL_ARG_MULTIPLE_SRC + 1, &x[1], b->data[1]);
  memory_onednn_add(o, DNNL_ARG_DST, &y, b->data[2]);
}

/// A reorder: the same dimensions, the result's strides in another order.
static void create_reorder(memory_onednn *o, const memory_stream *s,
                           const memory_buffers *b) {
  const int64_t *e = s->e;
  dnnl_memory_desc_t x = type_of(3, e, (int64_t[]){e[1] * e[2], e[2], 1});
  dnnl_memory_desc_t y = s->peer == MEMORY_PEER_HEADS
                             ? type_of(3, e, (int64_t[]){e[2], e[0] * e[2], 1})
                             : type_of(3, e, (int64_t[]){e[1] * e[2], 1, e[1]});
  dnnl_primitive_desc_t made;
  memory_onednn_check(dnnl_reorder_primitive_desc_create(&made, &x, o->engine,
                                                         &y, o->engine, NULL));
  make_of(o, made);
  memory_onednn_add(o, DNNL_ARG_FROM, &x, b->data[0]);
  memory_onednn_add(o, DNNL_ARG_TO, &y, b->data[1]);
}

static void create_resize(memory_onednn *o, const memory_stream *s,
                          const memory_buffers *b, dnnl_alg_kind_t kind) {
  int64_t c = s->e[2], n = s->e[3];
  dnnl_dims_t from = {1, c, s->e[0], s->e[1]}, to = {1, c, n, n};
  dnnl_memory_desc_t x =
      type_of(4, from, (int64_t[]){from[2] * from[3] * c, 1, from[3] * c, c});
  dnnl_memory_desc_t y = type_of(4, to, (int64_t[]){n * n * c, 1, n * c, c});
  dnnl_resampling_desc_t desc;
  memory_onednn_check(dnnl_resampling_forward_desc_init(
      &desc, dnnl_forward_inference, kind, NULL, &x, &y));
  make(o, &desc, NULL);
  add_ends(o, b, &x, &y);
}

bool memory_stream_rival_create(const memory_stream *s, const memory_buffers *b,
                                memory_rival *rival) {
  if (s->peer == MEMORY_PEER_NONE)
    return false;
  memory_onednn *o = memory_onednn_create();
  o->result = b->data[b->count - 1];
  switch (s->peer) {
  case MEMORY_PEER_NONE:
    break;
  case MEMORY_PEER_RELU:
    create_map(o, s, b, dnnl_eltwise_relu);
    break;
  case MEMORY_PEER_SIGMOID:
    create_map(o, s, b, dnnl_eltwise_logistic);
    break;
  case MEMORY_PEER_GELU:
    create_map(o, s, b, dnnl_eltwise_gelu_erf);
    break;
  case MEMORY_PEER_EXP:
    create_map(o, s, b, dnnl_eltwise_exp);
    break;
  case MEMORY_PEER_TANH:
    create_map(o, s, b, dnnl_eltwise_tanh);
    break;
  case MEMORY_PEER_ADD_RELU:
    create_add_relu(o, s, b);
    break;
  case MEMORY_PEER_SCALE_SHIFT:
    create_scale_shift(o, s, b);
    break;
  case MEMORY_PEER_SUM:
    create_reduction(o, s, b, dnnl_reduction_sum);
    break;
  case MEMORY_PEER_MAX:
    create_reduction(o, s, b, dnnl_reduction_max);
    break;
  case MEMORY_PEER_MEAN:
    create_reduction(o, s, b, dnnl_reduction_mean);
    break;
  case MEMORY_PEER_SOFTMAX:
    create_softmax(o, s, b);
    break;
  case MEMORY_PEER_LAYER_NORM:
    create_layer_norm(o, s, b);
    break;
  case MEMORY_PEER_LRN:
    create_lrn(o, s, b);
    break;
  case MEMORY_PEER_CONCAT:
    create_concat(o, s, b);
    break;
  case MEMORY_PEER_TRANSPOSE:
  case MEMORY_PEER_HEADS:
    create_reorder(o, s, b);
    break;
  case MEMORY_PEER_NEAREST:
    create_resize(o, s, b, dnnl_resampling_nearest);
    break;
  case MEMORY_PEER_LINEAR:
    create_resize(o, s, b, dnnl_resampling_linear);
    break;
  }
  *rival = memory_onednn_rival(o);
  return true;
}
#else
bool memory_stream_rival_create(const memory_stream *s, const memory_buffers *b,
                                memory_rival *rival) {
  (void)s, (void)b, (void)rival;
  return false;
}
#endif
