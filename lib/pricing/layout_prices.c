/// \file What kernels and layout changes take in the layouts that the search
/// may choose.
///
/// Candidate number c of every kernel is to be found in world number c: the
/// whole network rewritten to these candidates, with layout changes between
/// kernels that disagree. A world tells the kernels' signatures; to measure,
/// those of its kernels that are asked for are cut out of it.
#include "pricing/layout_prices.h"

#include "base/hash.h"
#include "flops/flops.h"
#include "grouping/kernel_plan.h"
#include "grouping/signature.h"
#include "ir/ir.h"
#include "ir/kernel_signature.h"
#include "pricing/cut_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What estimates suppose of a core: operations and bytes a nanosecond, and
/// what starting a kernel takes.
static const double operations_per_ns = 60, bytes_per_ns = 8, start_ns = 200;

/// Equal texts are one identifier.
static const void *identify(const pgopt_layout_prices *p,
                            const char *signature) {
  return mlirIdentifierGet(mlirOperationGetContext(p->module),
                           pgopt_ref(signature))
      .ptr;
}

int pgopt_layout_prices_find(const pgopt_layout_prices *p,
                             const char *signature) {
  int price;
  return pgopt_pointer_map_get(&p->price_of, identify(p, signature), &price)
             ? price
             : -1;
}

/// \param signature null for a price of its own.
static int add_price(pgopt_layout_prices *p, const char *signature,
                     double estimate) {
  pgopt_search_problem *problem = &p->problem;
  int number = signature ? pgopt_layout_prices_find(p, signature) : -1;
  if (number >= 0)
    return number;
  number = (int)problem->price_count;
  if (signature)
    pgopt_pointer_map_set(&p->price_of, identify(p, signature), number);
  pgopt_search_price price = {NAN, estimate};
  size_t count = problem->price_count;
  PGOPT_APPEND(p->signatures, count, p->signature_capacity, signature);
  PGOPT_APPEND(problem->prices, problem->price_count, p->price_capacity, price);
  return number;
}

MlirLogicalResult pgopt_build_world(const pgopt_layout_prices *p, size_t number,
                                    MlirOperation *world) {
  const pgopt_layout_network *n = p->network;
  int *choice = pgopt_allocate(n->kernel_count, sizeof *choice);
  for (size_t k = 0; k < n->kernel_count; ++k)
    if (number < n->sets.layouts[k].candidate_count)
      choice[k] = (int)number;
  *world = pgopt_add_copy(p->module, p->network->entry, "pgopt_world");
  MlirLogicalResult status = pgopt_choice_apply(n, choice, *world);
  free(choice);
  return status;
}

static double estimate(const pgopt_network *network,
                       const pgopt_grouping *grouping, size_t group,
                       pgopt_arena *arena) {
  pgopt_counter counter = {network, NULL, NULL};
  pgopt_kernel_plan plan = pgopt_plan_kernel(network, grouping, group, arena);
  pgopt_count count;
  pgopt_count_kernel(&counter, grouping->groups[group].members,
                     grouping->groups[group].member_count, plan.inputs,
                     plan.input_count, plan.outputs, plan.output_count, &count);
  double computes =
      *count.unknown ? 0 : (double)count.operations / operations_per_ns;
  double moves = count.bytes < 0 ? 0 : (double)count.bytes / bytes_per_ns;
  return start_ns + (computes > moves ? computes : moves);
}

/// Signatures and estimates of the candidates in one world.
static MlirLogicalResult read_world(pgopt_layout_prices *p, size_t number,
                                    int **prices) {
  const pgopt_layout_network *n = p->network;
  MlirOperation world;
  pgopt_ir_network ir = {0};
  pgopt_grouping grouping = {0};
  pgopt_error error = {0};
  MlirLogicalResult status = pgopt_build_world(p, number, &world);
  if (mlirLogicalResultIsSuccess(status))
    status = pgopt_read_network(world, &ir);
  if (mlirLogicalResultIsSuccess(status) &&
      pgopt_group_network(&ir.network, true, &grouping, &error))
    status = pgopt_emit_error(n->entry, "%s", error.message);
  for (size_t g = 0; g < grouping.group_count; ++g) {
    int kernel =
        pgopt_labelled_kernel(&ir.network, &grouping, g, n->kernel_count);
    if (kernel < 0 || number >= n->sets.layouts[kernel].candidate_count ||
        n->sets.layouts[kernel].candidates[number].is_free)
      continue;
    const char *signature = pgopt_kernel_signature(
        world, &ir.network, &grouping.groups[g], &p->arena);
    prices[kernel][number] =
        add_price(p, signature, estimate(&ir.network, &grouping, g, &p->arena));
  }
  pgopt_grouping_free(&grouping);
  pgopt_ir_network_free(&ir);
  mlirOperationDestroy(world);
  return status;
}

