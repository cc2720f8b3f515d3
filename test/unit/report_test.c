/// \file The report of made-up layers, in both forms, byte for byte.
#include "check.h"

#include "profile/report.h"

#include <stdlib.h>

static const pgopt_report_member members[] = {{"tosa.clamp", 200, ""},
                                              {"tosa.custom", -1, "branch"}};
static const pgopt_report_layer layers[] = {
    /* 6000 operations in 2000 ns are 3 GFLOP/s, of 12 a quarter */
    {.layer = "conv_0",
     .op = "tosa.conv2d",
     .lflops = 6000,
     .unknown = "",
     .bytes = 400,
     .signature = "conv of this and that",
     .compute_ns = 500,
     .memory_ns = 400,
     .is_timed = true,
     .time = {2000, 1900, 20, 7},
     .source = "in-place",
     .members = members,
     .member_count = 2},
    /* three quarters of the time, and no operations */
    {.layer = "transpose_1",
     .op = "tosa.transpose",
     .lflops = 0,
     .unknown = "",
     .bytes = 80,
     .signature = "",
     .memory_ns = 5400, /* of 6000 are 0.9 */
     .is_timed = true,
     .time = {6000, 5000, 100, 7},
     .source = "derived"},
    {.layer = "if_2",
     .op = "scf.if",
     .lflops = -1,
     .unknown = "branch",
     .bytes = -1,
     .signature = "",
     .source = ""},
};

static pgopt_report make_report(void) {
  return (pgopt_report){.network = "net",
                        .layers = layers,
                        .layer_count = 3,
                        .lflops = 6200,
                        .contraction = 6000,
                        .unknown_ops = 2,
                        .cpu = "some CPU",
                        .peak_gflops = 12};
}

static const int64_t samples[] = {2100, 1900};
static const pgopt_trial_kernel kernels[] = {
    {.time = {2000, 1900, 20, 7},
     .dropped = 3,
     .cold_ns = 4000,
     .samples = samples,
     .sample_count = 2},
    {.time = {6000, 5000, 100, 7}, .dropped = 4, .cold_ns = -1},
    {.failure = "trapped: SIGFPE"}};

static pgopt_trial make_trial(void) {
  return (pgopt_trial){
      .kernels = kernels,
      .kernel_count = 3,
      .end_to_end = {.time = {10000, 9000, 300, 5}, .dropped = 2},
      .instrumented = {.time = {10400, 9100, 310, 6}, .dropped = 1},
      .cold = {.time = {20000, 19000, 500, 5}},
      .overhead = 1.03,
      .entry_ns = 700,
      .waits_ns = 200,
      .page_faults = 2,
      .page_fault_ns = 300,
      .timer_ns = 50};
}

static void test_table(void) {
  pgopt_report report = make_report();
  pgopt_text text = {0};
  pgopt_report_table(&report, &text);
  CHECK_EQ_TEXT(
      pgopt_text_get(&text),
      "profile of @net on some CPU, one core's measured peak 12.0 GFLOP/s\n"
      "layer        op                     Lflops        bytes        time   "
      "share   GFLOP/s of peak  roofline\n"
      "conv_0       tosa.conv2d              6000          400     2.00 us   "
      "25.0%      3.00   25.0%    0.25 c\n"
      "             + tosa.clamp              200\n"
      "             + tosa.custom               ?  branch\n"
      "transpose_1  tosa.transpose              0           80     6.00 us   "
      "75.0%         -       -    0.90 m\n"
      "if_2         scf.if                      ?            ?           -    "
      "   -         -       -         -  branch\n"
      "operations: 6200, in contractions 6000 (3000 multiply-accumulates; "
      "1 FMA = 2 operations)\n"
      "not in these totals: 2 ops whose count is not known\n"
      "layers without a time: 1 of 3\n"
      "layers whose time is derived: 1\n"
      "sum of layers: 8.00 us; measured before, not in this run\n");
  pgopt_text_free(&text);

  /* With the trial run: 8 us of 10, and 3 timers of 50 ns in 10 us. Of the
     rest, 10000 - 8000 - 700 - 200 - 2 * 300 = 500 ns have no name. */
  const pgopt_trial trial = make_trial();
  report.trial = &trial;
  pgopt_report_table(&report, &text);
  CHECK_CONTAINS(
      pgopt_text_get(&text),
      "sum of layers: 8.00 us, 80.0% of the network's 10.00 us\n"
      "outside of layers: entry 700 ns, waits for a CPU 200 ns, 2 page faults "
      "600 ns; 500 ns not explained\n"
      "with timers: 10.40 us, +3.0% over the run before it; one timer costs 50 "
      "ns, 3 of them 1.50% of a run\n"
      "measured runs: 5 plain and 6 with timers; a plain one took 9.00 us at "
      "least, median deviation 300 ns\n"
      "disturbed and left out: 2 plain runs, 1 with timers, 7 samples of "
      "layers\n"
      "data: warm, each run follows another one; with data in no cache a run "
      "with timers takes 20.00 us, median of 5\n");
  pgopt_text_free(&text);

  report = (pgopt_report){.network = "net", .lflops = -1, .cpu = ""};
  pgopt_report_table(&report, &text);
  CHECK_CONTAINS(pgopt_text_get(&text), "operations: more than 63 bits hold\n");
  pgopt_text_free(&text);
}

