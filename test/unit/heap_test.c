/// \file The programs' heap.
#include "codegen/heap.h"

#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static void blocks_are_aligned_and_separate(void) {
  pgopt_heap *heap = pgopt_heap_create();
  pgopt_heap_enter(heap);
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    char *a = pgopt_heap_aligned_alloc(alignment, 100);
    char *b = pgopt_heap_malloc(100);
    if (!CHECK(a && b))
      break;
    CHECK_EQ_I64((uintptr_t)a % alignment, 0);
    CHECK_EQ_I64((uintptr_t)b % 16, 0);
    memset(a, 1, 100);
    memset(b, 2, 100);
    pgopt_heap_free(a);
  }
  pgopt_heap_free(NULL);
  pgopt_heap_enter(NULL);
  pgopt_heap_destroy(heap); // frees each b; checked by the leak sanitizer
}

static void calloc_clears(void) {
  pgopt_heap *heap = pgopt_heap_create();
  pgopt_heap_enter(heap);
  for (int round = 0; round < 2; ++round) { // the second gets used memory
    char *block = pgopt_heap_calloc(7, 13);
    int set = 0;
    for (int i = 0; i < 7 * 13; ++i)
      set += block[i] != 0;
    CHECK_EQ_I64(set, 0);
    memset(block, 1, 7 * 13);
    pgopt_heap_free(block);
  }
  CHECK_EQ_I64(pgopt_heap_blocks(heap), 0);
  CHECK(!pgopt_heap_calloc(SIZE_MAX / 2, 3));
  pgopt_heap_enter(NULL);
  pgopt_heap_destroy(heap);
}

static void impossible_requests_are_null(void) {
  CHECK(!pgopt_heap_aligned_alloc(24, 8));
  CHECK(!pgopt_heap_malloc(SIZE_MAX));
  CHECK(!pgopt_heap_malloc(SIZE_MAX - 100));
}

/// Checked by the sanitizer: freed once, and not leaked.
static void foreign_blocks_go_to_the_library(void) {
  char *foreign = strdup("text");
  CHECK(foreign != NULL);
  pgopt_heap_free(foreign);
}

static void *free_block(void *block) {
  pgopt_heap_free(block);
  return NULL;
}

static void another_thread_may_free(void) {
  pgopt_heap *heap = pgopt_heap_create();
  pgopt_heap_enter(heap);
  void *blocks[3];
  for (int i = 0; i < 3; ++i)
    blocks[i] = pgopt_heap_malloc(8);
  pgopt_heap_enter(NULL);
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, free_block, blocks[1]));
  pthread_join(thread, NULL);
  pgopt_heap_clear(heap);
  pgopt_heap_destroy(heap);
  void *outside = pgopt_heap_malloc(8);
  CHECK(outside != NULL);
  pgopt_heap_free(outside);
}

int main(void) {
  blocks_are_aligned_and_separate();
  calloc_clears();
  impossible_requests_are_null();
  foreign_blocks_go_to_the_library();
  another_thread_may_free();
  return check_result();
}
