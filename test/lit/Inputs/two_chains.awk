# Two chains of n elementwise operations between transposes: the first pair is
# no inverse pair, so that nothing is gained by moving it, the second is one.
function transpose(result, value, from, to, order) {
  printf "  %%e%s = tensor.empty() : tensor<%sxf32>\n", result, to
  printf "  %%%s = linalg.transpose ins(%%%s : tensor<%sxf32>) ", result, value, from
  printf "outs(%%e%s : tensor<%sxf32>) permutation = [%s]\n", result, to, order
}
function chain(name, type,   i) {
  for (i = 0; i < n; ++i) {
    printf "  %%e%s%d = tensor.empty() : tensor<%sxf32>\n", name, i + 1, type
    printf "  %%%s%d = linalg.tanh ins(%%%s%d : tensor<%sxf32>) ", name, i + 1, name, i, type
    printf "outs(%%e%s%d : tensor<%sxf32>) -> tensor<%sxf32>\n", name, i + 1, type, type
  }
}
BEGIN {
  print "func.func @f(%x: tensor<3x5x7xf32>) -> (tensor<5x7x3xf32>, tensor<3x5x7xf32>) {"
  transpose("a0", "x", "3x5x7", "7x3x5", "2, 0, 1")
  chain("a", "7x3x5")
  transpose("r", "a" n, "7x3x5", "5x7x3", "2, 0, 1")
  transpose("b0", "x", "3x5x7", "7x3x5", "2, 0, 1")
  chain("b", "7x3x5")
  transpose("s", "b" n, "7x3x5", "3x5x7", "1, 2, 0")
  print "  return %r, %s : tensor<5x7x3xf32>, tensor<3x5x7xf32>"
  print "}"
}
