// RUN: pgopt-opt --profile="mode=static fuse=none report=json" %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s
// RUN: pgopt-opt --form-kernels="split=2 fuse=none" --profile="mode=static report=table" %s \
// RUN:   2>&1 >/dev/null | FileCheck %s --check-prefix=CALLS

// 7 x 11 numbers of 4 bytes are 308, of which a network of 100 bytes of cache
// keeps none: caches are taken to be 1 and 32 MiB where the machine does not
// tell, so all comes at the first rates.
//
//   add:    two read, one written: 2 * 308 / 0.4 + 308 * (1 / 0.1 - 1 / 0.4)
//           = 1540 + 2310 = 3850 ns of 7700; 77 operations take 77 ns
//   matmul: 7 x 11 by 11 x 13: 2 * 7 * 11 * 13 = 2002 operations take 2002 ns of
//           8008; bytes: (308 + 572) / 0.4 + 364 * 7.5 = 2200 + 2730 = 4930 ns

// CHECK: "layer": "add_0", {{.*}} "bytes": 924, {{.*}} "of_roofline": 0.500000, "bound": "memory"
// CHECK: "layer": "matmul_1", {{.*}} "bytes": 1244, {{.*}} "of_roofline": 0.615634, "bound": "memory"

// The first part has 4 of 7 rows: 710 of the bytes and 4576 ns. It writes 208, and
// of the other 502 all may be constants: 502 / 0.4 + 208 * 7.5 = 2815 ns.
// CALLS: of peak roofline
// CALLS: add_0 {{.*}} 0.50 m
// CALLS: matmul_1 1/2 {{.*}} 0.62 m
module attributes {pg.machine = {cpu = "some CPU", cores = 1 : i64, cpus = 1 : i64, peak_gflops = 1.0 : f64, rates = [{working_set_bytes = 4096 : i64, read_mb_s = 400 : i64, copy_mb_s = 100 : i64}]}} {
  func.func @net(%a: tensor<7x11xf32>, %b: tensor<7x11xf32>, %w: tensor<11x13xf32> {pg.parameter = "w"}) -> tensor<7x13xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<7x11xf32>
    %s = linalg.add {pg.timing = {median_ns = 7700 : i64, min_ns = 7700 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} ins(%a, %b : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
    %f = tensor.empty() : tensor<7x13xf32>
    %z = linalg.fill ins(%zero : f32) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
    %p = linalg.matmul {pg.timing = {median_ns = 8008 : i64, min_ns = 8008 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} ins(%s, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%z : tensor<7x13xf32>) -> tensor<7x13xf32>
    return %p : tensor<7x13xf32>
  }
}
