/// \file Calls go through MLIR's C interface: memrefs as pointers to
/// descriptors, scalars by value, the results as one struct behind the first
/// pointer (a single scalar is returned by value). pg.entry comes from a file,
/// so it is checked against the function's real type before it is believed.
#include "codegen/program.h"

#include "base/memory.h"
#include "base/text.h"
#include "codegen/heap.h"
#include "codegen/jit.h"
#include "codegen/object.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "pgopt/runtime.h"

#include <stdlib.h>
#include <string.h>

/// A memref descriptor: this header, then `rank` extents and `rank` strides.
typedef struct descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes_and_strides[];
} descriptor;

/// Where a value lies while the program is called.
typedef struct slot {
  pgopt_program_value value;
  void *memory; ///< its descriptor or scalar
} slot;

struct pgopt_program {
  pgopt_jit *jit;
  pgopt_heap *heap;
  void *handle; ///< its name towards the runtime, or null
  void (*entry)(void **values);
  slot *arguments, *results;
  size_t argument_count, result_count;
  void **values;    ///< what the packed entry reads
  void **addresses; ///< of the memrefs' descriptors, what `values` point to
  unsigned char *result_memory;
  size_t compiled;
};

size_t pgopt_program_argument_count(const pgopt_program *program) {
  return program->argument_count;
}

size_t pgopt_program_result_count(const pgopt_program *program) {
  return program->result_count;
}

const pgopt_program_value *pgopt_program_argument(const pgopt_program *program,
                                                  size_t number) {
  return &program->arguments[number].value;
}

const pgopt_program_value *pgopt_program_result(const pgopt_program *program,
                                                size_t number) {
  return &program->results[number].value;
}

size_t pgopt_program_compiled(const pgopt_program *program) {
  return program->compiled;
}

static size_t descriptor_bytes(size_t rank) {
  return sizeof(descriptor) + 2 * rank * sizeof(int64_t);
}

static bool is_struct_result(const pgopt_program *program) {
  return program->result_count > 1 ||
         (program->result_count == 1 && program->results[0].value.is_memref);
}

static MlirLogicalResult read_value(MlirOperation entry, MlirType type,
                                    const char *what, intptr_t number,
                                    pgopt_program_value *value) {
  const char *reason = pgopt_array_type_read(type, &value->type);
  value->is_memref = mlirTypeIsAShaped(type);
  if (!reason)
    return mlirLogicalResultSuccess();
  pgopt_text text = {0};
  pgopt_print_type(type, &text);
  pgopt_emit(entry, PGOPT_ERROR, "%s %lld cannot be passed: '%s' %s", what,
             (long long)number, pgopt_text_get(&text), reason);
  pgopt_text_free(&text);
  return mlirLogicalResultFailure();
}

static MlirLogicalResult read_signature(MlirOperation entry,
                                        pgopt_program *program) {
  MlirAttribute attribute = pgopt_get(entry, PGOPT_ENTRY);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute) ||
      !mlirTypeIsAFunction(mlirTypeAttrGetValue(attribute)))
    return pgopt_emit_error(entry, "the entry carries no pg.entry with its "
                                   "function type; lower it with "
                                   "--pgopt-lower");
  MlirType type = mlirTypeAttrGetValue(attribute);
  intptr_t arguments = mlirFunctionTypeGetNumInputs(type);
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  program->argument_count = (size_t)arguments;
  program->result_count = (size_t)results;
  program->arguments =
      pgopt_allocate((size_t)arguments, sizeof *program->arguments);
  program->results = pgopt_allocate((size_t)results, sizeof *program->results);
  for (intptr_t i = 0; i < arguments; ++i)
    if (mlirLogicalResultIsFailure(
            read_value(entry, mlirFunctionTypeGetInput(type, i), "argument", i,
                       &program->arguments[i].value)))
      return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < results; ++i)
    if (mlirLogicalResultIsFailure(
            read_value(entry, mlirFunctionTypeGetResult(type, i), "result", i,
                       &program->results[i].value)))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

static void append_scalar(pgopt_text *text, pgopt_element element) {
  char name[8];
  pgopt_element_name(element, name);
  pgopt_text_append(text, "%s",
                    element.kind == PGOPT_ELEMENT_INDEX ? "i64" : name);
}

