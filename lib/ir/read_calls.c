/// \file From kernel calls to the Profile graph.
///
/// First the entry (and the functions of its cores) are gone through once:
/// every memref is followed to the buffer it is a view of, nodes are collected
/// in the order of the IR. Then the nodes enter the graph; those of a scheduled
/// program in an order in which its lists can run.
#include "ir/read_calls.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/kernel_interface.h"
#include "ir/symbol_index.h"
#include "schedule/list_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A load or store outside of the kernels of a scheduled program.
typedef struct cell_access {
  MlirOperation op;
  size_t buffer;
} cell_access;

typedef struct reader {
  pgopt_call_program *program;
  pgopt_profile_graph *graph;
  pgopt_symbol_index symbols;
  pgopt_pointer_map kernels; ///< by function op
  pgopt_kernel_interface *interfaces;
  size_t interface_count, interface_capacity;
  pgopt_pointer_map globals; ///< by flat symbol reference
  int64_t value_buffers;
  pgopt_pointer_map fed; ///< values that barriers compute
  cell_access *cells;
  size_t cell_count, cell_capacity;
  MlirOperation *nodes; ///< in the order of the IR
  size_t node_count, node_capacity;
  size_t leading; ///< nodes in front of the cores
} reader;

static MlirLogicalResult find_interface(reader *r, MlirOperation call,
                                        size_t *index) {
  MlirOperation function =
      pgopt_symbol_index_resolve(&r->symbols, call, "callee");
  if (mlirOperationIsNull(function) || !pgopt_op_is(function, "func.func"))
    return pgopt_emit_error(call, "the callee is not a function of the module");
  int known;
  if (pgopt_pointer_map_get(&r->kernels, function.ptr, &known)) {
    *index = (size_t)known;
    return mlirLogicalResultSuccess();
  }
  pgopt_kernel_interface interface;
  if (mlirLogicalResultIsFailure(
          pgopt_read_kernel_interface(function, &interface)))
    return mlirLogicalResultFailure();
  PGOPT_APPEND(r->interfaces, r->interface_count, r->interface_capacity,
               interface);
  *index = r->interface_count - 1;
  pgopt_pointer_map_set(&r->kernels, function.ptr, (int)*index);
  return mlirLogicalResultSuccess();
}

