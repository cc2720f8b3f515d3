/// \file Parameter files: what is written is read, and nothing that a hostile
/// header says is believed.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "parameters/safetensors_writer.h"

static char folder[] = "/tmp/pgopt-safetensors-test-XXXXXX";
static char path[128];

/// Parses a file made of a header and `data_bytes` zero bytes.
static pgopt_status parse(const char *header, size_t data_bytes,
                          pgopt_safetensors *file, pgopt_error *error) {
  size_t length = strlen(header), size = 8 + length + data_bytes;
  unsigned char *bytes = calloc(size, 1); // exact: a sanitizer sees overruns
  bytes[0] = (unsigned char)length;
  bytes[1] = (unsigned char)(length >> 8);
  memcpy(bytes + 8, header, length);
  *error = (pgopt_error){0};
  pgopt_status status = pgopt_safetensors_parse(bytes, size, file, error);
  if (status == PGOPT_OK)
    CHECK(file->count == 0 ||
          (const unsigned char *)file->tensors[0].data == bytes + 8 + length);
  free(bytes);
  return status;
}

static void check_refused(const char *header, size_t data_bytes,
                          pgopt_status expected, const char *message) {
  pgopt_safetensors file;
  pgopt_error error;
  pgopt_status status = parse(header, data_bytes, &file, &error);
  CHECK_EQ_I64(status, expected);
  CHECK_CONTAINS(error.message, message);
  CHECK(file.count == 0 && !file.tensors);
  pgopt_safetensors_close(&file);
}

static void check_accepted(const char *header, size_t data_bytes,
                           size_t tensors) {
  pgopt_safetensors file;
  pgopt_error error;
  CHECK_EQ_I64(parse(header, data_bytes, &file, &error), PGOPT_OK);
  CHECK_EQ_TEXT(error.message, "");
  CHECK_EQ_I64(file.count, tensors);
  pgopt_safetensors_close(&file);
}

#define TENSOR(name, type, shape, range)                                       \
  "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape                     \
  "],\"data_offsets\":[" range "]}"

static void test_valid_headers(void) {
  check_accepted("{}", 0, 0);
  check_accepted("{}     ", 0, 0);
  check_accepted("{\"__metadata__\":{\"format\":\"pt\"}}", 0, 0);
  check_accepted("{" TENSOR("scalar", "F64", "", "0,8") "}", 8, 1);
  check_accepted("{" TENSOR("empty", "F32", "3,0,5", "0,0") "}", 0, 1);
  // Order in the header is free; an empty tensor may lie between others.
  check_accepted("{" TENSOR("b", "F32", "3,5",
                            "14,74") "," TENSOR("e", "I8", "0", "14,14") "," //
                 TENSOR("a", "BF16", "7", "0,14") "}",
                 74, 3);
}

static void test_refused_headers(void) {
  check_refused("", 0, PGOPT_INVALID, "not a JSON object");
  check_refused("[]", 0, PGOPT_INVALID, "not a JSON object");
  check_refused("{\"a\":", 0, PGOPT_INVALID, "not a JSON object");
  check_refused("{}x", 0, PGOPT_INVALID, "not a JSON object");
  check_refused("{\"__metadata__\":{\"n\":1}}", 0, PGOPT_INVALID,
                "__metadata__");
  check_refused("{\"__metadata__\":7}", 0, PGOPT_INVALID, "__metadata__");
  check_refused("{\"a\":3}", 0, PGOPT_INVALID, "tensor 'a' needs dtype");
  check_refused("{" TENSOR("a", "F32", "1", "0,4") "," //
                TENSOR("a", "F32", "1", "4,8") "}",
                8, PGOPT_INVALID, "duplicate");
  check_refused("{" TENSOR("a", "F4", "1", "0,4") "}", 4, PGOPT_UNSUPPORTED,
                "unknown type 'F4'");
  check_refused("{" TENSOR("a", "F32", "-1", "0,4") "}", 4, PGOPT_INVALID,
                "the shape of tensor 'a'");
  check_refused("{" TENSOR("a", "F32", "1.5", "0,4") "}", 4, PGOPT_INVALID,
                "the shape of tensor 'a'");
  check_refused("{" TENSOR("a", "F32", "99999999999999999999", "0,4") "}", 4,
                PGOPT_INVALID, "too big integer");
  check_refused("{" TENSOR("a", "F32", "1", "0,4,8") "}", 8, PGOPT_INVALID,
                "not two");
  check_refused("{" TENSOR("a", "F32", "1", "-4,0") "}", 4, PGOPT_INVALID,
                "not two");
  check_refused("{" TENSOR("a", "F32", "1", "4,0") "}", 4, PGOPT_INVALID,
                "lies at [4, 0) of 4");
  check_refused("{" TENSOR("a", "F32", "2", "0,8") "}", 7, PGOPT_INVALID,
                "lies at [0, 8) of 7");
  check_refused("{" TENSOR("a", "F32", "3", "0,8") "}", 8, PGOPT_INVALID,
                "has 8 bytes, its type and shape need 12");
}