/// The LLVM type of the value as a result.
static void append_result(pgopt_text *text, const pgopt_program_value *value) {
  unsigned long long rank = value->type.rank;
  if (!value->is_memref)
    append_scalar(text, value->type.element);
  else if (!rank)
    pgopt_text_append(text, "!llvm.struct<(ptr, ptr, i64)>");
  else
    pgopt_text_append(text,
                      "!llvm.struct<(ptr, ptr, i64, array<%llu x i64>, "
                      "array<%llu x i64>)>",
                      rank, rank);
}

/// The function type that lowering makes of the signature: of the function
/// itself, or of its C interface.
static MlirType lowered_type(MlirContext context, const pgopt_program *program,
                             bool is_interface) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "!llvm.func<");
  bool by_pointer = is_interface && is_struct_result(program);
  if (!program->result_count || by_pointer)
    pgopt_text_append(&text, "void");
  else if (program->result_count == 1)
    append_result(&text, &program->results[0].value);
  else
    for (size_t i = 0; i < program->result_count; ++i) {
      pgopt_text_append(&text, i ? ", " : "struct<(");
      append_result(&text, &program->results[i].value);
    }
  if (program->result_count > 1 && !by_pointer)
    pgopt_text_append(&text, ")>");
  pgopt_text_append(&text, by_pointer ? " (ptr" : " (");
  bool is_first = !by_pointer;
  for (size_t i = 0; i < program->argument_count; ++i) {
    const pgopt_program_value *value = &program->arguments[i].value;
    pgopt_text_append(&text, is_first ? "" : ", ");
    is_first = false;
    if (!value->is_memref)
      append_scalar(&text, value->type.element);
    else
      pgopt_text_append(&text, is_interface ? "ptr" : "ptr, ptr, i64");
    for (size_t k = 0;
         k < 2 * value->type.rank && value->is_memref && !is_interface; ++k)
      pgopt_text_append(&text, ", i64");
  }
  pgopt_text_append(&text, ")>");
  MlirType type = mlirTypeParseGet(context, pgopt_ref(text.data));
  pgopt_text_free(&text);
  return type;
}

static bool has_type(MlirOperation function, MlirType type) {
  MlirAttribute attribute = pgopt_op_attribute(function, "function_type");
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsAType(attribute) &&
         mlirTypeEqual(mlirTypeAttrGetValue(attribute), type);
}

static MlirLogicalResult check_signature(MlirOperation module,
                                         MlirOperation entry,
                                         const char *interface_name,
                                         const pgopt_program *program) {
  MlirContext context = mlirOperationGetContext(entry);
  MlirOperation interface =
      pgopt_module_lookup(module, pgopt_ref(interface_name));
  if (mlirOperationIsNull(interface) || !pgopt_op_is(interface, "llvm.func"))
    return pgopt_emit_error(entry,
                            "the entry has no C interface '%s'; lower it with "
                            "llvm.emit_c_interface",
                            interface_name);
  if (!has_type(entry, lowered_type(context, program, false)) ||
      !has_type(interface, lowered_type(context, program, true)))
    return pgopt_emit_error(entry, "pg.entry is not the type that this "
                                   "function was lowered from");
  return mlirLogicalResultSuccess();
}

/// Bytes of the value inside the struct of results, which aligns each member to
/// its own size (descriptors to 8).
static size_t member_bytes(const pgopt_program_value *value) {
  return value->is_memref ? descriptor_bytes(value->type.rank)
                          : (size_t)pgopt_element_bytes(value->type.element);
}

static size_t member_offset(const pgopt_program_value *value, size_t offset) {
  size_t align = value->is_memref
                     ? sizeof(void *)
                     : (size_t)pgopt_element_bytes(value->type.element);
  return (offset + align - 1) / align * align;
}

