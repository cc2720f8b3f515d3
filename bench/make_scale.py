#!/usr/bin/env python3
"""Writes a generated network of many operations as MLIR text.

usage: bench/make_scale.py SHAPE BODIES OPERATIONS [FILE]

SHAPE   chain: each layer reads the layer in front of it.
        wide: chains of five layers side by side over one input, joined by a
        tree of additions.
BODIES  shared: eight layer shapes in turn, as a real network repeats blocks.
        distinct: no two layers have the same extents; joins are alike.

A layer is fully connected: empty, fill, matmul, bias, clamp, the last two
generics that work in place. Weights are arguments, one a shape. OPERATIONS is
about the number of operations in the function's body, constants and the return
not counted: layers are whole.
"""

import sys

ROWS = 4
FIRST = 5
LAYER_OPERATIONS = 5
BRANCH_LAYERS = 5
JOIN_OPERATIONS = 2
SHARED_EXTENTS = (5, 7, 11, 13, 17, 19, 23, 29)


def tensor(*shape):
    return "tensor<%sxf32>" % "x".join(map(str, shape))


class Network:
    """Values are (name, columns); all have ROWS rows."""

    def __init__(self, distinct):
        self.lines = []
        self.arguments = {"x": tensor(ROWS, FIRST)}
        self.distinct = distinct
        self.count = 0
        self.layers = 0

    def value(self, text):
        name = "%%v%d" % self.count
        self.count += 1
        self.lines.append("    %s = %s" % (name, text))
        return name

    def argument(self, kind, *shape):
        name = "%s_%s" % (kind, "x".join(map(str, shape)))
        self.arguments[name] = tensor(*shape)
        return "%" + name

    def next_columns(self):
        self.layers += 1
        if self.distinct:
            return FIRST + self.layers
        return SHARED_EXTENTS[self.layers % len(SHARED_EXTENTS)]

    def layer(self, x, columns):
        name, k = x
        weights = self.argument("w", k, columns)
        bias = self.argument("b", columns)
        out = tensor(ROWS, columns)
        empty = self.value("tensor.empty() : %s" % out)
        zero = self.value(
            "linalg.fill ins(%%zero : f32) outs(%s : %s) -> %s" % (empty, out, out)
        )
        y = self.value(
            "linalg.matmul ins(%s, %s : %s, %s) outs(%s : %s) -> %s"
            % (name, weights, tensor(ROWS, k), tensor(k, columns), zero, out, out)
        )
        y = self.value(
            "linalg.generic {indexing_maps = [#row, #both], iterator_types = "
            '["parallel", "parallel"]} ins(%s : %s) outs(%s : %s) {\n'
            "    ^bb0(%%b: f32, %%y: f32):\n"
            "      %%s = arith.addf %%y, %%b : f32\n"
            "      linalg.yield %%s : f32\n    } -> %s"
            % (bias, tensor(columns), y, out, out)
        )
        return (
            self.value(
                "linalg.generic {indexing_maps = [#both], iterator_types = "
                '["parallel", "parallel"]} outs(%s : %s) {\n'
                "    ^bb0(%%y: f32):\n"
                "      %%m = arith.maximumf %%y, %%zero : f32\n"
                "      linalg.yield %%m : f32\n    } -> %s" % (y, out, out)
            ),
            columns,
        )

    def join(self, a, b):
        out = tensor(ROWS, a[1])
        empty = self.value("tensor.empty() : %s" % out)
        return (
            self.value(
                "linalg.add ins(%s, %s : %s, %s) outs(%s : %s) -> %s"
                % (a[0], b[0], out, out, empty, out, out)
            ),
            a[1],
        )

    def chain(self, operations):
        x = ("%x", FIRST)
        for _ in range(max(1, operations // LAYER_OPERATIONS)):
            x = self.layer(x, self.next_columns())
        return x

    def wide(self, operations):
        branch = BRANCH_LAYERS * LAYER_OPERATIONS + JOIN_OPERATIONS
        ends = []
        for _ in range(max(2, operations // branch)):
            x = ("%x", FIRST)
            for _ in range(BRANCH_LAYERS - 1):
                x = self.layer(x, self.next_columns())
            ends.append(self.layer(x, FIRST))
        while len(ends) > 1:
            joined = [self.join(a, b) for a, b in zip(ends[::2], ends[1::2])]
            ends = joined + ends[len(joined) * 2 :]
        return ends[0]

    def text(self, result):
        return (
            "#row = affine_map<(i, j) -> (j)>\n"
            "#both = affine_map<(i, j) -> (i, j)>\n"
            "func.func @network(%s) -> %s {\n"
            "    %%zero = arith.constant 0.0 : f32\n"
            "%s\n"
            "    return %s : %s\n}\n"
            % (
                ", ".join("%%%s: %s" % pair for pair in self.arguments.items()),
                tensor(ROWS, result[1]),
                "\n".join(self.lines),
                result[0],
                tensor(ROWS, result[1]),
            )
        )


def generate(shape, bodies, operations):
    network = Network(bodies == "distinct")
    build = {"chain": network.chain, "wide": network.wide}[shape]
    return network.text(build(operations))


def main():
    arguments = sys.argv[1:]
    if (
        len(arguments) not in (3, 4)
        or arguments[0] not in ("chain", "wide")
        or arguments[1] not in ("shared", "distinct")
        or not arguments[2].isdigit()
    ):
        print(__doc__, file=sys.stderr)
        return 2
    text = generate(arguments[0], arguments[1], int(arguments[2]))
    if len(arguments) == 4:
        with open(arguments[3], "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
