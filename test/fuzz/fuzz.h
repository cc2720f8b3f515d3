/// \file What a fuzz target is: one function of any bytes. libFuzzer calls it
/// in the preset `fuzz`, and replay.c for every file of the corpus in all
/// others.
#ifndef PGOPT_TEST_FUZZ_H
#define PGOPT_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// Returns 0. Input that breaks a promise ends the process.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A promise that holds for every input.
#define FUZZ_CHECK(condition)                                                  \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      abort();                                                                 \
    }                                                                          \
  } while (0)

#endif // PGOPT_TEST_FUZZ_H