/// A new buffer for the memref `value`; an error goes to `op`.
static MlirLogicalResult add_buffer(reader *r, MlirOperation op,
                                    MlirValue value, const char *name,
                                    pgopt_buffer_kind kind) {
  pgopt_array_type type;
  const char *defect = pgopt_array_type_read(mlirValueGetType(value), &type);
  if (defect)
    return pgopt_emit_error(op, "buffer '%s' %s", name, defect);
  pgopt_graph_buffer buffer = {name, kind, type.elements,
                               pgopt_element_bytes(type.element)};
  size_t index = pgopt_profile_graph_add_buffer(r->graph, &buffer);
  pgopt_pointer_map_set(&r->program->buffers, value.ptr, (int)index);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_arguments(reader *r) {
  MlirBlock body = pgopt_function_body(r->program->entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue value = mlirBlockGetArgument(body, i);
    if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
      continue;
    char name[32];
    snprintf(name, sizeof name, "arg%lld", (long long)i);
    if (mlirLogicalResultIsFailure(add_buffer(r, r->program->entry, value, name,
                                              PGOPT_BUFFER_ARGUMENT)))
      return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_global(reader *r, MlirOperation op) {
  MlirAttribute symbol = pgopt_op_attribute(op, "name");
  MlirOperation global = pgopt_symbol_index_resolve(&r->symbols, op, "name");
  if (mlirOperationIsNull(global))
    return pgopt_emit_error(op, "the global is not in the module");
  int known;
  if (pgopt_pointer_map_get(&r->globals, symbol.ptr, &known)) {
    pgopt_pointer_map_set(&r->program->buffers, pgopt_result(op).ptr, known);
    return mlirLogicalResultSuccess();
  }
  bool is_parameter = !mlirAttributeIsNull(pgopt_get(global, PGOPT_PARAMETER));
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(global));
  MlirLogicalResult result =
      add_buffer(r, op, pgopt_result(op), name,
                 is_parameter ? PGOPT_BUFFER_PARAMETER : PGOPT_BUFFER_CONSTANT);
  free(name);
  if (mlirLogicalResultIsSuccess(result))
    pgopt_pointer_map_set(&r->globals, symbol.ptr,
                          (int)r->graph->buffer_count - 1);
  return result;
}

static MlirLogicalResult read_view(reader *r, MlirOperation op) {
  int buffer;
  if (!pgopt_pointer_map_get(&r->program->buffers,
                             mlirOperationGetOperand(op, 0).ptr, &buffer))
    return pgopt_emit_error(op, "the memref is not one that the entry takes, "
                                "allocates or gets from a global");
  pgopt_pointer_map_set(&r->program->buffers, pgopt_result(op).ptr, buffer);
  return mlirLogicalResultSuccess();
}

static bool is_view(MlirOperation op) {
  return pgopt_op_is(op, "memref.expand_shape") ||
         pgopt_op_is(op, "memref.collapse_shape") ||
         pgopt_op_is(op, "memref.cast");
}

/// Loads and stores of single numbers: how a barrier's result gets from one
/// core to others.
static bool is_cell_access(MlirOperation op) {
  return (pgopt_op_is(op, "memref.load") &&
          mlirOperationGetNumOperands(op) == 1) ||
         (pgopt_op_is(op, "memref.store") &&
          mlirOperationGetNumOperands(op) == 2);
}

static MlirLogicalResult read_cell_access(reader *r, MlirOperation op) {
  bool is_load = pgopt_op_is(op, "memref.load");
  int buffer;
  if (!pgopt_pointer_map_get(&r->program->buffers,
                             mlirOperationGetOperand(op, is_load ? 0 : 1).ptr,
                             &buffer))
    return pgopt_emit_error(op,
                            "the memref is not one that the entry allocates");
  cell_access access = {op, (size_t)buffer};
  PGOPT_APPEND(r->cells, r->cell_count, r->cell_capacity, access);
  if (is_load)
    pgopt_pointer_map_set(&r->fed, pgopt_result(op).ptr, 1);
  return mlirLogicalResultSuccess();
}

static bool is_fed_by_barrier(const reader *r, MlirOperation op) {
  int unused;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (pgopt_pointer_map_get(&r->fed, mlirOperationGetOperand(op, i).ptr,
                              &unused))
      return true;
  return false;
}

/// Arithmetic on scalars has no side effects and no place of its own, unless a
/// barrier computes what it works on.
static bool is_free_scalar(const reader *r, MlirOperation op) {
  return pgopt_op_is(op, "arith.constant") ||
         ((pgopt_op_in_dialect(op, "arith") ||
           pgopt_op_in_dialect(op, "index") ||
           pgopt_op_in_dialect(op, "math")) &&
          !is_fed_by_barrier(r, op));
}

static void add_node(reader *r, MlirOperation op) {
  if (!pgopt_is_kernel_call(op))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      pgopt_pointer_map_set(&r->fed, mlirOperationGetResult(op, i).ptr, 1);
  PGOPT_APPEND(r->nodes, r->node_count, r->node_capacity, op);
}

/// One operation of the entry, or of a core's function; `is_node` tells whether
/// it was added to the nodes.
static MlirLogicalResult read_op(reader *r, MlirOperation op, bool *is_node) {
  *is_node = false;
  if (pgopt_op_is(op, "memref.alloc")) {
    char name[32];
    snprintf(name, sizeof name, "value%lld", (long long)r->value_buffers++);
    return add_buffer(r, op, pgopt_result(op), name, PGOPT_BUFFER_VALUE);
  }
  if (pgopt_op_is(op, "memref.get_global"))
    return read_global(r, op);
  if (is_view(op))
    return read_view(r, op);
  if (r->program->lists.count && is_cell_access(op))
    return read_cell_access(r, op);
  if (is_free_scalar(r, op) || pgopt_op_is(op, "func.return"))
    return mlirLogicalResultSuccess();
  if (!pgopt_is_kernel_call(op) && pgopt_mentions_arrays(op)) {
    MlirStringRef name = pgopt_op_name(op);
    return pgopt_emit_error(op,
                            "'%.*s' with memrefs is neither a kernel call nor "
                            "storage nor a view",
                            (int)name.length, name.data);
  }
  *is_node = true;
  add_node(r, op);
  return mlirLogicalResultSuccess();
}

static bool is_call_of(MlirOperation op, const char *name) {
  return pgopt_op_is(op, "func.call") && pgopt_ref_is(pgopt_callee(op), name);
}

/// A wait or signal of the runtime with constant operands.
static MlirLogicalResult read_sync(MlirOperation op, bool is_wait,
                                   pgopt_event *event) {
  intptr_t expected = is_wait ? 2 : 1;
  *event =
      (pgopt_event){.kind = is_wait ? PGOPT_EVENT_WAIT : PGOPT_EVENT_SIGNAL};
  if (mlirOperationGetNumOperands(op) != expected ||
      !pgopt_constant_value(mlirOperationGetOperand(op, expected - 1),
                            &event->value) ||
      (is_wait &&
       !pgopt_constant_value(mlirOperationGetOperand(op, 0), &event->core)))
    return pgopt_emit_error(op, "the operands of waits and signals must be "
                                "constants");
  return mlirLogicalResultSuccess();
}

/// The block of a function or region that must have exactly one.
static MlirLogicalResult only_block(MlirOperation op, MlirRegion region,
                                    MlirBlock *block) {
  *block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(*block))
    return pgopt_emit_error(op, "function has no body");
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(*block)))
    return pgopt_emit_error(op, "function has several blocks, only "
                                "straight-line code calls kernels");
  return mlirLogicalResultSuccess();
}

