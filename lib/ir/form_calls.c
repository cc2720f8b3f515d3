/// \file Turns a network on tensors into kernel functions and calls of them.
#include "ir/form_calls.h"

#include "dialect_c/attributes.h"
#include "flops/flops.h"
#include "grouping/signature.h"
#include "ir/bind_shapes.h"
#include "ir/build_entry.h"
#include "ir/ir.h"
#include "ir/kernel_module.h"
#include "ir/kernel_signature.h"

#include <stdlib.h>
#include <string.h>

/// A layer pays for being split when its time is above this many times the
/// cost of a synchronisation between two cores ...
enum { SPLIT_FACTOR = 2 };
/// ... which is this much where the machine's distances are not known.
enum { DEFAULT_SYNC_NS = 2000 };

typedef struct former {
  MlirOperation module;
  MlirContext context;
  const pgopt_form_options *options;
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  pgopt_arena arena;
  pgopt_kernel_plan *plans;
  bool *live, has_variants;
  pgopt_kernel_call *calls;
  size_t call_count, call_capacity;
} former;

static bool is_live_use(const former *f, int user) {
  int g = f->grouping.group_of[user];
  return g < 0 || f->live[g];
}

/// Groups whose results something needs, the last ones first.
static void find_live(former *f) {
  f->live = pgopt_allocate(f->grouping.group_count, sizeof *f->live);
  for (size_t g = f->grouping.group_count; g-- > 0;)
    for (size_t o = 0; o < f->plans[g].output_count; ++o) {
      const pgopt_value *value = &f->ir.network.values[f->plans[g].outputs[o]];
      for (size_t u = 0; u < value->user_count; ++u)
        f->live[g] |= f->grouping.group_of[value->users[u]] != (int)g &&
                      is_live_use(f, value->users[u]);
    }
}

static MlirLogicalResult refuse_call(const former *f, MlirOperation call) {
  MlirStringRef callee = pgopt_callee(call);
  MlirOperation function = pgopt_module_lookup(f->module, callee);
  bool has_body = !mlirOperationIsNull(function) &&
                  !mlirBlockIsNull(pgopt_function_body(function));
  return pgopt_emit_error(call,
                          "a call of a function on tensors that cannot be "
                          "inlined has no kernel: '%.*s' %s",
                          (int)callee.length, callee.data,
                          has_body ? "is recursive" : "has no body");
}

/// Every tensor of the kernel must have a static shape.
static MlirLogicalResult check_types(const former *f, size_t g) {
  const pgopt_kernel_plan *plan = &f->plans[g];
  for (size_t i = 0; i < plan->op_count; ++i) {
    const pgopt_op *op = &f->ir.network.ops[plan->ops[i]];
    if (op->kind == PGOPT_OP_CALL)
      return refuse_call(f, f->ir.ops[plan->ops[i]]);
    for (size_t k = 0; k < op->operand_count + op->result_count; ++k) {
      int value = k < op->operand_count ? op->operands[k]
                                        : op->results[k - op->operand_count];
      if (value < 0)
        continue;
      const pgopt_type *type = &f->ir.network.values[value].type;
      int64_t elements;
      if (type->is_shaped && !pgopt_type_elements(type, &elements))
        return pgopt_emit_error(f->ir.ops[plan->ops[i]],
                                "'%s' has the type %s; kernels need static "
                                "shapes",
                                op->name, type->text);
    }
  }
  return mlirLogicalResultSuccess();
}

static bool find_timing(const former *f, const char *signature,
                        pgopt_timing *timing) {
  return pgopt_timings_find(f->options->timings, f->module, signature, timing);
}

/// Largest known signal latency between cores of the machine, or the default.
static int64_t sync_cost_ns(const former *f) {
  MlirAttribute machine = pgopt_get(f->module, PGOPT_MACHINE);
  if (mlirAttributeIsNull(machine) || !mlirAttributeIsADictionary(machine))
    return DEFAULT_SYNC_NS;
  MlirAttribute latency =
      mlirDictionaryAttrGetElementByName(machine, pgopt_ref("latency_max_ns"));
  if (mlirAttributeIsNull(latency) || !mlirAttributeIsAInteger(latency))
    return DEFAULT_SYNC_NS;
  int64_t ns = mlirIntegerAttrGetValueInt(latency);
  return ns > DEFAULT_SYNC_NS ? ns : DEFAULT_SYNC_NS;
}

