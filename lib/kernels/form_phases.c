#include "kernels/form_phases.h"

#include "base/checked_math.h"
#include "dialect_c/attributes.h"
#include "grouping/kernel_plan.h"
#include "ir/argument_attributes.h"
#include "ir/build_entry.h"
#include "ir/ir.h"
#include "ir/kernel_interface.h"
#include "ir/measure_program.h"
#include "kernels/constant_operands.h"
#include "kernels/kernel_copy.h"
#include "kernels/kernel_settings.h"
#include "kernels/phase.h"
#include "kernels/product.h"
#include "kernels/variants.h"
#include "kernels/window.h"
#include "kernels/winograd.h"

#include <stdlib.h>
#include <string.h>

/// A kernel's phases.
typedef struct kernel {
  MlirOperation function, first; ///< of the second phase, and of the first
  bool has_phases;
  const char *name; ///< of the first phase
  char variant[PGOPT_VARIANT_TEXT];
  intptr_t operand;   ///< the argument that is packed or transformed
  intptr_t place;     ///< of the buffer among the arguments
  int64_t steps;      ///< of the first phase's range
  int64_t iterations; ///< a step of both ranges has; 0: the second is as before
  int64_t extent;     ///< of the kernel's range
  MlirType buffer;
  int64_t operand_bytes, buffer_bytes;
} kernel;

typedef struct former {
  MlirOperation module;
  MlirContext context;
  pgopt_timings *timings;
  pgopt_target target;
  pgopt_kernel_copy copy;
  kernel *kernels;
  size_t count, capacity;
} former;

/// The variant on the function. \returns false when there is none.
static bool read_variant(MlirOperation function, pgopt_variant *variant) {
  MlirStringRef text;
  if (!pgopt_get_text(function, PGOPT_VARIANT, &text))
    return false;
  char *copy = pgopt_ref_duplicate(text);
  bool is_one = pgopt_variant_parse(copy, variant);
  free(copy);
  return is_one;
}

static void set_buffer(kernel *k, MlirOperation copy, size_t rank,
                       const int64_t *shape) {
  MlirType type = mlirValueGetType(
      mlirBlockGetArgument(pgopt_function_body(copy), k->operand));
  k->buffer = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type),
                                          (intptr_t)rank, shape,
                                          mlirAttributeGetNull());
}

/// The image's transform, if the core is such a convolution.
static bool plan_transform(const former *f, MlirOperation copy,
                           MlirOperation core, int64_t size, int64_t parts,
                           kernel *k) {
  pgopt_winograd_phases phases;
  if (!pgopt_plan_winograd_phases(core, &f->target, f->copy.constants, size,
                                  k->extent, parts, &phases))
    return false;
  const pgopt_variant variant = {.algorithm = PGOPT_ALGORITHM_WINOGRAD,
                                 .size = phases.size};
  const int64_t shape[] = {phases.steps, phases.iterations, phases.elements};
  pgopt_variant_print(&variant, k->variant);
  k->name = "transform";
  k->operand = mlirBlockArgumentGetArgNumber(phases.operand);
  k->steps = phases.steps;
  k->iterations = phases.is_cut ? phases.iterations : 0;
  set_buffer(k, copy, 3, shape);
  return true;
}

static bool plan_pack(const former *f, MlirOperation copy, MlirOperation core,
                      const pgopt_product_shape *shape, kernel *k) {
  pgopt_product_phases phases;
  if (!pgopt_plan_product_phases(core, &f->target, f->copy.constants, shape,
                                 &phases))
    return false;
  const pgopt_variant packed = {.algorithm = PGOPT_ALGORITHM_PRODUCT,
                                .shape = phases.shape};
  const int64_t extents[] = {phases.cut.steps, phases.cut.stride};
  pgopt_variant_print(&packed, k->variant);
  k->name = "pack";
  k->operand = mlirBlockArgumentGetArgNumber(phases.operand);
  k->steps = phases.cut.steps;
  set_buffer(k, copy, 2, extents);
  return true;
}