/// A node's core and slot, as its attributes have them, must be its place.
static MlirLogicalResult check_place(MlirOperation op, int64_t core,
                                     int64_t slot) {
  int64_t said_core = PGOPT_NO_CORE, said_slot = PGOPT_NO_CORE;
  pgopt_get_i64(op, PGOPT_CORE, &said_core);
  pgopt_get_i64(op, PGOPT_SLOT, &said_slot);
  if (said_core == core && said_slot == slot)
    return mlirLogicalResultSuccess();
  return pgopt_emit_error(op,
                          "stands in slot %lld of core %lld, but its pg.core "
                          "and pg.slot do not say so",
                          (long long)slot, (long long)core);
}

/// The function of one core, called with the entry's buffers.
static MlirLogicalResult read_core(reader *r, MlirOperation call, size_t core) {
  MlirOperation function =
      pgopt_symbol_index_resolve(&r->symbols, call, "callee");
  MlirBlock body;
  if (mlirOperationIsNull(function) || !pgopt_op_is(function, "func.func"))
    return pgopt_emit_error(call, "the callee is not a function of the module");
  if (mlirLogicalResultIsFailure(
          only_block(function, mlirOperationGetRegion(function, 0), &body)))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    int known;
    const void *operand = mlirOperationGetOperand(call, i).ptr;
    const void *argument = mlirBlockGetArgument(body, i).ptr;
    if (pgopt_pointer_map_get(&r->program->buffers, operand, &known))
      pgopt_pointer_map_set(&r->program->buffers, argument, known);
    if (pgopt_pointer_map_get(&r->fed, operand, &known))
      pgopt_pointer_map_set(&r->fed, argument, known);
  }
  r->program->resources[core] = (int64_t)core;
  pgopt_get_i64(function, PGOPT_RESOURCE, &r->program->resources[core]);
  int64_t slot = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool is_wait = is_call_of(op, "pgopt_rt_wait");
    if (is_wait || is_call_of(op, "pgopt_rt_signal")) {
      pgopt_event event;
      if (mlirLogicalResultIsFailure(read_sync(op, is_wait, &event)))
        return mlirLogicalResultFailure();
      pgopt_core_lists_append(&r->program->lists, core, event);
      continue;
    }
    bool is_node;
    if (mlirLogicalResultIsFailure(read_op(r, op, &is_node)))
      return mlirLogicalResultFailure();
    if (!is_node)
      continue;
    if (mlirLogicalResultIsFailure(check_place(op, (int64_t)core, slot++)))
      return mlirLogicalResultFailure();
    pgopt_event run = {.kind = PGOPT_EVENT_RUN, .node = r->node_count - 1};
    pgopt_core_lists_append(&r->program->lists, core, run);
  }
  return mlirLogicalResultSuccess();
}

