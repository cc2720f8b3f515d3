/// \file The layouts of a network chosen by measured time.
#include "pricing/search_layouts.h"

#include "base/file.h"
#include "ir/change_layouts.h"
#include "ir/ir.h"
#include "pricing/confirm.h"
#include "pricing/layout_network.h"
#include "pricing/layout_prices.h"
#include "search/decisions.h"
#include "search/problem_text.h"
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

typedef struct searcher {
  pgopt_pass *pass;
  MlirOperation module, *entry;
  const pgopt_layout_search_options *options;
  pgopt_layout_search_result *result;
  MlirOperation copy, start; ///< of the module, and of the entry in it
  pgopt_layout_network network;
  pgopt_layout_prices prices;
  pgopt_search_result found;
  pgopt_confirmation confirmation;
} searcher;

/// The operation at which something is said about a value.
static MlirOperation place_of(const searcher *s, int value) {
  int producer = s->network.ir.network.values[value].producer;
  return producer < 0 ? s->network.entry : s->network.ir.ops[producer];
}

static void print_sets(const searcher *s) {
  const pgopt_search_problem *p = &s->prices.problem;
  for (size_t v = 0; v < p->value_count; ++v) {
    pgopt_text text = {0};
    for (size_t i = 0; i < p->values[v].layout_count; ++i)
      pgopt_text_append(&text, "%s%s", i ? ", " : "", p->values[v].layouts[i]);
    pgopt_emit(place_of(s, s->prices.value_of[v]), PGOPT_REMARK,
               "layouts of %s: %s", p->values[v].name, pgopt_text_get(&text));
    pgopt_text_free(&text);
  }
}

static void count_values(const searcher *s) {
  const pgopt_search_problem *p = &s->prices.problem;
  s->result->kernels = (int64_t)p->kernel_count;
  for (size_t v = 0; v < p->value_count; ++v)
    s->result->values += p->values[v].layout_count > 1;
  s->result->prices = (int64_t)p->price_count - 2;
  s->result->looked_up = s->prices.looked_up;
}

static void report_decisions(const searcher *s) {
  const pgopt_search_problem *p = &s->prices.problem;
  for (size_t v = 0; v < p->value_count; ++v) {
    const pgopt_search_decision *d = &s->found.decisions[v];
    const pgopt_search_value *value = &p->values[v];
    if (d->layout == value->declared)
      continue;
    ++s->result->moved;
    pgopt_emit(place_of(s, s->prices.value_of[v]), PGOPT_REMARK,
               "%s is stored as %s, not %s: %s", value->name,
               value->layouts[d->layout], value->layouts[value->declared],
               d->reason);
  }
  s->result->conversions = (int64_t)s->found.conversion_count;
}

/// Writes a text to the file that an option names; frees it.
static MlirLogicalResult write_file(const searcher *s, const char *option,
                                    const char *path, pgopt_text *text) {
  pgopt_error error = {0};
  pgopt_status status =
      pgopt_file_write(path, pgopt_text_get(text), text->size, &error);
  pgopt_text_free(text);
  return status ? pgopt_emit_error(s->module, "%s: %s", option, error.message)
                : mlirLogicalResultSuccess();
}

/// The problem with its prices, and what was decided, where they are asked for.
static MlirLogicalResult write_files(const searcher *s) {
  const pgopt_search_problem *problem = &s->prices.problem;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  pgopt_text text = {0};
  if (*s->options->costs) {
    pgopt_search_table_write(problem, &text);
    status = write_file(s, "costs", s->options->costs, &text);
  }
  if (*s->options->trace && mlirLogicalResultIsSuccess(status)) {
    pgopt_search_trace_json(problem, &s->found, &s->confirmation.comparison,
                            &text);
    status = write_file(s, "trace", s->options->trace, &text);
  }
  return status;
}

static bool has_convolutions(const searcher *s) {
  const pgopt_layout_network *n = &s->network;
  for (size_t i = 0; i < n->ir.network.op_count; ++i)
    if (n->axes.ops[i].role == PGOPT_AXES_WINDOW)
      return true;
  return false;
}

static MlirLogicalResult search(searcher *s) {
  pgopt_search_options options = s->options->search;
  pgopt_error error = {0};
  bool measures = s->options->source == PGOPT_PRICES_MEASURED;
  if (s->options->source == PGOPT_PRICES_RANDOM)
    pgopt_layout_prices_draw(&s->prices, s->options->choose.request.seed);
  if (measures) {
    if (mlirLogicalResultIsFailure(pgopt_layout_prices_estimate(&s->prices)))
      return mlirLogicalResultFailure();
    if (s->options->confirms)
      s->prices.compared_forms = has_convolutions(s) ? 3 : 1;
    measures = !pgopt_layout_prices_are_searched(&s->prices);
  }
  options.context = &s->prices;
  options.measure = measures ? pgopt_layout_prices_measure : NULL;
  pgopt_status status =
      pgopt_search(&s->prices.problem, &options, &s->found, &error);
  s->result->measured = s->prices.measured;
  s->result->is_interrupted = s->prices.is_interrupted;
  if (status)
    return pgopt_emit_error(s->module, "layout-search: %s", error.message);
  if (measures && !s->prices.is_interrupted)
    pgopt_layout_prices_note_search(&s->prices);
  return s->prices.status;
}

