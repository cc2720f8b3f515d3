#!/usr/bin/env python3
"""Times layout passes on networks of 1,000 to 10,000 operations.

usage: bench/pass-speed.py [--bin FOLDER] [--runs N] [OPERATIONS ...]

Every network is a chain of blocks with a residual connection around each: a
projection with transposed weights, heads split off and transposed, an
elementwise operation, transposed and joined again. For each size and pass the
median processor time of a run is printed, less that of reading and printing
alone, and that time for each operation: it should not grow with the size.
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PASSES = ["--transpose-elim", "--einsum-raise", "--layout-report=list=false"]
BLOCK = 15  # operations a block


def block(lines, x, n):
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


def network(operations):
    lines = ["func.func @f(%x: tensor<5x6xf32>, %w: tensor<6x6xf32>) -> tensor<5x6xf32> {",
             "  %zero = arith.constant 0.0 : f32"]
    x = "%x"
    for n in range(operations // BLOCK):
        x = block(lines, x, n)
    return "\n".join(lines + ["  return %s : tensor<5x6xf32>" % x, "}", ""])


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
    parser.add_argument("operations", nargs="*", type=int, default=[1000, 2000, 5000, 10000])
    options = parser.parse_args()
    opt = os.path.join(options.bin, "pgopt-opt")
    print("%-30s %10s %8s %12s" % ("pass", "operations", "ms", "us/operation"))
    with tempfile.TemporaryDirectory() as work:
        for operations in options.operations:
            path = os.path.join(work, "in.mlir")
            with open(path, "w") as file:
                file.write(network(operations))
            alone = median([opt, path], options.runs)
            for name in PASSES:
                spent = median([opt, path, name], options.runs) - alone
                print("%-30s %10d %8.1f %12.2f"
                      % (name, operations, spent * 1e3, spent * 1e6 / operations))


if __name__ == "__main__":
    main()
