/// \file Timers of instrumented programs, and the trace.
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "pgopt/runtime.h"

enum { PAUSE_NS = 2000000, SPAN_THREADS = 4, SPANS = 500 };

static void pause_for(int64_t ns) {
  int64_t begin = pgopt_rt_now_ns();
  while (pgopt_rt_now_ns() - begin < ns)
    ;
}

static void test_clock_grows(void) {
  int64_t before = pgopt_rt_now_ns();
  for (int i = 0; i < 1000; ++i) {
    int64_t now = pgopt_rt_now_ns();
    CHECK(now >= before);
    before = now;
  }
}

static void test_nothing_without_reset(void) {
  pgopt_rt_mark(-1);
  pgopt_rt_mark(0);
  CHECK_EQ_I64(pgopt_rt_timers_runs(), 0);
  CHECK_EQ_I64(pgopt_rt_timers_sample(0, 0), -1);
}

static void test_samples_last_as_long_as_kernels(void) {
  pgopt_rt_timers_reset(3);
  for (int run = 0; run < 5; ++run) {
    pgopt_rt_mark(-1);
    pgopt_rt_mark(0);
    pause_for(PAUSE_NS);
    pgopt_rt_mark(1);
    pgopt_rt_mark(7); // beyond the kernels: ignored
  }
  CHECK_EQ_I64(pgopt_rt_timers_runs(), 5);
  for (int run = 0; run < 5; ++run) {
    CHECK(pgopt_rt_timers_sample(run, 0) >= 0);
    CHECK(pgopt_rt_timers_sample(run, 1) >= PAUSE_NS);
    CHECK_EQ_I64(pgopt_rt_timers_sample(run, 2), -1);
  }
  CHECK_EQ_I64(pgopt_rt_timers_sample(5, 0), -1);
  CHECK_EQ_I64(pgopt_rt_timers_sample(-1, 0), -1);
  CHECK_EQ_I64(pgopt_rt_timers_sample(0, 3), -1);
  pgopt_rt_timers_reset(2);
  CHECK_EQ_I64(pgopt_rt_timers_runs(), 0);
  pgopt_rt_mark(0); // the run before was forgotten
  CHECK_EQ_I64(pgopt_rt_timers_runs(), 0);
  pgopt_rt_timers_reset(0);
}

static void *run_marks(void *argument) {
  (void)argument;
  for (int run = 0; run < 100; ++run) {
    pgopt_rt_mark(-1);
    for (int kernel = 0; kernel < 7; ++kernel)
      pgopt_rt_mark(kernel);
  }
  return NULL;
}

static void test_runs_of_several_threads(void) {
  pgopt_rt_timers_reset(7);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    CHECK(!pthread_create(&threads[i], NULL, run_marks, NULL));
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  CHECK_EQ_I64(pgopt_rt_timers_runs(), 3 * 100);
  for (int64_t run = 0; run < 300; ++run)
    for (int64_t kernel = 0; kernel < 7; ++kernel)
      CHECK(pgopt_rt_timers_sample(run, kernel) >= 0);
  pgopt_rt_timers_reset(0);
}

static void *run_spans(void *argument) {
  int64_t core = *(int64_t *)argument;
  for (int64_t slot = 0; slot < SPANS; ++slot) {
    pgopt_rt_span(core, slot, 1);
    pgopt_rt_span(core, slot, 0);
  }
  return NULL;
}

static void run_span_threads(void) {
  pthread_t threads[SPAN_THREADS];
  int64_t cores[SPAN_THREADS];
  for (int64_t i = 0; i < SPAN_THREADS; ++i) {
    cores[i] = i;
    CHECK(!pthread_create(&threads[i], NULL, run_spans, &cores[i]));
  }
  for (int i = 0; i < SPAN_THREADS; ++i)
    pthread_join(threads[i], NULL);
}

static void test_every_span_is_there_in_order(void) {
  enum { EVENTS = 2 * SPAN_THREADS * SPANS };
  const pgopt_rt_event *events;
  pgopt_rt_span(0, 0, 1); // not recording
  pgopt_rt_trace_start(EVENTS + 100);
  run_span_threads();
  int64_t count = pgopt_rt_trace_stop(&events);
  CHECK_EQ_I64(count, EVENTS);
  int64_t next[SPAN_THREADS] = {0}, last_ns[SPAN_THREADS] = {0}, wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    const pgopt_rt_event *e = &events[i];
    if (!CHECK(e->core >= 0 && e->core < SPAN_THREADS))
      return;
    wrong += e->slot != next[e->core] / 2;
    wrong += e->is_begin != !(next[e->core] % 2);
    wrong += e->time_ns < last_ns[e->core];
    last_ns[e->core] = e->time_ns;
    ++next[e->core];
  }
  CHECK_EQ_I64(wrong, 0);
  pgopt_rt_span(0, 0, 1);
  CHECK_EQ_I64(pgopt_rt_trace_stop(&events), 0); // stopped already
}

static void test_full_trace_counts_on(void) {
  const pgopt_rt_event *events;
  pgopt_rt_trace_start(10);
  run_span_threads();
  CHECK_EQ_I64(pgopt_rt_trace_stop(&events), 2 * SPAN_THREADS * SPANS);
  for (int i = 0; i < 10; ++i)
    CHECK(events[i].core >= 0 && events[i].core < SPAN_THREADS);
  pgopt_rt_trace_start(0);
  pgopt_rt_span(1, 2, 1);
  CHECK_EQ_I64(pgopt_rt_trace_stop(&events), 1);
}

static void *restart_traces(void *argument) {
  (void)argument;
  const pgopt_rt_event *events;
  for (int i = 0; i < 200; ++i) {
    pgopt_rt_trace_start(i);
    pgopt_rt_trace_stop(&events);
  }
  return NULL;
}

/// Starting and stopping while others record is safe.
static void test_restarts_while_recording(void) {
  pthread_t restarter;
  CHECK(!pthread_create(&restarter, NULL, restart_traces, NULL));
  run_span_threads();
  pthread_join(restarter, NULL);
}

int main(void) {
  test_clock_grows();
  test_nothing_without_reset();
  test_samples_last_as_long_as_kernels();
  test_runs_of_several_threads();
  test_every_span_is_there_in_order();
  test_full_trace_counts_on();
  test_restarts_while_recording();
  return check_result();
}
