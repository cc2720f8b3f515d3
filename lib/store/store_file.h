/// \file Stores as files: read, and merged into while others do the same.
#ifndef PGOPT_STORE_STORE_FILE_H
#define PGOPT_STORE_STORE_FILE_H

#include "store/store.h"

/// Reads a store in either form. A file that does not exist is an empty store.
/// \param[out] store freed with `pgopt_store_free`; empty on failure.
/// \param[out] exists false when there is no such file; may be null.
/// \returns PGOPT_IO when the file cannot be read (so for a directory),
///   PGOPT_INVALID, PGOPT_UNSUPPORTED or PGOPT_OUT_OF_RANGE when it is no store
///   of this version; the message names the path.
pgopt_status pgopt_store_load(const char *path, pgopt_store *store,
                              bool *exists, pgopt_error *error);

/// Merges `additions` into the file, which keeps its form; a new file gets the
/// binary one. Writers take turns by a lock on the file `PATH.lock`, so nothing
/// that one of them adds is lost; readers see the old store or the new one,
/// also after a crash or when the disk is full. A symbolic link is followed.
/// \returns as `pgopt_store_load` (a file that is damaged is left alone), and
///   PGOPT_IO when it cannot be written or is locked for more than 30 s.
pgopt_status pgopt_store_update(const char *path, const pgopt_store *additions,
                                pgopt_error *error);

/// Whether `pgopt_store_update` can write there, as far as that can be known
/// before: the folder is there and may be written to. Changes nothing.
/// \returns PGOPT_IO with the reason.
pgopt_status pgopt_store_check(const char *path, pgopt_error *error);

#endif // PGOPT_STORE_STORE_FILE_H