/// Plans the kernel's phases on its copy.
static bool plan(const former *f, MlirOperation function, int64_t parts,
                 kernel *k) {
  MlirOperation copy =
      pgopt_kernel_copy_find(&f->copy, pgopt_symbol_name(function));
  MlirOperation core =
      mlirOperationIsNull(copy) ? copy : pgopt_variant_core(copy);
  pgopt_variant variant;
  if (mlirOperationIsNull(core) || !pgopt_phase_allows(copy))
    return false;
  if (read_variant(function, &variant))
    return variant.algorithm == PGOPT_ALGORITHM_PRODUCT
               ? plan_pack(f, copy, core, &variant.shape, k)
           : variant.algorithm == PGOPT_ALGORITHM_WINOGRAD
               ? plan_transform(f, copy, core, variant.size, parts, k)
               : false;
  if (pgopt_is_winograd(core, &f->target, f->copy.constants, 0, NULL))
    return plan_transform(f, copy, core, 0, parts, k);
  return !pgopt_is_window(core, &f->target, 0, NULL) &&
         plan_pack(f, copy, core, NULL, k);
}

/// \param cut what of the argument a range touches; null: all of it.
static void set_access(MlirOperation function, intptr_t number,
                       const char *mode, const pgopt_cut *cut) {
  MlirContext c = mlirOperationGetContext(function);
  const MlirNamedAttribute members[] = {
      pgopt_named(c, "mode", pgopt_text_attribute(c, mode)),
      pgopt_named(c, "dim", pgopt_i64_attribute(c, cut ? cut->dim : 0)),
      pgopt_named(c, "scale", pgopt_i64_attribute(c, cut ? cut->scale : 0)),
      pgopt_named(c, "window", pgopt_i64_attribute(c, cut ? cut->window : 0))};
  pgopt_set_argument_attribute(function, number, PGOPT_ACCESS,
                               mlirDictionaryAttrGet(c, cut ? 4 : 1, members));
}

/// Step s of the range is row s of the buffer.
static const pgopt_cut buffer_cut = {.dim = 0, .scale = 1, .window = 1};

/// Has the function's range count steps of several iterations; the last one may
/// have fewer.
static void count_steps(MlirOperation function, const kernel *k,
                        const pgopt_kernel_interface *interface) {
  MlirBlock body = pgopt_function_body(function);
  pgopt_emitter e = pgopt_emitter_before(mlirBlockGetFirstOperation(body));
  MlirValue iterations = pgopt_emit_index(e, k->iterations);
  MlirValue extent = pgopt_emit_index(e, k->extent);
  for (intptr_t end = 0; end < 2; ++end) {
    MlirValue step = mlirBlockGetArgument(body, k->place + end);
    MlirValue from = pgopt_emit_binary(e, "arith.muli", step, iterations);
    mlirValueReplaceAllUsesOfWith(
        step, pgopt_emit_binary(e, "arith.minsi", from, extent));
    mlirOperationSetOperand(mlirOpResultGetOwner(from), 0, step);
  }
  for (size_t i = 0; i < interface->count; ++i) {
    const pgopt_kernel_argument *argument = &interface->arguments[i];
    const pgopt_cut cut = {.dim = (int)argument->dim,
                           .scale = argument->scale * k->iterations,
                           .window = argument->scale * (k->iterations - 1) +
                                     argument->window};
    if (argument->is_cut)
      set_access(function, (intptr_t)i, argument->reads ? "read" : "write",
                 &cut);
  }
}

static void set_phase(MlirOperation function, const char *phase,
                      const kernel *k) {
  MlirStringRef old;
  pgopt_text signature = {0};
  if (pgopt_get_text(function, PGOPT_SIGNATURE, &old)) {
    pgopt_text_append(&signature, "%.*s phase %s", (int)old.length, old.data,
                      phase);
    if (k->iterations)
      pgopt_text_append(&signature, " of %lld", (long long)k->iterations);
    pgopt_set_text(function, PGOPT_SIGNATURE, signature.data);
  }
  pgopt_text_free(&signature);
  pgopt_set_text(function, PGOPT_PHASE, phase);
  pgopt_set_text(function, PGOPT_VARIANT, k->variant);
}

