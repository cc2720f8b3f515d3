/// \file Reading of ONNX files.
#include "onnx/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct pgopt_onnx_mapping {
  void *bytes;
  size_t size;
};

/// Weights are copied out of the file once. Large pages make that twice as
/// fast.
static void *allocate_bytes(void *unused, size_t size) {
  enum { PAGE = 2 << 20 };
  void *memory;
  (void)unused;
  if (size < 2 * (size_t)PAGE)
    return malloc(size);
  if (posix_memalign(&memory, PAGE, size))
    return NULL;
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

static void free_bytes(void *unused, void *memory) {
  (void)unused;
  free(memory);
}

pgopt_status pgopt_onnx_parse(const void *bytes, size_t size,
                              const char *folder, pgopt_onnx_model *model,
                              pgopt_error *error) {
  *model = (pgopt_onnx_model){0};
  ProtobufCAllocator allocator = {allocate_bytes, free_bytes, NULL};
  model->message = pgopt__onnx__model__unpack(&allocator, size, bytes);
  if (!model->message)
    return pgopt_fail(error, PGOPT_INVALID,
                      "not an ONNX model: the protobuf message is malformed or "
                      "truncated");
  if (!model->message->graph)
    return pgopt_fail(error, PGOPT_INVALID, "the model has no graph");
  model->folder = folder ? pgopt_duplicate_text(folder) : NULL;
  return PGOPT_OK;
}

static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return pgopt_duplicate_text(".");
  char *folder = pgopt_duplicate_text(path);
  folder[slash == path ? 1 : slash - path] = 0;
  return folder;
}

pgopt_status pgopt_onnx_open(const char *path, pgopt_onnx_model *model,
                             pgopt_error *error) {
  *model = (pgopt_onnx_model){0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status)) {
    pgopt_fail(error, PGOPT_IO, "cannot read '%s': %s", path, strerror(errno));
    if (file >= 0)
      close(file);
    return PGOPT_IO;
  }
  if (!S_ISREG(status.st_mode) || !status.st_size) {
    close(file);
    return pgopt_fail(error, PGOPT_INVALID, "'%s' is %s", path,
                      S_ISREG(status.st_mode) ? "empty" : "not a file");
  }
  size_t size = (size_t)status.st_size;
  void *bytes =
      mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED)
    return pgopt_fail(error, PGOPT_IO, "cannot map '%s': %s", path,
                      strerror(errno));
  char *folder = folder_of(path);
  pgopt_status result = pgopt_onnx_parse(bytes, size, folder, model, error);
  free(folder);
  munmap(bytes, size);
  return result;
}

void pgopt_onnx_close(pgopt_onnx_model *model) {
  if (model->message)
    pgopt__onnx__model__free_unpacked(model->message, NULL);
  for (size_t i = 0; i < model->mapping_count; ++i)
    munmap(model->mappings[i].bytes, model->mappings[i].size);
  free(model->mappings);
  for (size_t i = 0; i < model->subgraph_count; ++i)
    pgopt__onnx__graph__free_unpacked(model->subgraphs[i], NULL);
  free(model->subgraphs);
  free(model->folder);
  pgopt_arena_free(&model->arena);
  *model = (pgopt_onnx_model){0};
}

static const struct {
  const char *name;
  int number; ///< -1: none
} types[] = {
    {"UNDEFINED", -1},
    {"FLOAT", PGOPT_F32},
    {"UINT8", PGOPT_U8},
    {"INT8", PGOPT_I8},
    {"UINT16", PGOPT_U16},
    {"INT16", PGOPT_I16},
    {"INT32", PGOPT_I32},
    {"INT64", PGOPT_I64},
    {"STRING", -1},
    {"BOOL", PGOPT_BOOL},
    {"FLOAT16", PGOPT_F16},
    {"DOUBLE", PGOPT_F64},
    {"UINT32", PGOPT_U32},
    {"UINT64", PGOPT_U64},
    {"COMPLEX64", -1},
    {"COMPLEX128", -1},
    {"BFLOAT16", PGOPT_BF16},
    {"FLOAT8E4M3FN", -1},
    {"FLOAT8E4M3FNUZ", -1},
    {"FLOAT8E5M2", -1},
    {"FLOAT8E5M2FNUZ", -1},
    {"UINT4", -1},
    {"INT4", -1},
    {"FLOAT4E2M1", -1},
};