static size_t world_count(const pgopt_layout_network *n) {
  size_t count = 0;
  for (size_t k = 0; k < n->kernel_count; ++k)
    if (n->sets.layouts[k].candidate_count > count)
      count = n->sets.layouts[k].candidate_count;
  return count;
}

static const char *value_name(pgopt_layout_prices *p, int value) {
  const pgopt_network *n = &p->network->ir.network;
  const pgopt_grouping *grouping = &p->network->grouping;
  int producer = n->values[value].producer;
  if (producer < 0)
    return pgopt_arena_format(&p->arena, "argument %d",
                              n->values[value].result_number);
  int group = grouping->group_of[producer];
  return group < 0 ? pgopt_arena_format(&p->arena, "%s %d",
                                        n->ops[producer].name, producer)
                   : grouping->groups[group].id;
}

static const char *const *layout_names(pgopt_layout_prices *p, int value) {
  const pgopt_layout_set *set = &p->network->sets.sets[value];
  const char **names =
      pgopt_arena_allocate(&p->arena, set->count, sizeof *names);
  for (size_t i = 0; i < set->count; ++i) {
    pgopt_text text = {0};
    pgopt_order_append_name(&p->network->axes, value, set->orders[i], &text);
    names[i] = pgopt_arena_text(&p->arena, text.data, text.size);
    pgopt_text_free(&text);
  }
  return names;
}

/// Prices of all changes of a value's layout.
static const int *price_conversions(pgopt_layout_prices *p, int value,
                                    int64_t bytes) {
  const pgopt_layout_set *set = &p->network->sets.sets[value];
  int *prices =
      pgopt_arena_allocate(&p->arena, set->count * set->count, sizeof *prices);
  for (size_t from = 0; from < set->count; ++from)
    for (size_t to = 0; to < set->count; ++to) {
      if (from == to)
        continue;
      size_t before = p->problem.price_count;
      int price = add_price(p,
                            pgopt_conversion_key(&p->network->axes, value,
                                                 set->orders[from],
                                                 set->orders[to], &p->arena),
                            start_ns + 4 * (double)bytes / bytes_per_ns);
      prices[from * set->count + to] = price;
      if (p->problem.price_count == before)
        continue;
      size_t count = p->conversion_count;
      pgopt_conversion conversion = {value, set->orders[from], set->orders[to]};
      PGOPT_APPEND(p->conversions, p->conversion_count, p->conversion_capacity,
                   conversion);
      PGOPT_APPEND(p->conversion_prices, count, p->conversion_price_capacity,
                   price);
    }
  return prices;
}

/// Gives the prices of layout changes the signatures of their kernels.
static MlirLogicalResult sign_conversions(pgopt_layout_prices *p) {
  pgopt_ir_network ir = {0};
  pgopt_grouping grouping = {0};
  pgopt_error error = {0};
  if (!p->conversion_count)
    return mlirLogicalResultSuccess();
  MlirOperation function =
      pgopt_build_conversions(p->module, &p->network->ir, &p->network->axes,
                              p->conversions, p->conversion_count);
  MlirLogicalResult status = pgopt_read_network(function, &ir);
  if (mlirLogicalResultIsSuccess(status) &&
      pgopt_group_network(&ir.network, true, &grouping, &error))
    status = pgopt_emit_error(p->network->entry, "%s", error.message);
  for (size_t g = 0; g < grouping.group_count; ++g) {
    int number =
        pgopt_labelled_kernel(&ir.network, &grouping, g, p->conversion_count);
    if (number >= 0)
      p->signatures[p->conversion_prices[number]] = pgopt_kernel_signature(
          function, &ir.network, &grouping.groups[g], &p->arena);
  }
  pgopt_grouping_free(&grouping);
  pgopt_ir_network_free(&ir);
  mlirOperationDestroy(function);
  return status;
}

