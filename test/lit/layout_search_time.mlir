// Layouts by the time of kernels and layout changes. The times are drawn (lit
// must not measure), so each strategy has something to choose.

// What each value can be stored as: images as declared and with channels last,
// what a transpose offers on both sides of it.
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored print-sets=true' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=SETS
// SETS: layouts of argument 0: b.c.d, c.d.b
// SETS: layouts of conv_0: b.c.d, c.d.b
// SETS: layouts of conv_1: b.c.d, c.d.b
// RUN: pgopt-opt %s --layout-search='entry=heads prices=stored print-sets=true' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: layouts of argument 0: a.b.c, b.a.c
// HEADS: layouts of {{.*}}: a.b.c, b.a.c

// Channels in blocks of a vector: of 32 channels of the first image there are two
// blocks of 16; of 16 channels only vectors of 8 make several.
// RUN: pgopt-opt %s --layout-search='entry=blocks target-cpu=x86-64-v4 prices=stored print-sets=true' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: layouts of conv_0: b0.b1.c.d, c.d.b0.b1, b0.c.d.b1
// BLOCKS: layouts of conv_1: b.c.d, c.d.b
// RUN: pgopt-opt %s --layout-search='entry=blocks target-cpu=x86-64-v3 prices=stored print-sets=true' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=EIGHTS
// EIGHTS: layouts of conv_0: b0.b1.c.d, c.d.b0.b1, b0.c.d.b1
// EIGHTS: layouts of conv_1: b0.b1.c.d, c.d.b0.b1, b0.c.d.b1

// Every strategy finds something, no result changes, and equal input has equal
// output.
// RUN: pgopt-opt %s --layout-search='entry=images strategy=greedy prices=random seed=4 trace=%t.json' \
// RUN:   -o %t.greedy 2>%t.log
// RUN: FileCheck %s --check-prefix=FOUND < %t.greedy
// RUN: FileCheck %s --check-prefix=REASON < %t.log
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// RUN: pgopt-opt %s --layout-search='entry=images strategy=greedy prices=random seed=4' \
// RUN:   2>/dev/null | diff %t.greedy -
// RUN: pgopt-opt %s --layout-search='entry=images strategy=beam width=4 prices=random seed=4' \
// RUN:   2>/dev/null | diff %t.greedy -
// RUN: pgopt-opt %s --layout-search='entry=images strategy=exact nodes=1000 prices=random seed=4' \
// RUN:   2>/dev/null | diff %t.greedy -
// RUN: pgopt-runner %t.greedy --entry=images --no-cache --compare=%s
// FOUND-LABEL: func.func @images
// FOUND-SAME: pg.parameter = "v@c.d.b.a"
// FOUND: outs({{.*}} : tensor<1x9x11x5xf32>)
// REASON: remark: conv_0 is stored as c.d.b, not b.c.d:
// TRACE: "name": "conv_0"{{.*}}"declared": "b.c.d", "layout": "c.d.b"

// Prices of another machine, from a store in text form: channels last take 1 us
// instead of 5 and 6, each of the two layout changes 0.5 us: 3 instead of 11 us.
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored any-machine=true store=%S/Inputs/layouts.json trace=%t.json' \
// RUN:   -o %t.stored 2>%t.log
// RUN: FileCheck %s --check-prefix=FOUND < %t.stored
// RUN: FileCheck %s --check-prefix=STORED < %t.log
// RUN: FileCheck %s --check-prefix=COST < %t.json
// STORED-DAG: remark: conv_0 is stored as c.d.b, not b.c.d: saves
// STORED-DAG: remark: conv_1 is stored as c.d.b, not b.c.d: saves {{.*}}the caller disagrees, a copy to b.c.d costs 500 ns
// STORED-DAG: warning: {{[0-9]+}} of {{[0-9]+}} Timings from the store are of another machine
// COST: "start_ns": 11000{{.*}}"cost_ns": 3000
// Every strategy finds these 3 us.
// RUN: pgopt-opt %s --layout-search='entry=images strategy=beam prices=stored any-machine=true store=%S/Inputs/layouts.json' \
// RUN:   2>/dev/null | diff %t.stored -
// RUN: pgopt-opt %s --layout-search='entry=images strategy=exact prices=stored any-machine=true store=%S/Inputs/layouts.json' \
// RUN:   2>/dev/null | diff %t.stored -
// fixed asks no store, none changes nothing.
// RUN: pgopt-opt %s --layout-search='entry=images strategy=fixed' -o %t.fixed
// RUN: pgopt-opt %s --layout-search='entry=images strategy=fixed store=%S/Inputs/layouts.json any-machine=true' \
// RUN:   2>&1 | diff %t.fixed -
// RUN: pgopt-opt %s -o %t.given
// RUN: pgopt-opt %s --layout-search='entry=images strategy=none store=%S/Inputs/layouts.json any-machine=true' \
// RUN:   2>&1 | diff %t.given -

// Layout changes of 5 us. The first convolution could also write channels last
// from the image as declared; without a price that counts 5 us (the estimate
// times what prices are of estimates). Then 5 + 1 us and one layout change are
// as much as 5 + 6 us as declared: of a tie the choice with fewer layout changes
// is taken.
// RUN: sed 's/"median_ns": 500,/"median_ns": 5000,/' %S/Inputs/layouts.json > %t.even
// RUN: pgopt-opt %s --layout-search='entry=images strategy=greedy prices=stored any-machine=true store=%t.even trace=%t.json' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefixes=TIE < %t.json
// RUN: pgopt-opt %s --layout-search='entry=images strategy=beam prices=stored any-machine=true store=%t.even trace=%t.json' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefixes=TIE < %t.json
// RUN: pgopt-opt %s --layout-search='entry=images strategy=exact prices=stored any-machine=true store=%t.even trace=%t.json' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefixes=TIE < %t.json
// TIE: "start_ns": 11000{{.*}}"cost_ns": 11000
// TIE: "name": "conv_0"{{.*}}"layout": "b.c.d"
// TIE: "name": "conv_1"{{.*}}"layout": "b.c.d"

