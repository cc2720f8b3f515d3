#include "tools/pgopt-runner/onnx_case.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "import/import_program.h"
#include "ir/entry.h"
#include "onnx/import_graph.h"
#include "tools/pgopt-runner/load.h"
#include "tools/pgopt-runner/module.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A test in work.
typedef struct onnx_case {
  const runner_options *options;
  const char *directory;
  double rtol, atol;
  pgopt_onnx_model model;
  pgopt_tensor_program program;
  pgopt_imported imported;
  parsed_module parsed;
  loaded_program loaded;
  pgopt_arena arena;
  pgopt_error error;
} onnx_case;

static pgopt_status read_tensor_file(onnx_case *c, const char *path,
                                     pgopt_onnx_data *data) {
  void *bytes;
  size_t size;
  if (pgopt_file_read(path, &bytes, &size, &c->error) != PGOPT_OK)
    return c->error.status;
  Pgopt__Onnx__Tensor *tensor = pgopt__onnx__tensor__unpack(NULL, size, bytes);
  free(bytes);
  if (!tensor)
    return pgopt_fail(&c->error, PGOPT_INVALID, "'%s' is not a tensor", path);
  pgopt_status status =
      pgopt_onnx_read_tensor(&c->model, tensor, data, &c->error);
  if (status == PGOPT_OK) {
    // The message goes away; what it held is kept in the arena.
    int64_t bytes_held =
        data->count * pgopt_element_bytes(pgopt_number_element(data->type));
    data->data = pgopt_arena_copy(&c->arena, data->data, (size_t)bytes_held);
    data->shape = pgopt_arena_copy(&c->arena, data->shape,
                                   (size_t)data->rank * sizeof *data->shape);
  }
  pgopt__onnx__tensor__free_unpacked(tensor, NULL);
  return status;
}

static char *data_path(onnx_case *c, int set, const char *kind, size_t i) {
  return pgopt_arena_format(&c->arena, "%s/test_data_set_%d/%s_%zu.pb",
                            c->directory, set, kind, i);
}

static void read_tolerances(onnx_case *c) {
  char *path = pgopt_arena_format(&c->arena, "%s/data.json", c->directory);
  json_t *json = json_load_file(path, 0, NULL);
  c->rtol = 1e-3;
  c->atol = 1e-7;
  json_t *rtol = json_object_get(json, "rtol");
  json_t *atol = json_object_get(json, "atol");
  if (json_is_number(rtol))
    c->rtol = json_number_value(rtol);
  if (json_is_number(atol))
    c->atol = json_number_value(atol);
  json_decref(json);
}

/// Inputs of the graph that are no initializers, with the data of set 0.
static size_t read_inputs(onnx_case *c, int set, const char **names,
                          pgopt_onnx_data *inputs) {
  const Pgopt__Onnx__Graph *graph = c->model.message->graph;
  size_t count = 0;
  for (size_t i = 0; i < graph->n_input; ++i) {
    const char *name = graph->input[i]->name;
    bool constant = false;
    for (size_t k = 0; k < graph->n_initializer && name; ++k)
      constant |= graph->initializer[k]->name &&
                  !strcmp(graph->initializer[k]->name, name);
    if (constant || !name)
      continue;
    names[count] = name;
    if (read_tensor_file(c, data_path(c, set, "input", count),
                         &inputs[count]) != PGOPT_OK)
      return 0;
    ++count;
  }
  return count;
}

/// Imports with every dimension as the data has it. An input whose values
/// decide a shape is bound to them, and the import begins again.
static bool import_case(onnx_case *c, size_t count, const char **names,
                        const pgopt_onnx_data *inputs) {
  size_t capacity = count + 1;
  for (size_t i = 0; i < count; ++i)
    capacity += (size_t)inputs[i].rank;
  pgopt_onnx_binding *bindings =
      pgopt_arena_allocate(&c->arena, capacity, sizeof *bindings);
  pgopt_onnx_options options = {.bindings = bindings};
  for (size_t i = 0; i < count; ++i)
    for (int d = 0; d < inputs[i].rank; ++d)
      bindings[options.binding_count++] = (pgopt_onnx_binding){
          .name = pgopt_arena_format(&c->arena, "%s.%d", names[i], d),
          .value = inputs[i].shape[d]};
  for (size_t round = 0; round <= count; ++round) {
    pgopt_tensor_program_free(&c->program);
    c->error = (pgopt_error){0};
    if (pgopt_onnx_import(&c->model, &options, &c->program, &c->error) ==
        PGOPT_OK)
      return true;
    size_t before = options.binding_count;
    for (size_t w = 0; w < c->program.wanted_count; ++w)
      for (size_t i = 0; i < count; ++i)
        if (!strcmp(c->program.tensors[c->program.wanted[w]]->name, names[i]) &&
            options.binding_count < capacity)
          bindings[options.binding_count++] =
              (pgopt_onnx_binding){.name = names[i], .data = &inputs[i]};
    if (options.binding_count == before)
      return false;
  }
  return false;
}

static bool load_case(onnx_case *c) {
  if (!open_context(&c->parsed)) {
    pgopt_fail(&c->error, PGOPT_INVALID, "no context");
    return false;
  }
  mlirContextLoadAllAvailableDialects(c->parsed.context);
  pgopt_import_program(c->parsed.context, &c->program, "main", true,
                       &c->imported);
  c->parsed.op = mlirModuleGetOperation(c->imported.module);
  if (!mlirOperationVerify(c->parsed.op)) {
    pgopt_fail(&c->error, PGOPT_INVALID, "the imported module is not valid");
    return false;
  }
  load_request request = {.is_naive = c->options->is_naive,
                          .workers = c->options->workers};
  if (!load_module(c->options, c->directory, &c->parsed, &request,
                   &c->loaded)) {
    pgopt_fail(&c->error, PGOPT_INVALID, "the module cannot be lowered");
    return false;
  }
  return true;
}

