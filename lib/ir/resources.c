/// \file The parallel compute resources of a module.
#include "ir/resources.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "pgopt/runtime.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ASSUMED_LATENCY_NS 200
#define ASSUMED_HOP_NS 10
/// Reading what another core has just written, beyond reading what this one
/// wrote: bench/cross_core.c.
#define CROSS_CORE_BYTE_NS 0.025
/// Workers that find nothing to do sleep after so long: lib/runtime/pool.c.
#define WORKERS_POLL_NS 100000

static const char *const kinds[] = {"cores", "threads", "pes"};

static const char *find_kind(MlirStringRef name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (pgopt_ref_is(name, kinds[i]))
      return kinds[i];
  return NULL;
}

static MlirLogicalResult parse_count(MlirOperation module, const char *text,
                                     int64_t *count) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < 1 || value > PGOPT_MAX_RESOURCES)
    return pgopt_emit_error(module,
                            "count=%s is not a number from 1 to %d, nor auto",
                            text, PGOPT_MAX_RESOURCES);
  *count = value;
  return mlirLogicalResultSuccess();
}

static MlirAttribute member(MlirAttribute dictionary, const char *name) {
  return mlirDictionaryAttrGetElementByName(dictionary, pgopt_ref(name));
}

/// Members of `pg.resources` that say what the resources are like.
static const struct {
  const char *name;
  size_t offset; ///< of a number in pgopt_resource_model; 0: a list
} model_members[] = {
    {"speeds", 0},
    {"nodes", offsetof(pgopt_resource_model, nodes)},
    {"node_latency_ns", offsetof(pgopt_resource_model, node_latency_ns)},
    {"rows", offsetof(pgopt_resource_model, rows)},
    {"columns", offsetof(pgopt_resource_model, columns)},
    {"hop_latency_ns", offsetof(pgopt_resource_model, hop_latency_ns)},
};

MlirLogicalResult pgopt_resolve_resources(MlirOperation module,
                                          const char *kind, const char *count,
                                          pgopt_resources *resources) {
  *resources = (pgopt_resources){.kind = kinds[0]};
  if (*kind && !(resources->kind = find_kind(pgopt_ref(kind))))
    return pgopt_emit_error(
        module, "resources=%s is not one of cores, threads, pes", kind);
  MlirAttribute known = pgopt_get(module, PGOPT_RESOURCES);
  if (!mlirAttributeIsNull(known)) {
    if (mlirLogicalResultIsFailure(pgopt_attribute_verify(
            module, pgopt_ref(pgopt_attribute_spelling(PGOPT_RESOURCES)), known,
            PGOPT_ON_OPERATION)))
      return mlirLogicalResultFailure();
    const char *known_kind =
        find_kind(mlirStringAttrGetValue(member(known, "kind")));
    if (!*kind)
      resources->kind = known_kind;
    if (resources->kind == known_kind)
      resources->count = mlirIntegerAttrGetValueInt(member(known, "count"));
  }
  if (strcmp(count, "auto"))
    return parse_count(module, count, &resources->count);
  if (resources->count)
    return mlirLogicalResultSuccess();
  if (!strcmp(resources->kind, "pes"))
    return pgopt_emit_error(module, "resources=pes needs count=N, this machine "
                                    "does not tell how many PEs there are");
  resources->is_default = true;
  resources->count = pgopt_rt_cpu_count(!strcmp(resources->kind, "cores"));
  if (resources->count > PGOPT_MAX_RESOURCES)
    resources->count = PGOPT_MAX_RESOURCES;
  return mlirLogicalResultSuccess();
}

void pgopt_write_resources(MlirOperation module,
                           const pgopt_resources *resources) {
  enum { OWN = 2, MOST = 16 };
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute members[MOST] = {
      pgopt_named(context, "kind",
                  pgopt_text_attribute(context, resources->kind)),
      pgopt_named(context, "count",
                  pgopt_i64_attribute(context, resources->count)),
  };
  intptr_t count = OWN;
  // What the resources are like is theirs as long as they are so many.
  MlirAttribute known = pgopt_get(module, PGOPT_RESOURCES);
  for (size_t i = 0; i < sizeof model_members / sizeof *model_members; ++i) {
    MlirAttribute value = {NULL};
    if (!mlirAttributeIsNull(known) &&
        mlirIntegerAttrGetValueInt(member(known, "count")) == resources->count)
      value = member(known, model_members[i].name);
    if (!mlirAttributeIsNull(value))
      members[count++] = pgopt_named(context, model_members[i].name, value);
  }
  pgopt_set(module, PGOPT_RESOURCES,
            mlirDictionaryAttrGet(context, count, members));
}

