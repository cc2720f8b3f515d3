/// \file The Profile graph as text. Numbers are integers throughout: they do
/// not depend on the locale of the program that pgopt is embedded in.
#include "profile/profile_graph_export.h"

#include "base/checked_math.h"

#include <string.h>

/// Length of the UTF-8 sequence at `text`; 0 when it is none.
static size_t utf8_length(const unsigned char *text) {
  size_t length = text[0] < 0x80                       ? 1
                  : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                  : text[0] >= 0xe0 && text[0] <= 0xef ? 3
                  : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                       : 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  bool is_overlong = (text[0] == 0xe0 && text[1] < 0xa0) ||
                     (text[0] == 0xf0 && text[1] < 0x90);
  bool is_beyond = (text[0] == 0xed && text[1] > 0x9f) ||
                   (text[0] == 0xf4 && text[1] > 0x8f);
  return is_overlong || is_beyond ? 0 : length;
}

/// Appends the text; what is not UTF-8 becomes U+FFFD. Names come from
/// attributes, which may hold any bytes.
static void append_clean(pgopt_text *text, const char *value) {
  const unsigned char *at = (const unsigned char *)value;
  while (*at) {
    size_t length = utf8_length(at);
    if (length)
      pgopt_text_append_bytes(text, (const char *)at, length);
    else
      pgopt_text_append(text, "\xef\xbf\xbd");
    at += length ? length : 1;
  }
}

static void append_json_text(pgopt_text *text, const char *value) {
  pgopt_text clean = {0};
  append_clean(&clean, value);
  pgopt_text_append_json(text, pgopt_text_get(&clean));
  pgopt_text_free(&clean);
}

/// Appends a quoted DOT string; a line break becomes one in the picture.
static void append_dot_text(pgopt_text *text, const char *value) {
  pgopt_text clean = {0};
  append_clean(&clean, value);
  pgopt_text_append(text, "\"");
  for (const char *c = pgopt_text_get(&clean); *c; ++c) {
    if (*c == '"' || *c == '\\')
      pgopt_text_append(text, "\\%c", *c);
    else if (*c == '\n')
      pgopt_text_append(text, "\\n");
    else
      pgopt_text_append_bytes(text, (unsigned char)*c < 0x20 ? " " : c, 1);
  }
  pgopt_text_append(text, "\"");
  pgopt_text_free(&clean);
}

/// Sums over all kernels; saturated.
typedef struct totals {
  int64_t lflops, bytes, time_ns, slowest_ns;
  size_t kernels, without_lflops, without_timing;
  int64_t cores;
} totals;

static void add_to(int64_t *sum, int64_t value) {
  if (!pgopt_checked_add(*sum, value, sum))
    *sum = INT64_MAX;
}

static totals sum_up(const pgopt_profile_graph *graph) {
  totals t = {0};
  for (size_t i = 0; i < graph->node_count; ++i) {
    const pgopt_graph_node *node = &graph->nodes[i];
    if (node->core >= t.cores)
      t.cores = node->core + 1;
    if (node->kind == PGOPT_NODE_BARRIER)
      continue;
    ++t.kernels;
    add_to(&t.lflops, node->has_lflops ? node->lflops : 0);
    add_to(&t.bytes, node->has_bytes ? node->bytes : 0);
    t.without_lflops += !node->has_lflops;
    t.without_timing += !node->timing.runs;
    if (!node->timing.runs)
      continue;
    add_to(&t.time_ns, node->timing.median_ns);
    if (node->timing.median_ns > t.slowest_ns)
      t.slowest_ns = node->timing.median_ns;
  }
  return t;
}

static void append_dot_label(const pgopt_graph_node *node, pgopt_text *text) {
  pgopt_text label = {0};
  pgopt_text_append(&label, "%s", *node->layer ? node->layer : node->function);
  if (*node->phase && strcmp(node->phase, "main"))
    pgopt_text_append(&label, " %s", node->phase);
  if (node->parts > 1)
    pgopt_text_append(&label, " part %lld of %lld", (long long)node->part,
                      (long long)node->parts);
  pgopt_text_append(&label, "\n@%s\n", node->function);
  if (node->has_lflops)
    pgopt_text_append(&label, "%lld Lflops", (long long)node->lflops);
  else
    pgopt_text_append(&label, "Lflops unknown");
  if (node->timing.runs)
    pgopt_text_append(&label, "\n%lld ns", (long long)node->timing.median_ns);
  if (node->slot != PGOPT_NO_CORE)
    pgopt_text_append(&label, "\nslot %lld", (long long)node->slot);
  append_dot_text(text, label.data);
  pgopt_text_free(&label);
}

