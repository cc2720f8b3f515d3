/// \file Kernels that move memory, as text on tensors.
#include "memory_streams.h"

#include <stdlib.h>
#include <string.h>

#define AB "tensor<$ax$bxf32>"
#define ABC "tensor<$ax$bx$cxf32>"
#define IJ "affine_map<(i, j) -> (i, j)>"
#define ROW "affine_map<(i, j) -> (i)>"
#define COLUMN "affine_map<(i, j) -> (j)>"
#define ALL2 "iterator_types = [\"parallel\", \"parallel\"]"
#define FUNCTION(arguments, result, body)                                      \
  "func.func @forward(" arguments ") -> " result " {\n" body                   \
  "  return %r : " result "\n}\n"

/// An elementwise operation on a matrix; the body computes %z.
#define MAP(result, ins, types, maps, arguments, body)                         \
  "  %e" result " = tensor.empty() : " AB "\n  %" result                       \
  " = linalg.generic {indexing_maps = [" maps ", " IJ "], " ALL2 "} ins(" ins  \
  " : " types ") outs(%e" result " : " AB ") {\n  ^bb0(" arguments             \
  ", %o: f32):\n" body "    linalg.yield %z : f32\n  } -> " AB "\n"
#define UNARY(body)                                                            \
  FUNCTION("%x: " AB, AB, CONSTANTS MAP("r", "%x", AB, IJ, "%v: f32", body))
#define CONSTANTS                                                              \
  "  %zero = arith.constant 0.0 : f32\n  %one = arith.constant 1.0 : f32\n"    \
  "  %half = arith.constant 0.5 : f32\n"                                       \
  "  %root = arith.constant 0.707106769 : f32\n"

/// A reduction of a matrix along its rows.
#define REDUCE(result, input, op, start)                                       \
  "  %s" result " = arith.constant " start " : f32\n  %e" result               \
  " = tensor.empty() : tensor<$axf32>\n  %f" result                            \
  " = linalg.fill ins(%s" result " : f32) outs(%e" result                      \
  " : tensor<$axf32>) -> tensor<$axf32>\n  %" result " = linalg.reduce {" op   \
  "} ins(" input " : " AB ") outs(%f" result                                   \
  " : tensor<$axf32>) dimensions = [1]\n"
#define REDUCE_MIDDLE(result, op, start)                                       \
  "  %s = arith.constant " start " : f32\n"                                    \
  "  %e = tensor.empty() : tensor<$ax$cxf32>\n"                                \
  "  %f = linalg.fill ins(%s : f32) outs(%e : tensor<$ax$cxf32>) -> "          \
  "tensor<$ax$cxf32>\n  %" result " = linalg.reduce {" op "} ins(%x : " ABC    \
  ") outs(%f : tensor<$ax$cxf32>) dimensions = [1]\n"

static const char relu[] = UNARY("    %z = arith.maximumf %v, %zero : f32\n");
static const char exponential[] = UNARY("    %z = math.exp %v : f32\n");
static const char tangent[] = UNARY("    %z = math.tanh %v : f32\n");
static const char sigmoid[] = UNARY("    %n = arith.negf %v : f32\n"
                                    "    %p = math.exp %n : f32\n"
                                    "    %s = arith.addf %p, %one : f32\n"
                                    "    %z = arith.divf %one, %s : f32\n");
static const char gelu[] = UNARY("    %n = arith.mulf %v, %root : f32\n"
                                 "    %p = math.erf %n : f32\n"
                                 "    %s = arith.addf %p, %one : f32\n"
                                 "    %h = arith.mulf %v, %half : f32\n"
                                 "    %z = arith.mulf %h, %s : f32\n");
static const char add_relu[] = FUNCTION(
    "%x: " AB ", %y: " AB, AB,
    CONSTANTS MAP("r", "%x, %y", AB ", " AB, IJ ", " IJ, "%v: f32, %w: f32",
                  "    %s = arith.addf %v, %w : f32\n"
                  "    %z = arith.maximumf %s, %zero : f32\n"));
static const char scale_shift[] =
    FUNCTION("%x: " AB ", %y: tensor<$bxf32>, %b: tensor<$bxf32>", AB,
             MAP("r", "%x, %y, %b", AB ", tensor<$bxf32>, tensor<$bxf32>",
                 IJ ", " COLUMN ", " COLUMN, "%v: f32, %w: f32, %u: f32",
                 "    %m = arith.mulf %v, %w : f32\n"
                 "    %z = arith.addf %m, %u : f32\n"));
