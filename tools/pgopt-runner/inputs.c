/// \file What a run starts from.
#include "base/fill.h"
#include "base/memory.h"
#include "npy/npy.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void append_type(pgopt_text *text, const pgopt_array_type *type) {
  char name[8];
  pgopt_element_name(type->element, name);
  for (size_t i = 0; i < type->rank; ++i)
    pgopt_text_append(text, "%lldx", (long long)type->extents[i]);
  pgopt_text_append(text, "%s", name);
}

/// index and i64 are the same in a file.
static bool is_same_element(pgopt_element a, pgopt_element b) {
  return pgopt_element_equal(a, b) ||
         (!pgopt_element_is_float(a) && !pgopt_element_is_float(b) &&
          a.bits == b.bits);
}

static bool is_same_type(pgopt_element element, const int64_t *extents,
                         size_t rank, const pgopt_array_type *type) {
  bool fits = is_same_element(element, type->element) && rank == type->rank;
  for (size_t i = 0; i < rank && fits; ++i)
    fits = extents[i] == type->extents[i];
  return fits;
}

/// Complains that `what` holds another type than the argument.
static bool refuse_type(const char *what, const char *path,
                        const pgopt_array_type *found, size_t argument,
                        const pgopt_array_type *type) {
  pgopt_text text = {0};
  append_type(&text, found);
  pgopt_text_append(&text, ", but argument %zu is ", argument);
  append_type(&text, type);
  complain("%s: '%s' holds %s", what, path, text.data);
  pgopt_text_free(&text);
  return false;
}

static bool read_input(const numbered_file *file, const pgopt_array_type *type,
                       void *data) {
  pgopt_npy array;
  pgopt_error error = {0};
  char what[48];
  snprintf(what, sizeof what, "--input=%lld", (long long)file->number);
  if (pgopt_npy_read(file->path, &array, &error)) {
    complain("%s: %s", what, error.message);
    return false;
  }
  bool fits = is_same_type(array.element, array.extents, array.rank, type);
  if (fits) {
    memcpy(data, array.data, (size_t)type->bytes);
  } else {
    pgopt_array_type found = {.element = array.element, .rank = array.rank};
    memcpy(found.extents, array.extents, array.rank * sizeof *found.extents);
    refuse_type(what, file->path, &found, (size_t)file->number, type);
  }
  pgopt_npy_free(&array);
  return fits;
}

static const numbered_file *find_input(const runner_options *options,
                                       size_t argument) {
  for (size_t i = 0; i < options->input_count; ++i)
    if (options->inputs[i].number == (int64_t)argument)
      return &options->inputs[i];
  return NULL;
}

void *allocate_array(size_t number, int64_t bytes) {
  void *data = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
  if (!data)
    complain("no memory for the %lld bytes of argument %zu", (long long)bytes,
             number);
  return data;
}

static const pgopt_parameter *parameter_of(const loaded_program *loaded,
                                           size_t argument) {
  static const pgopt_parameter none = {0};
  return argument < loaded->argument_count ? &loaded->parameters[argument]
                                           : &none;
}

const pgopt_packing *packing_of(const loaded_program *loaded, size_t argument) {
  const pgopt_parameter *parameter = parameter_of(loaded, argument);
  return parameter->is_packed ? &parameter->packing : NULL;
}

pgopt_array_type declared_type(const loaded_program *loaded, size_t argument) {
  pgopt_array_type type =
      pgopt_program_argument(loaded->program, argument)->type;
  const pgopt_packing *packing = packing_of(loaded, argument);
  if (packing) {
    type.rank = packing->rank;
    memcpy(type.extents, packing->extents,
           packing->rank * sizeof *type.extents);
  }
  return type;
}

/// The tensor `name` of the file; null after a message.
static const pgopt_safetensor *find_tensor(const char *path, const char *name,
                                           size_t argument,
                                           const pgopt_array_type *type,
                                           const input_set *inputs) {
  const pgopt_safetensor *tensor = pgopt_safetensors_find(&inputs->file, name);
  if (!tensor) {
    complain("--parameters: '%s' has no tensor '%s', which argument %zu names",
             path, name, argument);
    return NULL;
  }
  pgopt_element element;
  bool is_known = pgopt_safetensors_element(tensor->type, &element);
  if (is_known && is_same_type(element, tensor->shape, tensor->rank, type))
    return tensor;
  pgopt_text text = {0};
  append_type(&text, type);
  complain("--parameters: tensor '%s' of '%s' is %s of rank %zu and %lld "
           "bytes, but argument %zu is %s",
           name, path, tensor->type, tensor->rank, (long long)tensor->bytes,
           argument, text.data);
  pgopt_text_free(&text);
  return NULL;
}

/// Binds the argument to the tensor's data in the mapped file, which is copied
/// only when it is not aligned.
static bool bind_tensor(const pgopt_safetensor *tensor, size_t argument,
                        input_set *inputs) {
  uintptr_t address = (uintptr_t)tensor->data;
  inputs->is_mapped[argument] = address % (uintptr_t)tensor->element_bytes == 0;
  if (inputs->is_mapped[argument]) {
    inputs->data[argument] = (void *)address;
    return true;
  }
  void *data = allocate_input(inputs, argument, tensor->bytes);
  if (data && tensor->bytes)
    memcpy(data, tensor->data, (size_t)tensor->bytes);
  return data != NULL;
}

