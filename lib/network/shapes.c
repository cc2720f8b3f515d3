#include "network/shapes.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 16, MAX_EXTENT = INT32_MAX };

typedef struct parser {
  const char *text, *at;
  pgopt_error *error;
} parser;

static pgopt_status refuse(const parser *p, const char *what) {
  return pgopt_fail(p->error, PGOPT_INVALID,
                    "'%s' is not a list of shapes: %s at '%s'; it must be as "
                    "in arg0:1x3x224x224,arg1:7",
                    p->text, what, p->at);
}

/// Decimal digits, at most `most`; false for anything else.
static bool read_number(parser *p, int64_t most, int64_t *number) {
  *number = 0;
  if (!isdigit((unsigned char)*p->at))
    return false;
  for (; isdigit((unsigned char)*p->at); ++p->at) {
    *number = 10 * *number + (*p->at - '0');
    if (*number > most)
      return false;
  }
  return true;
}

static pgopt_status read_shape(parser *p, pgopt_arena *arena,
                               pgopt_argument_shape *shape) {
  int64_t extents[MAX_RANK], argument;
  if (strncmp(p->at, "arg", 3))
    return refuse(p, "an argument is expected");
  p->at += 3;
  if (!read_number(p, MAX_EXTENT, &argument))
    return refuse(p, "an argument's number is expected");
  if (*p->at != ':')
    return refuse(p, "':' is expected");
  shape->argument = (size_t)argument;
  do {
    ++p->at;
    if (shape->rank == MAX_RANK)
      return refuse(p, "at most 16 dimensions are expected");
    if (!read_number(p, MAX_EXTENT, &extents[shape->rank]) ||
        !extents[shape->rank])
      return refuse(p, "an extent from 1 to 2147483647 is expected");
    ++shape->rank;
  } while (*p->at == 'x');
  shape->extents =
      pgopt_arena_copy(arena, extents, shape->rank * sizeof *extents);
  return PGOPT_OK;
}

pgopt_status pgopt_shapes_parse(const char *text, pgopt_arena *arena,
                                pgopt_shapes *shapes, pgopt_error *error) {
  parser p = {text, text, error};
  pgopt_argument_shape *list = NULL;
  size_t count = 0, capacity = 0;
  pgopt_status status = PGOPT_OK;
  *shapes = (pgopt_shapes){0};
  while (*p.at && !status) {
    pgopt_argument_shape shape = {0};
    status = read_shape(&p, arena, &shape);
    for (size_t i = 0; i < count && !status; ++i)
      if (list[i].argument == shape.argument)
        status = refuse(&p, "an argument that was not named before is "
                            "expected");
    if (!status && *p.at && *p.at != ',')
      status = refuse(&p, "',' or 'x' is expected");
    if (!status && *p.at == ',') {
      ++p.at;
      if (!*p.at)
        status = refuse(&p, "another argument is expected");
    }
    if (!status)
      PGOPT_APPEND(list, count, capacity, shape);
  }
  if (!status)
    *shapes = (pgopt_shapes){
        pgopt_arena_copy(arena, list, count * sizeof *list), count};
  free(list);
  return status;
}
