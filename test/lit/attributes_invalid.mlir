// One error for each way an attribute of the table can be wrong: kind, range,
// member, name, place.

// RUN: pgopt-opt %s --split-input-file --verify-diagnostics
// RUN: mlir-opt %s --split-input-file --verify-diagnostics \
// RUN:   --load-dialect-plugin=%pgopt_plugin

// expected-error @+1 {{'pg.lflops' needs an i64, found "banana"}}
module attributes {pg.lflops = "banana"} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs an i64, found 7 : i32}}
module attributes {pg.lflops = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs a value that is not negative, found -1 : i64}}
module attributes {pg.lflops = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.lflops_contraction' needs an i64, found "banana"}}
module attributes {pg.lflops_contraction = "banana"} {
}

// -----

// expected-error @+1 {{'pg.lflops_contraction' needs an i64, found 7 : i32}}
module attributes {pg.lflops_contraction = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.lflops_contraction' needs a value that is not negative, found -1 : i64}}
module attributes {pg.lflops_contraction = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.bytes' needs an i64, found "banana"}}
module attributes {pg.bytes = "banana"} {
}

// -----

// expected-error @+1 {{'pg.bytes' needs an i64, found 7 : i32}}
module attributes {pg.bytes = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.bytes' needs a value that is not negative, found -1 : i64}}
module attributes {pg.bytes = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.part' needs an i64, found "banana"}}
module attributes {pg.part = "banana"} {
}

// -----

// expected-error @+1 {{'pg.part' needs an i64, found 7 : i32}}
module attributes {pg.part = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.part' needs a value that is not negative, found -1 : i64}}
module attributes {pg.part = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.parts' needs an i64, found "banana"}}
module attributes {pg.parts = "banana"} {
}

// -----

// expected-error @+1 {{'pg.parts' needs an i64, found 7 : i32}}
module attributes {pg.parts = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.parts' needs a value of at least 1, found 0 : i64}}
module attributes {pg.parts = 0 : i64} {
}

// -----

// expected-error @+1 {{'pg.core' needs an i64, found "banana"}}
module attributes {pg.core = "banana"} {
}

// -----

// expected-error @+1 {{'pg.core' needs an i64, found 7 : i32}}
module attributes {pg.core = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.core' needs a value that is not negative, found -1 : i64}}
module attributes {pg.core = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.slot' needs an i64, found "banana"}}
module attributes {pg.slot = "banana"} {
}

// -----

// expected-error @+1 {{'pg.slot' needs an i64, found 7 : i32}}
module attributes {pg.slot = 7 : i32} {
}

// -----

// expected-error @+1 {{'pg.slot' needs a value that is not negative, found -1 : i64}}
module attributes {pg.slot = -1 : i64} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs an i64, found 7 : index}}
module attributes {pg.lflops = 7 : index} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs an i64, found 7 : ui64}}
module attributes {pg.lflops = 7 : ui64} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs an i64, found 7.0}}
module attributes {pg.lflops = 7.0 : f64} {
}

// -----

// expected-error @+1 {{'pg.lflops' needs an i64, found unit}}
module attributes {pg.lflops} {
}

// -----

// expected-error @+1 {{'pg.lflops_unknown' needs a string that is not empty, found ""}}
module attributes {pg.lflops_unknown = ""} {
}

// -----

// expected-error @+1 {{'pg.lflops_unknown' needs a string that is not empty, found 3 : i64}}
module attributes {pg.lflops_unknown = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.kernel' needs a string that is not empty, found ""}}
module attributes {pg.kernel = ""} {
}

// -----

// expected-error @+1 {{'pg.kernel' needs a string that is not empty, found 3 : i64}}
module attributes {pg.kernel = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.signature' needs a string that is not empty, found ""}}
module attributes {pg.signature = ""} {
}

// -----

// expected-error @+1 {{'pg.signature' needs a string that is not empty, found 3 : i64}}
module attributes {pg.signature = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.layer' needs a string that is not empty, found ""}}
module attributes {pg.layer = ""} {
}

// -----

// expected-error @+1 {{'pg.layer' needs a string that is not empty, found 3 : i64}}
module attributes {pg.layer = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.phase' needs a string that is not empty, found ""}}
module attributes {pg.phase = ""} {
}

// -----

// expected-error @+1 {{'pg.phase' needs a string that is not empty, found 3 : i64}}
module attributes {pg.phase = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.parameter' needs a string that is not empty, found ""}}
module attributes {pg.parameter = ""} {
}

// -----

// expected-error @+1 {{'pg.parameter' needs a string that is not empty, found 3 : i64}}
module attributes {pg.parameter = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.timing' needs exactly median_ns, min_ns, mad_ns, runs and source, found 12 : i64}}
module attributes {pg.timing = 12 : i64} {
}

// -----

// expected-error @+1 {{'pg.timing' needs exactly median_ns, min_ns, mad_ns, runs and source}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs exactly median_ns, min_ns, mad_ns, runs and source}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "store", cores = 2 : i64}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = -1 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = 5.0 : f64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = -1 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = -1 : i64, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i32, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs median_ns, min_ns and mad_ns as i64 >= 0}}
module attributes {pg.timing = {median_ns = 5 : i64, mad_ns = 0 : i64, maximum_ns = 5 : i64, runs = 1 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs runs as i64 >= 1}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 0 : i64, source = "store"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs source as one of in-place, isolated, store, derived}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "guess"}} {
}

// -----

// expected-error @+1 {{'pg.timing' needs source as one of in-place, isolated, store, derived}}
module attributes {pg.timing = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = 1 : i64}} {
}

// -----

// expected-error @+1 {{'pg.profile' needs a dictionary from signature to Timing, found [1, 2]}}
module attributes {pg.profile = [1, 2]} {
}

// -----

// expected-error @+1 {{'pg.profile' needs exactly median_ns, min_ns, mad_ns, runs and source}}
module attributes {pg.profile = {a = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 1 : i64, source = "store"}, b = 3 : i64}} {
}

// -----

// expected-error @+1 {{'pg.profile' needs runs as i64 >= 1}}
module attributes {pg.profile = {a = {median_ns = 5 : i64, min_ns = 5 : i64, mad_ns = 0 : i64, runs = 0 : i64, source = "store"}}} {
}

// -----

// expected-error @+1 {{'pg.machine' needs a dictionary, found "linux"}}
module attributes {pg.machine = "linux"} {
}

// -----

// expected-error @+1 {{'pg.parameters' needs a dictionary, found "linux"}}
module attributes {pg.parameters = "linux"} {
}

// -----

// expected-error @+1 {{'pg.resources' needs kind as one of cores, threads, pes, found 2 : i64}}
module attributes {pg.resources = 2 : i64} {
}

// -----

// expected-error @+1 {{'pg.resources' needs kind as one of cores, threads, pes}}
module attributes {pg.resources = {count = 2 : i64}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs kind as one of cores, threads, pes}}
module attributes {pg.resources = {kind = "gpus", count = 2 : i64}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs count as i64 from 1 to 4096}}
module attributes {pg.resources = {kind = "cores", count = 0 : i64}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs count as i64 from 1 to 4096}}
module attributes {pg.resources = {kind = "cores", count = 4097 : i64}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs count as i64 from 1 to 4096}}
module attributes {pg.resources = {kind = "cores", count = 2 : i32}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs count as i64 from 1 to 4096}}
module attributes {pg.resources = {kind = "cores"}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs nodes, node_latency_ns, rows, columns and hop_latency_ns, where given, as i64 of at least 0}}
module attributes {pg.resources = {kind = "cores", count = 2 : i64, nodes = 1 : i32}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs nodes, node_latency_ns, rows, columns and hop_latency_ns, where given, as i64 of at least 0}}
module attributes {pg.resources = {kind = "pes", count = 2 : i64, hop_latency_ns = -1 : i64}} {
}

