#!/usr/bin/env python3
"""Writes the three networks of test/networks.

usage: bench/make_networks.py [FOLDER]

Their shapes are small, not square and mostly not powers of two. Between them
they cover TOSA and linalg, named and generic operations, weights as arguments
and as elided constants, with one key for all and with a key for each.
"""

import math
import os
import sys


def tensor(*shape):
    return "tensor<%sxf32>" % "x".join(map(str, shape)) if shape else "tensor<f32>"


class Writer:
    """Lines of one function; values are named v0, v1 ..."""

    def __init__(self):
        self.lines = []
        self.count = 0

    def value(self, text):
        name = "%%v%d" % self.count
        self.count += 1
        self.lines.append("    %s = %s" % (name, text))
        return name


class Tosa(Writer):
    """Values are (name, shape), images NHWC; constants are elided."""

    def constant(self, *shape):
        return self.value(
            '"tosa.const"() <{values = dense_resource<__elided__> : %s}> : () -> %s'
            % (tensor(*shape), tensor(*shape))
        )

    def zero(self):
        return self.value(
            '"tosa.const"() <{values = dense<0.0> : tensor<1xf32>}>'
            " : () -> tensor<1xf32>"
        )

    def conv(self, x, channels, kernel):
        name, (n, h, w, c) = x
        weights = (channels, kernel, kernel, c)
        pad = kernel // 2
        out = (n, h, w, channels)
        args = (
            name,
            self.constant(*weights),
            self.constant(channels),
            self.zero(),
            self.zero(),
        )
        y = self.value(
            "tosa.conv2d %s, %s, %s, %s, %s {acc_type = f32, "
            "dilation = array<i64: 1, 1>, pad = array<i64: %d, %d, %d, %d>, "
            "stride = array<i64: 1, 1>} : (%s, %s, %s, tensor<1xf32>, "
            "tensor<1xf32>) -> %s"
            % (
                args
                + (pad,) * 4
                + (tensor(n, h, w, c), tensor(*weights), tensor(channels))
                + (tensor(*out),)
            )
        )
        return self.value(
            "tosa.clamp %s {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32}"
            " : (%s) -> %s" % (y, tensor(*out), tensor(*out))
        ), out

    def max_pool(self, x, kernel, stride):
        name, (n, h, w, c) = x
        pad = (kernel - stride) // 2
        out = (n, h // stride, w // stride, c)
        return self.value(
            "tosa.max_pool2d %s {kernel = array<i64: %d, %d>, "
            "pad = array<i64: %d, %d, %d, %d>, stride = array<i64: %d, %d>} "
            ": (%s) -> %s"
            % (
                (name, kernel, kernel)
                + (pad,) * 4
                + (stride, stride, tensor(n, h, w, c), tensor(*out))
            )
        ), out

    def mean_pool(self, x):
        name, (n, h, w, c) = x
        return self.value(
            "tosa.avg_pool2d %s, %s, %s {acc_type = f32, kernel = array<i64: %d, %d>, "
            "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: %d, %d>} "
            ": (%s, tensor<1xf32>, tensor<1xf32>) -> %s"
            % (
                name,
                self.zero(),
                self.zero(),
                h,
                w,
                h,
                w,
                tensor(n, h, w, c),
                tensor(n, 1, 1, c),
            )
        ), (n, 1, 1, c)

    def concat(self, parts):
        shape = parts[0][1][:-1] + (sum(p[1][-1] for p in parts),)
        return self.value(
            "tosa.concat %s {axis = 3 : i32} : (%s) -> %s"
            % (
                ", ".join(p[0] for p in parts),
                ", ".join(tensor(*p[1]) for p in parts),
                tensor(*shape),
            )
        ), shape

    def reshape(self, x, shape):
        size = self.value(
            "tosa.const_shape {values = dense<[%s]> : tensor<%dxindex>} "
            ": () -> !tosa.shape<%d>"
            % (", ".join(map(str, shape)), len(shape), len(shape))
        )
        return self.value(
            "tosa.reshape %s, %s : (%s, !tosa.shape<%d>) -> %s"
            % (x[0], size, tensor(*x[1]), len(shape), tensor(*shape))
        ), shape

    def matmul(self, a, b):
        shape = (a[1][0], a[1][1], b[1][2])
        return self.value(
            "tosa.matmul %s, %s, %s, %s : (%s, %s, tensor<1xf32>, "
            "tensor<1xf32>) -> %s"
            % (
                a[0],
                b[0],
                self.zero(),
                self.zero(),
                tensor(*a[1]),
                tensor(*b[1]),
                tensor(*shape),
            )
        ), shape

    def unary(self, op, x):
        return self.value(
            "tosa.%s %s : (%s) -> %s" % (op, x[0], tensor(*x[1]), tensor(*x[1]))
        ), x[1]

    def binary(self, op, a, b):
        return self.value(
            "tosa.%s %s, %s : (%s, %s) -> %s"
            % (op, a[0], b[0], tensor(*a[1]), tensor(*b[1]), tensor(*a[1]))
        ), a[1]

    def multiply(self, a, b):
        shift = self.value(
            '"tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>'
        )
        return self.value(
            "tosa.mul %s, %s, %s : (%s, %s, tensor<1xi8>) -> %s"
            % (a[0], b[0], shift, tensor(*a[1]), tensor(*b[1]), tensor(*a[1]))
        ), a[1]

    def reduce(self, op, x):
        shape = x[1][:-1] + (1,)
        return self.value(
            "tosa.reduce_%s %s {axis = %d : i32} : (%s) -> %s"
            % (op, x[0], len(shape) - 1, tensor(*x[1]), tensor(*shape))
        ), shape


def branching_cnn():
    """Four branches from one image, joined along the channels, twice."""
    t = Tosa()

    def branches(x, one, three_in, three, five_in, five, pooled):
        return t.concat(
            [
                t.conv(x, one, 1),
                t.conv(t.conv(x, three_in, 1), three, 3),
                t.conv(t.conv(x, five_in, 1), five, 5),
                t.conv(t.max_pool(x, 3, 1), pooled, 1),
            ]
        )

    image = ("%image", (1, 112, 92, 3))
    x = t.max_pool(t.conv(image, 24, 3), 2, 2)
    x = t.max_pool(branches(x, 40, 32, 60, 16, 24, 28), 2, 2)
    x = t.mean_pool(branches(x, 70, 56, 104, 24, 48, 40))
    x = t.reshape(x, (1, 1, x[1][3]))
    x = t.matmul(x, (t.constant(1, x[1][2], 11), (1, x[1][2], 11)))
    x = t.binary("add", x, (t.constant(1, 1, 11), (1, 1, 11)))
    x = t.unary("exp", t.binary("sub", x, t.reduce("max", x)))
    x = t.multiply(x, t.unary("reciprocal", t.reduce("sum", x)))
    x = t.reshape(x, (1, 11))
    return [
        "// An image through two blocks of four branches (1x1, 3x3, 5x5, pooling)",
        "// that are concatenated, and a classifier. TOSA, NHWC; elided constants",
        "// that share one key.",
        "module {",
        "  func.func @classify(%%image: %s) -> %s {"
        % (tensor(1, 112, 92, 3), tensor(1, 11)),
        *t.lines,
        "    return %s : %s" % (x[0], tensor(1, 11)),
        "  }",
        "}",
    ]


class Linalg(Writer):
    """Values are (name, shape); each operation has a tensor.empty of its own."""

    def __init__(self):
        super().__init__()
        self.keys = 0

    def constant(self, shape, key=None):
        if key is None:
            key = "w%d" % self.keys
            self.keys += 1
        return self.value(
            "arith.constant dense_resource<%s> : %s" % (key, tensor(*shape))
        ), shape

    def number(self, value):
        return self.value("arith.constant %.9e : f32" % value)

    def empty(self, shape):
        return self.value("tensor.empty() : %s" % tensor(*shape))

    def fill(self, shape, value):
        return self.value(
            "linalg.fill ins(%s : f32) outs(%s : %s) -> %s"
            % (self.number(value), self.empty(shape), tensor(*shape), tensor(*shape))
        )

    def named(self, op, inputs, shape, attributes=""):
        return self.value(
            "linalg.%s%s ins(%s : %s) outs(%s : %s) -> %s"
            % (
                op,
                " {%s}" % attributes if attributes else "",
                ", ".join(i[0] for i in inputs),
                ", ".join(tensor(*i[1]) for i in inputs),
                self.fill(shape, 0.0),
                tensor(*shape),
                tensor(*shape),
            )
        ), shape

    def generic(self, inputs, loops, shape, body, init=None):
        """inputs: (value, dimensions it is indexed by). `init` makes the
        dimensions that the result lacks reductions."""
        names = ["d%d" % i for i in range(len(loops))]
        kept = [i for i in range(len(loops)) if init is None or loops[i] == "parallel"]
        maps = [list(d) for _, d in inputs] + [kept]
        out = self.empty(shape) if init is None else self.fill(shape, init)
        block = ["%%a%d: f32" % i for i in range(len(inputs))] + ["%out: f32"]
        text = (
            "linalg.generic {indexing_maps = [%s], iterator_types = [%s]} "
            "ins(%s : %s) outs(%s : %s) {\n    ^bb0(%s):\n%s    } -> %s"
            % (
                ", ".join(
                    "affine_map<(%s) -> (%s)>"
                    % (", ".join(names), ", ".join(names[k] for k in m))
                    for m in maps
                ),
                ", ".join('"%s"' % kind for kind in loops),
                ", ".join(v[0] for v, _ in inputs),
                ", ".join(tensor(*v[1]) for v, _ in inputs),
                out,
                tensor(*shape),
                ", ".join(block),
                "".join("      %s\n" % line for line in body),
                tensor(*shape),
            )
        )
        return self.value(text), shape

    def elementwise(self, inputs, body):
        """Over the first input's shape; others cover the trailing (or, when
        marked ("lead", v), the leading) dimensions of it."""
        rank = len(inputs[0][1])
        operands = []
        for x in inputs:
            if x[0] == "lead":
                operands.append((x[1], range(len(x[1][1]))))
            else:
                operands.append((x, range(rank - len(x[1]), rank)))
        return self.generic(operands, ["parallel"] * rank, inputs[0][1], body)

    def reduce_last(self, x, op, init):
        rank = len(x[1])
        body = ["%%r = arith.%s %%out, %%a0 : f32" % op, "linalg.yield %r : f32"]
        return self.generic(
            [(x, range(rank))],
            ["parallel"] * (rank - 1) + ["reduction"],
            x[1][:-1],
            body,
            init,
        )


class Residual(Linalg):
    def conv(self, x, channels, kernel, stride):
        name, (n, h, w, c) = x
        if kernel > 1:
            p = kernel // 2
            padded = (n, h + 2 * p, w + 2 * p, c)
            zero = self.number(0.0)
            name = self.value(
                "tensor.pad %s low[0, %d, %d, 0] high[0, %d, %d, 0] {\n"
                "    ^bb0(%%i: index, %%j: index, %%k: index, %%l: index):\n"
                "      tensor.yield %s : f32\n    } : %s to %s"
                % (name, p, p, p, p, zero, tensor(n, h, w, c), tensor(*padded))
            )
        else:
            padded = (n, h, w, c)
        shape = (
            n,
            (padded[1] - kernel) // stride + 1,
            (padded[2] - kernel) // stride + 1,
            channels,
        )
        return self.named(
            "conv_2d_nhwc_hwcf",
            [(name, padded), self.constant((kernel, kernel, c, channels))],
            shape,
            "dilations = dense<1> : tensor<2xi64>, strides = dense<%d> : tensor<2xi64>"
            % stride,
        )

    def norm(self, x, relu):
        """Batch normalisation folded to a scale and a shift a channel."""
        channels = x[1][-1:]
        # Near 1, and not elided: the image must be seen through all layers.
        scale = self.value(
            "arith.constant dense<[%s]> : %s"
            % (
                ", ".join(
                    "%.3f" % (0.85 + 0.3 * ((7 * i) % 11) / 10)
                    for i in range(channels[0])
                ),
                tensor(*channels),
            )
        )
        body = [
            "%m = arith.mulf %a0, %a1 : f32",
            "%s = arith.addf %m, %a2 : f32",
        ]
        last = "%s"
        if relu:
            body += [
                "%zero = arith.constant 0.0 : f32",
                "%r = arith.maximumf %s, %zero : f32",
            ]
            last = "%r"
        body.append("linalg.yield %s : f32" % last)
        return self.elementwise(
            [x, (scale, channels), self.constant(channels)], body
        )

    def block(self, x, channels, stride):
        short = x
        if stride > 1:
            short = self.norm(self.conv(x, channels, 1, stride), False)
        y = self.norm(self.conv(x, channels, 3, stride), True)
        y = self.norm(self.conv(y, channels, 3, 1), False)
        return self.elementwise(
            [y, short],
            [
                "%s = arith.addf %a0, %a1 : f32",
                "%zero = arith.constant 0.0 : f32",
                "%r = arith.maximumf %s, %zero : f32",
                "linalg.yield %r : f32",
            ],
        )


def residual_net():
    t = Residual()
    x = ("%image", (1, 67, 51, 3))
    x = t.norm(t.conv(x, 20, 3, 1), True)
    x = t.block(t.block(x, 20, 1), 20, 1)
    x = t.block(t.block(x, 40, 2), 40, 1)
    x = t.block(t.block(x, 76, 2), 76, 1)
    n, h, w, c = x[1]
    x = t.generic(
        [(x, range(4))],
        ["parallel", "reduction", "reduction", "parallel"],
        (n, c),
        ["%r = arith.addf %out, %a0 : f32", "linalg.yield %r : f32"],
        0.0,
    )
    x = t.elementwise(
        [x],
        [
            "%%n = arith.constant %.9e : f32" % (1.0 / (h * w)),
            "%r = arith.mulf %a0, %n : f32",
            "linalg.yield %r : f32",
        ],
    )
    x = t.named("matmul", [x, t.constant((c, 13))], (1, 13))
    x = t.elementwise(
        [x, t.constant((13,))],
        ["%r = arith.addf %a0, %a1 : f32", "linalg.yield %r : f32"],
    )
    return [
        "// An image through six residual blocks, two of which halve it, and a",
        "// classifier. Named linalg convolutions on NHWC tensors, batch",
        "// normalisation as generics; elided weights with a key each.",
        "module {",
        "  func.func @forward(%%image: %s) -> %s {"
        % (tensor(1, 67, 51, 3), tensor(1, 13)),
        *t.lines,
        "    return %s : %s" % (x[0], tensor(1, 13)),
        "  }",
        "}",
    ]


class Transformer(Linalg):
    def transpose(self, x, permutation):
        shape = tuple(x[1][p] for p in permutation)
        return self.value(
            "linalg.transpose ins(%s : %s) outs(%s : %s) permutation = [%s]"
            % (
                x[0],
                tensor(*x[1]),
                self.empty(shape),
                tensor(*shape),
                ", ".join(map(str, permutation)),
            )
        ), shape

    def linear(self, x, weights, bias):
        y = self.named("matmul", [x, weights], (x[1][0], weights[1][1]))
        return self.elementwise(
            [y, bias], ["%r = arith.addf %a0, %a1 : f32", "linalg.yield %r : f32"]
        )

    def add(self, a, b):
        return self.elementwise(
            [a, b], ["%r = arith.addf %a0, %a1 : f32", "linalg.yield %r : f32"]
        )

    def layer_norm(self, x):
        tokens, width = x[1]
        share = "%%n = arith.constant %.9e : f32" % (1.0 / width)
        mean = self.elementwise(
            [self.reduce_last(x, "addf", 0.0)],
            [share, "%r = arith.mulf %a0, %n : f32", "linalg.yield %r : f32"],
        )
        centred = self.elementwise(
            [x, ("lead", mean)],
            ["%r = arith.subf %a0, %a1 : f32", "linalg.yield %r : f32"],
        )
        squares = self.generic(
            [(centred, range(2))],
            ["parallel", "reduction"],
            (tokens,),
            [
                "%m = arith.mulf %a0, %a0 : f32",
                "%r = arith.addf %out, %m : f32",
                "linalg.yield %r : f32",
            ],
            0.0,
        )
        scale = self.elementwise(
            [squares],
            [
                share,
                "%m = arith.mulf %a0, %n : f32",
                "%e = arith.constant 1.0e-5 : f32",
                "%s = arith.addf %m, %e : f32",
                "%r = math.rsqrt %s : f32",
                "linalg.yield %r : f32",
            ],
        )
        gain = self.constant((width,), "__elided__")
        shift = self.constant((width,), "__elided__")
        return self.elementwise(
            [centred, ("lead", scale), gain, shift],
            [
                "%m = arith.mulf %a0, %a1 : f32",
                "%g = arith.mulf %m, %a2 : f32",
                "%r = arith.addf %g, %a3 : f32",
                "linalg.yield %r : f32",
            ],
        )

    def softmax(self, x):
        largest = self.reduce_last(x, "maximumf", -3.4e38)
        powers = self.elementwise(
            [x, ("lead", largest)],
            [
                "%s = arith.subf %a0, %a1 : f32",
                "%r = math.exp %s : f32",
                "linalg.yield %r : f32",
            ],
        )
        total = self.reduce_last(powers, "addf", 0.0)
        return self.elementwise(
            [powers, ("lead", total)],
            ["%r = arith.divf %a0, %a1 : f32", "linalg.yield %r : f32"],
        )

    def gelu(self, x):
        return self.elementwise(
            [x],
            [
                "%%c = arith.constant %.9e : f32" % math.sqrt(0.5),
                "%s = arith.mulf %a0, %c : f32",
                "%e = math.erf %s : f32",
                "%one = arith.constant 1.0 : f32",
                "%p = arith.addf %e, %one : f32",
                "%half = arith.constant 0.5 : f32",
                "%h = arith.mulf %a0, %half : f32",
                "%r = arith.mulf %h, %p : f32",
                "linalg.yield %r : f32",
            ],
        )

    def expand(self, x, heads):
        tokens, width = x[1]
        shape = (tokens, heads, width // heads)
        return self.value(
            "tensor.expand_shape %s [[0], [1, 2]] output_shape [%s] : %s into %s"
            % (x[0], ", ".join(map(str, shape)), tensor(*x[1]), tensor(*shape))
        ), shape

    def collapse(self, x):
        tokens, heads, depth = x[1]
        shape = (tokens, heads * depth)
        return self.value(
            "tensor.collapse_shape %s [[0], [1, 2]] : %s into %s"
            % (x[0], tensor(*x[1]), tensor(*shape))
        ), shape


def transformer_block():
    t = Transformer()
    tokens, width, heads, hidden = 119, 240, 5, 960
    depth = width // heads
    arguments = [
        ("x", (tokens, width)),
        ("query_weights", (width, width)),
        ("query_bias", (width,)),
        ("key_weights", (width, width)),
        ("key_bias", (width,)),
        ("value_weights", (width, width)),
        ("value_bias", (width,)),
        ("output_weights", (width, width)),
        ("output_bias", (width,)),
        ("up_weights", (width, hidden)),
        ("up_bias", (hidden,)),
        ("down_weights", (hidden, width)),
        ("down_bias", (width,)),
    ]
    a = {name: ("%" + name, shape) for name, shape in arguments}

    x = a["x"]
    y = t.layer_norm(x)
    query, key, value = (
        t.expand(t.linear(y, a[n + "_weights"], a[n + "_bias"]), heads)
        for n in ("query", "key", "value")
    )
    query = t.transpose(query, (1, 0, 2))
    key = t.transpose(key, (1, 2, 0))
    value = t.transpose(value, (1, 0, 2))
    scores = t.named("batch_matmul", [query, key], (heads, tokens, tokens))
    scores = t.elementwise(
        [scores],
        [
            "%%c = arith.constant %.9e : f32" % (1.0 / math.sqrt(depth)),
            "%r = arith.mulf %a0, %c : f32",
            "linalg.yield %r : f32",
        ],
    )
    mixed = t.named("batch_matmul", [t.softmax(scores), value], (heads, tokens, depth))
    mixed = t.collapse(t.transpose(mixed, (1, 0, 2)))
    x = t.add(x, t.linear(mixed, a["output_weights"], a["output_bias"]))
    y = t.layer_norm(x)
    y = t.gelu(t.linear(y, a["up_weights"], a["up_bias"]))
    x = t.add(x, t.linear(y, a["down_weights"], a["down_bias"]))
    return [
        "// One block of a transformer: layer norm, attention over five heads,",
        "// layer norm, two linear layers with GELU between, residual sums. linalg",
        "// on tensors; the weights are arguments, the norms' elided constants.",
        "module {",
        "  func.func @block(\n      %s) -> %s {"
        % (
            ",\n      ".join("%%%s: %s" % (n, tensor(*s)) for n, s in arguments),
            tensor(tokens, width),
        ),
        *t.lines,
        "    return %s : %s" % (x[0], tensor(*x[1])),
        "  }",
        "}",
    ]


def main():
    default = os.path.join(os.path.dirname(__file__), "..", "test", "networks")
    folder = sys.argv[1] if len(sys.argv) > 1 else default
    for network in (branching_cnn, residual_net, transformer_block):
        name = network.__name__.replace("_", "-") + ".mlir"
        with open(os.path.join(folder, name), "w") as file:
            file.write("\n".join(network()) + "\n")


if __name__ == "__main__":
    main()
