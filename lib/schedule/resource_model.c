#include "schedule/resource_model.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Nanoseconds: a second is far beyond any signal.
#define MAX_LATENCY_NS 1000000000

/// Percent: a resource may be so many times as fast.
#define MAX_SPEED 100000

static pgopt_status check_number(const char *name, int64_t value, int64_t least,
                                 int64_t most, pgopt_error *error) {
  if (value >= least && value <= most)
    return PGOPT_OK;
  return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                    "%s is %lld, allowed are %lld to %lld", name,
                    (long long)value, (long long)least, (long long)most);
}

pgopt_status pgopt_resource_model_check(const pgopt_resource_model *model,
                                        pgopt_error *error) {
  const struct {
    const char *name;
    int64_t value, least, most;
  } numbers[] = {
      {"count", model->count, 1, PGOPT_MAX_RESOURCES},
      {"nodes", model->nodes, 0, model->count},
      {"node-latency", model->node_latency_ns, 0, MAX_LATENCY_NS},
      {"rows", model->rows, 0, PGOPT_MAX_RESOURCES},
      {"columns", model->columns, 0, PGOPT_MAX_RESOURCES},
      {"hop-latency", model->hop_latency_ns, 0, MAX_LATENCY_NS},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    pgopt_status status =
        check_number(numbers[i].name, numbers[i].value, numbers[i].least,
                     numbers[i].most, error);
    if (status)
      return status;
  }
  if (model->nodes && model->count % model->nodes)
    return pgopt_fail(error, PGOPT_INVALID,
                      "%lld resources cannot be dealt to %lld nodes evenly",
                      (long long)model->count, (long long)model->nodes);
  if ((model->rows || model->columns) &&
      model->rows * model->columns != model->count)
    return pgopt_fail(error, PGOPT_INVALID,
                      "%lld rows of %lld are not %lld resources",
                      (long long)model->rows, (long long)model->columns,
                      (long long)model->count);
  for (int64_t i = 0; model->speeds && i < model->count; ++i)
    if (check_number("speeds", model->speeds[i], 1, MAX_SPEED, error))
      return error ? error->status : PGOPT_OUT_OF_RANGE;
  return PGOPT_OK;
}

/// A whole number at `*at`, which moves behind it.
static pgopt_status read_number(const char *key, const char **at,
                                int64_t *value, pgopt_error *error) {
  char *end;
  errno = 0;
  *value = strtoll(*at, &end, 10);
  if (errno || end == *at)
    return pgopt_fail(error, PGOPT_INVALID, "%s=%s: not a number", key, *at);
  *at = end;
  return PGOPT_OK;
}

typedef struct parser {
  pgopt_resource_model *model;
  size_t speed_count, speed_capacity;
} parser;

static pgopt_status read_speeds(parser *p, const char **at,
                                pgopt_error *error) {
  for (;; ++*at) {
    int64_t speed;
    pgopt_status status = read_number("speeds", at, &speed, error);
    if (status)
      return status;
    if (p->speed_count == PGOPT_MAX_RESOURCES)
      return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                        "speeds: more than %d numbers", PGOPT_MAX_RESOURCES);
    PGOPT_APPEND(p->model->speeds, p->speed_count, p->speed_capacity, speed);
    if (**at != ',')
      return PGOPT_OK;
  }
}

/// One "key=value" at `*at`, which moves behind it.
static pgopt_status read_pair(parser *p, const char **at, pgopt_error *error) {
  const struct {
    const char *key;
    int64_t *value;
  } keys[] = {
      {"count", &p->model->count},
      {"nodes", &p->model->nodes},
      {"node-latency", &p->model->node_latency_ns},
      {"rows", &p->model->rows},
      {"columns", &p->model->columns},
      {"hop-latency", &p->model->hop_latency_ns},
      {"speeds", NULL},
  };
  size_t length = strcspn(*at, "= ");
  for (size_t i = 0; (*at)[length] == '=' && i < sizeof keys / sizeof *keys;
       ++i) {
    if (strlen(keys[i].key) != length || strncmp(*at, keys[i].key, length))
      continue;
    *at += length + 1;
    pgopt_status status =
        keys[i].value ? read_number(keys[i].key, at, keys[i].value, error)
                      : read_speeds(p, at, error);
    if (!status && **at && **at != ' ')
      status = pgopt_fail(error, PGOPT_INVALID, "%s: '%s' is left over",
                          keys[i].key, *at);
    return status;
  }
  return pgopt_fail(error, PGOPT_INVALID,
                    "'%s' is neither a number nor count=, speeds=, nodes=, "
                    "node-latency=, rows=, columns= or hop-latency=",
                    *at);
}

pgopt_status pgopt_resource_model_parse(const char *text,
                                        pgopt_resource_model *model,
                                        pgopt_error *error) {
  *model = (pgopt_resource_model){0};
  parser p = {.model = model};
  pgopt_status status = PGOPT_OK;
  const char *at = text + strspn(text, " ");
  if (*at >= '0' && *at <= '9' && !strchr(at, '=')) {
    status = read_number("count", &at, &model->count, error);
    if (!status && *at)
      status = pgopt_fail(error, PGOPT_INVALID, "'%s' is not a number", text);
  } else {
    for (; *at && !status; at += strspn(at, " "))
      status = read_pair(&p, &at, error);
  }
  if (!status && !model->count && model->rows > 0 &&
      model->rows <= PGOPT_MAX_RESOURCES &&
      model->columns <= PGOPT_MAX_RESOURCES)
    model->count = model->rows * model->columns;
  if (!status && !model->count)
    model->count = (int64_t)p.speed_count;
  if (!status && model->speeds && (int64_t)p.speed_count != model->count)
    status = pgopt_fail(error, PGOPT_INVALID,
                        "%zu speeds for %lld resources, give one number each",
                        p.speed_count, (long long)model->count);
  if (!status)
    status = pgopt_resource_model_check(model, error);
  if (status)
    pgopt_resource_model_free(model);
  return status;
}

void pgopt_resource_model_free(pgopt_resource_model *model) {
  free(model->speeds);
  *model = (pgopt_resource_model){0};
}

double pgopt_resource_distance(const pgopt_resource_model *model, int64_t from,
                               int64_t to) {
  if (!model || from == to)
    return 0;
  double distance_ns = 0;
  if (model->nodes) {
    int64_t of_node = model->count / model->nodes;
    if (from / of_node != to / of_node)
      distance_ns += (double)model->node_latency_ns;
  }
  if (model->columns) {
    int64_t rows = from / model->columns - to / model->columns;
    int64_t columns = from % model->columns - to % model->columns;
    distance_ns +=
        (double)model->hop_latency_ns * (double)(llabs(rows) + llabs(columns));
  }
  return distance_ns;
}

int64_t pgopt_resource_fastest(const pgopt_resource_model *model) {
  int64_t fastest = 0;
  for (int64_t i = 1; model && model->speeds && i < model->count; ++i)
    if (model->speeds[i] > model->speeds[fastest])
      fastest = i;
  return fastest;
}

double pgopt_resource_power(const pgopt_resource_model *model, int64_t count) {
  if (!model || !model->speeds)
    return (double)count;
  double power = 0;
  for (int64_t i = 0; i < model->count; ++i)
    power += (double)model->speeds[i] / 100;
  return power;
}
