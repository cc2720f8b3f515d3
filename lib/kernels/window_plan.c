/// \file Loops and tiles of windows.
#include "kernels/window_plan.h"

static int64_t pixel_of(const pgopt_window_axis *axis, int64_t output,
                        int64_t tap) {
  return axis->step * output + axis->dilation * tap;
}

bool pgopt_window_is_inside(const pgopt_window_axis *axis, int64_t output,
                            int64_t tap) {
  int64_t pixel = pixel_of(axis, output, tap) + axis->first;
  return !axis->has_borders || (pixel >= 0 && pixel < axis->pixels);
}

bool pgopt_window_may_be_empty(const pgopt_window_axis *axis, int64_t taps) {
  // Borders narrower than the window leave it a pixel unless it leaps over it.
  return axis->has_borders &&
         (axis->dilation != 1 || axis->low >= taps || axis->high >= taps);
}

/// The loop for vectors: the destination is contiguous along it, and every
/// other operand that it indexes, too.
static int find_across(const pgopt_window_problem *p) {
  const pgopt_product_problem *problem = &p->loops;
  for (size_t l = 0; l < problem->loop_count; ++l) {
    const pgopt_product_loop *loop = &problem->loops[l];
    bool fits = !loop->is_reduction && !loop->is_dynamic && loop->extent > 1 &&
                loop->strides[p->destination] == 1 &&
                loop->strides[p->image] == 1;
    for (size_t i = 0; i < p->read_count; ++i)
      fits &=
          loop->strides[p->reads[i]] == 0 || loop->strides[p->reads[i]] == 1;
    if (fits)
      return (int)l;
  }
  return -1;
}

/// True when a pixel of the image is the same of all that a pool reads.
static bool shares_pixels(const pgopt_window_problem *p,
                          const pgopt_product_loop *output,
                          const pgopt_product_loop *taps) {
  for (size_t i = 0; i < p->read_count; ++i)
    if (output->strides[p->reads[i]] * taps->strides[p->image] !=
        taps->strides[p->reads[i]] * output->strides[p->image])
      return false;
  return true;
}

/// The vectors' own dimension when it is the only one that has outputs, or has
/// borders: its taps are vectors that overlap. Else the innermost other one.
static int find_tiled(const pgopt_window_problem *p, int across) {
  int found = -1;
  int64_t nearest = INT64_MAX;
  for (size_t a = 0; a < p->axis_count; ++a) {
    const pgopt_window_axis *axis = &p->axes[a];
    int64_t taps = p->loops.loops[axis->taps].extent;
    if (axis->output != across || axis->step != 1 ||
        taps > PGOPT_WINDOW_MAX_TAPS || (axis->has_borders && axis->is_cut))
      continue;
    found = (int)a;
    if (axis->has_borders)
      return found;
  }
  for (size_t a = 0; a < p->axis_count; ++a) {
    const pgopt_window_axis *axis = &p->axes[a];
    if (axis->output < 0 || axis->output == across)
      continue;
    const pgopt_product_loop *output = &p->loops.loops[axis->output];
    const pgopt_product_loop *taps = &p->loops.loops[axis->taps];
    if (output->is_dynamic || output->extent == 1 ||
        (axis->has_borders && axis->is_cut) ||
        taps->extent > PGOPT_WINDOW_MAX_TAPS ||
        output->strides[p->image] >= nearest ||
        (p->weights < 0 && !shares_pixels(p, output, taps)))
      continue;
    nearest = output->strides[p->image];
    found = (int)a;
  }
  return found;
}

/// Different pixels of a tile of that width.
static int64_t count_pixels(const pgopt_window_axis *axis, int64_t taps,
                            int64_t width) {
  int64_t count = 0;
  for (int64_t o = 0; o < width; ++o)
    for (int64_t t = 0; t < taps; ++t) {
      bool is_new = true;
      for (int64_t before = 0; before < o && is_new; ++before)
        for (int64_t u = 0; u < taps && is_new; ++u)
          is_new = pixel_of(axis, before, u) != pixel_of(axis, o, t);
      count += is_new;
    }
  return count;
}

static int64_t greatest_divisor(int64_t a, int64_t b) {
  return b ? greatest_divisor(b, a % b) : a;
}

/// Bytes of the first cache that a vector of each of so many pixels of a row
/// takes: it has a set for every line of a page, and pixels whose distance
/// divides a page share few of them.
static double spread(const pgopt_window_problem *p,
                     const pgopt_window_axis *axis, double pixels) {
  enum { PAGE_BYTES = 4096, LINE_BYTES = 64 };
  int64_t pitch = p->loops.loops[axis->output].strides[p->destination] *
                  p->loops.element_bytes;
  int64_t distance = greatest_divisor(pitch, PAGE_BYTES);
  return pixels * (double)(distance > LINE_BYTES ? distance : LINE_BYTES);
}

/// Rows of the image in a window.
static double count_rows(const pgopt_window_problem *p,
                         const pgopt_window_axis *tiled) {
  double rows = 1;
  for (size_t a = 0; a < p->axis_count; ++a)
    if (&p->axes[a] != tiled)
      rows *= (double)p->loops.loops[p->axes[a].taps].extent;
  return rows;
}

