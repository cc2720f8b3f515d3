/// \file Whole files in and out: nothing half written, no file left over.
#include "base/file.h"

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pgopt_file_test.XXXXXX";
static char path[64];

static int count_files(void) {
  DIR *listing = opendir(folder);
  int count = 0;
  for (struct dirent *entry; listing && (entry = readdir(listing));)
    count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static void expect_content(const char *expected) {
  void *data = NULL;
  size_t size = 0;
  pgopt_error error = {0};
  CHECK(!pgopt_file_read(path, &data, &size, &error));
  CHECK_EQ_I64(size, strlen(expected));
  CHECK(data && !memcmp(data, expected, size));
  free(data);
}

static void written_and_replaced(void) {
  pgopt_error error = {0};
  CHECK(!pgopt_file_write(path, "one", 3, &error));
  expect_content("one");
  chmod(path, 0640);
  CHECK(!pgopt_file_write(path, "three", 5, &error));
  expect_content("three");
  struct stat status;
  CHECK(!stat(path, &status) && (status.st_mode & 0777) == 0640);
  CHECK(!pgopt_file_write(path, "", 0, &error));
  expect_content("");
  CHECK_EQ_I64(count_files(), 1);
}

/// A full disk, played by a limit on the size of files.
static void full_disk_keeps_the_old_content(void) {
  pgopt_error error = {0};
  CHECK(!pgopt_file_write(path, "old", 3, &error));
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, old.rlim_max});
  static const char large[5000];
  CHECK_EQ_I64(pgopt_file_write(path, large, sizeof large, &error), PGOPT_IO);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_CONTAINS(error.message, path);
  expect_content("old");
  CHECK_EQ_I64(count_files(), 1);
}

static void what_is_no_file(void) {
  void *data;
  size_t size;
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_file_read(folder, &data, &size, &error), PGOPT_IO);
  CHECK(!data);
  CHECK_EQ_I64(pgopt_file_write(folder, "x", 1, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "directory");
  CHECK(!pgopt_file_write("/dev/null", "x", 1, &error));
}

int main(void) {
  if (!CHECK(mkdtemp(folder)))
    return check_result();
  snprintf(path, sizeof path, "%s/file", folder);
  written_and_replaced();
  full_disk_keeps_the_old_content();
  what_is_no_file();
  unlink(path);
  rmdir(folder);
  return check_result();
}