/// Builds the first phase's function, and gives both the buffer.
static void build_functions(former *f, kernel *k,
                            const pgopt_kernel_interface *interface) {
  MlirStringRef name = pgopt_symbol_name(k->function);
  pgopt_text wanted = {0};
  pgopt_text_append(&wanted, "%.*s_%s", (int)name.length, name.data, k->name);
  char *symbol = pgopt_unique_symbol(f->module, wanted.data);
  pgopt_text_free(&wanted);
  if (k->iterations)
    count_steps(k->function, k, interface);
  pgopt_insert_argument(k->function, k->place, k->buffer);
  set_access(k->function, k->place, "read", k->iterations ? &buffer_cut : NULL);
  k->first = mlirOperationClone(k->function);
  mlirOperationSetAttributeByName(k->first, pgopt_ref("sym_name"),
                                  pgopt_text_attribute(f->context, symbol));
  free(symbol);
  mlirBlockInsertOwnedOperationBefore(pgopt_module_body(f->module), k->function,
                                      k->first);
  for (intptr_t i = 0; i < k->place; ++i)
    if (i == k->operand ? !k->iterations
                        : !mlirAttributeIsNull(pgopt_argument_attribute(
                              k->first, i, PGOPT_ACCESS)))
      set_access(k->first, i, i == k->operand ? "read" : "none", NULL);
  set_access(k->first, k->place, "write",
             k->iterations || k->steps > 1 ? &buffer_cut : NULL);
  set_phase(k->first, k->name, k);
  set_phase(k->function, "main", k);
}

/// The kernel that the calls of a layer compute, planned when it is new.
static kernel *find_kernel(former *f, const MlirOperation *calls,
                           int64_t parts) {
  MlirOperation call = calls[parts - 1];
  intptr_t operands = mlirOperationGetNumOperands(call);
  pgopt_kernel_interface interface;
  MlirOperation function = pgopt_module_lookup(f->module, pgopt_callee(call));
  for (size_t i = 0; i < f->count; ++i)
    if (mlirOperationEqual(f->kernels[i].function, function))
      return &f->kernels[i];
  kernel made = {.function = function};
  made.place = operands - 2;
  if (mlirAttributeIsNull(pgopt_get(function, PGOPT_PHASE)) &&
      pgopt_constant_value(mlirOperationGetOperand(call, operands - 1),
                           &made.extent) &&
      plan(f, function, parts, &made) &&
      mlirLogicalResultIsSuccess(
          pgopt_read_kernel_interface(function, &interface))) {
    MlirType type = mlirValueGetType(
        mlirBlockGetArgument(pgopt_function_body(function), made.operand));
    made.has_phases = pgopt_memref_bytes(type, &made.operand_bytes) &&
                      pgopt_memref_bytes(made.buffer, &made.buffer_bytes);
    if (made.has_phases)
      build_functions(f, &made, &interface);
    free(interface.arguments);
  }
  PGOPT_APPEND(f->kernels, f->count, f->capacity, made);
  return &f->kernels[f->count - 1];
}

/// What of `total` the part has; of all parts together it is the total.
static int64_t share(int64_t total, int64_t part, int64_t parts) {
  return pgopt_part_begin(total, part + 1, parts) -
         pgopt_part_begin(total, part, parts);
}

