/// \file What is read about a machine, its key, and the measurements.
#include "machine/machine.h"
#include "machine/roofline.h"

#include "base/file.h"
#include "check.h"
#include "pgopt/runtime.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

static char root[64];

static void put(const char *name, const char *text) {
  char path[256];
  pgopt_error error;
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);
  }
  CHECK_EQ_I64(pgopt_file_write(path, text, strlen(text), &error), PGOPT_OK);
}

static void put_cache(int cpu, int index, const char *level, const char *type,
                      const char *size, const char *shared) {
  const struct {
    const char *name, *text;
  } files[] = {{"level", level},
               {"type", type},
               {"size", size},
               {"shared_cpu_list", shared}};
  for (int i = 0; i < 4; ++i) {
    char name[128];
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%d/cache/index%d/%s",
             cpu, index, files[i].name);
    put(name, files[i].text);
  }
}

static int first_cpu(void) {
  cpu_set_t set;
  CHECK(!sched_getaffinity(0, sizeof set, &set));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      return cpu;
  return 0;
}

static void check_describe(void) {
  pgopt_machine m;
  put("proc/cpuinfo", "processor\t: 0\n"
                      "model name\t: Some(R) CPU \001 @ 3.00GHz\n"
                      "flags\t\t: fpu avx512f avx2 avx_vnni sse4_2 fmax fma\n"
                      "model name\t: Another\n"
                      "flags\t\t: none\n");
  int cpu = first_cpu();
  put_cache(cpu, 0, "1\n", "Data\n", "48K\n", "0,64\n");
  put_cache(cpu, 1, "1\n", "Instruction\n", "32K\n", "0\n");
  put_cache(cpu, 2, "3\n", "Unified\n", "260M\n", "0-31,64-95\n");
  put_cache(cpu, 3, "2\n", "Unified\n", "2048K\n", "0,64\n");
  put_cache(cpu, 4, "4\n", "Unified\n", "nonsense\n", "9-1\n");
  pgopt_machine_describe(root, &m);
  CHECK_EQ_TEXT(m.cpu, "Some(R) CPU ? @ 3.00GHz");
  CHECK_EQ_TEXT(m.isa, "sse4_2 fma avx2 avx_vnni avx512f");
  CHECK_EQ_TEXT(m.blas, pgopt_rt_blas_name());
  CHECK_EQ_I64(m.cores, pgopt_rt_cpu_count(1));
  CHECK_EQ_I64(m.cpus, pgopt_rt_cpu_count(0));
  CHECK_EQ_I64(m.cache_count, 3);
  CHECK_EQ_I64(m.caches[0].bytes, 48 * 1024);
  CHECK_EQ_I64(m.caches[0].cpus, 2);
  CHECK_EQ_I64(m.caches[1].level, 2);
  CHECK_EQ_I64(m.caches[1].bytes, 2048 * 1024);
  CHECK_EQ_I64(m.caches[2].bytes, INT64_C(260) << 20);
  CHECK_EQ_I64(m.caches[2].cpus, 64);
  CHECK_EQ_I64(pgopt_machine_check(&m, NULL), PGOPT_OK);
  put("proc/cpuinfo", "isa\t: rv64imafdcv\nuarch\t: some,core\n");
  pgopt_machine_describe(root, &m);
  CHECK_EQ_TEXT(m.cpu, "some,core");
  CHECK_EQ_TEXT(m.isa, "rv64imafdcv");
  pgopt_machine_describe("/nonexistent", &m);
  CHECK_EQ_TEXT(m.cpu, "unknown");
  CHECK_EQ_I64(m.cache_count, 0);
  CHECK_EQ_I64(pgopt_machine_check(&m, NULL), PGOPT_OK);
}

/// What is measured is not part of the key; what makes Timing differ is.
static void check_key(void) {
  pgopt_machine a = {.cpu = "C", .isa = "avx", .blas = "B", .cores = 2};
  pgopt_machine b = a;
  pgopt_text first = {0}, second = {0};
  b.cpus = 4;
  b.peak_mflops = 5;
  b.date_s = 6;
  b.latency_max_ns = 7;
  pgopt_machine_key(&a, &first);
  pgopt_machine_key(&b, &second);
  CHECK_EQ_TEXT(first.data, "C; avx; 2 cores; B");
  CHECK_EQ_TEXT(second.data, first.data);
  b.cores = 1;
  pgopt_text_free(&second);
  pgopt_machine_key(&b, &second);
  CHECK_EQ_TEXT(second.data, "C; avx; 1 core; B");
  pgopt_text_free(&first);
  pgopt_text_free(&second);
}

