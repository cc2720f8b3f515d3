#include "runtime/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/fatal.h"

enum { ALIGNMENT = 64, HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

void *pgopt_pages_allocate(const char *what, int64_t bytes) {
  if (bytes < 0)
    pgopt_runtime_fatal("%s of %lld bytes", what, (long long)bytes);
  size_t alignment = bytes < HUGE_PAGE_BYTES ? ALIGNMENT : HUGE_PAGE_BYTES;
  size_t size;
  void *memory = NULL;
  if (!__builtin_add_overflow(bytes ? (size_t)bytes : 1, alignment - 1, &size))
    memory = aligned_alloc(alignment, size / alignment * alignment);
  if (!memory)
    pgopt_runtime_fatal("out of memory for a %s of %lld bytes", what,
                        (long long)bytes);
  if (alignment == HUGE_PAGE_BYTES)
    madvise(memory, size / alignment * alignment, MADV_HUGEPAGE);
  return memory;
}
