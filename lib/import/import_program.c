/// \file A tensor program as MLIR: the function, its constants and parameters,
/// and the nodes in their order.
#include "import/import_program.h"

#include "base/pointer_map.h"
#include "dialect_c/attributes.h"
#include "import/emit_program.h"
#include "parameters/safetensors_writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct writer {
  pgopt_emitter e;
  pgopt_imported *imported;
  size_t parameter_capacity;
  bool uses_parameters;
} writer;

MlirAttribute pgopt_import_elements(MlirType type, pgopt_number number,
                                    int64_t count, const void *data,
                                    bool is_splat) {
  int64_t bytes = pgopt_element_bytes(pgopt_number_element(number));
  if (!count)
    return mlirDenseElementsAttrGet(type, 0, NULL);
  if (number != PGOPT_BOOL) {
    if (is_splat) {
      MlirType element = mlirShapedTypeGetElementType(type);
      pgopt_scalar_value value = pgopt_number_read(number, data, 0);
      MlirContext context = mlirTypeGetContext(type);
      return mlirDenseElementsAttrSplatGet(
          type, pgopt_number_is_float(number)
                    ? mlirFloatAttrDoubleGet(context, element, value.f)
                    : mlirIntegerAttrGet(element, value.i));
    }
    return mlirDenseElementsAttrRawBufferGet(type, (size_t)(count * bytes),
                                             data);
  }
  const unsigned char *flags = data;
  if (is_splat)
    return mlirDenseElementsAttrBoolSplatGet(type, flags[0] != 0);
  int *bits = pgopt_allocate((size_t)count, sizeof *bits);
  for (int64_t i = 0; i < count; ++i)
    bits[i] = flags[i] != 0;
  MlirAttribute attribute = mlirDenseElementsAttrBoolGet(type, count, bits);
  free(bits);
  return attribute;
}

static bool is_parameter(const writer *w, const pgopt_tensor *tensor) {
  return w->uses_parameters && tensor->data && !tensor->is_splat &&
         tensor->count > PGOPT_INLINE_ELEMENTS;
}

static int compare_names(const void *a, const void *b) {
  const pgopt_import_parameter *left = *(pgopt_import_parameter *const *)a;
  const pgopt_import_parameter *right = *(pgopt_import_parameter *const *)b;
  int order = strcmp(left->name, right->name);
  return order
             ? order
             : (left->tensor > right->tensor) - (left->tensor < right->tensor);
}

/// Appends the tensor's number to names that occur twice.
static void make_names_unique(pgopt_imported *imported) {
  size_t count = imported->parameter_count;
  pgopt_import_parameter **sorted = pgopt_allocate(count, sizeof *sorted);
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < count; ++i)
      sorted[i] = &imported->parameters[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; ++i)
      if (!strcmp(sorted[i]->name, sorted[i - 1]->name)) {
        pgopt_text text = {0};
        pgopt_text_append(&text, "%s.%d", sorted[i]->name, sorted[i]->tensor);
        free(sorted[i]->name);
        sorted[i]->name = text.data;
        again = true;
        break;
      }
  }
  free(sorted);
}

static void collect_parameters(writer *w) {
  pgopt_imported *imported = w->imported;
  const pgopt_tensor_program *p = w->e.program;
  for (size_t t = 0; t < p->tensor_count; ++t) {
    if (!p->tensors[t]->is_live || !is_parameter(w, p->tensors[t]))
      continue;
    const char *name = p->tensors[t]->name;
    pgopt_text text = {0};
    if (*name && strcmp(name, "__metadata__"))
      pgopt_text_append(&text, "%s", name);
    else
      pgopt_text_append(&text, "folded.%zu", t);
    pgopt_import_parameter parameter = {(int)t, text.data};
    PGOPT_APPEND(imported->parameters, imported->parameter_count,
                 w->parameter_capacity, parameter);
  }
  make_names_unique(imported);
}

static MlirLocation named_location(MlirContext context, const char *name) {
  MlirLocation unknown = mlirLocationUnknownGet(context);
  return *name ? mlirLocationNameGet(context, pgopt_ref(name), unknown)
               : unknown;
}

