/// \file The parallel compute resources of a module.
#include "ir/resources.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "pgopt/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ASSUMED_LATENCY_NS 200
#define ASSUMED_HOP_NS 10
/// Reading what another core has just written, beyond reading what this one
/// wrote: bench/cross_core.c.
#define CROSS_CORE_BYTE_NS 0.025

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
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute members[] = {
      pgopt_named(context, "kind",
                  pgopt_text_attribute(context, resources->kind)),
      pgopt_named(context, "count",
                  pgopt_i64_attribute(context, resources->count)),
  };
  pgopt_set(module, PGOPT_RESOURCES,
            mlirDictionaryAttrGet(context, 2, members));
}

MlirLogicalResult pgopt_read_sync_costs(MlirOperation module,
                                        const char *distance,
                                        pgopt_sync_costs *costs) {
  *costs = (pgopt_sync_costs){ASSUMED_LATENCY_NS, ASSUMED_HOP_NS,
                              CROSS_CORE_BYTE_NS};
  bool is_near = !strcmp(distance, "near");
  if (!is_near && strcmp(distance, "far") != 0)
    return pgopt_emit_error(module, "distance is '%s'; it must be far or near",
                            distance);
  MlirAttribute machine = pgopt_get(module, PGOPT_MACHINE);
  if (mlirAttributeIsNull(machine) || !mlirAttributeIsADictionary(machine))
    return mlirLogicalResultSuccess();
  MlirAttribute latency =
      member(machine, is_near ? "latency_min_ns" : "latency_max_ns");
  if (mlirAttributeIsNull(latency) || !mlirAttributeIsAInteger(latency))
    return mlirLogicalResultSuccess();
  int64_t latency_ns = mlirIntegerAttrGetValueInt(latency);
  if (latency_ns >= 0)
    costs->latency_ns = (double)latency_ns;
  return mlirLogicalResultSuccess();
}