/// Lays out what the packed entry reads: the struct of results (or its address)
/// first, then the arguments; a returned scalar last.
static void lay_out(pgopt_program *program) {
  size_t bytes = 0;
  for (size_t i = 0; i < program->result_count; ++i)
    bytes = member_offset(&program->results[i].value, bytes) +
            member_bytes(&program->results[i].value);
  program->result_memory = pgopt_allocate(bytes, 1);
  size_t offset = 0;
  for (size_t i = 0; i < program->result_count; ++i) {
    slot *result = &program->results[i];
    offset = member_offset(&result->value, offset);
    result->memory = program->result_memory + offset;
    offset += member_bytes(&result->value);
  }
  program->values =
      pgopt_allocate(program->argument_count + 1, sizeof *program->values);
  program->addresses =
      pgopt_allocate(program->argument_count + 1, sizeof *program->addresses);
  size_t count = 0;
  if (is_struct_result(program)) {
    program->addresses[0] = program->result_memory;
    program->values[count++] = &program->addresses[0];
  }
  for (size_t i = 0; i < program->argument_count; ++i) {
    slot *argument = &program->arguments[i];
    size_t rank = argument->value.type.rank;
    if (argument->value.is_memref) {
      descriptor *made = pgopt_allocate(1, descriptor_bytes(rank));
      int64_t stride = 1;
      for (size_t k = rank; k-- > 0;) {
        made->sizes_and_strides[k] = argument->value.type.extents[k];
        made->sizes_and_strides[rank + k] = stride;
        // Wraps only when an extent further out is 0 and nothing is read.
        stride = (int64_t)((uint64_t)stride *
                           (uint64_t)argument->value.type.extents[k]);
      }
      argument->memory = made;
    }
    program->addresses[i + 1] = argument->memory;
    program->values[count++] = &program->addresses[i + 1];
  }
  if (program->result_count && !is_struct_result(program))
    program->values[count] = program->result_memory;
}

void pgopt_program_bind(pgopt_program *program, size_t argument, void *data) {
  slot *bound = &program->arguments[argument];
  if (bound->value.is_memref) {
    descriptor *made = bound->memory;
    made->allocated = made->aligned = data;
    return;
  }
  bound->memory = data;
  program->values[argument + is_struct_result(program)] = data;
}

void pgopt_program_run(pgopt_program *program) {
  pgopt_heap_clear(program->heap);
  pgopt_heap_enter(program->heap);
  program->entry(program->values);
  pgopt_heap_enter(NULL);
}

void pgopt_program_prepare_again(pgopt_program *program) {
  if (program->handle)
    pgopt_rt_prepare_again(program->handle);
}

size_t pgopt_program_heap_blocks(const pgopt_program *program) {
  return pgopt_heap_blocks(program->heap);
}

/// Copies a strided box to row-major memory, the last dimension innermost.
static void copy_box(const char *source, char *target,
                     const pgopt_array_type *type, const int64_t *strides) {
  int64_t position[PGOPT_MAX_ARRAY_RANK] = {0};
  int64_t bytes = pgopt_element_bytes(type->element);
  for (int64_t i = 0; i < type->elements; ++i) {
    int64_t offset = 0;
    for (size_t k = 0; k < type->rank; ++k)
      offset += position[k] * strides[k];
    memcpy(target + i * bytes, source + offset * bytes, (size_t)bytes);
    for (size_t k = type->rank; k-- > 0;) {
      if (++position[k] < type->extents[k])
        break;
      position[k] = 0;
    }
  }
}

void pgopt_program_read(const pgopt_program *program, size_t result,
                        void *data) {
  const slot *read = &program->results[result];
  const pgopt_array_type *type = &read->value.type;
  if (!read->value.is_memref) {
    memcpy(data, read->memory, (size_t)type->bytes);
    return;
  }
  const descriptor *made = read->memory;
  const char *source = (const char *)made->aligned +
                       made->offset * pgopt_element_bytes(type->element);
  const int64_t *strides = made->sizes_and_strides + type->rank;
  if (!type->elements)
    return;
  int64_t expected = 1;
  bool is_contiguous = true;
  for (size_t k = type->rank; k-- > 0; expected *= type->extents[k])
    is_contiguous &= type->extents[k] == 1 || strides[k] == expected;
  if (is_contiguous)
    memcpy(data, source, (size_t)type->bytes);
  else
    copy_box(source, data, type, strides);
}

