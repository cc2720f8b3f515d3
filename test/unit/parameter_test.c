/// \file Parameters of programs, bound to mapped files.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "death.h"
#include "pgopt/runtime.h"

static char folder[] = "/tmp/pgopt-parameter-test-XXXXXX";
static char path[128], other_path[128];

/// A byte, then three floats that are therefore not aligned: the header has 128
/// bytes (8 of length, 120 of text and blanks).
static void write_file(const char *name, float first) {
  char header[120];
  int length = snprintf(header, sizeof header,
                        "{\"b\":{\"dtype\":\"U8\",\"shape\":[1],"
                        "\"data_offsets\":[0,1]},\"f\":{\"dtype\":\"F32\","
                        "\"shape\":[3],\"data_offsets\":[1,13]}}");
  memset(header + length, ' ', sizeof header - (size_t)length);
  const unsigned char prefix[8] = {sizeof header};
  float values[3] = {first, first + 1, first + 2};
  FILE *file = fopen(name, "w");
  if (!CHECK(file != NULL))
    return;
  fwrite(prefix, 1, 8, file);
  fwrite(header, 1, sizeof header, file);
  fputc(42, file);
  fwrite(values, 4, 3, file);
  fclose(file);
}

static void test_data_is_found_and_aligned(void) {
  const unsigned char *byte = pgopt_rt_parameter(path, "b", 1);
  const float *floats = pgopt_rt_parameter(path, "f", 12);
  CHECK_EQ_I64(*byte, 42);
  CHECK((uintptr_t)floats % 4 == 0);
  CHECK(floats[0] == 5 && floats[1] == 6 && floats[2] == 7);
  CHECK(pgopt_rt_parameter(path, "b", 1) == byte);
  CHECK(pgopt_rt_parameter(path, "f", 12) == floats);
  CHECK(!link(path, other_path));
  CHECK(pgopt_rt_parameter(other_path, "b", 1) == byte); // mapped once
  CHECK(!unlink(other_path));
}

static void test_replaced_file_is_mapped_anew(void) {
  const float *before = pgopt_rt_parameter(path, "f", 12);
  write_file(other_path, 100);
  CHECK(!rename(other_path, path));
  const float *after = pgopt_rt_parameter(path, "f", 12);
  CHECK(before[0] == 5 && after[0] == 100);
}

static void *bind(void *result) {
  *(const void **)result = pgopt_rt_parameter(path, "f", 12);
  return NULL;
}

static void test_threads_get_the_same(void) {
  enum { THREADS = 5 };
  pthread_t threads[THREADS];
  const void *found[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(!pthread_create(&threads[i], NULL, bind, &found[i]));
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(found[i] == found[0]);
  }
}

static void die_name(void) { pgopt_rt_parameter(path, "g", 12); }
static void die_size(void) { pgopt_rt_parameter(path, "f", 16); }
static void die_file(void) { pgopt_rt_parameter("/none/such", "f", 12); }
static void die_format(void) { pgopt_rt_parameter("/proc/self/exe", "f", 12); }

int main(void) {
  if (!CHECK(mkdtemp(folder) != NULL))
    return check_result();
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(other_path, sizeof other_path, "%s/other", folder);
  write_file(path, 5);
  CHECK_DIES(die_name, "has no tensor 'g'");
  CHECK_DIES(die_size, "tensor 'f' has 12 bytes, the program needs 16");
  CHECK_DIES(die_file, "parameter file /none/such: No such file");
  CHECK_DIES(die_format, "does not fit a file of");
  test_threads_get_the_same();
  test_data_is_found_and_aligned();
  test_replaced_file_is_mapped_anew();
  CHECK(!unlink(path) && !rmdir(folder));
  return check_result();
}
