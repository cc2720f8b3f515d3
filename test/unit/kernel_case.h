/// \file One multiply-accumulate, or a reduction of A: its text on memrefs, and
/// what it computes in f64, for tests of generated kernels.
#ifndef PGOPT_TEST_KERNEL_CASE_H
#define PGOPT_TEST_KERNEL_CASE_H

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASE_LOOPS = 10, CASE_RANK = 6 };

/// A dimension: a sum of loops. Of A and B it may have zeros before and behind
/// what is stored.
typedef struct case_dim {
  int64_t coefficients[CASE_LOOPS];
  int64_t extent; ///< of what is stored
  int64_t low, high;
} case_dim;

typedef struct case_operand {
  int rank;
  case_dim dims[CASE_RANK];
} case_operand;

typedef enum case_start { START_STORED, START_ZERO, START_BIAS } case_start;

/// C += A B, C = C op A, or C = max(C, A B).
typedef enum case_body {
  BODY_PRODUCT,
  BODY_SUM,
  BODY_MAX,
  BODY_MIN,
  BODY_MAX_PRODUCT,
} case_body;

static inline bool case_multiplies(case_body body) {
  return body == BODY_PRODUCT || body == BODY_MAX_PRODUCT;
}

typedef struct kernel_case {
  case_body body;
  bool has_neutral_padding;
  int loops;
  int64_t extents[CASE_LOOPS];
  bool is_reduction[CASE_LOOPS];
  case_operand operands[3]; ///< A, B and C
  bool is_double;
  bool is_parameter[2]; ///< A and B
  case_start start;
  int bias_dim;      ///< of C, that the bias runs along
  bool has_clamp;    ///< C = max(C + bias, 0) behind
  bool has_residual; ///< C += another of its shape behind
  bool has_special;  ///< A has infinite numbers and NaN here and there
  /// A loop that runs from %lo to %hi only; -1 for none. It must be the only
  /// one in its dimension of C.
  int cut;
  int64_t low, high;
  bool has_static_range; ///< high - low is known to the kernel, and not 0
} kernel_case;

/// What lies around images: 0, or what a maximum or minimum leaves alone.
static inline double case_padding(const kernel_case *c) {
  return !c->has_neutral_padding ? 0
         : c->body == BODY_MAX   ? -INFINITY
         : c->body == BODY_MIN   ? INFINITY
                                 : 0;
}

/// A dimension that is one loop.
static inline case_dim case_loop(const kernel_case *c, int loop) {
  case_dim dim = {.extent = c->extents[loop]};
  dim.coefficients[loop] = 1;
  return dim;
}

static inline int64_t case_elements(const case_operand *operand) {
  int64_t elements = 1;
  for (int d = 0; d < operand->rank; ++d)
    elements *= operand->dims[d].extent;
  return elements;
}

static inline int64_t case_padded_extent(const case_dim *dim) {
  return dim->low + dim->extent + dim->high;
}

static inline bool case_is_padded(const case_operand *operand) {
  bool padded = false;
  for (int d = 0; d < operand->rank; ++d)
    padded |= operand->dims[d].low || operand->dims[d].high;
  return padded;
}

/// The operand with its zeros as part of it.
static inline case_operand case_padded(const case_operand *operand) {
  case_operand padded = *operand;
  for (int d = 0; d < operand->rank; ++d) {
    padded.dims[d].extent = case_padded_extent(&operand->dims[d]);
    padded.dims[d].low = padded.dims[d].high = 0;
  }
  return padded;
}

static inline void case_type(const kernel_case *c, const case_operand *operand,
                             pgopt_text *text) {
  pgopt_text_append(text, "memref<");
  for (int d = 0; d < operand->rank; ++d)
    pgopt_text_append(text, "%lldx", (long long)operand->dims[d].extent);
  pgopt_text_append(text, c->is_double ? "f64>" : "f32>");
}

static inline void case_map(const kernel_case *c, const case_operand *operand,
                            pgopt_text *text) {
  pgopt_text_append(text, "affine_map<(");
  for (int l = 0; l < c->loops; ++l)
    pgopt_text_append(text, l ? ", i%d" : "i%d", l);
  pgopt_text_append(text, ") -> (");
  for (int d = 0; d < operand->rank; ++d) {
    bool first = true;
    pgopt_text_append(text, d ? ", " : "");
    for (int l = 0; l < c->loops; ++l) {
      int64_t factor = operand->dims[d].coefficients[l];
      if (!factor)
        continue;
      pgopt_text_append(text, "%si%d * %lld", first ? "" : " + ", l,
                        (long long)factor);
      first = false;
    }
    if (first)
      pgopt_text_append(text, "0");
  }
  pgopt_text_append(text, ")>");
}

