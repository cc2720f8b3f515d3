/// \file Aligned memory of the runtime.
#ifndef PGOPT_RUNTIME_PAGES_H
#define PGOPT_RUNTIME_PAGES_H

#include <stdint.h>

/// Memory that starts at a multiple of 64; of 2 MiB and more at a huge page,
/// and asks for them. Freed with `free`. Ends the process when there is none.
/// \param what it is for, for that message.
void *pgopt_pages_allocate(const char *what, int64_t bytes);

#endif // PGOPT_RUNTIME_PAGES_H
