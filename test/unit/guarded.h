/// \file Buffers that end, or begin, at a page nobody may touch.
#ifndef PGOPT_TEST_GUARDED_H
#define PGOPT_TEST_GUARDED_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
  char *pages;
  size_t bytes; ///< of all pages
  void *data;
} guarded;

/// \param at_end whether the byte behind the data is guarded; else the one in
///   front of it.
static inline guarded guarded_create(size_t bytes, int at_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t inside = (bytes + page - 1) / page * page;
  guarded made = {.bytes = inside + 2 * page};
  made.pages =
      mmap(NULL, made.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made.pages == MAP_FAILED ||
      mprotect(made.pages + page, inside, PROT_READ | PROT_WRITE))
    abort();
  made.data = made.pages + page + (at_end ? inside - bytes : 0);
  return made;
}

static inline void guarded_destroy(guarded *buffer) {
  munmap(buffer->pages, buffer->bytes);
}

#endif // PGOPT_TEST_GUARDED_H
