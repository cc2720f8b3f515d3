/// \file The profile of an annotated module in the ONNX model it came from.
#include "import/export_onnx.h"

#include "base/text.h"
#include "dialect_c/attributes.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/schedule_choice.h"
#include "mlir-c/Diagnostics.h"
#include "onnx/names.h"
#include "pgopt/passes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "pgopt.";

/// What the module says of one node.
typedef struct node_profile {
  int64_t lflops, bytes, timing_ns;
  bool has_lflops, has_bytes, has_timing;
  pgopt_text kernels, cores, slots; ///< lists with commas
} node_profile;

typedef struct exporter {
  pgopt_names nodes; ///< name -> index
  node_profile *profiles;
  size_t matched;
} exporter;

/// Appends an item to a list that lacks it, or always.
static void append_item(pgopt_text *list, const char *item, size_t length,
                        bool once) {
  const char *at = pgopt_text_get(list);
  while (once && *at) {
    size_t size = strcspn(at, ",");
    if (size == length && !memcmp(at, item, length))
      return;
    at += size + (at[size] == ',');
  }
  if (list->size)
    pgopt_text_append(list, ",");
  pgopt_text_append_bytes(list, item, length);
}

static void append_number(pgopt_text *list, int64_t number) {
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)number);
  append_item(list, text, (size_t)length, false);
}

static void add_saturating(int64_t *sum, int64_t value) {
  if (__builtin_add_overflow(*sum, value, sum))
    *sum = INT64_MAX;
}

/// The names in a location, innermost kept: fused ones name several nodes, the
/// first of which an operation's amounts belong to.
static bool find_node(const exporter *e, MlirLocation location, int *node) {
  if (mlirLocationIsAName(location)) {
    char *name = pgopt_ref_duplicate(
        mlirIdentifierStr(mlirLocationNameGetName(location)));
    bool found = pgopt_names_get(&e->nodes, name, node);
    free(name);
    return found || find_node(e, mlirLocationNameGetChildLoc(location), node);
  }
  if (!mlirLocationIsAFused(location))
    return false;
  unsigned count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = pgopt_allocate(count, sizeof *parts);
  mlirLocationFusedGetLocations(location, parts);
  bool found = false;
  for (unsigned i = 0; i < count && !found; ++i)
    found = find_node(e, parts[i], node);
  free(parts);
  return found;
}

static MlirWalkResult read_op(MlirOperation op, void *data) {
  exporter *e = data;
  int64_t lflops, bytes, number;
  pgopt_timing timing;
  MlirStringRef kernel;
  bool has_lflops = pgopt_get_i64(op, PGOPT_LFLOPS, &lflops);
  bool has_timing = pgopt_get_timing(op, &timing);
  bool has_kernel = pgopt_get_text(op, PGOPT_LAYER, &kernel) ||
                    pgopt_get_text(op, PGOPT_KERNEL, &kernel);
  int node;
  if (pgopt_op_is(op, "func.func") || pgopt_op_is(op, "builtin.module") ||
      (!has_lflops && !has_timing && !has_kernel) ||
      !find_node(e, mlirOperationGetLocation(op), &node))
    return MlirWalkResultAdvance;
  node_profile *profile = &e->profiles[node];
  ++e->matched;
  if (has_lflops)
    add_saturating(&profile->lflops, lflops);
  profile->has_lflops |= has_lflops;
  if (pgopt_get_i64(op, PGOPT_BYTES, &bytes)) {
    add_saturating(&profile->bytes, bytes);
    profile->has_bytes = true;
  }
  if (has_timing)
    add_saturating(&profile->timing_ns, timing.median_ns);
  profile->has_timing |= has_timing;
  if (has_kernel)
    append_item(&profile->kernels, kernel.data, kernel.length, true);
  if (pgopt_get_i64(op, PGOPT_CORE, &number))
    append_number(&profile->cores, number);
  if (pgopt_get_i64(op, PGOPT_SLOT, &number))
    append_number(&profile->slots, number);
  return MlirWalkResultAdvance;
}

/// Entries belong to the message, which frees them with `free`.
typedef Pgopt__Onnx__Entry entry;

