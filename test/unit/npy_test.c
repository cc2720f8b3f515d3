/// \file npy files: written and read back, written by NumPy, and hostile.
#include "npy/npy.h"

#include "base/file.h"
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/pgopt_npy_test.XXXXXX";

/// A file of version `major` with this header and `size` bytes of data.
static size_t make(unsigned char *file, int major, const char *header,
                   const void *data, size_t size) {
  size_t length = strlen(header), begin = major == 1 ? 10 : 12;
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (unsigned char)major;
  file[7] = 0;
  for (size_t i = 8; i < begin; ++i)
    file[i] = (unsigned char)(length >> 8 * (i - 8));
  memcpy(file + begin, header, length);
  if (size)
    memcpy(file + begin + length, data, size);
  return begin + length + size;
}

static void round_trip(pgopt_element element, const int64_t *extents,
                       size_t rank, const void *data) {
  int64_t bytes;
  pgopt_error error = {0};
  pgopt_npy array;
  CHECK(pgopt_element_total_bytes(element, extents, rank, &bytes));
  CHECK_EQ_I64(pgopt_npy_write(path, element, extents, rank, data, &error), 0);
  if (!CHECK(!pgopt_npy_read(path, &array, &error)))
    return;
  CHECK(pgopt_element_equal(array.element, element));
  CHECK_EQ_I64(array.rank, rank);
  CHECK(!rank || !memcmp(array.extents, extents, rank * sizeof *extents));
  CHECK_EQ_I64(array.bytes, bytes);
  CHECK(!memcmp(array.data, data, (size_t)bytes));
  pgopt_npy_free(&array);
}

static void what_is_written_is_read(void) {
  int64_t extents[] = {3, 5};
  double data[15];
  for (int i = 0; i < 15; ++i)
    data[i] = i * 0.37 - 2;
  const pgopt_element elements[] = {
      {PGOPT_ELEMENT_FLOAT, 16},   {PGOPT_ELEMENT_FLOAT, 32},
      {PGOPT_ELEMENT_FLOAT, 64},   {PGOPT_ELEMENT_BFLOAT, 16},
      {PGOPT_ELEMENT_INTEGER, 8},  {PGOPT_ELEMENT_INTEGER, 16},
      {PGOPT_ELEMENT_INTEGER, 32}, {PGOPT_ELEMENT_INTEGER, 64}};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i)
    round_trip(elements[i], extents, 2, data);
  unsigned char bits[15] = {0, 1, 1, 0, 1};
  round_trip((pgopt_element){PGOPT_ELEMENT_INTEGER, 1}, extents, 2, bits);
  round_trip(elements[1], NULL, 0, data);        // a scalar
  round_trip(elements[1], &extents[1], 1, data); // "(5, )"
  int64_t empty[] = {3, 0, 7};
  round_trip(elements[1], empty, 3, data);
}

static void data_begin_at_a_multiple_of_64(void) {
  float data[3] = {1, 2, 3};
  int64_t extents[] = {3};
  pgopt_error error;
  void *bytes;
  size_t size;
  CHECK(!pgopt_npy_write(path, (pgopt_element){PGOPT_ELEMENT_FLOAT, 32},
                         extents, 1, data, &error));
  CHECK(!pgopt_file_read(path, &bytes, &size, &error));
  CHECK_EQ_I64((size - sizeof data) % 64, 0);
  const unsigned char *header = bytes;
  CHECK_EQ_I64(10 + (header[8] | header[9] << 8), size - sizeof data);
  CHECK_EQ_I64(header[size - sizeof data - 1], '\n');
  free(bytes);
}

static void versions_orders_and_big_endian(void) {
  unsigned char file[256];
  pgopt_npy array;
  pgopt_error error = {0};
  int16_t data[6] = {1, 2, 3, 4, 5, 6};
  size_t size = make(
      file, 2, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n",
      data, sizeof data);
  if (CHECK(!pgopt_npy_parse(file, size, &array, &error))) {
    // Column by column: [[1, 3, 5], [2, 4, 6]].
    int16_t rows[] = {1, 3, 5, 2, 4, 6};
    CHECK(!memcmp(array.data, rows, sizeof rows));
    pgopt_npy_free(&array);
  }
  unsigned char big[4] = {0x3f, 0x80, 0, 0};
  size = make(file, 3,
              "{\"shape\":(1L,),\"descr\":\">f4\",\"fortran_order\":False}",
              big, 4);
  if (CHECK(!pgopt_npy_parse(file, size, &array, &error))) {
    CHECK(*(float *)array.data == 1.0f);
    pgopt_npy_free(&array);
  }
  unsigned char bits[2] = {7, 0};
  size =
      make(file, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}",
           bits, 2);
  if (CHECK(!pgopt_npy_parse(file, size, &array, &error))) {
    CHECK(((unsigned char *)array.data)[0] == 1);
    pgopt_npy_free(&array);
  }
}

static void refuse(int major, const char *header, size_t data_size,
                   pgopt_status status, const char *message) {
  unsigned char file[1024];
  static const unsigned char zeros[512];
  pgopt_npy array;
  pgopt_error error = {0};
  size_t size = make(file, major, header, zeros, data_size);
  CHECK_EQ_I64(pgopt_npy_parse(file, size, &array, &error), status);
  CHECK(!array.data);
  CHECK_CONTAINS(error.message, message);
}

