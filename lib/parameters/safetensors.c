#include "parameters/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked_math.h"

/// The format's types. `bits` 0: no type of ours.
typedef struct type_entry {
  const char *name;
  int64_t bytes;
  pgopt_element element;
} type_entry;

static const type_entry type_table[] = {
    {"F32", 4, {PGOPT_ELEMENT_FLOAT, 32}},
    {"F64", 8, {PGOPT_ELEMENT_FLOAT, 64}},
    {"F16", 2, {PGOPT_ELEMENT_FLOAT, 16}},
    {"BF16", 2, {PGOPT_ELEMENT_BFLOAT, 16}},
    {"I64", 8, {PGOPT_ELEMENT_INTEGER, 64}},
    {"I32", 4, {PGOPT_ELEMENT_INTEGER, 32}},
    {"I16", 2, {PGOPT_ELEMENT_INTEGER, 16}},
    {"I8", 1, {PGOPT_ELEMENT_INTEGER, 8}},
    {"BOOL", 1, {PGOPT_ELEMENT_INTEGER, 1}},
    {"U64", 8, {PGOPT_ELEMENT_INTEGER, 64}},
    {"U32", 4, {PGOPT_ELEMENT_INTEGER, 32}},
    {"U16", 2, {PGOPT_ELEMENT_INTEGER, 16}},
    {"U8", 1, {PGOPT_ELEMENT_INTEGER, 8}},
    {"F8_E4M3", 1, {PGOPT_ELEMENT_FLOAT, 0}},
    {"F8_E5M2", 1, {PGOPT_ELEMENT_FLOAT, 0}},
    {"F8_E8M0", 1, {PGOPT_ELEMENT_FLOAT, 0}},
    {"C64", 8, {PGOPT_ELEMENT_FLOAT, 0}},
};

enum { TYPE_COUNT = sizeof type_table / sizeof *type_table, LENGTH_BYTES = 8 };

static const type_entry *find_type(const char *name) {
  for (size_t i = 0; i < TYPE_COUNT; ++i)
    if (!strcmp(type_table[i].name, name))
      return &type_table[i];
  return NULL;
}

const char *pgopt_safetensors_type(pgopt_element element) {
  int64_t bytes = pgopt_element_bytes(element);
  bool exact = element.bits == 1 || pgopt_element_is_float(element);
  for (size_t i = 0; i < TYPE_COUNT; ++i) {
    const type_entry *type = &type_table[i];
    if (exact ? pgopt_element_equal(type->element, element)
              : type->element.kind == PGOPT_ELEMENT_INTEGER &&
                    type->bytes == bytes)
      return type->name;
  }
  return NULL;
}

bool pgopt_safetensors_element(const char *type, pgopt_element *element) {
  const type_entry *entry = find_type(type);
  if (!entry || !entry->element.bits)
    return false;
  *element = entry->element;
  return true;
}

int64_t pgopt_safetensors_type_bytes(const char *type) {
  const type_entry *entry = find_type(type);
  return entry ? entry->bytes : 0;
}

/// An array of non-negative integers; false when it is not one.
static bool read_integers(const json_t *array, int64_t *values) {
  for (size_t i = 0; i < json_array_size(array); ++i) {
    const json_t *item = json_array_get(array, i);
    if (!json_is_integer(item) || json_integer_value(item) < 0)
      return false;
    values[i] = json_integer_value(item);
  }
  return true;
}

