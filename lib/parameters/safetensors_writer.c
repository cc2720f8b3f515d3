#include "parameters/safetensors_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checked_math.h"
#include "base/memory.h"

enum { ALIGNMENT = 64, LENGTH_BYTES = 8, MAX_ATTEMPTS = 1000 };

/// Pieces from this size on are written while another thread hashes them: both
/// take about as long.
enum { TWO_THREADS = 1 << 22 };

struct pgopt_safetensors_writer {
  char *path, *temporary_path;
  FILE *file;
  struct sha256_ctx hash;
  int64_t data_bytes, appended;
};

/// Adds one entry to the header; `*end` is where the data before it ends.
static pgopt_status add_entry(json_t *header,
                              const pgopt_safetensors_entry *entry,
                              int64_t *end, pgopt_error *error) {
  int64_t bytes = pgopt_safetensors_type_bytes(entry->type), begin = *end;
  if (!bytes)
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "tensor '%.100s' has the unknown type '%.32s'",
                      entry->name, entry->type);
  json_t *shape = json_array();
  bool fits = true;
  for (size_t i = 0; i < entry->rank; ++i) {
    fits = fits && entry->shape[i] >= 0 &&
           pgopt_checked_multiply(bytes, entry->shape[i], &bytes);
    json_array_append_new(shape, json_integer(entry->shape[i]));
  }
  if (!fits || !pgopt_checked_add(*end, bytes, end)) {
    json_decref(shape);
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "the size of tensor '%.100s' is negative or does not fit "
                      "64 bits",
                      entry->name);
  }
  bool is_taken = json_object_get(header, entry->name) ||
                  !strcmp(entry->name, "__metadata__");
  json_t *value =
      json_pack("{s:s, s:o, s:[I, I]}", "dtype", entry->type, "shape", shape,
                "data_offsets", (json_int_t)begin, (json_int_t)*end);
  if (is_taken) {
    json_decref(value);
    return pgopt_fail(error, PGOPT_INVALID,
                      "two tensors have the name '%.100s'", entry->name);
  }
  if (json_object_set_new(header, entry->name, value))
    return pgopt_fail(error, PGOPT_INVALID,
                      "the tensor name '%.100s' is not UTF-8", entry->name);
  return PGOPT_OK;
}

