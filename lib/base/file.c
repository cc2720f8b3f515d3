#include "base/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pgopt_status fail_errno(pgopt_error *error, const char *what,
                               const char *path) {
  return pgopt_fail(error, PGOPT_IO, "cannot %s '%s': %s", what, path,
                    strerror(errno));
}

static pgopt_status read_opened(int file, const char *path, void **data,
                                size_t *size, pgopt_error *error) {
  struct stat status;
  if (fstat(file, &status))
    return fail_errno(error, "read", path);
  if (!S_ISREG(status.st_mode))
    return pgopt_fail(error, PGOPT_IO, "cannot read '%s': not a regular file",
                      path);
  size_t length = (size_t)status.st_size;
  char *bytes = malloc(length ? length : 1);
  if (!bytes)
    return pgopt_fail(error, PGOPT_NO_MEMORY,
                      "cannot read '%s': no memory for its %zu bytes", path,
                      length);
  size_t done = 0;
  while (done < length) {
    ssize_t count = read(file, bytes + done, length - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      fail_errno(error, "read", path);
      free(bytes);
      return PGOPT_IO;
    }
    if (count == 0) // it became shorter meanwhile
      break;
    done += (size_t)count;
  }
  *data = bytes;
  *size = done;
  return PGOPT_OK;
}

pgopt_status pgopt_file_read(const char *path, void **data, size_t *size,
                             pgopt_error *error) {
  *data = NULL;
  *size = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fail_errno(error, "read", path);
  pgopt_status status = read_opened(file, path, data, size, error);
  close(file);
  return status;
}

static pgopt_status write_all(int file, const char *path, const void *data,
                              size_t size, pgopt_error *error) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(file, (const char *)data + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail_errno(error, "write", path);
    done += (size_t)count;
  }
  return PGOPT_OK;
}

/// A limit on the size of files is an error like a full disk: the signal that
/// comes with it would end the process.
static pgopt_status write_opened(int file, const char *path, const void *data,
                                 size_t size, pgopt_error *error) {
  sigset_t limit, before, pending;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  pgopt_status status = write_all(file, path, data, size, error);
  if (!sigismember(&before, SIGXFSZ)) {
    const struct timespec at_once = {0};
    if (status && !sigpending(&pending) && sigismember(&pending, SIGXFSZ))
      sigtimedwait(&limit, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  return status;
}

static pgopt_status write_directly(const char *path, const void *data,
                                   size_t size, pgopt_error *error) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return fail_errno(error, "write", path);
  pgopt_status status = write_opened(file, path, data, size, error);
  if (close(file) && !status)
    status = fail_errno(error, "write", path);
  return status;
}

/// Makes a rename in the file's folder outlive a crash.
static pgopt_status sync_folder(const char *path, pgopt_error *error) {
  pgopt_text copy = {0};
  pgopt_text_append(&copy, "%s", path);
  int folder = open(dirname(copy.data), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  pgopt_text_free(&copy);
  // Some file systems cannot sync a folder, and say EINVAL.
  bool failed = folder < 0 || (fsync(folder) && errno != EINVAL);
  pgopt_status status = failed ? fail_errno(error, "write", path) : PGOPT_OK;
  if (folder >= 0)
    close(folder);
  return status;
}

/// \param old what is there, null when nothing is.
static pgopt_status write_beside(const char *path, const struct stat *old,
                                 bool durable, const void *data, size_t size,
                                 pgopt_error *error) {
  // A rename would replace a file that its owner has made read-only.
  if (old && access(path, W_OK))
    return fail_errno(error, "write", path);
  pgopt_text temporary = {0};
  pgopt_text_append(&temporary, "%s.XXXXXX", path);
  int file = mkostemp(temporary.data, O_CLOEXEC);
  pgopt_status status = PGOPT_OK;
  if (file < 0) {
    status = fail_errno(error, "write", path);
  } else {
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, old ? old->st_mode & 07777 : 0666 & ~mask);
    status = write_opened(file, path, data, size, error);
    if (!status && durable && fsync(file))
      status = fail_errno(error, "write", path);
    if (close(file) && !status)
      status = fail_errno(error, "write", path);
    if (!status && rename(temporary.data, path))
      status = fail_errno(error, "write", path);
    if (status)
      unlink(temporary.data);
  }
  pgopt_text_free(&temporary);
  return !status && durable ? sync_folder(path, error) : status;
}

static pgopt_status fail_directory(const char *path, pgopt_error *error) {
  errno = EISDIR;
  return fail_errno(error, "write", path);
}

pgopt_status pgopt_file_write(const char *path, const void *data, size_t size,
                              pgopt_error *error) {
  struct stat old;
  bool exists = !stat(path, &old);
  if (exists && S_ISDIR(old.st_mode))
    return fail_directory(path, error);
  if (exists && !S_ISREG(old.st_mode))
    return write_directly(path, data, size, error);
  return write_beside(path, exists ? &old : NULL, false, data, size, error);
}

pgopt_status pgopt_file_replace(const char *path, const void *data, size_t size,
                                pgopt_error *error) {
  struct stat old;
  bool exists = !stat(path, &old);
  if (exists && S_ISDIR(old.st_mode))
    return fail_directory(path, error);
  if (exists && !S_ISREG(old.st_mode))
    return pgopt_fail(error, PGOPT_IO, "cannot write '%s': not a regular file",
                      path);
  return write_beside(path, exists ? &old : NULL, true, data, size, error);
}
