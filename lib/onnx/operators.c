/// \file The table of operators.
#include "onnx/operators.h"

#include <string.h>

static const pgopt_onnx_operator table[] = {
#define PGOPT_ONNX_OPERATOR(name, domain, first, last, function, detail, note) \
  {name, domain, first, last, pgopt_onnx_lower_##function, detail, note},
#include "onnx/operators.def"
#undef PGOPT_ONNX_OPERATOR
};

const pgopt_onnx_operator *pgopt_onnx_operators(size_t *count) {
  *count = sizeof table / sizeof *table;
  return table;
}

const pgopt_onnx_operator *
pgopt_onnx_find_operator(const char *domain, const char *name, int64_t opset) {
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (!strcmp(table[i].name, name) && !strcmp(table[i].domain, domain) &&
        opset >= table[i].first && (!table[i].last || opset <= table[i].last))
      return &table[i];
  return NULL;
}