static void remove_entries(entry **entries, size_t *count) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; ++i)
    if (entries[i]->key && !strncmp(entries[i]->key, prefix, strlen(prefix)))
      pgopt__onnx__entry__free_unpacked(entries[i], NULL);
    else
      entries[kept++] = entries[i];
  *count = kept;
}

static void add_entry(entry ***entries, size_t *count, const char *name,
                      const char *value) {
  pgopt_text key = {0};
  pgopt_text_append(&key, "%s%s", prefix, name);
  entry *added = pgopt_allocate(1, sizeof *added);
  pgopt__onnx__entry__init(added);
  added->key = key.data;
  added->value = pgopt_duplicate_text(value);
  entry **grown = pgopt_allocate(*count + 1, sizeof *grown);
  if (*count)
    memcpy(grown, *entries, *count * sizeof *grown);
  grown[(*count)++] = added;
  free(*entries);
  *entries = grown;
}

static void add_integer(entry ***entries, size_t *count, const char *name,
                        int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)value);
  add_entry(entries, count, name, text);
}

static void annotate_node(Pgopt__Onnx__Node *node, const node_profile *p) {
  remove_entries(node->metadata_props, &node->n_metadata_props);
  entry ***entries = &node->metadata_props;
  size_t *count = &node->n_metadata_props;
  if (p->has_lflops)
    add_integer(entries, count, "lflops", p->lflops);
  if (p->has_bytes)
    add_integer(entries, count, "bytes", p->bytes);
  if (p->has_timing)
    add_integer(entries, count, "timing_ns", p->timing_ns);
  const struct {
    const char *name;
    const pgopt_text *list;
  } lists[] = {
      {"kernel", &p->kernels}, {"core", &p->cores}, {"slot", &p->slots}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    if (lists[i].list->size)
      add_entry(entries, count, lists[i].name, pgopt_text_get(lists[i].list));
}

static void annotate_model(MlirOperation module, Pgopt__Onnx__Model *model) {
  static const struct {
    const char *attribute, *name;
  } copied[] = {{"pg.lflops", "lflops"},
                {"pg.lflops_contraction", "lflops_contraction"},
                {"pg.machine", "machine"},
                {"pg.profile", "profile"},
                {"pg.resources", "resources"}};
  remove_entries(model->metadata_props, &model->n_metadata_props);
  for (size_t i = 0; i < sizeof copied / sizeof *copied; ++i) {
    MlirAttribute value = pgopt_op_attribute(module, copied[i].attribute);
    if (mlirAttributeIsNull(value))
      continue;
    pgopt_text text = {0};
    if (mlirAttributeIsAInteger(value))
      pgopt_text_append(&text, "%lld",
                        (long long)mlirIntegerAttrGetValueInt(value));
    else
      pgopt_print_attribute(value, &text);
    add_entry(&model->metadata_props, &model->n_metadata_props, copied[i].name,
              pgopt_text_get(&text));
    pgopt_text_free(&text);
  }
}

/// Of two schedules in one entry, the one whose cores work together tells where
/// its kernels run.
static pgopt_status settle(MlirOperation module, pgopt_error *error) {
  MlirOperation next,
      op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!pgopt_op_is(op, "func.func") ||
        mlirBlockIsNull(pgopt_function_body(op)) ||
        pgopt_stage_of(op) != PGOPT_STAGE_CHOICE)
      continue;
    return mlirLogicalResultIsSuccess(pgopt_settle_choice(module, true, &op))
               ? PGOPT_OK
               : pgopt_fail(error, PGOPT_INVALID,
                            "the module's entry has no two schedules");
  }
  return PGOPT_OK;
}

