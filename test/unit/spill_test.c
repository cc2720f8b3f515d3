/// \file The hot loops of the default tiles keep everything in registers: every
/// tile of the table is compiled, disassembled, and its innermost loops with
/// multiply-adds must not touch the stack.
///
/// usage: spill_test LLVM-OBJDUMP
#include "check.h"
#include "kernel_case.h"
#include "kernel_program.h"

#include <stdlib.h>
#include <unistd.h>

enum { MAX_LINES = 1 << 16, LINE = 160 };

typedef struct instruction {
  long address, target; ///< of a jump back, else -1
  bool is_product, uses_stack;
} instruction;

static MlirContext context;
static const char *objdump;
static instruction code[MAX_LINES];

/// Reads "  12f: \tjne\t0x40 <forward+0x40>". False for other lines.
static bool read_instruction(const char *line, instruction *read) {
  char mnemonic[24];
  int end = 0;
  *read = (instruction){.target = -1};
  if (sscanf(line, " %lx: %23s%n", (unsigned long *)&read->address, mnemonic,
             &end) < 2)
    return false;
  unsigned long target;
  if (mnemonic[0] == 'j' && sscanf(line + end, " 0x%lx", &target) == 1 &&
      (long)target <= read->address)
    read->target = (long)target;
  read->is_product = strstr(mnemonic, "fmadd") || strstr(mnemonic, "fmsub");
  read->uses_stack = strstr(line + end, "(%rsp");
  return true;
}

static size_t disassemble(const char *path) {
  char command[256], line[LINE];
  size_t count = 0;
  snprintf(command, sizeof command, "%s -d --no-show-raw-insn %s", objdump,
           path);
  FILE *output = popen(command, "r");
  if (!CHECK(output))
    return 0;
  while (fgets(line, sizeof line, output))
    if (count < MAX_LINES && read_instruction(line, &code[count]))
      ++count;
  CHECK_EQ_I64(pclose(output), 0);
  return count;
}

/// Hot loops among the instructions; adds how many of them touch the stack.
static int count_hot_loops(size_t count, int *spilling) {
  int loops = 0;
  for (size_t last = 0; last < count; ++last) {
    if (code[last].target < 0)
      continue;
    bool is_innermost = true, is_hot = false, spills = false;
    size_t i = last;
    for (;; --i) {
      is_innermost &= i == last || code[i].target < 0;
      is_hot |= code[i].is_product;
      spills |= code[i].uses_stack;
      if (!i || code[i].address <= code[last].target)
        break;
    }
    if (!is_innermost || !is_hot)
      continue;
    ++loops;
    *spilling += spills;
  }
  return loops;
}

static bool write_object(const pgopt_objects *objects, size_t i,
                         const char *path) {
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(objects->items[i].data, 1, objects->items[i].size,
                           file) == objects->items[i].size;
  if (file)
    fclose(file);
  return ok;
}

/// Counts the hot loops of all objects that the module is compiled to, those
/// that prepare constants among them; 0 on failure.
static int count_in_objects(MlirOperation module, int *spilling) {
  pgopt_objects objects;
  pgopt_object_options options = {0};
  char path[] = "/tmp/pgopt-spill-XXXXXX";
  int file = mkstemp(path), loops = 0;
  if (!CHECK(file >= 0))
    return 0;
  close(file);
  if (CHECK(mlirLogicalResultIsSuccess(
          pgopt_objects_compile(module, &options, &objects)))) {
    for (size_t i = 0; i < objects.count; ++i)
      if (CHECK(write_object(&objects, i, path)))
        loops += count_hot_loops(disassemble(path), spilling);
    pgopt_objects_free(&objects);
  }
  unlink(path);
  return loops;
}

static void check_tile(const char *cpu, const char *variant,
                       const int64_t *extents, bool is_transposed) {
  kernel_case c = {.loops = 3,
                   .extents = {extents[0], extents[1], extents[2]},
                   .is_reduction = {false, false, true},
                   .is_parameter = {strstr(variant, "swapped"), true},
                   .start = START_BIAS,
                   .bias_dim = 1,
                   .has_clamp = true,
                   .has_residual = true,
                   .cut = -1};
  int row = is_transposed ? 1 : 2;
  c.operands[0] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 2)}};
  c.operands[1] =
      (case_operand){2, {case_loop(&c, row), case_loop(&c, 3 - row)}};
  c.operands[2] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 1)}};
  pgopt_text text = {0}, source = {0}, options = {0};
  case_write(&c, &text);
  char *body = strstr(text.data, "{\n");
  pgopt_text_append(&source, "%.*sattributes {pg.variant = \"%s\"} %s",
                    (int)(body - text.data), text.data, variant, body);
  pgopt_text_append(&options, "pgopt-lower{entry=forward target-cpu=%s}", cpu);
  MlirModule module = kernel_module_lower(context, source.data, options.data);
  if (CHECK(!mlirModuleIsNull(module))) {
    int spilling = 0;
    int loops = count_in_objects(mlirModuleGetOperation(module), &spilling);
    if (!CHECK(loops > 0) || !CHECK(!spilling))
      fprintf(stderr, "  %s on %s, %lld x %lld over %lld: %d of %d hot loops\n",
              variant, cpu, (long long)extents[0], (long long)extents[1],
              (long long)extents[2], spilling, loops);
  }
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  pgopt_text_free(&text);
  pgopt_text_free(&source);
  pgopt_text_free(&options);
}

int main(int argc, char **argv) {
  static const struct {
    int registers, vectors, rows;
  } tiles[] = {
#define PGOPT_TILE(registers, vectors, rows) {registers, vectors, rows},
#include "kernels/tiles.def"
#undef PGOPT_TILE
  };
  // Whole tiles, and such as leave rows and lanes over.
  static const int64_t extents[][3] = {{840, 1536, 700}, {67, 301, 45}};
  if (argc != 2)
    return 2;
  objdump = argv[1];
  context = kernel_context_create();
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
    for (int way = 0; way < 8; ++way) {
      static const char *const sources[] = {"", " packed", " prepared",
                                            " prepared swapped"};
      char variant[48];
      bool is_wide = tiles[t].registers == 32;
      if (way / 2 == 3 && 2 * tiles[t].rows < (is_wide ? 16 : 8))
        continue; // too low to be turned
      snprintf(variant, sizeof variant, "product:%dx%d%s", tiles[t].rows,
               tiles[t].vectors, sources[way / 2]);
      check_tile(is_wide ? "x86-64-v4" : "x86-64-v3", variant, extents[way % 2],
                 way / 2 == 2);
    }
  mlirContextDestroy(context);
  return check_result();
}
