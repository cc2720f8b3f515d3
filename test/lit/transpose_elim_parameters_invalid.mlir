// What a file claims about a packed parameter is checked.

// RUN: pgopt-opt %s --split-input-file --verify-diagnostics --transpose-elim \
// RUN:   -o /dev/null

// Two elements in one place.
// expected-error @+1 {{pg.layout of argument 0 is [affine_map<(d0, d1) -> (d0, d0)>]; that of a parameter must give every element of the argument one place, by one index, its floordiv or its mod for each dimension}}
func.func @twice(%w: tensor<3x5xf32> {pg.parameter = "w@a.a", pg.layout = [affine_map<(a, b) -> (a, a)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}

// -----

// The blocks are of 4, the argument has 5.
// expected-error @+1 {{pg.layout of argument 0}}
func.func @blocks(%w: tensor<3x5xf32> {pg.parameter = "w@a/4.a%4", pg.layout = [affine_map<(a) -> (a floordiv 4, a mod 4)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}

// -----

// No index of its own.
// expected-error @+1 {{pg.layout of argument 0}}
func.func @sum(%w: tensor<3x5xf32> {pg.parameter = "w@a.b", pg.layout = [affine_map<(a, b) -> (a + b, b)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}

// -----

// Another rank than the argument's.
// expected-error @+1 {{pg.layout of argument 0}}
func.func @rank(%w: tensor<3x5xf32> {pg.parameter = "w@a", pg.layout = [affine_map<(a) -> (a)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}

// -----

// A size that does not exist.
// expected-error @+1 {{pg.layout of argument 0}}
func.func @dynamic(%w: tensor<?x5xf32> {pg.parameter = "w@b.a", pg.layout = [affine_map<(a, b) -> (b, a)>]}) -> tensor<?x5xf32> {
  return %w : tensor<?x5xf32>
}

// -----

// Extents whose product is beyond 64 bits.
// expected-error @+1 {{pg.layout of argument 0}}
func.func @huge(%w: tensor<4611686018427387904x4xf32> {pg.parameter = "w@a/4.a%4", pg.layout = [affine_map<(a) -> (a floordiv 4, a mod 4)>]}) -> tensor<4611686018427387904x4xf32> {
  return %w : tensor<4611686018427387904x4xf32>
}

// -----

// The name says something else.
// expected-error @+1 {{pg.parameter of argument 1 is 'w@a.b'; with its pg.layout it must be as 'name@b.a'}}
func.func @name(%x: tensor<5xf32>, %w: tensor<3x5xf32> {pg.parameter = "w@a.b", pg.layout = [affine_map<(a, b) -> (b, a)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}
