/// \file The two forms of a store, for lib/store and its fuzz target.
#ifndef PGOPT_STORE_STORE_INTERNAL_H
#define PGOPT_STORE_STORE_INTERNAL_H

#include "store/store.h"

#define PGOPT_STORE_MAGIC "pgopt-store"
/// Choices came with version 2, what cores share with version 3; a store is
/// written as the first version that has all that it holds.
enum { PGOPT_STORE_VERSION = 3 };

/// 1 to 3.
int pgopt_store_version(const pgopt_store *store);
/// "0.10.0" is later than "0.9.1".
int pgopt_store_compare_versions(const char *a, const char *b);
/// Sorts one profile's choices. \returns how many were dropped.
size_t pgopt_store_sort_choices(pgopt_store_profile *profile);

pgopt_status pgopt_store_parse_binary(const void *bytes, size_t size,
                                      pgopt_store *store, pgopt_error *error);
/// The message Content of proto/store.proto, without what is around it.
pgopt_status pgopt_store_parse_content(const void *bytes, size_t size,
                                       pgopt_store *store, pgopt_error *error);
pgopt_status pgopt_store_parse_text(const void *bytes, size_t size,
                                    pgopt_store *store, pgopt_error *error);
void pgopt_store_write_binary(const pgopt_store *store, pgopt_text *bytes);
void pgopt_store_write_text(const pgopt_store *store, pgopt_text *text);

/// For readers: adds a machine that must be valid and new.
pgopt_status pgopt_store_read_machine(pgopt_store *store,
                                      const pgopt_machine *machine,
                                      pgopt_store_profile **profile,
                                      pgopt_error *error);
/// For readers: adds a Timing, or a choice, that must be valid.
pgopt_status pgopt_store_read_timing(pgopt_store *store,
                                     pgopt_store_profile *profile,
                                     const pgopt_store_timing *timing,
                                     pgopt_error *error);
pgopt_status pgopt_store_read_choice(pgopt_store *store,
                                     pgopt_store_profile *profile,
                                     const pgopt_store_choice *choice,
                                     pgopt_error *error);

#endif // PGOPT_STORE_STORE_INTERNAL_H