/// The dimension that is the cut loop; -1 when the operand is whole.
static inline int case_cut_dim(const kernel_case *c,
                               const case_operand *operand) {
  for (int d = 0; c->cut >= 0 && d < operand->rank; ++d)
    if (operand->dims[d].coefficients[c->cut])
      return d;
  return -1;
}

/// A buffer of zeros with a copy of the operand in it, as form-kernels has it.
static inline void case_write_padded(const kernel_case *c,
                                     const case_operand *operand,
                                     const char *name, pgopt_text *body) {
  pgopt_text type = {0}, whole = {0}, box = {0};
  case_operand padded = case_padded(operand);
  int64_t offset = 0, stride = 1, strides[CASE_RANK];
  for (int d = operand->rank; d-- > 0; stride *= padded.dims[d].extent) {
    strides[d] = stride;
    offset += operand->dims[d].low * stride;
  }
  case_type(c, operand, &type);
  case_type(c, &padded, &whole);
  pgopt_text_append(&box, "%.*s, strided<[", (int)type.size - 1, type.data);
  for (int d = 0; d < operand->rank; ++d)
    pgopt_text_append(&box, d ? ", %lld" : "%lld", (long long)strides[d]);
  pgopt_text_append(&box, "], offset: %lld>>", (long long)offset);
  pgopt_text_append(body,
                    "  %%%s_padded = memref.alloc() : %s\n"
                    "  linalg.fill ins(%%pad : %s) outs(%%%s_padded : %s)\n"
                    "  %%%s_box = memref.subview %%%s_padded",
                    name, whole.data, c->is_double ? "f64" : "f32", name,
                    whole.data, name, name);
  for (int part = 0; part < 3; ++part)
    for (int d = 0; d < operand->rank; ++d)
      pgopt_text_append(body, "%s%lld%s", d ? ", " : "[",
                        part == 0   ? (long long)operand->dims[d].low
                        : part == 1 ? (long long)operand->dims[d].extent
                                    : 1ll,
                        d + 1 == operand->rank ? "] " : "");
  pgopt_text_append(body,
                    ": %s to %s\n  memref.copy %%%s, %%%s_box : %s to %s\n",
                    whole.data, box.data, name, name, type.data, box.data);
  pgopt_text_free(&type);
  pgopt_text_free(&whole);
  pgopt_text_free(&box);
}