/// The only op of that name in the block, which may hold constants besides it
/// and its terminator; null when there are more or others.
static MlirOperation only_op(MlirBlock block, const char *name) {
  MlirOperation found = {NULL};
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (pgopt_op_is(op, "arith.constant") ||
        mlirOperationEqual(op, mlirBlockGetTerminator(block)))
      continue;
    if (!mlirOperationIsNull(found) || !pgopt_op_is(op, name))
      return (MlirOperation){NULL};
    found = op;
  }
  return found;
}

/// The calls of the cores' functions below the scf.parallel: region i + 1 of
/// the switch belongs to its case i, region 0 to the core that has no case.
static MlirLogicalResult read_parallel(reader *r, MlirOperation parallel) {
  static const char shape[] =
      "is not the scf.parallel of a schedule: one loop from 0 to the number "
      "of cores in steps of 1 over an scf.index_switch with one call a core";
  int64_t low, cores, step;
  if (r->program->lists.count)
    return pgopt_emit_error(parallel, "is the second scf.parallel of the "
                                      "entry, a schedule has one");
  if (mlirOperationGetNumOperands(parallel) != 3 ||
      !pgopt_constant_value(mlirOperationGetOperand(parallel, 0), &low) ||
      !pgopt_constant_value(mlirOperationGetOperand(parallel, 1), &cores) ||
      !pgopt_constant_value(mlirOperationGetOperand(parallel, 2), &step) ||
      low || step != 1 || cores < 1 || cores > PGOPT_MAX_RESOURCES)
    return pgopt_emit_error(parallel, shape);
  MlirOperation choice =
      only_op(mlirRegionGetFirstBlock(mlirOperationGetRegion(parallel, 0)),
              "scf.index_switch");
  if (mlirOperationIsNull(choice) ||
      mlirOperationGetNumRegions(choice) != cores ||
      mlirOperationGetNumResults(choice))
    return pgopt_emit_error(parallel, shape);
  r->program->lists = pgopt_core_lists_create((size_t)cores);
  r->program->resources =
      pgopt_allocate((size_t)cores, sizeof *r->program->resources);
  r->leading = r->node_count;
  MlirAttribute cases = pgopt_op_attribute(choice, "cases");
  int64_t sum = 0;
  MlirOperation *calls = pgopt_allocate((size_t)cores, sizeof *calls);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (intptr_t i = cores - 1; i >= 0; --i) {
    int64_t core = i ? mlirDenseI64ArrayGetElement(cases, i - 1)
                     : cores * (cores - 1) / 2 - sum;
    MlirOperation call =
        only_op(mlirRegionGetFirstBlock(mlirOperationGetRegion(choice, i)),
                "func.call");
    if (core < 0 || core >= cores || mlirOperationIsNull(call) ||
        !mlirOperationIsNull(calls[core])) {
      result = pgopt_emit_error(parallel, shape);
      break;
    }
    calls[core] = call;
    sum += core;
  }
  for (int64_t i = 0; i < cores && mlirLogicalResultIsSuccess(result); ++i)
    result = read_core(r, calls[i], (size_t)i);
  free(calls);
  return result;
}