static void list_value(pgopt_layout_prices *p, int value, bool has_producer,
                       pgopt_search_value *out) {
  const pgopt_layout_network *n = p->network;
  const pgopt_layout_set *set = &n->sets.sets[value];
  int64_t bytes;
  if (!pgopt_type_bytes(&n->ir.network.values[value].type, &bytes))
    bytes = 0;
  *out = (pgopt_search_value){
      .name = value_name(p, value),
      .layouts = layout_names(p, value),
      .layout_count = set->count,
      .bytes = bytes,
      .place = has_producer ? PGOPT_SEARCH_FREE : PGOPT_SEARCH_FIXED,
      .fixed_reason = has_producer ? NULL
                      : n->ir.network.values[value].producer < 0
                          ? "argument"
                          : "made by what is no kernel",
      .returned = n->sets.is_returned[value],
      .conversions = price_conversions(p, value, bytes)};
}

/// Values at the edges of kernels, in the network's order.
static void list_values(pgopt_layout_prices *p, int *number_of) {
  const pgopt_layout_network *n = p->network;
  size_t all = n->ir.network.value_count, count = 0;
  char *edges = pgopt_allocate(all, 1); /* 1: read, 2: written */
  for (size_t k = 0; k < n->kernel_count; ++k) {
    const pgopt_kernel_layouts *l = &n->sets.layouts[k];
    for (size_t i = 0; i < l->operand_count; ++i)
      edges[l->operands[i]] |= 1;
    for (size_t i = 0; i < l->result_count; ++i)
      edges[l->results[i]] |= 2;
  }
  pgopt_search_value *values =
      pgopt_arena_allocate(&p->arena, all, sizeof *values);
  int *value_of = pgopt_arena_allocate(&p->arena, all, sizeof *value_of);
  for (size_t v = 0; v < all; ++v) {
    if (!edges[v])
      continue;
    value_of[count] = (int)v;
    number_of[v] = (int)count;
    list_value(p, (int)v, (edges[v] & 2) != 0, &values[count++]);
  }
  free(edges);
  p->problem.values = values;
  p->problem.value_count = count;
  p->value_of = value_of;
}

static int *number_values(pgopt_layout_prices *p, const int *values,
                          size_t count, const int *number_of) {
  int *numbers = pgopt_arena_allocate(&p->arena, count, sizeof *numbers);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = number_of[values[i]];
  return numbers;
}

static void list_kernels(pgopt_layout_prices *p, const int *number_of,
                         int **prices) {
  const pgopt_layout_network *n = p->network;
  pgopt_search_kernel *kernels =
      pgopt_arena_allocate(&p->arena, n->kernel_count, sizeof *kernels);
  for (size_t k = 0; k < n->kernel_count; ++k) {
    const pgopt_kernel_layouts *l = &n->sets.layouts[k];
    pgopt_search_candidate *candidates =
        pgopt_arena_allocate(&p->arena, l->candidate_count, sizeof *candidates);
    for (size_t c = 0; c < l->candidate_count; ++c)
      candidates[c] = (pgopt_search_candidate){
          .layouts = l->candidates[c].layouts, .price = prices[k][c]};
    kernels[k] = (pgopt_search_kernel){
        .name =
            n->groups[k] < 0
                ? pgopt_arena_format(&p->arena, "%s %d",
                                     n->ir.network.ops[n->kernels[k].core].name,
                                     n->kernels[k].core)
                : n->grouping.groups[n->groups[k]].id,
        .operands = number_values(p, l->operands, l->operand_count, number_of),
        .operand_count = l->operand_count,
        .results = number_values(p, l->results, l->result_count, number_of),
        .result_count = l->result_count,
        .candidates = candidates,
        .candidate_count = l->candidate_count};
  }
  p->problem.kernels = kernels;
  p->problem.kernel_count = n->kernel_count;
}

static bool find_apart(pgopt_layout_prices *p, const char *signature,
                       double *time_ns) {
  pgopt_timing timing;
  const char *key =
      pgopt_arena_format(&p->arena, "%s%s", signature, PGOPT_PRICE_SUFFIX);
  if (!pgopt_timings_find(p->choose.timings, p->module, key, &timing))
    return false;
  *time_ns = (double)timing.median_ns;
  return true;
}

bool pgopt_find_price(pgopt_layout_prices *p, const char *signature,
                      double *time_ns) {
  const char *variant =
      pgopt_timings_variant(p->choose.timings, p->module, signature, &p->arena);
  return (variant &&
          find_apart(p, pgopt_variant_signature(signature, variant, &p->arena),
                     time_ns)) ||
         find_apart(p, signature, time_ns);
}