/// The header as text, padded so that the data behind it is aligned; freed by
/// the caller.
static pgopt_status make_header(const pgopt_safetensors_entry *entries,
                                size_t count, char **text, size_t *length,
                                int64_t *data_bytes, pgopt_error *error) {
  json_t *header = json_object();
  pgopt_status status = PGOPT_OK;
  *text = NULL;
  *data_bytes = 0;
  for (size_t i = 0; i < count && status == PGOPT_OK; ++i)
    status = add_entry(header, &entries[i], data_bytes, error);
  if (status == PGOPT_OK) {
    char *plain = json_dumps(header, JSON_COMPACT);
    size_t used = plain ? strlen(plain) : 0;
    *length = (LENGTH_BYTES + used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT -
              LENGTH_BYTES;
    if (!plain)
      status = pgopt_fail(error, PGOPT_NO_MEMORY, "no memory for the header");
    else if (*length > PGOPT_SAFETENSORS_MAX_HEADER)
      status = pgopt_fail(error, PGOPT_UNSUPPORTED,
                          "the header needs %zu bytes; up to %d are allowed",
                          *length, PGOPT_SAFETENSORS_MAX_HEADER);
    else {
      *text = pgopt_allocate(*length, 1);
      memcpy(*text, plain, used);
      memset(*text + used, ' ', *length - used);
    }
    free(plain);
  }
  json_decref(header);
  return status;
}

static void destroy(pgopt_safetensors_writer *writer) {
  free(writer->path);
  free(writer->temporary_path);
  free(writer);
}

static pgopt_status fail_to_write(const pgopt_safetensors_writer *writer,
                                  pgopt_error *error) {
  return pgopt_fail(error, PGOPT_IO, "%s: cannot write: %s",
                    writer->temporary_path, strerror(errno));
}

typedef struct hash_job {
  struct sha256_ctx *hash;
  const void *bytes;
  size_t size;
} hash_job;

static void *run_hash_job(void *argument) {
  const hash_job *job = argument;
  sha256_update(job->hash, job->size, job->bytes);
  return NULL;
}

/// Writes and adds to the checksum.
static pgopt_status put(pgopt_safetensors_writer *writer, const void *bytes,
                        size_t size, pgopt_error *error) {
  hash_job job = {&writer->hash, bytes, size};
  pthread_t thread;
  bool threaded =
      size >= TWO_THREADS && !pthread_create(&thread, NULL, run_hash_job, &job);
  if (!threaded)
    run_hash_job(&job);
  bool written = !size || fwrite(bytes, 1, size, writer->file) == size;
  pgopt_status status = written ? PGOPT_OK : fail_to_write(writer, error);
  if (threaded)
    pthread_join(thread, NULL);
  return status;
}

/// Opens a file that did not exist, in the folder of the path.
static pgopt_status open_temporary(pgopt_safetensors_writer *writer,
                                   pgopt_error *error) {
  size_t size = strlen(writer->path) + 64;
  writer->temporary_path = pgopt_allocate(size, 1);
  int file = -1;
  for (int i = 0; file < 0 && i < MAX_ATTEMPTS; ++i) {
    snprintf(writer->temporary_path, size, "%s.tmp-%ld-%d", writer->path,
             (long)getpid(), i);
    file = open(writer->temporary_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                0666);
    if (file < 0 && errno != EEXIST)
      break;
  }
  if (file < 0)
    return fail_to_write(writer, error);
  writer->file = fdopen(file, "wb");
  if (writer->file)
    return PGOPT_OK;
  pgopt_status status = fail_to_write(writer, error);
  close(file);
  unlink(writer->temporary_path);
  return status;
}

pgopt_status pgopt_safetensors_create(const char *path,
                                      const pgopt_safetensors_entry *entries,
                                      size_t count,
                                      pgopt_safetensors_writer **writer,
                                      pgopt_error *error) {
  *writer = NULL;
  char *header;
  size_t length;
  int64_t data_bytes;
  pgopt_status status =
      make_header(entries, count, &header, &length, &data_bytes, error);
  if (status != PGOPT_OK)
    return status;
  pgopt_safetensors_writer *created = pgopt_allocate(1, sizeof *created);
  created->path = pgopt_duplicate_text(path);
  created->data_bytes = data_bytes;
  sha256_init(&created->hash);
  status = open_temporary(created, error);
  if (status == PGOPT_OK) {
    unsigned char prefix[LENGTH_BYTES];
    for (int i = 0; i < LENGTH_BYTES; ++i)
      prefix[i] = (unsigned char)((uint64_t)length >> 8 * i);
    status = put(created, prefix, sizeof prefix, error);
    if (status == PGOPT_OK)
      status = put(created, header, length, error);
    if (status == PGOPT_OK)
      *writer = created;
    else
      pgopt_safetensors_abandon(created);
  } else {
    destroy(created);
  }
  free(header);
  return status;
}

pgopt_status pgopt_safetensors_append(pgopt_safetensors_writer *writer,
                                      const void *data, int64_t bytes,
                                      pgopt_error *error) {
  if (bytes < 0 || bytes > writer->data_bytes - writer->appended)
    return pgopt_fail(error, PGOPT_INVALID,
                      "%s: %lld bytes behind %lld; the tensors have %lld",
                      writer->path, (long long)bytes,
                      (long long)writer->appended,
                      (long long)writer->data_bytes);
  writer->appended += bytes;
  return put(writer, data, (size_t)bytes, error);
}

pgopt_status pgopt_safetensors_finish(pgopt_safetensors_writer *writer,
                                      char sha256[PGOPT_SHA256_TEXT],
                                      pgopt_error *error) {
  pgopt_status status = PGOPT_OK;
  if (writer->appended != writer->data_bytes)
    status = pgopt_fail(error, PGOPT_INVALID,
                        "%s: got %lld bytes of data, the tensors have %lld",
                        writer->path, (long long)writer->appended,
                        (long long)writer->data_bytes);
  if (fclose(writer->file) && status == PGOPT_OK)
    status = fail_to_write(writer, error);
  if (status == PGOPT_OK && rename(writer->temporary_path, writer->path))
    status =
        pgopt_fail(error, PGOPT_IO, "%s: %s", writer->path, strerror(errno));
  if (status != PGOPT_OK)
    unlink(writer->temporary_path);
  else if (sha256)
    pgopt_sha256_finish(&writer->hash, sha256);
  destroy(writer);
  return status;
}

void pgopt_safetensors_abandon(pgopt_safetensors_writer *writer) {
  if (!writer)
    return;
  fclose(writer->file);
  unlink(writer->temporary_path);
  destroy(writer);
}
