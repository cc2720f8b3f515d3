// Schedules simulated: two chains, a0 a1 of 50 us, b0 b1 of 20 us, and c of 10
// us that reads both.

// The list keeps each chain on a core; c waits for b1 only, which has long been
// done: the signal is seen 200 ns after it, and costs each side 10 ns.
// 50 + 50 + 0.01 + 10 us, and 140 B x 0.025 ns for reading b1.
// RUN: pgopt-runner --simulate=2 %s | FileCheck %s --check-prefix=TWO
// TWO: {{^}}list: 5 kernels on 2 of 2 resources, makespan 110.01{{[34]}} us, sequential 150.000 us, speed-up 1.36, utilisation 68.2%
// TWO-NEXT: resource  kernels  busy us
// TWO-NEXT: {{^ *}}0 {{ *}}3 {{ *}}110.000 {{ *}}0.00{{[34]}} {{ *}}0.000 {{ *}}0.010 {{ *}}1 {{ *}}0 {{ *}}100.0%
// TWO-NEXT: {{^ *}}1 {{ *}}2 {{ *}}40.000 {{ *}}0.000 {{ *}}0.000 {{ *}}0.010 {{ *}}0 {{ *}}0 {{ *}}36.4%

// The schedule that a module has, as the prediction counts it.
// RUN: pgopt-opt %s --schedule-list=count=2 -o %t.mlir 2> %t.err
// RUN: FileCheck %s --check-prefix=PREDICTED < %t.err
// RUN: pgopt-runner --simulate %t.mlir | FileCheck %s --check-prefix=OWN
// PREDICTED: predicted makespan 11001{{[34]}} ns
// OWN: {{^}}the module's schedule: 5 kernels on 2 of 2 resources, makespan 110.01{{[34]}} us

// A trace shows it beside what was measured, with an arrow from b1 to c.
// RUN: pgopt-runner %t.mlir --trace=%t.trace > /dev/null
// RUN: python3 -c "import json, sys; t = json.load(open(sys.argv[1]))['traceEvents']; p = {e['pid']: e['args']['name'] for e in t if e['name'] == 'process_name'}; assert p == {1: 'measured', 2: 'predicted'}, p; s = [[e for e in t if e['ph'] == 'X' and e['pid'] == k] for k in p]; assert [len(x) for x in s] == [5, 5], s; assert {e['name']: e['dur'] for e in s[1] if e['name'] != 'c'} == {'a0': 50, 'a1': 50, 'b0': 20, 'b1': 20}, s[1]; f = sorted((e['id'], e['ph'], e['tid'], e['args']['bytes']) for e in t if e['ph'] in 'sf'); assert f == [(f[0][0], 'f', 0, 140), (f[0][0], 's', 1, 140), (f[2][0], 'f', 0, 140), (f[2][0], 's', 1, 140)], f" %t.trace

// By another policy, as JSON; idle resources are there too.
// RUN: pgopt-runner --simulate=64 --policy=sequential --report=json %t.mlir > %t.json
// RUN: python3 -c "import json, sys; s = json.load(open(sys.argv[1])); assert s['makespan_ns'] == s['sequential_ns'] == 150000 and s['used'] == 1 and len(s['of_resource']) == s['resources'] == 64, s" %t.json

// One after the other, on the faster one, which is half as fast: 300 us. On an array of 2 x 2 the chains
// meet after one hop of 5 us, long after b1.
// RUN: pgopt-runner --simulate="speeds=50,25" --policy=sequential %s | FileCheck %s --check-prefix=SLOW
// RUN: pgopt-runner --simulate="rows=2 columns=2 hop-latency=5000" %s | FileCheck %s --check-prefix=ARRAY
// SLOW: {{^}}sequential: 5 kernels on 1 of 2 resources, makespan 300.000 us
// ARRAY: {{^}}list: 5 kernels on 2 of 4 resources, makespan 110.01{{[34]}} us

// RUN: not pgopt-runner --simulate=0 %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pgopt-runner --simulate=count=7,nodes=2 %s 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not pgopt-runner --simulate=2 --policy=best %s 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not pgopt-runner --simulate=2 --distance=here %s 2>&1 | FileCheck %s --check-prefix=DISTANCE
// RUN: not pgopt-runner --simulate 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: pgopt-opt %t.mlir --pgopt-lower -o %t.lowered.mlir
// RUN: not pgopt-runner --simulate=2 %t.lowered.mlir 2>&1 | FileCheck %s --check-prefix=LOWERED
// NONE: pgopt-runner: --simulate: count is 0, allowed are 1 to 4096
// LEFT: pgopt-runner: --simulate: count: ',nodes=2' is left over
// POLICY: pgopt-runner: --policy: there is no policy 'best', there are:
// POLICY-NEXT: pgopt-runner: sequential: {{.+}}
// DISTANCE: pgopt-runner: --distance: 'here' is neither 'far' nor 'near'
// FILE: pgopt-runner: no file given
// LOWERED: is lowered already

func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}
func.func private @join(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "read"}},
                        %z: memref<7x5xf32> {pg.access = {mode = "write"}}, %lo: index, %hi: index) attributes {no_inline, pg.kernel = "join"} {
  return
}

func.func @chains(%in: memref<7x5xf32>) -> memref<7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %b1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %a0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %a1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  call @step(%in, %a0, %c0, %c1) {pg.layer = "a0", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %b0, %c0, %c1) {pg.layer = "b0", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%b0, %b1, %c0, %c1) {pg.layer = "b1", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%a0, %a1, %c0, %c1) {pg.layer = "a1", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @join(%a1, %b1, %c, %c0, %c1) {pg.layer = "c", pg.timing = {median_ns = 10000 : i64, min_ns = 10000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  return %c : memref<7x5xf32>
}
