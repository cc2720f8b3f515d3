/// \file Winograd convolutions in two phases against f64, between guarded
/// pages: the image is transformed in two ranges, wiped, and another range
/// multiplied.
///
/// usage: winograd_phase_test [CASES [SEED]]
#include "check.h"
#include "kernel_program.h"
#include "kernels/target.h"
#include "kernels/winograd_plan.h"
#include "winograd_case.h"

enum { ARGUMENTS = 5 };

/// A case cut into steps.
typedef struct phases {
  int64_t steps, iterations, elements; ///< the buffer's extents
  /// Steps: transformed from [0] to [1] and on to [2], multiplied from [3] to
  /// [4].
  int64_t ranges[5];
  int size; ///< of the tiles
} phases;

static int64_t draw_between(int64_t low, int64_t high) {
  return low + (int64_t)draw((uint64_t)(high - low) + 1);
}

/// The target that the passes take for this CPU.
static pgopt_target target_of(const char *cpu) {
  pgopt_target target;
  CHECK(pgopt_target_read(cpu, "", &target));
  pgopt_target_measure_caches(&target);
  return target;
}

/// The stride of the loop in the operand.
static int64_t stride_of(const case_operand *operand, int loop) {
  int64_t stride = 1;
  for (int d = operand->rank; d-- > 0; stride *= operand->dims[d].extent)
    if (operand->dims[d].coefficients[loop])
      return stride;
  return 0;
}

/// Elements of an iteration in the buffer; 1 when the case cannot be computed
/// by Winograd.
static int64_t buffer_elements(const kernel_case *c, const char *cpu,
                               const phases *p) {
  bool is_blocked = c->loops > 7;
  const case_operand *weights = NULL;
  for (int i = 0; i < 2; ++i)
    if (!c->operands[i].dims[0].coefficients[BATCH])
      weights = &c->operands[i];
  pgopt_winograd_problem problem = {
      .batch = c->cut == BATCH ? p->iterations : c->extents[BATCH],
      .height = c->cut == HEIGHT ? p->iterations : c->extents[HEIGHT],
      .width = c->extents[WIDTH],
      .inputs = c->extents[INPUT] * (is_blocked ? c->extents[INPUT_BLOCKS] : 1),
      .outputs =
          c->extents[OUTPUT] * (is_blocked ? c->extents[OUTPUT_BLOCKS] : 1),
      .element_bytes = c->is_double ? 8 : 4,
      .is_prepared = true,
      .has_rows_of_weights = weights && stride_of(weights, OUTPUT) == 1};
  pgopt_target target = target_of(cpu);
  pgopt_winograd_plan plan;
  int64_t elements, line = 64 / problem.element_bytes;
  if ((is_blocked &&
       c->extents[INPUT] != target.vector_bytes / problem.element_bytes) ||
      !pgopt_winograd_plan_make(&problem, &target, p->size, &plan) ||
      !pgopt_winograd_image_elements(&problem, &plan, &elements))
    return 1;
  return ((elements + p->iterations - 1) / p->iterations + line - 1) / line *
         line;
}

/// Whether the case is one that Winograd computes: there are rows and columns
/// of pixels, no other loop of three steps, and no bias that is equal in all
/// blocks. Rows are cut of one image alone.
static bool is_clear(const kernel_case *c) {
  bool is_clear = c->extents[INPUT_BLOCKS] != 3 &&
                  (c->loops <= 7 || !c->has_clamp) &&
                  (c->cut != HEIGHT || c->extents[BATCH] == 1);
  for (int i = 0; i < 2; ++i)
    for (int d = 0; d < c->operands[i].rank; ++d)
      if (c->operands[i].dims[d].coefficients[HEIGHT] ||
          c->operands[i].dims[d].coefficients[WIDTH])
        is_clear = is_clear && c->operands[i].dims[d].extent > 1;
  return is_clear;
}