pgopt_status pgopt_export_annotations(MlirOperation module,
                                      pgopt_onnx_model *model,
                                      pgopt_error *error) {
  Pgopt__Onnx__Graph *graph = model->message->graph;
  pgopt_status status = settle(module, error);
  if (status)
    return status;
  exporter e = {.profiles =
                    pgopt_allocate(graph->n_node + 1, sizeof *e.profiles)};
  for (size_t i = 0; i < graph->n_node; ++i) {
    const Pgopt__Onnx__Node *node = graph->node[i];
    // As the importer names operations.
    const char *name = node->name && *node->name ? node->name
                       : node->n_output          ? node->output[0]
                                                 : "";
    if (*name)
      pgopt_names_add(&e.nodes, name, (int)i);
  }
  mlirOperationWalk(module, read_op, &e, MlirWalkPreOrder);
  if (e.matched) {
    for (size_t i = 0; i < graph->n_node; ++i)
      annotate_node(graph->node[i], &e.profiles[i]);
    annotate_model(module, model->message);
  } else {
    status = pgopt_fail(error, PGOPT_INVALID,
                        "no annotated operation of the module names a node of "
                        "the model; was it imported from it, profiled, and "
                        "printed with --mlir-print-debuginfo?");
  }
  for (size_t i = 0; i < graph->n_node; ++i) {
    pgopt_text_free(&e.profiles[i].kernels);
    pgopt_text_free(&e.profiles[i].cores);
    pgopt_text_free(&e.profiles[i].slots);
  }
  free(e.profiles);
  pgopt_names_free(&e.nodes);
  return status;
}

typedef struct file_buffer {
  ProtobufCBuffer base;
  FILE *file;
} file_buffer;

static void append_to_file(ProtobufCBuffer *buffer, size_t length,
                           const uint8_t *data) {
  fwrite(data, 1, length, ((file_buffer *)buffer)->file);
}

/// Written beside the output and renamed, so that an old file stays whole.
static pgopt_status write_model(const pgopt_onnx_model *model, const char *path,
                                pgopt_error *error) {
  pgopt_text beside = {0};
  pgopt_text_append(&beside, "%s.part", path);
  file_buffer buffer = {.base = {append_to_file},
                        .file = fopen(beside.data, "wb")};
  bool ok = buffer.file != NULL;
  if (ok) {
    pgopt__onnx__model__pack_to_buffer(model->message, &buffer.base);
    ok = !ferror(buffer.file);
    ok = !fclose(buffer.file) && ok && !rename(beside.data, path);
  }
  pgopt_status status =
      ok ? PGOPT_OK
         : pgopt_fail(error, PGOPT_IO, "cannot write '%s': %s", path,
                      strerror(errno));
  if (!ok)
    unlink(beside.data);
  pgopt_text_free(&beside);
  return status;
}

pgopt_status pgopt_export_onnx(const char *module_path, const char *model_path,
                               const char *output, pgopt_error *error) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule module =
      mlirModuleCreateParseFromFile(context, pgopt_ref(module_path));
  pgopt_onnx_model model = {0};
  pgopt_status status =
      mlirModuleIsNull(module)
          ? pgopt_fail(error, PGOPT_INVALID, "'%s' is not a valid MLIR module",
                       module_path)
          : pgopt_onnx_open(model_path, &model, error);
  if (status == PGOPT_OK)
    status =
        pgopt_export_annotations(mlirModuleGetOperation(module), &model, error);
  if (status == PGOPT_OK)
    status = write_model(&model, output, error);
  pgopt_onnx_close(&model);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return status;
}

static MlirLogicalResult ignore(MlirDiagnostic diagnostic, void *unused) {
  (void)diagnostic;
  (void)unused;
  return mlirLogicalResultSuccess();
}

void pgopt_restore_annotations(const pgopt_onnx_model *model,
                               MlirOperation module) {
  static const struct {
    const char *key;
    pgopt_attribute attribute;
  } restored[] = {{"pgopt.profile", PGOPT_PROFILE},
                  {"pgopt.machine", PGOPT_MACHINE}};
  MlirContext context = mlirOperationGetContext(module);
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, ignore, NULL, NULL);
  for (size_t i = 0; i < model->message->n_metadata_props; ++i) {
    const entry *e = model->message->metadata_props[i];
    for (size_t k = 0; k < sizeof restored / sizeof *restored; ++k) {
      if (!e->key || !e->value || strcmp(e->key, restored[k].key))
        continue;
      const char *name = pgopt_attribute_spelling(restored[k].attribute);
      MlirAttribute value = mlirAttributeParseGet(context, pgopt_ref(e->value));
      if (!mlirAttributeIsNull(value) &&
          mlirLogicalResultIsSuccess(pgopt_attribute_verify(
              module, pgopt_ref(name), value, PGOPT_ON_OPERATION)))
        pgopt_set(module, restored[k].attribute, value);
    }
  }
  mlirContextDetachDiagnosticHandler(context, handler);
}
