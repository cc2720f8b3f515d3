// RUN: not pgopt-opt %s --einsum-raise=max-elements=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIMIT
// RUN: not pgopt-opt %s --einsum-raise=entry=g 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY
// RUN: not pgopt-opt %s --einsum-graph=format=xml 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMAT
// RUN: not pgopt-opt %s --einsum-graph=output=%t/missing/graph.dot 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTPUT

// LIMIT: error: max-elements must be 0 or more
// ENTRY: error: entry 'g' is not a function with a body in this module
// FORMAT: error: format=xml is neither dot, json nor equations
// OUTPUT: error: cannot open '{{.*}}graph.dot' for writing
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