/// Thousandths of the colour wheel, red for core 0: by steps of the golden
/// section, neighbours are far apart and none is met again soon.
static int core_hue(int64_t core) {
  return core == PGOPT_NO_CORE ? 0 : (int)((uint64_t)core * 618 % 1000);
}

static void append_dot_node(const pgopt_profile_graph *graph, size_t index,
                            const totals *t, pgopt_text *text) {
  const pgopt_graph_node *node = &graph->nodes[index];
  pgopt_text_append(text, "    n%zu [label=", index);
  if (node->kind == PGOPT_NODE_BARRIER) {
    append_dot_text(text, node->function);
    pgopt_text_append(text, ", shape=plaintext");
  } else {
    append_dot_label(node, text);
  }
  if (node->timing.runs && t->slowest_ns) {
    // From white to red, or to the core's colour: the share of the slowest
    // kernel's time.
    int share =
        (int)((double)node->timing.median_ns / (double)t->slowest_ns * 999);
    pgopt_text_append(text, ", fillcolor=\"0.%03d 0.%03d 1.0\"",
                      core_hue(node->core), share);
  }
  if (node->core != PGOPT_NO_CORE)
    pgopt_text_append(text, ", color=\"0.%03d 1.0 0.7\", penwidth=2",
                      core_hue(node->core));
  pgopt_text_append(text, "];\n");
}

/// The nodes of one core, in a frame when there is a schedule.
static void append_dot_core(const pgopt_profile_graph *graph, int64_t core,
                            const totals *t, pgopt_text *text) {
  if (core != PGOPT_NO_CORE)
    pgopt_text_append(text,
                      "  subgraph cluster_core%lld {\n"
                      "    label=\"core %lld\";\n"
                      "    color=\"0.%03d 1.0 0.7\";\n",
                      (long long)core, (long long)core, core_hue(core));
  for (size_t i = 0; i < graph->node_count; ++i)
    if (graph->nodes[i].core == core)
      append_dot_node(graph, i, t, text);
  if (core != PGOPT_NO_CORE)
    pgopt_text_append(text, "  }\n");
}

void pgopt_profile_graph_to_dot(const pgopt_profile_graph *graph,
                                pgopt_text *text) {
  totals t = sum_up(graph);
  pgopt_text_append(text, "digraph ");
  append_dot_text(text, graph->entry);
  pgopt_text_append(text, " {\n  node [shape=box, style=filled, "
                          "fillcolor=white];\n");
  for (int64_t core = PGOPT_NO_CORE; core < t.cores; ++core)
    append_dot_core(graph, core, &t, text);
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    pgopt_text_append(text, "  n%zu -> n%zu", edge->from, edge->to);
    if (edge->bytes)
      pgopt_text_append(text, " [label=\"%lld B\"];\n", (long long)edge->bytes);
    else
      pgopt_text_append(text, " [style=dashed];\n");
  }
  pgopt_text_append(text, "}\n");
}

static const char *buffer_kind_name(pgopt_buffer_kind kind) {
  static const char *const names[] = {"argument", "constant", "parameter",
                                      "value"};
  return names[kind];
}

static void append_number_or_null(pgopt_text *text, const char *name,
                                  bool is_known, int64_t value) {
  if (is_known)
    pgopt_text_append(text, ", \"%s\": %lld", name, (long long)value);
  else
    pgopt_text_append(text, ", \"%s\": null", name);
}

static void append_json_timing(const pgopt_node_timing *timing,
                               pgopt_text *text) {
  if (!timing->runs) {
    pgopt_text_append(text, ", \"timing\": null");
    return;
  }
  pgopt_text_append(text,
                    ", \"timing\": {\"median_ns\": %lld, \"min_ns\": %lld, "
                    "\"mad_ns\": %lld, \"runs\": %lld, \"source\": ",
                    (long long)timing->median_ns, (long long)timing->min_ns,
                    (long long)timing->mad_ns, (long long)timing->runs);
  append_json_text(text, timing->source);
  pgopt_text_append(text, "}");
}