static void emit_constants(writer *w, MlirBlock block) {
  const pgopt_tensor_program *p = w->e.program;
  for (size_t t = 0; t < p->tensor_count; ++t) {
    const pgopt_tensor *tensor = p->tensors[t];
    if (!tensor->is_live || !tensor->data || is_parameter(w, tensor))
      continue;
    pgopt_builder b = {w->e.context, block,
                       named_location(w->e.context, tensor->name)};
    MlirType type = pgopt_import_type(&w->e, (int)t);
    MlirNamedAttribute value =
        pgopt_named(w->e.context, "value",
                    pgopt_import_elements(type, tensor->type, tensor->count,
                                          tensor->data, tensor->is_splat));
    w->e.values[t] =
        pgopt_import_op(&b, "arith.constant", 0, NULL, type, 1, &value);
  }
}

static void emit_block(writer *w, int block, MlirBlock into);

static MlirBlock emit_region(writer *w, int block, MlirOperation op,
                             int region) {
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, region), body);
  const pgopt_block *b = &w->e.program->blocks[block];
  MlirLocation location = mlirOperationGetLocation(op);
  for (int i = 0; i < b->argument_count; ++i)
    if (i)
      w->e.values[b->arguments[i]] = mlirBlockAddArgument(
          body, pgopt_import_type(&w->e, b->arguments[i]), location);
    else {
      MlirValue index =
          mlirBlockAddArgument(body, mlirIndexTypeGet(w->e.context), location);
      pgopt_builder inner = {w->e.context, body, location};
      MlirValue number =
          pgopt_import_op(&inner, "arith.index_cast", 1, &index,
                          mlirIntegerTypeGet(w->e.context, 64), 0, NULL);
      w->e.values[b->arguments[0]] =
          pgopt_import_op(&inner, "tensor.from_elements", 1, &number,
                          pgopt_import_type(&w->e, b->arguments[0]), 0, NULL);
    }
  emit_block(w, block, body);
  MlirValue *yields = pgopt_allocate((size_t)b->yield_count, sizeof *yields);
  for (int i = 0; i < b->yield_count; ++i)
    yields[i] = w->e.values[b->yields[i]];
  pgopt_op_spec yield = {.name = "scf.yield",
                         .location = location,
                         .operand_count = (size_t)b->yield_count,
                         .operands = yields};
  pgopt_build(body, &yield);
  free(yields);
  return body;
}

/// The op with its regions, in `b`'s block.
static MlirOperation emit_control_op(writer *w, const pgopt_builder *b,
                                     const pgopt_node *node, size_t results,
                                     const MlirType *types) {
  MlirValue *operands =
      pgopt_allocate((size_t)node->operand_count + 3, sizeof *operands);
  size_t count = 0;
  bool is_if = node->kind == PGOPT_NODE_IF;
  if (is_if) {
    const pgopt_tensor *c = w->e.program->tensors[node->operands[0]];
    MlirValue arguments[PGOPT_MAX_TENSOR_RANK + 1] = {
        w->e.values[node->operands[0]]};
    for (int i = 0; i < c->rank; ++i)
      arguments[i + 1] = pgopt_build_index(b->block, b->location, 0);
    operands[count++] =
        pgopt_import_op(b, "tensor.extract", c->rank + 1, arguments,
                        mlirIntegerTypeGet(w->e.context, 1), 0, NULL);
  } else {
    operands[count++] = pgopt_build_index(b->block, b->location, 0);
    operands[count++] =
        pgopt_build_index(b->block, b->location, node->trip_count);
    operands[count++] = pgopt_build_index(b->block, b->location, 1);
    for (int i = 0; i < node->operand_count; ++i)
      operands[count++] = w->e.values[node->operands[i]];
  }
  pgopt_op_spec spec = {.name = is_if ? "scf.if" : "scf.for",
                        .location = b->location,
                        .operand_count = count,
                        .operands = operands,
                        .result_count = results,
                        .results = types,
                        .region_count = is_if ? 2 : 1};
  MlirOperation op = pgopt_build(b->block, &spec);
  for (int r = 0; r < (is_if ? 2 : 1); ++r)
    emit_region(w, node->blocks[r], op, r);
  free(operands);
  return op;
}

