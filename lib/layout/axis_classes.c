/// \file Classes of dimensions that have to be cut into the same factors.
#include "layout/axis_classes.h"

#include "base/checked_math.h"

#include <string.h>

int pgopt_axis_find(pgopt_axis_classes *classes, int member) {
  pgopt_axis_class *m = classes->members;
  while (m[member].parent != member) {
    m[member].parent = m[m[member].parent].parent;
    member = m[member].parent;
  }
  return member;
}

bool pgopt_axis_join(pgopt_axis_classes *classes, int a, int b) {
  a = pgopt_axis_find(classes, a);
  b = pgopt_axis_find(classes, b);
  if (a == b)
    return true;
  pgopt_axis_class *m = classes->members;
  if (m[a].extent != m[b].extent)
    return false;
  m[b].parent = a;
  m[a].is_whole = m[a].is_whole || m[b].is_whole;
  return true;
}

void pgopt_axis_keep_whole(pgopt_axis_classes *classes, int member) {
  classes->members[pgopt_axis_find(classes, member)].is_whole = true;
}

static bool can_cut(const pgopt_axis_class *c, bool is_whole, int64_t cut) {
  if (cut == 1 || cut == c->extent)
    return true;
  if (cut <= 0 || cut > c->extent || c->extent % cut)
    return false;
  for (size_t i = 0; i < c->cut_count; ++i) {
    if (c->cuts[i] == cut)
      return true;
    if (c->cuts[i] < cut ? cut % c->cuts[i] : c->cuts[i] % cut)
      return false;
  }
  return !is_whole && c->cut_count < PGOPT_MAX_CUTS;
}

bool pgopt_axis_can_cut(pgopt_axis_classes *classes, int member, int64_t cut) {
  const pgopt_axis_class *c =
      &classes->members[pgopt_axis_find(classes, member)];
  return can_cut(c, c->is_whole, cut);
}

bool pgopt_axis_cut(pgopt_axis_classes *classes, int member, int64_t cut) {
  pgopt_axis_class *c = &classes->members[pgopt_axis_find(classes, member)];
  if (cut == 1 || cut == c->extent)
    return false;
  size_t at = 0;
  while (at < c->cut_count && c->cuts[at] < cut)
    ++at;
  if (at < c->cut_count && c->cuts[at] == cut)
    return false;
  memmove(c->cuts + at + 1, c->cuts + at,
          (c->cut_count - at) * sizeof *c->cuts);
  c->cuts[at] = cut;
  ++c->cut_count;
  return true;
}

bool pgopt_axis_cut_block(pgopt_axis_classes *classes, int member,
                          int64_t cut) {
  const pgopt_axis_class *c =
      &classes->members[pgopt_axis_find(classes, member)];
  return can_cut(c, false, cut) && pgopt_axis_cut(classes, member, cut);
}

enum { MAX_BOUNDARIES = 256 };

/// Products, from the innermost dimension outwards, at which one of the lists
/// has a boundary; ascending, each once.
typedef struct boundaries {
  int64_t at[MAX_BOUNDARIES];
  size_t count;
} boundaries;

static bool add_boundary(boundaries *b, int64_t at) {
  size_t i = 0;
  while (i < b->count && b->at[i] < at)
    ++i;
  if (i < b->count && b->at[i] == at)
    return true;
  if (b->count == MAX_BOUNDARIES)
    return false;
  memmove(b->at + i + 1, b->at + i, (b->count - i) * sizeof *b->at);
  b->at[i] = at;
  ++b->count;
  return true;
}

static bool collect(pgopt_axis_classes *classes, const int *dims, size_t count,
                    boundaries *b) {
  int64_t inner = 1;
  for (size_t i = count; i-- > 0;) {
    const pgopt_axis_class *c =
        &classes->members[pgopt_axis_find(classes, dims[i])];
    for (size_t k = 0; k < c->cut_count; ++k)
      if (!add_boundary(b, inner * c->cuts[k]))
        return false;
    if (!pgopt_checked_multiply(inner, c->extent, &inner) ||
        !add_boundary(b, inner))
      return false;
  }
  return true;
}

/// Cuts the dimensions at all boundaries, or only tells whether it can.
static bool apply(pgopt_axis_classes *classes, const int *dims, size_t count,
                  const boundaries *b, bool dry, bool *changed) {
  int64_t inner = 1;
  for (size_t i = count; i-- > 0;) {
    int64_t extent = classes->members[pgopt_axis_find(classes, dims[i])].extent;
    for (size_t k = 0; k < b->count; ++k) {
      if (b->at[k] <= inner || b->at[k] / inner >= extent)
        continue;
      if (b->at[k] % inner ||
          !pgopt_axis_can_cut(classes, dims[i], b->at[k] / inner))
        return false;
      if (!dry && pgopt_axis_cut(classes, dims[i], b->at[k] / inner))
        *changed = true;
    }
    inner *= extent;
  }
  return true;
}

bool pgopt_axis_refine(pgopt_axis_classes *classes, const int *left,
                       size_t left_count, const int *right, size_t right_count,
                       bool *changed) {
  boundaries b = {.count = 0};
  if (!collect(classes, left, left_count, &b) ||
      !collect(classes, right, right_count, &b))
    return false;
  for (size_t k = 1; k < b.count; ++k)
    if (b.at[k] % b.at[k - 1])
      return false;
  /* The dry run may pass for each dimension and yet fail for two of the same
     class, whose cuts then clash: the real run is checked as well. */
  return apply(classes, left, left_count, &b, true, changed) &&
         apply(classes, right, right_count, &b, true, changed) &&
         apply(classes, left, left_count, &b, false, changed) &&
         apply(classes, right, right_count, &b, false, changed);
}