static void look_up(pgopt_layout_prices *p) {
  for (size_t i = 0; i < p->problem.price_count; ++i)
    if (p->signatures[i] && pgopt_find_price(p, p->signatures[i],
                                             &p->problem.prices[i].measured_ns))
      ++p->looked_up;
}

MlirLogicalResult pgopt_layout_prices_open(pgopt_pass *pass,
                                           MlirOperation module,
                                           const pgopt_layout_network *network,
                                           const pgopt_choose_options *choose,
                                           pgopt_layout_prices *p) {
  *p = (pgopt_layout_prices){
      .pass = pass,
      .module = module,
      .network = network,
      .choose = *choose,
      .budget = {.budget_ms = choose->request.budget_ms,
                 .started_ms = pgopt_price_budget_now_ms()},
      .status = mlirLogicalResultSuccess()};
  p->choose.times_suffix = PGOPT_PRICE_SUFFIX;
  int **prices =
      pgopt_arena_allocate(&p->arena, network->kernel_count, sizeof *prices);
  /* What is free, and what cannot be computed as one kernel. */
  int free_price = add_price(p, NULL, 0);
  int impossible = add_price(p, NULL, INFINITY);
  p->problem.prices[free_price].measured_ns = 0;
  p->problem.prices[impossible].measured_ns = INFINITY;
  for (size_t k = 0; k < network->kernel_count; ++k) {
    const pgopt_kernel_layouts *l = &network->sets.layouts[k];
    prices[k] =
        pgopt_arena_allocate(&p->arena, l->candidate_count, sizeof **prices);
    for (size_t c = 0; c < l->candidate_count; ++c)
      prices[k][c] = l->candidates[c].is_free || network->groups[k] < 0
                         ? free_price
                         : impossible;
  }
  MlirLogicalResult status = mlirLogicalResultSuccess();
  for (size_t c = 0;
       c < world_count(network) && mlirLogicalResultIsSuccess(status); ++c)
    status = read_world(p, c, prices);
  int *number_of =
      pgopt_allocate(network->ir.network.value_count, sizeof *number_of);
  list_values(p, number_of);
  list_kernels(p, number_of, prices);
  free(number_of);
  if (mlirLogicalResultIsSuccess(status))
    status = sign_conversions(p);
  look_up(p);
  return status;
}

void pgopt_layout_prices_close(pgopt_layout_prices *p) {
  free(p->problem.prices);
  free(p->conversions);
  free(p->conversion_prices);
  free(p->signatures);
  pgopt_pointer_map_free(&p->price_of);
  pgopt_arena_free(&p->arena);
  *p = (pgopt_layout_prices){.status = mlirLogicalResultSuccess()};
}

void pgopt_layout_prices_draw(pgopt_layout_prices *p, int64_t seed) {
  for (size_t i = 0; i < p->problem.price_count; ++i) {
    if (!p->signatures[i])
      continue;
    pgopt_hash hash = pgopt_hash_begin("price");
    pgopt_hash_i64(&hash, seed);
    pgopt_hash_text(&hash, p->signatures[i]);
    p->problem.prices[i].measured_ns = 1e3 + (double)(hash.low % 100000);
  }
  for (size_t i = 0; i < p->conversion_count; ++i)
    p->problem.prices[p->conversion_prices[i]].measured_ns /= 10;
}

static bool is_price(MlirNamedAttribute member) {
  MlirStringRef name = mlirIdentifierStr(member.name);
  size_t length = strlen(PGOPT_PRICE_SUFFIX);
  return name.length > length &&
         !memcmp(name.data + name.length - length, PGOPT_PRICE_SUFFIX, length);
}

void pgopt_drop_prices(MlirOperation module) {
  MlirAttribute all = pgopt_get(module, PGOPT_PROFILE);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsADictionary(all))
    return;
  intptr_t count = mlirDictionaryAttrGetNumElements(all), kept = 0;
  MlirNamedAttribute *members = pgopt_allocate((size_t)count, sizeof *members);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute member = mlirDictionaryAttrGetElement(all, i);
    if (!is_price(member))
      members[kept++] = member;
  }
  if (!kept)
    pgopt_remove(module, PGOPT_PROFILE);
  else if (kept < count)
    pgopt_set(
        module, PGOPT_PROFILE,
        mlirDictionaryAttrGet(mlirOperationGetContext(module), kept, members));
  free(members);
}