/// Writes the operand's name and type as the op uses them, after the slice that
/// the cut makes of it.
static inline void case_use(const kernel_case *c, const case_operand *operand,
                            const char *name, pgopt_text *body, pgopt_text *use,
                            pgopt_text *type) {
  int cut = case_cut_dim(c, operand);
  case_operand padded = case_padded(operand);
  char stored[32];
  snprintf(stored, sizeof stored, "%s", name);
  if (case_is_padded(operand)) {
    case_write_padded(c, operand, name, body);
    snprintf(stored, sizeof stored, "%s_padded", name);
    operand = &padded;
  }
  name = stored;
  if (cut < 0) {
    pgopt_text_append(use, "%%%s", name);
    case_type(c, operand, type);
    return;
  }
  // What the range touches: from lo * step on, n * step and the window's rest.
  int64_t step = operand->dims[cut].coefficients[c->cut], rest = 1 - step;
  for (int l = 0; l < c->loops; ++l)
    if (l != c->cut)
      rest += operand->dims[cut].coefficients[l] * (c->extents[l] - 1);
  pgopt_text_append(body,
                    "  %%%s_step = arith.constant %lld : index\n"
                    "  %%%s_rest = arith.constant %lld : index\n"
                    "  %%%s_lo = arith.muli %%lo, %%%s_step : index\n"
                    "  %%%s_steps = arith.muli %%n, %%%s_step : index\n"
                    "  %%%s_n = arith.addi %%%s_steps, %%%s_rest : index\n",
                    name, (long long)step, name, (long long)rest, name, name,
                    name, name, name, name, name);
  int64_t size = (c->high - c->low) * step + rest;
  pgopt_text whole = {0};
  case_type(c, operand, &whole);
  int64_t strides[CASE_RANK], stride = 1;
  for (int d = operand->rank; d-- > 0; stride *= operand->dims[d].extent)
    strides[d] = stride;
  pgopt_text_append(type, "memref<");
  for (int d = 0; d < operand->rank; ++d)
    if (d == cut && !c->has_static_range)
      pgopt_text_append(type, "?x");
    else if (d == cut)
      pgopt_text_append(type, "%lldx", (long long)size);
    else
      pgopt_text_append(type, "%lldx", (long long)operand->dims[d].extent);
  pgopt_text_append(type, "%s, strided<[", c->is_double ? "f64" : "f32");
  for (int d = 0; d < operand->rank; ++d)
    pgopt_text_append(type, d ? ", %lld" : "%lld", (long long)strides[d]);
  pgopt_text_append(type, "], offset: ?>>");
  pgopt_text_append(use, "%%%s_cut", name);
  pgopt_text_append(body, "  %s = memref.subview %%%s[", use->data, name);
  for (int d = 0; d < operand->rank; ++d)
    if (d == cut)
      pgopt_text_append(body, "%s%%%s_lo", d ? ", " : "", name);
    else
      pgopt_text_append(body, d ? ", 0" : "0");
  pgopt_text_append(body, "] [");
  for (int d = 0; d < operand->rank; ++d)
    if (d == cut && !c->has_static_range)
      pgopt_text_append(body, "%s%%%s_n", d ? ", " : "", name);
    else
      pgopt_text_append(body, "%s%lld", d ? ", " : "",
                        (long long)(d == cut ? size : operand->dims[d].extent));
  pgopt_text_append(body, "] [");
  for (int d = 0; d < operand->rank; ++d)
    pgopt_text_append(body, d ? ", 1" : "1");
  pgopt_text_append(body, "] : %s to %s\n", whole.data, type->data);
  pgopt_text_free(&whole);
}

/// An elementwise op on C: `inputs` are names with their maps' results.
static inline void case_elementwise(const kernel_case *c, const char *ins,
                                    const char *in_types, const char *maps,
                                    const char *use, const char *type,
                                    const char *body, pgopt_text *text) {
  pgopt_text loops = {0}, iterators = {0};
  for (int d = 0; d < c->operands[2].rank; ++d) {
    pgopt_text_append(&loops, d ? ", d%d" : "d%d", d);
    pgopt_text_append(&iterators, d ? ", \"parallel\"" : "\"parallel\"");
  }
  const char *element = c->is_double ? "f64" : "f32";
  pgopt_text_append(
      text,
      "  linalg.generic {indexing_maps = [affine_map<(%s) -> (%s)>, "
      "affine_map<(%s) -> (%s)>], iterator_types = [%s]} ins(%s : %s) "
      "outs(%s : %s) {\n  ^bb0(%%x: %s, %%o: %s):\n%s  }\n",
      loops.data, maps, loops.data, loops.data, iterators.data, ins, in_types,
      use, type, element, element, body);
  pgopt_text_free(&loops);
  pgopt_text_free(&iterators);
}

