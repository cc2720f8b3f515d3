/// \file Work in a child of its own: whatever it does (trap, never end, eat all
/// memory), the caller goes on and learns how it ended.
///
/// The child is a fork, so it has all that was loaded and compiled before. What
/// it finds out it leaves in memory from `pgopt_shared_allocate`.
#ifndef PGOPT_PROFILE_CONTAINED_H
#define PGOPT_PROFILE_CONTAINED_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Zeroed memory that the caller shares with its children; null when there is
/// none. Pages that nobody touches cost nothing.
void *pgopt_shared_allocate(size_t bytes);
void pgopt_shared_free(void *memory, size_t bytes);

typedef enum pgopt_ending {
  PGOPT_ENDED_WELL,
  PGOPT_ENDED_BY_SIGNAL, ///< a trap, or somebody's kill
  PGOPT_ENDED_BY_CALLER, ///< `keeps_going` said no
  PGOPT_ENDED_ILL,       ///< it left by itself, before its work was done
} pgopt_ending;

typedef struct pgopt_contained {
  /// Runs in the child. Signals that end a process do so, SIGINT does not.
  void (*work)(void *data);
  /// Asked by the caller several times a second, and when a signal was caught:
  /// false ends the child at once.
  bool (*keeps_going)(void *data);
  void *data;
  /// Memory that the child may map beyond what it has at its start, in bytes;
  /// 0: no limit.
  int64_t memory_bytes;
} pgopt_contained;

/// Not from a process with several threads, unless nothing that the work uses
/// can be locked.
/// \param[out] signal_number of PGOPT_ENDED_BY_SIGNAL.
/// \returns PGOPT_IO when the child cannot be made.
pgopt_status pgopt_contain(const pgopt_contained *contained,
                           pgopt_ending *ending, int *signal_number,
                           pgopt_error *error);

/// Bytes of memory that this process may still take: what the system has free,
/// within the control group's limit.
/// \param root put before "/proc" and "/sys": "" except in tests.
/// \returns INT64_MAX when nobody says.
int64_t pgopt_free_memory(const char *root);

/// "512MiB" as bytes; units are B, KiB, MiB, GiB and TiB.
pgopt_status pgopt_parse_bytes(const char *text, int64_t *bytes,
                               pgopt_error *error);

#endif // PGOPT_PROFILE_CONTAINED_H
