/// \file Programs in the LLVM dialect, compiled, loaded and called.
#include "codegen/program.h"

#include "check.h"
#include "codegen/object.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"
#include "pgopt/passes.h"

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>

static MlirContext context;
static pgopt_text diagnostics;

static void append(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

static MlirLogicalResult record(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) {
    mlirDiagnosticPrint(diagnostic, append, &diagnostics);
    pgopt_text_append(&diagnostics, "\n");
  }
  return mlirLogicalResultSuccess();
}

static void open_context(void) {
  mlirRegisterAllPasses();
  pgopt_register_passes();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, record, NULL, NULL);
  pgopt_object_prepare_context(context);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTS_ALLOCATIONS = 0 };
static _Atomic int64_t allocations;
#else
/// Every allocation of this process, in any thread and library, comes here.
enum { COUNTS_ALLOCATIONS = 1 };
static _Atomic int64_t allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
#endif

static void add_pass(MlirPassManager manager, const char *name,
                     const char *options) {
  MlirPass pass = pgopt_create_pass_by_name(name, options);
  if (CHECK(pass.ptr))
    mlirPassManagerAddOwnedPass(manager, pass);
}

/// Lowers when the module is not in the LLVM dialect yet, and deals it out to
/// `cores` before, unless that is 0. Null on failure.
static pgopt_program *load_on_cores(const char *source, int cores) {
  pgopt_program *program = NULL;
  diagnostics.size = 0;
  pgopt_text_append(&diagnostics, "%s", "");
  MlirModule module = mlirModuleCreateParse(context, pgopt_ref(source));
  if (!CHECK(!mlirModuleIsNull(module))) {
    fputs(diagnostics.data, stderr);
    return NULL;
  }
  MlirOperation op = mlirModuleGetOperation(module), entry;
  MlirPassManager manager = mlirPassManagerCreate(context);
  char schedule[64];
  snprintf(schedule, sizeof schedule,
           "entry=forward resources=threads count=%d", cores);
  if (cores)
    add_pass(manager, "schedule-rr", schedule);
  add_pass(manager, "pgopt-lower", "entry=forward");
  pgopt_program_options options = {0};
  if (mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)) &&
      mlirLogicalResultIsSuccess(pgopt_find_entry(op, "forward", &entry)))
    pgopt_program_create(op, entry, &options, &program);
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  return program;
}

static pgopt_program *load(const char *source) {
  return load_on_cores(source, 0);
}

/// The arguments i64, f32, a memref without dimensions and one with two;
/// returns all kinds of results at once.
static const char mixed[] =
    "func.func @forward(%a: i64, %b: f32, %c: memref<f64>,"
    "                   %d: memref<2x3xi8>)"
    "    -> (memref<3x2xi8>, i1, f32, memref<f64>, i64) {\n"
    "  %e = memref.alloc() : memref<3x2xi8>\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c2 = arith.constant 2 : index\n"
    "  %c3 = arith.constant 3 : index\n"
    "  scf.for %i = %c0 to %c2 step %c1 {\n"
    "    scf.for %j = %c0 to %c3 step %c1 {\n"
    "      %x = memref.load %d[%i, %j] : memref<2x3xi8>\n"
    "      memref.store %x, %e[%j, %i] : memref<3x2xi8>\n"
    "    }\n"
    "  }\n"
    "  %t = arith.constant true\n"
    "  %f = arith.addf %b, %b : f32\n"
    "  return %e, %t, %f, %c, %a\n"
    "    : memref<3x2xi8>, i1, f32, memref<f64>, i64\n"
    "}\n";