/// func @forward(%a, %b, %c, %bias, %residual, %lo, %hi).
static inline void case_write(const kernel_case *c, pgopt_text *text) {
  const char *element = c->is_double ? "f64" : "f32";
  static const char *const names[] = {"a", "b", "c"};
  pgopt_text body = {0}, uses[3] = {{0}}, types[3] = {{0}}, whole = {0};
  pgopt_text_append(text, "func.func @forward(");
  for (int i = 0; i < 3; ++i) {
    pgopt_text_append(text, "%%%s: ", names[i]);
    case_type(c, &c->operands[i], text);
    if (i < 2 && c->is_parameter[i])
      pgopt_text_append(text, " {pg.parameter = \"%s\"}", names[i]);
    pgopt_text_append(text, ", ");
    case_use(c, &c->operands[i], names[i], &body, &uses[i], &types[i]);
  }
  case_type(c, &c->operands[2], &whole);
  int64_t bias = c->operands[2].dims[c->bias_dim].extent;
  pgopt_text_append(text,
                    "%%bias: memref<%lldx%s>, %%residual: %s, %%lo: index, "
                    "%%hi: index) {\n  %%zero = arith.constant 0.0 : %s\n"
                    "  %%infinity = arith.constant %s : %s\n"
                    "  %%pad = arith.%s : %s\n"
                    "  %%n = arith.subi %%hi, %%lo : index\n%s",
                    (long long)bias, element, whole.data, element,
                    c->is_double ? "0x7FF0000000000000" : "0x7F800000", element,
                    case_padding(c) == 0  ? "constant 0.0"
                    : case_padding(c) > 0 ? "addf %infinity, %zero"
                                          : "negf %infinity",
                    element, body.size ? body.data : "");
  char bias_map[16], bias_type[64], line[256];
  snprintf(bias_map, sizeof bias_map, "d%d", c->bias_dim);
  snprintf(bias_type, sizeof bias_type, "memref<%lldx%s>", (long long)bias,
           element);
  if (c->start == START_ZERO)
    pgopt_text_append(text, "  linalg.fill ins(%%zero : %s) outs(%s : %s)\n",
                      element, uses[2].data, types[2].data);
  if (c->start == START_BIAS) {
    snprintf(line, sizeof line, "    linalg.yield %%x : %s\n", element);
    case_elementwise(c, "%bias", bias_type, bias_map, uses[2].data,
                     types[2].data, line, text);
  }
  pgopt_text_append(text, "  linalg.generic {indexing_maps = [");
  for (int i = 0; i < 3; ++i) {
    pgopt_text_append(text, i ? ", " : "");
    case_map(c, &c->operands[i], text);
  }
  pgopt_text_append(text, "], iterator_types = [");
  for (int l = 0; l < c->loops; ++l)
    pgopt_text_append(text, "%s\"%s\"", l ? ", " : "",
                      c->is_reduction[l] ? "reduction" : "parallel");
  static const char *const combines[] = {"addf %o, %p", "addf %x, %o",
                                         "maximumf %o, %x", "minimumf %x, %o",
                                         "maximumf %p, %o"};
  pgopt_text_append(text,
                    "]} ins(%s, %s : %s, %s) outs(%s : %s) {\n  ^bb0(%%x: %s, "
                    "%%y: %s, %%o: %s):\n",
                    uses[0].data, uses[1].data, types[0].data, types[1].data,
                    uses[2].data, types[2].data, element, element, element);
  if (case_multiplies(c->body))
    pgopt_text_append(text, "    %%p = arith.mulf %%x, %%y : %s\n", element);
  pgopt_text_append(text,
                    "    %%s = arith.%s : %s\n    linalg.yield %%s : %s\n  }\n",
                    combines[c->body], element, element);
  if (c->has_clamp) {
    snprintf(line, sizeof line,
             "    %%s = arith.addf %%o, %%x : %s\n"
             "    %%m = arith.maximumf %%s, %%zero : %s\n"
             "    linalg.yield %%m : %s\n",
             element, element, element);
    case_elementwise(c, "%bias", bias_type, bias_map, uses[2].data,
                     types[2].data, line, text);
  }
  if (c->has_residual) {
    pgopt_text slice = {0}, use = {0}, type = {0}, map = {0};
    case_use(c, &c->operands[2], "residual", &slice, &use, &type);
    pgopt_text_append(text, "%s", slice.size ? slice.data : "");
    for (int d = 0; d < c->operands[2].rank; ++d)
      pgopt_text_append(&map, d ? ", d%d" : "d%d", d);
    snprintf(line, sizeof line,
             "    %%s = arith.addf %%o, %%x : %s\n    linalg.yield %%s : %s\n",
             element, element);
    case_elementwise(c, use.data, type.data, map.data, uses[2].data,
                     types[2].data, line, text);
    pgopt_text_free(&slice);
    pgopt_text_free(&use);
    pgopt_text_free(&type);
    pgopt_text_free(&map);
  }
  pgopt_text_append(text, "  return\n}\n");
  for (int i = 0; i < 3; ++i) {
    pgopt_text_free(&uses[i]);
    pgopt_text_free(&types[i]);
  }
  pgopt_text_free(&body);
  pgopt_text_free(&whole);
}

static inline int64_t case_offset(const case_operand *operand,
                                  const int64_t *at) {
  int64_t offset = 0;
  for (int d = 0; d < operand->rank; ++d) {
    int64_t position = -operand->dims[d].low;
    for (int l = 0; l < CASE_LOOPS; ++l)
      position += operand->dims[d].coefficients[l] * at[l];
    offset = offset * operand->dims[d].extent + position;
  }
  return offset;
}

