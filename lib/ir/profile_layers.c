/// \file Groups a normalised clone and finds back to the input's ops.
#include "ir/profile_layers.h"

#include "grouping/kernel_plan.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/kernel_signature.h"
#include "ir/normalize_entry.h"
#include "ir/rooflines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char location_prefix[] = "pgopt op ";

/// Gives the clone's op number i the location "pgopt op i".
static void number_locations(MlirOperation entry) {
  MlirContext context = mlirOperationGetContext(entry);
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(entry), &count);
  for (size_t i = 0; i < count; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%s%zu", location_prefix, i);
    mlirOperationSetLocation(
        ops[i], mlirLocationNameGet(context, pgopt_ref(name),
                                    mlirOperationGetLocation(ops[i])));
  }
  free(ops);
}

/// The number of the input's op that an op of the grouped network comes from,
/// or -1: itself when the input is what was grouped.
static int origin(const pgopt_ir_network *input, const pgopt_network *lowered,
                  size_t number) {
  if (lowered == &input->network)
    return (int)number;
  const pgopt_op *op = &lowered->ops[number];
  size_t count = input->network.op_count;
  size_t prefix = strlen(location_prefix);
  if (strncmp(op->location, location_prefix, prefix))
    return -1;
  char *end;
  unsigned long from = strtoul(op->location + prefix, &end, 10);
  return *end || from >= count ? -1 : (int)from;
}

/// Per op of the input the group that it belongs to, -1 for none. An op may be
/// lowered to several groups: it belongs to the one that it is the core of, and
/// among several of those to the one that computes most.
static int *assign(const pgopt_ir_network *input, const pgopt_network *lowered,
                   const pgopt_grouping *grouping, const pgopt_layer *layers) {
  size_t count = input->network.op_count;
  int *group_of = pgopt_allocate(count, sizeof *group_of);
  bool *is_core = pgopt_allocate(count, sizeof *is_core);
  for (size_t i = 0; i < count; ++i)
    group_of[i] = -1;
  for (size_t i = 0; i < lowered->op_count; ++i) {
    int from = origin(input, lowered, i), g = grouping->group_of[i];
    if (from < 0 || g < 0 || !pgopt_op_is_counted(&input->network.ops[from]))
      continue;
    bool core = grouping->groups[g].core == (int)i;
    int old = group_of[from];
    if (old < 0 ||
        (core && (!is_core[from] ||
                  layers[g].count.operations > layers[old].count.operations))) {
      group_of[from] = g;
      is_core[from] = core;
    }
  }
  free(is_core);
  return group_of;
}

/// Lists the members of every layer.
static void list_members(const pgopt_ir_network *input, const int *group_of,
                         pgopt_layers *result) {
  size_t count = input->network.op_count;
  for (size_t i = 0; i < count; ++i)
    if (group_of[i] >= 0)
      ++result->layers[group_of[i]].member_count;
  for (size_t g = 0; g < result->count; ++g) {
    pgopt_layer *layer = &result->layers[g];
    layer->members = pgopt_arena_allocate(&result->arena, layer->member_count,
                                          sizeof *layer->members);
    layer->member_count = 0;
  }
  for (size_t i = 0; i < count; ++i)
    if (group_of[i] >= 0) {
      pgopt_layer *layer = &result->layers[group_of[i]];
      ((int *)layer->members)[layer->member_count++] = (int)i;
    }
}

static void describe(MlirOperation entry, const pgopt_ir_network *input,
                     const pgopt_network *lowered,
                     const pgopt_grouping *grouping, pgopt_layers *result) {
  pgopt_counter counter = {lowered, NULL, NULL};
  result->count = grouping->group_count;
  result->layers = pgopt_arena_allocate(&result->arena, result->count,
                                        sizeof *result->layers);
  for (size_t g = 0; g < result->count; ++g) {
    const pgopt_group *group = &grouping->groups[g];
    pgopt_kernel_plan plan =
        pgopt_plan_kernel(lowered, grouping, g, &result->arena);
    pgopt_layer *layer = &result->layers[g];
    layer->id = pgopt_arena_text(&result->arena, group->id, strlen(group->id));
    layer->signature =
        pgopt_kernel_signature(entry, lowered, group, &result->arena);
    pgopt_count_kernel(&counter, group->members, group->member_count,
                       plan.inputs, plan.input_count, plan.outputs,
                       plan.output_count, &layer->count);
    layer->work = pgopt_group_work(
        lowered, &plan, *layer->count.unknown ? -1 : layer->count.operations,
        layer->count.bytes);
  }
  int *group_of = assign(input, lowered, grouping, result->layers);
  list_members(input, group_of, result);
  for (size_t g = 0; g < result->count; ++g) {
    pgopt_layer *layer = &result->layers[g];
    const pgopt_op *core = &lowered->ops[grouping->groups[g].core];
    int from = origin(input, lowered, (size_t)grouping->groups[g].core);
    layer->core = from >= 0 && group_of[from] == (int)g ? from : -1;
    const char *name =
        layer->core < 0 ? core->name : input->network.ops[from].name;
    layer->name = pgopt_arena_text(&result->arena, name, strlen(name));
  }
  free(group_of);
}

static MlirLogicalResult group(MlirOperation entry,
                               const pgopt_ir_network *network,
                               const pgopt_network *lowered, bool fuse,
                               pgopt_layers *result) {
  pgopt_grouping grouping;
  pgopt_error error = {0};
  MlirLogicalResult status = mlirLogicalResultSuccess();
  if (pgopt_group_network(lowered, fuse, &grouping, &error))
    status = pgopt_emit_error(entry, "%s", error.message);
  else
    describe(entry, network, lowered, &grouping, result);
  pgopt_grouping_free(&grouping);
  return status;
}

MlirLogicalResult pgopt_find_layers(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry,
                                    const pgopt_ir_network *network, bool fuse,
                                    bool needs_clone, pgopt_layers *result) {
  *result = (pgopt_layers){0};
  if (!needs_clone && pgopt_entry_is_normal(entry))
    return group(entry, network, &network->network, fuse, result);
  result->clone = pgopt_nest_copy(module);
  result->entry = pgopt_module_lookup(result->clone, pgopt_symbol_name(entry));
  number_locations(result->entry);
  pgopt_normalized normalized;
  pgopt_ir_network lowered;
  if (mlirLogicalResultIsFailure(pgopt_normalize_entry(
          pass, result->clone, result->entry, &normalized)) ||
      mlirLogicalResultIsFailure(pgopt_read_network(result->entry, &lowered)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status =
      group(entry, network, &lowered.network, fuse, result);
  pgopt_ir_network_free(&lowered);
  return status;
}

void pgopt_layers_free(pgopt_layers *layers) {
  if (!mlirOperationIsNull(layers->clone))
    mlirOperationDestroy(layers->clone);
  pgopt_arena_free(&layers->arena);
  *layers = (pgopt_layers){0};
}
