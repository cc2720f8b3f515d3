/// \file The runtime that lowered programs call, usable from any C program.
///
/// A program (one lowered module) has an entry that runs its kernels in
/// sequence, or launches one function a core on persistent pinned workers. The
/// functions of one launch synchronise through progress counters: core k raises
/// its counter when others need what it finished; another core waits until the
/// counter reaches a value. Each counter has a cache line of its own.
///
/// Thread safety: every function may be called from several threads at once.
/// Memory handed out for a program belongs to the calling thread and lives
/// until `pgopt_rt_program_release` or the end of the thread. A forked child
/// may use everything, except what was going on at the fork: its first launch
/// starts new workers.
///
/// A call that breaks a rule written here ends the process with a message:
/// lowered programs have nobody to return an error to.
#ifndef PGOPT_RUNTIME_H
#define PGOPT_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this interface, for programs that load the library at run time.
#define PGOPT_RUNTIME_ABI 1

/// The functions of one launch, told apart by `core`; `frame` holds the
/// launch's arguments.
typedef void (*pgopt_rt_core_function)(void *frame, int64_t core);

/// Runs `function(frame, k)` for k = 0 .. cores-1, each on a thread of its own,
/// and returns when all have returned; what they wrote is visible then. Core 0
/// is the caller's thread, which is not pinned. The others are workers that
/// stay for later launches, pinned round robin to the CPUs that the process was
/// allowed when the library was loaded, beginning behind the caller's CPU.
/// `cores` may exceed the CPUs (1 to 65536). Launches from several threads do
/// not block one another for ever: the cores of one launch are queued at once,
/// in one order on every worker. Not from inside a launch.
void pgopt_rt_launch(pgopt_rt_core_function function, void *frame,
                     int64_t cores);

/// Inside a launch: raises the calling core's counter to `value` (release
/// order). Values grow from 1; the counter is 0 when the launch begins.
void pgopt_rt_signal(int64_t value);

/// Inside a launch: returns once core `core`'s counter is at least `value`
/// (acquire order). Spins briefly, then sleeps. Waiting for a core that has
/// returned below the value, or for oneself, ends the process.
void pgopt_rt_wait(int64_t core, int64_t value);

/// A request to end runs early. Zero-initialised: none. Any number of runs may
/// share one; it stays until they are over, and may be used again then.
typedef struct pgopt_rt_cancellation {
  int64_t is_requested; ///< set by pgopt_rt_cancel, cleared by its owner
} pgopt_rt_cancellation;

/// Calls `run(argument)`, which may be a program's entry: launches that it
/// makes on this thread end early when it is requested. A core leaves its
/// function at the next signal or wait, at once when it sleeps for one that has
/// left, and the launch returns when all cores have: the workers are free for
/// others, and what the launch needed is freed. A core's function that holds
/// something across a signal or wait would lose it; those of lowered programs
/// do not. A program's arena stays until it is released, as always, for its
/// next run. \returns 1 when a launch did not come to its end: what the program
/// computed
///   is not to be used then; 0 when all did, whatever was requested.
int64_t pgopt_rt_run_cancellable(void (*run)(void *argument), void *argument,
                                 pgopt_rt_cancellation *cancellation);

/// Requests that the runs end. From any thread, and from a signal handler.
void pgopt_rt_cancel(pgopt_rt_cancellation *cancellation);

/// Storage of one program: its buffers, one arena of `bytes` a calling thread,
/// 64-byte aligned, allocated at the first call and the same memory at every
/// later one; not cleared. `program` is the address of any object that the
/// program owns, `bytes` the same at every call: another number means another
/// program at the address of one that is gone, and replaces its arena.
void *pgopt_rt_arena(const void *program, int64_t bytes);

/// Scratch of the calling thread, 64-byte aligned, at least `bytes` long, not
/// cleared; valid until the next call from the same thread.
void *pgopt_rt_scratch(int64_t bytes);

/// Fills the memory at `block` from the parameters whose addresses are given,
/// in the program's own order.
typedef void (*pgopt_rt_prepare_function)(const void *const *parameters,
                                          void *block);

