/// \file The table of operators, as docs/onnx.md has it.
#include "onnx/op.h"
#include "tools/pgopt-translate/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const pgopt_onnx_operator *left = *(const pgopt_onnx_operator *const *)a;
  const pgopt_onnx_operator *right = *(const pgopt_onnx_operator *const *)b;
  int order = strcmp(left->domain, right->domain);
  if (!order)
    order = strcmp(left->name, right->name);
  return order ? order : left->first - right->first;
}

int list_operators(void) {
  size_t count;
  const pgopt_onnx_operator *table = pgopt_onnx_operators(&count);
  const pgopt_onnx_operator **sorted = malloc(count * sizeof *sorted);
  if (!sorted)
    return translate_error("out of memory");
  for (size_t i = 0; i < count; ++i)
    sorted[i] = &table[i];
  qsort(sorted, count, sizeof *sorted, compare);
  fputs(
      "# ONNX operators\n\n"
      "What `pgopt-translate --import-onnx` reads. Generated from the "
      "importer's table by\n`pgopt-translate --list-operators`; do not edit.\n"
      "\"Constant\" means: follows from constants, initializers and shapes.\n"
      "\n| operator | opsets | needs |\n|---|---|---|\n",
      stdout);
  for (size_t i = 0; i < count; ++i) {
    const pgopt_onnx_operator *o = sorted[i];
    printf("| %s%s%s | %d to %d | %s |\n", o->domain, *o->domain ? "." : "",
           o->name, o->first, o->last ? o->last : PGOPT_ONNX_LAST_OPSET,
           o->note);
  }
  free(sorted);
  return 0;
}