/// True when the loops' values are at something stored.
static inline bool case_is_stored(const case_operand *operand,
                                  const int64_t *at) {
  bool stored = true;
  for (int d = 0; d < operand->rank; ++d) {
    int64_t position = -operand->dims[d].low;
    for (int l = 0; l < CASE_LOOPS; ++l)
      position += operand->dims[d].coefficients[l] * at[l];
    stored &= position >= 0 && position < operand->dims[d].extent;
  }
  return stored;
}

static inline double case_value(const kernel_case *c, const void *data,
                                int64_t at) {
  return c->is_double ? ((const double *)data)[at] : ((const float *)data)[at];
}

static inline double case_element(const kernel_case *c, int operand,
                                  const void *const *data, const int64_t *at) {
  const case_operand *o = &c->operands[operand];
  return case_is_stored(o, at)
             ? case_value(c, data[operand], case_offset(o, at))
             : case_padding(c);
}

/// Calls `visit` with the loops' values, reductions or the others alone.
static inline bool case_next(const kernel_case *c, int64_t *at,
                             bool reductions) {
  for (int l = c->loops; l-- > 0;) {
    if (c->is_reduction[l] != reductions)
      continue;
    int64_t low = l == c->cut ? c->low : 0;
    int64_t high = l == c->cut ? c->high : c->extents[l];
    if (++at[l] < high)
      return true;
    at[l] = low;
  }
  return false;
}

/// The worst error of `result`, where 1 is what the bound allows:
/// (K + 8) ulps of the sum of absolute values. Elements that the cut leaves
/// out must be as in `before`; one that is not is an infinite error.
static inline double case_error(const kernel_case *c, const void *const *data,
                                const void *before, const void *result) {
  const case_operand *out = &c->operands[2];
  double ulp = c->is_double ? ldexp(1, -53) : ldexp(1, -24), worst = 0;
  double depth = 1;
  int64_t at[CASE_LOOPS] = {0}, elements = case_elements(out);
  for (int l = 0; l < c->loops; ++l)
    if (c->is_reduction[l])
      depth *= (double)c->extents[l];
  bool *seen = calloc((size_t)elements, 1);
  if (c->cut >= 0)
    at[c->cut] = c->low;
  if (c->cut < 0 || c->low < c->high)
    do {
      int64_t place = case_offset(out, at), rest = place, bias = 0;
      for (int d = out->rank; d-- > 0; rest /= out->dims[d].extent)
        if (d == c->bias_dim)
          bias = rest % out->dims[d].extent;
      double start = c->start == START_ZERO   ? 0
                     : c->start == START_BIAS ? case_value(c, data[3], bias)
                                              : case_value(c, before, place);
      double sum = start, absolute = fabs(start);
      do {
        double term = case_element(c, 0, data, at);
        if (case_multiplies(c->body))
          term *= case_element(c, 1, data, at);
        if (c->body == BODY_PRODUCT || c->body == BODY_SUM)
          sum += term;
        else if (!isnan(sum))
          sum =
              isnan(term) || (c->body != BODY_MIN) == (term > sum) ? term : sum;
        absolute += fabs(term);
      } while (case_next(c, at, true));
      if (c->has_clamp) {
        sum += case_value(c, data[3], bias);
        absolute += fabs(case_value(c, data[3], bias));
        sum = sum > 0 ? sum : 0;
      }
      if (c->has_residual) {
        sum += case_value(c, data[4], place);
        absolute += fabs(case_value(c, data[4], place));
      }
      if (c->has_special)
        absolute = fabs(sum);
      double found = case_value(c, result, place);
      double error =
          found == sum || (isnan(found) && isnan(sum))
              ? 0
              : fabs(found - sum) / ((depth + 8) * ulp * absolute + 1e-300);
      worst = error > worst || error != error ? error : worst;
      seen[place] = true;
    } while (case_next(c, at, false));
  for (int64_t i = 0; i < elements; ++i)
    if (!seen[i] && case_value(c, result, i) != case_value(c, before, i))
      worst = INFINITY;
  free(seen);
  return worst;
}

#endif // PGOPT_TEST_KERNEL_CASE_H
