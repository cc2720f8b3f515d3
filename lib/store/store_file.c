#include "store/store_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 3000, LOCK_PAUSE_NS = 10000000 }; // 30 s

static pgopt_status load(const char *path, pgopt_store *store, bool *exists,
                         bool *is_text, pgopt_error *error) {
  struct stat status;
  void *bytes;
  size_t size;
  *store = (pgopt_store){0};
  *is_text = false;
  *exists = stat(path, &status) == 0 || errno != ENOENT;
  if (!*exists)
    return PGOPT_OK;
  if (status.st_size > PGOPT_STORE_MAX_BYTES && S_ISREG(status.st_mode))
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "store '%s': has %lld bytes; a store has at most %d",
                      path, (long long)status.st_size, PGOPT_STORE_MAX_BYTES);
  pgopt_error cause = {0};
  pgopt_status result = pgopt_file_read(path, &bytes, &size, &cause);
  if (result)
    return pgopt_fail(error, result, "store: %s", cause.message);
  result = pgopt_store_parse(bytes, size, store, is_text, &cause);
  free(bytes);
  return result
             ? pgopt_fail(error, result, "store '%s': %s", path, cause.message)
             : PGOPT_OK;
}

pgopt_status pgopt_store_load(const char *path, pgopt_store *store,
                              bool *exists, pgopt_error *error) {
  bool is_text, is_there;
  return load(path, store, exists ? exists : &is_there, &is_text, error);
}

/// True when the descriptor's file is the one that the path names now.
static bool is_current(int file, const char *path) {
  struct stat opened, named;
  return !fstat(file, &opened) && !stat(path, &named) &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static pgopt_status fail_lock(const char *path, pgopt_error *error) {
  return pgopt_fail(error, PGOPT_IO, "cannot lock '%s': %s", path,
                    strerror(errno));
}

/// The holder of the lock removes its file, so one who waited for it may hold a
/// file that is gone: it tries again.
static pgopt_status lock(const char *path, int *file, pgopt_error *error) {
  const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
  for (int i = 0; i < LOCK_TRIES; ++i) {
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (*file < 0)
      return fail_lock(path, error);
    if (!flock(*file, LOCK_EX | LOCK_NB)) {
      if (is_current(*file, path))
        return PGOPT_OK;
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      fail_lock(path, error);
      close(*file);
      return PGOPT_IO;
    } else {
      nanosleep(&pause, NULL);
    }
    close(*file);
  }
  return pgopt_fail(error, PGOPT_IO,
                    "another process has kept '%s' locked for 30 s", path);
}

static void unlock(const char *path, int file) {
  unlink(path);
  close(file);
}

static pgopt_status merge_and_write(const char *path,
                                    const pgopt_store *additions,
                                    pgopt_error *error) {
  pgopt_store store;
  pgopt_text bytes = {0};
  bool exists, is_text;
  pgopt_status status = load(path, &store, &exists, &is_text, error);
  if (status)
    return status;
  pgopt_store_merge(&store, additions);
  pgopt_store_write(&store, is_text, &bytes);
  pgopt_store_free(&store);
  pgopt_error cause = {0};
  if (bytes.size > PGOPT_STORE_MAX_BYTES)
    status = pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                        "store '%s': would have %zu bytes; a store has at most "
                        "%d",
                        path, bytes.size, PGOPT_STORE_MAX_BYTES);
  else if ((status = pgopt_file_replace(path, bytes.data, bytes.size, &cause)))
    pgopt_fail(error, status, "store: %s", cause.message);
  pgopt_text_free(&bytes);
  return status;
}

/// The file that the path names: a rename would replace a symbolic link. Freed
/// with `free`.
static char *resolve(const char *path) {
  struct stat link;
  bool is_link = !lstat(path, &link) && S_ISLNK(link.st_mode);
  char *resolved = is_link ? realpath(path, NULL) : NULL;
  return resolved ? resolved : pgopt_duplicate_text(path);
}

/// Does nothing but check when there are no additions.
static pgopt_status update(const char *path, const pgopt_store *additions,
                           pgopt_error *error) {
  char *target = resolve(path);
  pgopt_text name = {0};
  pgopt_text_append(&name, "%s.lock", target);
  pgopt_error cause = {0};
  int file;
  pgopt_status status = lock(name.data, &file, &cause);
  if (status) {
    pgopt_fail(error, status, "store: %s", cause.message);
  } else {
    if (additions)
      status = merge_and_write(target, additions, error);
    unlock(name.data, file);
  }
  pgopt_text_free(&name);
  free(target);
  return status;
}

pgopt_status pgopt_store_update(const char *path, const pgopt_store *additions,
                                pgopt_error *error) {
  return update(path, additions, error);
}

pgopt_status pgopt_store_check(const char *path, pgopt_error *error) {
  return update(path, NULL, error);
}
