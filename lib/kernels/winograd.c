/// \file 3x3 convolutions by Winograd: which operations they are.
#include "kernels/winograd.h"

#include "base/checked_math.h"
#include "codegen/contraction.h"
#include "ir/kernel_signature.h"
#include "kernels/product.h"
#include "kernels/product_planning.h"
#include "kernels/winograd_nest.h"

enum { C = 2 };
/// Elements from a pixel to the next, beyond which a copy of a tile is large.
enum { MAX_PIXEL = 1 << 14 };

/// The loop over pixels that a window's loop moves along with.
static int find_moved(const pgopt_product_problem *p, int image,
                      size_t window) {
  for (size_t l = 0; l < p->loop_count; ++l)
    if (!p->loops[l].is_reduction && !p->loops[l].strides[1 - image] &&
        p->loops[l].strides[image] == p->loops[window].strides[image])
      return (int)l;
  return -1;
}

/// Gives the window's loops and the pixels' their places: the larger step of
/// two is the height.
static bool place_window(const pgopt_product_problem *p, int image,
                         size_t window, pgopt_winograd_loops *loops) {
  int moved = find_moved(p, image, window);
  if (moved < 0)
    return false;
  if (loops->width < 0) {
    loops->width = moved;
    loops->window_width = (int)window;
    return true;
  }
  if (loops->height >= 0 || moved == loops->width)
    return false;
  loops->height = moved;
  loops->window_height = (int)window;
  if (p->loops[loops->width].strides[image] > p->loops[moved].strides[image]) {
    loops->height = loops->width;
    loops->window_height = loops->window_width;
    loops->width = moved;
    loops->window_width = (int)window;
  }
  return true;
}

static bool place_reduction(const pgopt_product_problem *p, int image, size_t l,
                            pgopt_winograd_loops *loops) {
  const pgopt_product_loop *loop = &p->loops[l];
  if (loop->is_dynamic || loop->strides[C] || loop->strides[image] <= 0 ||
      !loop->strides[1 - image])
    return false;
  if (loop->extent == 3 && loop->strides[image] > 1 &&
      find_moved(p, image, l) >= 0)
    return place_window(p, image, l, loops);
  int *place = loop->strides[image] == 1 ? &loops->input : &loops->input_blocks;
  if (*place >= 0)
    return false;
  *place = (int)l;
  return true;
}

/// Finds what each loop is for; false when the problem is no convolution of 3x3
/// windows over pixels whose channels lie side by side.
static bool find_loops(const pgopt_product_problem *p, int image,
                       pgopt_winograd_loops *loops) {
  *loops = (pgopt_winograd_loops){-1, -1, -1, -1, -1, -1, -1, -1, -1};
  for (size_t l = 0; l < p->loop_count; ++l)
    if (p->loops[l].is_reduction && !place_reduction(p, image, l, loops))
      return false;
  if (loops->height < 0 || loops->input < 0)
    return false;
  for (size_t l = 0; l < p->loop_count; ++l) {
    const pgopt_product_loop *loop = &p->loops[l];
    if (loop->is_reduction || (int)l == loops->height ||
        (int)l == loops->width || (loop->extent == 1 && !loop->is_dynamic))
      continue;
    bool is_output =
        !loop->strides[image] && loop->strides[1 - image] && !loop->is_dynamic;
    bool is_batch = loop->strides[image] && !loop->strides[1 - image];
    int *place = !is_output              ? &loops->batch
                 : loop->strides[C] == 1 ? &loops->output
                                         : &loops->output_blocks;
    if (*place >= 0 || (!is_output && !is_batch))
      return false;
    *place = (int)l;
  }
  // Pixels do not overlap, so that zeros can be put beside them.
  int64_t pixel = p->loops[loops->width].strides[image];
  return loops->output >= 0 && pixel >= p->loops[loops->input].extent &&
         pixel <= MAX_PIXEL;
}

/// The image's strides instead of those of the buffer with zeros around it.
static void read_image(const pgopt_generic *generic, int image,
                       const pgopt_padding *padding,
                       pgopt_product_problem *problem) {
  const pgopt_map *map = &generic->operands[image].map;
  for (size_t l = 0; l < problem->loop_count; ++l) {
    int64_t stride = 0;
    for (size_t d = 0; d < padding->rank; ++d)
      stride += map->results[d].coefficients[l] * padding->dimensions[d].stride;
    problem->loops[l].strides[image] = stride;
  }
}