static void test_json(void) {
  pgopt_report report = make_report();
  pgopt_text text = {0};
  pgopt_report_json(&report, &text);
  CHECK_EQ_TEXT(
      pgopt_text_get(&text),
      "{\n"
      "  \"format\": 1,\n"
      "  \"network\": \"net\",\n"
      "  \"lflops\": 6200,\n"
      "  \"lflops_contraction\": 6000,\n"
      "  \"unknown_ops\": 2,\n"
      "  \"cpu\": \"some CPU\",\n"
      "  \"peak_gflops\": 12.000,\n"
      "  \"sum_of_layers_ns\": 8000,\n"
      "  \"layers_without_timing\": 1,\n"
      "  \"end_to_end\": null,\n"
      "  \"instrumented\": null,\n"
      "  \"cold\": null,\n"
      "  \"timer_ns\": null,\n"
      "  \"layers\": [\n"
      "    {\"layer\": \"conv_0\", \"op\": \"tosa.conv2d\", \"signature\": "
      "\"conv of this and that\", \"lflops\": 6000, "
      "\"bytes\": 400, \"timing\": {\"median_ns\": 2000, \"min_ns\": 1900, "
      "\"mad_ns\": 20, \"runs\": 7, \"source\": \"in-place\"}, \"share\": "
      "0.250000, \"gflops\": 3.000000, \"of_peak\": 0.250000, "
      "\"of_roofline\": 0.250000, \"bound\": \"compute\", \"members\": "
      "[{\"op\": \"tosa.clamp\", \"lflops\": 200}, {\"op\": \"tosa.custom\", "
      "\"lflops\": null, \"lflops_unknown\": \"branch\"}]},\n"
      "    {\"layer\": \"transpose_1\", \"op\": \"tosa.transpose\", "
      "\"lflops\": 0, \"bytes\": 80, \"timing\": {\"median_ns\": 6000, "
      "\"min_ns\": 5000, \"mad_ns\": 100, \"runs\": 7, \"source\": "
      "\"derived\"}, \"share\": 0.750000, \"gflops\": 0.000000, \"of_peak\": "
      "0.000000, \"of_roofline\": 0.900000, \"bound\": \"memory\", "
      "\"members\": []},\n"
      "    {\"layer\": \"if_2\", \"op\": \"scf.if\", \"lflops\": null, "
      "\"lflops_unknown\": \"branch\", \"bytes\": null, \"timing\": null, "
      "\"share\": null, \"gflops\": null, \"of_peak\": null, "
      "\"of_roofline\": null, \"members\": []}\n"
      "  ]\n"
      "}\n");
  pgopt_text_free(&text);

  const pgopt_trial trial = make_trial();
  report.trial = &trial;
  pgopt_report_json(&report, &text);
  CHECK_CONTAINS(
      pgopt_text_get(&text),
      "  \"end_to_end\": {\"median_ns\": 10000, \"min_ns\": 9000, \"mad_ns\": "
      "300, \"runs\": 5, \"dropped\": 2},\n"
      "  \"instrumented\": {\"median_ns\": 10400, \"min_ns\": 9100, "
      "\"mad_ns\": 310, \"runs\": 6, \"dropped\": 1},\n"
      "  \"cold\": {\"median_ns\": 20000, \"min_ns\": 19000, \"mad_ns\": 500, "
      "\"runs\": 5, \"dropped\": 0},\n"
      "  \"outside_of_layers\": {\"entry_ns\": 700, \"waits_ns\": 200, "
      "\"page_faults\": 2, \"page_faults_ns\": 600, \"not_explained_ns\": "
      "500},\n"
      "  \"timers_overhead\": 0.030000,\n"
      "  \"data\": \"warm\",\n"
      "  \"interrupted\": false,\n"
      "  \"timer_ns\": 50.000,\n");
  pgopt_text_free(&text);
}

static void test_write(void) {
  pgopt_text text = {0};
  pgopt_error error = {0};
  pgopt_text_append(&text, "x");
  CHECK_EQ_I64(pgopt_report_write(&text, "/nowhere/at/all", &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "/nowhere/at/all");
  pgopt_text_free(&text);
}

/// Of layers that a trial run of this run has measured, and failed to.
static void test_measured(void) {
  pgopt_report_layer rows[3];
  memcpy(rows, layers, sizeof rows);
  for (size_t i = 0; i < 3; ++i)
    rows[i].measured = &kernels[i];
  pgopt_trial trial = make_trial();
  trial.end_to_end = (pgopt_trial_runs){.failure = "if_2: trapped: SIGFPE"};
  trial.is_interrupted = true;
  pgopt_report report = make_report();
  report.layers = rows;
  report.trial = &trial;
  pgopt_text text = {0};
  pgopt_report_json(&report, &text);
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "\"bound\": \"compute\", \"dropped\": 3, \"cold_ns\": 4000, "
                 "\"samples_ns\": [2100, 1900], \"members\"");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "\"dropped\": 4, \"cold_ns\": null, \"samples_ns\": [], ");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "\"of_roofline\": null, \"failure\": \"trapped: SIGFPE\", ");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "  \"end_to_end\": null,\n  \"instrumented\": {");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "  \"end_to_end_failure\": \"if_2: trapped: SIGFPE\",\n"
                 "  \"timers_overhead\"");
  CHECK_CONTAINS(pgopt_text_get(&text), "\"interrupted\": true,\n");
  pgopt_text_free(&text);

  pgopt_report_table(&report, &text);
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "no time for if_2: trapped: SIGFPE\n"
                 "layers whose time is derived: 1\n"
                 "sum of layers: 8.00 us; the network as a whole has no time: "
                 "if_2: trapped: SIGFPE\n"
                 "with timers: ");
  CHECK_CONTAINS(pgopt_text_get(&text), "the trial run was interrupted\n");
  pgopt_text_free(&text);
}

int main(void) {
  test_measured();
  test_table();
  test_json();
  test_write();
  return check_result();
}
