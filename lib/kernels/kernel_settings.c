/// \file How a module wants its kernels computed.
#include "kernels/kernel_settings.h"

#include "base/text.h"
#include "dialect_c/attributes.h"
#include "grouping/winograd_choice.h"
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

/// True for "+avx2,-avx512f": names with a sign, separated by commas.
static bool are_features(const char *text) {
  while (*text) {
    size_t length = strcspn(text, ",");
    if (length < 2 || (*text != '+' && *text != '-') ||
        strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789.-_") !=
            length - 1)
      return false;
    text += length;
    if (!*text)
      return true;
    ++text;
    if (!*text)
      return false;
  }
  return true;
}

static MlirLogicalResult read_target(MlirOperation module, const char *cpu,
                                     const char *features,
                                     pgopt_target *target) {
  if (!are_features(features))
    return pgopt_emit_error(module,
                            "target-features is '%s'; it must be names with a "
                            "sign, as in '+avx2,-avx512f'",
                            features);
  if (!pgopt_target_read(cpu, features, target))
    return pgopt_emit_error(module,
                            "target-cpu is '%s'; it must be a CPU that is "
                            "known here: %s",
                            cpu, pgopt_target_names());
  return mlirLogicalResultSuccess();
}

/// The text of the attribute, "" without it; to be freed.
static char *text_of(MlirOperation module, pgopt_attribute attribute) {
  MlirStringRef text;
  return pgopt_get_text(module, attribute, &text) ? pgopt_ref_duplicate(text)
                                                  : pgopt_duplicate_text("");
}

MlirLogicalResult
pgopt_kernel_settings_keep(MlirOperation module,
                           const pgopt_kernel_settings *settings) {
  pgopt_winograd choice;
  pgopt_target target;
  if (*settings->winograd && !pgopt_winograd_parse(settings->winograd, &choice))
    return pgopt_emit_error(
        module, "winograd is '%s'; it must be 'auto', 'off', 'f2' or 'f4'",
        settings->winograd);
  if ((*settings->target_cpu || *settings->target_features) &&
      mlirLogicalResultIsFailure(read_target(
          module, settings->target_cpu, settings->target_features, &target)))
    return mlirLogicalResultFailure();
  if (*settings->winograd)
    pgopt_set_text(module, PGOPT_WINOGRAD, settings->winograd);
  if (*settings->target_cpu)
    pgopt_set_text(module, PGOPT_TARGET_CPU, settings->target_cpu);
  if (*settings->target_features)
    pgopt_set_text(module, PGOPT_TARGET_FEATURES, settings->target_features);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_kernel_target(MlirOperation module,
                                      pgopt_target *target) {
  char *cpu = text_of(module, PGOPT_TARGET_CPU);
  char *features = text_of(module, PGOPT_TARGET_FEATURES);
  MlirLogicalResult result = read_target(module, cpu, features, target);
  pgopt_target_measure_caches(target);
  free(features);
  free(cpu);
  return result;
}

void pgopt_kernel_target_apply(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  char *cpu = text_of(module, PGOPT_TARGET_CPU);
  char *features = text_of(module, PGOPT_TARGET_FEATURES);
  pgopt_text text = {0};
  pgopt_text_append(&text, "#llvm.target_features<[");
  for (const char *at = features; *at;) {
    int length = (int)strcspn(at, ",");
    pgopt_text_append(&text, "%s\"%.*s\"", at == features ? "" : ", ", length,
                      at);
    at += length;
    at += *at == ',';
  }
  pgopt_text_append(&text, "]>");
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!pgopt_op_is(op, "llvm.func"))
      continue;
    if (*cpu)
      mlirOperationSetAttributeByName(op, pgopt_ref("target_cpu"),
                                      pgopt_text_attribute(context, cpu));
    if (*features)
      mlirOperationSetAttributeByName(
          op, pgopt_ref("target_features"),
          mlirAttributeParseGet(context, pgopt_ref(text.data)));
  }
  pgopt_text_free(&text);
  free(features);
  free(cpu);
}
