/// \file Orders of dimensions, told by the loops that run over them.
#include "layout/order.h"

static bool contains(pgopt_order order, int id) {
  for (size_t i = 0; i < order.count; ++i)
    if (order.ids[i] == id)
      return true;
  return false;
}

bool pgopt_order_agrees(pgopt_order a, pgopt_order b) {
  size_t j = 0;
  for (size_t i = 0; i < a.count; ++i) {
    if (!contains(b, a.ids[i]))
      continue;
    while (j < b.count && b.ids[j] != a.ids[i]) {
      if (contains(a, b.ids[j]))
        return false;
      ++j;
    }
    if (j == b.count)
      return false;
    ++j;
  }
  return true;
}

static pgopt_loop_role innermost_role(pgopt_order order,
                                      const pgopt_loop_role *roles) {
  return roles[order.ids[order.count - 1]];
}

unsigned pgopt_contraction_copies(const pgopt_order orders[3],
                                  const pgopt_loop_role *roles,
                                  const int64_t bytes[2]) {
  unsigned copies = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!orders[i].count)
      continue;
    pgopt_loop_role role = innermost_role(orders[i], roles);
    if (role == PGOPT_LOOP_BATCH || role == PGOPT_LOOP_OTHER)
      copies |= 1u << i;
  }
  if (!copies && orders[0].count && orders[1].count) {
    int a = orders[0].ids[orders[0].count - 1];
    int b = orders[1].ids[orders[1].count - 1];
    if (a != b && roles[a] == PGOPT_LOOP_DEPTH && roles[b] == PGOPT_LOOP_DEPTH)
      copies |= bytes[0] <= bytes[1] ? 1u : 2u;
  }
  return copies;
}

int pgopt_dimension_loop(const pgopt_network *network, const pgopt_op *op,
                         size_t operand, size_t dim) {
  const pgopt_linear *form = &op->maps[operand].results[dim];
  const pgopt_type *type = &network->values[op->operands[operand]].type;
  if (!form->is_linear || !type->is_ranked || type->extents[dim] == 1)
    return -1;
  int found = -1;
  for (size_t l = 0; l < op->loop_count; ++l) {
    if (!form->coefficients[l] || op->loop_extents[l] == 1)
      continue;
    if (found < 0 || !op->loop_is_reduction[l])
      found = (int)l;
    if (!op->loop_is_reduction[l])
      break;
  }
  return found;
}
