// Options of profile-graph that make no sense.

// RUN: not pgopt-opt %s --profile-graph=format=svg 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not pgopt-opt %s --profile-graph=output=%t.absent/graph.dot 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not pgopt-opt %s --profile-graph=output=/dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not pgopt-opt %s --profile-graph=entry=absent 2>&1 | FileCheck %s --check-prefix=ENTRY

// FORMAT: error: format=svg is neither dot nor json
// FILE: error: cannot open '{{.*}}graph.dot' for writing: No such file or directory
// FULL: error: cannot write '/dev/full': No space left on device
// ENTRY: error: entry 'absent' is not a function with a body in this module
func.func @network(%a: memref<5xf32>) {
  return
}