static void append_json_node(const pgopt_profile_graph *graph, size_t index,
                             pgopt_text *text) {
  const pgopt_graph_node *node = &graph->nodes[index];
  pgopt_text_append(text,
                    "    {\"id\": %zu, \"kind\": \"%s\", \"function\": ", index,
                    node->kind == PGOPT_NODE_KERNEL ? "kernel" : "barrier");
  append_json_text(text, node->function);
  if (node->kind == PGOPT_NODE_KERNEL) {
    pgopt_text_append(text, ", \"layer\": ");
    append_json_text(text, node->layer);
    pgopt_text_append(text, ", \"phase\": ");
    append_json_text(text, node->phase);
    pgopt_text_append(text,
                      ", \"part\": %lld, \"parts\": %lld, "
                      "\"range\": [%lld, %lld]",
                      (long long)node->part, (long long)node->parts,
                      (long long)node->low, (long long)node->high);
    append_number_or_null(text, "lflops", node->has_lflops, node->lflops);
    append_number_or_null(text, "bytes", node->has_bytes, node->bytes);
    append_json_timing(&node->timing, text);
  }
  append_number_or_null(text, "core", node->core != PGOPT_NO_CORE, node->core);
  append_number_or_null(text, "slot", node->slot != PGOPT_NO_CORE, node->slot);
  pgopt_text_append(text, ", \"accesses\": [");
  for (size_t i = 0; i < node->access_count; ++i) {
    const pgopt_buffer_access *access =
        &graph->accesses[node->first_access + i];
    pgopt_text_append(text,
                      "%s{\"mode\": \"%s\", \"buffer\": %zu, \"period\": %lld, "
                      "\"begin\": %lld, \"end\": %lld}",
                      i ? ", " : "", access->writes ? "write" : "read",
                      access->buffer, (long long)access->range.period,
                      (long long)access->range.begin,
                      (long long)access->range.end);
  }
  pgopt_text_append(text, "]}");
}

static void append_json_buffer(const pgopt_profile_graph *graph, size_t index,
                               pgopt_text *text) {
  const pgopt_graph_buffer *buffer = &graph->buffers[index];
  pgopt_text_append(text, "    {\"id\": %zu, \"name\": ", index);
  append_json_text(text, buffer->name);
  pgopt_text_append(text,
                    ", \"kind\": \"%s\", \"elements\": %lld, "
                    "\"element_bytes\": %lld}",
                    buffer_kind_name(buffer->kind), (long long)buffer->elements,
                    (long long)buffer->element_bytes);
}

/// Ends an item of a list: one line an item.
static void end_item(size_t index, size_t count, pgopt_text *text) {
  pgopt_text_append(text, index + 1 < count ? ",\n" : "\n");
}

void pgopt_profile_graph_to_json(const pgopt_profile_graph *graph,
                                 pgopt_text *text) {
  totals t = sum_up(graph);
  pgopt_text_append(text, "{\n  \"format\": 1,\n  \"entry\": ");
  append_json_text(text, graph->entry);
  pgopt_text_append(
      text,
      ",\n  \"cores\": %lld,\n  \"totals\": {\"kernels\": %zu, "
      "\"lflops\": %lld, \"kernels_without_lflops\": %zu, \"bytes\": %lld, "
      "\"time_ns\": %lld, \"kernels_without_timing\": %zu},\n",
      (long long)t.cores, t.kernels, (long long)t.lflops, t.without_lflops,
      (long long)t.bytes, (long long)t.time_ns, t.without_timing);
  pgopt_text_append(text, "  \"buffers\": [\n");
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    append_json_buffer(graph, i, text);
    end_item(i, graph->buffer_count, text);
  }
  pgopt_text_append(text, "  ],\n  \"nodes\": [\n");
  for (size_t i = 0; i < graph->node_count; ++i) {
    append_json_node(graph, i, text);
    end_item(i, graph->node_count, text);
  }
  pgopt_text_append(text, "  ],\n  \"edges\": [\n");
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    pgopt_text_append(text, "    {\"from\": %zu, \"to\": %zu, \"bytes\": %lld}",
                      edge->from, edge->to, (long long)edge->bytes);
    end_item(i, graph->edge_count, text);
  }
  pgopt_text_append(text, "  ]\n}\n");
}
