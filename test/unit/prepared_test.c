/// \file Prepared parameters of programs.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "death.h"
#include "pgopt/runtime.h"

enum { COUNT = 211 };

static const char first_program, second_program, third_program;
static _Atomic int64_t prepared;

/// The block is twice the first parameter, then the negative of the second.
static void prepare(const void *const *parameters, void *block) {
  const float *a = parameters[0], *b = parameters[1];
  float *target = block;
  for (int i = 0; i < COUNT; ++i) {
    target[i] = 2 * a[i];
    target[COUNT + i] = -b[i];
  }
  atomic_fetch_add(&prepared, 1);
}

static const float *get(const void *program, const float *a, const float *b) {
  const void *parameters[] = {a, b};
  return pgopt_rt_prepared(program, prepare, parameters, 2,
                           2 * COUNT * sizeof(float));
}

static bool is_prepared(const float *block, const float *a, const float *b) {
  bool right = (uintptr_t)block % 64 == 0;
  for (int i = 0; i < COUNT; ++i)
    right &= block[i] == 2 * a[i] && block[COUNT + i] == -b[i];
  return right;
}

static void fill(float *values, int seed) {
  for (int i = 0; i < COUNT; ++i)
    values[i] = (float)(seed * 1000 + i);
}

static void test_once_a_set_of_addresses(void) {
  float a[COUNT], b[COUNT], c[COUNT];
  fill(a, 1);
  fill(b, 2);
  fill(c, 3);
  prepared = 0;
  const float *ab = get(&first_program, a, b);
  CHECK(is_prepared(ab, a, b));
  CHECK(get(&first_program, a, b) == ab);
  CHECK_EQ_I64(prepared, 1);
  const float *ac = get(&first_program, a, c);
  CHECK(ac != ab && is_prepared(ac, a, c));
  CHECK(get(&first_program, a, b) == ab);
  CHECK(is_prepared(ab, a, b));
  CHECK_EQ_I64(prepared, 2);
  CHECK(is_prepared(get(&second_program, a, b), a, b));
  CHECK(get(&first_program, a, b) == ab);
  CHECK_EQ_I64(prepared, 3);
  pgopt_rt_program_release(&second_program);
  CHECK(get(&first_program, a, b) == ab);
  CHECK_EQ_I64(prepared, 3);
  CHECK(is_prepared(get(&second_program, a, b), a, b));
  CHECK_EQ_I64(prepared, 4);
}

static void test_again_when_contents_change(void) {
  float a[COUNT], b[COUNT];
  fill(a, 4);
  fill(b, 5);
  CHECK(is_prepared(get(&first_program, a, b), a, b));
  fill(b, 6);
  CHECK(!is_prepared(get(&first_program, a, b), a, b));
  pgopt_rt_prepare_again(&first_program);
  CHECK(is_prepared(get(&first_program, a, b), a, b));
  pgopt_rt_prepare_again(&third_program); // nothing is left: no harm
}

/// Only the last few sets are kept.
static void test_many_sets(void) {
  enum { SETS = 40 };
  static float a[SETS][COUNT];
  for (int i = 0; i < SETS; ++i)
    fill(a[i], i);
  prepared = 0;
  for (int i = 0; i < SETS; ++i)
    CHECK(is_prepared(get(&first_program, a[i], a[0]), a[i], a[0]));
  CHECK_EQ_I64(prepared, SETS);
  CHECK(is_prepared(get(&first_program, a[SETS - 2], a[0]), a[SETS - 2], a[0]));
  CHECK_EQ_I64(prepared, SETS);
  CHECK(is_prepared(get(&first_program, a[0], a[0]), a[0], a[0]));
  CHECK_EQ_I64(prepared, SETS + 1);
}

enum { SETS = 7, CALLERS = 6, ROUNDS = 300 };
static float sets[SETS][COUNT];

/// Callers that mostly use the same parameters, and sometimes others; one
/// program is released all the time.
static void *call(void *argument) {
  const int *id = argument;
  int64_t wrong = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    int set = round % 5 ? 0 : (round + *id) % SETS;
    wrong += !is_prepared(get(&first_program, sets[set], sets[1]), sets[set],
                          sets[1]);
    wrong += !is_prepared(get(&second_program, sets[*id], sets[0]), sets[*id],
                          sets[0]);
    if (*id == 0) {
      wrong += !is_prepared(get(&third_program, sets[set], sets[set]),
                            sets[set], sets[set]);
      pgopt_rt_program_release(&third_program);
    }
  }
  return wrong ? argument : NULL;
}

static void test_callers(void) {
  pthread_t threads[CALLERS];
  int ids[CALLERS];
  for (int i = 0; i < SETS; ++i)
    fill(sets[i], i);
  for (int i = 0; i < CALLERS; ++i) {
    ids[i] = i;
    CHECK(!pthread_create(&threads[i], NULL, call, &ids[i]));
  }
  for (int i = 0; i < CALLERS; ++i) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    CHECK(!wrong);
  }
}

/// All callers ask for a set that is new: one of them prepares it.
static pthread_barrier_t barrier;
static void *meet(void *argument) {
  pthread_barrier_wait(&barrier);
  const float *block = get(&third_program, argument, argument);
  return is_prepared(block, argument, argument) ? (void *)block : NULL;
}

static void test_callers_meet(void) {
  pthread_t threads[CALLERS];
  void *first = NULL, *block;
  pthread_barrier_init(&barrier, NULL, CALLERS);
  prepared = 0;
  for (int i = 0; i < CALLERS; ++i)
    CHECK(!pthread_create(&threads[i], NULL, meet, sets[2]));
  for (int i = 0; i < CALLERS; ++i) {
    pthread_join(threads[i], &block);
    first = i ? first : block;
    CHECK(block && block == first);
  }
  CHECK_EQ_I64(prepared, 1);
  pthread_barrier_destroy(&barrier);
  pgopt_rt_program_release(&third_program);
}

static void test_fork(void) {
  const float *block = get(&first_program, sets[3], sets[4]);
  pid_t child = fork();
  if (!child)
    _exit(!(
        get(&first_program, sets[3], sets[4]) == block &&
        is_prepared(get(&first_program, sets[4], sets[5]), sets[4], sets[5])));
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ_I64(status, 0);
}

static void die_null(void) { get(NULL, sets[0], sets[0]); }
static void die_negative(void) {
  pgopt_rt_prepared(&first_program, prepare, NULL, 0, -3);
}

int main(void) {
  CHECK_DIES(die_null, "prepared parameters of a null program");
  CHECK_DIES(die_negative, "prepared parameters of -3 bytes");
  test_once_a_set_of_addresses();
  test_again_when_contents_change();
  test_many_sets();
  test_callers();
  test_callers_meet();
  test_fork();
  pgopt_rt_program_release(&first_program);
  pgopt_rt_program_release(&second_program);
  return check_result();
}
