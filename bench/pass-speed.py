#!/usr/bin/env python3
"""Times layout passes on networks of 1,000 to 10,000 operations.

usage: bench/pass-speed.py [--bin FOLDER] [--runs N] [OPERATIONS ...]

Every network is a chain of blocks with a residual connection around each. Of
"heads" a block is a projection with transposed weights, heads split off and
transposed, an elementwise operation, transposed and joined again; of "images" a
convolution with zeros around its image, a clamp and the addition, of another
number of channels in every eighth block. The search for layouts goes by
operations and bytes. For each size and pass the median processor time of a run
is printed, less that of reading and printing alone, and that time for each
operation: it should not grow with the size.
"""

import argparse
import itertools
import os
import resource
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEARCH = "--layout-search=prices=stored store=none"
PASSES = {"heads": ["--transpose-elim", "--einsum-raise", "--layout-report=list=false", SEARCH],
          "images": [SEARCH]}
BLOCK = {"heads": 15, "images": 7}  # operations a block
CHANNELS = [16, 24, 32, 40, 48, 56, 64, 72]


def heads_block(lines, x, n):
    def add(name, kind, text):
        lines.append("  %%%s%d = %s" % (name, n, text.format(n=n, x=x)))
        return "%%%s%d" % (name, n), kind

    a, w, h, t = "tensor<5x6xf32>", "tensor<6x6xf32>", "tensor<5x2x3xf32>", "tensor<2x5x3xf32>"
    add("ew", w, "tensor.empty() : " + w)
    add("wt", w, "linalg.transpose ins(%%w : %s) outs(%%ew{n} : %s) permutation = [1, 0]" % (w, w))
    add("ep", a, "tensor.empty() : " + a)
    add("fp", a, "linalg.fill ins(%%zero : f32) outs(%%ep{n} : %s) -> %s" % (a, a))
    add("p", a, "linalg.matmul ins({x}, %%wt{n} : %s, %s) outs(%%fp{n} : %s) -> %s" % (a, w, a, a))
    add("h", h, "tensor.expand_shape %%p{n} [[0], [1, 2]] output_shape [5, 2, 3] : %s into %s" % (a, h))
    add("et", t, "tensor.empty() : " + t)
    add("t", t, "linalg.transpose ins(%%h{n} : %s) outs(%%et{n} : %s) permutation = [1, 0, 2]" % (h, t))
    add("ex", t, "tensor.empty() : " + t)
    add("y", t, "linalg.tanh ins(%%t{n} : %s) outs(%%ex{n} : %s) -> %s" % (t, t, t))
    add("eb", h, "tensor.empty() : " + h)
    add("b", h, "linalg.transpose ins(%%y{n} : %s) outs(%%eb{n} : %s) permutation = [1, 0, 2]" % (t, h))
    add("j", a, "tensor.collapse_shape %%b{n} [[0], [1, 2]] : %s into %s" % (h, a))
    add("er", a, "tensor.empty() : " + a)
    return add("r", a, "linalg.add ins({x}, %%j{n} : %s, %s) outs(%%er{n} : %s) -> %s" % (a, a, a, a))[0]


def heads(operations):
    lines = ["func.func @f(%x: tensor<5x6xf32>, %w: tensor<6x6xf32>) -> tensor<5x6xf32> {",
             "  %zero = arith.constant 0.0 : f32"]
    x = "%x"
    for n in range(operations // BLOCK["heads"]):
        x = heads_block(lines, x, n)
    return "\n".join(lines + ["  return %s : tensor<5x6xf32>" % x, "}", ""])


def image(channels):
    return "tensor<1x%dx7x9xf32>" % channels


def convolution(lines, x, n, inputs, outputs):
    """Zeros around the image, the product, and a clamp in place."""
    padded = "tensor<1x%dx9x11xf32>" % inputs
    weights = "tensor<%dx%dx3x3xf32>" % (outputs, inputs)
    out = image(outputs)
    lines += [
        "  %%p%d = tensor.pad %s low[0, 0, 1, 1] high[0, 0, 1, 1] {" % (n, x),
        "  ^bb0(%a: index, %b: index, %c: index, %d: index):",
        "    tensor.yield %zero : f32",
        "  } : %s to %s" % (image(inputs), padded),
        "  %%e%d = tensor.empty() : %s" % (n, out),
        "  %%f%d = linalg.fill ins(%%zero : f32) outs(%%e%d : %s) -> %s" % (n, n, out, out),
        "  %%y%d = linalg.conv_2d_nchw_fchw ins(%%p%d, %%w%dx%d : %s, %s) outs(%%f%d : %s) -> %s"
        % (n, n, outputs, inputs, padded, weights, n, out, out),
        "  %%r%d = linalg.generic {indexing_maps = [#all], iterator_types ="
        ' ["parallel", "parallel", "parallel", "parallel"]} outs(%%y%d : %s) {' % (n, n, out),
        "  ^bb0(%v: f32):",
        "    %m = arith.maximumf %v, %zero : f32",
        "    linalg.yield %m : f32",
        "  } -> %s" % out,
    ]
    return "%%r%d" % n


def images(operations):
    lines, arguments = ["  %zero = arith.constant 0.0 : f32"], {}
    x, inputs = "%x", CHANNELS[0]
    for n in range(operations // BLOCK["images"]):
        outputs = CHANNELS[n // 8 % len(CHANNELS)]
        arguments["%%w%dx%d" % (outputs, inputs)] = "tensor<%dx%dx3x3xf32>" % (outputs, inputs)
        y = convolution(lines, x, n, inputs, outputs)
        if outputs == inputs:
            out = image(outputs)
            lines.append("  %%ea%d = tensor.empty() : %s" % (n, out))
            lines.append("  %%a%d = linalg.add ins(%s, %s : %s, %s) outs(%%ea%d : %s) -> %s"
                         % (n, x, y, out, out, n, out, out))
            y = "%%a%d" % n
        x, inputs = y, outputs
    weights = "".join(", %s: %s {pg.parameter = \"%s\"}" % (name, kind, name[1:])
                      for name, kind in arguments.items())
    return "\n".join(["#all = affine_map<(n, c, h, w) -> (n, c, h, w)>",
                      "func.func @f(%%x: %s%s) -> %s {" % (image(CHANNELS[0]), weights, image(inputs))]
                     + lines + ["  return %s : %s" % (x, image(inputs)), "}", ""])


NETWORKS = {"heads": heads, "images": images}


def median(command, runs):
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("operations", nargs="*", type=int, default=[1000, 3800, 10000])
    options = parser.parse_args()
    opt = os.path.join(options.bin, "pgopt-opt")
    print("%-7s %-41s %10s %8s %12s" % ("network", "pass", "operations", "ms", "us/operation"))
    with tempfile.TemporaryDirectory() as work:
        for kind, operations in itertools.product(NETWORKS, options.operations):
            path = os.path.join(work, "in.mlir")
            with open(path, "w") as file:
                file.write(NETWORKS[kind](operations))
            alone = median([opt, path], options.runs)
            for name in PASSES[kind]:
                spent = median([opt, path, name], options.runs) - alone
                print("%-7s %-41s %10d %8.1f %12.2f"
                      % (kind, name, operations, spent * 1e3, spent * 1e6 / operations), flush=True)


if __name__ == "__main__":
    main()
