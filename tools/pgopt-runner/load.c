#include "tools/pgopt-runner/load.h"

#include "base/checked_math.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "codegen/object_cache.h"
#include "codegen/stand_in.h"
#include "dialect_c/attributes.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/read_network.h"
#include "ir/schedule_choice.h"
#include "network/positive.h"
#include "pgopt/runtime.h"
#include "tools/pgopt-runner/module.h"
#include "tools/pgopt-runner/terminal.h"
#include "llvm-c/Core.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The parameters among the arguments; a lowered entry has lost them.
static bool read_parameters(MlirOperation entry, loaded_program *loaded) {
  if (pgopt_op_is(entry, "llvm.func"))
    return true;
  loaded->argument_count =
      (size_t)mlirFunctionTypeGetNumInputs(pgopt_function_type(entry));
  loaded->parameters =
      pgopt_allocate(loaded->argument_count, sizeof *loaded->parameters);
  bool ok = true;
  for (size_t i = 0; i < loaded->argument_count && ok; ++i)
    ok = mlirLogicalResultIsSuccess(
        pgopt_read_parameter(entry, (intptr_t)i, &loaded->parameters[i]));
  return ok;
}

static bool find_positive(const runner_options *options, MlirOperation entry,
                          loaded_program *loaded) {
  pgopt_ir_network ir;
  if (!options->finds_positive || pgopt_stage_of(entry) != PGOPT_STAGE_TENSORS)
    return true;
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return false;
  loaded->positive =
      pgopt_allocate(ir.network.argument_count, sizeof *loaded->positive);
  pgopt_find_positive_arguments(&ir.network, loaded->positive);
  pgopt_ir_network_free(&ir);
  return true;
}

typedef struct call_reader {
  MlirOperation module;
  loaded_program *loaded;
} call_reader;

static char *name_of_call(MlirOperation call) {
  MlirStringRef layer, phase;
  int64_t part = 0, parts = 1;
  if (!pgopt_get_text(call, PGOPT_LAYER, &layer))
    layer = pgopt_callee(call);
  pgopt_get_i64(call, PGOPT_PART, &part);
  pgopt_get_i64(call, PGOPT_PARTS, &parts);
  pgopt_text name = {0};
  pgopt_text_append_bytes(&name, layer.data, layer.length);
  if (pgopt_get_text(call, PGOPT_PHASE, &phase) && !pgopt_ref_is(phase, "main"))
    pgopt_text_append(&name, " %.*s", (int)phase.length, phase.data);
  if (parts > 1)
    pgopt_text_append(&name, " %lld/%lld", (long long)part + 1,
                      (long long)parts);
  return name.data;
}

/// A kernel call is a call of a function with pg.kernel.
static MlirWalkResult read_call(MlirOperation op, void *data) {
  call_reader *reader = data;
  if (!pgopt_op_is(op, "func.call"))
    return MlirWalkResultAdvance;
  MlirOperation callee = pgopt_module_lookup(reader->module, pgopt_callee(op));
  if (mlirOperationIsNull(callee) ||
      mlirAttributeIsNull(pgopt_get(callee, PGOPT_KERNEL)))
    return MlirWalkResultAdvance;
  loaded_program *loaded = reader->loaded;
  call_name call = {.core = 0, .slot = (int64_t)loaded->call_count};
  pgopt_get_i64(op, PGOPT_CORE, &call.core);
  pgopt_get_i64(op, PGOPT_SLOT, &call.slot);
  call.name = name_of_call(op);
  PGOPT_APPEND(loaded->calls, loaded->call_count, loaded->call_capacity, call);
  return MlirWalkResultAdvance;
}

static void read_calls(MlirOperation module, loaded_program *loaded) {
  call_reader reader = {module, loaded};
  mlirOperationWalk(module, read_call, &reader, MlirWalkPreOrder);
}

