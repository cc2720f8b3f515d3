/// \file oneDNN's depthwise convolutions and pools.
#include "memory_onednn.h"

#ifdef PGOPT_HAVE_DNNL
static void create_depthwise(memory_onednn *o, const memory_case *c,
                             const memory_buffers *b, const dnnl_dims_t in,
                             const dnnl_dims_t out) {
  dnnl_dims_t weights = {c->channels, 1, 1, c->window, c->window};
  dnnl_dims_t strides = {c->stride, c->stride}, bias = {c->channels};
  dnnl_dims_t padding = {c->padding, c->padding};
  dnnl_memory_desc_t s, w, v, d;
  memory_onednn_check(
      dnnl_memory_desc_init_by_tag(&s, 4, in, dnnl_f32, dnnl_format_tag_any));
  memory_onednn_check(
      dnnl_memory_desc_init_by_tag(&d, 4, out, dnnl_f32, dnnl_format_tag_any));
  memory_onednn_check(dnnl_memory_desc_init_by_tag(&w, 5, weights, dnnl_f32,
                                                   dnnl_format_tag_any));
  memory_onednn_check(
      dnnl_memory_desc_init_by_tag(&v, 1, bias, dnnl_f32, dnnl_a));
  dnnl_convolution_desc_t desc;
  memory_onednn_check(dnnl_convolution_forward_desc_init(
      &desc, dnnl_forward_inference, dnnl_convolution_direct, &s, &w, &v, &d,
      strides, padding, padding));
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t behind;
  memory_onednn_check(dnnl_primitive_attr_create(&attributes));
  memory_onednn_check(dnnl_post_ops_create(&behind));
  memory_onednn_check(
      dnnl_post_ops_append_eltwise(behind, 1, dnnl_eltwise_relu, 0, 0));
  memory_onednn_check(dnnl_primitive_attr_set_post_ops(attributes, behind));
  dnnl_primitive_desc_t made;
  memory_onednn_check(
      dnnl_primitive_desc_create(&made, &desc, attributes, o->engine, NULL));
  memory_onednn_check(dnnl_primitive_create(&o->primitive, made));
  memory_onednn_add(o, DNNL_ARG_SRC,
                    dnnl_primitive_desc_query_md(made, dnnl_query_src_md, 0),
                    NULL);
  memory_onednn_add(
      o, DNNL_ARG_WEIGHTS,
      dnnl_primitive_desc_query_md(made, dnnl_query_weights_md, 0), NULL);
  memory_onednn_add(o, DNNL_ARG_BIAS, &v, b->data[2]);
  memory_onednn_add(o, DNNL_ARG_DST,
                    dnnl_primitive_desc_query_md(made, dnnl_query_dst_md, 0),
                    NULL);
  dnnl_primitive_desc_destroy(made);
  dnnl_post_ops_destroy(behind);
  dnnl_primitive_attr_destroy(attributes);
}

static void create_pool(memory_onednn *o, const memory_case *c,
                        const memory_buffers *b, const dnnl_dims_t in,
                        const dnnl_dims_t out) {
  dnnl_dims_t strides = {c->stride, c->stride};
  dnnl_dims_t window = {c->window, c->window};
  dnnl_dims_t padding = {c->padding, c->padding};
  dnnl_memory_desc_t s, d;
  memory_onednn_check(
      dnnl_memory_desc_init_by_tag(&s, 4, in, dnnl_f32, dnnl_nhwc));
  memory_onednn_check(
      dnnl_memory_desc_init_by_tag(&d, 4, out, dnnl_f32, dnnl_nhwc));
  dnnl_pooling_desc_t desc;
  memory_onednn_check(dnnl_pooling_forward_desc_init(
      &desc, dnnl_forward_inference,
      c->kind == MEMORY_POOL_MAX ? dnnl_pooling_max
                                 : dnnl_pooling_avg_exclude_padding,
      &s, &d, strides, window, padding, padding));
  dnnl_primitive_desc_t made;
  memory_onednn_check(
      dnnl_primitive_desc_create(&made, &desc, NULL, o->engine, NULL));
  memory_onednn_check(dnnl_primitive_create(&o->primitive, made));
  memory_onednn_add(o, DNNL_ARG_SRC, &s, b->data[0]);
  memory_onednn_add(o, DNNL_ARG_DST, &d, b->data[b->count - 1]);
  o->result = c->kind == MEMORY_POOL_MAX ? b->data[b->count - 1] : NULL;
  dnnl_primitive_desc_destroy(made);
}

bool memory_rival_create(const memory_case *c, const memory_buffers *b,
                         memory_rival *rival) {
  memory_onednn *o = memory_onednn_create();
  dnnl_dims_t in = {1, c->channels, c->rows, c->columns};
  dnnl_dims_t out = {1, c->channels,
                     (c->rows + 2 * c->padding - c->window) / c->stride + 1,
                     (c->columns + 2 * c->padding - c->window) / c->stride + 1};
  if (c->kind == MEMORY_DEPTHWISE)
    create_depthwise(o, c, b, in, out);
  else
    create_pool(o, c, b, in, out);
  *rival = memory_onednn_rival(o);
  return true;
}

#else
bool memory_rival_create(const memory_case *c, const memory_buffers *b,
                         memory_rival *rival) {
  (void)c, (void)b, (void)rival;
  return false;
}
#endif