static const char broadcast[] =
    FUNCTION("%x: tensor<$bxf32>", AB,
             "  %e = tensor.empty() : " AB "\n"
             "  %r = linalg.broadcast ins(%x : tensor<$bxf32>) outs(%e : " AB
             ") dimensions = [0]\n");

#define LOW "0xFF800000"
static const char sum_last[] = FUNCTION("%x: " AB, "tensor<$axf32>",
                                        REDUCE("r", "%x", "arith.addf", "0.0"));
static const char max_last[] = FUNCTION(
    "%x: " AB, "tensor<$axf32>", REDUCE("r", "%x", "arith.maximumf", LOW));
/// Of a row: what is reduced, computed further; the body computes %z.
#define MAP_ROWS(result, input, body)                                          \
  "  %e" result " = tensor.empty() : tensor<$axf32>\n  %" result               \
  " = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "               \
  "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(" input       \
  " : tensor<$axf32>) outs(%e" result                                          \
  " : tensor<$axf32>) {\n  ^bb0(%v: f32, %o: f32):\n" body                     \
  "    linalg.yield %z : f32\n  } -> tensor<$axf32>\n"
#define EXTENT "  %n = arith.constant $b.0 : f32\n"
#define BY_EXTENT "    %z = arith.divf %v, %n : f32\n"
static const char mean_last[] =
    FUNCTION("%x: " AB, "tensor<$axf32>",
             EXTENT REDUCE("t", "%x", "arith.addf", "0.0")
                 MAP_ROWS("r", "%t", BY_EXTENT));
static const char sum_middle[] = FUNCTION(
    "%x: " ABC, "tensor<$ax$cxf32>", REDUCE_MIDDLE("r", "arith.addf", "0.0"));
static const char max_middle[] = FUNCTION(
    "%x: " ABC, "tensor<$ax$cxf32>", REDUCE_MIDDLE("r", "arith.maximumf", LOW));
static const char mean_middle[] = FUNCTION(
    "%x: " ABC, "tensor<$ax$cxf32>",
    EXTENT REDUCE_MIDDLE(
        "t", "arith.addf",
        "0.0") "  %g = tensor.empty() : tensor<$ax$cxf32>\n"
               "  %r = linalg.generic {indexing_maps = [" IJ ", " IJ "], " ALL2
               "} ins(%t : tensor<$ax$cxf32>) outs(%g : tensor<$ax$cxf32>) {\n"
               "  ^bb0(%v: f32, %o: f32):\n" BY_EXTENT
               "    linalg.yield %z : f32\n  } -> tensor<$ax$cxf32>\n");

static const char softmax[] = FUNCTION(
    "%x: " AB, AB,
    REDUCE("m", "%x", "arith.maximumf", LOW) MAP(
        "p", "%x, %m", AB ", tensor<$axf32>", IJ ", " ROW, "%v: f32, %w: f32",
        "    %d = arith.subf %v, %w : f32\n    %z = math.exp %d : f32\n")
        REDUCE("s", "%p", "arith.addf", "0.0")
            MAP("r", "%p, %s", AB ", tensor<$axf32>", IJ ", " ROW,
                "%v: f32, %w: f32", "    %z = arith.divf %v, %w : f32\n"));
static const char layer_norm[] = FUNCTION(
    "%x: " AB ", %g: tensor<$bxf32>, %b: tensor<$bxf32>", AB,
    EXTENT "  %small = arith.constant 1.0e-5 : f32\n" REDUCE(
        "t", "%x", "arith.addf", "0.0") MAP_ROWS("m", "%t", BY_EXTENT)
        MAP("d", "%x, %m", AB ", tensor<$axf32>", IJ ", " ROW,
            "%v: f32, %w: f32", "    %z = arith.subf %v, %w : f32\n")
            MAP("q", "%d", AB, IJ, "%v: f32",
                "    %z = arith.mulf %v, %v : f32\n")
                REDUCE("u", "%q", "arith.addf",
                       "0.0") MAP_ROWS("s", "%u",
                                       "    %a = arith.divf %v, %n : f32\n"
                                       "    %c = arith.addf %a, %small : f32\n"
                                       "    %z = math.sqrt %c : f32\n")
                    MAP("r", "%d, %s, %g, %b",
                        AB ", tensor<$axf32>, tensor<$bxf32>, tensor<$bxf32>",
                        IJ ", " ROW ", " COLUMN ", " COLUMN,
                        "%v: f32, %w: f32, %y: f32, %k: f32",
                        "    %a = arith.divf %v, %w : f32\n"
                        "    %c = arith.mulf %a, %y : f32\n"
                        "    %z = arith.addf %c, %k : f32\n"));