/// The entry's name, which goes into pass options: names that would end an
/// option early are refused. Null after a message; freed with `free`.
static char *name_for_options(MlirOperation entry) {
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  if (!strpbrk(name, " \t\n'\"{}(),="))
    return name;
  complain("the entry's name '%s' cannot be given to a pass; rename it", name);
  free(name);
  return NULL;
}

static bool run_on_entry(const parsed_module *parsed, const char *entry,
                         const char *pass, const char *pass_options) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "entry=%s %s", entry, pass_options);
  bool ok = run_pass(parsed, pass, text.data);
  pgopt_text_free(&text);
  return ok;
}

/// One error when the request does not fit the stage of the file.
static bool check_stage(const load_request *request, const char *path,
                        pgopt_stage stage) {
  if (request->workers &&
      (stage == PGOPT_STAGE_CORES || stage == PGOPT_STAGE_CHOICE ||
       stage == PGOPT_STAGE_LOWERED)) {
    complain("'%s' is scheduled already; --workers is for networks that are "
             "not",
             path);
    return false;
  }
  if (request->only_calls && stage != PGOPT_STAGE_CALLS) {
    complain("'%s' is not at the stage of sequential kernel calls", path);
    return false;
  }
  return true;
}

/// Leaves an entry with two schedules the one that it would take now.
static bool settle(const parsed_module *parsed, const char *name) {
  MlirOperation entry;
  pgopt_schedule_choice choice;
  return mlirLogicalResultIsSuccess(
             pgopt_find_entry(parsed->op, name, &entry)) &&
         mlirLogicalResultIsSuccess(
             pgopt_read_choice(parsed->op, entry, &choice)) &&
         mlirLogicalResultIsSuccess(pgopt_settle_choice(
             parsed->op, pgopt_rt_core_latency() <= choice.limit_ns, &entry));
}

static bool lower_entry(const load_request *request,
                        const parsed_module *parsed, const char *entry,
                        pgopt_stage stage, bool is_naive,
                        loaded_program *loaded) {
  char text[64];
  snprintf(text, sizeof text, "resources=threads count=%lld",
           (long long)request->workers);
  bool ok = true;
  if (request->workers && !is_naive)
    ok = run_on_entry(parsed, entry, "schedule-rr", text);
  else if (request->has_trace && stage == PGOPT_STAGE_TENSORS && !is_naive)
    ok = run_on_entry(parsed, entry, "form-kernels", "");
  if (ok && request->has_trace && stage == PGOPT_STAGE_CHOICE)
    ok = settle(parsed, entry);
  if (ok && (request->has_trace || request->is_instrumented))
    read_calls(parsed->op, loaded);
  MlirOperation calls;
  if (ok && request->has_trace && !is_naive &&
      mlirLogicalResultIsSuccess(pgopt_find_entry(parsed->op, entry, &calls)))
    loaded->expected = read_expected_run(parsed->op, calls);
  snprintf(text, sizeof text, "kernels=%s%s%s", is_naive ? "naive" : "auto",
           request->is_instrumented ? " instrument=true" : "",
           request->has_trace && !is_naive ? " trace=true" : "");
  return ok && run_on_entry(parsed, entry, "pgopt-lower", text);
}

static bool leave_out(const load_request *request, const parsed_module *parsed,
                      const char *name) {
  MlirOperation entry;
  return !request->left_out ||
         (mlirLogicalResultIsSuccess(
              pgopt_find_entry(parsed->op, name, &entry)) &&
          mlirLogicalResultIsSuccess(pgopt_stand_in(
              parsed->op, entry, request->left_out, request->left_out_count)));
}

