#include "npy/npy.h"

#include "base/file.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/// The header's dictionary while it is parsed.
typedef struct header {
  const char *at, *end;
  bool has_descr, has_order, has_shape;
  bool is_big_endian, is_fortran;
  char kind; ///< 'f', 'i', 'u', 'b', 'V'
  int item_bytes;
  pgopt_npy *array;
} header;

static pgopt_status invalid(pgopt_error *error, const char *what) {
  return pgopt_fail(error, PGOPT_INVALID, "not a valid npy file: %s", what);
}

static void skip_blanks(header *h) {
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
    ++h->at;
}

/// Skips blanks and the character; false when it is not there.
static bool accept(header *h, char c) {
  skip_blanks(h);
  if (h->at == h->end || *h->at != c)
    return false;
  ++h->at;
  return true;
}

static bool accept_word(header *h, const char *word) {
  skip_blanks(h);
  size_t length = strlen(word);
  if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length))
    return false;
  h->at += length;
  return true;
}

/// A quoted text of less than `size` bytes.
static bool accept_text(header *h, char *text, size_t size) {
  skip_blanks(h);
  if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
    return false;
  char quote = *h->at++;
  size_t length = 0;
  while (h->at < h->end && *h->at != quote) {
    if (length + 1 == size)
      return false;
    text[length++] = *h->at++;
  }
  text[length] = 0;
  return accept(h, quote);
}

static pgopt_status parse_descr(header *h, pgopt_error *error) {
  char text[16] = {0};
  skip_blanks(h);
  if (h->at < h->end && *h->at == '[')
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "records are not supported, only plain numbers");
  if (!accept_text(h, text, sizeof text))
    return invalid(error, "'descr' is not a short text");
  size_t length = strlen(text);
  if (length < 3 || !strchr("<>|=", text[0]))
    return pgopt_fail(error, PGOPT_UNSUPPORTED, "type '%s' is not supported",
                      text);
  h->is_big_endian = text[0] == '>';
  h->kind = text[1];
  h->item_bytes =
      length == 3 && isdigit((unsigned char)text[2]) ? text[2] - '0' : 0;
  int bytes = h->item_bytes;
  bool is_power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  bool is_known = (h->kind == 'f' && is_power && bytes > 1) ||
                  ((h->kind == 'i' || h->kind == 'u') && is_power) ||
                  (h->kind == 'b' && bytes == 1) ||
                  (h->kind == 'V' && bytes == 2);
  if (!is_known || (text[0] == '|' && bytes > 1 && h->kind != 'V'))
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "type '%s' is not supported, only f2 f4 f8, i1 to i8, "
                      "u1 to u8, b1 and V2 (bfloat16)",
                      text);
  h->array->element.kind = h->kind == 'f'   ? PGOPT_ELEMENT_FLOAT
                           : h->kind == 'V' ? PGOPT_ELEMENT_BFLOAT
                                            : PGOPT_ELEMENT_INTEGER;
  h->array->element.bits = h->kind == 'b' ? 1 : 8 * bytes;
  return PGOPT_OK;
}

static pgopt_status parse_shape(header *h, pgopt_error *error) {
  if (!accept(h, '('))
    return invalid(error, "'shape' is not a tuple");
  pgopt_npy *array = h->array;
  for (bool comma = true; !accept(h, ')'); comma = accept(h, ',')) {
    skip_blanks(h);
    if (!comma || h->at == h->end || !isdigit((unsigned char)*h->at))
      return invalid(error, "'shape' is not a tuple of sizes");
    if (array->rank == PGOPT_NPY_MAX_RANK)
      return pgopt_fail(error, PGOPT_UNSUPPORTED,
                        "more than %d dimensions are not supported",
                        PGOPT_NPY_MAX_RANK);
    int64_t extent = 0;
    for (; h->at < h->end && isdigit((unsigned char)*h->at); ++h->at)
      if (__builtin_mul_overflow(extent, 10, &extent) ||
          __builtin_add_overflow(extent, *h->at - '0', &extent))
        return invalid(error, "a size in 'shape' is too large");
    accept(h, 'L'); // written by Python 2
    array->extents[array->rank++] = extent;
  }
  return PGOPT_OK;
}