/// Five channels; x / (1 + 1e-4 / 5 sum)^0.75.
static const char lrn[] = FUNCTION(
    "%x: " AB, AB,
    CONSTANTS "  %k = arith.constant 2.0e-5 : f32\n" MAP(
        "q", "%x", AB, IJ, "%v: f32",
        "    %z = arith.mulf %v, %v : f32\n") "  %p = tensor.pad %q low[0, 2] "
                                              "high[0, 2] {\n  ^bb0(%i: index, "
                                              "%j: "
                                              "index):\n    tensor.yield %zero "
                                              ": f32\n  } : " AB
                                              " to tensor<$ax$cxf32>\n"
                                              "  %w = tensor.empty() : "
                                              "tensor<5xf32>\n  %e = "
                                              "tensor.empty() : " AB "\n"
                                              "  %f = linalg.fill ins(%zero : "
                                              "f32) outs(%e : " AB ") -> " AB
                                              "\n"
                                              "  %t = linalg.generic "
                                              "{indexing_maps = "
                                              "[affine_map<(i, j, k) -> (i, j "
                                              "+ "
                                              "k)>, affine_map<(i, j, k) -> "
                                              "(k)>, affine_map<(i, j, k) -> "
                                              "(i, j)>], "
                                              "iterator_types = [\"parallel\", "
                                              "\"parallel\", \"reduction\"]} "
                                              "ins(%p, %w "
                                              ": tensor<$ax$cxf32>, "
                                              "tensor<5xf32>) outs(%f : " AB
                                              ") {\n"
                                              "  ^bb0(%v: f32, %u: f32, %o: "
                                              "f32):\n    %z = arith.addf %o, "
                                              "%v : f32\n"
                                              "    linalg.yield %z : f32\n  } "
                                              "-> " AB "\n" MAP(
                                                  "r", "%x, %t", AB ", " AB,
                                                  IJ ", " IJ,
                                                  "%v: f32, %u: f32",
                                                  "    %m = arith.mulf %u, %k "
                                                  ": f32\n"
                                                  "    %s = arith.addf %m, "
                                                  "%one : f32\n    %a = "
                                                  "math.sqrt %s : f32\n"
                                                  "    %c = math.sqrt %a : "
                                                  "f32\n    %d = arith.mulf "
                                                  "%a, %c : f32\n"
                                                  "    %z = arith.divf %v, %d "
                                                  ": f32\n"));

#define SUM_BC "tensor<$ax$dxf32>"
static const char concat[] =
    FUNCTION("%x: " AB ", %y: tensor<$ax$cxf32>", SUM_BC,
             "  %r = tensor.concat dim(1) %x, %y : (" AB
             ", tensor<$ax$cxf32>) -> " SUM_BC "\n");
static const char pad[] = FUNCTION(
    "%x: " ABC, "tensor<$dx$dx$cxf32>",
    CONSTANTS
    "  %r = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {\n"
    "  ^bb0(%i: index, %j: index, %k: index):\n    tensor.yield %zero : f32\n"
    "  } : " ABC " to tensor<$dx$dx$cxf32>\n");
static const char slice[] =
    FUNCTION("%x: " AB, "tensor<$ax$cxf32>",
             "  %r = tensor.extract_slice %x[0, $d] [$a, $c] [1, 1] : " AB
             " to tensor<$ax$cxf32>\n");
#define TRANSPOSE(result, order)                                               \
  FUNCTION("%x: " ABC, result,                                                 \
           "  %e = tensor.empty() : " result "\n"                              \
           "  %r = linalg.transpose ins(%x : " ABC ") outs(%e : " result       \
           ") permutation = [" order "]\n")