static void check_widening(void) {
  pgopt_machine m = {.cores = 1, .latency_min_ns = 70, .latency_max_ns = 90};
  pgopt_machine other = {.peak_mflops = 8};
  pgopt_machine_merge(&m, &other); // measured nothing
  CHECK_EQ_I64(m.latency_min_ns, 70);
  CHECK_EQ_I64(m.latency_max_ns, 90);
  other.latency_min_ns = 80;
  other.latency_max_ns = 300;
  pgopt_machine_merge(&m, &other);
  CHECK_EQ_I64(m.latency_min_ns, 70);
  CHECK_EQ_I64(m.latency_max_ns, 300);
  other.latency_min_ns = 30;
  other.latency_max_ns = 40;
  other.peak_mflops = 7;
  pgopt_machine_merge(&m, &other);
  CHECK_EQ_I64(m.latency_min_ns, 30);
  CHECK_EQ_I64(m.latency_max_ns, 300);
  CHECK_EQ_I64(m.peak_mflops, 8);
}

/// Bounds that any machine of the last decade and the next keeps.
static void check_measure(void) {
  pgopt_machine m;
  pgopt_machine_describe("", &m);
  pgopt_machine_measure_cores(&m, 5);
  pgopt_machine_measure_rates(&m);
  CHECK_EQ_I64(pgopt_machine_check(&m, NULL), PGOPT_OK);
  CHECK(m.peak_mflops > 100 && m.peak_mflops < 10000000);
  CHECK(m.date_s > 1700000000);
  CHECK(m.rate_count >= 1);
  for (size_t i = 0; i < m.rate_count; ++i) {
    CHECK(m.rates[i].read_mb_s > 50 && m.rates[i].read_mb_s < 10000000);
    CHECK(m.rates[i].copy_mb_s > 50 && m.rates[i].copy_mb_s < 10000000);
  }
  if (m.cpus > 1)
    CHECK(m.latency_min_ns > 0 && m.latency_max_ns >= m.latency_min_ns);
}

static void check_plain_text(void) {
  CHECK(pgopt_text_is_plain("", 0));
  CHECK(pgopt_text_is_plain("abc", 3));
  CHECK(!pgopt_text_is_plain("abcd", 3));
  CHECK(pgopt_text_is_plain("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9));
  static const char *const bad[] = {"\n",
                                    "\x7F",
                                    "\x80",
                                    "\xC3",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xE0\x80\x80",
                                    "\xED\xA0\x80",
                                    "\xF0\x80\x80",
                                    "\xF5\x80\x80",
                                    "\xF4\x90\x80\x80",
                                    "\xE2\x82"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    CHECK(!pgopt_text_is_plain(bad[i], 99));
}

/// 1000 operations a us; 10 bytes a ns read and 4 copied in the second cache
/// of 1000 bytes, 5 and 2.5 in the last one of 8000, 1 and 1 in memory.
static void check_roofline(void) {
  const pgopt_machine m = {
      .caches = {{1, 100, 1}, {2, 1000, 1}, {3, 8000, 2}},
      .cache_count = 3,
      .rates = {{500, 10000, 4000}, {4000, 5000, 2500}, {16000, 1000, 1000}},
      .rate_count = 3,
      .peak_mflops = 1000};
  const struct {
    pgopt_kernel_work work;
    int64_t constants;
    double compute_ns, memory_ns;
  } cases[] = {
      {{700, 900, 0, 0}, 0, 700, 90}, /* 900 bytes fit into the second cache */
      {{0, 900, 400, 0}, 0, 0, 50 + 400 / 4. - 40},
      {{0, 1001, 0, 0}, 0, 0, 1001 / 5.},
      {{0, 900, 0, 500}, 9000, 0, 40 + 500}, /* constants come from memory */
      {{0, 8001, 4001, 0}, 0, 0, 4000},      /* writing costs nothing beside */
      {{-1, -1, 0, 0}, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pgopt_roofline r =
        pgopt_machine_roofline(&m, &cases[i].work, cases[i].constants);
    CHECK(fabs(r.compute_ns - cases[i].compute_ns) < 1e-9);
    CHECK(fabs(r.memory_ns - cases[i].memory_ns) < 1e-9);
  }
  const pgopt_machine unknown = {0};
  pgopt_roofline r = pgopt_machine_roofline(&unknown, &cases[0].work, 0);
  CHECK(r.compute_ns == 0 && r.memory_ns == 0);
}

int main(void) {
  snprintf(root, sizeof root, "/tmp/pgopt-machine-XXXXXX");
  if (!CHECK(mkdtemp(root) != NULL))
    return check_result();
  check_describe();
  check_key();
  check_widening();
  check_measure();
  check_roofline();
  check_plain_text();
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", root);
  CHECK(!system(command));
  return check_result();
}
