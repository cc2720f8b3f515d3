/// \file Many runs of one scheduled network, with more cores in the schedule
/// than the machine has, while another program runs on another thread: no run
/// may hang or give other numbers.
///
///     stress_test NETWORK.mlir CORES RUNS [on-one-cpu]
///
/// The same again, a tenth of the runs, on one CPU.
///
/// Runs take different inputs in turn: a kernel that starts too early reads
/// what an earlier run left in its buffers, and that must show.
#include "base/compare.h"
#include "base/file.h"
#include "check.h"
#include "codegen/object.h"
#include "codegen/program.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "mlir-c/RegisterEverything.h"
#include "one_cpu.h"
#include "pgopt/passes.h"
#include "pgopt/runtime.h"

#include <pthread.h>
#include <stdlib.h>

enum { INPUTS = 3 };

/// The network's arguments and results for each of the inputs.
typedef struct buffers {
  size_t argument_count, result_count;
  void **arguments[INPUTS], **results[INPUTS];
} buffers;

/// Parses and lowers the network; `cores` 0 leaves it a sequence of kernels.
/// Each has a context of its own: the second file in a context gets other keys
/// of elided constants, and so other values.
static pgopt_program *load(const char *source, int64_t cores) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  pgopt_object_prepare_context(context);
  MlirModule module = mlirModuleCreateParse(context, pgopt_ref(source));
  if (!CHECK(!mlirModuleIsNull(module))) {
    mlirContextDestroy(context);
    return NULL;
  }
  MlirOperation op = mlirModuleGetOperation(module), entry;
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (cores) {
    char options[64];
    snprintf(options, sizeof options, "resources=threads count=%lld",
             (long long)cores);
    mlirPassManagerAddOwnedPass(
        manager, pgopt_create_pass_by_name("schedule-rr", options));
  }
  mlirPassManagerAddOwnedPass(manager,
                              pgopt_create_pass_by_name("pgopt-lower", ""));
  pgopt_program_options options = {0};
  pgopt_program *program = NULL;
  if (CHECK(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op))) &&
      CHECK(mlirLogicalResultIsSuccess(pgopt_find_entry(op, "", &entry))))
    CHECK(mlirLogicalResultIsSuccess(
        pgopt_program_create(op, entry, &options, &program)));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return program;
}

static void *allocate(int64_t bytes) {
  void *data = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
  CHECK(data);
  return data;
}

/// Numbers in [-1, 1) from a linear congruential generator.
static void fill(const pgopt_array_type *type, void *data, uint64_t *state) {
  for (int64_t i = 0; i < type->elements; ++i) {
    *state =
        *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (pgopt_element_is_float(type->element))
      pgopt_element_write_float(type->element, data, i,
                                (double)(*state >> 40) / (1 << 23) - 1);
    else
      pgopt_element_write_integer(type->element, data, i,
                                  (int64_t)(*state >> 62));
  }
}

static void make_buffers(const pgopt_program *program, buffers *made) {
  uint64_t state = 20240229;
  made->argument_count = pgopt_program_argument_count(program);
  made->result_count = pgopt_program_result_count(program);
  for (int input = 0; input < INPUTS; ++input) {
    made->arguments[input] = calloc(made->argument_count, sizeof(void *));
    made->results[input] = calloc(made->result_count, sizeof(void *));
    for (size_t i = 0; i < made->argument_count; ++i) {
      const pgopt_array_type *type = &pgopt_program_argument(program, i)->type;
      made->arguments[input][i] = allocate(type->bytes);
      fill(type, made->arguments[input][i], &state);
    }
    for (size_t i = 0; i < made->result_count; ++i)
      made->results[input][i] =
          allocate(pgopt_program_result(program, i)->type.bytes);
  }
}

static void free_buffers(buffers *made) {
  for (int input = 0; input < INPUTS; ++input) {
    for (size_t i = 0; i < made->argument_count; ++i)
      free(made->arguments[input][i]);
    for (size_t i = 0; i < made->result_count; ++i)
      free(made->results[input][i]);
    free(made->arguments[input]);
    free(made->results[input]);
  }
}

static void run(pgopt_program *program, const buffers *made, int input) {
  for (size_t i = 0; i < made->argument_count; ++i)
    pgopt_program_bind(program, i, made->arguments[input][i]);
  pgopt_program_run(program);
}

/// The largest error over the results of the last run.
static double error_of(const pgopt_program *program, const buffers *made,
                       int input) {
  double largest = 0;
  for (size_t i = 0; i < made->result_count; ++i) {
    const pgopt_array_type *type = &pgopt_program_result(program, i)->type;
    void *result = allocate(type->bytes);
    pgopt_program_read(program, i, result);
    double error = pgopt_compare(type->element, result, made->results[input][i],
                                 type->elements)
                       .error;
    largest = error > largest ? error : largest;
    free(result);
  }
  return largest;
}

/// Runs of one program on one thread.
typedef struct caller {
  pgopt_program *program;
  const buffers *made;
  long long runs, wrong;
} caller;

static void *call(void *argument) {
  caller *self = argument;
  for (long long i = 0; i < self->runs; ++i) {
    int input = (int)(i % INPUTS);
    run(self->program, self->made, input);
    self->wrong += !(error_of(self->program, self->made, input) <= 1e-4);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr,
            "usage: stress_test NETWORK.mlir CORES RUNS [on-one-cpu]\n");
    return 2;
  }
  long long cores = atoll(argv[2]), runs = atoll(argv[3]);
  pgopt_error error = {0};
  void *bytes = NULL;
  size_t size = 0;
  if (!CHECK(cores > 1 && runs > 0) ||
      !CHECK(pgopt_file_read(argv[1], &bytes, &size, &error) == PGOPT_OK))
    return check_result();
  char *source = calloc(size + 1, 1);
  memcpy(source, bytes, size);
  free(bytes);

  mlirRegisterAllPasses();
  pgopt_register_passes();
  pgopt_program *sequential = load(source, 0);
  pgopt_program *scheduled = load(source, cores);
  pgopt_program *other = load(source, 3);
  free(source);
  if (!sequential || !scheduled || !other)
    return check_result();

  buffers made;
  make_buffers(sequential, &made);
  for (int input = 0; input < INPUTS; ++input) {
    run(sequential, &made, input);
    for (size_t i = 0; i < made.result_count; ++i)
      pgopt_program_read(sequential, i, made.results[input][i]);
  }
  /* Otherwise the inputs could not tell a stale buffer from a fresh one. */
  CHECK(error_of(sequential, &made, 0) > 1e-2);

  caller callers[] = {{scheduled, &made, runs, 0}, {other, &made, runs / 4, 0}};
  pthread_t thread;
  if (CHECK(!pthread_create(&thread, NULL, call, &callers[1]))) {
    call(&callers[0]);
    pthread_join(thread, NULL);
  }
  CHECK_EQ_I64(callers[0].wrong, 0);
  CHECK_EQ_I64(callers[1].wrong, 0);
  pgopt_program_destroy(other);
  pgopt_program_destroy(scheduled);
  pgopt_program_destroy(sequential);
  free_buffers(&made);
  char fewer[32], mode[] = "on-one-cpu";
  snprintf(fewer, sizeof fewer, "%lld", runs / 10 + 1);
  if (argc == 4)
    CHECK(run_again_on_one_cpu(
        (char *[]){argv[0], argv[1], argv[2], fewer, mode, NULL}));
  else
    CHECK_EQ_I64(pgopt_rt_cpu_count(0), 1);
  return check_result();
}