/// The dimension that the loop and its window's walk along, with no other; -1
/// when it is not so.
static int pixel_dimension(const pgopt_generic *generic, int image, int loop,
                           int window) {
  const pgopt_map *map = &generic->operands[image].map;
  int found = -1;
  for (size_t d = 0; d < map->result_count; ++d) {
    const int64_t *coefficients = map->results[d].coefficients;
    if (!coefficients[loop] && !coefficients[window])
      continue;
    if (found >= 0)
      return -1;
    for (int l = 0; l < (int)generic->loop_count; ++l)
      if (coefficients[l] != (l == loop || l == window))
        return -1;
    found = (int)d;
  }
  return found;
}

/// Whether zeros are around the pixels alone.
static bool read_pixels(const pgopt_generic *generic,
                        pgopt_winograd_nest *nest) {
  const pgopt_padding *padding = nest->padding;
  const pgopt_winograd_loops *loops = &nest->loops;
  nest->height_dimension = pixel_dimension(generic, nest->image, loops->height,
                                           loops->window_height);
  nest->width_dimension =
      pixel_dimension(generic, nest->image, loops->width, loops->window_width);
  if (nest->height_dimension < 0 || nest->width_dimension < 0)
    return false;
  for (int d = 0; d < (int)padding->rank; ++d)
    if (d != nest->height_dimension && d != nest->width_dimension &&
        (padding->dimensions[d].low || padding->dimensions[d].high))
      return false;
  return true;
}

/// Makes one loop of channels in blocks of a vector.
static bool join_blocks(pgopt_product_problem *p, int inner, int outer,
                        int64_t lanes, int weights) {
  if (outer < 0)
    return true;
  pgopt_product_loop *within = &p->loops[inner], *blocks = &p->loops[outer];
  if (within->extent != lanes ||
      !pgopt_is_block_of(p, within->strides, blocks->strides, lanes, weights))
    return false;
  within->extent *= blocks->extent;
  for (size_t k = 0; k < p->operand_count; ++k) {
    within->strides[k] = blocks->strides[k] / lanes;
    blocks->strides[k] = 0;
  }
  blocks->extent = 1;
  return true;
}

/// A convolution as it is read from an operation.
typedef struct reading {
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_product_problem problem;
  pgopt_fusion fusion;
  bool is_fused; ///< `fusion` is to be freed
  pgopt_padding padding;
  pgopt_winograd_nest nest;
  bool is_prepared; ///< the weights
  pgopt_phase phase;
  bool is_phase; ///< the function computes `phase`
} reading;

/// Reads the operation with its image as input `image`.
static bool read_with(reading *r, int image) {
  if (!pgopt_read_product(&r->generic, &r->contraction, &r->problem))
    return false;
  r->nest = (pgopt_winograd_nest){.generic = &r->generic,
                                  .problem = &r->problem,
                                  .image = image,
                                  .weights = 1 - image};
  if (pgopt_padding_read(&r->generic, (size_t)image, &r->padding)) {
    r->nest.padding = &r->padding;
    read_image(&r->generic, image, &r->padding, &r->problem);
  }
  return find_loops(&r->problem, image, &r->nest.loops) &&
         (!r->nest.padding || read_pixels(&r->generic, &r->nest));
}

static pgopt_winograd_problem plan_problem(const reading *r) {
  const pgopt_product_problem *p = &r->problem;
  const pgopt_winograd_loops *loops = &r->nest.loops;
  return (pgopt_winograd_problem){
      .batch = loops->batch < 0 ? 1 : p->loops[loops->batch].extent,
      .height = p->loops[loops->height].extent,
      .width = p->loops[loops->width].extent,
      .inputs = p->loops[loops->input].extent,
      .outputs = p->loops[loops->output].extent,
      .element_bytes = p->element_bytes,
      .is_prepared = r->is_prepared,
      .has_rows_of_weights =
          p->loops[loops->output].strides[r->nest.weights] == 1};
}

static bool is_dynamic(const reading *r, int loop) {
  return loop >= 0 && r->problem.loops[loop].is_dynamic;
}

/// Elements of the buffer of a phase, an iteration, so that every step begins
/// with a cache line.
static bool iteration_elements(const reading *r, int64_t elements,
                               int64_t iterations, int64_t *result) {
  int64_t line = 64 / r->problem.element_bytes;
  *result = ((elements - 1) / iterations / line + 1) * line;
  return pgopt_checked_multiply(*result, iterations, &elements);
}

