/// \file Traps: which kernel of which core ended the process.
///
/// The kernel is the one whose code the thread was in, or the
/// innermost one on its stack when it was in a library that the kernel calls.
/// The table of kernels is replaced as a whole, so that a handler on another
/// thread sees the old or the new one; the last table but one is freed.
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/guard.h"
#include "runtime/launch_cores.h"

typedef struct code {
  const void *owner;
  pgopt_rt_code kernel; ///< its name belongs to the entry
} code;

typedef struct code_table {
  size_t count;
  code entries[];
} code_table;

static _Atomic(code_table *) current_table; ///< written under the guard
static code_table *previous_table;          ///< under the guard

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction old_actions[SIGNALS];

static code_table *new_table(size_t count) {
  return pgopt_allocate(1, sizeof(code_table) + count * sizeof(code));
}

/// The guard is held.
static void publish(code_table *table) {
  code_table *old = atomic_load(&current_table);
  atomic_store(&current_table, table);
  free(previous_table);
  previous_table = old;
}

void pgopt_rt_add_code(const void *owner, const pgopt_rt_code *kernels,
                       int64_t count) {
  pgopt_guard_lock();
  const code_table *old = atomic_load(&current_table);
  size_t before = old ? old->count : 0;
  code_table *table = new_table(before + (size_t)count);
  if (before)
    memcpy(table->entries, old->entries, before * sizeof(code));
  for (int64_t i = 0; i < count; ++i) {
    code *entry = &table->entries[before + (size_t)i];
    *entry = (code){owner, kernels[i]};
    entry->kernel.name =
        pgopt_duplicate(kernels[i].name, strlen(kernels[i].name) + 1);
  }
  table->count = before + (size_t)count;
  publish(table);
  pgopt_guard_unlock();
}

void pgopt_rt_remove_code(const void *owner) {
  pgopt_guard_lock();
  code_table *old = atomic_load(&current_table);
  size_t before = old ? old->count : 0;
  code_table *table = new_table(before);
  for (size_t i = 0; i < before; ++i)
    if (old->entries[i].owner != owner)
      table->entries[table->count++] = old->entries[i];
  publish(table);
  for (size_t i = 0; i < before; ++i)
    if (old->entries[i].owner == owner)
      free((char *)old->entries[i].kernel.name);
  pgopt_guard_unlock();
}

/// The kernel that has this address in its code, or null. Of two that may
/// hold it, it is in the one that begins later.
static const char *find_kernel(const code_table *table, uintptr_t address) {
  const pgopt_rt_code *found = NULL;
  for (size_t i = 0; table && i < table->count; ++i) {
    const pgopt_rt_code *kernel = &table->entries[i].kernel;
    uintptr_t begin = (uintptr_t)kernel->address;
    if (address >= begin && address - begin < (uintptr_t)kernel->bytes &&
        (!found || begin > (uintptr_t)found->address))
      found = kernel;
  }
  return found ? found->name : NULL;
}

/// The innermost kernel whose code is returned to, as far as `end`.
__attribute__((no_sanitize("address"))) static const char *
find_caller(const code_table *table, uintptr_t stack, uintptr_t end) {
  const char *kernel = NULL;
  for (; stack && stack + sizeof stack <= end && !kernel; stack += sizeof stack)
    kernel = find_kernel(table, *(const uintptr_t *)stack);
  return kernel;
}

static void read_context(const ucontext_t *context, uintptr_t *code_address,
                         uintptr_t *stack) {
#if defined(__x86_64__)
  *code_address = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  *stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  *code_address = context->uc_mcontext.pc;
  *stack = context->uc_mcontext.sp;
#else
  (void)context;
  *code_address = *stack = 0;
#endif
}

/// Prints what is known, and leaves the rest to whoever handled the signal
/// before: the instruction is repeated, or the signal is raised again.
static void on_trap(int number, siginfo_t *info, void *context) {
  uintptr_t code_address, stack;
  read_context(context, &code_address, &stack);
  const void *end;
  int64_t core = pgopt_launch_core(&end);
  const code_table *table = atomic_load(&current_table);
  const char *kernel = find_kernel(table, code_address);
  if (!kernel)
    kernel = find_caller(table, stack, (uintptr_t)end);
  // Numbers and names need neither memory nor locks.
  char text[512], where[32] = "";
  if (core >= 0)
    snprintf(where, sizeof where, " on core %lld", (long long)core);
  int length = snprintf(text, sizeof text, "pgopt: %s%s%s trapped: SIG%s\n",
                        kernel ? "kernel " : "the program",
                        kernel ? kernel : "", where, sigabbrev_np(number));
  size_t bytes = (size_t)length < sizeof text ? (size_t)length : sizeof text;
  if ((kernel || core >= 0) && write(STDERR_FILENO, text, bytes) < 0)
    _exit(128 + number);
  for (size_t i = 0; i < SIGNALS; ++i)
    if (signals[i] == number)
      sigaction(number, &old_actions[i], NULL);
  if (info->si_code <= 0) // sent by somebody, not by an instruction
    raise(number);
}

void pgopt_rt_report_traps(void) {
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < SIGNALS; ++i) {
    struct sigaction old;
    if (!sigaction(signals[i], &action, &old) && old.sa_sigaction != on_trap)
      old_actions[i] = old;
  }
}
