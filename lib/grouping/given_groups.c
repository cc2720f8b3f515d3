/// \file Takes over the groups that operations name, where they can be
/// executed.
#include "grouping/given_groups.h"

#include "grouping/grouping.h"

#include <stdlib.h>
#include <string.h>

static int compare_group_then_place(const void *left, const void *right,
                                    void *data) {
  const pgopt_network *network = data;
  int l = *(const int *)left, r = *(const int *)right;
  int order = strcmp(network->ops[l].group, network->ops[r].group);
  return order ? order : (l > r) - (l < r);
}

/// The core of a group: its first contraction, else its first reduction, else
/// its last operation.
static int choose_core(const pgopt_network *network, const int *members,
                       size_t count) {
  int core = members[count - 1], weight = 0;
  for (size_t i = 0; i < count; ++i) {
    const pgopt_op *op = &network->ops[members[i]];
    int w = pgopt_op_is_contraction(op) ? 2 : pgopt_op_is_reduction(op);
    if (w > weight) {
      weight = w;
      core = members[i];
    }
  }
  return core;
}

/// Gives every operation that needs one the leader of its group; false when one
/// of them names none.
static bool take_over(pgopt_group_analysis *a) {
  const pgopt_network *network = a->network;
  int *members = NULL;
  size_t count = 0, capacity = 0;
  bool complete = true;
  for (int i = 0; i < (int)network->op_count && complete; ++i) {
    if (!pgopt_op_is_free(a, i))
      continue;
    complete = network->ops[i].group != NULL;
    PGOPT_APPEND(members, count, capacity, i);
  }
  if (complete && count) {
    qsort_r(members, count, sizeof *members, compare_group_then_place,
            (void *)network);
    for (size_t first = 0, end; first < count; first = end) {
      const char *id = network->ops[members[first]].group;
      for (end = first + 1;
           end < count && !strcmp(network->ops[members[end]].group, id);)
        ++end;
      int core = choose_core(network, members + first, end - first);
      for (size_t i = first; i < end; ++i)
        a->leader[members[i]] = core;
    }
  }
  free(members);
  return complete && count;
}

int *pgopt_group_places(const pgopt_group_analysis *a) {
  int *place = pgopt_allocate(a->network->op_count, sizeof *place);
  for (int i = 0; i < (int)a->network->op_count; ++i)
    if (a->leader[i] >= 0)
      place[a->leader[i]] = i;
  return place;
}

/// Per operation the place at which its operands have to be there: that of its
/// group; of what users compute anew, the first of theirs; else its own.
static int *find_deadlines(const pgopt_group_analysis *a, const int *place) {
  const pgopt_network *network = a->network;
  int count = (int)network->op_count;
  int *deadline = pgopt_allocate((size_t)count, sizeof *deadline);
  for (int i = count - 1; i >= 0; --i) {
    const pgopt_op *op = &network->ops[i];
    deadline[i] = a->leader[i] >= 0 ? place[a->leader[i]] : i;
    if (a->leader[i] >= 0 || !pgopt_op_is_attached(network, i))
      continue;
    deadline[i] = count;
    for (size_t r = 0; r < op->result_count; ++r) {
      const pgopt_value *value = &network->values[op->results[r]];
      for (size_t u = 0; u < value->user_count; ++u)
        if (deadline[value->users[u]] < deadline[i])
          deadline[i] = deadline[value->users[u]];
    }
  }
  return deadline;
}

/// True when executing every group at its last member respects dependencies.
static bool can_execute(const pgopt_group_analysis *a) {
  const pgopt_network *network = a->network;
  int *place = pgopt_group_places(a), *deadline = find_deadlines(a, place);
  bool good = true;
  for (int i = 0; i < (int)network->op_count && good; ++i) {
    const pgopt_op *op = &network->ops[i];
    if (a->leader[i] < 0)
      continue;
    for (size_t r = 0; r < op->result_count; ++r) {
      const pgopt_value *value = &network->values[op->results[r]];
      for (size_t u = 0; u < value->user_count; ++u)
        if (a->leader[value->users[u]] != a->leader[i] &&
            deadline[value->users[u]] < place[a->leader[i]])
          good = false;
    }
  }
  free(place);
  free(deadline);
  return good;
}

bool pgopt_take_given_groups(pgopt_group_analysis *a) {
  bool good = take_over(a) && can_execute(a);
  for (size_t i = 0; i < a->network->op_count && !good; ++i)
    a->leader[i] = -1;
  return good;
}