static void every_kind_of_value_is_passed(void) {
  pgopt_program *program = load(mixed);
  if (!CHECK(program != NULL))
    return;
  CHECK_EQ_I64(pgopt_program_argument_count(program), 4);
  CHECK_EQ_I64(pgopt_program_result_count(program), 5);
  CHECK(!pgopt_program_argument(program, 1)->is_memref);
  CHECK_EQ_I64(pgopt_program_result(program, 0)->type.extents[0], 3);
  int64_t a = -5;
  float b = 1.25f;
  double c = 0.1;
  int8_t d[6] = {1, 2, 3, 4, 5, 6};
  pgopt_program_bind(program, 0, &a);
  pgopt_program_bind(program, 1, &b);
  pgopt_program_bind(program, 2, &c);
  pgopt_program_bind(program, 3, d);
  for (int run = 0; run < 3; ++run) {
    pgopt_program_run(program);
    int8_t transposed[6], expected[6] = {1, 4, 2, 5, 3, 6};
    uint8_t flag = 7;
    float sum;
    double same;
    int64_t number;
    pgopt_program_read(program, 0, transposed);
    pgopt_program_read(program, 1, &flag);
    pgopt_program_read(program, 2, &sum);
    pgopt_program_read(program, 3, &same);
    pgopt_program_read(program, 4, &number);
    CHECK(!memcmp(transposed, expected, 6));
    CHECK_EQ_I64(flag & 1, 1);
    CHECK(sum == 2.5f && same == 0.1);
    CHECK_EQ_I64(number, -5);
  }
  b = -4; // bound memory is read at each run
  pgopt_program_run(program);
  float sum;
  pgopt_program_read(program, 2, &sum);
  CHECK(sum == -8);
  pgopt_program_destroy(program);
}

static void one_scalar_comes_back_by_value(void) {
  pgopt_program *program =
      load("func.func @forward(%a: memref<7xf64>, %i: index) -> f64 {\n"
           "  %x = memref.load %a[%i] : memref<7xf64>\n"
           "  return %x : f64\n"
           "}\n");
  if (!CHECK(program != NULL))
    return;
  double a[7] = {0, 1, 2, 3, 4, 5, 6}, x = 0;
  int64_t i = 5;
  pgopt_program_bind(program, 0, a);
  pgopt_program_bind(program, 1, &i);
  pgopt_program_run(program);
  pgopt_program_read(program, 0, &x);
  CHECK(x == 5);
  pgopt_program_destroy(program);
}

/// Results of upstream's lowering may be views with strides; and they are
/// malloc'ed, which the sanitizer would see if nobody freed them.
static void strided_results_from_malloc(void) {
  pgopt_program *program = load(
      "module {\n"
      "  llvm.func @malloc(i64) -> !llvm.ptr\n"
      "  llvm.func @make() -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>,"
      " array<1 x i64>)> attributes {sym_visibility = \"private\"} {\n"
      "    %n = llvm.mlir.constant(24 : i64) : i64\n"
      "    %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr\n"
      "    %v0 = llvm.mlir.constant(10 : i32) : i32\n"
      "    %v2 = llvm.mlir.constant(12 : i32) : i32\n"
      "    %p1 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32\n"
      "    %p3 = llvm.getelementptr %p[3] : (!llvm.ptr) -> !llvm.ptr, i32\n"
      "    llvm.store %v0, %p1 : i32, !llvm.ptr\n"
      "    llvm.store %v2, %p3 : i32, !llvm.ptr\n"
      "    %u = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    %c1 = llvm.mlir.constant(1 : i64) : i64\n"
      "    %c2 = llvm.mlir.constant(2 : i64) : i64\n"
      "    %a = llvm.insertvalue %p, %u[0] : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    %b = llvm.insertvalue %p, %a[1] : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    %c = llvm.insertvalue %c1, %b[2] : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    %d = llvm.insertvalue %c2, %c[3, 0] : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    %e = llvm.insertvalue %c2, %d[4, 0] : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    llvm.return %e : !llvm.struct<(ptr, ptr, i64, array<1 x i64>,"
      " array<1 x i64>)>\n"
      "  }\n"
      "  llvm.func @forward() -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>,"
      " array<1 x i64>)> attributes {llvm.emit_c_interface,"
      " pg.entry = () -> memref<2xi32>} {\n"
      "    %r = llvm.call @make() : () -> !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    llvm.return %r : !llvm.struct<(ptr, ptr, i64, array<1 x i64>,"
      " array<1 x i64>)>\n"
      "  }\n"
      "  llvm.func @_mlir_ciface_forward(%out: !llvm.ptr) {\n"
      "    %r = llvm.call @forward() : () -> !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>\n"
      "    llvm.store %r, %out : !llvm.struct<(ptr, ptr, i64,"
      " array<1 x i64>, array<1 x i64>)>, !llvm.ptr\n"
      "    llvm.return\n"
      "  }\n"
      "}\n");
  if (!CHECK(program != NULL)) {
    fputs(diagnostics.data, stderr);
    return;
  }
  for (int run = 0; run < 2; ++run) {
    int32_t read[2] = {0};
    pgopt_program_run(program);
    pgopt_program_read(program, 0, read);
    CHECK_EQ_I64(read[0], 10);
    CHECK_EQ_I64(read[1], 12);
  }
  pgopt_program_destroy(program);
}