/// Moves every element x of an array of floats to 0.5 + |x|.
static void make_positive(const pgopt_array_type *type, void *data) {
  for (int64_t i = 0;
       pgopt_element_is_float(type->element) && i < type->elements; ++i)
    pgopt_element_write_float(
        type->element, data, i,
        0.5 + fabs(pgopt_element_read(type->element, data, i)));
}

/// A packed parameter comes from the packed form in the file, if it is there,
/// else from the tensor as declared, which is packed now.
static bool bind_parameter(const char *path, const loaded_program *loaded,
                           size_t argument, input_set *inputs) {
  const pgopt_parameter *p = parameter_of(loaded, argument);
  const pgopt_array_type *stored =
      &pgopt_program_argument(loaded->program, argument)->type;
  pgopt_array_type declared = declared_type(loaded, argument);
  char *packed = p->is_packed ? pgopt_packed_name(p->name, &p->packing) : NULL;
  bool is_there =
      !packed || pgopt_safetensors_find(&inputs->file, packed) != NULL;
  const pgopt_safetensor *tensor =
      find_tensor(path, packed && is_there ? packed : p->name, argument,
                  is_there ? stored : &declared, inputs);
  free(packed);
  if (!tensor || is_there)
    return tensor && bind_tensor(tensor, argument, inputs);
  void *data = allocate_input(inputs, argument, tensor->bytes);
  if (data)
    pgopt_packing_pack(&p->packing, (size_t)tensor->element_bytes, tensor->data,
                       data);
  return data != NULL;
}

/// The argument's values as declared, from a file or made up.
static bool make_values(const runner_options *options, const char *parameter,
                        size_t argument, const pgopt_array_type *type,
                        bool is_positive, void *data) {
  const numbered_file *file = find_input(options, argument);
  if (file)
    return read_input(file, type, data);
  pgopt_fill_type fill = {type->element, type->rank, type->extents};
  uint64_t seed = (uint64_t)options->seed;
  if (parameter)
    pgopt_fill(seed, parameter, strlen(parameter), &fill, data);
  else
    pgopt_fill_input(seed, (int64_t)argument, &fill, data);
  if (is_positive)
    make_positive(type, data);
  return true;
}

static bool make_input(const runner_options *options,
                       const loaded_program *loaded, size_t argument,
                       bool is_positive, input_set *inputs) {
  const pgopt_parameter *p = parameter_of(loaded, argument);
  if (p->name && options->parameters && !find_input(options, argument))
    return bind_parameter(options->parameters, loaded, argument, inputs);
  pgopt_array_type type = declared_type(loaded, argument);
  void *data = allocate_input(inputs, argument, type.bytes);
  if (!data || !p->is_packed)
    return data &&
           make_values(options, p->name, argument, &type, is_positive, data);
  void *declared = allocate_array(argument, type.bytes);
  bool ok = declared && make_values(options, p->name, argument, &type,
                                    is_positive, declared);
  if (ok)
    pgopt_packing_pack(&p->packing, (size_t)pgopt_element_bytes(type.element),
                       declared, data);
  free(declared);
  return ok;
}

static bool open_parameters(const runner_options *options,
                            const loaded_program *loaded, input_set *inputs) {
  bool has_parameters = false;
  for (size_t i = 0; i < inputs->count; ++i)
    has_parameters |= parameter_of(loaded, i)->name != NULL;
  if (!has_parameters) {
    complain("--parameters: no argument of '%s' carries pg.parameter (a "
             "lowered network has lost it)",
             loaded->path);
    return false;
  }
  pgopt_error error = {0};
  if (!pgopt_safetensors_open(options->parameters, &inputs->file, &error))
    return true;
  complain("--parameters: %s", error.message);
  return false;
}

bool make_inputs(const runner_options *options, const loaded_program *loaded,
                 const bool *positive, input_set *inputs) {
  *inputs = create_inputs(pgopt_program_argument_count(loaded->program));
  for (size_t i = 0; i < options->input_count; ++i)
    if (options->inputs[i].number >= (int64_t)inputs->count) {
      complain("--input=%lld:%s: '%s' has %zu argument%s",
               (long long)options->inputs[i].number, options->inputs[i].path,
               loaded->path, inputs->count, inputs->count == 1 ? "" : "s");
      return false;
    }
  if (options->parameters && !open_parameters(options, loaded, inputs))
    return false;
  for (size_t i = 0; i < inputs->count; ++i)
    if (!make_input(options, loaded, i, positive && positive[i], inputs))
      return false;
  return true;
}

input_set create_inputs(size_t count) {
  input_set inputs = {.count = count};
  inputs.data = pgopt_allocate(count, sizeof *inputs.data);
  inputs.is_mapped = pgopt_allocate(count, sizeof *inputs.is_mapped);
  return inputs;
}

void *allocate_input(input_set *inputs, size_t number, int64_t bytes) {
  return inputs->data[number] = allocate_array(number, bytes);
}

void free_inputs(input_set *inputs) {
  for (size_t i = 0; i < inputs->count; ++i)
    if (!inputs->is_mapped[i])
      free(inputs->data[i]);
  free(inputs->data);
  free(inputs->is_mapped);
  pgopt_safetensors_close(&inputs->file);
  *inputs = (input_set){0};
}

void bind_inputs(const loaded_program *loaded, const input_set *inputs) {
  for (size_t i = 0; i < inputs->count; ++i)
    pgopt_program_bind(loaded->program, i, inputs->data[i]);
}
