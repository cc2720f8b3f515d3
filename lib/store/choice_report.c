#include "store/choice_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Beyond these a difference counts, see pgopt_pair_times.
enum { FASTER_PPM = 980000, SLOWER_PPM = 1020408, CHANCE_PPM = 10000 };

static bool is_sure(const pgopt_store_candidate *c) {
  return c->chance_ppm < CHANCE_PPM;
}

/// What became of candidate `i`, in words.
static const char *verdict(const pgopt_store_choice *choice, size_t i) {
  const pgopt_store_candidate *c = &choice->candidates[i];
  if (*c->failure)
    return c->failure;
  if (!i)
    return choice->chosen ? "the model's choice" : "the model's choice, taken";
  if (*choice->candidates[0].failure)
    return i == choice->chosen ? "taken, as the model's choice failed" : "";
  if (i == choice->chosen)
    return "taken: faster";
  if (!is_sure(c))
    return "not sure";
  if (c->ratio_ppm < FASTER_PPM)
    return choice->chosen ? "faster, but not the fastest"
                          : "faster, but not the network with it";
  return c->ratio_ppm > SLOWER_PPM ? "slower" : "no difference beyond 2%";
}

/// True when a candidate was faster, but not the whole network with it.
static bool is_overruled(const pgopt_store_choice *choice) {
  for (size_t i = 1; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *c = &choice->candidates[i];
    if (!choice->chosen && !*c->failure && is_sure(c) &&
        c->ratio_ppm < FASTER_PPM)
      return true;
  }
  return false;
}

/// Why the choice is what it is.
static void append_reason(const pgopt_store_choice *choice, pgopt_text *text) {
  const pgopt_store_candidate *c = &choice->candidates[choice->chosen];
  if (choice->chosen && *choice->candidates[0].failure)
    pgopt_text_append(text, "%s is taken: the model's choice failed (%s)",
                      c->variant, choice->candidates[0].failure);
  else if (choice->chosen)
    pgopt_text_append(text,
                      "%s is taken: it takes %.3f times as long as the model's "
                      "choice, p %s %.2g",
                      c->variant, (double)c->ratio_ppm / 1e6,
                      c->chance_ppm ? "=" : "<",
                      c->chance_ppm ? (double)c->chance_ppm / 1e6 : 1e-6);
  else
    pgopt_text_append(text, "%s is taken, the model's choice: %s", c->variant,
                      is_overruled(choice)
                          ? "the network was no faster with another"
                          : "no other is faster");
}

/// Microseconds, three digits behind the point.
static void append_us(pgopt_text *text, int64_t ns) {
  pgopt_text_append(text, "  %11.3f", (double)ns / 1e3);
}

static void append_table(const pgopt_store_choice *choice, const char *key,
                         pgopt_text *text) {
  pgopt_text_append(text, "%s\non %s\n", choice->signature, key);
  pgopt_text_append(text, "  %-28s%12s  %11s  %11s  %5s  %7s  %7s\n", "variant",
                    "cycles", "median us", "mad us", "runs", "ratio", "p");
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *c = &choice->candidates[i];
    pgopt_text_append(text, "%c %-28s%12" PRId64,
                      i == choice->chosen ? '*' : ' ', c->variant, c->cycles);
    if (*c->failure) {
      pgopt_text_append(text, "  %11s  %11s  %5s  %7s  %7s", "-", "-", "-", "-",
                        "-");
    } else {
      append_us(text, c->median_ns);
      append_us(text, c->mad_ns);
      pgopt_text_append(text, "  %5" PRId64 "  %7.3f  %7.4f", c->runs,
                        (double)c->ratio_ppm / 1e6,
                        (double)c->chance_ppm / 1e6);
    }
    const char *words = verdict(choice, i);
    pgopt_text_append(text, "%s%s\n", *words ? "  " : "", words);
  }
  append_reason(choice, text);
  pgopt_text_append(text, "\n");
}

static void append_member(pgopt_text *text, const char *key,
                          const char *value) {
  pgopt_text_append(text, "\"%s\": ", key);
  pgopt_text_append_json(text, value);
}

static void append_object(const pgopt_store_choice *choice, const char *key,
                          pgopt_text *text) {
  pgopt_text reason = {0};
  append_reason(choice, &reason);
  pgopt_text_append(text, "{");
  append_member(text, "signature", choice->signature);
  pgopt_text_append(text, ", ");
  append_member(text, "machine", key);
  pgopt_text_append(text, ",\n  ");
  append_member(text, "chosen", choice->candidates[choice->chosen].variant);
  pgopt_text_append(text, ", ");
  append_member(text, "why", pgopt_text_get(&reason));
  pgopt_text_append(text, ",\n  \"candidates\": [");
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *c = &choice->candidates[i];
    pgopt_text_append(text, "%s\n    {", i ? "," : "");
    append_member(text, "variant", c->variant);
    pgopt_text_append(text, ", \"cycles\": %" PRId64 ", ", c->cycles);
    if (*c->failure)
      append_member(text, "failure", c->failure);
    else
      pgopt_text_append(text,
                        "\"median_ns\": %" PRId64 ", \"min_ns\": %" PRId64
                        ", \"mad_ns\": %" PRId64 ", \"runs\": %" PRId64
                        ", \"ratio\": %.6f, \"p\": %.6f, ",
                        c->median_ns, c->min_ns, c->mad_ns, c->runs,
                        (double)c->ratio_ppm / 1e6,
                        (double)c->chance_ppm / 1e6);
    if (!*c->failure)
      append_member(text, "verdict", verdict(choice, i));
    pgopt_text_append(text, "}");
  }
  pgopt_text_append(text, "]}");
  pgopt_text_free(&reason);
}

size_t pgopt_choice_report(const pgopt_store *store, const char *signature,
                           bool as_json, pgopt_text *text) {
  size_t count = 0;
  if (as_json)
    pgopt_text_append(text, "[");
  for (size_t i = 0; i < store->profile_count; ++i) {
    const pgopt_store_profile *profile = &store->profiles[i];
    for (size_t k = 0; k < profile->choice_count; ++k) {
      const pgopt_store_choice *choice = &profile->choices[k];
      if (strncmp(choice->signature, signature, strlen(signature)) != 0)
        continue;
      if (count++)
        pgopt_text_append(text, as_json ? ",\n" : "\n");
      if (as_json)
        append_object(choice, profile->key, text);
      else
        append_table(choice, profile->key, text);
    }
  }
  if (as_json)
    pgopt_text_append(text, "]\n");
  return count;
}