static pgopt_status load(pgopt_program *program, const pgopt_objects *objects,
                         const pgopt_program_options *options,
                         pgopt_error *error) {
  static const struct {
    const char *name;
    void (*function)(void);
  } functions[] = {{"malloc", (void (*)(void))pgopt_heap_malloc},
                   {"aligned_alloc", (void (*)(void))pgopt_heap_aligned_alloc},
                   {"free", (void (*)(void))pgopt_heap_free}};
  program->heap = pgopt_heap_create();
  pgopt_status status = pgopt_jit_create(&program->jit, error);
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !status; ++i)
    status = pgopt_jit_define(program->jit, functions[i].name,
                              functions[i].function, error);
  for (size_t i = 0; i < options->library_count && !status; ++i)
    status = pgopt_jit_add_library(program->jit, options->libraries[i], error);
  for (size_t i = 0; i < objects->count && !status; ++i)
    status = pgopt_jit_add_object(program->jit, objects->items[i].data,
                                  objects->items[i].size, error);
  void *address = NULL;
  if (!status)
    status =
        pgopt_jit_lookup(program->jit, PGOPT_PACKED_ENTRY, &address, error);
  if (status)
    return status;
  memcpy(&program->entry, &address, sizeof program->entry);
  // Programs without storage of their own have no handle.
  if (pgopt_jit_lookup(program->jit, PGOPT_PROGRAM_HANDLE, &program->handle,
                       NULL))
    program->handle = NULL;
  return PGOPT_OK;
}

/// Tells the runtime which code is which kernel, for traps.
static void name_code(const pgopt_objects *objects, pgopt_program *program) {
  pgopt_rt_code *known = pgopt_allocate(objects->count + 1, sizeof *known);
  int64_t count = 0;
  for (size_t i = 0; i < objects->count; ++i) {
    void *address;
    if (objects->items[i].symbol &&
        !pgopt_jit_lookup(program->jit, objects->items[i].symbol, &address,
                          NULL))
      known[count++] = (pgopt_rt_code){objects->items[i].kernels, address,
                                       (int64_t)objects->items[i].size};
  }
  pgopt_rt_add_code(program, known, count);
  free(known);
}

static MlirLogicalResult create(MlirOperation module, MlirOperation entry,
                                const pgopt_program_options *options,
                                pgopt_program *program) {
  if (!pgopt_op_is(entry, "llvm.func"))
    return pgopt_emit_error(entry, "the entry is not in the LLVM dialect; "
                                   "lower it with --pgopt-lower");
  if (mlirLogicalResultIsFailure(read_signature(entry, program)))
    return mlirLogicalResultFailure();
  MlirStringRef name = pgopt_symbol_name(entry);
  pgopt_text interface_name = {0};
  pgopt_text_append(&interface_name, "_mlir_ciface_%.*s", (int)name.length,
                    name.data);
  pgopt_objects objects = {0};
  pgopt_object_options object_options = {.packed_entry = interface_name.data,
                                         .cache_directory =
                                             options->cache_directory};
  MlirLogicalResult result =
      check_signature(module, entry, interface_name.data, program);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_objects_compile(module, &object_options, &objects);
  pgopt_text_free(&interface_name);
  if (mlirLogicalResultIsSuccess(result)) {
    pgopt_error error = {0};
    if (load(program, &objects, options, &error))
      result = pgopt_emit_error(module, "%s", error.message);
    else
      name_code(&objects, program);
  }
  program->compiled = objects.compiled;
  pgopt_objects_free(&objects);
  if (mlirLogicalResultIsSuccess(result))
    lay_out(program);
  return result;
}

MlirLogicalResult pgopt_program_create(MlirOperation module,
                                       MlirOperation entry,
                                       const pgopt_program_options *options,
                                       pgopt_program **program) {
  *program = pgopt_allocate(1, sizeof **program);
  MlirLogicalResult result = create(module, entry, options, *program);
  if (mlirLogicalResultIsFailure(result)) {
    pgopt_program_destroy(*program);
    *program = NULL;
  }
  return result;
}

void pgopt_program_destroy(pgopt_program *program) {
  if (!program)
    return;
  if (program->handle)
    pgopt_rt_program_release(program->handle);
  pgopt_rt_remove_code(program);
  pgopt_jit_destroy(program->jit);
  pgopt_heap_destroy(program->heap);
  for (size_t i = 0; i < program->argument_count; ++i)
    if (program->arguments[i].value.is_memref)
      free(program->arguments[i].memory);
  free(program->arguments);
  free(program->results);
  free(program->values);
  free(program->addresses);
  free(program->result_memory);
  free(program);
}