bool pgopt_onnx_number(int data_type, pgopt_number *type) {
  if (data_type < 0 || (size_t)data_type >= sizeof types / sizeof *types ||
      types[data_type].number < 0)
    return false;
  *type = (pgopt_number)types[data_type].number;
  return true;
}

const char *pgopt_onnx_type_name(int data_type) {
  return data_type >= 0 && (size_t)data_type < sizeof types / sizeof *types
             ? types[data_type].name
             : "a type pgopt does not know";
}

static const char *entry(const Pgopt__Onnx__Tensor *tensor, const char *key) {
  for (size_t i = 0; i < tensor->n_external_data; ++i) {
    const Pgopt__Onnx__Entry *e = tensor->external_data[i];
    if (e->key && e->value && !strcmp(e->key, key))
      return e->value;
  }
  return NULL;
}

static bool read_size(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  *value = number;
  return end != text && !*end && !errno && number >= 0;
}

/// Opens a file below the model's folder without following links or leaving
/// it; -1 with an error otherwise.
static int open_below(const pgopt_onnx_model *model, const char *location,
                      pgopt_error *error) {
  if (!model->folder || !*location || *location == '/' ||
      strlen(location) > 4096) {
    pgopt_fail(error, PGOPT_INVALID,
               "external data '%.200s' is not a path inside the model's folder",
               location);
    return -1;
  }
  int at = open(model->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const char *rest = location;
  while (at >= 0 && *rest) {
    char part[256];
    size_t length = strcspn(rest, "/");
    if (!length || length >= sizeof part || !strncmp(rest, "..", length)) {
      // "." and ".." are both prefixes of "..".
      close(at);
      pgopt_fail(error, PGOPT_INVALID,
                 "external data '%.200s' leaves the model's folder", location);
      return -1;
    }
    memcpy(part, rest, length);
    part[length] = 0;
    bool is_last = !rest[length];
    int next =
        openat(at, part,
               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY));
    close(at);
    at = next;
    rest += length + !is_last;
  }
  if (at < 0)
    pgopt_fail(error, PGOPT_IO, "cannot open external data '%.200s': %s",
               location, errno == ELOOP ? "it is a link" : strerror(errno));
  return at;
}

const void *pgopt_onnx_map_external(pgopt_onnx_model *model,
                                    const Pgopt__Onnx__Tensor *tensor,
                                    int64_t bytes, pgopt_error *error) {
  const char *location = entry(tensor, "location");
  const char *offset_text = entry(tensor, "offset");
  const char *length_text = entry(tensor, "length");
  int64_t offset = 0, length = bytes;
  if (!location || (offset_text && !read_size(offset_text, &offset)) ||
      (length_text && !read_size(length_text, &length)) || length != bytes) {
    pgopt_fail(error, PGOPT_INVALID,
               "external data has no location, or an offset or length that "
               "does not fit its shape");
    return NULL;
  }
  int file = open_below(model, location, error);
  if (file < 0)
    return NULL;
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) ||
      offset > status.st_size || bytes > status.st_size - offset) {
    close(file);
    pgopt_fail(error, PGOPT_INVALID,
               "external data '%.200s' is not a file of at least %lld bytes",
               location, (long long)offset + (long long)bytes);
    return NULL;
  }
  int64_t page = offset % sysconf(_SC_PAGESIZE);
  struct pgopt_onnx_mapping mapping = {.size = (size_t)(bytes + page)};
  mapping.bytes = mmap(NULL, mapping.size, PROT_READ, MAP_PRIVATE, file,
                       (off_t)(offset - page));
  close(file);
  if (mapping.bytes == MAP_FAILED) {
    pgopt_fail(error, PGOPT_IO, "cannot map external data '%.200s': %s",
               location, strerror(errno));
    return NULL;
  }
  PGOPT_APPEND(model->mappings, model->mapping_count, model->mapping_capacity,
               mapping);
  return (const char *)mapping.bytes + page;
}
