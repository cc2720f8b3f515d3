// Resources that are not alike: two chains, a of 3 x 50 us, b of 2 x 20 us.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: cat speeds.mlir chains.txt > 1.mlir
// RUN: cat array.mlir chains.txt > 2.mlir
// RUN: cat few.mlir chains.txt > 3.mlir
// RUN: cat uneven.mlir chains.txt > 4.mlir
// RUN: cat idle.mlir chains.txt > 5.mlir

// The long chain on the fast core: 150 us; the short one takes 40 us / 0.4.
// RUN: pgopt-opt 1.mlir --schedule-list -o list.mlir 2> list.err
// RUN: FileCheck 1.mlir --check-prefix=REMARK < list.err
// RUN: FileCheck 1.mlir --check-prefix=LIST < list.mlir
// RUN: pgopt-runner --simulate list.mlir | FileCheck 1.mlir --check-prefix=SIMULATED
// RUN: pgopt-opt 1.mlir --schedule-report -o /dev/null 2>&1 | FileCheck 1.mlir --check-prefix=REPORT

// Dealt out, a2 waits for a1 of the other PE: 100 us, 10 ns, 200 ns and one hop
// of 1 us, 10 ns, 140 B x 0.025 ns, 50 us.
// RUN: pgopt-opt 2.mlir --schedule-rr -o rr.mlir 2> rr.err
// RUN: FileCheck 2.mlir --check-prefix=REMARK < rr.err
// RUN: FileCheck 2.mlir --check-prefix=KEPT < rr.mlir
// RUN: pgopt-runner --simulate rr.mlir | FileCheck 2.mlir --check-prefix=SIMULATED
// What they are like goes with another count.
// RUN: pgopt-opt 2.mlir --schedule-rr=count=1 2>/dev/null | FileCheck 2.mlir --check-prefix=OTHER

// The slowest core stays idle; the functions say which ones the others are. The
// short chain takes 40 us / 0.5.
// RUN: pgopt-opt 5.mlir --schedule-list -o idle.out.mlir 2> idle.err
// RUN: FileCheck 5.mlir --check-prefix=REMARK < idle.err
// RUN: FileCheck 5.mlir --check-prefix=IDLE < idle.out.mlir
// RUN: pgopt-runner --simulate idle.out.mlir | FileCheck 5.mlir --check-prefix=SIMULATED
// RUN: pgopt-opt 5.mlir --schedule-auto="distance=both confirm=false" 2>/dev/null | FileCheck 5.mlir --check-prefix=BOTH
// RUN: sed 's/pg.resource = 2/pg.resource = 1/' idle.out.mlir > twice.mlir
// RUN: not pgopt-runner --simulate twice.mlir 2>&1 | FileCheck 5.mlir --check-prefix=TWICE
// RUN: sed 's/pg.resource = 2/pg.resource = 3/' idle.out.mlir > beyond.mlir
// RUN: not pgopt-runner --simulate beyond.mlir 2>&1 | FileCheck 5.mlir --check-prefix=BEYOND

// RUN: not pgopt-opt 3.mlir --schedule-list 2>&1 -o /dev/null | FileCheck 3.mlir --check-prefix=ERROR
// RUN: not pgopt-opt 4.mlir --schedule-list 2>&1 -o /dev/null | FileCheck 4.mlir --check-prefix=ERROR

//--- speeds.mlir
// REMARK: list schedule of 5 kernels on 2 cores: predicted makespan 150000 ns, sequential 190000 ns, critical path 150000 ns, load per core 100000 150000 ns
// LIST-LABEL: func.func private @two_chains_core0(
// LIST:         pg.layer = "b0"
// LIST:         pg.layer = "b1"
// LIST-LABEL: func.func private @two_chains_core1(
// LIST:         pg.layer = "a0"
// SIMULATED: the module's schedule: 5 kernels on 2 of 2 resources, makespan 150.000 us
// REPORT: sequential {{.*}}
module attributes {pg.resources = {kind = "cores", count = 2 : i64, speeds = array<i64: 40, 100>}} {
//--- array.mlir
// REMARK: round-robin schedule of 5 kernels on 2 cores: predicted makespan 15122{{[34]}} ns
// KEPT: pg.resources = {columns = 2 : i64, count = 2 : i64, hop_latency_ns = 1000 : i64, kind = "pes", rows = 1 : i64}
// OTHER: pg.resources = {count = 1 : i64, kind = "pes"}
// SIMULATED: the module's schedule: 5 kernels on 2 of 2 resources, makespan 151.22{{[34]}} us
module attributes {pg.resources = {kind = "pes", count = 2 : i64, rows = 1 : i64, columns = 2 : i64, hop_latency_ns = 1000 : i64}} {
//--- few.mlir
// ERROR: error: pg.resources has 1 speeds for 2 resources
module attributes {pg.resources = {kind = "cores", count = 2 : i64, speeds = array<i64: 40>}} {
//--- uneven.mlir
// ERROR: error: pg.resources: 3 resources cannot be dealt to 2 nodes evenly
module attributes {pg.resources = {kind = "cores", count = 3 : i64, nodes = 2 : i64}} {
//--- idle.mlir
// REMARK: list schedule of 5 kernels on 2 cores: predicted makespan 150000 ns, {{.*}} load per core 80000 150000 ns
// IDLE: func.func private @two_chains_core0({{.*}}pg.core = 0 : i64, pg.resource = 1 : i64
// IDLE: func.func private @two_chains_core1({{.*}}pg.core = 1 : i64, pg.resource = 2 : i64
// SIMULATED: the module's schedule: 5 kernels on 2 of 3 resources, makespan 150.000 us
// SIMULATED: {{^ *}}0 {{ *}}0 {{ *}}0.000
// SIMULATED: {{^ *}}1 {{ *}}2 {{ *}}80.000
// SIMULATED: {{^ *}}2 {{ *}}3 {{ *}}150.000
// BOTH: @two_chains_near_core1({{.*}}pg.resource = 2
// BOTH: @two_chains_sequential_core0({{.*}}pg.core = 0 : i64, pg.resource = 2
// TWICE: core 1 is resource 1, which is another core's or none of 3
// BEYOND: core 1 is resource 3, which is another core's or none of 3
module attributes {pg.resources = {kind = "cores", count = 3 : i64, speeds = array<i64: 10, 50, 100>}} {
//--- chains.txt
func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}
func.func @two_chains(%in: memref<7x5xf32>) -> (memref<7x5xf32>, memref<7x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %b1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %a0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %a1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %a2 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  call @step(%in, %b0, %c0, %c1) {pg.layer = "b0", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %a0, %c0, %c1) {pg.layer = "a0", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%b0, %b1, %c0, %c1) {pg.layer = "b1", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%a0, %a1, %c0, %c1) {pg.layer = "a1", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%a1, %a2, %c0, %c1) {pg.layer = "a2", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  return %a2, %b1 : memref<7x5xf32>, memref<7x5xf32>
}
}