static void refuse(const char *source, const char *message) {
  pgopt_program *program = load(source);
  CHECK(!program);
  CHECK_CONTAINS(diagnostics.data, message);
  const char *first = strchr(diagnostics.data, '\n');
  CHECK(first && !first[1]); // exactly one
  pgopt_program_destroy(program);
}

#define LOWERED(entry_type, type, interface_type)                              \
  "llvm.func @forward" type " attributes {pg.entry = " entry_type              \
  "} {\n  llvm.unreachable\n}\n"                                               \
  "llvm.func @_mlir_ciface_forward" interface_type                             \
  " {\n  llvm.unreachable\n}\n"

static void what_cannot_be_called_is_one_error(void) {
  refuse(LOWERED("(i64) -> i64", "(%a: i64) -> i64", "(%a: i32) -> i64"),
         "pg.entry is not the type");
  refuse(LOWERED("(i64) -> i64", "(%a: i64)", "(%a: i64)"),
         "pg.entry is not the type");
  refuse(
      LOWERED("(memref<3x5xf32>) -> ()", "(%a: !llvm.ptr)", "(%a: !llvm.ptr)"),
      "pg.entry is not the type");
  refuse(LOWERED("(memref<?xf32>) -> ()", "(%a: !llvm.ptr)", "(%a: !llvm.ptr)"),
         "argument 0 cannot be passed: 'memref<?xf32>' has a dynamic extent");
  refuse(LOWERED("() -> complex<f32>", "()", "()"),
         "result 0 cannot be passed: 'complex<f32>' has elements");
  refuse(LOWERED("() -> memref<99999999999x99999999999xf32>", "()", "()"),
         "is too large");
  refuse("llvm.func @forward() attributes {pg.entry = () -> ()} {\n"
         "  llvm.return\n}\n",
         "no C interface '_mlir_ciface_forward'");
  refuse("llvm.func @forward() {\n  llvm.return\n}\n", "no pg.entry");
  refuse("llvm.func @missing_function()\n"
         "llvm.func @forward() attributes {pg.entry = () -> ()} {\n"
         "  llvm.return\n}\n"
         "llvm.func @_mlir_ciface_forward() {\n"
         "  llvm.call @missing_function() : () -> ()\n"
         "  llvm.return\n}\n",
         "missing_function");
  refuse("llvm.func @pgopt_packed_entry()\n"
         "llvm.func @forward() attributes {pg.entry = () -> ()} {\n"
         "  llvm.return\n}\n"
         "llvm.func @_mlir_ciface_forward() {\n"
         "  llvm.call @pgopt_packed_entry() : () -> ()\n"
         "  llvm.return\n}\n",
         "'pgopt_packed_entry' is reserved");
}

