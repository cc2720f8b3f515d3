/// \file Parameters in another order: a permutation of the factors of their
/// dimensions.
#include "parameters/packing.h"

#include "base/permute.h"

/// The axes as declared: sorted by dimension, factors outermost first.
/// \param[out] sorted which axis each is.
static void sort_axes(const pgopt_packing *p, int *sorted) {
  for (size_t i = 0; i < p->axis_count; ++i) {
    const pgopt_packed_axis *axis = &p->axes[i];
    size_t at = i;
    for (; at > 0; --at) {
      const pgopt_packed_axis *before = &p->axes[sorted[at - 1]];
      if (before->dim < axis->dim ||
          (before->dim == axis->dim && before->step >= axis->step))
        break;
      sorted[at] = sorted[at - 1];
    }
    sorted[at] = (int)i;
  }
}

bool pgopt_packing_is_valid(const pgopt_packing *p) {
  if (p->rank > PGOPT_MAX_PACKED_RANK || p->axis_count > PGOPT_MAX_PACKED_RANK)
    return false;
  for (size_t i = 0; i < p->axis_count; ++i)
    if (p->axes[i].dim < 0 || (size_t)p->axes[i].dim >= p->rank ||
        p->axes[i].step < 1 || p->axes[i].extent < 1)
      return false;
  int sorted[PGOPT_MAX_PACKED_RANK];
  sort_axes(p, sorted);
  size_t next = p->axis_count;
  for (size_t d = p->rank; d-- > 0;) {
    int64_t step = 1;
    while (next > 0 && p->axes[sorted[next - 1]].dim == (int)d) {
      const pgopt_packed_axis *axis = &p->axes[sorted[--next]];
      if (axis->step != step || axis->extent > p->extents[d] / step)
        return false;
      step *= axis->extent;
    }
    if (step != p->extents[d])
      return false;
  }
  return true;
}

void pgopt_packing_compose(const pgopt_packing *first,
                           const pgopt_packing *second, pgopt_packing *result) {
  pgopt_packing composed = *first;
  composed.axis_count = second->axis_count;
  for (size_t i = 0; i < second->axis_count; ++i) {
    const pgopt_packed_axis *axis = &second->axes[i];
    const pgopt_packed_axis *of = &first->axes[axis->dim];
    composed.axes[i] =
        (pgopt_packed_axis){of->dim, of->step * axis->step, axis->extent};
  }
  *result = composed;
}

void pgopt_packing_append_name(const pgopt_packing *p, pgopt_text *text) {
  for (size_t i = 0; i < p->axis_count; ++i) {
    const pgopt_packed_axis *axis = &p->axes[i];
    pgopt_text_append(text, i ? ".%c" : "%c", 'a' + axis->dim);
    if (axis->step > 1)
      pgopt_text_append(text, "/%lld", (long long)axis->step);
    if (axis->step * axis->extent < p->extents[axis->dim])
      pgopt_text_append(text, "%%%lld", (long long)axis->extent);
  }
}

void pgopt_packing_pack(const pgopt_packing *p, size_t element_bytes,
                        const void *declared, void *packed) {
  int sorted[PGOPT_MAX_PACKED_RANK], permutation[PGOPT_MAX_PACKED_RANK];
  int64_t extents[PGOPT_MAX_PACKED_RANK];
  sort_axes(p, sorted);
  for (size_t k = 0; k < p->axis_count; ++k) {
    extents[k] = p->axes[sorted[k]].extent;
    permutation[sorted[k]] = (int)k;
  }
  pgopt_permute(declared, packed, element_bytes, p->axis_count, extents,
                permutation);
}

void pgopt_packing_unpack(const pgopt_packing *p, size_t element_bytes,
                          const void *packed, void *declared) {
  int sorted[PGOPT_MAX_PACKED_RANK];
  int64_t extents[PGOPT_MAX_PACKED_RANK];
  sort_axes(p, sorted);
  for (size_t i = 0; i < p->axis_count; ++i)
    extents[i] = p->axes[i].extent;
  pgopt_permute(packed, declared, element_bytes, p->axis_count, extents,
                sorted);
}
