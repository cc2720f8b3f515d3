/// \file Prepared parameters of programs.
#ifndef PGOPT_RUNTIME_PREPARED_H
#define PGOPT_RUNTIME_PREPARED_H

/// Frees what was prepared for the program. The guard is held.
void pgopt_prepared_release(const void *program);

#endif // PGOPT_RUNTIME_PREPARED_H