// -----

// expected-error @+1 {{'pg.resources' needs speeds, where given, as array<i64>}}
module attributes {pg.resources = {kind = "cores", count = 2 : i64, speeds = [100, 50]}} {
}

// -----

// expected-error @+1 {{'pg.entry' needs a type, found "f"}}
module attributes {pg.entry = "f"} {
}

// -----

// expected-error @+1 {{'pg.layout' needs an array of affine maps, found affine_map<(d0) -> (d0)>}}
module attributes {pg.layout = affine_map<(d0) -> (d0)>} {
}

// -----

// expected-error @+1 {{'pg.layout' needs an array of affine maps}}
module attributes {pg.layout = [affine_map<(d0) -> (d0)>, 1 : i64]} {
}

// -----

// expected-error @+1 {{'pg.access' needs mode as one of read, write, none, found "read"}}
func.func private @f(memref<3x5xf32> {pg.access = "read"})

// -----

// expected-error @+1 {{'pg.access' needs mode as one of read, write, none}}
func.func private @f(memref<3x5xf32> {pg.access = {}})

// -----

// expected-error @+1 {{'pg.access' needs mode as one of read, write, none}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "update"}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i64}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = -1 : i64, scale = 1 : i64, window = 1 : i64}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 0 : i64, window = 1 : i64}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 1 : i64, window = 0 : i64}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i32, scale = 1 : i64, window = 1 : i64}})

// -----

// expected-error @+1 {{'pg.access' needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone}}
func.func private @f(memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 1 : i64, windows = 1 : i64}})

// -----

// expected-error @+1 {{'pg.flops' is not an attribute of the pg dialect}}
module attributes {pg.flops = 3 : i64} {
}

// -----

// expected-error @+1 {{'pg.access' is not allowed at this place}}
module attributes {pg.access = {mode = "read"}} {
}

// -----

// expected-error @+1 {{'pg.lflops' is not allowed at this place}}
func.func private @f(memref<3xf32> {pg.lflops = 3 : i64})

// -----

// expected-error @+1 {{'pg.timings' is not an attribute of the pg dialect}}
func.func private @f(memref<3xf32> {pg.timings = 3 : i64})

// -----

// expected-error @+1 {{'pg.layout' needs an array of affine maps, found 3 : i64}}
func.func private @f(memref<3xf32> {pg.layout = 3 : i64})

// -----

// expected-error @+1 {{'pg.parameter' needs a string that is not empty, found ""}}
func.func private @f(memref<3xf32> {pg.parameter = ""})

// -----

// expected-error @+1 {{'pg.parameter' is not allowed at this place}}
func.func private @f() -> (memref<3xf32> {pg.parameter = "w"})

// -----

// expected-error @+1 {{'pg.layout' needs an array of affine maps, found 3 : i64}}
func.func private @f() -> (memref<3xf32> {pg.layout = 3 : i64})

// -----

// An attribute on an operation of another dialect.
func.func @f(%a: tensor<3x7xf32>, %b: tensor<7x5xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  // expected-error @+1 {{'pg.lflops' needs an i64, found "banana"}}
  %0 = linalg.matmul {pg.lflops = "banana"} ins(%a, %b : tensor<3x7xf32>, tensor<7x5xf32>)
    outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