/// Memory of `bytes` that `prepare` has filled from these `count` parameters,
/// 64-byte aligned, to be read only. It is filled once a program and set of
/// addresses, by the thread that asks first while others wait, and shared: what
/// lies behind a parameter's address must not change between calls of the
/// program, or `pgopt_rt_prepare_again` must be called. Valid until the calling
/// thread's next call of the program; a program has at most a few blocks that
/// no thread used last.
const void *pgopt_rt_prepared(const void *program,
                              pgopt_rt_prepare_function prepare,
                              const void *const *parameters, int64_t count,
                              int64_t bytes);

/// Forgets what was prepared for the program, so that its next call does it
/// anew. No call of the program may run.
void pgopt_rt_prepare_again(const void *program);

/// Frees every thread's arena of the program and what was prepared for it. No
/// call of the program may run.
void pgopt_rt_program_release(const void *program);

/// C[m x n] = A[m x k] * B[k x n] + beta * C, row-major, by OpenBLAS.
/// `transpose_a` != 0: A is stored k x m with leading dimension `lda`, and so
/// for B. One thread inside workers. Sizes may be 0 (k = 0: C = beta * C) and
/// must fit an int; beta = 0 ignores what C holds.
void pgopt_rt_gemm_f32(int64_t transpose_a, int64_t transpose_b, int64_t m,
                       int64_t n, int64_t k, const float *a, int64_t lda,
                       const float *b, int64_t ldb, float beta, float *c,
                       int64_t ldc);
void pgopt_rt_gemm_f64(int64_t transpose_a, int64_t transpose_b, int64_t m,
                       int64_t n, int64_t k, const double *a, int64_t lda,
                       const double *b, int64_t ldb, double beta, double *c,
                       int64_t ldc);

/// Copies a strided box of `rank` dimensions (outermost first, 1 <= rank <= 16)
/// of elements of `element_bytes` (1, 2, 4 or 8) into contiguous memory at
/// `destination`, row-major. Strides count elements, may be 0 or negative and
/// may make the box overlap itself, as the windows of a convolution do. Source
/// and destination are aligned to their elements and do not overlap.
void pgopt_rt_gather(int64_t rank, const int64_t *extents,
                     const int64_t *strides, int64_t element_bytes,
                     const void *source, void *destination);

/// The same from an array with zeros around it that are not stored. The box
/// begins at element `first` of the source, which need not be inside of it. A
/// bound (up to 8) is `rank` + 2 numbers: index of the box's begin in one
/// dimension of the array, that dimension's extent, and by how much (>= 0) each
/// of the box's dimensions moves in it. Elements whose index is outside of
/// [0, extent) are not read; 0 is written for them.
void pgopt_rt_gather_padded(int64_t rank, const int64_t *extents,
                            const int64_t *strides, int64_t element_bytes,
                            const void *source, int64_t first,
                            void *destination, int64_t bound_count,
                            const int64_t *bounds);

/// Address of a parameter's data inside the safetensors file at `path`, mapped
/// once a process and shared. The process ends with a message when the file is
/// not valid, has no tensor of that name, or one of another size.
const void *pgopt_rt_parameter(const char *path, const char *name,
                               int64_t bytes);

/// Number of threads OpenBLAS may use for programs that run in sequence, 1 at
/// start; a setting of the process. Not while a program runs. A launch of more
/// than one core sets it to 1 again.
void pgopt_rt_set_blas_threads(int64_t count);

/// Name, version and kernels of the BLAS library; a constant text.
const char *pgopt_rt_blas_name(void);

/// Timers of an instrumented program: `pgopt_rt_mark(i)` records now as the end
/// of kernel i (0-based) and the begin of the next; `pgopt_rt_mark(-1)` starts
/// a run. Marks of one run come from one thread; several threads may run at
/// once. Without a reset, or for kernels beyond its number, nothing is
/// recorded. Reset while no instrumented program runs; it forgets all runs.
/// Reads return the number of runs begun since, and the sample (run, kernel) in
/// nanoseconds, -1 when the kernel was not reached or there is no such run.
void pgopt_rt_mark(int64_t kernel);
void pgopt_rt_timers_reset(int64_t kernels);
int64_t pgopt_rt_timers_runs(void);
int64_t pgopt_rt_timers_sample(int64_t run, int64_t kernel);

