/// \file What the runtime says about the machine.
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "pgopt/runtime.h"
#include "runtime/cpus.h"

static char root[] = "/tmp/pgopt-machine-test-XXXXXX";

/// Writes a file below the root, with its folders.
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return;
  fputs(text, file);
  fclose(file);
}

static void test_no_limit(void) {
  CHECK_EQ_I64(pgopt_cpu_quota(root), INT64_MAX);
}

/// The smallest of the group's and its parents' limits counts.
static void test_quota_of_version_2(void) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("proc/self/mountinfo",
      "25 1 0:22 / /proc rw - proc proc rw\n"
      "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n");
  put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), INT64_MAX);
  put("sys/fs/cgroup/outer/inner/cpu.max", "390000 100000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), 3); // 3.9 rounded down
  put("sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), 2);
  put("sys/fs/cgroup/cpu.max", "20000 100000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), 1); // 0.2, but never 0
}

/// In a container the mount point shows the group itself.
static void test_quota_of_version_1(void) {
  put("proc/self/cgroup", "4:cpuset:/other\n3:cpuacct,cpu:/box/abc\n");
  put("proc/self/mountinfo",
      "30 31 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "32 31 0:29 /box/abc /sys/fs/cgroup/cpu rw - cgroup cgroup "
      "rw,cpu,cpuacct\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), INT64_MAX);
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), INT64_MAX);
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "350000\n");
  CHECK_EQ_I64(pgopt_cpu_quota(root), 7);
}

static void test_cores(void) {
  int ids[] = {0, 1, 2, 5, 9};
  pgopt_cpu_list list = {ids, 5};
#define TOPOLOGY(cpu) "sys/devices/system/cpu/cpu" cpu "/topology/"
  put(TOPOLOGY("0") "thread_siblings_list", "0,4\n");
  put(TOPOLOGY("1") "thread_siblings_list", "1,5\n");
  put(TOPOLOGY("2") "thread_siblings_list", "2-3\n");
  put(TOPOLOGY("5") "thread_siblings_list", "1,5\n");
#undef TOPOLOGY
  // 0, 1 with 5, 2, and 9, of which nothing is known.
  CHECK_EQ_I64(pgopt_cpu_list_cores(&list, root), 4);
}

static void test_this_machine(void) {
  cpu_set_t before, after;
  CHECK(!sched_getaffinity(0, sizeof before, &before));
  int64_t cpus = pgopt_rt_cpu_count(0), cores = pgopt_rt_cpu_count(1);
  CHECK(cpus >= 1 && cpus <= CPU_COUNT(&before));
  CHECK(cores >= 1 && cores <= cpus);
  double smallest = -1, largest = -1;
  pgopt_rt_measure_latency(15, &smallest, &largest);
  if (CPU_COUNT(&before) > 1)
    CHECK(smallest > 0 && smallest <= largest);
  else
    CHECK(smallest == 0 && largest == 0);
  CHECK(!sched_getaffinity(0, sizeof after, &after));
  CHECK(CPU_EQUAL(&before, &after));
  CHECK(pgopt_rt_measure_peak_gflops(5) > 0.1);
}

static void test_one_cpu_has_no_distance(void) {
  cpu_set_t all, one;
  CHECK(!sched_getaffinity(0, sizeof all, &all));
  int cpu = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET((size_t)cpu, &one);
  CHECK(!sched_setaffinity(0, sizeof one, &one));
  double smallest = -1, largest = -1;
  pgopt_rt_measure_latency(15, &smallest, &largest);
  CHECK(smallest == 0 && largest == 0);
  CHECK_EQ_I64(pgopt_rt_cpu_count(0), 1);
  CHECK_EQ_I64(pgopt_rt_cpu_count(1), 1);
  CHECK(!sched_setaffinity(0, sizeof all, &all));
}

int main(void) {
  if (!CHECK(mkdtemp(root) != NULL))
    return check_result();
  test_no_limit();
  test_quota_of_version_2();
  test_quota_of_version_1();
  test_cores();
  test_this_machine();
  test_one_cpu_has_no_distance();
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(!system(command));
  return check_result();
}