/// Reads one entry of the header. Offsets are checked against the data.
static pgopt_status read_tensor(const char *name, const json_t *entry,
                                const unsigned char *data, int64_t data_bytes,
                                int64_t data_offset, pgopt_arena *arena,
                                pgopt_safetensor *tensor, pgopt_error *error) {
  const json_t *type = json_object_get(entry, "dtype");
  const json_t *shape = json_object_get(entry, "shape");
  const json_t *range = json_object_get(entry, "data_offsets");
  if (!json_is_string(type) || !json_is_array(shape) || !json_is_array(range))
    return pgopt_fail(error, PGOPT_INVALID,
                      "tensor '%.100s' needs dtype (text), shape and "
                      "data_offsets (arrays)",
                      name);
  const type_entry *known = find_type(json_string_value(type));
  if (!known)
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "tensor '%.100s' has the unknown type '%.32s'", name,
                      json_string_value(type));
  size_t rank = json_array_size(shape);
  int64_t *extents = pgopt_arena_allocate(arena, rank, sizeof *extents);
  int64_t ends[2] = {0, 0}, elements = 0, bytes = 0;
  if (!read_integers(shape, extents))
    return pgopt_fail(error, PGOPT_INVALID,
                      "the shape of tensor '%.100s' is not a list of "
                      "non-negative integers",
                      name);
  if (json_array_size(range) != 2 || !read_integers(range, ends))
    return pgopt_fail(error, PGOPT_INVALID,
                      "the data_offsets of tensor '%.100s' are not two "
                      "non-negative integers",
                      name);
  if (!pgopt_checked_product(extents, rank, &elements) ||
      !pgopt_checked_multiply(elements, known->bytes, &bytes))
    return pgopt_fail(error, PGOPT_INVALID,
                      "the size of tensor '%.100s' does not fit 64 bits", name);
  if (ends[0] > ends[1] || ends[1] > data_bytes)
    return pgopt_fail(error, PGOPT_INVALID,
                      "tensor '%.100s' lies at [%lld, %lld) of %lld data bytes",
                      name, (long long)ends[0], (long long)ends[1],
                      (long long)data_bytes);
  if (ends[1] - ends[0] != bytes)
    return pgopt_fail(error, PGOPT_INVALID,
                      "tensor '%.100s' has %lld bytes, its type and shape need "
                      "%lld",
                      name, (long long)(ends[1] - ends[0]), (long long)bytes);
  *tensor = (pgopt_safetensor){
      .name = pgopt_arena_text(arena, name, strlen(name)),
      .type = known->name,
      .element_bytes = known->bytes,
      .shape = extents,
      .rank = rank,
      .data = data + ends[0],
      .offset = data_offset + ends[0],
      .bytes = bytes,
  };
  return PGOPT_OK;
}

static int compare_offsets(const void *left, const void *right) {
  const pgopt_safetensor *a = left, *b = right;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

static int compare_names(const void *left, const void *right, void *tensors) {
  const pgopt_safetensor *all = tensors;
  return strcmp(all[*(const size_t *)left].name,
                all[*(const size_t *)right].name);
}

/// The sorted tensors must follow each other from the first data byte to the
/// last.
static pgopt_status check_coverage(const pgopt_safetensor *tensors,
                                   size_t count, int64_t data_offset,
                                   int64_t data_bytes, pgopt_error *error) {
  int64_t end = data_offset;
  for (size_t i = 0; i < count; ++i) {
    if (tensors[i].offset != end)
      return pgopt_fail(
          error, PGOPT_INVALID, "tensor '%.100s' begins at data byte %lld, %s",
          tensors[i].name, (long long)(tensors[i].offset - data_offset),
          tensors[i].offset < end ? "inside the one before it"
                                  : "behind a gap that belongs to no tensor");
    end += tensors[i].bytes;
  }
  if (end != data_offset + data_bytes)
    return pgopt_fail(error, PGOPT_INVALID,
                      "%lld bytes at the end belong to no tensor",
                      (long long)(data_offset + data_bytes - end));
  return PGOPT_OK;
}

static pgopt_status check_metadata(const json_t *metadata, pgopt_error *error) {
  bool valid = json_is_object(metadata);
  if (valid) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)metadata, key, value) valid &=
        json_is_string(value);
  }
  return valid ? PGOPT_OK
               : pgopt_fail(error, PGOPT_INVALID,
                            "__metadata__ is not an object of texts");
}

static pgopt_status read_header(json_t *header, const unsigned char *data,
                                int64_t data_bytes, int64_t data_offset,
                                pgopt_safetensors *file, pgopt_error *error) {
  pgopt_safetensor *tensors = pgopt_arena_allocate(
      &file->arena, json_object_size(header), sizeof *tensors);
  size_t count = 0;
  const char *name;
  json_t *entry;
  json_object_foreach(header, name, entry) {
    pgopt_status status =
        strcmp(name, "__metadata__")
            ? read_tensor(name, entry, data, data_bytes, data_offset,
                          &file->arena, &tensors[count++], error)
            : check_metadata(entry, error);
    if (status != PGOPT_OK)
      return status;
  }
  if (count)
    qsort(tensors, count, sizeof *tensors, compare_offsets);
  pgopt_status status =
      check_coverage(tensors, count, data_offset, data_bytes, error);
  if (status != PGOPT_OK)
    return status;
  size_t *by_name = pgopt_arena_allocate(&file->arena, count, sizeof *by_name);
  for (size_t i = 0; i < count; ++i)
    by_name[i] = i;
  if (count)
    qsort_r(by_name, count, sizeof *by_name, compare_names, tensors);
  file->tensors = tensors;
  file->count = count;
  file->by_name = by_name;
  return PGOPT_OK;
}