// 10 ns of 11 us are less than the 2% that greedy moves a value for.
// RUN: sed 's/"median_ns": 500,/"median_ns": 4990,/' %S/Inputs/layouts.json > %t.near
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored any-machine=true store=%t.near trace=%t.json' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefixes=TIE < %t.json
// RUN: pgopt-opt %s --layout-search='entry=images strategy=exact prices=stored any-machine=true store=%t.near trace=%t.json' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=LESS < %t.json
// LESS: "start_ns": 11000{{.*}}"cost_ns": 10990

// Layout changes of 9 us do not pay.
// RUN: sed 's/"median_ns": 500,/"median_ns": 9000,/' %S/Inputs/layouts.json > %t.store
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored any-machine=true store=%t.store' 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=DEAR
// DEAR-LABEL: func.func @images
// DEAR: linalg.conv_2d_nchw_fchw
// DEAR: linalg.conv_2d_nchw_fchw
// DEAR-NOT: linalg.transpose
// DEAR: return

// With the model's prices all layouts cost the same: a tie keeps what is
// declared.
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored' -o %t.tie
// RUN: pgopt-opt %s | diff %t.tie -

// The prices as a table: searched apart from the network they give the same.
// RUN: pgopt-opt %s --layout-search='entry=images prices=stored any-machine=true store=%S/Inputs/layouts.json costs=%t.costs' \
// RUN:   -o /dev/null 2>/dev/null
// RUN: pgopt-runner --search-layouts=%t.costs --strategy=exact | FileCheck %s --check-prefix=PROVED
// PROVED: "start_ns": 11000{{.*}}"cost_ns": 3000{{.*}}"proved": true
// RUN: not pgopt-opt %s --layout-search='entry=images prices=stored costs=%t.absent/costs' -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: error: costs: {{.*}}absent/costs

// Without rewriting.
// RUN: pgopt-opt %s --layout-search='entry=images prices=random seed=4 apply=false' \
// RUN:   2>/dev/null | FileCheck %s --check-prefix=NOTED
// NOTED: [[LAYOUT:#.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
// NOTED: linalg.conv_2d_nchw_fchw {pg.layout = {{\[}}[[LAYOUT]]]}

// RUN: not pgopt-opt %s --layout-search='entry=images prices=guessed' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRICES
// PRICES: error: prices is 'guessed'; it must be measured, stored or random
// RUN: not pgopt-opt %s --layout-search='entry=images width=0' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WIDTH
// WIDTH: error: width must be 1 or more
// RUN: not pgopt-opt %s --layout-search='entry=images nodes=0' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NODES
// NODES: error: nodes must be 1 or more
// RUN: not pgopt-opt %s --layout-search='entry=images budget=soon' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: budget:

func.func @images(%x: tensor<1x3x11x13xf32>,
                  %v: tensor<5x3x3x3xf32> {pg.parameter = "v"},
                  %w: tensor<7x5x3x3xf32> {pg.parameter = "w"})
    -> tensor<1x7x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x9x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x9x11xf32>)
    -> tensor<1x5x9x11xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%x, %v : tensor<1x3x11x13xf32>, tensor<5x3x3x3xf32>)
    outs(%f : tensor<1x5x9x11xf32>) -> tensor<1x5x9x11xf32>
  %g = tensor.empty() : tensor<1x7x7x9xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x7x7x9xf32>)
    -> tensor<1x7x7x9xf32>
  %d = linalg.conv_2d_nchw_fchw
    ins(%c, %w : tensor<1x5x9x11xf32>, tensor<7x5x3x3xf32>)
    outs(%h : tensor<1x7x7x9xf32>) -> tensor<1x7x7x9xf32>
  return %d : tensor<1x7x7x9xf32>
}

func.func @heads(%x: tensor<3x5x7xf32>, %y: tensor<5x7x11xf32>)
    -> tensor<5x3x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3x7xf32>
  %t = linalg.transpose ins(%x : tensor<3x5x7xf32>)
    outs(%e : tensor<5x3x7xf32>) permutation = [1, 0, 2]
  %g = tensor.empty() : tensor<5x3x11xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<5x3x11xf32>)
    -> tensor<5x3x11xf32>
  %d = linalg.batch_matmul ins(%t, %y : tensor<5x3x7xf32>, tensor<5x7x11xf32>)
    outs(%h : tensor<5x3x11xf32>) -> tensor<5x3x11xf32>
  return %d : tensor<5x3x11xf32>
}

func.func @blocks(%x: tensor<1x3x11x13xf32>,
                  %v: tensor<32x3x3x3xf32> {pg.parameter = "v"},
                  %w: tensor<16x32x3x3xf32> {pg.parameter = "w"})
    -> tensor<1x16x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x9x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x9x11xf32>)
    -> tensor<1x32x9x11xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%x, %v : tensor<1x3x11x13xf32>, tensor<32x3x3x3xf32>)
    outs(%f : tensor<1x32x9x11xf32>) -> tensor<1x32x9x11xf32>
  %g = tensor.empty() : tensor<1x16x7x9xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x16x7x9xf32>)
    -> tensor<1x16x7x9xf32>
  %d = linalg.conv_2d_nchw_fchw
    ins(%c, %w : tensor<1x32x9x11xf32>, tensor<16x32x3x3xf32>)
    outs(%h : tensor<1x16x7x9xf32>) -> tensor<1x16x7x9xf32>
  return %d : tensor<1x16x7x9xf32>
}