static const char transpose[] = TRANSPOSE("tensor<$ax$cx$bxf32>", "0, 2, 1");
static const char heads[] = TRANSPOSE("tensor<$bx$ax$cxf32>", "1, 0, 2");

/// Doubles the pixels of an image; the body reads %x[.., .., %c] into %z.
#define RESIZE(body)                                                           \
  FUNCTION("%x: " ABC, "tensor<$dx$dx$cxf32>",                                 \
           CONSTANTS                                                           \
           "  %quarter = arith.constant 0.25 : f32\n"                          \
           "  %i0 = arith.constant 0 : index\n"                                \
           "  %i1 = arith.constant 1 : index\n"                                \
           "  %i2 = arith.constant 2 : index\n"                                \
           "  %last = arith.constant $a : index\n"                             \
           "  %e = tensor.empty() : tensor<$dx$dx$cxf32>\n"                    \
           "  %r = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> "  \
           "(h, w, c)>], iterator_types = [\"parallel\", \"parallel\", "       \
           "\"parallel\"]} outs(%e : tensor<$dx$dx$cxf32>) {\n"                \
           "  ^bb0(%o: f32):\n    %h = linalg.index 0 : index\n"               \
           "    %w = linalg.index 1 : index\n"                                 \
           "    %c = linalg.index 2 : index\n" body                            \
           "    linalg.yield %z : f32\n  } -> tensor<$dx$dx$cxf32>\n")
static const char nearest[] =
    RESIZE("    %y = arith.divui %h, %i2 : index\n"
           "    %q = arith.divui %w, %i2 : index\n"
           "    %z = tensor.extract %x[%y, %q, %c] : " ABC "\n");
/// Pixel i of 2 n: 3/4 of pixel i / 2, 1/4 of the one beside it, or of itself
/// at the border.
#define BESIDE(number, name)                                                   \
  "    %" name "0 = arith.divui %" number ", %i2 : index\n"                    \
  "    %" name "m = arith.remui %" number ", %i2 : index\n"                    \
  "    %" name "t = arith.muli %" name "m, %i2 : index\n"                      \
  "    %" name "a = arith.addi %" name "0, %" name "t : index\n"               \
  "    %" name "s = arith.subi %" name "a, %i1 : index\n"                      \
  "    %" name "l = arith.maxsi %" name "s, %i0 : index\n"                     \
  "    %" name "e = arith.subi %last, %i1 : index\n"                           \
  "    %" name "1 = arith.minsi %" name "l, %" name "e : index\n"
#define MIX(result, near, far)                                                 \
  "    %d" result " = arith.subf %" far ", %" near " : f32\n"                  \
  "    %m" result " = arith.mulf %d" result ", %quarter : f32\n"               \
  "    %" result " = arith.addf %" near ", %m" result " : f32\n"
#define AT(result, y, x)                                                       \
  "    %" result " = tensor.extract %x[%" y ", %" x ", %c] : " ABC "\n"
static const char linear[] = RESIZE(
    BESIDE("h", "y") BESIDE("w", "q") AT("p00", "y0", "q0")
        AT("p01", "y0", "q1") AT("p10", "y1", "q0") AT("p11", "y1", "q1")
            MIX("u", "p00", "p01") MIX("v", "p10", "p11") MIX("z", "u", "v"));
static const char gather[] = FUNCTION(
    "%t: " AB ", %i: tensor<$cxi64>", "tensor<$cx$bxf32>",
    "  %e = tensor.empty() : tensor<$cx$bxf32>\n"
    "  %r = linalg.generic {indexing_maps = [" ROW ", " IJ "], " ALL2
    "} ins(%i : tensor<$cxi64>) outs(%e : tensor<$cx$bxf32>) {\n"
    "  ^bb0(%n: i64, %o: f32):\n    %k = arith.index_cast %n : i64 to index\n"
    "    %j = linalg.index 1 : index\n"
    "    %z = tensor.extract %t[%k, %j] : " AB "\n"
    "    linalg.yield %z : f32\n  } -> tensor<$cx$bxf32>\n");

#define STREAM(name, kind, peer, axis, elements, ...)                          \
  {                                                                            \
    name, kind, memory_loop_##kind, MEMORY_PEER_##peer, {__VA_ARGS__}, axis,   \
        elements                                                               \
  }
