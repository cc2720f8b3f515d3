/// \file What the system tells: /proc/cpuinfo and /sys.
#include "machine/machine.h"

#include "base/memory.h"
#include "pgopt/runtime.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Extensions that decide how fast kernels can be, as /proc/cpuinfo spells
/// them.
static const char *const extensions[] = {
    // x86
    "sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw",
    "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "avx10", "amx_tile", "amx_int8", "amx_bf16", "amx_fp16",
    // Arm
    "asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve", "sve2", "sme",
    // RISC-V has no flags here, but one text: see `isa`
};

/// Copies what is allowed in a description; other bytes become '?'.
static void set_text(char *target, const char *text) {
  snprintf(target, PGOPT_MACHINE_TEXT, "%s", text);
  if (!pgopt_text_is_plain(target, PGOPT_MACHINE_TEXT - 1))
    for (char *at = target; *at; ++at)
      if (*at < 0x20 || *at > 0x7E)
        *at = '?';
}

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
      return true;
  return false;
}

static void read_isa(const char *flags, pgopt_machine *machine) {
  pgopt_text text = {0};
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; ++i)
    if (has_word(flags, extensions[i]))
      pgopt_text_append(&text, "%s%s", text.size ? " " : "", extensions[i]);
  set_text(machine->isa, pgopt_text_get(&text));
  pgopt_text_free(&text);
}

/// Reads the first processor's lines "key : value".
static void read_cpuinfo(const char *root, pgopt_machine *machine) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t capacity = 0;
  if (!file)
    return;
  while (getline(&line, &capacity, file) > 0) {
    char *value = strchr(line, ':');
    if (!value)
      continue;
    line[strcspn(line, "\n")] = 0;
    value += 1 + strspn(value + 1, " \t");
    if (!*machine->cpu &&
        (!strncmp(line, "model name", 10) || !strncmp(line, "uarch", 5)))
      set_text(machine->cpu, value);
    else if (!*machine->isa &&
             (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)))
      read_isa(value, machine);
    else if (!*machine->isa && !strncmp(line, "isa", 3))
      set_text(machine->isa, value);
  }
  free(line);
  fclose(file);
}

/// The first line of a file of the system, without its end.
static bool read_line(const char *folder, const char *name, char *line,
                      size_t size) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  bool found = fgets(line, (int)size, file) != NULL;
  fclose(file);
  line[found ? strcspn(line, "\n") : 0] = 0;
  return found;
}

/// CPUs in a list like "0-3,8".
static int64_t count_list(const char *list) {
  int64_t count = 0;
  while (*list) {
    char *end;
    long first = strtol(list, &end, 10), last = first;
    if (end == list)
      break;
    if (*end == '-') {
      char *begin = end + 1;
      last = strtol(begin, &end, 10);
    }
    if (last < first || last - first > INT_MAX)
      break;
    count += last - first + 1;
    list = end + (*end == ',');
  }
  return count > 0 ? count : 1;
}

/// One folder of /sys/devices/system/cpu/cpuN/cache.
static bool read_cache(const char *folder, pgopt_cache *cache) {
  char type[64], text[1024];
  if (!read_line(folder, "type", type, sizeof type) ||
      (strcmp(type, "Data") && strcmp(type, "Unified")) ||
      !read_line(folder, "level", text, sizeof text))
    return false;
  cache->level = strtol(text, NULL, 10);
  if (!read_line(folder, "size", text, sizeof text))
    return false;
  char *unit;
  cache->bytes = strtol(text, &unit, 10);
  cache->bytes *= *unit == 'K' ? 1 << 10 : *unit == 'M' ? 1 << 20 : 1;
  cache->cpus = read_line(folder, "shared_cpu_list", text, sizeof text)
                    ? count_list(text)
                    : 1;
  return cache->level > 0 && cache->bytes > 0;
}

static int first_cpu(void) {
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set))
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        return cpu;
  return 0;
}

static int compare_levels(const void *left, const void *right) {
  const pgopt_cache *l = left, *r = right;
  return (l->level > r->level) - (l->level < r->level);
}

static void read_caches(const char *root, pgopt_machine *machine) {
  int cpu = first_cpu();
  for (int i = 0; machine->cache_count < PGOPT_MACHINE_MAX_CACHES && i < 32;
       ++i) {
    char folder[PATH_MAX];
    pgopt_cache cache;
    snprintf(folder, sizeof folder,
             "%s/sys/devices/system/cpu/cpu%d/cache/index%d", root, cpu, i);
    if (!read_cache(folder, &cache))
      continue;
    bool is_new = true;
    for (size_t k = 0; k < machine->cache_count; ++k)
      is_new = is_new && machine->caches[k].level != cache.level;
    if (is_new)
      machine->caches[machine->cache_count++] = cache;
  }
  qsort(machine->caches, machine->cache_count, sizeof *machine->caches,
        compare_levels);
}

void pgopt_machine_describe(const char *root, pgopt_machine *machine) {
  *machine = (pgopt_machine){0};
  read_cpuinfo(root, machine);
  if (!*machine->cpu)
    set_text(machine->cpu, "unknown");
  set_text(machine->blas, pgopt_rt_blas_name());
  machine->cores = pgopt_rt_cpu_count(1);
  machine->cpus = pgopt_rt_cpu_count(0);
  read_caches(root, machine);
}