static pgopt_status parse_item(header *h, pgopt_error *error) {
  char key[16];
  if (!accept_text(h, key, sizeof key) || !accept(h, ':'))
    return invalid(error, "the header is not a dictionary");
  bool *seen = !strcmp(key, "descr")           ? &h->has_descr
               : !strcmp(key, "fortran_order") ? &h->has_order
               : !strcmp(key, "shape")         ? &h->has_shape
                                               : NULL;
  if (!seen || *seen)
    return invalid(error, "the header has keys other than 'descr', "
                          "'fortran_order' and 'shape' once each");
  *seen = true;
  if (seen == &h->has_descr)
    return parse_descr(h, error);
  if (seen == &h->has_shape)
    return parse_shape(h, error);
  h->is_fortran = accept_word(h, "True");
  if (!h->is_fortran && !accept_word(h, "False"))
    return invalid(error, "'fortran_order' is neither True nor False");
  return PGOPT_OK;
}

static pgopt_status parse_header(header *h, pgopt_error *error) {
  if (!accept(h, '{'))
    return invalid(error, "the header is not a dictionary");
  for (bool comma = true; !accept(h, '}'); comma = accept(h, ',')) {
    if (!comma)
      return invalid(error, "the header is not a dictionary");
    pgopt_status status = parse_item(h, error);
    if (status)
      return status;
  }
  skip_blanks(h);
  if (h->at != h->end)
    return invalid(error, "bytes follow the header's dictionary");
  if (!h->has_descr || !h->has_order || !h->has_shape)
    return invalid(error, "the header lacks 'descr', 'fortran_order' or "
                          "'shape'");
  return PGOPT_OK;
}

/// Copies to row-major, little-endian memory; any value but 0 of a b1 is 1.
static void convert(const header *h, const unsigned char *source,
                    unsigned char *target) {
  const pgopt_npy *array = h->array;
  int64_t size = h->item_bytes, count = array->bytes / size;
  int64_t position[PGOPT_NPY_MAX_RANK] = {0};
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = i;
    if (h->is_fortran) {
      from = 0;
      for (size_t k = array->rank; k-- > 0;)
        from = from * array->extents[k] + position[k];
      for (size_t k = array->rank; k-- > 0;) {
        if (++position[k] < array->extents[k])
          break;
        position[k] = 0;
      }
    }
    if (h->kind == 'b') {
      target[i] = source[from] != 0;
      continue;
    }
    for (int64_t b = 0; b < size; ++b)
      target[i * size + b] =
          source[from * size + (h->is_big_endian ? size - 1 - b : b)];
  }
}

static pgopt_status parse(const unsigned char *bytes, size_t size,
                          pgopt_npy *array, pgopt_error *error) {
  if (size < 10 || memcmp(bytes, magic, sizeof magic))
    return invalid(error, "it does not begin with \\x93NUMPY");
  int major = bytes[6];
  if (major < 1 || major > 3 || bytes[7])
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "version %d.%d is not supported, only 1.0, 2.0 and 3.0",
                      major, bytes[7]);
  size_t begin = major == 1 ? 10 : 12;
  if (size < begin)
    return invalid(error, "it ends inside the header");
  size_t length = bytes[8] | (size_t)bytes[9] << 8;
  if (major > 1)
    length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > size - begin)
    return invalid(error, "it ends inside the header");
  header h = {.at = (const char *)bytes + begin,
              .end = (const char *)bytes + begin + length,
              .array = array};
  pgopt_status status = parse_header(&h, error);
  if (status)
    return status;
  size_t rest = size - begin - length;
  if (!pgopt_element_total_bytes(array->element, array->extents, array->rank,
                                 &array->bytes))
    return invalid(error, "'shape' is too large");
  if ((uint64_t)array->bytes != rest)
    return pgopt_fail(error, PGOPT_INVALID,
                      "not a valid npy file: its shape needs %lld bytes of "
                      "data, it has %zu",
                      (long long)array->bytes, rest);
  array->data = malloc(rest ? rest : 1);
  if (!array->data)
    return pgopt_fail(error, PGOPT_NO_MEMORY, "no memory for its %zu bytes",
                      rest);
  if (h.is_fortran || h.is_big_endian || h.kind == 'b')
    convert(&h, bytes + begin + length, array->data);
  else
    memcpy(array->data, bytes + begin + length, rest);
  return PGOPT_OK;
}

