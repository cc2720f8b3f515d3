#!/usr/bin/env python3
"""Runs einsum expressions and compares them with exact sums.

usage: einsum_check.py BIN TABLE.tsv [PIPELINE...]

TABLE has a header with the columns expr, in_shapes ("3x5 5x7", "scalar") and,
when they are known, sum and wsum; without them both are computed here by the
definition. Operand k holds ((7 i + 3 k) mod 11) - 5 at flat index i; `sum` is
over the result, `wsum` weighs element i with (i mod 13) + 1. Every expression
is imported, sent through each PIPELINE (a list of pgopt-opt's flags in one
argument; "" leaves it as it is) and run; numbers must be exact.
"""

import itertools
import os
import struct
import subprocess
import sys
import tempfile


def extents_of(text):
    return [] if text == "scalar" else [int(e) for e in text.split("x")]


def product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


def operand(k, count):
    return [(7 * i + 3 * k) % 11 - 5 for i in range(count)]


def write_npy(path, extents, values):
    shape = "(%s)" % "".join("%d, " % e for e in extents)
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % shape
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        f.write(header.encode())
        f.write(struct.pack("<%dd" % len(values), *values))


def read_npy(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%dd" % ((len(data) - 10 - size) // 8), data[10 + size :])


def parse(expression, shapes):
    """Terms and result as lists of indices; "..." as numbered ones."""
    left, arrow, right = expression.replace(" ", "").partition("->")
    terms = left.split(",")
    wide = 0
    lists = []
    for term, shape in zip(terms, shapes):
        before, dots, after = term.partition("...")
        count = len(shape) - len(before) - len(after)
        wide = max(wide, count)
        lists.append((list(before), count if dots else 0, list(after)))
    terms = [
        before + list(range(wide - count, wide)) + after
        for before, count, after in lists
    ]
    if arrow:
        before, dots, after = right.partition("...")
        return terms, list(before) + (list(range(wide)) if dots else []) + list(after)
    letters = [i for t in terms for i in t if isinstance(i, str)]
    once = sorted(i for i in set(letters) if letters.count(i) == 1)
    return terms, list(range(wide)) + once


def golden(expression, shapes):
    terms, result = parse(expression, shapes)
    extents = {}
    for term, shape in zip(terms, shapes):
        for index, extent in zip(term, shape):
            extents[index] = max(extents.get(index, 1), extent)
    indices = result + [i for i in extents if i not in result]
    data = [operand(k, product(s)) for k, s in enumerate(shapes)]
    sums = [0] * product(extents[i] for i in result)
    inner = product(extents[i] for i in indices[len(result) :])
    points = itertools.product(*(range(extents[i]) for i in indices))
    for number, point in enumerate(points):
        at = dict(zip(indices, point))
        value = 1
        for term, shape, values in zip(terms, shapes, data):
            flat = 0
            for index, extent in zip(term, shape):
                flat = flat * extent + (at[index] if extent > 1 else 0)
            value *= values[flat]
        sums[number // inner] += value
    return sums


def checksums(values):
    return sum(values), sum(v * (i % 13 + 1) for i, v in enumerate(values))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("%s: %s" % (command[0], done.stderr.strip()[-300:]))


def check(tools, work, row, pipelines):
    shapes = [extents_of(s) for s in row["in_shapes"].split()]
    if row.get("sum"):
        expected = int(row["sum"]), int(row["wsum"])
    else:
        expected = checksums(golden(row["expr"], shapes))
    inputs = []
    for k, shape in enumerate(shapes):
        path = os.path.join(work, "in%d.npy" % k)
        write_npy(path, shape, operand(k, product(shape)))
        inputs.append("--input=%d:%s" % (k, path))
    first = os.path.join(work, "imported.mlir")
    last = os.path.join(work, "passed.mlir")
    out = os.path.join(work, "out.npy")
    translate = [os.path.join(tools, "pgopt-translate")]
    translate += ["--import-einsum=" + row["expr"], "--type=f64"]
    run(*translate, "--shapes=" + ",".join(row["in_shapes"].split()), "-o", first)
    for pipeline in pipelines:
        run(os.path.join(tools, "pgopt-opt"), first, *pipeline.split(), "-o", last)
        runner = [os.path.join(tools, "pgopt-runner"), last, "--no-cache"]
        run(*runner, *inputs, "--output=0:" + out)
        found = checksums(read_npy(out))
        if found != expected:
            raise RuntimeError("'%s': %s, expected %s" % (pipeline, found, expected))


def main():
    tools, table, pipelines = sys.argv[1], sys.argv[2], sys.argv[3:] or [""]
    with open(table, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for row in rows:
            try:
                check(tools, work, row, pipelines)
            except RuntimeError as error:
                print("%s (%s): %s" % (row["expr"], row["in_shapes"], error))
                failed += 1
    print("%d of %d expressions are exact" % (len(rows) - failed, len(rows)))
    sys.exit(1 if failed or not rows else 0)


if __name__ == "__main__":
    main()