/// As many outputs as have their accumulators in registers, beside the weights
/// and a pixel; of a pool, the pixels are the accumulators. More pixels than
/// that are more streams of memory than the caches follow.
static int64_t widest(const pgopt_window_problem *p,
                      const pgopt_window_axis *axis,
                      const pgopt_target *target) {
  enum { SPARE = 4, MAX_PIXELS = 17 };
  int64_t registers = target->vector_registers - SPARE, pixels = registers;
  int64_t taps = p->loops.loops[axis->taps].extent;
  int64_t width = PGOPT_WINDOW_MAX_WIDTH;
  if (p->weights >= 0) {
    int64_t left = registers - (taps < registers / 2 ? taps : registers / 2);
    width = left < width ? left : width;
    pixels = MAX_PIXELS;
  }
  pixels = pixels < MAX_PIXELS ? pixels : MAX_PIXELS;
  while (width > 1 && count_pixels(axis, taps, width) > pixels)
    --width;
  // A convolution's pixels are at hand before they are needed.
  double rows = count_rows(p, axis);
  while (p->weights >= 0 && width > 2 &&
         spread(p, axis, rows * (double)count_pixels(axis, taps, width)) >
             (double)target->l1_bytes * 0.5)
    --width;
  return width;
}

static bool is_tile_inside(const pgopt_window_axis *axis, int64_t taps,
                           int64_t start, int64_t width) {
  return pgopt_window_is_inside(axis, start, 0) &&
         pgopt_window_is_inside(axis, start + width - 1, taps - 1);
}

/// Deals the outputs out evenly, or into vectors; tiles on borders are steps of
/// their own.
static bool make_steps(const pgopt_window_problem *p, int64_t width,
                       pgopt_window_plan *plan) {
  const pgopt_window_axis *axis = &p->axes[plan->tiled];
  int64_t extent = p->loops.loops[axis->output].extent;
  int64_t taps = p->loops.loops[axis->taps].extent;
  int64_t pieces = (extent - 1) / width + 1;
  bool is_vector = axis->output == plan->across;
  for (int64_t i = 0, start = 0, end; i < pieces; ++i, start = end) {
    end = start + (extent - start - 1) / (pieces - i) + 1;
    if (is_vector)
      end = start + width < extent ? start + width : extent;
    bool inside = is_tile_inside(axis, taps, start, end - start);
    pgopt_window_step *last = &plan->steps[plan->step_count];
    if (inside && plan->step_count && last[-1].is_inside &&
        last[-1].width == end - start) {
      last[-1].end = end;
      continue;
    }
    if (plan->step_count == PGOPT_WINDOW_MAX_STEPS)
      return false;
    *last = (pgopt_window_step){start, end, end - start, inside};
    ++plan->step_count;
  }
  return true;
}

/// How much of the vectors' loop is done at a time: so much that the rows which
/// one row of outputs shares with the next stay in the first cache. All of it
/// when windows do not overlap, or when so many pixels push one another out.
static int64_t chunk_of(const pgopt_window_problem *p,
                        const pgopt_target *target,
                        const pgopt_window_plan *plan) {
  const pgopt_product_loop *loops = p->loops.loops;
  const pgopt_window_axis *axis = &p->axes[plan->tiled];
  int64_t extent = loops[plan->across].extent;
  int64_t outputs = loops[axis->output].extent;
  bool is_shared = false;
  if (axis->output == plan->across)
    return extent;
  for (size_t a = 0; a < p->axis_count; ++a) {
    const pgopt_window_axis *other = &p->axes[a];
    if ((int)a == plan->tiled || other->output < 0)
      continue;
    if (other->output == plan->across)
      return extent;
    is_shared |=
        (loops[other->taps].extent - 1) * other->dilation >= other->step;
  }
  double pixels =
      count_rows(p, axis) *
          (double)pixel_of(axis, outputs - 1, loops[axis->taps].extent - 1) +
      (double)outputs;
  if (!is_shared || spread(p, axis, pixels) > (double)target->l1_bytes * 1.1)
    return extent;
  int64_t vectors = (int64_t)((double)target->l1_bytes * 0.5 / pixels) /
                    (plan->lanes * p->loops.element_bytes);
  int64_t all = (extent - 1) / plan->lanes + 1;
  int64_t pieces = vectors < 1 ? all : (all - 1) / vectors + 1;
  return pieces == 1 ? extent : ((all - 1) / pieces + 1) * plan->lanes;
}

bool pgopt_window_plan_make(const pgopt_window_problem *p,
                            const pgopt_target *target, int64_t width,
                            pgopt_window_plan *plan) {
  const pgopt_product_problem *problem = &p->loops;
  *plan = (pgopt_window_plan){.lanes = target->vector_bytes /
                                       problem->element_bytes};
  plan->across = find_across(p);
  plan->tiled = plan->across < 0 ? -1 : find_tiled(p, plan->across);
  if (plan->tiled < 0)
    return false;
  const pgopt_window_axis *axis = &p->axes[plan->tiled];
  for (size_t l = 0; l < problem->loop_count; ++l) {
    const pgopt_product_loop *loop = &problem->loops[l];
    if (loop->extent < 1 || (loop->is_reduction && loop->is_dynamic))
      return false;
    if (loop->is_reduction || (int)l == plan->across || (int)l == axis->output)
      continue;
    size_t at = plan->outer_count++;
    while (at > 0 &&
           problem->loops[plan->outer[at - 1]].strides[p->destination] <
               loop->strides[p->destination]) {
      plan->outer[at] = plan->outer[at - 1];
      --at;
    }
    plan->outer[at] = (int)l;
  }
  for (size_t a = 0; a < p->axis_count; ++a)
    if (p->axes[a].output == plan->across && p->axes[a].has_borders &&
        (int)a != plan->tiled)
      return false;
  plan->chunk = chunk_of(p, target, plan);
  int64_t most =
      axis->output == plan->across ? plan->lanes : widest(p, axis, target);
  if (width > most || (width && axis->output == plan->across))
    return false;
  return make_steps(p, width ? width : most, plan);
}