/// Plans a step of so many iterations of the kernel's range.
/// \returns false when it is not whole rows of tiles, or whole images.
static bool plan_unit(const reading *r, const pgopt_target *target,
                      int64_t size, int64_t iterations,
                      pgopt_winograd_plan *made, pgopt_winograd_unit *unit) {
  const pgopt_winograd_loops *loops = &r->nest.loops;
  pgopt_winograd_problem tiles = plan_problem(r);
  bool cuts_images = is_dynamic(r, loops->batch);
  bool cuts_rows = is_dynamic(r, loops->height);
  *unit = (pgopt_winograd_unit){.is_cut = cuts_images || cuts_rows};
  if (iterations < 1 || is_dynamic(r, loops->width) ||
      (cuts_rows && (loops->batch >= 0 || iterations % size)) ||
      (!unit->is_cut && iterations != 1))
    return false;
  if (cuts_rows)
    tiles.height = iterations;
  else if (cuts_images)
    tiles.batch = iterations;
  if (!pgopt_winograd_plan_make(&tiles, target, size, made) ||
      !pgopt_winograd_image_elements(&tiles, made, &unit->elements) ||
      !iteration_elements(r, unit->elements, iterations, &unit->elements))
    return false;
  unit->elements *= iterations;
  unit->tiles = pgopt_winograd_tiles(&tiles, size);
  return true;
}

/// Plans the phase that the function computes, if its buffer is one for that;
/// all is computed in the second phase else.
static void plan_phase(reading *r, const pgopt_target *target, int64_t size,
                       pgopt_winograd_plan *made) {
  pgopt_winograd_plan plan;
  MlirType buffer = mlirValueGetType(r->phase.buffer);
  int64_t iterations = pgopt_phase_iterations(&r->phase);
  if (!plan_unit(r, target, size, iterations, &plan, &r->nest.unit) ||
      mlirShapedTypeGetDimSize(buffer, 2) !=
          r->nest.unit.elements / iterations ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(buffer),
                     r->generic.operands[C].element))
    return;
  *made = plan;
  r->nest.phase = &r->phase;
}

static void generate(reading *r, const pgopt_target *target,
                     pgopt_preparation *preparation,
                     const pgopt_winograd_plan *plan) {
  pgopt_fusion *fusion = &r->fusion;
  for (int i = 0; i < 3; ++i) {
    bool is_image = r->nest.padding && i == r->nest.image;
    fusion->memrefs[i] =
        is_image ? r->padding.image : r->generic.operands[i].value;
    fusion->offsets[i] = is_image ? 0 : r->contraction.offsets[i];
  }
  fusion->memrefs[C] = pgopt_fusion_destination(fusion);
  r->nest.plan = plan;
  r->nest.fusion = fusion;
  r->nest.vectors = pgopt_vectors_of(r->generic.operands[C].element,
                                     plan->lanes, target->has_fma);
  if (!r->is_phase || !r->phase.is_first || r->nest.phase)
    pgopt_winograd_nest_emit(pgopt_emitter_before(fusion->last), &r->nest,
                             preparation);
}

/// Whether the module wants, or lets, tiles of this size be taken.
static bool allows(pgopt_winograd choice, int64_t size) {
  return choice == PGOPT_WINOGRAD_AUTO ||
         choice == (size == 2 ? PGOPT_WINOGRAD_F2 : PGOPT_WINOGRAD_F4);
}

/// Finds what is fused, and joins the channels' loops.
static bool complete(reading *r, const pgopt_target *target) {
  const pgopt_winograd_loops *loops = &r->nest.loops;
  int64_t lanes = target->vector_bytes / r->problem.element_bytes;
  pgopt_fusion_find(&r->generic, &r->problem, &r->fusion);
  r->is_fused = true;
  return join_blocks(&r->problem, loops->input, loops->input_blocks, lanes,
                     r->nest.weights) &&
         join_blocks(&r->problem, loops->output, loops->output_blocks, lanes,
                     r->nest.weights);
}

static void close(reading *r) {
  if (r->is_fused)
    pgopt_fusion_free(&r->fusion);
  pgopt_generic_free(&r->generic);
}

