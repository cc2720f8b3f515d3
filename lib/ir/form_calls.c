/// \file Turns a network on tensors into kernel functions and calls of them.
#include "ir/form_calls.h"

#include "dialect_c/attributes.h"
#include "flops/flops.h"
#include "ir/bind_shapes.h"
#include "ir/build_entry.h"
#include "ir/ir.h"
#include "ir/kernel_module.h"
#include "ir/kernel_ranges.h"
#include "ir/resources.h"
#include "ir/split_reductions.h"

#include <stdlib.h>
#include <string.h>

typedef struct former {
  MlirOperation module;
  MlirContext context;
  const pgopt_form_options *options;
  pgopt_planned_network planned;
  bool *live, has_variants;
  int64_t resources;
  pgopt_sync_costs costs;
  pgopt_kernel_call *calls;
  size_t call_count, call_capacity;
} former;

static bool is_live_use(const former *f, int user) {
  int g = f->planned.grouping.group_of[user];
  return g < 0 || f->live[g];
}

/// Groups whose results something needs, the last ones first.
static void find_live(former *f) {
  f->live = pgopt_allocate(f->planned.grouping.group_count, sizeof *f->live);
  for (size_t g = f->planned.grouping.group_count; g-- > 0;)
    for (size_t o = 0; o < f->planned.plans[g].output_count; ++o) {
      const pgopt_value *value =
          &f->planned.ir.network.values[f->planned.plans[g].outputs[o]];
      for (size_t u = 0; u < value->user_count; ++u)
        f->live[g] |= f->planned.grouping.group_of[value->users[u]] != (int)g &&
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
  const pgopt_kernel_plan *plan = &f->planned.plans[g];
  for (size_t i = 0; i < plan->op_count; ++i) {
    const pgopt_op *op = &f->planned.ir.network.ops[plan->ops[i]];
    if (op->kind == PGOPT_OP_CALL)
      return refuse_call(f, f->planned.ir.ops[plan->ops[i]]);
    for (size_t k = 0; k < op->operand_count + op->result_count; ++k) {
      int value = k < op->operand_count ? op->operands[k]
                                        : op->results[k - op->operand_count];
      if (value < 0)
        continue;
      const pgopt_type *type = &f->planned.ir.network.values[value].type;
      int64_t elements;
      if (type->is_shaped && !pgopt_type_elements(type, &elements))
        return pgopt_emit_error(f->planned.ir.ops[plan->ops[i]],
                                "'%s' has the type %s; kernels need static "
                                "shapes",
                                op->name, type->text);
    }
  }
  return mlirLogicalResultSuccess();
}

/// Resources of the module; 1 when it does not say.
static int64_t resource_count(MlirOperation module) {
  MlirAttribute resources = pgopt_get(module, PGOPT_RESOURCES);
  if (mlirAttributeIsNull(resources))
    return 1;
  return mlirIntegerAttrGetValueInt(
      mlirDictionaryAttrGetElementByName(resources, pgopt_ref("count")));
}

/// What all members of the group perform, and what must move in and out.
static pgopt_count count_group(const former *f, size_t g) {
  const pgopt_group *group = &f->planned.grouping.groups[g];
  const pgopt_kernel_plan *plan = &f->planned.plans[g];
  pgopt_counter counter = {&f->planned.ir.network, NULL, NULL};
  pgopt_count count;
  pgopt_count_kernel(&counter, group->members, group->member_count,
                     plan->inputs, plan->input_count, plan->outputs,
                     plan->output_count, &count);
  return count;
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

static void describe_call(former *f, pgopt_kernel_call *call, int64_t part,
                          int64_t parts, const pgopt_count *count,
                          const pgopt_timed_kernel *kernel) {
  const pgopt_group *group = &f->planned.grouping.groups[call->group];
  MlirNamedAttribute list[8];
  size_t n = 0;
  if (count->unknown[0])
    add_attribute(f, list, &n, PGOPT_LFLOPS_UNKNOWN,
                  pgopt_text_attribute(f->context, count->unknown));
  else
    add_i64(f, list, &n, PGOPT_LFLOPS,
            pgopt_range_share(kernel->plan, count->operations, call->low,
                              call->high));
  if (count->bytes >= 0)
    add_i64(
        f, list, &n, PGOPT_BYTES,
        pgopt_range_share(kernel->plan, count->bytes, call->low, call->high));
  if (kernel->whole) {
    pgopt_timing timing =
        pgopt_range_timing(kernel, call->low, call->high, &f->planned.arena);
    add_attribute(f, list, &n, PGOPT_TIMING,
                  pgopt_timing_to_attribute(f->context, &timing));
  }
  add_attribute(f, list, &n, PGOPT_LAYER,
                pgopt_text_attribute(f->context, group->id));
  add_attribute(f, list, &n, PGOPT_PHASE,
                pgopt_text_attribute(f->context, "main"));
  add_i64(f, list, &n, PGOPT_PART, part);
  add_i64(f, list, &n, PGOPT_PARTS, parts);
  call->attributes =
      pgopt_arena_copy(&f->planned.arena, list, n * sizeof *list);
  call->attribute_count = n;
}

/// What the kernel is told of its ranges' lengths. Winograd's choice of tiles
/// depends on the size of the whole map, so its ranges count as unknown.
static int64_t range_length(const former *f, const pgopt_timed_kernel *kernel,
                            const pgopt_ranges *ranges) {
  if (ranges->parts == 1)
    return 0;
  return f->options->any_length || kernel->tile > 1
             ? PGOPT_DYNAMIC
             : pgopt_ranges_length(ranges);
}

static MlirLogicalResult form_group(former *f, size_t g,
                                    pgopt_kernel_module *kernels,
                                    pgopt_formed *formed) {
  const pgopt_group *group = &f->planned.grouping.groups[g];
  const pgopt_kernel_plan *plan = &f->planned.plans[g];
  if (mlirLogicalResultIsFailure(check_types(f, g)))
    return mlirLogicalResultFailure();
  pgopt_timed_kernel timed_kernel =
      pgopt_time_kernel(f->module, &f->planned, g, f->options->timings,
                        f->options->ignores_variants);
  pgopt_ranges ranges =
      f->options->split ? pgopt_make_ranges(&timed_kernel, f->options->split)
                        : pgopt_choose_ranges(&timed_kernel, f->resources,
                                              &f->costs, &f->planned.arena);
  size_t kernel, before = kernels->count;
  if (mlirLogicalResultIsFailure(pgopt_kernel_module_add(
          kernels, &f->planned.ir, plan,
          range_length(f, &timed_kernel, &ranges), group->id,
          timed_kernel.plain_signature, timed_kernel.variant, &kernel)))
    return mlirLogicalResultFailure();
  formed->shared += kernels->count == before;
  formed->layers_split += ranges.parts > 1;
  f->has_variants = f->has_variants || timed_kernel.variant;
  pgopt_count count = count_group(f, g);
  for (int64_t part = 0; part < ranges.parts; ++part) {
    pgopt_kernel_call call = {
        .group = g,
        .function =
            pgopt_arena_text(&f->planned.arena, kernels->kernels[kernel].name,
                             strlen(kernels->kernels[kernel].name)),
        .low = pgopt_ranges_begin(&ranges, part),
        .high = pgopt_ranges_begin(&ranges, part + 1)};
    describe_call(f, &call, part, ranges.parts, &count, &timed_kernel);
    PGOPT_APPEND(f->calls, f->call_count, f->call_capacity, call);
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult form_all(former *f, pgopt_pass *pass,
                                  MlirOperation entry, pgopt_formed *formed) {
  pgopt_kernel_module kernels;
  pgopt_kernel_module_create(f->module, &kernels);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t g = 0; g < f->planned.grouping.group_count &&
                     mlirLogicalResultIsSuccess(result);
       ++g)
    if (f->live[g])
      result = form_group(f, g, &kernels, formed);
    else
      ++formed->layers_dead;
  formed->kernels = (int64_t)kernels.count;
  formed->calls = (int64_t)f->call_count;
  MlirOperation rebuilt;
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_build_entry(f->module, entry, &f->planned.ir,
                               &f->planned.grouping, f->planned.plans, f->calls,
                               f->call_count, &kernels.names, &rebuilt);
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
              .options = options,
              .resources = resource_count(module)};
  int64_t reductions = 0;
  *formed = (pgopt_formed){0};
  if (mlirLogicalResultIsFailure(pgopt_read_sync_costs(
          module, options->distance ? options->distance : "far", &f.costs)) ||
      mlirLogicalResultIsFailure(pgopt_check_bound(entry)) ||
      (options->reductions &&
       (options->split ? options->split : f.resources) > 1 &&
       mlirLogicalResultIsFailure(pgopt_split_reductions(
           module, entry, options, f.resources, &f.costs, &reductions))) ||
      mlirLogicalResultIsFailure(
          pgopt_plan_network(entry, options->fuse, &f.planned)))
    return mlirLogicalResultFailure();
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry)); // it is rebuilt
  formed->reductions_split = reductions;
  find_live(&f);
  MlirLogicalResult result = form_all(&f, pass, entry, formed);
  if (mlirLogicalResultIsSuccess(result) && f.has_variants &&
      options->check_variants)
    result = options->check_variants(
        pass, module, pgopt_module_lookup(module, pgopt_ref(name)));
  free(name);
  free(f.calls);
  free(f.live);
  pgopt_planned_network_free(&f.planned);
  return result;
}