/// An IF is wrapped in a region of its own together with the read of its
/// condition: what has regions is one kernel, and kernels take tensors.
static void emit_control(writer *w, const pgopt_builder *b,
                         const pgopt_node *node) {
  size_t results = (size_t)node->result_count;
  MlirType *types = pgopt_allocate(results, sizeof *types);
  for (size_t i = 0; i < results; ++i)
    types[i] = pgopt_import_type(&w->e, node->results[i]);
  MlirOperation op;
  if (node->kind == PGOPT_NODE_IF) {
    pgopt_op_spec spec = {.name = "scf.execute_region",
                          .location = b->location,
                          .result_count = results,
                          .results = types,
                          .region_count = 1};
    op = pgopt_build(b->block, &spec);
    MlirBlock body = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, 0), body);
    pgopt_builder inner = {b->context, body, b->location};
    MlirOperation choice = emit_control_op(w, &inner, node, results, types);
    MlirValue *yields = pgopt_allocate(results, sizeof *yields);
    for (size_t i = 0; i < results; ++i)
      yields[i] = mlirOperationGetResult(choice, (intptr_t)i);
    pgopt_op_spec yield = {.name = "scf.yield",
                           .location = b->location,
                           .operand_count = results,
                           .operands = yields};
    pgopt_build(body, &yield);
    free(yields);
  } else {
    op = emit_control_op(w, b, node, results, types);
  }
  for (int i = 0; i < node->result_count; ++i)
    w->e.values[node->results[i]] = mlirOperationGetResult(op, i);
  free(types);
}

static void emit_block(writer *w, int block, MlirBlock into) {
  const pgopt_tensor_program *p = w->e.program;
  for (size_t i = 0; i < p->node_count; ++i) {
    const pgopt_node *node = &p->nodes[i];
    if (!node->is_live || node->block != block)
      continue;
    pgopt_builder b = {w->e.context, into,
                       named_location(w->e.context, node->location)};
    if (node->kind == PGOPT_NODE_IF || node->kind == PGOPT_NODE_LOOP)
      emit_control(w, &b, node);
    else if (node->kind == PGOPT_NODE_NEST)
      w->e.values[node->results[0]] = pgopt_import_nest(&w->e, &b, node);
    else if (node->kind > PGOPT_NODE_ARGUMENT)
      w->e.values[node->results[0]] = pgopt_import_move(&w->e, &b, node);
  }
}

static MlirAttribute argument_attributes(const writer *w) {
  MlirContext c = w->e.context;
  size_t inputs = w->e.program->input_count;
  size_t count = inputs + w->imported->parameter_count;
  MlirAttribute *all = pgopt_allocate(count, sizeof *all);
  for (size_t i = 0; i < count; ++i) {
    if (i < inputs) {
      all[i] = mlirDictionaryAttrGet(c, 0, NULL);
      continue;
    }
    MlirNamedAttribute name = pgopt_named(
        c, pgopt_attribute_spelling(PGOPT_PARAMETER),
        pgopt_text_attribute(c, w->imported->parameters[i - inputs].name));
    all[i] = mlirDictionaryAttrGet(c, 1, &name);
  }
  MlirAttribute result = mlirArrayAttrGet(c, (intptr_t)count, all);
  free(all);
  return result;
}

/// The function with its arguments bound to inputs and parameters.
static MlirBlock emit_function(writer *w, const char *name) {
  const pgopt_tensor_program *p = w->e.program;
  MlirContext c = w->e.context;
  size_t inputs = p->input_count;
  size_t count = inputs + w->imported->parameter_count;
  MlirType *types = pgopt_allocate(count + p->output_count, sizeof *types);
  for (size_t i = 0; i < count; ++i)
    types[i] = pgopt_import_type(
        &w->e,
        i < inputs ? p->inputs[i] : w->imported->parameters[i - inputs].tensor);
  for (size_t i = 0; i < p->output_count; ++i)
    types[count + i] = pgopt_import_type(&w->e, p->outputs[i]);
  MlirType type = mlirFunctionTypeGet(c, (intptr_t)count, types,
                                      (intptr_t)p->output_count, types + count);
  free(types);
  MlirBlock body;
  MlirOperation function =
      pgopt_build_function(mlirModuleGetOperation(w->imported->module), name,
                           type, false, named_location(c, name), &body);
  if (w->imported->parameter_count)
    mlirOperationSetAttributeByName(function, pgopt_ref("arg_attrs"),
                                    argument_attributes(w));
  for (size_t i = 0; i < count; ++i)
    w->e.values[i < inputs ? p->inputs[i]
                           : w->imported->parameters[i - inputs].tensor] =
        mlirBlockGetArgument(body, (intptr_t)i);
  return body;
}