#define EXPONENTIAL(name, ...)                                                 \
  {                                                                            \
    name, exponential, memory_loop_exp, MEMORY_PEER_EXP, {__VA_ARGS__}, 0,     \
        "ab ab"                                                                \
  }
#define TANGENT(name, ...)                                                     \
  {                                                                            \
    name, tangent, memory_loop_tanh, MEMORY_PEER_TANH, {__VA_ARGS__}, 0,       \
        "ab ab"                                                                \
  }

const memory_stream memory_streams[] = {
    STREAM("relu 3136x64", relu, RELU, 0, "ab ab", 3136, 64),
    STREAM("relu 8192x1024", relu, RELU, 0, "ab ab", 8192, 1024),
    STREAM("add relu 784x512", add_relu, ADD_RELU, 0, "ab ab ab", 784, 512),
    STREAM("add relu 8192x1024", add_relu, ADD_RELU, 0, "ab ab ab", 8192, 1024),
    STREAM("scale shift 784x256", scale_shift, SCALE_SHIFT, 0, "ab b b ab", 784,
           256),
    STREAM("scale shift 8192x1024", scale_shift, SCALE_SHIFT, 0, "ab b b ab",
           8192, 1024),
    STREAM("sigmoid 3136x96", sigmoid, SIGMOID, 0, "ab ab", 3136, 96),
    STREAM("gelu 128x1536", gelu, GELU, 0, "ab ab", 128, 1536),
    STREAM("gelu 8192x1024", gelu, GELU, 0, "ab ab", 8192, 1024),
    EXPONENTIAL("exp 1536x128", 1536, 128),
    TANGENT("tanh 128x768", 128, 768),
    STREAM("broadcast 3136x64", broadcast, NONE, 0, "b ab", 3136, 64),
    STREAM("sum last 384x1536", sum_last, SUM, 1, "ab a", 384, 1536),
    STREAM("sum last 1536x128", sum_last, SUM, 1, "ab a", 1536, 128),
    STREAM("sum last 8192x1024", sum_last, SUM, 1, "ab a", 8192, 1024),
    STREAM("max last 1536x128", max_last, MAX, 1, "ab a", 1536, 128),
    STREAM("max last 8192x1024", max_last, MAX, 1, "ab a", 8192, 1024),
    STREAM("mean last 2048x49", mean_last, MEAN, 1, "ab a", 2048, 49),
    STREAM("mean first 49x2048", mean_middle, MEAN, 1, "abc ac", 1, 49, 2048),
    STREAM("sum first 784x512", sum_middle, SUM, 1, "abc ac", 1, 784, 512),
    STREAM("sum first 8192x1024", sum_middle, SUM, 1, "abc ac", 1, 8192, 1024),
    STREAM("sum middle 64x49x96", sum_middle, SUM, 1, "abc ac", 64, 49, 96),
    STREAM("max middle 64x49x96", max_middle, MAX, 1, "abc ac", 64, 49, 96),
    STREAM("softmax 1536x128", softmax, SOFTMAX, 1, "ab ab", 1536, 128),
    STREAM("softmax 1x1000", softmax, SOFTMAX, 1, "ab ab", 1, 1000),
    STREAM("softmax 8192x1024", softmax, SOFTMAX, 1, "ab ab", 8192, 1024),
    STREAM("layer norm 128x384", layer_norm, LAYER_NORM, 1, "ab b b ab", 128,
           384),
    STREAM("layer norm 128x768", layer_norm, LAYER_NORM, 1, "ab b b ab", 128,
           768),
    STREAM("layer norm 8192x1024", layer_norm, LAYER_NORM, 1, "ab b b ab", 8192,
           1024),
    STREAM("lrn 64@56 Inception v1", lrn, LRN, 1, "ab ab", 3136, 64, 68),
    STREAM("lrn 192@56 Inception v1", lrn, LRN, 1, "ab ab", 3136, 192, 196),
    STREAM("lrn 96@54 AlexNet", lrn, LRN, 1, "ab ab", 2916, 96, 100),
    STREAM("lrn 256@26 AlexNet", lrn, LRN, 1, "ab ab", 676, 256, 260),
    STREAM("lrn 1024@90", lrn, LRN, 1, "ab ab", 8192, 1024, 1028),
    STREAM("concat 784x128+128", concat, CONCAT, 1, "ab ac ad", 784, 128, 128,
           256),
    STREAM("concat 3136x64+32", concat, CONCAT, 1, "ab ac ad", 3136, 64, 32,
           96),
    STREAM("concat 196x512+24", concat, CONCAT, 1, "ab ac ad", 196, 512, 24,
           536),
    STREAM("concat 8192x512+512", concat, CONCAT, 1, "ab ac ad", 8192, 512, 512,
           1024),
    STREAM("pad 56x56x64", pad, NONE, 0, "abc ddc", 56, 56, 64, 58),
    STREAM("pad 224x224x3", pad, NONE, 0, "abc ddc", 224, 224, 3, 226),
    STREAM("slice 784x256", slice, NONE, 0, "ab ac", 784, 256, 116, 58),
    STREAM("slice 8192x1024", slice, NONE, 0, "ab ac", 8192, 1024, 512, 256),
    STREAM("transpose 64x3136", transpose, TRANSPOSE, 0, "abc acb", 1, 64,
           3136),
    STREAM("transpose 3x50176", transpose, TRANSPOSE, 0, "abc acb", 1, 3,
           50176),
    STREAM("transpose 784x256", transpose, TRANSPOSE, 0, "abc acb", 1, 784,
           256),
    STREAM("transpose 2048x49", transpose, TRANSPOSE, 0, "abc acb", 1, 2048,
           49),
    STREAM("transpose 1024x1024", transpose, TRANSPOSE, 0, "abc acb", 1, 1024,
           1024),
    STREAM("transpose 12x64x128", transpose, TRANSPOSE, 0, "abc acb", 12, 64,
           128),
    STREAM("transpose 8192x1024", transpose, TRANSPOSE, 0, "abc acb", 1, 8192,
           1024),
    STREAM("heads 128x12x32", heads, HEADS, 0, "abc bac", 128, 12, 32),
    STREAM("heads 128x12x64", heads, HEADS, 0, "abc bac", 128, 12, 64),
    STREAM("heads 1024x128x64", heads, HEADS, 0, "abc bac", 1024, 128, 64),
    STREAM("nearest 40x40x96", nearest, NEAREST, 0, "abc ddc", 40, 40, 96, 80),
    STREAM("linear 40x40x96", linear, LINEAR, 0, "abc ddc", 40, 40, 96, 80),
    STREAM("gather 128 of 8192x384", gather, NONE, 0, "ab C cb", 8192, 384,
           128),
    STREAM("gather 8192 of 8192x1024", gather, NONE, 0, "ab C cb", 8192, 1024,
           8192),
};
const size_t memory_stream_count =
    sizeof memory_streams / sizeof *memory_streams;

