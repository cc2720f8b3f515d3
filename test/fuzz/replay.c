/// \file usage: <target> FOLDER. Runs a fuzz target on every file of a corpus.
#include "fuzz.h"

#include "base/file.h"

#include <dirent.h>
#include <string.h>

static int run_file(const char *folder, const char *name) {
  char path[4096];
  void *data;
  size_t size;
  pgopt_error error = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (pgopt_file_read(path, &data, &size, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  // Exactly as long as it is: a sanitizer sees a byte read beyond.
  void *exact = malloc(size ? size : 1);
  if (size)
    memcpy(exact, data, size);
  free(data);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 0;
}

int main(int argc, char **argv) {
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (!folder) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  int failures = 0, count = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (*entry->d_name != '.') {
      failures += run_file(argv[1], entry->d_name);
      ++count;
    }
  closedir(folder);
  printf("%d inputs\n", count);
  return failures || !count;
}