/// Three layers, two of which may run at once, with storage between them and
/// inside them.
static const char layers[] =
    "func.func @forward(%a: tensor<13x7xf32>, %b: tensor<7x11xf32>)"
    "    -> tensor<13x11xf32> {\n"
    "  %z = arith.constant 0.0 : f32\n"
    "  %e = tensor.empty() : tensor<13x11xf32>\n"
    "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<13x11xf32>)"
    "    -> tensor<13x11xf32>\n"
    "  %m = linalg.matmul"
    "    ins(%a, %b : tensor<13x7xf32>, tensor<7x11xf32>)"
    "    outs(%f : tensor<13x11xf32>) -> tensor<13x11xf32>\n"
    "  %c = tensor.empty() : tensor<13x7xf32>\n"
    "  %d = linalg.mul ins(%a, %a : tensor<13x7xf32>, tensor<13x7xf32>)"
    "    outs(%c : tensor<13x7xf32>) -> tensor<13x7xf32>\n"
    "  %n = linalg.matmul"
    "    ins(%d, %b : tensor<13x7xf32>, tensor<7x11xf32>)"
    "    outs(%f : tensor<13x11xf32>) -> tensor<13x11xf32>\n"
    "  %s = tensor.empty() : tensor<13x11xf32>\n"
    "  %r = linalg.sub ins(%m, %n : tensor<13x11xf32>, tensor<13x11xf32>)"
    "    outs(%s : tensor<13x11xf32>) -> tensor<13x11xf32>\n"
    "  return %r : tensor<13x11xf32>\n"
    "}\n";

/// A caller that the system moves to another CPU gets other workers, new ones
/// at first.
static void stay_on_this_cpu(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  CHECK_EQ_I64(sched_setaffinity(0, sizeof here, &here), 0);
}

static void runs_allocate_nothing(int cores) {
  pgopt_program *program = load_on_cores(layers, cores);
  if (!CHECK(program != NULL)) {
    fputs(diagnostics.data, stderr);
    return;
  }
  // Sums of few small integers are exact in any order.
  float a[13][7], b[7][11], out[13][11];
  for (int i = 0; i < 91; ++i)
    a[i / 7][i % 7] = (float)(i % 5 - 2);
  for (int i = 0; i < 77; ++i)
    b[i / 11][i % 11] = (float)(i % 3);
  pgopt_program_bind(program, 0, a);
  pgopt_program_bind(program, 1, b);
  cpu_set_t all;
  CHECK_EQ_I64(sched_getaffinity(0, sizeof all, &all), 0);
  stay_on_this_cpu();
  for (int i = 0; i < 3; ++i) // arenas, scratch, workers
    pgopt_program_run(program);
  int64_t before = allocations;
  for (int i = 0; i < 1000; ++i)
    pgopt_program_run(program);
  CHECK_EQ_I64(allocations - before, 0);
  CHECK_EQ_I64(sched_setaffinity(0, sizeof all, &all), 0);
  CHECK(!COUNTS_ALLOCATIONS || before > 0);
  CHECK_EQ_I64(pgopt_program_heap_blocks(program), 0);
  pgopt_program_read(program, 0, out);
  int wrong = 0;
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 11; ++j) {
      float expected = 0;
      for (int k = 0; k < 7; ++k)
        expected += (a[i][k] - a[i][k] * a[i][k]) * b[k][j];
      wrong += out[i][j] != expected;
    }
  CHECK_EQ_I64(wrong, 0);
  pgopt_program_destroy(program);
}

static size_t memory_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The arena of 1 MiB, allocated at the first run, is released.
static void storage_goes_with_the_program(void) {
  pgopt_program *program =
      load("func.func @forward() -> memref<512x512xf32> {\n"
           "  %a = memref.alloc() : memref<512x512xf32>\n"
           "  %c0 = arith.constant 0 : index\n"
           "  %x = arith.constant 1.0 : f32\n"
           "  memref.store %x, %a[%c0, %c0] : memref<512x512xf32>\n"
           "  return %a : memref<512x512xf32>\n"
           "}\n");
  if (!CHECK(program != NULL))
    return;
  size_t loaded = memory_in_use();
  pgopt_program_run(program);
  size_t running = memory_in_use();
  pgopt_program_destroy(program);
  if (!COUNTS_ALLOCATIONS) // the sanitizer's allocator tells nothing
    return;
  CHECK(running >= loaded + (1 << 20));
  CHECK(memory_in_use() + (1 << 20) <= running);
}

int main(void) {
  open_context();
  every_kind_of_value_is_passed();
  one_scalar_comes_back_by_value();
  strided_results_from_malloc();
  what_cannot_be_called_is_one_error();
  runs_allocate_nothing(0);
  runs_allocate_nothing(2);
  runs_allocate_nothing(3);
  storage_goes_with_the_program();
  mlirContextDestroy(context);
  pgopt_text_free(&diagnostics);
  return check_result();
}