/// Binds --shapes where the network is on tensors still.
static bool bind_shapes(const runner_options *options,
                        const parsed_module *parsed, const char *name,
                        pgopt_stage stage, MlirOperation *entry) {
  if (!options->shapes || stage != PGOPT_STAGE_TENSORS)
    return true;
  if (strpbrk(options->shapes, " \t\n'\"{}=")) {
    complain("--shapes: '%s' is not a list of shapes; it must be as in "
             "arg0:1x3x224x224,arg1:7",
             options->shapes);
    return false;
  }
  pgopt_text text = {0};
  pgopt_text_append(&text, "mode=static report=none store=none shapes=%s",
                    options->shapes);
  bool ok =
      run_on_entry(parsed, name, "profile", text.data) &&
      mlirLogicalResultIsSuccess(pgopt_find_entry(parsed->op, name, entry));
  pgopt_text_free(&text);
  return ok;
}

/// Brings the module to the LLVM dialect, without what the entry does not need.
static bool lower(const runner_options *options, const load_request *request,
                  const parsed_module *parsed, MlirOperation *entry,
                  loaded_program *loaded) {
  pgopt_stage stage = pgopt_stage_of(*entry);
  bool is_naive = request->is_naive || (request->is_naive_if_on_tensors &&
                                        stage == PGOPT_STAGE_TENSORS);
  if (!check_stage(request, loaded->path, stage) ||
      !read_parameters(*entry, loaded))
    return false;
  // Before any pass: each would fill with a seed of its own.
  if (mlirLogicalResultIsFailure(
          pgopt_fill_elided(parsed->op, options->seed,
                            !strcmp(options->fill_elided, "error"), NULL)))
    return false;
  if (stage == PGOPT_STAGE_LOWERED)
    return true;
  char *name = name_for_options(*entry);
  bool ok =
      name && keep_reachable(parsed, name) &&
      bind_shapes(options, parsed, name, stage, entry) &&
      find_positive(options, *entry, loaded) &&
      leave_out(request, parsed, name) &&
      lower_entry(request, parsed, name, stage, is_naive, loaded) &&
      mlirLogicalResultIsSuccess(pgopt_find_entry(parsed->op, name, entry));
  free(name);
  return ok;
}

/// The constant that a call of the LLVM dialect gives as its last argument; 0
/// when it is none.
static int64_t last_constant(MlirOperation call) {
  MlirValue value =
      mlirOperationGetOperand(call, mlirOperationGetNumOperands(call) - 1);
  if (!mlirValueIsAOpResult(value))
    return 0;
  MlirAttribute attribute =
      pgopt_op_attribute(mlirOpResultGetOwner(value), "value");
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsAInteger(attribute)
             ? mlirIntegerAttrGetValueInt(attribute)
             : 0;
}

typedef struct storage {
  int64_t arena_bytes, scratch_bytes, prepared_bytes;
} storage;

static MlirWalkResult add_storage(MlirOperation op, void *data) {
  storage *found = data;
  if (!pgopt_op_is(op, "llvm.call"))
    return MlirWalkResultAdvance;
  MlirAttribute callee = pgopt_op_attribute(op, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return MlirWalkResultAdvance;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  if (pgopt_ref_is(name, "pgopt_rt_arena"))
    found->arena_bytes = last_constant(op);
  if (pgopt_ref_is(name, "pgopt_rt_prepared"))
    found->prepared_bytes = last_constant(op);
  if (pgopt_ref_is(name, "pgopt_rt_scratch") &&
      last_constant(op) > found->scratch_bytes)
    found->scratch_bytes = last_constant(op);
  return MlirWalkResultAdvance;
}

/// Reads off a lowered module what it asks the runtime for: one arena, its
/// prepared constants, and the largest scratch.
static int64_t storage_of(MlirOperation module) {
  storage found = {0};
  int64_t sum;
  mlirOperationWalk(module, add_storage, &found, MlirWalkPreOrder);
  return pgopt_checked_add(found.arena_bytes, found.scratch_bytes, &sum) &&
                 pgopt_checked_add(sum, found.prepared_bytes, &sum)
             ? sum
             : INT64_MAX;
}

/// True when the lowered module calls functions that this process lacks.
static bool lacks_functions(MlirOperation module) {
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!pgopt_op_is(op, "llvm.func") ||
        !mlirBlockIsNull(pgopt_function_body(op)))
      continue;
    char *name = pgopt_ref_duplicate(pgopt_symbol_name(op));
    bool is_missing = !dlsym(RTLD_DEFAULT, name);
    free(name);
    if (is_missing)
      return true;
  }
  return false;
}

