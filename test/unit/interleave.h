/// \file Every interleaving of a few threads.
///
/// Threads are coroutines; each stops in front of every atomic operation. From
/// every state each thread that can go on goes on by one operation, and states
/// that were seen before are not entered again: a state is all memory the code
/// can reach, the live part of the stacks included. Operations happen one at a
/// time, in one order (sequential consistency).
#ifndef PGOPT_TEST_INTERLEAVE_H
#define PGOPT_TEST_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  INTERLEAVE_THREADS = 6,
  INTERLEAVE_STACK = 1 << 15,
  INTERLEAVE_HEAP = 1 << 12,
  INTERLEAVE_LOCALS = 3,
  NO_THREAD = -1
};

typedef enum thread_status {
  THREAD_FREE,   ///< not started
  THREAD_READY,  ///< can go on
  THREAD_LOCKED, ///< waits for the mutex
  THREAD_ASLEEP, ///< in the kernel, until somebody wakes `address`
  THREAD_JOINS,  ///< until the thread `joined` has ended
  THREAD_ENDED,
} thread_status;

typedef struct model_thread {
  thread_status status;
  const void *address;
  int joined;
  char *stack_from; ///< the live part of its stack begins here
  void *(*main)(void *);
  void *argument;
  void *local[INTERLEAVE_LOCALS]; ///< its thread-local variables while another
                                  ///< one runs
  void *resume[5]; ///< of __builtin_setjmp; the third is the stack pointer
} model_thread;

/// What belongs to a state, beside stacks and `watched` memory.
typedef struct model_world {
  model_thread threads[INTERLEAVE_THREADS];
  int mutex_owner;
  int sudden_wakes; ///< times that a thread may still wake without being woken
  size_t heap_used;
  _Alignas(128) char heap[INTERLEAVE_HEAP];
} model_world;

typedef struct model_memory {
  void *data;
  size_t bytes;
} model_memory;

/// What is wrong with the operations, to see that it is found.
typedef enum model_fault {
  FAULT_NONE,
  FAULT_TORN_EXCHANGE, ///< an exchange reads first and writes afterwards
  FAULT_LATE_LOOK,     ///< and another one looks at the word again
  FAULT_BLIND_SLEEP,   ///< a sleep does not compare
} model_fault;

typedef struct model_state {
  model_world world;
  void *explorer[5];
  int running; ///< NO_THREAD: the explorer
  model_fault fault;
  const char *failure;
  char failure_text[256];
  bool (*is_good_end)(void);
  /// The code's own variables: part of the state; `locals` are thread-local.
  model_memory watched[4], locals[INTERLEAVE_LOCALS];
  uint64_t *seen; ///< a hash table of states
  bool *is_open;  ///< per place: a state of the path that is being explored
  size_t seen_count, seen_capacity;
  size_t ends;
} model_state;

extern model_state model;

/// Gives the turn back to the explorer. Through a pointer that compilers cannot
/// follow: they must expect the callee to change every register that it may.
extern void (*volatile model_pause)(void);

/// Notes what is wrong; the thread never goes on.
void model_fail(const char *text);

/// To be called in front of every operation on `address`. That must not lie in
/// a part of a stack that its thread has left.
void model_step(const volatile void *address);

uint64_t model_exchange(_Atomic uint64_t *word, uint64_t value);
bool model_compare_exchange(_Atomic uint64_t *word, uint64_t *expected,
                            uint64_t desired);

/// Sleeps if the low half of the word still is that of `seen`.
void model_futex_wait(_Atomic uint64_t *word, uint64_t seen);
void model_futex_wake(const _Atomic uint64_t *word);

/// One mutex.
void model_lock(void);
void model_unlock(void);
void model_join(int thread);

/// Zeroed, at a multiple of 128; never used again once it is freed.
void *model_allocate(size_t bytes);

/// Begins a new model without threads. `watched` and `locals` are set by the
/// caller, who then starts threads and calls model_run.
/// \param states room for so many; more are a failure.
void model_begin(size_t states);

/// \returns the thread's number.
int model_start(void *(*start)(void *), void *argument);

/// \param is_good_end is asked where no thread can go on.
/// \returns what is wrong in some interleaving, null when nothing is.
const char *model_run(bool (*is_good_end)(void));

#endif // PGOPT_TEST_INTERLEAVE_H