void memory_stream_write(const memory_stream *s, pgopt_text *text) {
  for (const char *p = s->text; *p; ++p)
    if (*p == '$')
      pgopt_text_append(text, "%lld", (long long)s->e[*++p - 'a']);
    else
      pgopt_text_append(text, "%c", *p);
}

size_t memory_stream_sizes(const memory_stream *s, int64_t *elements) {
  size_t count = 0;
  elements[0] = 1;
  for (const char *p = s->elements; *p; ++p)
    if (*p == ' ')
      elements[++count] = 1;
    else if (*p == 'C') // numbers of 64 bits
      elements[count] *= 2 * s->e[2];
    else
      elements[count] *= s->e[*p - 'a'];
  return count + 1;
}

double memory_stream_bytes(const memory_stream *s) {
  int64_t elements[MEMORY_MAX_BUFFERS];
  double bytes = 0;
  size_t count = memory_stream_sizes(s, elements);
  if (s->loop == memory_loop_gather)
    return 8.0 * (double)elements[2] + 4.0 * (double)elements[1];
  if (s->loop == memory_loop_slice)
    return 8.0 * (double)elements[1];
  for (size_t i = 0; i < count; ++i)
    bytes += 4.0 * (double)elements[i];
  return bytes;
}

void memory_stream_fill(const memory_stream *s, const memory_buffers *b) {
  if (s->loop != memory_loop_gather)
    return;
  for (int64_t i = 0; i < s->e[2]; ++i)
    memcpy(b->data[1] + 2 * i, &(int64_t){i * 2731 % s->e[0]}, sizeof(int64_t));
}
