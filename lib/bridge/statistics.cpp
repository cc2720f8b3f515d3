/// \file Counting what passes did, and the report at the end.
#include "bridge/statistics.h"

#include "llvm/Support/CommandLine.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {
struct PassCounts {
  const pgopt_pass_definition *definition;
  std::vector<int64_t> values;
};
struct Counters {
  std::mutex mutex;
  std::map<std::string, PassCounts> passes; ///< by the pass's argument
};
} // namespace

/// Never freed: the report runs when the program ends.
static Counters &counters() {
  static auto *all = new Counters;
  return *all;
}

/// True when the program has mlir-opt's options and was given this one.
static bool isAskedFor() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("mlir-pass-statistics");
  return option != options.end() && option->second->getNumOccurrences() > 0;
}

static void report() {
  Counters &all = counters();
  std::lock_guard<std::mutex> lock(all.mutex);
  fputs("  ... pgopt pass statistics report ...\n", stderr);
  for (const auto &[argument, counts] : all.passes) {
    fprintf(stderr, "%s\n", argument.c_str());
    for (size_t i = 0; i < counts.values.size(); ++i)
      fprintf(stderr, "  (S) %lld %s - %s\n",
              static_cast<long long>(counts.values[i]),
              counts.definition->statistics[i].name,
              counts.definition->statistics[i].help);
  }
}

void pgopt_statistics_count(const pgopt_pass_definition *definition,
                            size_t statistic, int64_t amount) {
  static const bool isOn = isAskedFor() && !atexit(report);
  if (!isOn)
    return;
  Counters &all = counters();
  std::lock_guard<std::mutex> lock(all.mutex);
  PassCounts &counts = all.passes[definition->argument];
  counts.definition = definition;
  counts.values.resize(definition->statistic_count);
  counts.values[statistic] += amount;
}