pgopt_status pgopt_npy_parse(const void *bytes, size_t size, pgopt_npy *array,
                             pgopt_error *error) {
  *array = (pgopt_npy){0};
  pgopt_status status = parse(bytes, size, array, error);
  if (status)
    *array = (pgopt_npy){0};
  return status;
}

pgopt_status pgopt_npy_read(const char *path, pgopt_npy *array,
                            pgopt_error *error) {
  *array = (pgopt_npy){0};
  void *bytes;
  size_t size;
  pgopt_status status = pgopt_file_read(path, &bytes, &size, error);
  if (status)
    return status;
  pgopt_error inner = {0};
  status = pgopt_npy_parse(bytes, size, array, &inner);
  free(bytes);
  if (status)
    pgopt_fail(error, status, "cannot read '%s': %.300s", path, inner.message);
  return status;
}

/// NumPy's name of the type, null when it has none.
static const char *descr_of(pgopt_element element) {
  static const char *const integers[] = {"|i1", "<i2", "<i4", "<i8"};
  static const char *const floats[] = {"", "<f2", "<f4", "<f8"};
  if (element.kind == PGOPT_ELEMENT_BFLOAT)
    return "|V2";
  if (element.bits == 1)
    return "|b1";
  int power = element.bits == 8    ? 0
              : element.bits == 16 ? 1
              : element.bits == 32 ? 2
              : element.bits == 64 ? 3
                                   : -1;
  if (power < 0)
    return NULL;
  return element.kind == PGOPT_ELEMENT_FLOAT ? floats[power] : integers[power];
}

pgopt_status pgopt_npy_write(const char *path, pgopt_element element,
                             const int64_t *extents, size_t rank,
                             const void *data, pgopt_error *error) {
  const char *descr = descr_of(element);
  int64_t bytes;
  if (!descr) {
    char name[8];
    pgopt_element_name(element, name);
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "cannot write '%s': npy files have no type for %s", path,
                      name);
  }
  if (!pgopt_element_total_bytes(element, extents, rank, &bytes))
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "cannot write '%s': the array is too large", path);
  pgopt_text text = {0};
  pgopt_text_append(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                    descr);
  for (size_t i = 0; i < rank; ++i)
    pgopt_text_append(&text, rank == 1 || i + 1 < rank ? "%lld, " : "%lld",
                      (long long)extents[i]);
  pgopt_text_append(&text, "), }");
  // Magic, version and length take 10 bytes; data begin at a multiple of 64.
  size_t padded = (10 + text.size + 1 + 63) / 64 * 64 - 10;
  pgopt_text whole = {0};
  pgopt_text_append_bytes(&whole, magic, sizeof magic);
  const char version_and_length[4] = {1, 0, (char)(padded & 255),
                                      (char)(padded >> 8)};
  pgopt_text_append_bytes(&whole, version_and_length, 4);
  pgopt_text_append(&whole, "%-*s\n", (int)padded - 1, text.data);
  pgopt_text_append_bytes(&whole, data, (size_t)bytes);
  pgopt_status status = pgopt_file_write(path, whole.data, whole.size, error);
  pgopt_text_free(&text);
  pgopt_text_free(&whole);
  return status;
}

void pgopt_npy_free(pgopt_npy *array) {
  free(array->data);
  *array = (pgopt_npy){0};
}
