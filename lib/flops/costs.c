/// \file Looks scalar operations up in the table of costs.
#include "flops/flops.h"

#include <stddef.h>
#include <string.h>

bool pgopt_scalar_cost(const char *name, int64_t *operations) {
  static const struct {
    const char *name;
    int64_t operations;
  } table[] = {
#define PGOPT_COST(name, operations) {name, operations},
#include "flops/costs.def"
#undef PGOPT_COST
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (!strcmp(table[i].name, name)) {
      *operations = table[i].operations;
      return true;
    }
  return false;
}
