/// \file Stores as files: concurrent writers, crashes, full disks.
#include "store/store_file.h"

#include "base/file.h"
#include "check.h"
#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static pgopt_status add(const char *path, const char *signature,
                        int64_t median_ns, pgopt_error *error) {
  pgopt_store store = {0};
  *error = (pgopt_error){0};
  test_add(&store, "C", signature, median_ns);
  pgopt_status status = pgopt_store_update(path, &store, error);
  pgopt_store_free(&store);
  return status;
}

static int64_t count_of(const char *path) {
  pgopt_store store;
  pgopt_error error = {0};
  bool exists;
  CHECK_EQ_I64(pgopt_store_load(path, &store, &exists, &error), PGOPT_OK);
  CHECK_EQ_TEXT(error.message, "");
  int64_t count =
      store.profile_count ? (int64_t)store.profiles[0].timing_count : 0;
  pgopt_store_free(&store);
  return count;
}

static int files_in_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
  FILE *pipe = popen(command, "r");
  int count = -1;
  if (fscanf(pipe, "%d", &count) != 1)
    count = -1;
  pclose(pipe);
  return count;
}

static void check_plain(void) {
  pgopt_error error;
  pgopt_store store;
  bool exists = true;
  const char *path = path_of("plain");
  CHECK_EQ_I64(pgopt_store_load(path, &store, &exists, &error), PGOPT_OK);
  CHECK(!exists && !store.profile_count);
  CHECK_EQ_I64(add(path, "a", 10, &error), PGOPT_OK);
  CHECK_EQ_I64(add(path, "b", 20, &error), PGOPT_OK);
  CHECK_EQ_I64(count_of(path), 2);
  void *before, *after;
  size_t before_size, after_size;
  pgopt_file_read(path, &before, &before_size, &error);
  CHECK_EQ_I64(add(path, "a", 10, &error), PGOPT_OK);
  pgopt_file_read(path, &after, &after_size, &error);
  CHECK(before_size == after_size && !memcmp(before, after, after_size));
  free(before);
  free(after);
  CHECK_EQ_I64(files_in_folder(), 1); // neither lock nor temporary stays
}

/// A store keeps its form, its mode, and the link that leads to it.
static void check_kept(void) {
  pgopt_error error;
  pgopt_store store = {0};
  pgopt_text text = {0};
  struct stat status;
  test_add(&store, "C", "t", 5);
  pgopt_store_write(&store, true, &text);
  CHECK_EQ_I64(pgopt_file_write(path_of("text"), text.data, text.size, &error),
               PGOPT_OK);
  CHECK(!chmod(path_of("text"), 0640));
  CHECK(!symlink("text", path_of("link")));
  CHECK_EQ_I64(add(path_of("link"), "u", 6, &error), PGOPT_OK);
  CHECK(!lstat(path_of("link"), &status) && S_ISLNK(status.st_mode));
  CHECK(!stat(path_of("text"), &status) && (status.st_mode & 0777) == 0640);
  void *bytes;
  size_t size;
  pgopt_file_read(path_of("text"), &bytes, &size, &error);
  CHECK(size > text.size && *(char *)bytes == '{');
  free(bytes);
  CHECK_EQ_I64(count_of(path_of("text")), 2);
  pgopt_text_free(&text);
  pgopt_store_free(&store);
}

