/// \file Where passes look Timing up, and where measured Timing is kept: the
/// module's `pg.profile` first, then the store that the option `store` names.
///
/// A pass gains `store` by PGOPT_STORE_OPTIONS in its option table, an open
/// before its work and a close after it.
#ifndef PGOPT_IR_TIMINGS_H
#define PGOPT_IR_TIMINGS_H

#include "base/memory.h"
#include "dialect_c/attributes.h"
#include "store/store.h"

#include <stdbool.h>

/// A member of a pass's options struct.
typedef struct pgopt_store_options {
  const char *store; ///< "" for $PGOPT_STORE, "none" for no store
  bool any_machine;
} pgopt_store_options;

/// Lines of a pass's option table; `type` is its options struct, `member` the
/// pgopt_store_options in it.
#define PGOPT_STORE_OPTIONS(type, member)                                      \
  {"store", PGOPT_OPTION_TEXT, offsetof(type, member.store), "",               \
   "file with measured Timing, looked up by signature and machine; empty: "    \
   "$PGOPT_STORE, none: no file"},                                             \
  {                                                                            \
    "any-machine", PGOPT_OPTION_BOOL, offsetof(type, member.any_machine),      \
        "false",                                                               \
        "where the store has no Timing of this machine, take another "         \
        "machine's, with a warning"                                            \
  }

typedef struct pgopt_timings pgopt_timings;

/// Opens the store of the options, if they name one. Where the module has no
/// `pg.machine` it gets the store's description of the machine.
/// \param[out] timings to be closed; null without a store and on failure.
/// \returns failure after one error at the module.
MlirLogicalResult pgopt_timings_open(MlirOperation module,
                                     const pgopt_store_options *options,
                                     pgopt_timings **timings);

/// Looks a Timing up; one from the store has the source "store".
/// \param timings may be null: then `pg.profile` alone counts.
bool pgopt_timings_find(pgopt_timings *timings, MlirOperation module,
                        const char *signature, pgopt_timing *timing);

/// The variant that was measured to be faster than the model's: from the
/// module's `pg.variants`, else from the store. Null when there is none. In
/// `arena`. \param timings may be null.
const char *pgopt_timings_variant(pgopt_timings *timings, MlirOperation module,
                                  const char *signature, pgopt_arena *arena);

/// This machine's choice for a signature that the store has or that was added;
/// null when there is none. \param timings may be null.
const pgopt_store_choice *pgopt_timings_choice(const pgopt_timings *timings,
                                               const char *signature);

/// Adds a choice that was measured, to the module's `pg.variants` and, when the
/// timings are closed, to the store. \param timings may be null.
void pgopt_timings_add_choice(pgopt_timings *timings, MlirOperation module,
                              const pgopt_store_choice *choice);

/// Adds a choice that is no kernel's: to the store alone. \param timings may be
/// null.
void pgopt_timings_remember(pgopt_timings *timings,
                            const pgopt_store_choice *choice);

/// To be called before something is measured: nobody wants to measure for long
/// what cannot be kept then. \param timings may be null.
/// \returns failure after one error at the module, when the store cannot be
///   written.
MlirLogicalResult pgopt_timings_check(const pgopt_timings *timings);

/// Adds what was found in the store until now to the module's `pg.profile`.
void pgopt_timings_keep(pgopt_timings *timings);

/// Adds to the store what was measured until now: the Timing in the profile of
/// `module`, which may be a copy, and the choices. What ends the process
/// afterwards loses none of it. \param timings may be null.
/// \returns failure after one error at the module, when the store cannot be
///   written.
MlirLogicalResult pgopt_timings_save(pgopt_timings *timings,
                                     MlirOperation module);

/// Ends a pass's work. On success keeps what was found, and adds the Timing
/// that `pg.profile` has gained by measuring, the choices that were added, and
/// `pg.machine` with them, to the store; warns once when another machine's
/// Timing was used. \param status of the work; a failure is handed through.
/// \returns failure after one error at the module; so when the store cannot be
///   written.
MlirLogicalResult pgopt_timings_close(pgopt_timings *timings,
                                      MlirLogicalResult status);

/// Gives the kernel calls of an entry that have no measured Timing the one that
/// is on file for them: open, find and close in one.
MlirLogicalResult
pgopt_timings_look_up_calls(MlirOperation module, MlirOperation entry,
                            const pgopt_store_options *options);

#endif // PGOPT_IR_TIMINGS_H
