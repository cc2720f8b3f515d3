/// \file Writes the Profile graph of a network as DOT or JSON.
/// Requires: tensors (form-kernels runs) or kernel calls, scheduled or not.
/// Preserves: the module, untouched: what is looked up is written on a copy.
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/read_calls.h"
#include "ir/schedule_module.h"
#include "profile/profile_graph_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
  const char *entry, *format, *output, *distance;
  pgopt_store_options store;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; empty: the only public one with tensors or "
     "memrefs"},
    {"format", PGOPT_OPTION_TEXT, offsetof(options, format), "dot",
     "dot or json, as described in docs/profile-graph.md"},
    {"output", PGOPT_OPTION_TEXT, offsetof(options, output), "-",
     "file to write; - is the standard error stream, the module itself goes to "
     "standard output"},
    {"distance", PGOPT_OPTION_TEXT, offsetof(options, distance), "far",
     "between cores, far or near: the distance that form-kernels cuts layers "
     "for, and of two schedules in one entry the one that is shown"},
    PGOPT_STORE_OPTIONS(options, store),
};

enum { KERNELS, BARRIERS, EDGES };

static const pgopt_statistic statistic_table[] = {
    [KERNELS] = {"kernels", "nodes that are kernel calls"},
    [BARRIERS] = {"barriers", "nodes that are other side effects"},
    [EDGES] = {"edges", "dependencies between nodes"},
};

static MlirLogicalResult write_file(MlirOperation module, const char *path,
                                    const pgopt_text *text) {
  bool is_stream = !strcmp(path, "-");
  FILE *file = is_stream ? stderr : fopen(path, "w");
  if (!file)
    return pgopt_emit_error(module, "cannot open '%s' for writing: %s", path,
                            strerror(errno));
  bool good = fwrite(text->data, 1, text->size, file) == text->size;
  good = (is_stream ? fflush(file) : fclose(file)) == 0 && good;
  if (!good)
    return pgopt_emit_error(module, "cannot write '%s': %s", path,
                            strerror(errno));
  return mlirLogicalResultSuccess();
}

static void count(pgopt_pass *pass, const pgopt_profile_graph *graph) {
  for (size_t i = 0; i < graph->node_count; ++i)
    pgopt_pass_count(
        pass, graph->nodes[i].kind == PGOPT_NODE_KERNEL ? KERNELS : BARRIERS,
        1);
  pgopt_pass_count(pass, EDGES, (int64_t)graph->edge_count);
}

/// Exports the network of `module`, which may be changed on the way.
static MlirLogicalResult export_graph(pgopt_pass *pass, MlirOperation module,
                                      bool is_dot) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_call_program program;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_reach_calls(
          pass, module, o->entry, o->distance, &o->store, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_read_calls(module, entry, &program)))
    return mlirLogicalResultFailure();
  pgopt_text text = {0};
  if (is_dot)
    pgopt_profile_graph_to_dot(program.graph, &text);
  else
    pgopt_profile_graph_to_json(program.graph, &text);
  MlirLogicalResult result = write_file(module, o->output, &text);
  if (mlirLogicalResultIsSuccess(result))
    count(pass, program.graph);
  pgopt_text_free(&text);
  pgopt_call_program_free(&program);
  return result;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  bool is_dot = !strcmp(o->format, "dot");
  if (!is_dot && strcmp(o->format, "json"))
    return pgopt_emit_error(module, "format=%s is neither dot nor json",
                            o->format);
  MlirOperation copy = pgopt_nest_copy(module);
  MlirLogicalResult result = export_graph(pass, copy, is_dot);
  mlirOperationDestroy(copy);
  return result;
}

const pgopt_pass_definition pgopt_profile_graph_pass = {
    .argument = "profile-graph",
    .summary = "Write the Profile graph of the network as DOT or JSON",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
