/// \file What a unit test in plain C needs: checks that count and go on, and a
/// result for `main`. A test prints nothing when it passes.
#ifndef PGOPT_TEST_CHECK_H
#define PGOPT_TEST_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int check_failures;
static int check_count;

/// Counts one check; prints where and what when it fails. Returns `holds`, so
/// that a test can leave early: `if (!CHECK(p != NULL)) return;`.
static inline bool check_note(bool holds, const char *file, int line,
                              const char *text) {
  ++check_count;
  if (holds)
    return true;
  ++check_failures;
  fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
  return false;
}

static inline bool check_equal_i64(int64_t a, int64_t b, const char *file,
                                   int line, const char *text) {
  if (check_note(a == b, file, line, text))
    return true;
  fprintf(stderr, "  %lld against %lld\n", (long long)a, (long long)b);
  return false;
}

static inline bool check_equal_text(const char *a, const char *b,
                                    const char *file, int line,
                                    const char *text) {
  if (check_note(a && b && !strcmp(a, b), file, line, text))
    return true;
  fprintf(stderr, "  \"%s\" against \"%s\"\n", a ? a : "(null)",
          b ? b : "(null)");
  return false;
}

static inline bool check_contains_text(const char *whole, const char *part,
                                       const char *file, int line,
                                       const char *text) {
  if (check_note(whole && part && strstr(whole, part), file, line, text))
    return true;
  fprintf(stderr, "  \"%s\" lacks \"%s\"\n", whole ? whole : "(null)",
          part ? part : "(null)");
  return false;
}

static inline bool check_near(double a, double b, double tolerance,
                              const char *file, int line, const char *text) {
  if (check_note(fabs(a - b) <= tolerance, file, line, text))
    return true;
  fprintf(stderr, "  %.17g against %.17g\n", a, b);
  return false;
}

#define CHECK(condition) check_note((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ_I64(a, b)                                                     \
  check_equal_i64((int64_t)(a), (int64_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_EQ_TEXT(a, b)                                                    \
  check_equal_text((a), (b), __FILE__, __LINE__, #a " is " #b)
#define CHECK_CONTAINS(whole, part)                                            \
  check_contains_text((whole), (part), __FILE__, __LINE__,                     \
                      #whole " contains " #part)
/// |a - b| <= tolerance; false for NaN.
#define CHECK_NEAR(a, b, tolerance)                                            \
  check_near((a), (b), (tolerance), __FILE__, __LINE__, #a " near " #b)

/// What `main` returns: 0 when every check held and there was one.
static inline int check_result(void) {
  if (!check_count)
    fprintf(stderr, "no check was made\n");
  if (check_failures)
    fprintf(stderr, "%d of %d checks failed\n", check_failures, check_count);
  return check_failures || !check_count;
}

#endif // PGOPT_TEST_CHECK_H
