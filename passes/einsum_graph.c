/// \file Writes the Einsum graph of a network: every multiply-accumulate with
/// its equation.
/// Requires: linalg on tensors or memrefs; TOSA shows no equations before it is
/// normalised. Preserves: everything.
#include "einsum/einsum_graph.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/read_network.h"
#include "passes/passes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
  const char *entry, *format, *output;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"format", PGOPT_OPTION_TEXT, offsetof(options, format), "dot",
     "dot, json, or equations: a line a multiply-accumulate"},
    {"output", PGOPT_OPTION_TEXT, offsetof(options, output), "-",
     "file to write; - is the standard error stream, the module itself goes to "
     "standard output"},
};

enum { EINSUMS, OTHERS, EDGES };

static const pgopt_statistic statistic_table[] = {
    {"einsums", "nodes that are multiply-accumulates"},
    {"others", "nodes that are other operations"},
    {"edges", "values between nodes, and from arguments"},
};

static MlirLogicalResult write_file(MlirOperation module, const char *path,
                                    const pgopt_text *text) {
  bool is_stream = !strcmp(path, "-");
  FILE *file = is_stream ? stderr : fopen(path, "w");
  if (!file)
    return pgopt_emit_error(module, "cannot open '%s' for writing: %s", path,
                            strerror(errno));
  bool good = fwrite(pgopt_text_get(text), 1, text->size, file) == text->size;
  good = (is_stream ? fflush(file) : fclose(file)) == 0 && good;
  if (!good)
    return pgopt_emit_error(module, "cannot write '%s': %s", path,
                            strerror(errno));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  static const struct {
    const char *format;
    void (*write)(const pgopt_network *, pgopt_text *, pgopt_einsum_counts *);
  } writers[] = {{"dot", pgopt_einsum_graph_to_dot},
                 {"json", pgopt_einsum_graph_to_json},
                 {"equations", pgopt_einsum_graph_to_equations}};
  const options *o = pgopt_pass_options(pass);
  size_t writer = 0, count = sizeof writers / sizeof *writers;
  while (writer < count && strcmp(writers[writer].format, o->format))
    ++writer;
  if (writer == count)
    return pgopt_emit_error(
        module, "format=%s is neither dot, json nor equations", o->format);
  MlirOperation entry;
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return mlirLogicalResultFailure();
  pgopt_text text = {0};
  pgopt_einsum_counts counts;
  writers[writer].write(&ir.network, &text, &counts);
  MlirLogicalResult result = write_file(module, o->output, &text);
  pgopt_pass_count(pass, EINSUMS, counts.einsums);
  pgopt_pass_count(pass, OTHERS, counts.others);
  pgopt_pass_count(pass, EDGES, counts.edges);
  pgopt_text_free(&text);
  pgopt_ir_network_free(&ir);
  return result;
}

const pgopt_pass_definition pgopt_einsum_graph = {
    .argument = "einsum-graph",
    .summary =
        "Write the Einsum graph of the network as DOT, JSON or equations",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