/// Takes the labels of kernels away.
static void unlabel(MlirOperation function) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(function), &count);
  for (size_t i = 0; i < count; ++i)
    pgopt_remove(ops[i], PGOPT_KERNEL);
  free(ops);
}

static bool is_start(const searcher *s) {
  for (size_t k = 0; k < s->network.kernel_count; ++k)
    if (s->found.candidate[k])
      return false;
  return true;
}

/// Adds the network with its images in one layout.
static MlirLogicalResult add_fixed(const searcher *s, const char *layout,
                                   pgopt_form *forms, size_t *count) {
  pgopt_layout_wishes wishes = {.work = s->options->work,
                                .packs_parameters =
                                    s->options->packs_parameters};
  pgopt_applied applied;
  pgopt_image_layout_parse(layout, &wishes.images);
  pgopt_form form = {layout, pgopt_add_copy(s->copy, s->start, layout)};
  forms[(*count)++] = form;
  unlabel(form.function);
  return pgopt_change_layouts(form.function, &wishes, &applied);
}

static void report_comparison(const searcher *s) {
  const pgopt_confirmation *c = &s->confirmation;
  pgopt_text text = {0};
  if (c->failure)
    pgopt_emit(*s->entry, PGOPT_REMARK, "the layouts as given are kept: %s",
               c->failure);
  if (!c->comparison.form_count)
    return;
  for (size_t i = 0; i < c->comparison.form_count; ++i) {
    const pgopt_search_form_time *form = &c->times[i];
    pgopt_text_append(&text, "; %s %.1f us", form->name,
                      (double)form->median_ns / 1e3);
    if (i)
      pgopt_text_append(&text, ", ratio %.3f, p = %.2g", form->ratio,
                        form->p_value);
  }
  pgopt_emit(*s->entry, PGOPT_REMARK,
             "kept is the network as %s: %lld runs%s%s",
             c->times[c->comparison.chosen].name, (long long)c->comparison.runs,
             c->is_on_file ? " on file" : "", text.data);
  pgopt_text_free(&text);
}

/// Chooses the form to be kept.
static MlirLogicalResult confirm(searcher *s, MlirOperation found,
                                 MlirOperation *kept) {
  pgopt_choose_options choose = s->prices.choose;
  pgopt_form forms[PGOPT_SEARCH_MAX_FORMS] = {{"given", s->start},
                                              {"found", found}};
  size_t count = 2;
  *kept = found;
  if (!s->options->confirms || s->options->source != PGOPT_PRICES_MEASURED)
    return mlirLogicalResultSuccess();
  pgopt_layout_prices_reserve(&s->prices);
  choose.request.budget_ms = pgopt_price_budget_compare_ms(
      &s->prices.budget, pgopt_price_budget_now_ms());
  if (has_convolutions(s) &&
      (mlirLogicalResultIsFailure(add_fixed(s, "nhwc", forms, &count)) ||
       mlirLogicalResultIsFailure(add_fixed(s, "nchw", forms, &count))))
    return mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(pgopt_confirm(s->pass, s->copy, forms, count,
                                               &choose, &s->confirmation)))
    return mlirLogicalResultFailure();
  s->result->is_interrupted = s->confirmation.is_interrupted;
  *kept = forms[s->confirmation.chosen].function;
  report_comparison(s);
  return mlirLogicalResultSuccess();
}

/// Notes on the operations of `function`, a clone of the start, how their
/// results would be stored.
static void note_layouts(const searcher *s, MlirOperation function) {
  const pgopt_network *n = &s->network.ir.network;
  const pgopt_search_problem *p = &s->prices.problem;
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(function), &count);
  for (size_t v = 0; v < p->value_count; ++v) {
    int value = s->prices.value_of[v], producer = n->values[value].producer;
    const pgopt_layout_set *set = &s->network.sets.sets[value];
    if (s->found.stored[v] == p->values[v].declared || producer < 0 ||
        n->ops[producer].result_count != 1)
      continue;
    MlirAttribute map =
        pgopt_order_map(&s->network, value, set->orders[s->found.stored[v]]);
    pgopt_set(ops[producer], PGOPT_LAYOUT,
              mlirArrayAttrGet(mlirOperationGetContext(function), 1, &map));
  }
  free(ops);
}