/// The Timing of a call: its own where it is on file, else a part of the
/// layer's.
static void set_timing(const former *f, MlirOperation call,
                       const pgopt_timing *layer, double part) {
  pgopt_arena arena = {0};
  pgopt_timing timing;
  const char *signature = pgopt_call_signature(f->module, call, &arena);
  pgopt_remove(call, PGOPT_TIMING);
  if (signature &&
      pgopt_timings_find(f->timings, f->module, signature, &timing)) {
    pgopt_set_timing(call, &timing);
  } else if (layer) {
    timing = *layer;
    timing.median_ns = (int64_t)((double)layer->median_ns * part);
    timing.min_ns = (int64_t)((double)layer->min_ns * part);
    timing.mad_ns = (int64_t)((double)layer->mad_ns * part);
    strcpy(timing.source, "derived");
    pgopt_set_timing(call, &timing);
  }
  pgopt_arena_free(&arena);
}

/// The call of part `part` of `parts` of the first phase, in front of `before`.
static MlirOperation build_first(const former *f, const kernel *k,
                                 MlirOperation before, MlirValue buffer,
                                 int64_t part, int64_t parts) {
  MlirOperation call = mlirOperationClone(before);
  MlirBlock block = mlirOperationGetBlock(before);
  mlirBlockInsertOwnedOperationBefore(block, before, call);
  pgopt_emitter e = pgopt_emitter_before(call);
  intptr_t count = k->place + 3;
  MlirValue *operands = pgopt_allocate((size_t)count, sizeof *operands);
  for (intptr_t i = 0; i < k->place; ++i)
    operands[i] = mlirOperationGetOperand(before, i);
  operands[k->place] = buffer;
  operands[count - 2] =
      pgopt_emit_index(e, pgopt_part_begin(k->steps, part, parts));
  operands[count - 1] =
      pgopt_emit_index(e, pgopt_part_begin(k->steps, part + 1, parts));
  mlirOperationSetOperands(call, count, operands);
  free(operands);
  mlirOperationSetAttributeByName(
      call, pgopt_ref("callee"),
      mlirFlatSymbolRefAttrGet(f->context, pgopt_symbol_name(k->first)));
  pgopt_remove(call, PGOPT_LFLOPS_UNKNOWN);
  pgopt_set_i64(call, PGOPT_LFLOPS, 0);
  pgopt_set_i64(call, PGOPT_BYTES,
                share(k->operand_bytes + k->buffer_bytes, part, parts));
  pgopt_set_text(call, PGOPT_PHASE, k->name);
  pgopt_set_i64(call, PGOPT_PART, part);
  pgopt_set_i64(call, PGOPT_PARTS, parts);
  return call;
}

/// What the layer's calls have of an attribute, together.
static int64_t sum_of(const MlirOperation *calls, int64_t parts,
                      pgopt_attribute attribute) {
  int64_t sum = 0, number;
  for (int64_t i = 0; i < parts; ++i)
    if (pgopt_get_i64(calls[i], attribute, &number) &&
        !pgopt_checked_add(sum, number, &sum))
      return INT64_MAX;
  return sum;
}

/// Gives the calls of the kernel ranges of steps, and what they have of the
/// layer by these.
static void cut_second(const kernel *k, const MlirOperation *calls,
                       int64_t parts) {
  static const pgopt_attribute shared[] = {PGOPT_LFLOPS, PGOPT_BYTES};
  int64_t sums[2], number;
  for (int s = 0; s < 2; ++s)
    sums[s] = sum_of(calls, parts, shared[s]);
  for (int64_t i = 0; i < parts; ++i) {
    int64_t ends[2], iterations[2];
    for (int64_t end = 0; end < 2; ++end) {
      ends[end] = pgopt_part_begin(k->steps, i + end, parts);
      iterations[end] = ends[end] * k->iterations;
      if (iterations[end] > k->extent)
        iterations[end] = k->extent;
      MlirValue old = mlirOperationGetOperand(calls[i], k->place + end);
      mlirOperationSetOperand(
          calls[i], k->place + end,
          pgopt_emit_index(pgopt_emitter_before(calls[i]), ends[end]));
      if (mlirOpOperandIsNull(mlirValueGetFirstUse(old)))
        mlirOperationDestroy(mlirOpResultGetOwner(old));
    }
    for (int s = 0; s < 2; ++s)
      if (pgopt_get_i64(calls[i], shared[s], &number))
        pgopt_set_i64(calls[i], shared[s],
                      pgopt_part_begin(sums[s], iterations[1], k->extent) -
                          pgopt_part_begin(sums[s], iterations[0], k->extent));
  }
}

