/// \file From a module in the LLVM dialect to objects for this machine:
/// translate, set triple and data layout, optimise (O2), emit.
#ifndef PGOPT_CODEGEN_OBJECT_H
#define PGOPT_CODEGEN_OBJECT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>

/// Name of the function that `packed_entry` adds.
#define PGOPT_PACKED_ENTRY "pgopt_packed_entry"

/// Global whose address names a program towards the runtime's arenas.
#define PGOPT_PROGRAM_HANDLE "pgopt_program"

typedef struct pgopt_object_options {
  /// A function F: adds `void pgopt_packed_entry(void **values)`, which calls F
  /// with argument i read from `values[i]` and stores F's result, when it has
  /// one, to `values[number of arguments]`. It and the lowering's global
  /// PGOPT_PROGRAM_HANDLE, if there is one, are then the only symbols of the
  /// object, and what the entry does not need is left out. Null for none.
  const char *packed_entry;
  /// Directory of the object cache; null for none.
  const char *cache_directory;
} pgopt_object_options;

/// Object files in memory that make a program together.
typedef struct pgopt_objects {
  struct {
    void *data;
    size_t size;
    char *symbol;  ///< of a kernel: its function in the object; else null
    char *kernels; ///< and what the program calls it: "a" or "a or b"
  } * items;
  size_t count, capacity;
  size_t compiled; ///< that did not come from the cache
} pgopt_objects;

/// Adds the translations to LLVM IR to the context; once per context, before
/// the first `pgopt_objects_compile`.
void pgopt_object_prepare_context(MlirContext context);

/// Compiles the module, which is left alone: one object a kernel, whatever the
/// kernel is called, and one for the rest. What the cache does not have is
/// compiled on as many threads as there are CPUs. The code is for this
/// machine's CPU and position independent. \param[out] objects freed with
/// `pgopt_objects_free`; empty on failure. \returns failure after one error at
/// the module.
MlirLogicalResult pgopt_objects_compile(MlirOperation module,
                                        const pgopt_object_options *options,
                                        pgopt_objects *objects);

void pgopt_objects_free(pgopt_objects *objects);

#endif // PGOPT_CODEGEN_OBJECT_H
