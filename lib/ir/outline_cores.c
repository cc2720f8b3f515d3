/// \file One function a core.
///
/// What a core's ops use from the entry is found before anything moves: each
/// such value becomes an argument, a repeated constant, or, when a barrier on
/// another core computes it, the contents of a cell. Then functions are built
/// and ops moved, one core after the other.
#include "ir/outline_cores.h"

#include "base/pointer_map.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <stdlib.h>

/// How a value of the entry reaches the ops of one core.
typedef enum import_kind {
  IMPORT_ARGUMENT,
  IMPORT_CONSTANT,
  IMPORT_CELL,
} import_kind;

typedef struct core_import {
  MlirValue value;
  import_kind kind;
  size_t cell;       ///< of IMPORT_CELL
  MlirValue replace; ///< in the core's function; null before its first use
} core_import;

/// A result of a barrier that other cores, or the entry, use.
typedef struct scalar_cell {
  MlirValue value;
  MlirType type;     ///< memref of one element
  MlirValue storage; ///< in the entry
} scalar_cell;

typedef struct core_state {
  pgopt_pointer_map known; ///< value of the entry -> import
  core_import *imports;
  size_t import_count, import_capacity;
  MlirValue *operands; ///< of the call: arguments, then all cells
  size_t operand_count, operand_capacity;
  MlirBlock body;
  size_t first_cell; ///< the function's argument for the first cell
} core_state;

typedef struct outliner {
  MlirOperation module, entry;
  MlirContext context;
  MlirBlock block; ///< the entry's body
  const pgopt_call_program *program;
  const pgopt_core_lists *lists;
  pgopt_pointer_map core_of; ///< op of a scheduled node -> core
  pgopt_pointer_map cell_of; ///< value -> cell
  core_state *cores;
  scalar_cell *cells;
  size_t cell_count, cell_capacity;
} outliner;

void pgopt_write_schedule(const pgopt_call_program *program,
                          const pgopt_schedule *schedule) {
  for (size_t i = 0; i < schedule->node_count; ++i) {
    MlirOperation op = program->ops[i];
    if (schedule->core[i] == PGOPT_NO_CORE) {
      pgopt_remove(op, PGOPT_CORE);
      pgopt_remove(op, PGOPT_SLOT);
    } else {
      pgopt_set_i64(op, PGOPT_CORE, schedule->core[i]);
      pgopt_set_i64(op, PGOPT_SLOT, schedule->slot[i]);
    }
  }
}

static bool is_of_entry(const outliner *o, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value), o->block);
  return mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                        o->block);
}

/// The core that computes the value; -1 when none does.
static int core_of_value(const outliner *o, MlirValue value) {
  int core = -1;
  if (mlirValueIsAOpResult(value))
    pgopt_pointer_map_get(&o->core_of, mlirOpResultGetOwner(value).ptr, &core);
  return core;
}

static size_t find_cell(outliner *o, MlirValue value) {
  int known;
  if (pgopt_pointer_map_get(&o->cell_of, value.ptr, &known))
    return (size_t)known;
  scalar_cell added = {.value = value};
  PGOPT_APPEND(o->cells, o->cell_count, o->cell_capacity, added);
  pgopt_pointer_map_set(&o->cell_of, value.ptr, (int)o->cell_count - 1);
  return o->cell_count - 1;
}

typedef struct operand_walk {
  outliner *outliner;
  size_t core;
} operand_walk;

