/// \file Allocations, growing arrays and the arena.
#include "base/memory.h"
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_allocate(void) {
  unsigned char *bytes = pgopt_allocate(7, 13);
  bool zero = true;
  for (int i = 0; i < 7 * 13; ++i)
    zero = zero && !bytes[i];
  CHECK(zero);
  free(bytes);
  void *nothing = pgopt_allocate(0, 13);
  CHECK(nothing);
  free(nothing);
}

/// What the process that calls `pgopt_allocate(count, size)` ends with.
static int allocation_signal(size_t count, size_t size) {
  pid_t child = fork();
  if (!child) {
    if (!freopen("/dev/null", "w", stderr))
      _exit(1);
    free(pgopt_allocate(count, size));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_overflow(void) {
  CHECK_EQ_I64(allocation_signal(3, 5), 0);
  CHECK(allocation_signal(SIZE_MAX / 2, 3));
  CHECK(allocation_signal((size_t)PTRDIFF_MAX + 1, 1));
}

static void test_duplicate(void) {
  int numbers[] = {3, 5, 7};
  int *copy = pgopt_duplicate(numbers, sizeof numbers);
  numbers[1] = 0;
  CHECK_EQ_I64(copy[1], 5);
  free(copy);
  free(pgopt_duplicate(NULL, 0));
  char *text = pgopt_duplicate_text("");
  CHECK_EQ_TEXT(text, "");
  free(text);
}

static void test_append(void) {
  int64_t *items = NULL;
  size_t count = 0, capacity = 0;
  for (int64_t i = 0; i < 1009; ++i)
    PGOPT_APPEND(items, count, capacity, i * i);
  CHECK_EQ_I64(count, 1009);
  CHECK(capacity >= count && capacity < 4 * count);
  bool equal = true;
  for (int64_t i = 0; i < 1009; ++i)
    equal = equal && items[i] == i * i;
  CHECK(equal);
  size_t before = capacity;
  pgopt_reserve((void **)&items, &capacity, 11, sizeof *items);
  CHECK_EQ_I64(capacity, before);
  free(items);
}

static void test_arena(void) {
  pgopt_arena arena = {0};
  char *first = pgopt_arena_format(&arena, "%d x %d", 3, 5);
  /* More than one block, and one larger than a block. */
  for (size_t i = 1; i < 4000; i += 7) {
    unsigned char *bytes = pgopt_arena_allocate(&arena, i, 3);
    CHECK_EQ_I64((uintptr_t)bytes % _Alignof(max_align_t), 0);
    bool zero = true;
    for (size_t k = 0; k < 3 * i; ++k)
      zero = zero && !bytes[k];
    CHECK(zero);
    memset(bytes, 0xff, 3 * i);
  }
  unsigned char *large = pgopt_arena_allocate(&arena, 1, 200003);
  CHECK(!large[0] && !large[200002]);
  memset(large, 0xff, 200003);
  CHECK_EQ_TEXT(first, "3 x 5");
  CHECK_EQ_TEXT(pgopt_arena_text(&arena, "kernel", 3), "ker");
  CHECK_EQ_TEXT(pgopt_arena_text(&arena, NULL, 0), "");
  int numbers[] = {11, 13};
  int *copy = pgopt_arena_copy(&arena, numbers, sizeof numbers);
  CHECK_EQ_I64(copy[1], 13);
  pgopt_arena_free(&arena);
  CHECK(!arena.blocks);
  pgopt_arena_free(&arena);
}

int main(void) {
  test_allocate();
  test_overflow();
  test_duplicate();
  test_append();
  test_arena();
  return check_result();
}
