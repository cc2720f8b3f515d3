/// \file Stores of Timing as text, and the machine that they are about.
#ifndef PGOPT_RUNNER_SHOW_STORE_H
#define PGOPT_RUNNER_SHOW_STORE_H

#include "tools/pgopt-runner/options.h"

/// Prints the store in text form (docs/store.md) on stdout.
/// \returns 0, or EXIT_ERROR after a message on stderr.
int show_store(const runner_options *options);

/// Describes and measures this machine, and prints it as a store prints a
/// machine. Watches the distance between cores until the time is up or a signal
/// asks it to end. Merges with what the store, if one is named, knows of the
/// machine, and keeps the result there.
/// \returns 0, or EXIT_ERROR after a message on stderr.
int measure_machine(const runner_options *options);

/// Widens what the store, if one is named, knows of the distance between cores
/// by a short look at it. \returns false after a message on stderr.
bool widen_latencies(const runner_options *options);

/// \returns false after a message on stderr, when a store is named that cannot
///   be written.
bool check_store(const runner_options *options);

/// The store that the options or the environment name; null for none.
const char *store_path(const runner_options *options);

#endif // PGOPT_RUNNER_SHOW_STORE_H