MlirLogicalResult pgopt_read_resource_model(MlirOperation module,
                                            pgopt_resource_model *model) {
  *model = (pgopt_resource_model){0};
  MlirAttribute known = pgopt_get(module, PGOPT_RESOURCES);
  bool is_special = false;
  for (size_t i = 0; i < sizeof model_members / sizeof *model_members &&
                     !mlirAttributeIsNull(known);
       ++i) {
    MlirAttribute value = member(known, model_members[i].name);
    if (mlirAttributeIsNull(value))
      continue;
    is_special = true;
    if (model_members[i].offset)
      *(int64_t *)((char *)model + model_members[i].offset) =
          mlirIntegerAttrGetValueInt(value);
  }
  if (!is_special)
    return mlirLogicalResultSuccess();
  model->count = mlirIntegerAttrGetValueInt(member(known, "count"));
  MlirAttribute speeds = member(known, "speeds");
  pgopt_error error = {0};
  if (!mlirAttributeIsNull(speeds)) {
    intptr_t speed_count = mlirDenseArrayGetNumElements(speeds);
    if (speed_count != model->count)
      return pgopt_emit_error(module,
                              "pg.resources has %lld speeds for %lld resources",
                              (long long)speed_count, (long long)model->count);
    model->speeds = pgopt_allocate((size_t)speed_count, sizeof(int64_t));
    for (intptr_t i = 0; i < speed_count; ++i)
      model->speeds[i] = mlirDenseI64ArrayGetElement(speeds, i);
  }
  if (!pgopt_resource_model_check(model, &error))
    return mlirLogicalResultSuccess();
  pgopt_resource_model_free(model);
  return pgopt_emit_error(module, "pg.resources: %s", error.message);
}

/// What is said when the member is absent or no integer of at least 0.
static int64_t member_i64(MlirAttribute dictionary, const char *name,
                          int64_t otherwise) {
  MlirAttribute value = member(dictionary, name);
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value))
    return otherwise;
  int64_t number = mlirIntegerAttrGetValueInt(value);
  return number >= 0 ? number : otherwise;
}

MlirLogicalResult pgopt_read_sync_costs(MlirOperation module,
                                        const char *distance,
                                        pgopt_sync_costs *costs) {
  *costs = (pgopt_sync_costs){.latency_ns = ASSUMED_LATENCY_NS,
                              .hop_ns = ASSUMED_HOP_NS,
                              .byte_ns = CROSS_CORE_BYTE_NS};
  bool is_near = !strcmp(distance, "near");
  if (!is_near && strcmp(distance, "far") != 0)
    return pgopt_emit_error(module, "distance is '%s'; it must be far or near",
                            distance);
  MlirAttribute machine = pgopt_get(module, PGOPT_MACHINE);
  if (mlirAttributeIsNull(machine) || !mlirAttributeIsADictionary(machine))
    return mlirLogicalResultSuccess();
  costs->latency_ns =
      (double)member_i64(machine, is_near ? "latency_min_ns" : "latency_max_ns",
                         ASSUMED_LATENCY_NS);
  MlirAttribute sharing = member(machine, "sharing");
  if (mlirAttributeIsNull(sharing) || !mlirAttributeIsADictionary(sharing))
    return mlirLogicalResultSuccess();
  int64_t fetch_ps = member_i64(sharing, "fetch_ps", 0);
  if (fetch_ps)
    costs->byte_ns = (double)fetch_ps / 1e3;
  costs->reclaim_ns = (double)member_i64(sharing, "reclaim_ps", 0) / 1e3;
  MlirAttribute peak = member(machine, "peak_gflops");
  if (!mlirAttributeIsNull(peak) && mlirAttributeIsAFloat(peak) &&
      mlirFloatAttrGetValueDouble(peak) > 0)
    costs->operation_ns = 1 / mlirFloatAttrGetValueDouble(peak);
  costs->wake_ns = (double)member_i64(sharing, "wake_ns", 0);
  costs->call_ns = (double)member_i64(sharing, "call_ns", 0);
  costs->poll_ns = WORKERS_POLL_NS;
  return mlirLogicalResultSuccess();
}