/// Cuts the case into steps, and draws ranges of them.
static void draw_phases(kernel_case *c, const char *cpu, int size, phases *p) {
  int64_t extent = c->cut < 0 ? 1 : c->extents[c->cut];
  p->size = size;
  p->iterations = c->cut == HEIGHT  ? size * draw_between(1, 3)
                  : c->cut == BATCH ? draw_between(1, 2)
                                    : 1;
  p->steps = (extent + p->iterations - 1) / p->iterations;
  p->elements = buffer_elements(c, cpu, p);
  p->ranges[3] = draw_between(0, p->steps);
  p->ranges[4] = draw_between(p->ranges[3], p->steps);
  p->ranges[0] = draw_between(0, p->ranges[3]);
  p->ranges[2] = draw_between(p->ranges[4], p->steps);
  p->ranges[1] = draw_between(p->ranges[0], p->ranges[2]);
  if (c->cut < 0) {
    // What is not cut takes no notice of its range.
    static const int64_t all[] = {0, 1, 1, 0, 1};
    memcpy(p->ranges, all, sizeof all);
    return;
  }
  c->low = p->ranges[3] * p->iterations;
  c->high = p->ranges[4] * p->iterations;
  c->low = c->low < extent ? c->low : extent;
  c->high = c->high < extent ? c->high : extent;
}

/// The function's arguments, without its range.
static void write_header(const kernel_case *c, const phases *p,
                         pgopt_text *text) {
  pgopt_text whole = {0};
  case_write(c, &whole);
  const char *begin = strstr(whole.data, "%a:");
  pgopt_text_append(text, "%.*s%%buffer: memref<%lldx%lldx%lldx%s>, ",
                    (int)(strstr(whole.data, "%lo: index") - begin), begin,
                    (long long)p->steps, (long long)p->iterations,
                    (long long)p->elements, c->is_double ? "f64" : "f32");
  pgopt_text_free(&whole);
}

static void write_kernel(const kernel_case *c, const phases *p,
                         const char *phase, pgopt_text *text) {
  kernel_case kernel = *c;
  kernel.is_parameter[0] = kernel.is_parameter[1] = false;
  char variant[32] = "";
  if (p->elements > 1)
    snprintf(variant, sizeof variant, ", pg.variant = \"winograd:f%d\"",
             p->size);
  pgopt_text whole = {0};
  case_write(&kernel, &whole);
  pgopt_text_append(text, "func.func private @%s(", phase);
  write_header(&kernel, p, text);
  pgopt_text_append(
      text,
      "%%low: index, %%high: index) attributes {pg.kernel = \"conv\", "
      "pg.phase = \"%s\"%s} {\n"
      "  %%iterations = arith.constant %lld : index\n"
      "  %%extent = arith.constant %lld : index\n"
      "  %%first = arith.muli %%low, %%iterations : index\n"
      "  %%end = arith.muli %%high, %%iterations : index\n"
      "  %%lo = arith.minsi %%first, %%extent : index\n"
      "  %%hi = arith.minsi %%end, %%extent : index\n%s",
      phase, variant, (long long)p->iterations,
      c->cut < 0 ? 1ll : (long long)c->extents[c->cut],
      strstr(whole.data, ") {\n") + strlen(") {\n"));
  pgopt_text_free(&whole);
}

/// A call of the phase; all of what it passes on is an argument of the caller.
static void write_call(const kernel_case *c, const phases *p, const char *phase,
                       int range, pgopt_text *text) {
  kernel_case kernel = *c;
  kernel.is_parameter[0] = kernel.is_parameter[1] = false;
  pgopt_text header = {0};
  write_header(&kernel, p, &header);
  pgopt_text_append(text,
                    "  call @%s(%%a, %%b, %%c, %%bias, %%residual, %%buffer, "
                    "%%r%d, %%r%d) : (",
                    phase, range, range + 1);
  // "%name: type, " becomes "type, ".
  const char *at = header.data;
  while ((at = strchr(at, ':'))) {
    const char *end = strstr(at, ">,");
    pgopt_text_append(text, "%.*s", (int)(end + 2 - at) - 1, at + 1);
    at = end;
  }
  pgopt_text_append(text, " index, index) -> ()\n");
  pgopt_text_free(&header);
}

/// func @forward(%a, %b, %c, %bias, %residual, %buffer, %r0 ... %r4).
static void write_program(const kernel_case *c, const phases *p,
                          pgopt_text *text) {
  write_kernel(c, p, "transform", text);
  write_kernel(c, p, "main", text);
  pgopt_text_append(text, "func.func @forward(");
  write_header(c, p, text);
  pgopt_text_append(text, "%%r0: index, %%r1: index, %%r2: index, %%r3: index, "
                          "%%r4: index) {\n");
  write_call(c, p, "transform", 0, text);
  write_call(c, p, "transform", 1, text);
  write_call(c, p, "main", 3, text);
  pgopt_text_append(text, "  return\n}\n");
}