pgopt_status pgopt_safetensors_parse(const void *bytes, size_t size,
                                     pgopt_safetensors *file,
                                     pgopt_error *error) {
  *file = (pgopt_safetensors){0};
  const unsigned char *start = bytes;
  if (size < LENGTH_BYTES || size > INT64_MAX)
    return pgopt_fail(error, PGOPT_INVALID,
                      "%zu bytes are no safetensors file, which begins with 8 "
                      "bytes that give the length of its header",
                      size);
  uint64_t length = 0;
  for (int i = LENGTH_BYTES - 1; i >= 0; --i)
    length = length << 8 | start[i];
  if (length > size - LENGTH_BYTES)
    return pgopt_fail(error, PGOPT_INVALID,
                      "a header of %llu bytes does not fit a file of %zu bytes",
                      (unsigned long long)length, size);
  if (length > PGOPT_SAFETENSORS_MAX_HEADER)
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "the header has %llu bytes; up to %d are read",
                      (unsigned long long)length, PGOPT_SAFETENSORS_MAX_HEADER);
  json_error_t failure;
  json_t *header = json_loadb((const char *)start + LENGTH_BYTES,
                              (size_t)length, JSON_REJECT_DUPLICATES, &failure);
  if (!json_is_object(header)) {
    pgopt_status status =
        pgopt_fail(error, PGOPT_INVALID, "the header is not a JSON object%s%s",
                   header ? "" : ": ", header ? "" : failure.text);
    json_decref(header);
    return status;
  }
  int64_t offset = LENGTH_BYTES + (int64_t)length;
  pgopt_status status = read_header(
      header, start + offset, (int64_t)size - offset, offset, file, error);
  json_decref(header);
  if (status != PGOPT_OK)
    pgopt_safetensors_close(file);
  return status;
}

/// Maps the whole file for reading; an empty one is left as it was.
static pgopt_status map_file(const char *path, void **mapping, size_t *bytes,
                             pgopt_error *error) {
  // Without O_NONBLOCK, a named pipe would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return pgopt_fail(error, PGOPT_IO, "%s: %s", path, strerror(errno));
  struct stat information;
  pgopt_status status = PGOPT_OK;
  if (fstat(file, &information))
    status = pgopt_fail(error, PGOPT_IO, "%s: %s", path, strerror(errno));
  else if (!S_ISREG(information.st_mode))
    status = pgopt_fail(error, PGOPT_IO, "%s: not a regular file", path);
  else if (information.st_size > 0) {
    *bytes = (size_t)information.st_size;
    *mapping = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, file, 0);
    if (*mapping == MAP_FAILED)
      status = pgopt_fail(error, PGOPT_IO, "%s: %s", path, strerror(errno));
  }
  close(file);
  return status;
}

pgopt_status pgopt_safetensors_open(const char *path, pgopt_safetensors *file,
                                    pgopt_error *error) {
  *file = (pgopt_safetensors){0};
  void *mapping = NULL;
  size_t bytes = 0;
  pgopt_status status = map_file(path, &mapping, &bytes, error);
  if (status != PGOPT_OK)
    return status;
  pgopt_error reason = {0};
  status = pgopt_safetensors_parse(mapping, bytes, file, &reason);
  if (status == PGOPT_OK) {
    file->mapping = mapping;
    file->mapping_bytes = bytes;
    return PGOPT_OK;
  }
  if (mapping)
    munmap(mapping, bytes);
  return pgopt_fail(error, status, "%s: %s", path, reason.message);
}

const pgopt_safetensor *pgopt_safetensors_find(const pgopt_safetensors *file,
                                               const char *name) {
  size_t low = 0, high = file->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const pgopt_safetensor *tensor = &file->tensors[file->by_name[middle]];
    int order = strcmp(name, tensor->name);
    if (order == 0)
      return tensor;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void pgopt_safetensors_close(pgopt_safetensors *file) {
  pgopt_arena_free(&file->arena);
  if (file->mapping)
    munmap(file->mapping, file->mapping_bytes);
  *file = (pgopt_safetensors){0};
}