/// Where an instrumented program is, for another process that shares the
/// memory: each mark writes it. `kernel` is the kernel that runs (0-based, the
/// number of kernels behind the last one) since `since_ns` (monotonic clock).
/// `samples[i]` gets the nanoseconds of kernel i, at least 1. When the thread
/// lost its CPU meanwhile it gets the negative of the time without what was
/// lost. `last_words` says why the runtime ended the process, or what a program
/// asked for in vain before it crashed.
typedef struct pgopt_rt_watch {
  int64_t kernels;  ///< of `samples`
  int64_t *samples; ///< of the run in progress
  int64_t kernel, since_ns;
  int64_t asked_ns, cpu_ns; ///< the runtime's own
  char last_words[120];
} pgopt_rt_watch;

/// Watches the programs of one thread at a time; null: no more. Set again, it
/// forgets that the thread lost its CPU until now.
void pgopt_rt_set_watch(pgopt_rt_watch *watch);

/// Tells the watch, if there is one, that so much memory could not be had.
void pgopt_rt_out_of_memory(int64_t bytes);

/// Spans of scheduled runs: between trace start and stop every call is recorded
/// with the time, from any thread and without allocating; else it returns at
/// once.
void pgopt_rt_span(int64_t core, int64_t slot, int64_t is_begin);
typedef struct pgopt_rt_event {
  int64_t core, slot, is_begin, time_ns;
} pgopt_rt_event;
void pgopt_rt_trace_start(int64_t capacity);
/// Stops and returns how many events were recorded (those beyond the capacity
/// are counted but not stored); those of one thread are in order of time.
/// `events` stays valid until the next start.
int64_t pgopt_rt_trace_stop(const pgopt_rt_event **events);

/// A kernel of a program that is loaded.
typedef struct pgopt_rt_code {
  const char *name;
  const void *address;
  int64_t bytes; ///< its code ends at most so far behind the address
} pgopt_rt_code;

/// Makes kernels known to `pgopt_rt_report_traps`; copies their names.
/// `owner` is any address of the program's own.
void pgopt_rt_add_code(const void *owner, const pgopt_rt_code *kernels,
                       int64_t count);
/// To be called before the code is unloaded.
void pgopt_rt_remove_code(const void *owner);

/// From now on a kernel that traps (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT)
/// is named on stderr, and the core of the launch. What handled the signal
/// before then handles it: without handlers the process ends by it.
void pgopt_rt_report_traps(void);

/// Smallest and largest of the one-way latencies, in nanoseconds, that a
/// ping-pong of one cache line between pairs of allowed CPUs (at most 8) shows:
/// the median of each pair. Takes about `budget_ms` (15 is enough) on threads
/// of its own. With one CPU both are 0.
void pgopt_rt_measure_latency(int64_t budget_ms, double *smallest_ns,
                              double *largest_ns);

/// How long a signal between two cores of a launch takes now, in nanoseconds,
/// by a ping-pong of 40 round trips between the calling thread and a worker.
/// INT64_MAX: they did not meet within 1 ms, or there is one CPU. What is
/// measured counts for a second, for all threads; while one measures anew,
/// others get what was known before (at first INT64_MAX). Not from inside a
/// launch.
int64_t pgopt_rt_core_latency(void);

/// Rate of f32 multiply-adds in registers, in GFLOP/s (2 a multiply-add), on
/// the calling thread's CPU with its widest vectors: the best of what about
/// `budget_ms` shows.
double pgopt_rt_measure_peak_gflops(int64_t budget_ms);

/// CPUs this process may use: in its affinity mask and within its cgroup's
/// quota, rounded down, at least 1. `physical` != 0 counts cores, else CPUs.
int64_t pgopt_rt_cpu_count(int64_t physical);

/// Monotonic clock in nanoseconds.
int64_t pgopt_rt_now_ns(void);

#ifdef __cplusplus
}
#endif

#endif // PGOPT_RUNTIME_H
