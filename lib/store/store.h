/// \file A store: what was measured, by machine and canonical signature.
///
/// A store has two forms with the same content: the binary one
/// (proto/store.proto) and a text, JSON (docs/store.md). Readers tell them
/// apart by the first bytes. Equal content has equal bytes in either form.
#ifndef PGOPT_STORE_STORE_H
#define PGOPT_STORE_STORE_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PGOPT_STORE_MAX_BYTES = 256 << 20,     ///< of a file in either form
  PGOPT_STORE_MAX_SIGNATURE = 64 * 1024, ///< bytes
  PGOPT_STORE_MAX_CANDIDATES = 64,       ///< of one choice
};

/// The time of one execution of a kernel on one machine, and where it is from.
typedef struct pgopt_store_timing {
  const char *signature;
  int64_t median_ns, min_ns, mad_ns, runs;
  const char *how;     ///< "in-place" or "isolated"
  int64_t date_s;      ///< seconds since 1970-01-01 UTC
  const char *version; ///< of the pgopt that made the kernel, "0.1.0"
} pgopt_store_timing;

/// A variant of a kernel (lib/kernels/variants.h) and what it took, measured in
/// turn with the others. One that failed has times of 0.
typedef struct pgopt_store_candidate {
  const char *variant;
  int64_t cycles; ///< what the model expected
  int64_t median_ns, min_ns, mad_ns, runs;
  int64_t ratio_ppm;   ///< to the default, run by run: median, in 10^-6
  int64_t chance_ppm;  ///< p of the sign test against the default, in 10^-6
  const char *failure; ///< why it has no time, or ""
} pgopt_store_candidate;

/// Which of its variants a kernel is computed in. The first candidate is what
/// the model would take.
typedef struct pgopt_store_choice {
  const char *signature;
  const pgopt_store_candidate *candidates;
  size_t candidate_count, chosen;
  int64_t date_s;
  const char *version;
} pgopt_store_choice;

/// What is known of one machine; timings and choices ascend by signature, each
/// once.
typedef struct pgopt_store_profile {
  pgopt_machine machine;
  const char *key; ///< of the machine
  pgopt_store_timing *timings;
  size_t timing_count, timing_capacity;
  pgopt_store_choice *choices;
  size_t choice_count, choice_capacity;
  bool is_sorted;
} pgopt_store_profile;

/// Profiles ascend by key, each once. A zero-initialised store is empty.
typedef struct pgopt_store {
  pgopt_arena arena; ///< texts
  pgopt_store_profile *profiles;
  size_t profile_count, profile_capacity;
} pgopt_store;

void pgopt_store_free(pgopt_store *store);

/// The machine's profile, made when it is not there; what is known of the
/// machine is merged. The pointer is valid until the next machine is added.
pgopt_store_profile *pgopt_store_add_machine(pgopt_store *store,
                                             const pgopt_machine *machine);

/// Adds a Timing, texts copied; `pgopt_store_sort` must follow before anything
/// is looked up or written.
void pgopt_store_add_timing(pgopt_store *store, pgopt_store_profile *profile,
                            const pgopt_store_timing *timing);

/// The same for a choice.
void pgopt_store_add_choice(pgopt_store *store, pgopt_store_profile *profile,
                            const pgopt_store_choice *choice);

/// Sorts what was added. Of several Timings, or choices, of one signature on
/// one machine the best is kept, see `pgopt_store_compare`. \returns how many
/// were dropped.
size_t pgopt_store_sort(pgopt_store *store);

/// Adds everything of another sorted store, and sorts. Neither order nor
/// repetition changes the result.
void pgopt_store_merge(pgopt_store *store, const pgopt_store *other);

/// Which of two Timings of one signature is better: above 0 for `a`. The one of
/// the later version of pgopt, then the one with more runs, then the later one,
/// then the one with the smaller median, minimum, deviation, and "in-place"
/// before "isolated". 0 only when they are equal.
int pgopt_store_compare(const pgopt_store_timing *a,
                        const pgopt_store_timing *b);

/// Which of two choices is better: the one of the later version of pgopt, then
/// the one with more runs, then the later one; then any order, 0 only when they
/// are equal.
int pgopt_store_compare_choices(const pgopt_store_choice *a,
                                const pgopt_store_choice *b);

/// Null when there is none. `pgopt_store_find_profile` takes a machine's key.
const pgopt_store_profile *pgopt_store_find_profile(const pgopt_store *store,
                                                    const char *key);
const pgopt_store_timing *
pgopt_store_find_timing(const pgopt_store_profile *profile,
                        const char *signature);

const pgopt_store_choice *
pgopt_store_find_choice(const pgopt_store_profile *profile,
                        const char *signature);

/// Refuses a Timing, or a choice, that no pgopt writes.
pgopt_status pgopt_store_check_timing(const pgopt_store_timing *timing,
                                      pgopt_error *error);
pgopt_status pgopt_store_check_choice(const pgopt_store_choice *choice,
                                      pgopt_error *error);

/// Reads a store in either form from memory; the bytes may be anything.
/// \param[out] store freed with `pgopt_store_free`; empty on failure.
/// \param[out] is_text which form it had.
pgopt_status pgopt_store_parse(const void *bytes, size_t size,
                               pgopt_store *store, bool *is_text,
                               pgopt_error *error);

/// Appends the store's bytes in one of the forms.
void pgopt_store_write(const pgopt_store *store, bool as_text,
                       pgopt_text *bytes);

/// What `pgopt_store_write` writes of one machine, as a JSON object.
void pgopt_store_write_machine(const pgopt_machine *machine, pgopt_text *text);

#endif // PGOPT_STORE_STORE_H