/// What was found takes the entry's place.
static void replace_entry(searcher *s, MlirOperation found) {
  unlabel(found);
  mlirOperationSetAttributeByName(
      found, pgopt_ref("sym_name"),
      mlirOperationGetAttributeByName(*s->entry, pgopt_ref("sym_name")));
  mlirOperationRemoveFromParent(found);
  mlirBlockInsertOwnedOperationAfter(pgopt_module_body(s->module), *s->entry,
                                     found);
  mlirOperationDestroy(*s->entry);
  *s->entry = found;
}

static MlirLogicalResult apply(searcher *s) {
  MlirOperation found = pgopt_add_copy(s->copy, s->start, "found"),
                kept = s->start;
  if (!s->options->applies) {
    note_layouts(s, found);
    replace_entry(s, found);
    return mlirLogicalResultSuccess();
  }
  if (mlirLogicalResultIsFailure(
          pgopt_choice_apply(&s->network, s->found.candidate, found)) ||
      mlirLogicalResultIsFailure(confirm(s, found, &kept)))
    return mlirLogicalResultFailure();
  if (!mlirOperationEqual(kept, s->start) && !s->result->is_interrupted &&
      (s->confirmation.chosen || !is_start(s)))
    replace_entry(s, kept);
  return mlirLogicalResultSuccess();
}

typedef struct member_list {
  MlirNamedAttribute *items;
  size_t count, capacity;
} member_list;

static void set_member(member_list *list, MlirNamedAttribute member) {
  for (size_t i = 0; i < list->count; ++i)
    if (mlirIdentifierEqual(list->items[i].name, member.name)) {
      list->items[i] = member;
      return;
    }
  PGOPT_APPEND(list->items, list->count, list->capacity, member);
}

/// The variants of all kernels that have a price, whether they were chosen now
/// or are on file.
static void keep_variants(searcher *s) {
  MlirContext context = mlirOperationGetContext(s->module);
  MlirAttribute old = pgopt_get(s->module, PGOPT_VARIANTS);
  member_list list = {0};
  intptr_t known = mlirAttributeIsNull(old) || !mlirAttributeIsADictionary(old)
                       ? 0
                       : mlirDictionaryAttrGetNumElements(old);
  for (intptr_t i = 0; i < known; ++i)
    PGOPT_APPEND(list.items, list.count, list.capacity,
                 mlirDictionaryAttrGetElement(old, i));
  for (size_t i = 0; i < s->prices.problem.price_count; ++i) {
    const char *signature = s->prices.signatures[i];
    const char *variant =
        signature ? pgopt_timings_variant(s->options->choose.timings, s->copy,
                                          signature, &s->prices.arena)
                  : NULL;
    if (variant)
      set_member(&list, pgopt_named(context, signature,
                                    pgopt_text_attribute(context, variant)));
  }
  if (list.count)
    pgopt_set(s->module, PGOPT_VARIANTS,
              mlirDictionaryAttrGet(context, (intptr_t)list.count, list.items));
  free(list.items);
}

/// What was measured and chosen belongs to the network's module.
static void keep_measured(searcher *s) {
  static const pgopt_attribute kept[] = {PGOPT_PROFILE, PGOPT_MACHINE};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
    MlirAttribute value = pgopt_get(s->copy, kept[i]);
    if (!mlirAttributeIsNull(value))
      pgopt_set(s->module, kept[i], value);
  }
  if (s->options->source == PGOPT_PRICES_MEASURED)
    keep_variants(s);
}

static MlirLogicalResult run(searcher *s) {
  if (mlirLogicalResultIsFailure(pgopt_layout_network_open(
          s->start, s->options->packs_parameters,
          s->options->choose.target.vector_bytes / (int64_t)sizeof(float),
          &s->network)) ||
      mlirLogicalResultIsFailure(pgopt_layout_prices_open(
          s->pass, s->copy, &s->network, &s->options->choose, &s->prices)))
    return mlirLogicalResultFailure();
  count_values(s);
  if (s->options->prints_sets)
    print_sets(s);
  if (mlirLogicalResultIsFailure(search(s)))
    return mlirLogicalResultFailure();
  if (s->result->is_interrupted)
    return mlirLogicalResultSuccess();
  report_decisions(s);
  MlirLogicalResult status = apply(s);
  return mlirLogicalResultIsSuccess(status) ? write_files(s) : status;
}

MlirLogicalResult
pgopt_search_layouts(pgopt_pass *pass, MlirOperation module,
                     MlirOperation *entry,
                     const pgopt_layout_search_options *options,
                     pgopt_layout_search_result *result) {
  searcher s = {.pass = pass,
                .module = module,
                .entry = entry,
                .options = options,
                .result = result};
  *result = (pgopt_layout_search_result){0};
  s.copy = pgopt_nest_copy(module);
  s.start = pgopt_module_lookup(s.copy, pgopt_symbol_name(*entry));
  MlirLogicalResult status = run(&s);
  keep_measured(&s);
  pgopt_search_result_free(&s.found);
  pgopt_layout_prices_close(&s.prices);
  pgopt_layout_network_close(&s.network);
  mlirOperationDestroy(s.copy);
  return status;
}