static void check_errors(void) {
  pgopt_error error;
  pgopt_store store;
  CHECK(!mkdir(path_of("folder"), 0700));
  CHECK_EQ_I64(pgopt_store_load(path_of("folder"), &store, NULL, &error),
               PGOPT_IO);
  CHECK_CONTAINS(error.message, "not a regular file");
  CHECK_EQ_I64(add(path_of("folder"), "a", 1, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "not a regular file");
  CHECK_EQ_I64(add(path_of("nowhere/store"), "a", 1, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "No such file or directory");
  CHECK_EQ_I64(pgopt_store_load("/dev/null", &store, NULL, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "store: cannot read '/dev/null': ");
  // What is damaged is not written over.
  pgopt_file_write(path_of("damaged"), "\n\013pgopt-store", 13, &error);
  CHECK_EQ_I64(add(path_of("damaged"), "a", 1, &error), PGOPT_UNSUPPORTED);
  CHECK_CONTAINS(error.message, "damaged': has version 0");
  void *bytes;
  size_t size;
  pgopt_file_read(path_of("damaged"), &bytes, &size, &error);
  CHECK_EQ_I64(size, 13);
  free(bytes);
  unlink(path_of("damaged"));
  rmdir(path_of("folder"));
}

/// 8 writers at once: nothing that one of them adds is lost.
static void check_writers(void) {
  enum { WRITERS = 8, EACH = 12 };
  const char *path = path_of("shared");
  for (int w = 0; w < WRITERS; ++w)
    if (!fork()) {
      pgopt_error error;
      int failed = 0;
      for (int i = 0; i < EACH; ++i) {
        char signature[32];
        snprintf(signature, sizeof signature, "w%d k%d", w, i);
        failed |= add(path, signature, 100 * w + i + 1, &error) != PGOPT_OK;
        failed |= add(path, "common", 1000 + w, &error) != PGOPT_OK;
      }
      _exit(failed);
    }
  int status;
  for (int w = 0; w < WRITERS; ++w)
    CHECK(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
  CHECK_EQ_I64(count_of(path), WRITERS * EACH + 1);
  pgopt_store store;
  CHECK_EQ_I64(pgopt_store_load(path, &store, NULL, NULL), PGOPT_OK);
  CHECK_EQ_I64(test_median(&store, "C", "common"), 1000); // the smallest
  CHECK_EQ_I64(test_median(&store, "C", "w7 k11"), 712);
  pgopt_store_free(&store);
}

/// Writers are killed at any moment: the store is always whole, and holds what
/// was reported as written.
static void check_kill(void) {
  const char *path = path_of("killed");
  int64_t known = 0;
  for (int round = 0; round < 40; ++round) {
    int done[2];
    CHECK(!pipe(done));
    pid_t child = fork();
    if (!child) {
      pgopt_error error;
      for (int i = 0;; ++i) {
        char signature[32];
        snprintf(signature, sizeof signature, "r%d k%d", round, i);
        if (add(path, signature, 10, &error) || write(done[1], "x", 1) != 1)
          _exit(1);
      }
    }
    close(done[1]);
    const struct timespec wait_a_little = {.tv_nsec = 500000 * (round % 20)};
    char reported[1024];
    int64_t count = read(done[0], reported, 1); // the first one was written
    nanosleep(&wait_a_little, NULL);
    kill(child, SIGKILL);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    for (ssize_t n; (n = read(done[0], reported, sizeof reported)) > 0;)
      count += n;
    close(done[0]);
    int64_t now = count_of(path);
    CHECK(now >= known + count && now <= known + count + 1);
    known = now;
  }
  pgopt_error error; // a lock file that was left behind holds nobody up
  CHECK_EQ_I64(add(path, "after", 1, &error), PGOPT_OK);
}

static bool dies_at_rename;

/// In the place of the C library's: the process ends where the new store is
/// written, and not in its place yet.
int rename(const char *from, const char *to) {
  if (dies_at_rename)
    _exit(9);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void check_crash(void) {
  const char *path = path_of("crashed");
  pgopt_error error;
  CHECK_EQ_I64(add(path, "before", 10, &error), PGOPT_OK);
  int files = files_in_folder(), status = 0;
  pid_t child = fork();
  if (!child) {
    dies_at_rename = true;
    add(path, "during", 10, &error);
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  CHECK(files_in_folder() > files); // what it had written is left over
  CHECK_EQ_I64(count_of(path), 1);
  CHECK_EQ_I64(add(path, "after", 10, &error), PGOPT_OK);
  CHECK_EQ_I64(count_of(path), 2);
}

/// A check changes nothing, and finds what an update would find.
static void check_check(void) {
  pgopt_error error = {0};
  int files = files_in_folder();
  CHECK_EQ_I64(pgopt_store_check(path_of("checked"), &error), PGOPT_OK);
  CHECK_EQ_I64(files_in_folder(), files);
  CHECK_EQ_I64(pgopt_store_check(path_of("no/folder"), &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "No such file or directory");
}

static void fill(const char *path, int count, pgopt_status *status,
                 pgopt_error *error) {
  pgopt_store store = {0};
  pgopt_machine machine = test_machine("C");
  pgopt_store_profile *profile = pgopt_store_add_machine(&store, &machine);
  for (int i = 0; i < count; ++i) {
    char signature[32];
    snprintf(signature, sizeof signature, "fill %d", i);
    pgopt_store_timing timing = test_timing(signature, 9);
    pgopt_store_add_timing(&store, profile, &timing);
  }
  pgopt_store_sort(&store);
  *status = pgopt_store_update(path, &store, error);
  pgopt_store_free(&store);
}

/// A limit on file sizes: an error, the old store whole, nothing left over.
static void check_limit(void) {
  const char *path = path_of("limited");
  pgopt_error error = {0};
  CHECK_EQ_I64(add(path, "a", 10, &error), PGOPT_OK);
  int files = files_in_folder();
  struct rlimit old, limit;
  CHECK(!getrlimit(RLIMIT_FSIZE, &old));
  limit = old;
  limit.rlim_cur = 16384;
  CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
  pgopt_status status;
  fill(path, 10000, &status, &error);
  CHECK(!setrlimit(RLIMIT_FSIZE, &old));
  CHECK_EQ_I64(status, PGOPT_IO);
  CHECK_CONTAINS(error.message, "File too large");
  CHECK_CONTAINS(error.message, path);
  CHECK_EQ_I64(count_of(path), 1);
  CHECK_EQ_I64(files_in_folder(), files);
  fill(path, 10000, &status, &error);
  CHECK_EQ_I64(status, PGOPT_OK);
  CHECK_EQ_I64(count_of(path), 10001);
}

/// A full disk, where the test may mount one.
static void check_full_disk(void) {
  char disk[128], path[160];
  snprintf(disk, sizeof disk, "%s", path_of("disk"));
  snprintf(path, sizeof path, "%s/store", disk);
  CHECK(!mkdir(disk, 0700));
  if (mount("tmpfs", disk, "tmpfs", 0, "size=256k")) {
    CHECK(errno == EPERM || errno == EACCES);
    rmdir(disk);
    return;
  }
  pgopt_error error;
  pgopt_status status;
  CHECK_EQ_I64(add(path, "a", 10, &error), PGOPT_OK);
  fill(path, 100000, &status, &error);
  CHECK_EQ_I64(status, PGOPT_IO);
  CHECK_CONTAINS(error.message, "No space left on device");
  CHECK_EQ_I64(count_of(path), 1);
  fill(path, 100, &status, &error);
  CHECK_EQ_I64(status, PGOPT_OK);
  CHECK_EQ_I64(count_of(path), 101);
  CHECK(!umount(disk));
  rmdir(disk);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/pgopt-store-XXXXXX",
           base && strlen(base) < 32 ? base : "/tmp");
  if (!CHECK(mkdtemp(folder) != NULL))
    return check_result();
  check_plain();
  check_kept();
  check_errors();
  check_writers();
  check_kill();
  check_crash();
  check_check();
  check_limit();
  check_full_disk();
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(!system(command));
  return check_result();
}