/// Compares an output with what is expected of it.
static bool check_output(onnx_case *c, size_t number,
                         const pgopt_onnx_data *expected) {
  const pgopt_tensor *made = c->program.tensors[c->program.outputs[number]];
  bool same = made->type == expected->type && made->rank == expected->rank;
  for (int d = 0; d < made->rank && same; ++d)
    same = made->shape[d] == expected->shape[d];
  if (!same) {
    pgopt_fail(&c->error, PGOPT_INVALID,
               "output %zu has another type or shape than expected", number);
    return false;
  }
  const pgopt_program_value *value =
      pgopt_program_result(c->loaded.program, number);
  void *data =
      pgopt_arena_allocate(&c->arena, (size_t)value->type.bytes + 1, 1);
  pgopt_program_read(c->loaded.program, number, data);
  for (int64_t i = 0; i < made->count; ++i) {
    pgopt_scalar_value x = pgopt_number_read(made->type, data, i);
    pgopt_scalar_value y = pgopt_number_read(made->type, expected->data, i);
    double a = pgopt_number_cast(x, made->type, PGOPT_F64).f;
    double b = pgopt_number_cast(y, made->type, PGOPT_F64).f;
    if (a == b || (isnan(a) && isnan(b)) ||
        fabs(a - b) <= c->atol + c->rtol * fabs(b))
      continue;
    pgopt_fail(&c->error, PGOPT_INVALID,
               "output %zu: element %lld is %g, expected %g", number,
               (long long)i, a, b);
    return false;
  }
  return true;
}

static bool run_set(onnx_case *c, int set, size_t count,
                    const pgopt_onnx_data *inputs) {
  pgopt_program *program = c->loaded.program;
  size_t arguments = pgopt_program_argument_count(program);
  void **memory =
      pgopt_arena_allocate(&c->arena, arguments + 1, sizeof *memory);
  bool ok = arguments == count + c->imported.parameter_count;
  if (!ok)
    pgopt_fail(&c->error, PGOPT_INVALID,
               "%zu inputs for a program of %zu arguments", count, arguments);
  for (size_t i = 0; i < arguments && ok; ++i) {
    size_t bytes = (size_t)pgopt_program_argument(program, i)->type.bytes;
    const void *data = NULL;
    size_t found = bytes;
    if (i < count) {
      data = inputs[i].data;
      found =
          (size_t)(inputs[i].count *
                   pgopt_element_bytes(pgopt_number_element(inputs[i].type)));
    } else {
      data = c->program.tensors[c->imported.parameters[i - count].tensor]->data;
    }
    ok = found == bytes;
    if (!ok) {
      pgopt_fail(&c->error, PGOPT_INVALID, "input %zu has another size", i);
      break;
    }
    memory[i] = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!memory[i])
      abort();
    memcpy(memory[i], data, bytes);
    pgopt_program_bind(program, i, memory[i]);
  }
  if (ok)
    pgopt_program_run(program);
  for (size_t i = 0; i < c->program.output_count && ok; ++i) {
    pgopt_onnx_data expected;
    ok = read_tensor_file(c, data_path(c, set, "output", i), &expected) ==
             PGOPT_OK &&
         check_output(c, i, &expected);
  }
  for (size_t i = 0; i < arguments; ++i)
    free(memory[i]);
  return ok;
}

static bool run(onnx_case *c) {
  char *path = pgopt_arena_format(&c->arena, "%s/model.onnx", c->directory);
  read_tolerances(c);
  if (pgopt_onnx_open(path, &c->model, &c->error) != PGOPT_OK)
    return false;
  const Pgopt__Onnx__Graph *graph = c->model.message->graph;
  const char **names =
      pgopt_arena_allocate(&c->arena, graph->n_input + 1, sizeof *names);
  pgopt_onnx_data *inputs =
      pgopt_arena_allocate(&c->arena, graph->n_input + 1, sizeof *inputs);
  int set = 0;
  for (;; ++set) {
    char *folder =
        pgopt_arena_format(&c->arena, "%s/test_data_set_%d", c->directory, set);
    if (access(folder, F_OK))
      break;
    size_t count = read_inputs(c, set, names, inputs);
    if (c->error.status != PGOPT_OK)
      return false;
    if (!set && (!import_case(c, count, names, inputs) || !load_case(c)))
      return false;
    if (!run_set(c, set, count, inputs))
      return false;
  }
  if (!set)
    pgopt_fail(&c->error, PGOPT_INVALID, "there is no test_data_set_0");
  return set > 0;
}

bool run_onnx_case(const runner_options *options, const char *directory,
                   char *message, size_t message_size) {
  onnx_case c = {.options = options, .directory = directory};
  bool ok = run(&c);
  snprintf(message, message_size, "%s", ok ? "" : c.error.message);
  unload_program(&c.loaded);
  pgopt_imported_free(&c.imported);
  close_module(&c.parsed);
  pgopt_tensor_program_free(&c.program);
  pgopt_onnx_close(&c.model);
  pgopt_arena_free(&c.arena);
  return ok;
}