static MlirLogicalResult read_entry(reader *r) {
  MlirOperation entry = r->program->entry;
  MlirBlock body;
  if (mlirLogicalResultIsFailure(
          only_block(entry, mlirOperationGetRegion(entry, 0), &body)) ||
      mlirLogicalResultIsFailure(read_arguments(r)))
    return mlirLogicalResultFailure();
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool is_node;
    MlirLogicalResult result = pgopt_op_is(op, "scf.parallel")
                                   ? read_parallel(r, op)
                                   : read_op(r, op, &is_node);
    if (mlirLogicalResultIsFailure(result))
      return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

/// Fills `order` with the nodes in an order in which they can run.
static MlirLogicalResult order_nodes(reader *r, size_t *order) {
  size_t count = 0, scheduled = 0;
  pgopt_core_lists *lists = &r->program->lists;
  for (size_t i = 0; i < lists->count; ++i)
    for (size_t k = 0; k < lists->cores[i].count; ++k)
      scheduled += lists->cores[i].events[k].kind == PGOPT_EVENT_RUN;
  size_t leading = lists->count ? r->leading : r->node_count;
  while (count < leading) {
    order[count] = count;
    ++count;
  }
  pgopt_list_walk walk;
  pgopt_walk_step step;
  pgopt_error error = {0};
  pgopt_status status = pgopt_list_walk_begin(&walk, lists, &error);
  while (status == PGOPT_OK && pgopt_list_walk_next(&walk, &step))
    if (step.event->kind == PGOPT_EVENT_RUN)
      order[count++] = step.event->node;
  pgopt_status end =
      pgopt_list_walk_end(&walk, status == PGOPT_OK ? &error : NULL);
  if (status != PGOPT_OK || end != PGOPT_OK)
    return pgopt_emit_error(r->program->entry, "the schedule cannot run: %s",
                            error.message);
  for (size_t i = leading + scheduled; i < r->node_count; ++i)
    order[count++] = i;
  return mlirLogicalResultSuccess();
}

/// Nodes of the lists get the indices that they have in the graph.
static void rename_nodes(reader *r, const size_t *order) {
  pgopt_core_lists *lists = &r->program->lists;
  size_t *renamed = pgopt_allocate(r->node_count, sizeof *renamed);
  for (size_t i = 0; i < r->node_count; ++i)
    renamed[order[i]] = i;
  for (size_t i = 0; i < lists->count; ++i)
    for (size_t k = 0; k < lists->cores[i].count; ++k)
      if (lists->cores[i].events[k].kind == PGOPT_EVENT_RUN)
        lists->cores[i].events[k].node =
            renamed[lists->cores[i].events[k].node];
  free(renamed);
}

/// A text attribute as a copy in the graph's arena, or `otherwise`.
static const char *text_of(reader *r, MlirOperation op,
                           pgopt_attribute attribute, const char *otherwise) {
  MlirStringRef value;
  if (!pgopt_get_text(op, attribute, &value))
    return otherwise;
  return pgopt_arena_text(&r->graph->arena, value.data, value.length);
}

static void read_annotations(reader *r, MlirOperation op,
                             pgopt_graph_node *node) {
  node->layer = text_of(r, op, PGOPT_LAYER, node->function);
  node->phase = text_of(r, op, PGOPT_PHASE, "main");
  node->parts = 1;
  pgopt_get_i64(op, PGOPT_PART, &node->part);
  pgopt_get_i64(op, PGOPT_PARTS, &node->parts);
  node->has_lflops = pgopt_get_i64(op, PGOPT_LFLOPS, &node->lflops);
  node->has_bytes = pgopt_get_i64(op, PGOPT_BYTES, &node->bytes);
  pgopt_timing timing;
  if (pgopt_get_timing(op, &timing))
    node->timing = (pgopt_node_timing){
        timing.median_ns, timing.min_ns, timing.mad_ns, timing.runs,
        pgopt_arena_text(&r->graph->arena, timing.source,
                         strlen(timing.source))};
}

static MlirLogicalResult read_kernel_call(reader *r, MlirOperation call,
                                          pgopt_graph_node *node,
                                          pgopt_buffer_access **accesses,
                                          size_t *count) {
  size_t found = 0;
  if (mlirLogicalResultIsFailure(find_interface(r, call, &found)) ||
      mlirLogicalResultIsFailure(
          pgopt_read_call_range(call, &node->low, &node->high)))
    return mlirLogicalResultFailure();
  const pgopt_kernel_interface *interface = &r->interfaces[found];
  *accesses = pgopt_allocate(interface->count, sizeof **accesses);
  for (size_t i = 0; i < interface->count; ++i) {
    const pgopt_kernel_argument *argument = &interface->arguments[i];
    if (!argument->reads && !argument->writes)
      continue;
    int buffer;
    pgopt_buffer_access access = {.writes = argument->writes};
    pgopt_error error = {0};
    if (!pgopt_pointer_map_get(&r->program->buffers,
                               mlirOperationGetOperand(call, (intptr_t)i).ptr,
                               &buffer))
      return pgopt_emit_error(call,
                              "operand %zu is not a memref that the entry "
                              "takes, allocates or gets from a global",
                              i);
    access.buffer = (size_t)buffer;
    if (r->graph->buffers[buffer].elements !=
        interface->arguments[i].type.elements)
      return pgopt_emit_error(call, "operand %zu is not a whole buffer", i);
    if (pgopt_kernel_range(interface, i, node->low, node->high, &access.range,
                           &error) != PGOPT_OK)
      return pgopt_emit_error(call, "%s", error.message);
    (*accesses)[(*count)++] = access;
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_node(reader *r, MlirOperation op) {
  pgopt_graph_node node = {.core = PGOPT_NO_CORE, .slot = PGOPT_NO_CORE};
  MlirStringRef name =
      pgopt_op_is(op, "func.call") ? pgopt_callee(op) : pgopt_op_name(op);
  node.function = pgopt_arena_text(&r->graph->arena, name.data, name.length);
  pgopt_get_i64(op, PGOPT_CORE, &node.core);
  pgopt_get_i64(op, PGOPT_SLOT, &node.slot);
  pgopt_buffer_access *accesses = NULL;
  size_t count = 0;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (pgopt_is_kernel_call(op)) {
    read_annotations(r, op, &node);
    result = read_kernel_call(r, op, &node, &accesses, &count);
  } else {
    node.kind = PGOPT_NODE_BARRIER;
  }
  if (mlirLogicalResultIsSuccess(result))
    pgopt_profile_graph_add_node(r->graph, &node, accesses, count);
  free(accesses);
  return result;
}

/// Loads and stores outside of kernels have no place among them: no kernel may
/// touch what they do.
static MlirLogicalResult check_cells(const reader *r) {
  bool *is_touched = pgopt_allocate(r->graph->buffer_count, sizeof(bool));
  for (size_t i = 0; i < r->graph->access_count; ++i)
    is_touched[r->graph->accesses[i].buffer] = true;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < r->cell_count; ++i)
    if (is_touched[r->cells[i].buffer]) {
      result = pgopt_emit_error(r->cells[i].op, "accesses a buffer of kernels "
                                                "outside of a kernel");
      break;
    }
  free(is_touched);
  return result;
}

static MlirLogicalResult make_graph(reader *r) {
  size_t *order = pgopt_allocate(r->node_count, sizeof *order);
  r->program->ops = pgopt_allocate(r->node_count, sizeof *r->program->ops);
  MlirLogicalResult result = order_nodes(r, order);
  for (size_t i = 0; i < r->node_count && mlirLogicalResultIsSuccess(result);
       ++i) {
    r->program->ops[i] = r->nodes[order[i]];
    result = read_node(r, r->program->ops[i]);
  }
  if (mlirLogicalResultIsSuccess(result))
    result = check_cells(r);
  if (mlirLogicalResultIsSuccess(result)) {
    rename_nodes(r, order);
    pgopt_profile_graph_connect(r->graph);
  }
  free(order);
  return result;
}

MlirLogicalResult pgopt_read_calls(MlirOperation module, MlirOperation entry,
                                   pgopt_call_program *program) {
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  *program = (pgopt_call_program){.entry = entry,
                                  .graph = pgopt_profile_graph_create(name)};
  free(name);
  reader r = {.program = program,
              .graph = program->graph,
              .symbols = pgopt_symbol_index_create(module)};
  MlirLogicalResult result = read_entry(&r);
  if (mlirLogicalResultIsSuccess(result))
    result = make_graph(&r);
  pgopt_symbol_index_free(&r.symbols);
  pgopt_pointer_map_free(&r.kernels);
  pgopt_pointer_map_free(&r.globals);
  pgopt_pointer_map_free(&r.fed);
  for (size_t i = 0; i < r.interface_count; ++i)
    free(r.interfaces[i].arguments);
  free(r.interfaces);
  free(r.nodes);
  free(r.cells);
  if (mlirLogicalResultIsFailure(result))
    pgopt_call_program_free(program);
  return result;
}

void pgopt_call_program_free(pgopt_call_program *program) {
  pgopt_profile_graph_destroy(program->graph);
  pgopt_core_lists_free(&program->lists);
  pgopt_pointer_map_free(&program->buffers);
  free(program->ops);
  free(program->resources);
  *program = (pgopt_call_program){0};
}
