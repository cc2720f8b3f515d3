/// \file The attributes of the `pg` dialect: names, verifier and accessors, all
/// made from the table in attributes.def.
#ifndef PGOPT_DIALECT_C_ATTRIBUTES_H
#define PGOPT_DIALECT_C_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where an attribute stands; a set of these says where it may stand.
enum {
  PGOPT_ON_OPERATION = 1,
  PGOPT_ON_ARGUMENT = 2,
  PGOPT_ON_RESULT = 4,
};

/// PGOPT_LFLOPS, PGOPT_TIMING ...: index of each attribute in the table.
typedef enum pgopt_attribute {
#define PGOPT_ATTRIBUTE(name, spelling, kind, least, places, meaning)          \
  PGOPT_##name,
#include "dialect_c/attributes.def"
#undef PGOPT_ATTRIBUTE
  PGOPT_ATTRIBUTE_COUNT
} pgopt_attribute;

/// "pg.lflops" and so on.
const char *pgopt_attribute_spelling(pgopt_attribute attribute);

/// Checks a `pg.` attribute against the table; emits one error at `op` when it
/// is unknown, of a wrong kind, out of range or at a wrong place. `place` is
/// one of the PGOPT_ON_ values.
MlirLogicalResult pgopt_attribute_verify(MlirOperation op, MlirStringRef name,
                                         MlirAttribute value, int place);

/// docs/attributes.md as text; to be freed with `free`.
char *pgopt_attribute_document(void);

/// Measured time of one execution of a kernel, in nanoseconds. `mad_ns` is the
/// median absolute deviation from the median.
typedef struct pgopt_timing {
  int64_t median_ns, min_ns, mad_ns, runs;
  char source[16]; ///< "in-place", "isolated", "store" or "derived"
} pgopt_timing;

/// Accessors of discardable attributes on an operation. The getters return
/// false, and leave the output alone, when the attribute is absent.
bool pgopt_get_i64(MlirOperation op, pgopt_attribute attribute, int64_t *value);
void pgopt_set_i64(MlirOperation op, pgopt_attribute attribute, int64_t value);
/// The text is borrowed from the context and not terminated.
bool pgopt_get_text(MlirOperation op, pgopt_attribute attribute,
                    MlirStringRef *value);
void pgopt_set_text(MlirOperation op, pgopt_attribute attribute,
                    const char *value);
bool pgopt_get_timing(MlirOperation op, pgopt_timing *value);
void pgopt_set_timing(MlirOperation op, const pgopt_timing *value);
/// A null attribute when absent.
MlirAttribute pgopt_get(MlirOperation op, pgopt_attribute attribute);
void pgopt_set(MlirOperation op, pgopt_attribute attribute,
               MlirAttribute value);
void pgopt_remove(MlirOperation op, pgopt_attribute attribute);

/// A Timing as the dictionary that `pg.timing` and `pg.profile` hold, and back.
MlirAttribute pgopt_timing_to_attribute(MlirContext context,
                                        const pgopt_timing *value);
bool pgopt_timing_from_attribute(MlirAttribute attribute, pgopt_timing *value);

#ifdef __cplusplus
}
#endif

#endif // PGOPT_DIALECT_C_ATTRIBUTES_H