/// Products that wrap to the bytes that are there.
static void test_overflow(void) {
  check_refused("{" TENSOR("a", "I8", "4294967296,4294967296", "0,0") "}", 0,
                PGOPT_INVALID, "does not fit 64 bits");
  check_refused("{" TENSOR("a", "F64", "2305843009213693952", "0,0") "}", 0,
                PGOPT_INVALID, "does not fit 64 bits");
}

static void test_gaps_and_overlaps(void) {
  check_refused("{" TENSOR("a", "F32", "1", "4,8") "}", 8, PGOPT_INVALID,
                "'a' begins at data byte 4, behind a gap");
  check_refused("{" TENSOR("a", "F32", "1", "0,4") "}", 9, PGOPT_INVALID,
                "5 bytes at the end belong to no tensor");
  check_refused("{" TENSOR("a", "F32", "2", "0,8") "," //
                TENSOR("b", "F32", "2", "4,12") "}",
                12, PGOPT_INVALID, "'b' begins at data byte 4, inside");
  check_refused("{" TENSOR("a", "F32", "1", "0,4") "," //
                TENSOR("b", "F32", "1", "0,4") "}",
                4, PGOPT_INVALID, "'b' begins at data byte 0, inside");
}

static void test_lengths(void) {
  static const unsigned char bytes[10] = {3, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
  static const unsigned char huge[16] = {255, 255, 255, 255,
                                         255, 255, 255, 255};
  pgopt_safetensors file;
  pgopt_error error;
  CHECK_EQ_I64(pgopt_safetensors_parse(bytes, 7, &file, &error), PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "7 bytes are no safetensors file");
  CHECK_EQ_I64(pgopt_safetensors_parse(bytes, 10, &file, &error),
               PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "a header of 3 bytes does not fit");
  CHECK_EQ_I64(pgopt_safetensors_parse(huge, 16, &file, &error), PGOPT_INVALID);
  size_t size = 8 + PGOPT_SAFETENSORS_MAX_HEADER + 1;
  unsigned char *large = calloc(size, 1);
  for (int i = 0; i < 4; ++i)
    large[i] = (unsigned char)((size - 8) >> 8 * i);
  CHECK_EQ_I64(pgopt_safetensors_parse(large, size, &file, &error),
               PGOPT_UNSUPPORTED);
  free(large);
}

static void test_types(void) {
  static const struct {
    pgopt_element element;
    const char *type;
    pgopt_element back;
  } cases[] = {
      {{PGOPT_ELEMENT_FLOAT, 16}, "F16", {PGOPT_ELEMENT_FLOAT, 16}},
      {{PGOPT_ELEMENT_FLOAT, 32}, "F32", {PGOPT_ELEMENT_FLOAT, 32}},
      {{PGOPT_ELEMENT_FLOAT, 64}, "F64", {PGOPT_ELEMENT_FLOAT, 64}},
      {{PGOPT_ELEMENT_BFLOAT, 16}, "BF16", {PGOPT_ELEMENT_BFLOAT, 16}},
      {{PGOPT_ELEMENT_INTEGER, 1}, "BOOL", {PGOPT_ELEMENT_INTEGER, 1}},
      {{PGOPT_ELEMENT_INTEGER, 4}, "I8", {PGOPT_ELEMENT_INTEGER, 8}},
      {{PGOPT_ELEMENT_INTEGER, 8}, "I8", {PGOPT_ELEMENT_INTEGER, 8}},
      {{PGOPT_ELEMENT_INTEGER, 16}, "I16", {PGOPT_ELEMENT_INTEGER, 16}},
      {{PGOPT_ELEMENT_INTEGER, 32}, "I32", {PGOPT_ELEMENT_INTEGER, 32}},
      {{PGOPT_ELEMENT_INTEGER, 64}, "I64", {PGOPT_ELEMENT_INTEGER, 64}},
      {{PGOPT_ELEMENT_INDEX, 64}, "I64", {PGOPT_ELEMENT_INTEGER, 64}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pgopt_element back = {0};
    const char *type = pgopt_safetensors_type(cases[i].element);
    CHECK_EQ_TEXT(type, cases[i].type);
    CHECK(pgopt_safetensors_element(type, &back));
    CHECK(pgopt_element_equal(back, cases[i].back));
    CHECK_EQ_I64(pgopt_safetensors_type_bytes(type),
                 pgopt_element_bytes(cases[i].element));
  }
  pgopt_element none;
  CHECK(!pgopt_safetensors_element("F8_E5M2", &none));
  CHECK(!pgopt_safetensors_element("f32", &none));
  CHECK_EQ_I64(pgopt_safetensors_type_bytes("F8_E5M2"), 1);
}

static const int64_t weights_shape[] = {3, 5}, bytes_shape[] = {7};
static const pgopt_safetensors_entry entries[] = {
    {"weights \"q\"\n\xc3\xa9", "F32", weights_shape, 2},
    {"scalar", "I64", NULL, 0},
    {"bytes", "I8", bytes_shape, 1},
};
enum { ENTRY_COUNT = 3, DATA_BYTES = 3 * 5 * 4 + 8 + 7 };

static size_t count_files(void) {
  char command[160];
  snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
  FILE *pipe = popen(command, "r");
  size_t count = 99;
  CHECK(pipe && fscanf(pipe, "%zu", &count) == 1);
  pclose(pipe);
  return count;
}

static void write_all(char *sum) {
  unsigned char data[DATA_BYTES];
  for (size_t i = 0; i < DATA_BYTES; ++i)
    data[i] = (unsigned char)(3 * i + 1);
  pgopt_error error = {0};
  pgopt_safetensors_writer *writer;
  CHECK_EQ_I64(
      pgopt_safetensors_create(path, entries, ENTRY_COUNT, &writer, &error),
      PGOPT_OK);
  for (int64_t at = 0; at < DATA_BYTES; at += 11) { // across the borders
    int64_t block = at + 11 < DATA_BYTES ? 11 : DATA_BYTES - at;
    CHECK_EQ_I64(pgopt_safetensors_append(writer, data + at, block, &error),
                 PGOPT_OK);
  }
  CHECK_EQ_I64(pgopt_safetensors_finish(writer, sum, &error), PGOPT_OK);
  CHECK_EQ_TEXT(error.message, "");
}

static void test_what_is_written_is_read(void) {
  char sum[PGOPT_SHA256_TEXT], again[PGOPT_SHA256_TEXT];
  write_all(sum);
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_sha256_file(path, again, &error), PGOPT_OK);
  CHECK_EQ_TEXT(sum, again);
  pgopt_safetensors file;
  CHECK_EQ_I64(pgopt_safetensors_open(path, &file, &error), PGOPT_OK);
  CHECK_EQ_I64(file.count, ENTRY_COUNT);
  int64_t begin = 0;
  for (size_t i = 0; i < file.count; ++i) {
    const pgopt_safetensor *tensor = &file.tensors[i];
    CHECK_EQ_TEXT(tensor->name, entries[i].name);
    CHECK_EQ_TEXT(tensor->type, entries[i].type);
    CHECK_EQ_I64(tensor->rank, entries[i].rank);
    for (size_t d = 0; d < tensor->rank; ++d)
      CHECK_EQ_I64(tensor->shape[d], entries[i].shape[d]);
    const unsigned char *data = tensor->data;
    for (int64_t b = 0; b < tensor->bytes; ++b)
      CHECK_EQ_I64(data[b], (3 * (begin + b) + 1) % 256);
    begin += tensor->bytes;
    CHECK(pgopt_safetensors_find(&file, entries[i].name) == tensor);
  }
  CHECK_EQ_I64(begin, DATA_BYTES);
  CHECK_EQ_I64(file.tensors[0].offset % 64, 0);
  CHECK((uintptr_t)file.tensors[0].data % 64 == 0);
  CHECK(!pgopt_safetensors_find(&file, "byte"));
  CHECK(!pgopt_safetensors_find(&file, ""));
  pgopt_safetensors_close(&file);
  CHECK_EQ_I64(count_files(), 1); // and no temporary one
}

static void check_not_created(const pgopt_safetensors_entry *wrong,
                              size_t count, const char *message) {
  pgopt_error error = {0};
  pgopt_safetensors_writer *writer;
  CHECK(pgopt_safetensors_create(path, wrong, count, &writer, &error) !=
        PGOPT_OK);
  CHECK(!writer);
  CHECK_CONTAINS(error.message, message);
  CHECK_EQ_I64(count_files(), 1);
}

static void test_refused_entries(void) {
  const int64_t huge[] = {INT64_MAX}, negative[] = {-1};
  check_not_created(
      (const pgopt_safetensors_entry[]){entries[0], entries[1], entries[0]}, 3,
      "two tensors have the name");
  check_not_created(
      &(const pgopt_safetensors_entry){"__metadata__", "F32", NULL, 0}, 1,
      "two tensors have the name '__metadata__'");
  check_not_created(&(const pgopt_safetensors_entry){"a", "f32", NULL, 0}, 1,
                    "unknown type 'f32'");
  check_not_created(&(const pgopt_safetensors_entry){"a", "F32", huge, 1}, 1,
                    "does not fit 64 bits");
  check_not_created(&(const pgopt_safetensors_entry){"a", "F32", negative, 1},
                    1, "is negative");
  check_not_created(&(const pgopt_safetensors_entry){"\xff", "F32", NULL, 0}, 1,
                    "is not UTF-8");
}

static void test_wrong_amount_of_data(void) {
  char before[PGOPT_SHA256_TEXT], after[PGOPT_SHA256_TEXT];
  unsigned char data[DATA_BYTES + 1] = {0};
  pgopt_error error = {0};
  pgopt_safetensors_writer *writer;
  CHECK_EQ_I64(pgopt_sha256_file(path, before, &error), PGOPT_OK);
  CHECK_EQ_I64(
      pgopt_safetensors_create(path, entries, ENTRY_COUNT, &writer, &error),
      PGOPT_OK);
  CHECK_EQ_I64(pgopt_safetensors_append(writer, data, DATA_BYTES + 1, &error),
               PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "76 bytes behind 0; the tensors have 75");
  CHECK_EQ_I64(count_files(), 2);
  pgopt_safetensors_abandon(writer);
  CHECK_EQ_I64(
      pgopt_safetensors_create(path, entries, ENTRY_COUNT, &writer, &error),
      PGOPT_OK);
  CHECK_EQ_I64(pgopt_safetensors_append(writer, data, 5, &error), PGOPT_OK);
  CHECK_EQ_I64(pgopt_safetensors_finish(writer, after, &error), PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "got 5 bytes of data, the tensors have 75");
  CHECK_EQ_I64(count_files(), 1);
  CHECK_EQ_I64(pgopt_sha256_file(path, after, &error), PGOPT_OK);
  CHECK_EQ_TEXT(before, after); // the old file is as it was
}

/// Large pieces are hashed by another thread, between small ones.
static void test_large_pieces(void) {
  enum { LARGE = (9 << 20) + 7 };
  static const int64_t shape[] = {LARGE};
  static const pgopt_safetensors_entry large = {"a", "U8", shape, 1};
  static const int64_t pieces[] = {3, 4 << 20, 5, (5 << 20) - 1};
  unsigned char *data = malloc(LARGE);
  for (size_t i = 0; i < LARGE; ++i)
    data[i] = (unsigned char)(i * i >> 7);
  char sum[PGOPT_SHA256_TEXT], again[PGOPT_SHA256_TEXT];
  pgopt_error error = {0};
  pgopt_safetensors_writer *writer;
  CHECK_EQ_I64(pgopt_safetensors_create(path, &large, 1, &writer, &error),
               PGOPT_OK);
  int64_t at = 0;
  for (int i = 0; i < 4; at += pieces[i++])
    CHECK_EQ_I64(pgopt_safetensors_append(writer, data + at, pieces[i], &error),
                 PGOPT_OK);
  CHECK_EQ_I64(at, LARGE);
  CHECK_EQ_I64(pgopt_safetensors_finish(writer, sum, &error), PGOPT_OK);
  CHECK_EQ_I64(pgopt_sha256_file(path, again, &error), PGOPT_OK);
  CHECK_EQ_TEXT(sum, again);
  pgopt_safetensors file;
  CHECK_EQ_I64(pgopt_safetensors_open(path, &file, &error), PGOPT_OK);
  CHECK(file.count == 1 && !memcmp(file.tensors[0].data, data, LARGE));
  pgopt_safetensors_close(&file);
  free(data);
}

/// A limit on the size of files stands for a full disk.
static void test_full_disk(void) {
  pid_t child = fork();
  if (child == 0) {
    static const int64_t shape[] = {1 << 20};
    static const pgopt_safetensors_entry large = {"a", "I8", shape, 1};
    struct rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    pgopt_error error = {0};
    pgopt_safetensors_writer *writer;
    if (pgopt_safetensors_create(path, &large, 1, &writer, &error))
      _exit(2);
    unsigned char *data = calloc(1 << 20, 1);
    pgopt_status status =
        pgopt_safetensors_append(writer, data, 1 << 20, &error);
    pgopt_safetensors_abandon(writer);
    free(data);
    _exit(status != PGOPT_IO || !strstr(error.message, "cannot write: File"));
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_EQ_I64(count_files(), 1);
}

static void test_files_that_cannot_be_opened(void) {
  pgopt_error error = {0};
  pgopt_safetensors file;
  pgopt_safetensors_writer *writer;
  char other[160], sum[PGOPT_SHA256_TEXT];
  CHECK_EQ_I64(pgopt_safetensors_open(folder, &file, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "not a regular file");
  snprintf(other, sizeof other, "%s/none/file", folder);
  CHECK_EQ_I64(pgopt_safetensors_open(other, &file, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "No such file");
  CHECK_EQ_I64(pgopt_sha256_file(other, sum, &error), PGOPT_IO);
  CHECK_EQ_I64(
      pgopt_safetensors_create(other, entries, ENTRY_COUNT, &writer, &error),
      PGOPT_IO);
  snprintf(other, sizeof other, "%s/pipe", folder);
  CHECK(!mkfifo(other, 0600));
  CHECK_EQ_I64(pgopt_safetensors_open(other, &file, &error), PGOPT_IO);
  CHECK(!unlink(other));
  snprintf(other, sizeof other, "%s/empty", folder);
  close(open(other, O_CREAT | O_WRONLY, 0600));
  CHECK_EQ_I64(pgopt_safetensors_open(other, &file, &error), PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "/empty: 0 bytes are no safetensors file");
  // A folder in the place of the file is found out when everything is written.
  CHECK(!unlink(other) && !mkdir(other, 0700));
  CHECK_EQ_I64(pgopt_safetensors_create(other, NULL, 0, &writer, &error),
               PGOPT_OK);
  CHECK_EQ_I64(pgopt_safetensors_finish(writer, NULL, &error), PGOPT_IO);
  CHECK(!rmdir(other));
  CHECK_EQ_I64(count_files(), 1);
}

/// The example of FIPS 180-2, appendix B.1, and the empty file.
static void test_known_checksums(void) {
  char name[160], sum[PGOPT_SHA256_TEXT];
  snprintf(name, sizeof name, "%s/abc", folder);
  FILE *file = fopen(name, "w");
  CHECK(file && fputs("abc", file) >= 0 && !fclose(file));
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_sha256_file(name, sum, &error), PGOPT_OK);
  CHECK_EQ_TEXT(
      sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(!truncate(name, 0));
  CHECK_EQ_I64(pgopt_sha256_file(name, sum, &error), PGOPT_OK);
  CHECK_EQ_TEXT(
      sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(!unlink(name));
}

int main(void) {
  if (!CHECK(mkdtemp(folder) != NULL))
    return check_result();
  snprintf(path, sizeof path, "%s/file", folder);
  test_valid_headers();
  test_refused_headers();
  test_overflow();
  test_gaps_and_overlaps();
  test_lengths();
  test_types();
  test_what_is_written_is_read();
  test_refused_entries();
  test_wrong_amount_of_data();
  test_large_pieces();
  test_full_disk();
  test_files_that_cannot_be_opened();
  test_known_checksums();
  CHECK(!unlink(path) && !rmdir(folder));
  return check_result();
}