static int64_t resource_count(const former *f) {
  MlirAttribute resources = pgopt_get(f->module, PGOPT_RESOURCES);
  if (mlirAttributeIsNull(resources))
    return 1;
  return mlirIntegerAttrGetValueInt(
      mlirDictionaryAttrGetElementByName(resources, pgopt_ref("count")));
}

static int64_t choose_parts(const former *f, size_t g,
                            const pgopt_timing *timing) {
  const pgopt_kernel_plan *plan = &f->plans[g];
  int64_t parts = f->options->split;
  if (!parts)
    parts = timing && timing->median_ns > SPLIT_FACTOR * sync_cost_ns(f)
                ? resource_count(f)
                : 1;
  if (!plan->can_cut)
    return 1;
  return parts < plan->range_extent ? parts : plan->range_extent;
}

/// What all members of the group perform, and what must move in and out.
static pgopt_count count_group(const former *f, size_t g) {
  const pgopt_group *group = &f->grouping.groups[g];
  const pgopt_kernel_plan *plan = &f->plans[g];
  pgopt_counter counter = {&f->ir.network, NULL, NULL};
  pgopt_count count;
  pgopt_count_kernel(&counter, group->members, group->member_count,
                     plan->inputs, plan->input_count, plan->outputs,
                     plan->output_count, &count);
  return count;
}

/// The share of `total` that the iterations before `end` of `extent` have; the
/// differences of consecutive ends sum to the total.
static int64_t share_until(int64_t total, int64_t end, int64_t extent) {
  return (int64_t)((__int128)total * end / extent);
}

static int64_t share(int64_t total, const pgopt_kernel_call *call,
                     int64_t extent) {
  return share_until(total, call->high, extent) -
         share_until(total, call->low, extent);
}

static void add_attribute(former *f, MlirNamedAttribute *list, size_t *count,
                          pgopt_attribute attribute, MlirAttribute value) {
  list[(*count)++] =
      pgopt_named(f->context, pgopt_attribute_spelling(attribute), value);
}

static void add_i64(former *f, MlirNamedAttribute *list, size_t *count,
                    pgopt_attribute attribute, int64_t value) {
  add_attribute(f, list, count, attribute,
                pgopt_i64_attribute(f->context, value));
}

/// The Timing of a part: its own when measured, else its share of the whole.
static pgopt_timing part_timing(former *f, const char *signature,
                                const pgopt_timing *whole,
                                const pgopt_kernel_call *call, int64_t extent) {
  pgopt_timing timing = *whole;
  if (call->high - call->low == extent ||
      find_timing(
          f, pgopt_part_signature(signature, call->low, call->high, &f->arena),
          &timing))
    return timing;
  timing.median_ns = share(whole->median_ns, call, extent);
  timing.min_ns = share(whole->min_ns, call, extent);
  timing.mad_ns = share(whole->mad_ns, call, extent);
  strcpy(timing.source, "derived");
  return timing;
}

static void describe_call(former *f, pgopt_kernel_call *call, int64_t part,
                          int64_t parts, const pgopt_count *count,
                          const char *signature, const pgopt_timing *whole) {
  const pgopt_group *group = &f->grouping.groups[call->group];
  int64_t extent = f->plans[call->group].range_extent;
  MlirNamedAttribute list[8];
  size_t n = 0;
  if (count->unknown[0])
    add_attribute(f, list, &n, PGOPT_LFLOPS_UNKNOWN,
                  pgopt_text_attribute(f->context, count->unknown));
  else
    add_i64(f, list, &n, PGOPT_LFLOPS, share(count->operations, call, extent));
  if (count->bytes >= 0)
    add_i64(f, list, &n, PGOPT_BYTES, share(count->bytes, call, extent));
  if (whole) {
    pgopt_timing timing = part_timing(f, signature, whole, call, extent);
    add_attribute(f, list, &n, PGOPT_TIMING,
                  pgopt_timing_to_attribute(f->context, &timing));
  }
  add_attribute(f, list, &n, PGOPT_LAYER,
                pgopt_text_attribute(f->context, group->id));
  add_attribute(f, list, &n, PGOPT_PHASE,
                pgopt_text_attribute(f->context, "main"));
  add_i64(f, list, &n, PGOPT_PART, part);
  add_i64(f, list, &n, PGOPT_PARTS, parts);
  call->attributes = pgopt_arena_copy(&f->arena, list, n * sizeof *list);
  call->attribute_count = n;
}

/// The variant of the group's kernel, or null for the model's.
static const char *find_variant(former *f, const char *signature) {
  return f->options->ignores_variants
             ? NULL
             : pgopt_timings_variant(f->options->timings, f->module, signature,
                                     &f->arena);
}