/// Reads the operation and plans it; false when it is not to be computed so. To
/// be closed in either case.
static bool plan(MlirOperation op, const pgopt_target *target,
                 pgopt_preparation *preparation, int64_t size, reading *r,
                 pgopt_winograd_plan *made) {
  r->is_fused = false;
  if (!pgopt_read_generic(op, &r->generic) ||
      (!read_with(r, 0) && !read_with(r, 1)) || !complete(r, target))
    return false;
  pgopt_winograd choice = pgopt_winograd_of(op);
  r->is_prepared = pgopt_can_prepare(
      preparation, r->generic.operands[r->nest.weights].value);
  pgopt_winograd_problem problem = plan_problem(r);
  bool is_chosen = size || choice != PGOPT_WINOGRAD_AUTO;
  if (!size)
    size = pgopt_winograd_size(choice, problem.height, problem.width,
                               problem.inputs, problem.outputs);
  else if (!allows(choice, size))
    return false;
  if (!size || !pgopt_winograd_plan_make(&problem, target, size, made) ||
      (!is_chosen &&
       made->cycles >= pgopt_winograd_direct_cycles(&problem, target)))
    return false;
  r->is_phase = pgopt_phase_read(op, &r->phase);
  if (r->is_phase)
    plan_phase(r, target, size, made);
  return true;
}

bool pgopt_is_winograd(MlirOperation op, const pgopt_target *target,
                       pgopt_preparation *preparation, int64_t size,
                       pgopt_winograd_plan *made) {
  reading r;
  pgopt_winograd_plan own;
  bool is_one = plan(op, target, preparation, size, &r, made ? made : &own);
  close(&r);
  return is_one;
}

bool pgopt_generate_winograd(MlirOperation op, const pgopt_target *target,
                             pgopt_preparation *preparation, int64_t size,
                             MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                             size_t *erased_count) {
  reading r;
  pgopt_winograd_plan made;
  *erased_count = 0;
  bool done = plan(op, target, preparation, size, &r, &made);
  if (done) {
    generate(&r, target, r.is_prepared ? preparation : NULL, &made);
    *erased_count = pgopt_fusion_erase(&r.fusion, erased);
    if (r.nest.padding)
      pgopt_padding_erase(&r.padding);
  }
  close(&r);
  return done;
}

/// Rows of tiles a step: few enough that the parts are even, and else as many
/// as a block has. 0: there are fewer rows than parts.
static int64_t choose_rows(int64_t rows, int64_t parts, int64_t most) {
  int64_t best = 0, least = INT64_MAX;
  for (int64_t n = 1; n <= most || n == 1; ++n) {
    int64_t steps = (rows - 1) / n + 1;
    int64_t longest = ((steps - 1) / parts + 1) * n;
    if (steps < parts || longest > least)
      continue;
    best = n;
    least = longest;
  }
  return best;
}

/// Iterations of the kernel's range a step; 0: it cannot be in phases.
static int64_t choose_iterations(const reading *r,
                                 const pgopt_winograd_plan *made,
                                 int64_t extent, int64_t parts) {
  const pgopt_winograd_loops *loops = &r->nest.loops;
  if (!is_dynamic(r, loops->height))
    return 1;
  int64_t width = r->problem.loops[loops->width].extent;
  return made->size * choose_rows((extent - 1) / made->size + 1, parts,
                                  made->block / ((width - 1) / made->size + 1));
}

bool pgopt_plan_winograd_phases(MlirOperation op, const pgopt_target *target,
                                pgopt_preparation *preparation, int64_t size,
                                int64_t extent, int64_t parts,
                                pgopt_winograd_phases *phases) {
  reading r;
  pgopt_winograd_plan made;
  pgopt_winograd_unit unit;
  bool found = plan(op, target, preparation, size, &r, &made);
  if (found) {
    *phases = (pgopt_winograd_phases){
        .size = made.size,
        .operand = pgopt_root_buffer(
            r.nest.padding ? r.padding.image
                           : r.generic.operands[r.nest.image].value),
        .iterations = choose_iterations(&r, &made, extent, parts)};
    found = phases->iterations > 0 &&
            mlirValueIsABlockArgument(phases->operand) &&
            plan_unit(&r, target, made.size, phases->iterations, &made, &unit);
  }
  if (found) {
    phases->is_cut = unit.is_cut;
    phases->steps = unit.is_cut ? (extent - 1) / phases->iterations + 1 : 1;
    phases->elements = unit.elements / phases->iterations;
  }
  close(&r);
  return found;
}