static void import_value(outliner *o, size_t core, MlirValue value) {
  core_state *state = &o->cores[core];
  int known, computed_on = core_of_value(o, value);
  if (!is_of_entry(o, value) || computed_on == (int)core ||
      pgopt_pointer_map_get(&state->known, value.ptr, &known))
    return;
  core_import added = {.value = value, .kind = IMPORT_ARGUMENT};
  if (computed_on >= 0) {
    added.kind = IMPORT_CELL;
    added.cell = find_cell(o, value);
  } else if (mlirValueIsAOpResult(value) &&
             pgopt_op_is(mlirOpResultGetOwner(value), "arith.constant")) {
    added.kind = IMPORT_CONSTANT;
  } else {
    PGOPT_APPEND(state->operands, state->operand_count, state->operand_capacity,
                 value);
  }
  PGOPT_APPEND(state->imports, state->import_count, state->import_capacity,
               added);
  pgopt_pointer_map_set(&state->known, value.ptr, (int)state->import_count - 1);
}

static MlirWalkResult import_operands(MlirOperation op, void *data) {
  operand_walk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    import_value(walk->outliner, walk->core, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

/// The ancestor of `op`, or `op`, that stands in the entry's block; null when
/// there is none.
static MlirOperation in_entry_block(const outliner *o, MlirOperation op) {
  while (!mlirOperationIsNull(op) &&
         !mlirBlockEqual(mlirOperationGetBlock(op), o->block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// Results of scheduled ops that ops which stay in the entry use need a cell.
static void find_entry_cells(outliner *o, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = mlirOperationGetResult(op, i);
    MlirOpOperand use = mlirValueGetFirstUse(value);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      int core;
      if (!pgopt_pointer_map_get(
              &o->core_of, in_entry_block(o, mlirOpOperandGetOwner(use)).ptr,
              &core))
        find_cell(o, value);
    }
  }
}

static void analyse(outliner *o) {
  for (size_t core = 0; core < o->lists->count; ++core)
    for (size_t i = 0; i < o->lists->cores[core].count; ++i) {
      const pgopt_event *event = &o->lists->cores[core].events[i];
      if (event->kind == PGOPT_EVENT_RUN)
        pgopt_pointer_map_set(&o->core_of, o->program->ops[event->node].ptr,
                              (int)core);
    }
  for (size_t core = 0; core < o->lists->count; ++core)
    for (size_t i = 0; i < o->lists->cores[core].count; ++i) {
      const pgopt_event *event = &o->lists->cores[core].events[i];
      if (event->kind != PGOPT_EVENT_RUN)
        continue;
      MlirOperation op = o->program->ops[event->node];
      operand_walk walk = {o, core};
      mlirOperationWalk(op, import_operands, &walk, MlirWalkPreOrder);
      find_entry_cells(o, op);
    }
}

static char *function_name(const outliner *o, pgopt_arena *arena, size_t core) {
  MlirStringRef entry = pgopt_symbol_name(o->entry);
  return pgopt_arena_format(arena, "%.*s_core%zu", (int)entry.length,
                            entry.data, core);
}

static MlirLogicalResult claim_symbols(const outliner *o, pgopt_arena *arena) {
  for (size_t core = 0; core < o->lists->count; ++core) {
    const char *name = function_name(o, arena, core);
    MlirOperation taken = pgopt_module_lookup(o->module, pgopt_ref(name));
    if (!mlirOperationIsNull(taken))
      return pgopt_emit_error(taken,
                              "symbol '%s' is needed for the function of a "
                              "core; rename it",
                              name);
  }
  MlirType i64 = mlirIntegerTypeGet(o->context, 64);
  MlirType two[] = {i64, i64};
  if (pgopt_core_lists_count(o->lists, PGOPT_EVENT_WAIT) &&
      (mlirLogicalResultIsFailure(pgopt_declare_function(
           o->module, "pgopt_rt_wait",
           mlirFunctionTypeGet(o->context, 2, two, 0, NULL))) ||
       mlirLogicalResultIsFailure(pgopt_declare_function(
           o->module, "pgopt_rt_signal",
           mlirFunctionTypeGet(o->context, 1, two, 0, NULL)))))
    return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

/// Everything behind the first scheduled op that neither moves to a core nor
/// depends on one goes in front of it: storage, views, constants, scalars.
static void gather_setup(const outliner *o, MlirOperation first) {
  pgopt_pointer_map nodes = {0};
  for (size_t i = 0; i < o->program->graph->node_count; ++i)
    pgopt_pointer_map_set(&nodes, o->program->ops[i].ptr, 1);
  MlirOperation op = first, terminator = mlirBlockGetTerminator(o->block);
  while (!mlirOperationEqual(op, terminator)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    int is_node;
    if (!pgopt_pointer_map_get(&nodes, op.ptr, &is_node))
      mlirOperationMoveBefore(op, first);
    op = next;
  }
  pgopt_pointer_map_free(&nodes);
}

/// \returns failure after one error: there are no memrefs of such a type.
static MlirLogicalResult type_cells(outliner *o) {
  for (size_t i = 0; i < o->cell_count; ++i) {
    MlirValue value = o->cells[i].value;
    o->cells[i].type = mlirMemRefTypeContiguousGetChecked(
        mlirOperationGetLocation(mlirOpResultGetOwner(value)),
        mlirValueGetType(value), 0, NULL, mlirAttributeGetNull());
    if (mlirTypeIsNull(o->cells[i].type))
      return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

static void build_cells(outliner *o, MlirOperation before) {
  for (size_t i = 0; i < o->cell_count; ++i) {
    static const int32_t no_operands[2] = {0, 0};
    MlirNamedAttribute sizes =
        pgopt_named(o->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(o->context, 2, no_operands));
    pgopt_op_spec spec = {.name = "memref.alloc",
                          .location = mlirOperationGetLocation(
                              mlirOpResultGetOwner(o->cells[i].value)),
                          .result_count = 1,
                          .results = &o->cells[i].type,
                          .attribute_count = 1,
                          .attributes = &sizes};
    o->cells[i].storage = pgopt_result(pgopt_build_before(before, &spec));
  }
}

/// A constant of the function with the value of `constant`, the same one for
/// equal values.
static MlirValue repeat_constant(core_state *state, MlirOperation constant,
                                 pgopt_pointer_map *repeated) {
  const void *key = pgopt_op_attribute(constant, "value").ptr;
  int known;
  if (pgopt_pointer_map_get(repeated, key, &known))
    return state->imports[known].replace;
  MlirOperation copy = mlirOperationClone(constant);
  mlirBlockAppendOwnedOperation(state->body, copy);
  return pgopt_result(copy);
}

static void repeat_imports(core_state *state) {
  size_t argument = 0;
  pgopt_pointer_map repeated = {0};
  for (size_t i = 0; i < state->import_count; ++i) {
    core_import *import = &state->imports[i];
    if (import->kind == IMPORT_ARGUMENT) {
      import->replace = mlirBlockGetArgument(state->body, (intptr_t)argument++);
    } else if (import->kind == IMPORT_CONSTANT) {
      MlirOperation constant = mlirOpResultGetOwner(import->value);
      import->replace = repeat_constant(state, constant, &repeated);
      pgopt_pointer_map_set(&repeated,
                            pgopt_op_attribute(constant, "value").ptr, (int)i);
    }
  }
  pgopt_pointer_map_free(&repeated);
}

static void build_function(outliner *o, pgopt_arena *arena, size_t core) {
  core_state *state = &o->cores[core];
  state->first_cell = state->operand_count;
  for (size_t i = 0; i < o->cell_count; ++i)
    PGOPT_APPEND(state->operands, state->operand_count, state->operand_capacity,
                 o->cells[i].storage);
  MlirType *types = pgopt_allocate(state->operand_count, sizeof *types);
  for (size_t i = 0; i < state->operand_count; ++i)
    types[i] = mlirValueGetType(state->operands[i]);
  MlirLocation location = mlirOperationGetLocation(o->entry);
  MlirOperation function = pgopt_build_function(
      o->module, function_name(o, arena, core),
      mlirFunctionTypeGet(o->context, (intptr_t)state->operand_count, types, 0,
                          NULL),
      true, location, &state->body);
  mlirOperationSetAttributeByName(function, pgopt_ref("no_inline"),
                                  mlirUnitAttrGet(o->context));
  pgopt_set_i64(function, PGOPT_CORE, (int64_t)core);
  repeat_imports(state);
  free(types);
}

static MlirValue cell_argument(const core_state *state, size_t cell) {
  return mlirBlockGetArgument(state->body,
                              (intptr_t)(state->first_cell + cell));
}

static MlirOperation build_load(const outliner *o, MlirBlock block,
                                MlirLocation location, size_t cell,
                                MlirValue storage) {
  MlirType type = mlirValueGetType(o->cells[cell].value);
  pgopt_op_spec spec = {.name = "memref.load",
                        .location = location,
                        .operand_count = 1,
                        .operands = &storage,
                        .result_count = 1,
                        .results = &type};
  return pgopt_build(block, &spec);
}

static MlirWalkResult replace_operands(MlirOperation op, void *data) {
  operand_walk *walk = data;
  const outliner *o = walk->outliner;
  core_state *state = &walk->outliner->cores[walk->core];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int index;
    if (!pgopt_pointer_map_get(&state->known,
                               mlirOperationGetOperand(op, i).ptr, &index))
      continue;
    core_import *import = &state->imports[index];
    // Behind the waits of the first op that uses it, so after it was stored.
    if (mlirValueIsNull(import->replace))
      import->replace = pgopt_result(
          build_load(o, state->body, mlirOperationGetLocation(op), import->cell,
                     cell_argument(state, import->cell)));
    mlirOperationSetOperand(op, i, import->replace);
  }
  return MlirWalkResultAdvance;
}

static void move_op(outliner *o, size_t core, MlirOperation op) {
  core_state *state = &o->cores[core];
  operand_walk walk = {o, core};
  mlirOperationWalk(op, replace_operands, &walk, MlirWalkPreOrder);
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(state->body, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    int cell;
    MlirValue value = mlirOperationGetResult(op, i);
    if (!pgopt_pointer_map_get(&o->cell_of, value.ptr, &cell))
      continue;
    MlirValue operands[] = {value, cell_argument(state, (size_t)cell)};
    pgopt_op_spec spec = {.name = "memref.store",
                          .location = mlirOperationGetLocation(op),
                          .operand_count = 2,
                          .operands = operands};
    pgopt_build(state->body, &spec);
  }
}

static void build_call(const outliner *o, MlirBlock block,
                       MlirLocation location, const char *callee,
                       const MlirValue *operands, size_t count) {
  MlirNamedAttribute attribute =
      pgopt_named(o->context, "callee",
                  mlirFlatSymbolRefAttrGet(o->context, pgopt_ref(callee)));
  pgopt_op_spec spec = {.name = "func.call",
                        .location = location,
                        .operand_count = count,
                        .operands = operands,
                        .attribute_count = 1,
                        .attributes = &attribute};
  pgopt_build(block, &spec);
}

/// i64 constants of one function, each built at its first use.
typedef struct number_pool {
  MlirBlock block;
  MlirValue *values;
  size_t capacity;
} number_pool;

static MlirValue number(number_pool *pool, MlirLocation location,
                        int64_t value) {
  size_t old = pool->capacity, index = (size_t)value;
  if (index >= old) {
    pgopt_reserve((void **)&pool->values, &pool->capacity, index + 1,
                  sizeof *pool->values);
    for (size_t i = old; i < pool->capacity; ++i)
      pool->values[i] = (MlirValue){NULL};
  }
  if (mlirValueIsNull(pool->values[index]))
    pool->values[index] = pgopt_build_i64(pool->block, location, value);
  return pool->values[index];
}

static void fill_function(outliner *o, size_t core) {
  core_state *state = &o->cores[core];
  const pgopt_core_list *list = &o->lists->cores[core];
  number_pool pool = {.block = state->body};
  MlirLocation location = mlirOperationGetLocation(o->entry);
  for (size_t i = 0; i < list->count; ++i) {
    const pgopt_event *event = &list->events[i];
    MlirOperation op = o->program->ops[event->node];
    location = mlirOperationGetLocation(op);
    MlirValue operands[2];
    switch (event->kind) {
    case PGOPT_EVENT_RUN:
      move_op(o, core, op);
      break;
    case PGOPT_EVENT_WAIT:
      operands[0] = number(&pool, location, event->core);
      operands[1] = number(&pool, location, event->value);
      build_call(o, state->body, location, "pgopt_rt_wait", operands, 2);
      break;
    case PGOPT_EVENT_SIGNAL:
      operands[0] = number(&pool, location, event->value);
      build_call(o, state->body, location, "pgopt_rt_signal", operands, 1);
      break;
    }
  }
  pgopt_op_spec spec = {.name = "func.return", .location = location};
  pgopt_build(state->body, &spec);
  free(pool.values);
}

static MlirBlock add_block(MlirOperation op, intptr_t region, size_t arguments,
                           MlirType type) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (size_t i = 0; i < arguments; ++i)
    mlirBlockAddArgument(block, type, mlirOperationGetLocation(op));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, region), block);
  return block;
}

static MlirOperation build_bound(MlirOperation before, MlirLocation location,
                                 int64_t value) {
  MlirContext context = mlirLocationGetContext(location);
  MlirType index = mlirIndexTypeGet(context);
  MlirNamedAttribute attribute =
      pgopt_named(context, "value", mlirIntegerAttrGet(index, value));
  pgopt_op_spec spec = {.name = "arith.constant",
                        .location = location,
                        .result_count = 1,
                        .results = &index,
                        .attribute_count = 1,
                        .attributes = &attribute};
  return pgopt_build_before(before, &spec);
}

/// The scf.parallel over the cores: case k calls core k, the last one is the
/// default.
static void build_parallel(outliner *o, pgopt_arena *arena,
                           MlirOperation before) {
  size_t count = o->lists->count;
  MlirLocation location = mlirOperationGetLocation(o->entry);
  MlirType index = mlirIndexTypeGet(o->context);
  const int64_t bound_values[] = {0, (int64_t)count, 1};
  MlirValue bounds[3];
  for (int i = 0; i < 3; ++i)
    bounds[i] = pgopt_result(build_bound(before, location, bound_values[i]));
  static const int32_t segments[] = {1, 1, 1, 0};
  MlirNamedAttribute sizes =
      pgopt_named(o->context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(o->context, 4, segments));
  pgopt_op_spec parallel = {.name = "scf.parallel",
                            .location = location,
                            .operand_count = 3,
                            .operands = bounds,
                            .attribute_count = 1,
                            .attributes = &sizes,
                            .region_count = 1};
  MlirOperation loop = pgopt_build_before(before, &parallel);
  MlirBlock body = add_block(loop, 0, 1, index);
  int64_t *cases = pgopt_allocate(count, sizeof *cases);
  for (size_t i = 0; i < count; ++i)
    cases[i] = (int64_t)i;
  MlirNamedAttribute case_attribute =
      pgopt_named(o->context, "cases",
                  mlirDenseI64ArrayGet(o->context, (intptr_t)count - 1, cases));
  MlirValue core = mlirBlockGetArgument(body, 0);
  pgopt_op_spec choice = {.name = "scf.index_switch",
                          .location = location,
                          .operand_count = 1,
                          .operands = &core,
                          .attribute_count = 1,
                          .attributes = &case_attribute,
                          .region_count = count};
  MlirOperation choose = pgopt_build(body, &choice);
  for (size_t i = 0; i < count; ++i) {
    intptr_t region = i + 1 == count ? 0 : (intptr_t)i + 1;
    MlirBlock block = add_block(choose, region, 0, index);
    build_call(o, block, location, function_name(o, arena, i),
               o->cores[i].operands, o->cores[i].operand_count);
    pgopt_op_spec yield = {.name = "scf.yield", .location = location};
    pgopt_build(block, &yield);
  }
  pgopt_op_spec reduce = {.name = "scf.reduce", .location = location};
  pgopt_build(body, &reduce);
  free(cases);
}

/// Ops that stay in the entry read what they need from the cells, right behind
/// the parallel loop.
static void load_cells_in_entry(const outliner *o, MlirOperation after) {
  for (size_t i = 0; i < o->cell_count; ++i) {
    MlirOperation load = {NULL};
    MlirOpOperand use = mlirValueGetFirstUse(o->cells[i].value);
    while (!mlirOpOperandIsNull(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      unsigned operand = mlirOpOperandGetOperandNumber(use);
      use = mlirOpOperandGetNextUse(use);
      if (mlirOperationIsNull(in_entry_block(o, user)))
        continue;
      if (mlirOperationIsNull(load)) {
        load = build_load(o, o->block, mlirOperationGetLocation(user), i,
                          o->cells[i].storage);
        mlirOperationMoveBefore(load, after);
      }
      mlirOperationSetOperand(user, operand, pgopt_result(load));
    }
  }
}

static void erase_unused_constants(const outliner *o) {
  MlirOperation op = mlirBlockGetFirstOperation(o->block);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (pgopt_op_is(op, "arith.constant") &&
        mlirOpOperandIsNull(mlirValueGetFirstUse(pgopt_result(op))))
      mlirOperationDestroy(op);
    op = next;
  }
}

static MlirOperation first_scheduled(const outliner *o) {
  MlirOperation op = mlirBlockGetFirstOperation(o->block);
  int core;
  while (!pgopt_pointer_map_get(&o->core_of, op.ptr, &core))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/// The first op behind those of the cores; the terminator at the latest.
static MlirOperation first_behind(const outliner *o) {
  MlirOperation op = mlirBlockGetFirstOperation(o->block), behind = op;
  int core;
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (pgopt_pointer_map_get(&o->core_of, op.ptr, &core))
      behind = mlirOperationGetNextInBlock(op);
  return behind;
}

static void rewrite(outliner *o, pgopt_arena *arena) {
  MlirOperation first = first_scheduled(o);
  gather_setup(o, first);
  MlirOperation behind = first_behind(o);
  build_cells(o, first);
  for (size_t core = 0; core < o->lists->count; ++core)
    build_function(o, arena, core);
  for (size_t core = 0; core < o->lists->count; ++core)
    fill_function(o, core);
  build_parallel(o, arena, behind);
  load_cells_in_entry(o, behind);
  erase_unused_constants(o);
}

MlirLogicalResult pgopt_outline_cores(MlirOperation module,
                                      const pgopt_call_program *program,
                                      const pgopt_core_lists *lists) {
  outliner o = {.module = module,
                .entry = program->entry,
                .context = mlirOperationGetContext(module),
                .block = pgopt_function_body(program->entry),
                .program = program,
                .lists = lists,
                .cores = pgopt_allocate(lists->count, sizeof *o.cores)};
  pgopt_arena names = {0};
  MlirLogicalResult result = claim_symbols(&o, &names);
  if (mlirLogicalResultIsSuccess(result)) {
    analyse(&o);
    result = type_cells(&o);
  }
  if (mlirLogicalResultIsSuccess(result))
    rewrite(&o, &names);
  for (size_t i = 0; i < lists->count; ++i) {
    pgopt_pointer_map_free(&o.cores[i].known);
    free(o.cores[i].imports);
    free(o.cores[i].operands);
  }
  free(o.cores);
  free(o.cells);
  pgopt_pointer_map_free(&o.core_of);
  pgopt_pointer_map_free(&o.cell_of);
  pgopt_arena_free(&names);
  return result;
}
