#include "kernels/form_phases.h"

#include "base/checked_math.h"
#include "dialect_c/attributes.h"
#include "grouping/kernel_plan.h"
#include "ir/argument_attributes.h"
#include "ir/build_entry.h"
#include "ir/ir.h"
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
  intptr_t operand;      ///< the argument that is packed
  intptr_t place;        ///< of the buffer among the arguments
  int64_t steps, stride; ///< of the buffer
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

/// Plans the kernel's phases on its copy.
static bool plan(const former *f, MlirOperation function, kernel *k) {
  MlirOperation copy =
      pgopt_kernel_copy_find(&f->copy, pgopt_symbol_name(function));
  MlirOperation core =
      mlirOperationIsNull(copy) ? copy : pgopt_variant_core(copy);
  pgopt_variant variant;
  pgopt_product_phases phases;
  if (mlirOperationIsNull(core) || !pgopt_phase_allows(copy))
    return false;
  bool has_variant = read_variant(function, &variant);
  if (has_variant
          ? variant.algorithm != PGOPT_ALGORITHM_PRODUCT
          : pgopt_is_window(core, &f->target, 0, NULL) ||
                pgopt_is_winograd(core, &f->target, f->copy.constants, 0, NULL))
    return false;
  if (!pgopt_plan_product_phases(core, &f->target, f->copy.constants,
                                 has_variant ? &variant.shape : NULL, &phases))
    return false;
  const pgopt_variant packed = {.algorithm = PGOPT_ALGORITHM_PRODUCT,
                                .shape = phases.shape};
  pgopt_variant_print(&packed, k->variant);
  k->name = "pack";
  k->operand = mlirBlockArgumentGetArgNumber(phases.operand);
  k->steps = phases.cut.steps;
  k->stride = phases.cut.stride;
  return true;
}

/// \param is_cut whether step s of the range is row s of the argument.
static void set_access(MlirOperation function, intptr_t number,
                       const char *mode, bool is_cut) {
  MlirContext c = mlirOperationGetContext(function);
  const MlirNamedAttribute members[] = {
      pgopt_named(c, "mode", pgopt_text_attribute(c, mode)),
      pgopt_named(c, "dim", pgopt_i64_attribute(c, 0)),
      pgopt_named(c, "scale", pgopt_i64_attribute(c, 1)),
      pgopt_named(c, "window", pgopt_i64_attribute(c, 1))};
  pgopt_set_argument_attribute(
      function, number, PGOPT_ACCESS,
      mlirDictionaryAttrGet(c, is_cut ? 4 : 1, members));
}

static void set_phase(MlirOperation function, const char *phase,
                      const char *variant) {
  MlirStringRef old;
  pgopt_text signature = {0};
  if (pgopt_get_text(function, PGOPT_SIGNATURE, &old)) {
    pgopt_text_append(&signature, "%.*s phase %s", (int)old.length, old.data,
                      phase);
    pgopt_set_text(function, PGOPT_SIGNATURE, signature.data);
  }
  pgopt_text_free(&signature);
  pgopt_set_text(function, PGOPT_PHASE, phase);
  pgopt_set_text(function, PGOPT_VARIANT, variant);
}

/// Builds the first phase's function, and gives both the buffer.
static void build_functions(former *f, kernel *k) {
  MlirStringRef name = pgopt_symbol_name(k->function);
  pgopt_text wanted = {0};
  pgopt_text_append(&wanted, "%.*s_%s", (int)name.length, name.data, k->name);
  char *symbol = pgopt_unique_symbol(f->module, wanted.data);
  pgopt_text_free(&wanted);
  pgopt_insert_argument(k->function, k->place, k->buffer);
  set_access(k->function, k->place, "read", false);
  k->first = mlirOperationClone(k->function);
  mlirOperationSetAttributeByName(k->first, pgopt_ref("sym_name"),
                                  pgopt_text_attribute(f->context, symbol));
  free(symbol);
  mlirBlockInsertOwnedOperationBefore(pgopt_module_body(f->module), k->function,
                                      k->first);
  for (intptr_t i = 0; i < k->place; ++i)
    if (!mlirAttributeIsNull(
            pgopt_argument_attribute(k->first, i, PGOPT_ACCESS)))
      set_access(k->first, i, i == k->operand ? "read" : "none", false);
  set_access(k->first, k->place, "write", k->steps > 1);
  set_phase(k->first, k->name, k->variant);
  set_phase(k->function, "main", k->variant);
}

/// The kernel that the call computes, planned when it is new.
static kernel *find_kernel(former *f, MlirOperation call) {
  MlirOperation function = pgopt_module_lookup(f->module, pgopt_callee(call));
  for (size_t i = 0; i < f->count; ++i)
    if (mlirOperationEqual(f->kernels[i].function, function))
      return &f->kernels[i];
  kernel made = {.function = function};
  made.place = mlirOperationGetNumOperands(call) - 2;
  if (mlirAttributeIsNull(pgopt_get(function, PGOPT_PHASE)) &&
      plan(f, function, &made)) {
    MlirType type = mlirValueGetType(
        mlirBlockGetArgument(pgopt_function_body(function), made.operand));
    int64_t shape[] = {made.steps, made.stride};
    made.buffer = mlirMemRefTypeContiguousGet(
        mlirShapedTypeGetElementType(type), 2, shape, mlirAttributeGetNull());
    made.has_phases = pgopt_memref_bytes(type, &made.operand_bytes) &&
                      pgopt_memref_bytes(made.buffer, &made.buffer_bytes);
    if (made.has_phases)
      build_functions(f, &made);
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

/// Gives a call of the kernel the buffer instead of what it packed.
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
  int64_t firsts = parts < k->steps ? parts : k->steps, moved = 0;
  pgopt_timing *layer = pgopt_allocate((size_t)parts, sizeof *layer), all = {0};
  bool is_timed = true;
  for (int64_t i = 0; i < parts; ++i) {
    int64_t bytes = 0;
    is_timed = pgopt_get_timing(calls[i], &layer[i]) && is_timed;
    if (is_timed && !i)
      all = layer[0];
    else if (is_timed)
      is_timed = pgopt_checked_add(all.median_ns, layer[i].median_ns,
                                   &all.median_ns) &&
                 pgopt_checked_add(all.min_ns, layer[i].min_ns, &all.min_ns);
    pgopt_get_i64(calls[i], PGOPT_BYTES, &bytes);
    moved += bytes;
  }
  // Until it is measured the layer's time is divided by what is moved.
  double packed = (double)(k->operand_bytes + k->buffer_bytes);
  double part = packed / (packed + (double)moved);
  MlirOperation *made = pgopt_allocate((size_t)firsts, sizeof *made);
  for (int64_t i = 0; i < firsts; ++i)
    made[i] = build_first(f, k, calls[0], buffer, i, firsts);
  for (int64_t i = 0; i < firsts; ++i)
    set_timing(f, made[i], is_timed ? &all : NULL, part / (double)firsts);
  for (int64_t i = 0; i < parts; ++i) {
    change_second(k, calls[i], buffer, i, parts);
    set_timing(f, calls[i], is_timed ? &layer[i] : NULL, 1 - part);
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
    const kernel *k = find_kernel(&f, all[i]);
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
