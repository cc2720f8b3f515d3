// The layout search on cost tables, without a network.

// RUN: pgopt-runner --search-layouts=%S/Inputs/inception_costs.txt | FileCheck %s --check-prefixes=CHECK,FOUND
// RUN: pgopt-runner --search-layouts=%S/Inputs/inception_costs.txt --strategy=beam | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: pgopt-runner --search-layouts=%S/Inputs/inception_costs.txt --strategy=exact | FileCheck %s --check-prefixes=CHECK,PROVED

// 120 + 60 + 700 + 50 + 40 us as declared. Only the 3x3 convolution changes its
// layout: 390 us less for two copies of 7 and 27 us.
// CHECK: {"start_ns": 970000.0, "cost_ns": 614000.0,
// FOUND-SAME: "bound_ns": 0.0, "proved": false
// BOUND-SAME: "bound_ns": 614000.0, "proved": false
// PROVED-SAME: "bound_ns": 614000.0, "proved": true
// CHECK: "name": "image", {{.*}}"options": [], "conversions": [], "reason": "argument"}
// CHECK: "name": "small", {{.*}}"layout": "nchw", "options": [{"layout": "nchw", "cost_ns": 187000.0, "measured": true}, {"layout": "nhwc", "cost_ns": 212000.0, "measured": true}]
// CHECK-SAME: "reason": "declared layout is faster: nhwc costs 25 us more"}
// CHECK: "name": "squeezed", {{.*}}"conversions": [{"to": "nhwc", "time_ns": 7000.0}], "reason": "declared layout is faster: nhwc costs 19 us more, its user disagrees, a copy to nhwc costs 7 us"}
// CHECK: "name": "large", {{.*}}"layout": "nhwc", {{.*}}"reason": "saves 356 us against nchw, its user disagrees, a copy to nchw costs 27 us"}
// CHECK: {"name": "conv3x3", "candidate": 2, "variant": "winograd", "time_ns": 310000.0}

// RUN: not pgopt-runner --search-layouts=%s 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: pgopt-runner: {{.*}}search_table.mlir: line 1: expected price, value, convert, kernel or candidate, found '//'
// RUN: not pgopt-runner --search-layouts=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: pgopt-runner: cannot read 'absent'
// RUN: not pgopt-runner --search-layouts=absent --strategy=best 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: pgopt-runner: --strategy: 'best' is not greedy, beam or exact
