/// \file Memory on huge pages.
#include "huge_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

float *huge_pages_allocate(int64_t elements) {
  size_t bytes = (size_t)elements * sizeof(float);
  bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  float *memory = aligned_alloc(HUGE_PAGE, bytes);
  if (!memory) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 0, bytes);
  return memory;
}