/// Gives a call of the kernel the buffer instead of what was packed.
static void change_second(const kernel *k, MlirOperation call, MlirValue buffer,
                          int64_t part, int64_t parts) {
  pgopt_insert_operand(call, k->place, buffer);
  int64_t bytes;
  if (pgopt_get_i64(call, PGOPT_BYTES, &bytes) &&
      pgopt_checked_add(bytes,
                        share(k->buffer_bytes, part, parts) -
                            share(k->operand_bytes, part, parts),
                        &bytes))
    pgopt_set_i64(call, PGOPT_BYTES, bytes > 0 ? bytes : 0);
}

/// Splits the calls of one layer.
static void split_calls(const former *f, const kernel *k, MlirOperation *calls,
                        int64_t parts) {
  MlirValue buffer =
      pgopt_build_entry_buffer(mlirOperationGetBlock(calls[0]), calls[0],
                               mlirOperationGetLocation(calls[0]), k->buffer);
  int64_t firsts = parts < k->steps ? parts : k->steps;
  if (k->iterations)
    cut_second(k, calls, parts);
  pgopt_timing *layer = pgopt_allocate((size_t)parts, sizeof *layer), all = {0};
  bool is_timed = true;
  for (int64_t i = 0; i < parts; ++i) {
    is_timed = pgopt_get_timing(calls[i], &layer[i]) && is_timed;
    if (is_timed && !i)
      all = layer[0];
    else if (is_timed)
      is_timed = pgopt_checked_add(all.median_ns, layer[i].median_ns,
                                   &all.median_ns) &&
                 pgopt_checked_add(all.min_ns, layer[i].min_ns, &all.min_ns);
  }
  // Until it is measured the layer's time is divided by what is moved.
  double packed = (double)(k->operand_bytes + k->buffer_bytes);
  double part = packed / (packed + (double)sum_of(calls, parts, PGOPT_BYTES));
  MlirOperation *made = pgopt_allocate((size_t)firsts, sizeof *made);
  for (int64_t i = 0; i < firsts; ++i)
    made[i] = build_first(f, k, calls[0], buffer, i, firsts);
  for (int64_t i = 0; i < firsts; ++i)
    set_timing(f, made[i], is_timed ? &all : NULL, part / (double)firsts);
  for (int64_t i = 0; i < parts; ++i) {
    change_second(k, calls[i], buffer, i, parts);
    set_timing(f, calls[i],
               !is_timed       ? NULL
               : k->iterations ? &all
                               : &layer[i],
               k->iterations ? (1 - part) * (double)share(k->steps, i, parts) /
                                   (double)k->steps
                             : 1 - part);
  }
  free(made);
  free(layer);
}

MlirLogicalResult pgopt_form_phases(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry, pgopt_timings *timings,
                                    int64_t *count) {
  former f = {.module = module,
              .context = mlirOperationGetContext(module),
              .timings = timings};
  *count = 0;
  if (mlirLogicalResultIsFailure(pgopt_kernel_target(module, &f.target)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status =
      pgopt_kernel_copy_open(pass, module, entry, &f.copy);
  size_t calls;
  MlirOperation *all = pgopt_kernel_calls(module, entry, &calls);
  for (size_t i = 0; i < calls && mlirLogicalResultIsSuccess(status);) {
    int64_t parts = 1;
    pgopt_get_i64(all[i], PGOPT_PARTS, &parts);
    const kernel *k = find_kernel(&f, &all[i], parts);
    if (k->has_phases)
      split_calls(&f, k, &all[i], parts);
    i += (size_t)parts;
  }
  for (size_t i = 0; i < f.count; ++i)
    *count += f.kernels[i].has_phases;
  free(all);
  free(f.kernels);
  pgopt_kernel_copy_close(&f.copy);
  return status;
}
