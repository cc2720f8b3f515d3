#include "codegen/object_cache.h"

#include "base/memory.h"
#include "base/text.h"
#include "llvm-c/blake3.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char suffix[] = ".pgopt-object";
static const char magic[] = {'p', 'g', 'o', 'b', 'j', 0, 0, 1};

/// Files of writers that did not finish are removed after this time.
enum { STALE_SECONDS = 3600 };

pgopt_hash pgopt_hash_parts(const pgopt_hash_part *parts, size_t count) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  for (size_t i = 0; i < count; ++i) {
    uint64_t size = parts[i].size;
    llvm_blake3_hasher_update(&hasher, &size, sizeof size);
    llvm_blake3_hasher_update(&hasher, parts[i].data, parts[i].size);
  }
  pgopt_hash hash;
  llvm_blake3_hasher_finalize(&hasher, hash.bytes, sizeof hash.bytes);
  return hash;
}

char *pgopt_object_cache_directory(void) {
  pgopt_text path = {0};
  const char *own = getenv("PGOPT_CACHE");
  const char *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own && *own)
    pgopt_text_append(&path, "%s", own);
  else if (!own && xdg && *xdg == '/')
    pgopt_text_append(&path, "%s/pgopt", xdg);
  else if (!own && home && *home == '/')
    pgopt_text_append(&path, "%s/.cache/pgopt", home);
  return path.data;
}

/// Path of the key's file, plus an extension; freed with `free`.
static char *path_of(const char *directory, const pgopt_hash *key,
                     const char *extension) {
  pgopt_text path = {0};
  pgopt_text_append(&path, "%s/", directory);
  for (int i = 0; i < PGOPT_HASH_BYTES; ++i)
    pgopt_text_append(&path, "%02x", key->bytes[i]);
  pgopt_text_append(&path, "%s%s", suffix, extension);
  return path.data;
}

static bool read_fully(int file, void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(file, (char *)data + done, size - done);
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return true;
}

static bool write_fully(int file, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(file, (const char *)data + done, size - done);
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return true;
}

static bool read_checked(int file, void **data, size_t *size) {
  struct stat status;
  char found[sizeof magic];
  pgopt_hash expected;
  size_t header = sizeof magic + sizeof expected;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) ||
      status.st_size < (off_t)header ||
      !read_fully(file, found, sizeof found) ||
      memcmp(found, magic, sizeof magic) ||
      !read_fully(file, &expected, sizeof expected))
    return false;
  size_t length = (size_t)status.st_size - header;
  void *content = malloc(length ? length : 1);
  if (!content)
    return false;
  pgopt_hash_part part = {content, length};
  bool is_whole = read_fully(file, content, length);
  if (is_whole) {
    pgopt_hash actual = pgopt_hash_parts(&part, 1);
    is_whole = !memcmp(&actual, &expected, sizeof actual);
  }
  if (!is_whole) {
    free(content);
    return false;
  }
  *data = content;
  *size = length;
  futimens(file, NULL); // used just now
  return true;
}

bool pgopt_object_cache_read(const char *directory, const pgopt_hash *key,
                             void **data, size_t *size) {
  char *path = path_of(directory, key, "");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  free(path);
  if (file < 0)
    return false;
  bool ok = read_checked(file, data, size);
  close(file);
  return ok;
}

/// Creates the directory and those above it.
static void make_directories(const char *directory) {
  char *path = pgopt_duplicate_text(directory);
  for (char *c = path + 1; *c; ++c)
    if (*c == '/') {
      *c = 0;
      mkdir(path, 0755);
      *c = '/';
    }
  mkdir(path, 0700);
  free(path);
}

typedef struct cached_file {
  char *path;
  int64_t bytes;
  struct timespec used;
} cached_file;

static int by_last_use(const void *a, const void *b) {
  const cached_file *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
  if (x->used.tv_nsec != y->used.tv_nsec)
    return x->used.tv_nsec < y->used.tv_nsec ? 1 : -1;
  return strcmp(x->path, y->path);
}

/// Removes the least recently used objects beyond the limit.
static void prune(const char *directory, int64_t limit_bytes) {
  DIR *listing = opendir(directory);
  int folder = listing ? dirfd(listing) : -1;
  if (folder < 0)
    return;
  cached_file *files = NULL;
  size_t count = 0, capacity = 0;
  for (struct dirent *entry; (entry = readdir(listing));) {
    const char *ending = strstr(entry->d_name, suffix);
    struct stat status;
    if (!ending ||
        fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode))
      continue;
    if (ending[sizeof suffix - 1]) { // somebody is writing it, or was
      if (time(NULL) - status.st_mtime > STALE_SECONDS)
        unlinkat(folder, entry->d_name, 0);
      continue;
    }
    cached_file file = {pgopt_duplicate_text(entry->d_name), status.st_size,
                        status.st_mtim};
    PGOPT_APPEND(files, count, capacity, file);
  }
  if (count)
    qsort(files, count, sizeof *files, by_last_use);
  int64_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (files[i].bytes > limit_bytes - kept)
      unlinkat(folder, files[i].path, 0);
    else
      kept += files[i].bytes;
    free(files[i].path);
  }
  free(files);
  closedir(listing);
}

void pgopt_object_cache_write(const char *directory, const pgopt_hash *key,
                              const void *data, size_t size,
                              int64_t limit_bytes) {
  make_directories(directory);
  char *path = path_of(directory, key, "");
  char *temporary = path_of(directory, key, ".XXXXXX");
  int file = mkostemp(temporary, O_CLOEXEC);
  if (file >= 0) {
    pgopt_hash_part part = {data, size};
    pgopt_hash hash = pgopt_hash_parts(&part, 1);
    bool ok = write_fully(file, magic, sizeof magic) &&
              write_fully(file, &hash, sizeof hash) &&
              write_fully(file, data, size);
    ok = !close(file) && ok;
    if (!ok || rename(temporary, path))
      unlink(temporary);
    else
      prune(directory, limit_bytes);
  }
  free(path);
  free(temporary);
}
