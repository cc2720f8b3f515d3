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
/// until `pgopt_rt_program_release` or the end of the thread.
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
/// and returns when all have returned. Core 0 is the caller's thread. Launches
/// from several threads do not block one another for ever: the cores of one
/// launch are queued at once, in one order on every worker. `cores` >= 1.
void pgopt_rt_launch(pgopt_rt_core_function function, void *frame,
                     int64_t cores);

/// Inside a launch: raises the calling core's counter to `value` (release
/// order). Values grow from 1; the counter is 0 when the launch begins.
void pgopt_rt_signal(int64_t value);

/// Inside a launch: returns once core `core`'s counter is at least `value`
/// (acquire order). Spins briefly, then sleeps.
void pgopt_rt_wait(int64_t core, int64_t value);

/// Storage of one program: its buffers, one arena of `bytes` a calling thread,
/// 64-byte aligned, allocated at the first call and the same memory at every
/// later one. `program` is the address of any object that the program owns.
void *pgopt_rt_arena(const void *program, int64_t bytes);

/// Scratch of the calling thread, 64-byte aligned, at least `bytes` long; valid
/// until the next call from the same thread.
void *pgopt_rt_scratch(int64_t bytes);

/// Frees every thread's arena of the program. No call of the program may run.
void pgopt_rt_program_release(const void *program);

/// C[m x n] = A[m x k] * B[k x n] + beta * C, row-major, by OpenBLAS.
/// `transpose_a` != 0: A is stored k x m with leading dimension `lda`, and so
/// for B. One thread inside workers.
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
/// `destination`, row-major. Strides count elements.
void pgopt_rt_gather(int64_t rank, const int64_t *extents,
                     const int64_t *strides, int64_t element_bytes,
                     const void *source, void *destination);

/// Address of a parameter's data inside the safetensors file at `path`, mapped
/// once a process and shared. The process ends with a message when the file is
/// not valid, has no tensor of that name, or one of another size.
const void *pgopt_rt_parameter(const char *path, const char *name,
                               int64_t bytes);

/// Number of threads OpenBLAS may use for programs that run in sequence, 1 at
/// start. Not while a program runs.
void pgopt_rt_set_blas_threads(int64_t count);

/// Timers of an instrumented program: `pgopt_rt_mark(i)` records now as the end
/// of kernel i (0-based) and the begin of the next; `pgopt_rt_mark(-1)` starts
/// a run. Marks of one run come from one thread. Reads return the number of
/// runs recorded since the reset; sample (run, kernel) in nanoseconds.
void pgopt_rt_mark(int64_t kernel);
void pgopt_rt_timers_reset(int64_t kernels);
int64_t pgopt_rt_timers_runs(void);
int64_t pgopt_rt_timers_sample(int64_t run, int64_t kernel);

/// Spans of scheduled runs: between trace start and stop every call is recorded
/// with the time; else it returns at once.
void pgopt_rt_span(int64_t core, int64_t slot, int64_t is_begin);
typedef struct pgopt_rt_event {
  int64_t core, slot, is_begin, time_ns;
} pgopt_rt_event;
void pgopt_rt_trace_start(int64_t capacity);
/// Stops and returns how many events were recorded (those beyond the capacity
/// are counted but not stored); `events` stays valid until the next start.
int64_t pgopt_rt_trace_stop(const pgopt_rt_event **events);

/// Smallest and largest of the one-way latencies, in nanoseconds, that a
/// ping-pong of one cache line between every pair of allowed CPUs (at most 8
/// pairs) shows; takes about `budget_ms`. With one CPU both are 0.
void pgopt_rt_measure_latency(int64_t budget_ms, double *smallest_ns,
                              double *largest_ns);

/// CPUs this process may use: in its affinity mask and within its cgroup's
/// quota, rounded down, at least 1. `physical` != 0 counts cores, else CPUs.
int64_t pgopt_rt_cpu_count(int64_t physical);

/// Monotonic clock in nanoseconds.
int64_t pgopt_rt_now_ns(void);

#ifdef __cplusplus
}
#endif

#endif // PGOPT_RUNTIME_H
