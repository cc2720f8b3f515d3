/// \file Kernels that move memory and compute little: their text, a loop of
/// intrinsics with the same reads and writes, and what oneDNN has for them.
#ifndef PGOPT_BENCH_MEMORY_STREAMS_H
#define PGOPT_BENCH_MEMORY_STREAMS_H

#include "memory_cases.h"

/// What oneDNN's primitive computes; NONE where it has none.
typedef enum memory_peer {
  MEMORY_PEER_NONE,
  MEMORY_PEER_RELU,
  MEMORY_PEER_SIGMOID,
  MEMORY_PEER_GELU,
  MEMORY_PEER_EXP,
  MEMORY_PEER_TANH,
  MEMORY_PEER_ADD_RELU,
  MEMORY_PEER_SCALE_SHIFT, ///< batch normalization
  MEMORY_PEER_SUM,
  MEMORY_PEER_MAX,
  MEMORY_PEER_MEAN,
  MEMORY_PEER_SOFTMAX,
  MEMORY_PEER_LAYER_NORM,
  MEMORY_PEER_LRN,
  MEMORY_PEER_CONCAT,
  MEMORY_PEER_TRANSPOSE, ///< of the last two of three dimensions
  MEMORY_PEER_HEADS,     ///< of the first two of three dimensions
  MEMORY_PEER_NEAREST,
  MEMORY_PEER_LINEAR,
} memory_peer;

typedef struct memory_stream memory_stream;
typedef void memory_loop(const memory_stream *s, float *const *buffers);

/// The extents of the kernel's arrays are `e`; $a, $b, $c and $d in the text.
struct memory_stream {
  const char *name;
  const char *text; ///< func @forward on tensors
  memory_loop *loop;
  memory_peer peer;
  int64_t e[4];
  int axis;             ///< that a reduction runs along
  const char *elements; ///< of every array, the result last: "ab b ab"
};

extern const memory_stream memory_streams[];
extern const size_t memory_stream_count;

/// The text with the extents in it.
void memory_stream_write(const memory_stream *s, pgopt_text *text);
/// \returns how many arrays there are.
size_t memory_stream_sizes(const memory_stream *s, int64_t *elements);

/// Bytes that are read and written once; of a table what is taken out of it.
double memory_stream_bytes(const memory_stream *s);
/// Sets the arrays that hold numbers of rows.
void memory_stream_fill(const memory_stream *s, const memory_buffers *b);

/// True when this machine runs the loops of intrinsics.
bool memory_loops_run(void);

/// The loops: over arrays of e[0] x e[1] unless told otherwise.
memory_loop memory_loop_relu, memory_loop_add_relu, memory_loop_sigmoid,
    memory_loop_gelu, memory_loop_exp, memory_loop_tanh,
    memory_loop_scale_shift, memory_loop_sum_last, memory_loop_max_last,
    memory_loop_mean_last, memory_loop_softmax, memory_loop_layer_norm,
    memory_loop_lrn, memory_loop_broadcast, memory_loop_gather;
/// e[0] x e[1] x e[2], along the one in the middle.
memory_loop memory_loop_sum_middle, memory_loop_max_middle,
    memory_loop_mean_middle;
/// Rows of e[1] and e[2] elements behind one another.
memory_loop memory_loop_concat;
/// e[0] x e[1] pixels of e[2] with one more all around; rows of e[1] elements,
/// e[2] of them from e[3] on.
memory_loop memory_loop_pad, memory_loop_slice;
/// e[0] matrices of e[1] x e[2]; e[0] x e[1] rows of e[2].
memory_loop memory_loop_transpose, memory_loop_heads;
/// e[0] x e[1] pixels of e[2], doubled.
memory_loop memory_loop_nearest, memory_loop_linear;

/// oneDNN's kernel. \returns false when it has none.
bool memory_stream_rival_create(const memory_stream *s, const memory_buffers *b,
                                memory_rival *rival);

#endif // PGOPT_BENCH_MEMORY_STREAMS_H
