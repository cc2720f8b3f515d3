#include "runtime/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pgopt/runtime.h"

pgopt_cpu_list pgopt_cpu_list_allowed(void) {
  pgopt_cpu_list list = {0};
  // The kernel refuses sets that are smaller than its own.
  for (int bits = 1024; bits <= 1 << 20; bits *= 2) {
    cpu_set_t *set = CPU_ALLOC(bits);
    size_t bytes = CPU_ALLOC_SIZE(bits);
    if (!set)
      break;
    CPU_ZERO_S(bytes, set);
    int failure = sched_getaffinity(0, bytes, set) ? errno : 0;
    if (!failure) {
      list.ids =
          pgopt_allocate((size_t)CPU_COUNT_S(bytes, set) + 1, sizeof *list.ids);
      for (int cpu = 0; cpu < bits; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, set))
          list.ids[list.count++] = cpu;
    }
    CPU_FREE(set);
    if (failure != EINVAL)
      break;
  }
  if (!list.count) { // no answer: the CPU that we are on is certainly there
    free(list.ids);
    list.ids = pgopt_allocate(1, sizeof *list.ids);
    int cpu = sched_getcpu();
    list.ids[list.count++] = cpu < 0 ? 0 : cpu;
  }
  return list;
}

int pgopt_cpu_start_thread(int cpu, void *(*main)(void *), void *argument,
                           pthread_t *thread) {
  cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
  if (!set)
    return ENOMEM;
  size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S((size_t)cpu, bytes, set);
  pthread_attr_t attributes;
  int failure = pthread_attr_init(&attributes);
  if (!failure) {
    failure = pthread_attr_setaffinity_np(&attributes, bytes, set);
    if (!failure)
      failure = pthread_create(thread, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
  }
  CPU_FREE(set);
  return failure;
}

/// The whole number at the start of a file; false when there is none.
static bool read_number(const char *path, int64_t *value) {
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  long long number;
  bool found = fscanf(file, "%lld", &number) == 1;
  fclose(file);
  if (found)
    *value = number;
  return found;
}

size_t pgopt_cpu_list_cores(const pgopt_cpu_list *list, const char *root) {
  // A core is known by the first of its CPUs, allowed or not.
  int64_t *cores = pgopt_allocate(list->count, sizeof *cores);
  size_t count = 0;
  for (size_t i = 0; i < list->count; ++i) {
    char path[PATH_MAX];
    int64_t core = list->ids[i];
    snprintf(path, sizeof path,
             "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             root, list->ids[i]);
    read_number(path, &core);
    size_t known = 0;
    while (known < count && cores[known] != core)
      ++known;
    if (known == count)
      cores[count++] = core;
  }
  free(cores);
  return count;
}

/// Limit in CPUs of one control group folder, rounded down, at least 1;
/// INT64_MAX when it has none.
static int64_t folder_quota(const char *folder, bool unified) {
  char path[PATH_MAX + 32];
  int64_t quota = -1, period = -1;
  if (unified) {
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = fopen(path, "re");
    if (!file)
      return INT64_MAX;
    long long numbers[2]; // "max 100000" when there is no limit
    if (fscanf(file, "%lld %lld", &numbers[0], &numbers[1]) == 2) {
      quota = numbers[0];
      period = numbers[1];
    }
    fclose(file);
  } else {
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    read_number(path, &quota);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    read_number(path, &period);
  }
  if (quota <= 0 || period <= 0)
    return INT64_MAX;
  return quota / period > 1 ? quota / period : 1;
}

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ',' ||
                                          isspace((unsigned char)at[length])))
      return true;
  return false;
}

/// The process's group in one hierarchy, from /proc/self/cgroup.
static bool read_group(const char *root, bool unified, char *group,
                       size_t size) {
  char path[PATH_MAX], line[PATH_MAX + 256];
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  bool found = false;
  while (!found && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *name = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!name)
      continue;
    *name++ = 0;
    ++controllers;
    found = unified ? !*controllers : has_word(controllers, "cpu");
    if (found)
      snprintf(group, size, "%s", name);
  }
  fclose(file);
  return found;
}

/// Smallest limit of the group and its parents below the hierarchy's mount
/// point. A mount point may show a group instead of the hierarchy's top, as in
/// containers: that prefix of the group's name is not part of the path.
static int64_t hierarchy_quota(const char *root, bool unified) {
  char group[PATH_MAX], path[PATH_MAX], line[2 * PATH_MAX + 512];
  if (!read_group(root, unified, group, sizeof group))
    return INT64_MAX;
  snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
  FILE *file = fopen(path, "re");
  if (!file)
    return INT64_MAX;
  int64_t smallest = INT64_MAX;
  while (fgets(line, sizeof line, file)) {
    char top[PATH_MAX], mount[PATH_MAX], type[64], options[PATH_MAX];
    char *details = strstr(line, " - ");
    if (!details ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", top, mount) != 2 ||
        sscanf(details, " - %63s %*s %4095s", type, options) != 2 ||
        (unified ? strcmp(type, "cgroup2") != 0
                 : strcmp(type, "cgroup") != 0 || !has_word(options, "cpu")))
      continue;
    size_t prefix = strcmp(top, "/") ? strlen(top) : 0;
    const char *below = strncmp(group, top, prefix) ? "" : group + prefix;
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s%s%s", root, mount, below);
    if (length < 0 || (size_t)length >= sizeof folder)
      continue;
    size_t shortest = strlen(root) + strlen(mount);
    for (;;) {
      int64_t quota = folder_quota(folder, unified);
      smallest = quota < smallest ? quota : smallest;
      char *last = strrchr(folder, '/');
      if (!last || (size_t)(last - folder) < shortest)
        break;
      *last = 0;
    }
  }
  fclose(file);
  return smallest;
}

int64_t pgopt_cpu_quota(const char *root) {
  int64_t first = hierarchy_quota(root, false);
  int64_t second = hierarchy_quota(root, true);
  return first < second ? first : second;
}

int64_t pgopt_rt_cpu_count(int64_t physical) {
  pgopt_cpu_list list = pgopt_cpu_list_allowed();
  int64_t count =
      physical ? (int64_t)pgopt_cpu_list_cores(&list, "") : (int64_t)list.count;
  free(list.ids);
  int64_t quota = pgopt_cpu_quota("");
  return quota < count ? quota : count;
}
