/// \file Growing texts, and statuses with their messages.
#include "base/status.h"
#include "base/text.h"
#include "check.h"

static void test_append(void) {
  pgopt_text text = {0};
  CHECK_EQ_TEXT(pgopt_text_get(&text), "");
  pgopt_text_append(&text, "%s %d", "core", 3);
  pgopt_text_append(&text, "%s", "");
  pgopt_text_append_bytes(&text, ", slot 5", 6);
  CHECK_EQ_TEXT(pgopt_text_get(&text), "core 3, slot");
  CHECK_EQ_I64(text.size, 12);
  pgopt_text_free(&text);
  CHECK(!text.data && !text.size && !text.capacity);
}

static void test_long(void) {
  pgopt_text text = {0};
  for (int i = 0; i < 1009; ++i)
    pgopt_text_append(&text, "%07d", i);
  CHECK_EQ_I64(text.size, 7 * 1009);
  CHECK_EQ_I64(strlen(text.data), text.size);
  CHECK(!strncmp(text.data + 7 * 1008, "0001008", 8));
  pgopt_text_free(&text);
}

static void test_bytes_with_zero(void) {
  pgopt_text text = {0};
  pgopt_text_append_bytes(&text, "a\0b", 3);
  CHECK_EQ_I64(text.size, 3);
  CHECK(!memcmp(text.data, "a\0b", 4));
  pgopt_text_append_bytes(&text, NULL, 0);
  CHECK_EQ_I64(text.size, 3);
  pgopt_text_free(&text);
}

static void test_json(void) {
  pgopt_text text = {0};
  pgopt_text_append_json(&text, "a\"b\\c\n\x1f/\xc3\xa9");
  CHECK_EQ_TEXT(pgopt_text_get(&text),
                "\"a\\\"b\\\\c\\u000a\\u001f/\xc3\xa9\"");
  pgopt_text_free(&text);
  pgopt_text_append_json(&text, "");
  CHECK_EQ_TEXT(pgopt_text_get(&text), "\"\"");
  pgopt_text_free(&text);
}

static void test_fail(void) {
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_fail(&error, PGOPT_IO, "no %s", "file"), PGOPT_IO);
  CHECK_EQ_I64(error.status, PGOPT_IO);
  CHECK_EQ_TEXT(error.message, "no file");
  CHECK_EQ_I64(pgopt_fail(NULL, PGOPT_INVALID, "unseen"), PGOPT_INVALID);
  pgopt_fail(&error, PGOPT_INVALID, "%*s", 2 * PGOPT_ERROR_SIZE, "end");
  CHECK_EQ_I64(strlen(error.message), PGOPT_ERROR_SIZE - 1);
}

int main(void) {
  test_append();
  test_long();
  test_bytes_with_zero();
  test_json();
  test_fail();
  return check_result();
}
