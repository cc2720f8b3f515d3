/// \file Arenas of programs and scratch of threads.
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "death.h"
#include "pgopt/runtime.h"

static const char first_program, second_program;

static void test_same_memory_at_every_call(void) {
  char *first = pgopt_rt_arena(&first_program, 1009);
  char *second = pgopt_rt_arena(&second_program, 13);
  CHECK((uintptr_t)first % 64 == 0 && (uintptr_t)second % 64 == 0);
  memset(first, 1, 1009);
  memset(second, 2, 13);
  CHECK(pgopt_rt_arena(&first_program, 1009) == first);
  CHECK(pgopt_rt_arena(&first_program, 1009) == first);
  CHECK(pgopt_rt_arena(&second_program, 13) == second);
  CHECK(first[0] == 1 && first[1008] == 1);
  CHECK(pgopt_rt_arena(&first_program, 0) != NULL);
}

static void test_large_memory(void) {
  enum { BYTES = 5 * 1024 * 1024 + 7 };
  char *large = pgopt_rt_arena(&first_program, BYTES);
  CHECK((uintptr_t)large % 64 == 0);
  large[0] = 3;
  large[BYTES - 1] = 4;
  CHECK(pgopt_rt_arena(&first_program, BYTES) == large);
  CHECK(large[0] == 3 && large[BYTES - 1] == 4);
}

static void test_release_and_begin_again(void) {
  for (int i = 1; i < 5; ++i) {
    char *memory = pgopt_rt_arena(&first_program, 997 * i);
    memset(memory, i, (size_t)(997 * i));
    CHECK(pgopt_rt_arena(&first_program, 997 * i) == memory);
    pgopt_rt_program_release(&first_program);
  }
  pgopt_rt_program_release(&first_program); // nothing is left: no harm
  pgopt_rt_program_release(NULL);
}

static void test_scratch_grows(void) {
  char *scratch = NULL;
  for (int64_t bytes = 0; bytes < 70000; bytes = bytes * 3 + 1) {
    scratch = pgopt_rt_scratch(bytes);
    CHECK(scratch && (uintptr_t)scratch % 64 == 0);
    memset(scratch, 7, (size_t)bytes);
  }
  CHECK(pgopt_rt_scratch(5) == scratch); // large enough: stays
}

/// Threads use both programs while the others do, and one program is released
/// and begun again all the time.
typedef struct user {
  int id;
  int64_t wrong;
} user;

static const char passing_program;

static void *use(void *argument) {
  user *self = argument;
  for (int round = 0; round < 200; ++round) {
    unsigned char *a = pgopt_rt_arena(&first_program, 401);
    memset(a, self->id, 401);
    unsigned char *b = pgopt_rt_arena(&second_program, 307);
    memset(b, self->id + 100, 307);
    unsigned char *s = pgopt_rt_scratch(round * 11);
    memset(s, self->id + 200, (size_t)round * 11);
    if (self->id == 0) {
      memset(pgopt_rt_arena(&passing_program, 211), 1, 211);
      pgopt_rt_program_release(&passing_program);
    }
    for (int i = 0; i < 401; ++i)
      self->wrong += a[i] != self->id;
    for (int i = 0; i < 307; ++i)
      self->wrong += b[i] != self->id + 100;
    for (int i = 0; i < round * 11; ++i)
      self->wrong += s[i] != self->id + 200;
    self->wrong += pgopt_rt_arena(&first_program, 401) != a;
  }
  return NULL;
}

static void test_threads_have_their_own(void) {
  enum { USERS = 5 };
  pthread_t threads[USERS];
  user users[USERS];
  for (int i = 0; i < USERS; ++i) {
    users[i] = (user){i, 0};
    CHECK(!pthread_create(&threads[i], NULL, use, &users[i]));
  }
  for (int i = 0; i < USERS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK_EQ_I64(users[i].wrong, 0);
  }
}

static void die_negative(void) { pgopt_rt_arena(&first_program, -1); }
static void die_scratch(void) { pgopt_rt_scratch(-5); }
static void die_null(void) { pgopt_rt_arena(NULL, 8); }

int main(void) {
  CHECK_DIES(die_negative, "arena of -1 bytes");
  CHECK_DIES(die_scratch, "scratch of -5 bytes");
  CHECK_DIES(die_null, "arena of a null program");
  test_same_memory_at_every_call();
  test_large_memory();
  test_release_and_begin_again();
  test_scratch_grows();
  test_threads_have_their_own();
  return check_result();
}