static size_t bytes_of(const kernel_case *c, const phases *p, int argument) {
  int64_t elements =
      argument == 3 ? c->operands[2].dims[c->bias_dim].extent
      : argument == 5
          ? p->steps * p->iterations * p->elements
          : case_elements(&c->operands[argument == 4 ? 2 : argument]);
  return (size_t)elements * (c->is_double ? 8 : 4);
}

/// Runs the first phase, and then, with the image wiped if that phase has left
/// something, the second one; both at once where they take no notice of their
/// ranges. \returns whether it has left something.
static bool run_phases(pgopt_program *program, const phases *p, bool is_cut,
                       guarded *image, size_t image_bytes,
                       const guarded *buffer, size_t buffer_bytes) {
  const int64_t none = 0;
  for (size_t i = 0; i < 3; ++i)
    pgopt_program_bind(program, 6 + i, (void *)&p->ranges[i]);
  for (size_t i = 3; i < 5; ++i)
    pgopt_program_bind(program, 6 + i,
                       is_cut ? (void *)&none : (void *)&p->ranges[i]);
  memset(buffer->data, 0xff, buffer_bytes); // NaN
  pgopt_program_run(program);
  bool is_filled = false;
  for (size_t i = 0; i < buffer_bytes && !is_filled; ++i)
    is_filled = ((unsigned char *)buffer->data)[i] != 0xff;
  if (!is_cut)
    return is_filled;
  if (is_filled)
    memset(image->data, 0xff, image_bytes);
  for (size_t i = 0; i < 3; ++i)
    pgopt_program_bind(program, 6 + i, (void *)&none);
  for (size_t i = 3; i < 5; ++i)
    pgopt_program_bind(program, 6 + i, (void *)&p->ranges[i]);
  pgopt_program_run(program);
  return is_filled;
}

static void check_case(const kernel_case *c, const char *options,
                       const phases *p) {
  pgopt_text text = {0};
  write_program(c, p, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  guarded buffers[ARGUMENTS + 1];
  void *kept[ARGUMENTS];
  const void *data[ARGUMENTS];
  int image = c->operands[0].dims[0].coefficients[BATCH] ? 0 : 1;
  int at_end = (int)draw(4) != 0;
  for (int i = 0; i <= ARGUMENTS; ++i)
    buffers[i] = guarded_create(bytes_of(c, p, i), at_end);
  for (int i = 0; i < ARGUMENTS; ++i) {
    size_t bytes = bytes_of(c, p, i);
    fill(c, buffers[i].data, (int64_t)bytes / (c->is_double ? 8 : 4));
    kept[i] = malloc(bytes);
    memcpy(kept[i], buffers[i].data, bytes);
    data[i] = kept[i];
  }
  if (CHECK(program)) {
    for (size_t i = 0; i <= ARGUMENTS; ++i)
      pgopt_program_bind(program, i, buffers[i].data);
    bool is_filled = run_phases(program, p, c->cut >= 0, &buffers[image],
                                bytes_of(c, p, image), &buffers[ARGUMENTS],
                                bytes_of(c, p, ARGUMENTS));
    CHECK(is_filled == (p->elements > 1 && p->ranges[0] < p->ranges[2]));
    double error = case_error(c, data, kept[2], buffers[2].data);
    if (!CHECK(error <= 1))
      fprintf(stderr,
              "  error %g of the bound, %s, ranges %lld %lld %lld, %lld %lld:\n"
              "%s",
              error, options, (long long)p->ranges[0], (long long)p->ranges[1],
              (long long)p->ranges[2], (long long)p->ranges[3],
              (long long)p->ranges[4], text.data);
    pgopt_program_destroy(program);
  } else {
    fprintf(stderr, "%s", text.data);
  }
  for (int i = 0; i <= ARGUMENTS; ++i)
    guarded_destroy(&buffers[i]);
  for (int i = 0; i < ARGUMENTS; ++i)
    free(kept[i]);
  pgopt_text_free(&text);
}

static void check_target(const char *cpu, int cases) {
  for (int i = 0; i < cases; ++i) {
    kernel_case c;
    phases p;
    char options[96];
    do
      draw_case(&c);
    while (!is_clear(&c));
    int size = i % 2 ? 4 : 2;
    draw_phases(&c, cpu, size, &p);
    snprintf(options, sizeof options, "entry=forward winograd=f%d%s%s", size,
             *cpu ? " target-cpu=" : "", cpu);
    check_case(&c, options, &p);
  }
}

int main(int argc, char **argv) {
  check_winograd_targets(argc, argv, check_target);
  mlirContextDestroy(context);
  return check_result();
}