/// Upstream's libraries of print functions and clocks, which lie beside LLVM.
static void open_upstream_libraries(void) {
  static const char *const names[] = {"libmlir_c_runner_utils.so",
                                      "libmlir_runner_utils.so"};
  Dl_info llvm;
  if (!dladdr((void *)(uintptr_t)LLVMContextCreate, &llvm))
    return;
  const char *slash = strrchr(llvm.dli_fname, '/');
  for (size_t i = 0; i < sizeof names / sizeof *names && slash; ++i) {
    pgopt_text path = {0};
    pgopt_text_append(&path, "%.*s%s", (int)(slash + 1 - llvm.dli_fname),
                      llvm.dli_fname, names[i]);
    dlopen(path.data, RTLD_NOW | RTLD_GLOBAL);
    pgopt_text_free(&path);
  }
}

bool load_module(const runner_options *options, const char *path,
                 const parsed_module *parsed, const load_request *request,
                 loaded_program *loaded) {
  *loaded = (loaded_program){.path = path};
  MlirOperation entry;
  bool ok = mlirLogicalResultIsSuccess(
                pgopt_find_entry(parsed->op, options->entry, &entry)) &&
            lower(options, request, parsed, &entry, loaded);
  char *cache = options->uses_cache ? pgopt_object_cache_directory() : NULL;
  pgopt_program_options program_options = {.cache_directory = cache,
                                           .libraries = options->libraries,
                                           .library_count =
                                               options->library_count};
  if (ok)
    loaded->storage_bytes = storage_of(parsed->op);
  if (ok && lacks_functions(parsed->op))
    open_upstream_libraries(); // the link says what is missing still
  if (ok) {
    progress("compiling %s", path);
    ok = mlirLogicalResultIsSuccess(pgopt_program_create(
        parsed->op, entry, &program_options, &loaded->program));
  }
  progress(NULL);
  free(cache);
  return ok;
}

bool load_program(const runner_options *options, const char *path,
                  const load_request *request, loaded_program *loaded) {
  *loaded = (loaded_program){.path = path};
  parsed_module parsed;
  progress("lowering %s", path);
  bool ok = open_module(path, &parsed) &&
            load_module(options, path, &parsed, request, loaded);
  close_module(&parsed);
  return ok;
}

void unload_program(loaded_program *loaded) {
  pgopt_program_destroy(loaded->program);
  for (size_t i = 0; i < loaded->argument_count; ++i)
    pgopt_parameter_free(&loaded->parameters[i]);
  for (size_t i = 0; i < loaded->call_count; ++i)
    free(loaded->calls[i].name);
  free(loaded->parameters);
  free(loaded->positive);
  free(loaded->calls);
  free_expected_run(&loaded->expected);
  *loaded = (loaded_program){0};
}

int run_materialize(const runner_options *options) {
  parsed_module parsed;
  int64_t filled = 0;
  int code = EXIT_ERROR;
  if (open_module(options->file, &parsed) &&
      mlirLogicalResultIsSuccess(
          pgopt_materialize_elided(parsed.op, options->seed, &filled))) {
    pgopt_text text = {0};
    pgopt_print_operation(parsed.op, &text);
    pgopt_text_append(&text, "\n");
    pgopt_error error = {0};
    defer_interrupts();
    pgopt_status status =
        pgopt_file_write(options->output ? options->output : "/dev/stdout",
                         text.data, text.size, &error);
    resume_interrupts();
    pgopt_text_free(&text);
    if (status) {
      complain("%s", error.message);
    } else {
      code = 0;
      if (options->output)
        printf("%lld elided constants given data\n", (long long)filled);
    }
  }
  close_module(&parsed);
  return code;
}