void pgopt_import_program(MlirContext context,
                          const pgopt_tensor_program *program,
                          const char *function, bool parameters,
                          pgopt_imported *imported) {
  *imported = (pgopt_imported){
      .module = mlirModuleCreateEmpty(named_location(context, function))};
  writer w = {.e = {.program = program, .context = context},
              .imported = imported,
              .uses_parameters = parameters};
  w.e.values = pgopt_allocate(program->tensor_count, sizeof *w.e.values);
  collect_parameters(&w);
  MlirBlock body = emit_function(&w, function);
  emit_constants(&w, body);
  emit_block(&w, 0, body);
  MlirValue *results = pgopt_allocate(program->output_count, sizeof *results);
  for (size_t i = 0; i < program->output_count; ++i)
    results[i] = w.e.values[program->outputs[i]];
  pgopt_op_spec spec = {.name = "func.return",
                        .location = mlirLocationUnknownGet(context),
                        .operand_count = program->output_count,
                        .operands = results};
  pgopt_build(body, &spec);
  free(results);
  free(w.e.values);
}

void pgopt_imported_free(pgopt_imported *imported) {
  if (!mlirModuleIsNull(imported->module))
    mlirModuleDestroy(imported->module);
  for (size_t i = 0; i < imported->parameter_count; ++i)
    free(imported->parameters[i].name);
  free(imported->parameters);
  *imported = (pgopt_imported){0};
}

pgopt_status pgopt_import_write_parameters(const pgopt_tensor_program *program,
                                           const pgopt_imported *imported,
                                           const char *path,
                                           const char *reference,
                                           pgopt_error *error) {
  size_t count = imported->parameter_count;
  if (!count)
    return PGOPT_OK;
  // Wide elements first, so that all are aligned.
  pgopt_safetensors_entry *entries = pgopt_allocate(count, sizeof *entries);
  int *order = pgopt_allocate(count, sizeof *order);
  size_t placed = 0;
  for (int64_t bytes = 8; bytes; bytes /= 2)
    for (size_t i = 0; i < count; ++i) {
      const pgopt_import_parameter *parameter = &imported->parameters[i];
      const pgopt_tensor *t = program->tensors[parameter->tensor];
      pgopt_element element = pgopt_number_element(t->type);
      if (pgopt_element_bytes(element) != bytes)
        continue;
      entries[placed] = (pgopt_safetensors_entry){
          parameter->name, pgopt_safetensors_type(element), t->shape,
          (size_t)t->rank};
      order[placed++] = parameter->tensor;
    }
  char sha256[PGOPT_SHA256_TEXT];
  pgopt_safetensors_writer *out;
  pgopt_status status =
      pgopt_safetensors_create(path, entries, count, &out, error);
  for (size_t i = 0; i < count && status == PGOPT_OK; ++i) {
    const pgopt_tensor *t = program->tensors[order[i]];
    status = pgopt_safetensors_append(
        out, t->data,
        t->count * pgopt_element_bytes(pgopt_number_element(t->type)), error);
    if (status != PGOPT_OK)
      pgopt_safetensors_abandon(out);
  }
  if (status == PGOPT_OK)
    status = pgopt_safetensors_finish(out, sha256, error);
  if (status == PGOPT_OK) {
    MlirOperation module = mlirModuleGetOperation(imported->module);
    MlirContext c = mlirOperationGetContext(module);
    MlirNamedAttribute named[] = {
        pgopt_named(c, "path", pgopt_text_attribute(c, reference)),
        pgopt_named(c, "sha256", pgopt_text_attribute(c, sha256))};
    pgopt_set(module, PGOPT_PARAMETERS, mlirDictionaryAttrGet(c, 2, named));
  }
  free(order);
  free(entries);
  return status;
}
