/// \file The object cache: found again, damaged, pruned.
#include "codegen/object_cache.h"

#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pgopt_cache_test.XXXXXX";
static char cache[64];

static pgopt_hash key_of(const char *text) {
  return pgopt_hash_parts(&(pgopt_hash_part){text, strlen(text)}, 1);
}

/// Calls `visit` on the path of each file in the cache; returns their number.
static int for_each_file(void (*visit)(const char *path)) {
  int count = 0;
  DIR *listing = opendir(cache);
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    if (entry->d_name[0] == '.')
      continue;
    char path[400];
    snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
    ++count;
    if (visit)
      visit(path);
  }
  if (listing)
    closedir(listing);
  return count;
}

static void remove_file(const char *path) { unlink(path); }

static bool holds(const char *name, const char *expected) {
  pgopt_hash key = key_of(name);
  void *data = NULL;
  size_t size = 0;
  bool found = pgopt_object_cache_read(cache, &key, &data, &size);
  bool same =
      found && size == strlen(expected) && !memcmp(data, expected, size);
  free(data);
  return same;
}

static void put(const char *name, const char *content, int64_t limit) {
  pgopt_hash key = key_of(name);
  pgopt_object_cache_write(cache, &key, content, strlen(content), limit);
}

static void hash_separates_parts(void) {
  pgopt_hash_part ab_c[] = {{"ab", 2}, {"c", 1}},
                  a_bc[] = {{"a", 1}, {"bc", 2}};
  pgopt_hash x = pgopt_hash_parts(ab_c, 2), y = pgopt_hash_parts(a_bc, 2);
  CHECK(memcmp(&x, &y, sizeof x));
}

static void kept_and_found(void) {
  CHECK(!holds("a", "content of a"));
  put("a", "content of a", 1 << 20);
  put("b", "", 1 << 20);
  CHECK(holds("a", "content of a"));
  CHECK(holds("b", ""));
  CHECK(!holds("c", ""));
  struct stat status;
  CHECK(!stat(cache, &status) && (status.st_mode & 0777) == 0700);
}

static void damage(const char *path) {
  FILE *file = fopen(path, "r+");
  fseek(file, -1, SEEK_END);
  fputc('X', file);
  fclose(file);
}

static void cut(const char *path) {
  struct stat status;
  CHECK(!stat(path, &status) && !truncate(path, status.st_size - 1));
}

static void empty(const char *path) { CHECK(!truncate(path, 0)); }

static void damaged_files_count_as_absent(void) {
  void (*const harm[])(const char *) = {damage, cut, empty};
  for (int i = 0; i < 3; ++i) {
    for_each_file(remove_file);
    put("a", "content of a", 1 << 20);
    CHECK(holds("a", "content of a"));
    for_each_file(harm[i]);
    CHECK(!holds("a", "content of a"));
    put("a", "content of a", 1 << 20); // and are replaced
    CHECK(holds("a", "content of a"));
  }
}

static void oldest_go_when_it_is_full(void) {
  for_each_file(remove_file);
  char large[1001];
  memset(large, 'x', 1000);
  large[1000] = 0;
  const char *const names[] = {"1", "2", "3", "4"};
  for (int i = 0; i < 4; ++i) {
    put(names[i], large, 3500); // three fit with their headers
    usleep(20000);
    if (i == 2)
      CHECK(holds("1", large)); // used after 2 was
    usleep(20000);
  }
  CHECK_EQ_I64(for_each_file(NULL), 3);
  CHECK(holds("1", large) && !holds("2", large) && holds("4", large));
}

static void directory_from_the_environment(void) {
  setenv("HOME", "/home/x", 1);
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  setenv("PGOPT_CACHE", "/own", 1);
  char *path = pgopt_object_cache_directory();
  CHECK_EQ_TEXT(path, "/own");
  free(path);
  setenv("PGOPT_CACHE", "", 1);
  CHECK(!pgopt_object_cache_directory());
  unsetenv("PGOPT_CACHE");
  path = pgopt_object_cache_directory();
  CHECK_EQ_TEXT(path, "/xdg/pgopt");
  free(path);
  setenv("XDG_CACHE_HOME", "relative", 1);
  path = pgopt_object_cache_directory();
  CHECK_EQ_TEXT(path, "/home/x/.cache/pgopt");
  free(path);
  unsetenv("HOME");
  CHECK(!pgopt_object_cache_directory());
}

static void unwritable_directory_is_no_error(void) {
  pgopt_hash key = key_of("a");
  pgopt_object_cache_write("/dev/null/x", &key, "y", 1, 1 << 20);
  void *data;
  size_t size;
  CHECK(!pgopt_object_cache_read("/dev/null/x", &key, &data, &size));
}

int main(void) {
  if (!CHECK(mkdtemp(folder)))
    return check_result();
  snprintf(cache, sizeof cache, "%s/deep/cache", folder);
  hash_separates_parts();
  kept_and_found();
  damaged_files_count_as_absent();
  oldest_go_when_it_is_full();
  directory_from_the_environment();
  unwritable_directory_is_no_error();
  for_each_file(remove_file);
  rmdir(cache);
  snprintf(cache, sizeof cache, "%s/deep", folder);
  rmdir(cache);
  rmdir(folder);
  return check_result();
}