static MlirLogicalResult form_group(former *f, size_t g,
                                    pgopt_kernel_module *kernels,
                                    pgopt_formed *formed) {
  const pgopt_group *group = &f->grouping.groups[g];
  const pgopt_kernel_plan *plan = &f->plans[g];
  if (mlirLogicalResultIsFailure(check_types(f, g)))
    return mlirLogicalResultFailure();
  const char *signature =
      pgopt_kernel_signature(f->module, &f->ir.network, group, &f->arena);
  const char *variant = find_variant(f, signature);
  const char *key = variant
                        ? pgopt_variant_signature(signature, variant, &f->arena)
                        : signature;
  pgopt_timing timing;
  bool timed = pgopt_get_timing(f->ir.ops[group->core], &timing) ||
               find_timing(f, key, &timing);
  int64_t parts = choose_parts(f, g, timed ? &timing : NULL);
  size_t kernel, before = kernels->count;
  if (mlirLogicalResultIsFailure(
          pgopt_kernel_module_add(kernels, &f->ir, plan, parts > 1, group->id,
                                  signature, variant, &kernel)))
    return mlirLogicalResultFailure();
  formed->shared += kernels->count == before;
  formed->layers_split += parts > 1;
  f->has_variants = f->has_variants || variant;
  pgopt_count count = count_group(f, g);
  for (int64_t part = 0; part < parts; ++part) {
    pgopt_kernel_call call = {
        .group = g,
        .function = pgopt_arena_text(&f->arena, kernels->kernels[kernel].name,
                                     strlen(kernels->kernels[kernel].name)),
        .low = pgopt_part_begin(plan->range_extent, part, parts),
        .high = pgopt_part_begin(plan->range_extent, part + 1, parts)};
    describe_call(f, &call, part, parts, &count, key, timed ? &timing : NULL);
    PGOPT_APPEND(f->calls, f->call_count, f->call_capacity, call);
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult form_all(former *f, pgopt_pass *pass,
                                  MlirOperation entry, pgopt_formed *formed) {
  pgopt_kernel_module kernels;
  pgopt_kernel_module_create(f->module, &kernels);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t g = 0;
       g < f->grouping.group_count && mlirLogicalResultIsSuccess(result); ++g)
    if (f->live[g])
      result = form_group(f, g, &kernels, formed);
    else
      ++formed->layers_dead;
  formed->kernels = (int64_t)kernels.count;
  formed->calls = (int64_t)f->call_count;
  MlirOperation rebuilt;
  if (mlirLogicalResultIsSuccess(result))
    result =
        pgopt_build_entry(f->module, entry, &f->ir, &f->grouping, f->plans,
                          f->calls, f->call_count, &kernels.names, &rebuilt);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_kernel_module_finish(&kernels, pass, rebuilt);
  pgopt_kernel_module_free(&kernels);
  return result;
}

MlirLogicalResult pgopt_form_calls(pgopt_pass *pass, MlirOperation module,
                                   MlirOperation entry,
                                   const pgopt_form_options *options,
                                   pgopt_formed *formed) {
  former f = {.module = module,
              .context = mlirOperationGetContext(module),
              .options = options};
  *formed = (pgopt_formed){0};
  if (mlirLogicalResultIsFailure(pgopt_check_bound(entry)) ||
      mlirLogicalResultIsFailure(pgopt_read_network(entry, &f.ir)))
    return mlirLogicalResultFailure();
  pgopt_error error = {0};
  MlirLogicalResult result;
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry)); // it is rebuilt
  if (pgopt_group_network(&f.ir.network, options->fuse, &f.grouping, &error)) {
    result = pgopt_emit_error(entry, "%s", error.message);
  } else {
    f.plans = pgopt_allocate(f.grouping.group_count, sizeof *f.plans);
    for (size_t g = 0; g < f.grouping.group_count; ++g)
      f.plans[g] = pgopt_plan_kernel(&f.ir.network, &f.grouping, g, &f.arena);
    find_live(&f);
    result = form_all(&f, pass, entry, formed);
    if (mlirLogicalResultIsSuccess(result) && f.has_variants &&
        options->check_variants)
      result = options->check_variants(
          pass, module, pgopt_module_lookup(module, pgopt_ref(name)));
  }
  free(name);
  free(f.calls);
  free(f.live);
  free(f.plans);
  pgopt_arena_free(&f.arena);
  pgopt_grouping_free(&f.grouping);
  pgopt_ir_network_free(&f.ir);
  return result;
}
