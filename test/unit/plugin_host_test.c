/// \file Entry points of the plugin in a program that does not run on libMLIR:
/// the loader must be refused, with a sentence.
///
///     plugin_host_test LIBRARY
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

/// mlir::PassPluginLibraryInfo and mlir::DialectPluginLibraryInfo.
typedef struct library_info {
  uint32_t api_version;
  const char *name;
  const char *version;
  void *callback;
} library_info;

static void test_entry_point(void *library, const char *name) {
  library_info (*entry_point)(void);
  *(void **)&entry_point = dlsym(library, name);
  if (!CHECK(entry_point))
    return;

  FILE *said = tmpfile();
  int stderr_copy = dup(STDERR_FILENO);
  if (!CHECK(said && stderr_copy >= 0))
    return;
  fflush(stderr);
  dup2(fileno(said), STDERR_FILENO);
  library_info info = entry_point();
  fflush(stderr);
  dup2(stderr_copy, STDERR_FILENO);
  close(stderr_copy);

  char text[512] = "";
  rewind(said);
  CHECK(fread(text, 1, sizeof text - 1, said) > 0);
  fclose(said);
  CHECK_EQ_I64(info.api_version, 0);
  CHECK_EQ_TEXT(info.name, "pgopt");
  CHECK_CONTAINS(text, "runs on an MLIR linked into it");
}

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!CHECK(library)) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: LIBRARY");
    return check_result();
  }
  test_entry_point(library, "mlirGetPassPluginInfo");
  test_entry_point(library, "mlirGetDialectPluginInfo");
  return check_result();
}