#define F4 "{'descr': '<f4', 'fortran_order': False, "

static void hostile_headers_are_refused(void) {
  refuse(1, F4 "'shape': (2, 3)}", 23, PGOPT_INVALID, "needs 24 bytes");
  refuse(1, F4 "'shape': (2, 3)}", 25, PGOPT_INVALID, "it has 25");
  refuse(1, F4 "'shape': (-1, 3)}", 0, PGOPT_INVALID, "tuple of sizes");
  refuse(1, F4 "'shape': (2 3)}", 24, PGOPT_INVALID, "tuple of sizes");
  refuse(1, F4 "'shape': (2, 3", 24, PGOPT_INVALID, "tuple of sizes");
  refuse(1, F4 "'shape': 3}", 12, PGOPT_INVALID, "not a tuple");
  refuse(1, F4 "'shape': (99999999999999999999,)}", 0, PGOPT_INVALID,
         "too large");
  refuse(1, F4 "'shape': (4611686018427387904, 4)}", 0, PGOPT_INVALID,
         "too large");
  refuse(1, F4 "'shape': (4611686018427387904,)}", 0, PGOPT_INVALID,
         "too large");
  refuse(1, F4 "'shape': (1,) , 'shape': (1,)}", 4, PGOPT_INVALID, "once");
  refuse(1, F4 "'more': 1, 'shape': (1,)}", 4, PGOPT_INVALID, "once");
  refuse(1, F4 "}", 4, PGOPT_INVALID, "lacks");
  refuse(1, F4 "'shape': (1,)} x", 4, PGOPT_INVALID, "bytes follow");
  refuse(1, "", 4, PGOPT_INVALID, "not a dictionary");
  refuse(1, "{'descr': '<f4', 'fortran_order': Perhaps, 'shape': ()}", 4,
         PGOPT_INVALID, "neither True nor False");
  refuse(1, "{'descr': '<c8', 'fortran_order': False, 'shape': ()}", 8,
         PGOPT_UNSUPPORTED, "'<c8'");
  refuse(1, "{'descr': '|O', 'fortran_order': False, 'shape': ()}", 8,
         PGOPT_UNSUPPORTED, "'|O'");
  refuse(1, "{'descr': '<f1', 'fortran_order': False, 'shape': ()}", 1,
         PGOPT_UNSUPPORTED, "'<f1'");
  refuse(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}", 4,
         PGOPT_UNSUPPORTED, "records");
  refuse(4, F4 "'shape': (1,)}", 4, PGOPT_UNSUPPORTED, "version 4.0");
  refuse(1,
         F4 "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
            "1,1,1,1,1,1)}",
         4, PGOPT_UNSUPPORTED, "more than 32");
}

/// No prefix and no single flipped bit of a file may crash the reader (run
/// under the address sanitizer), and no prefix is taken for the whole.
static void truncated_and_flipped_files(void) {
  unsigned char file[256];
  float data[6] = {1, 2, 3, 4, 5, 6};
  size_t size = make(file, 1, F4 "'shape': (2, 3), }\n", data, sizeof data);
  pgopt_npy array;
  for (size_t length = 0; length < size; ++length) {
    unsigned char *exact = malloc(length ? length : 1);
    memcpy(exact, file, length);
    CHECK(pgopt_npy_parse(exact, length, &array, NULL) != PGOPT_OK);
    free(exact);
  }
  int accepted = 0;
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    unsigned char *flipped = malloc(size);
    memcpy(flipped, file, size);
    flipped[bit / 8] ^= (unsigned char)(1 << bit % 8);
    if (!pgopt_npy_parse(flipped, size, &array, NULL)) {
      ++accepted;
      CHECK_EQ_I64(array.bytes, sizeof data);
    }
    pgopt_npy_free(&array);
    free(flipped);
  }
  // Every bit of the data may flip, and few of the header: '<' to '=', a blank
  // to a newline or tab and back ...
  CHECK(accepted >= 8 * (int)sizeof data && accepted < 8 * (int)size / 2);
}

static void files_that_are_not_there(void) {
  pgopt_npy array;
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_npy_read("/nowhere/x.npy", &array, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "'/nowhere/x.npy'");
  CHECK_EQ_I64(pgopt_npy_read("/tmp", &array, &error), PGOPT_IO);
  float data = 1;
  pgopt_element f32 = {PGOPT_ELEMENT_FLOAT, 32};
  CHECK_EQ_I64(pgopt_npy_write("/nowhere/x.npy", f32, NULL, 0, &data, &error),
               PGOPT_IO);
  CHECK_EQ_I64(pgopt_npy_write("/tmp", f32, NULL, 0, &data, &error), PGOPT_IO);
  pgopt_element i4 = {PGOPT_ELEMENT_INTEGER, 4};
  CHECK_EQ_I64(pgopt_npy_write(path, i4, NULL, 0, &data, &error),
               PGOPT_UNSUPPORTED);
  CHECK_CONTAINS(error.message, "no type for i4");
}

int main(void) {
  int file = mkstemp(path);
  if (!CHECK(file >= 0))
    return check_result();
  close(file);
  what_is_written_is_read();
  data_begin_at_a_multiple_of_64();
  versions_orders_and_big_endian();
  hostile_headers_are_refused();
  truncated_and_flipped_files();
  files_that_are_not_there();
  unlink(path);
  return check_result();
}
