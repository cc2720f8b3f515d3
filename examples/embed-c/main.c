/// \file A C program with a pass manager of its own, in which a pass of pgopt
/// runs between two of MLIR's.
///
///     embed-c FILE.mlir      prints the module with its amounts of computation
#include "pgopt/passes.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"
#include "mlir-c/Transforms.h"

#include <stdio.h>
#include <stdlib.h>

/// A file as text that ends with a zero byte; null when it cannot be read.
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  size_t size = 0, capacity = 1 << 16;
  char *text = malloc(capacity);
  while (text) {
    size += fread(text + size, 1, capacity - 1 - size, file);
    if (size < capacity - 1)
      break;
    capacity *= 2;
    char *larger = realloc(text, capacity);
    if (!larger)
      free(text);
    text = larger;
  }
  if (text)
    text[size] = '\0';
  fclose(file);
  return text;
}

static void print_part(MlirStringRef part, void *stream) {
  fwrite(part.data, 1, part.length, stream);
}

int main(int argc, char **argv) {
  char *text = argc == 2 ? read_file(argv[1]) : NULL;
  if (!text) {
    fprintf(stderr, "usage: embed-c FILE.mlir\n");
    return 2;
  }

  /* pgopt's dialect, and those that its passes make use of. */
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);

  int status = 1;
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirModuleIsNull(module))
    goto done;

  MlirPass count = pgopt_create_pass_by_name("profile", "mode=static");
  if (!count.ptr) {
    fprintf(stderr, "embed-c: pgopt has no such pass, or not these options\n");
    goto done;
  }
  mlirPassManagerAddOwnedPass(manager, mlirCreateTransformsCanonicalizer());
  mlirPassManagerAddOwnedPass(manager, count);
  mlirPassManagerAddOwnedPass(manager, mlirCreateTransformsCSE());
  if (mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
    goto done;
  mlirOperationPrint(mlirModuleGetOperation(module), print_part, stdout);
  status = 0;

done:
  mlirPassManagerDestroy(manager);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  free(text);
  return status;
}
