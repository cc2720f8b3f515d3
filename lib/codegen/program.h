/// \file A lowered network as a function of this process: compile, load, call.
#ifndef PGOPT_CODEGEN_PROGRAM_H
#define PGOPT_CODEGEN_PROGRAM_H

#include "ir/element_type.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>

/// An argument or result: a memref (rank may be 0) or a scalar.
typedef struct pgopt_program_value {
  pgopt_array_type type; ///< rank 0 for a scalar
  bool is_memref;
} pgopt_program_value;

typedef struct pgopt_program_options {
  const char *cache_directory;  ///< of the object cache; null for none
  const char *const *libraries; ///< shared libraries the program needs
  size_t library_count;
} pgopt_program_options;

/// Runs on one thread at a time.
typedef struct pgopt_program pgopt_program;

/// Compiles a module in the LLVM dialect and loads it.
/// \param entry its llvm.func that carries pg.entry and has a C interface.
/// \param[out] program destroyed with `pgopt_program_destroy`; independent of
///   the module and its context. Null on failure.
/// \returns failure after one error at the entry or the module.
MlirLogicalResult pgopt_program_create(MlirOperation module,
                                       MlirOperation entry,
                                       const pgopt_program_options *options,
                                       pgopt_program **program);

/// Unloads the program. Null is allowed.
void pgopt_program_destroy(pgopt_program *program);

size_t pgopt_program_argument_count(const pgopt_program *program);
size_t pgopt_program_result_count(const pgopt_program *program);
const pgopt_program_value *pgopt_program_argument(const pgopt_program *program,
                                                  size_t number);
const pgopt_program_value *pgopt_program_result(const pgopt_program *program,
                                                size_t number);

/// How many objects did not come from the cache.
size_t pgopt_program_compiled(const pgopt_program *program);

/// Binds the memory of an argument: row-major elements, borrowed until it is
/// bound anew. Every argument must be bound before a run.
void pgopt_program_bind(pgopt_program *program, size_t argument, void *data);

/// Runs the entry once. Allocates nothing but what the program itself does.
void pgopt_program_run(pgopt_program *program);

/// Has the next run prepare the parameters again: what lies behind the address
/// of one has changed. Binding another address needs no such call.
void pgopt_program_prepare_again(pgopt_program *program);

/// Blocks that the last run has allocated and not freed. 0 for programs that
/// have all their storage in arenas.
size_t pgopt_program_heap_blocks(const pgopt_program *program);

/// Copies a result of the last run (which lives until the next one), row-major,
/// to `data` of the type's bytes.
void pgopt_program_read(const pgopt_program *program, size_t result,
                        void *data);

#endif // PGOPT_CODEGEN_PROGRAM_H
