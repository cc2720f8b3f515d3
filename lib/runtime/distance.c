/// \file The distance between cores: how long it takes until one sees what
/// another has written.
///
/// A process is not told when its CPUs change their places, as virtual ones do,
/// or when others use them. So what programs ask for is measured again from
/// time to time, by the threads that run them.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "pgopt/runtime.h"
#include "runtime/cpus.h"
#include "runtime/pool.h"

enum { MAX_PAIRS = 8, BATCH_TURNS = 100, MAX_BATCHES = 4096, GAME_OVER = -1 };

/// The game between threads that run programs.
enum {
  SHORT_BATCHES = 5,
  SHORT_TURNS = 8,
  SHORT_LIMIT_NS = 1000 * 1000,
  KEPT_NS = 1000 * 1000 * 1000,
};

/// Two threads pass a number to and fro: the first makes it odd, the second
/// even. The first ends the game.
typedef struct game {
  _Alignas(128) _Atomic int64_t ball;
  _Alignas(128) int64_t budget_ns;
  int batches, turns;  ///< at most so many batches, of so many turns
  int64_t deadline_ns; ///< the game is lost then; 0: never
  double latency_ns;   ///< median of the batches; negative when not measured
} game;

/// Polls without pauses; a pause is as long as what is measured. Gives the CPU
/// away from time to time, in case the other thread needs this one.
static int64_t await_ball(game *g, int64_t value) {
  enum { BETWEEN_CLOCKS = 1000, BETWEEN_YIELDS = 100000 };
  for (int64_t polls = 1;; ++polls) {
    int64_t ball = atomic_load_explicit(&g->ball, memory_order_acquire);
    if (ball == value || ball == GAME_OVER)
      return ball;
    if (polls % BETWEEN_YIELDS == 0)
      sched_yield();
    if (g->deadline_ns && polls % BETWEEN_CLOCKS == 0 &&
        pgopt_rt_now_ns() > g->deadline_ns)
      return GAME_OVER;
  }
}

static void *second_player(void *argument) {
  game *g = argument;
  for (int64_t turn = 1; await_ball(g, turn) != GAME_OVER; turn += 2)
    atomic_store_explicit(&g->ball, turn + 1, memory_order_release);
  return NULL;
}

static int compare_times(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static void *first_player(void *argument) {
  game *g = argument;
  int64_t *times = malloc((size_t)g->batches * sizeof *times);
  int count = 0;
  int64_t turn = 0;
  int64_t begin = pgopt_rt_now_ns(), now = begin;
  bool is_lost = false;
  while (times && !is_lost && count < g->batches &&
         (count < 2 || now - begin < g->budget_ns)) {
    for (int i = 0; i < g->turns && !is_lost; ++i) {
      atomic_store_explicit(&g->ball, turn + 1, memory_order_release);
      turn += 2;
      is_lost = await_ball(g, turn) == GAME_OVER;
    }
    int64_t end = pgopt_rt_now_ns();
    times[count++] = end - now;
    now = end;
  }
  atomic_store_explicit(&g->ball, GAME_OVER, memory_order_release);
  // The first batch contains the start of the threads.
  if (count > 1 && !is_lost) {
    qsort(times + 1, (size_t)count - 1, sizeof *times, compare_times);
    int64_t median_ns = times[1 + (count - 1) / 2];
    g->latency_ns = (double)median_ns / (2.0 * g->turns);
  }
  free(times);
  return NULL;
}

/// Both players are threads of their own: the caller is not moved.
static double play(int first_cpu, int second_cpu, int64_t budget_ns) {
  game g = {.budget_ns = budget_ns,
            .batches = MAX_BATCHES,
            .turns = BATCH_TURNS,
            .latency_ns = -1};
  pthread_t first, second;
  if (pgopt_cpu_start_thread(second_cpu, second_player, &g, &second))
    return -1;
  if (pgopt_cpu_start_thread(first_cpu, first_player, &g, &first))
    atomic_store_explicit(&g.ball, GAME_OVER, memory_order_release);
  else
    pthread_join(first, NULL);
  pthread_join(second, NULL);
  return g.latency_ns;
}

void pgopt_rt_measure_latency(int64_t budget_ms, double *smallest_ns,
                              double *largest_ns) {
  *smallest_ns = *largest_ns = 0;
  pgopt_cpu_list list = pgopt_cpu_list_allowed();
  size_t n = list.count;
  // Few CPUs: every pair. Many: neighbours and pairs ever farther apart, since
  // numbers far from each other are likely to be on other dies and sockets.
  int pairs[MAX_PAIRS][2];
  int64_t count = 0;
  if (n * (n - 1) / 2 <= MAX_PAIRS) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j, ++count) {
        pairs[count][0] = list.ids[i];
        pairs[count][1] = list.ids[j];
      }
  } else {
    for (; count < MAX_PAIRS; ++count) {
      size_t away = 1 + (size_t)count * (n - 2) / (MAX_PAIRS - 1);
      size_t from = (size_t)count * n / MAX_PAIRS;
      pairs[count][0] = list.ids[from];
      pairs[count][1] = list.ids[(from + away) % n];
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    double latency =
        play(pairs[i][0], pairs[i][1], budget_ms * 1000000 / count);
    if (latency <= 0)
      continue;
    if (*smallest_ns == 0 || latency < *smallest_ns)
      *smallest_ns = latency;
    if (latency > *largest_ns)
      *largest_ns = latency;
  }
  free(list.ids);
}

static void play_short(void *argument, int64_t core) {
  if (core == 0)
    first_player(argument);
  else
    second_player(argument);
}

/// What the last game showed, and until when it counts; 0: there was none.
static _Atomic int64_t known_ns = INT64_MAX, known_until_ns;

int64_t pgopt_rt_core_latency(void) {
  int64_t now = pgopt_rt_now_ns();
  int64_t until = atomic_load_explicit(&known_until_ns, memory_order_acquire);
  // One thread plays, the others go on with what is known.
  if (now < until ||
      !atomic_compare_exchange_strong(&known_until_ns, &until, now + KEPT_NS))
    return atomic_load_explicit(&known_ns, memory_order_acquire);
  int64_t latency_ns = INT64_MAX;
  if (pgopt_pool_cpus() > 1) {
    game g = {.budget_ns = INT64_MAX,
              .batches = SHORT_BATCHES,
              .turns = SHORT_TURNS,
              .deadline_ns = now + SHORT_LIMIT_NS,
              .latency_ns = -1};
    pgopt_rt_launch(play_short, &g, 2);
    if (g.latency_ns >= 0)
      latency_ns = (int64_t)(g.latency_ns + 0.5);
  }
  atomic_store_explicit(&known_ns, latency_ns, memory_order_release);
  return latency_ns;
}
