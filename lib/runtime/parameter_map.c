/// \file Parameters of programs: safetensors files, mapped once a process.
///
/// A file is known by its device, inode, size and time of change, so that one
/// that was replaced under the same name is mapped anew, and one that has two
/// names is mapped once. Files stay mapped: addresses in them were given away.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "parameters/safetensors.h"
#include "pgopt/runtime.h"
#include "runtime/fatal.h"
#include "runtime/guard.h"

typedef struct mapped_file {
  struct mapped_file *next;
  struct stat identity;
  pgopt_safetensors file;
  void **copies; ///< by tensor; of those that lie at odd addresses
} mapped_file;

static mapped_file *files; ///< under the guard

static bool is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
         a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/// The guard is held.
static mapped_file *get_file(const char *path) {
  struct stat identity;
  if (stat(path, &identity))
    pgopt_runtime_fatal("parameter file %s: %s", path, strerror(errno));
  for (mapped_file *known = files; known; known = known->next)
    if (is_same_file(&known->identity, &identity))
      return known;
  mapped_file *opened = pgopt_allocate(1, sizeof *opened);
  pgopt_error error = {0};
  if (pgopt_safetensors_open(path, &opened->file, &error) != PGOPT_OK)
    pgopt_runtime_fatal("parameter file %s", error.message);
  opened->identity = identity;
  opened->copies = pgopt_allocate(opened->file.count, sizeof(void *));
  opened->next = files;
  files = opened;
  return opened;
}

/// The format does not align tensors; programs rely on aligned elements.
static const void *aligned_data(mapped_file *file,
                                const pgopt_safetensor *tensor) {
  if ((uintptr_t)tensor->data % (uintptr_t)tensor->element_bytes == 0)
    return tensor->data;
  void **copy = &file->copies[tensor - file->file.tensors];
  if (!*copy)
    *copy = pgopt_duplicate(tensor->data, (size_t)tensor->bytes);
  return *copy;
}

const void *pgopt_rt_parameter(const char *path, const char *name,
                               int64_t bytes) {
  pgopt_guard_lock();
  mapped_file *file = get_file(path);
  const pgopt_safetensor *tensor = pgopt_safetensors_find(&file->file, name);
  if (!tensor)
    pgopt_runtime_fatal("parameter file %s has no tensor '%s'", path, name);
  if (tensor->bytes != bytes)
    pgopt_runtime_fatal("parameter file %s: tensor '%s' has %lld bytes, the "
                        "program needs %lld",
                        path, name, (long long)tensor->bytes, (long long)bytes);
  const void *data = aligned_data(file, tensor);
  pgopt_guard_unlock();
  return data;
}
