#!/usr/bin/env python3
"""Writes a random network in linalg on tensors, the same for the same seed.

usage: random_graph.py SEED [COUNT] > network.mlir

COUNT (default 1) graphs, of seeds SEED, SEED + 1 ..., stand beside one another
in one function @forward, so that one run checks many. Extents are prime or
products of two primes, ranks 1 to 6; every kind of operation that layout
passes rewrite occurs, with several users and several results.
"""

import random
import sys

MAX_ELEMENTS = 2500
EXTENTS = [1, 2, 3, 5, 7, 11, 13, 6, 10, 15]
WEIGHTS = [3, 4, 6, 5, 4, 2, 1, 2, 2, 1]


def product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


def text_type(shape):
    return "tensor<%sf32>" % "".join("%dx" % e for e in shape)


def index_list(values):
    return "[%s]" % ", ".join(str(v) for v in values)


def affine_map(rank, results):
    return "affine_map<(%s) -> (%s)>" % (
        ", ".join("d%d" % i for i in range(rank)),
        ", ".join(str(r) for r in results),
    )


class Function:
    """Lines, arguments and results of the function being written."""

    def __init__(self):
        self.lines, self.arguments, self.results = [], [], []
        self.names = 0

    def name(self):
        self.names += 1
        return "%%v%d" % self.names


class Graph:
    """One random graph; a value is a (name, shape) pair."""

    def __init__(self, function, seed):
        self.f = function
        self.rng = random.Random(seed)
        self.parameters = random.Random(-1 - seed)
        self.values = []

    def emit(self, shape, text):
        name = self.f.name()
        self.f.lines.append("%s = %s" % (name, text))
        return name, tuple(shape)

    def extent(self):
        return self.rng.choices(EXTENTS, WEIGHTS)[0]

    def shape(self, rank):
        while True:
            shape = tuple(self.extent() for _ in range(rank))
            if product(shape) <= MAX_ELEMENTS // 4:
                return shape

    def argument(self, shape, parameters=0.0):
        """A share of them are parameters, which may be packed."""
        number = len(self.f.arguments)
        name, kind = "%%a%d" % number, text_type(shape)
        if self.parameters.random() < parameters:
            kind += ' {pg.parameter = "p%d"}' % number
        self.f.arguments.append((name, kind))
        return name, tuple(shape)

    def constant(self, shape):
        if self.rng.random() < 0.3:
            data = "%.3f" % self.rng.uniform(-1, 1)
        else:
            numbers = iter(range(product(shape)))

            def nest(rest):
                if not rest:
                    return "%.3f" % (((next(numbers) * 7) % 23 - 11) / 11)
                return "[%s]" % ", ".join(nest(rest[1:]) for _ in range(rest[0]))

            data = nest(list(shape))
        return self.emit(
            shape, "arith.constant dense<%s> : %s" % (data, text_type(shape))
        )

    def leaf(self, shape):
        """A value of that shape: one there is, an argument, or a constant."""
        fitting = [v for v in self.values if v[1] == tuple(shape)]
        if fitting and self.rng.random() < 0.6:
            return self.rng.choice(fitting)
        if self.rng.random() < 0.35 and product(shape) <= 400:
            return self.constant(shape)
        return self.argument(shape, parameters=0.6)

    def pick(self, rank=None):
        recent = self.values[-8:] if self.rng.random() < 0.8 else self.values
        fitting = [v for v in recent if rank is None or len(v[1]) in rank]
        return self.rng.choice(fitting) if fitting else None

    def empty(self, shape):
        return self.emit(shape, "tensor.empty() : %s" % text_type(shape))

    def filled(self, shape, value="0.0"):
        scalar = self.emit((), "arith.constant %s : f32" % value)
        empty = self.empty(shape)
        kind = text_type(shape)
        return self.emit(
            shape,
            "linalg.fill ins(%s : f32) outs(%s : %s) -> %s"
            % (scalar[0], empty[0], kind, kind),
        )

    def generic(self, inputs, init, maps, loops, body):
        """`body` is a list of lines over %x0 ..., %o, the last one's value %r."""
        kinds = ", ".join(text_type(v[1]) for v in inputs)
        header = "linalg.generic {indexing_maps = [%s], iterator_types = [%s]}" % (
            ", ".join(maps),
            ", ".join('"%s"' % l for l in loops),
        )
        ins = (
            "ins(%s : %s) " % (", ".join(v[0] for v in inputs), kinds) if inputs else ""
        )
        kind = text_type(init[1])
        arguments = ", ".join(
            ["%%x%d: f32" % i for i in range(len(inputs))] + ["%o: f32"]
        )
        text = "%s %souts(%s : %s) {\n  ^bb0(%s):\n" % (
            header,
            ins,
            init[0],
            kind,
            arguments,
        )
        text += "".join("    %s\n" % line for line in body)
        return self.emit(init[1], text + "    linalg.yield %%r : f32\n  } -> %s" % kind)

    # Operations: each appends to self.values, or does nothing.

    def transpose(self):
        v = self.pick(range(2, 7))
        if not v:
            return
        order = list(range(len(v[1])))
        self.rng.shuffle(order)
        shape = [v[1][i] for i in order]
        empty = self.empty(shape)
        self.values.append(
            self.emit(
                shape,
                "linalg.transpose ins(%s : %s) outs(%s : %s) permutation = %s"
                % (v[0], text_type(v[1]), empty[0], text_type(shape), index_list(order)),
            )
        )

    def transpose_back(self):
        """One that undoes an earlier one, with something between."""
        self.transpose()
        self.elementwise()
        self.transpose()

    def elementwise(self):
        v = self.pick()
        if not v:
            return
        rank = len(v[1])
        loops = list(range(rank))
        if self.rng.random() < 0.2:
            self.rng.shuffle(loops)
        extents = [0] * rank
        for d, loop in enumerate(loops):
            extents[loop] = v[1][d]
        out = loops[:]
        if self.rng.random() < 0.15:
            self.rng.shuffle(out)
        shape = [extents[l] for l in out]
        inputs, maps = [v], [affine_map(rank, ["d%d" % l for l in loops])]
        for _ in range(self.rng.randrange(3)):
            used = [l for l in out if self.rng.random() < 0.7]
            if self.rng.random() < 0.15:
                self.rng.shuffle(used)
            dims, results = [], []
            for l in used:
                if self.rng.random() < 0.15:
                    dims.append(1)
                    results.append("0")
                else:
                    dims.append(extents[l])
                    results.append("d%d" % l)
            inputs.append(self.leaf(dims))
            maps.append(affine_map(rank, results))
        maps.append(affine_map(rank, ["d%d" % l for l in out]))
        reads = self.rng.random() < 0.1
        init = self.leaf(shape) if reads else self.empty(shape)
        body, last = [], "%x0"
        terms = ["%%x%d" % i for i in range(1, len(inputs))] + (["%o"] if reads else [])
        for i, term in enumerate(terms):
            op = self.rng.choice(["addf", "subf", "mulf", "maximumf"])
            body.append("%%t%d = arith.%s %s, %s : f32" % (i, op, last, term))
            last = "%%t%d" % i
        if rank and self.rng.random() < 0.1:
            loop = self.rng.randrange(rank)
            body += [
                "%%i = linalg.index %d : index" % loop,
                "%ii = arith.index_cast %i : index to i32",
                "%if = arith.sitofp %ii : i32 to f32",
                "%%iz = arith.addf %%if, %s : f32" % last,
            ]
            last = "%iz"
        op = self.rng.choice(["math.tanh", "arith.negf", "math.absf"])
        body.append("%%r = %s %s : f32" % (op, last))
        self.values.append(
            self.generic(inputs, init, maps, ["parallel"] * rank, body)
        )

    def reshape(self):
        v = self.pick()
        if not v:
            return
        dims, groups = [], []
        expand = self.rng.random() < 0.5
        if expand:
            for e in v[1]:
                factors = [e]
                for p in (2, 3, 5):
                    if e % p == 0 and e > p and self.rng.random() < 0.7:
                        factors = [p, e // p] if self.rng.random() < 0.5 else [e // p, p]
                if self.rng.random() < 0.2:
                    factors.insert(self.rng.randrange(len(factors) + 1), 1)
                groups.append(list(range(len(dims), len(dims) + len(factors))))
                dims += factors
            if len(dims) > 6 or not v[1]:
                return
            text = "tensor.expand_shape %s %s output_shape %s : %s into %s"
            text %= (
                v[0],
                index_list([index_list(g) for g in groups]),
                index_list(dims),
                text_type(v[1]),
                text_type(dims),
            )
        else:
            d = 0
            while d < len(v[1]):
                size = self.rng.choice([1, 1, 2, 2, 3])
                group = list(range(d, min(d + size, len(v[1]))))
                groups.append(group)
                dims.append(product(v[1][i] for i in group))
                d += len(group)
            if len(dims) == len(v[1]):
                return
            text = "tensor.collapse_shape %s %s : %s into %s" % (
                v[0],
                index_list([index_list(g) for g in groups]),
                text_type(v[1]),
                text_type(dims),
            )
        self.values.append(self.emit(dims, text))

    def shuffle(self):
        """Expand, transpose, collapse: moves data though the shape stays."""
        v = self.pick()
        if not v:
            return
        for d, e in enumerate(v[1]):
            for p in (2, 3, 5):
                if e % p or e == p or len(v[1]) > 5:
                    continue
                wide = v[1][:d] + (p, e // p) + v[1][d + 1 :]
                groups = [[i] for i in range(d)] + [[d, d + 1]]
                groups += [[i + 1] for i in range(d + 1, len(v[1]))]
                lists = index_list([index_list(g) for g in groups])
                x = self.emit(
                    wide,
                    "tensor.expand_shape %s %s output_shape %s : %s into %s"
                    % (v[0], lists, index_list(wide), text_type(v[1]), text_type(wide)),
                )
                order = list(range(len(wide)))
                order[d], order[d + 1] = d + 1, d
                moved = [wide[i] for i in order]
                empty = self.empty(moved)
                y = self.emit(
                    moved,
                    "linalg.transpose ins(%s : %s) outs(%s : %s) permutation = %s"
                    % (x[0], text_type(wide), empty[0], text_type(moved), index_list(order)),
                )
                self.values.append(
                    self.emit(
                        v[1],
                        "tensor.collapse_shape %s %s : %s into %s"
                        % (y[0], lists, text_type(moved), text_type(v[1])),
                    )
                )
                return

    def contract(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        roles = [self.rng.choice("bmk") for _ in v[1]]
        if "k" not in roles:
            roles[self.rng.randrange(len(roles))] = "k"
        if product(v[1]) > 1500:
            return
        columns = self.shape(self.rng.randrange(1, 3))
        rank = len(v[1])
        right = [i for i in range(rank) if roles[i] != "m"]
        right += range(rank, rank + len(columns))
        out = [i for i in range(rank) if roles[i] != "k"]
        out += range(rank, rank + len(columns))
        self.rng.shuffle(right)
        if self.rng.random() < 0.5:
            self.rng.shuffle(out)
        extents = list(v[1]) + list(columns)
        total = product(extents)
        if total > 60000 or product(extents[i] for i in out) > MAX_ELEMENTS:
            return
        other = self.leaf([extents[i] for i in right])
        maps = [list(range(rank)), right, out]
        inputs = [v, other]
        if self.rng.random() < 0.3:
            maps = [maps[1], maps[0], maps[2]]
            inputs.reverse()
        shape = [extents[i] for i in out]
        init = self.leaf(shape) if self.rng.random() < 0.15 else self.filled(shape)
        maps = [affine_map(len(extents), ["d%d" % i for i in m]) for m in maps]
        kinds = [text_type(x[1]) for x in inputs]
        if self.rng.random() < 0.5:
            text = (
                "linalg.contract indexing_maps = [%s] ins(%s, %s : %s, %s) "
                "outs(%s : %s) -> %s"
            ) % (
                ", ".join(maps),
                inputs[0][0],
                inputs[1][0],
                kinds[0],
                kinds[1],
                init[0],
                text_type(shape),
                text_type(shape),
            )
            self.values.append(self.emit(shape, text))
            return
        loops = ["reduction" if i < rank and roles[i] == "k" else "parallel"
                 for i in range(len(extents))]
        body = ["%p = arith.mulf %x0, %x1 : f32", "%r = arith.addf %o, %p : f32"]
        self.values.append(self.generic(inputs, init, maps, loops, body))

    def matmul(self):
        v = self.pick([2])
        if not v:
            return
        n = self.extent()
        shape = (v[1][0], n)
        other, init = self.leaf((v[1][1], n)), self.filled(shape)
        self.values.append(
            self.emit(
                shape,
                "linalg.matmul ins(%s, %s : %s, %s) outs(%s : %s) -> %s"
                % (
                    v[0],
                    other[0],
                    text_type(v[1]),
                    text_type(other[1]),
                    init[0],
                    text_type(shape),
                    text_type(shape),
                ),
            )
        )

    def convolution(self):
        v = self.pick([4])
        if not v:
            return
        kind = self.rng.choice(["nhwc_hwcf", "nhwc_fhwc", "nchw_fchw", "depthwise"])
        if self.rng.random() < 0.5:
            first = 2 if kind == "nchw_fchw" else 1
            sides = [0] * 8
            for side in (first, first + 1, first + 4, first + 5):
                sides[side] = self.rng.choice([0, 1, 1, 2])
            v = self.padded(v, sides[:4], sides[4:], 0)
            if not v:
                return
        n, h, w, c = v[1]
        if kind == "nchw_fchw":
            n, c, h, w = v[1]
        stride, dilation = self.rng.choice([1, 1, 2]), self.rng.choice([1, 1, 2])
        kh = self.rng.choice([k for k in (1, 2, 3) if (k - 1) * dilation < h])
        kw = self.rng.choice([k for k in (1, 2, 3) if (k - 1) * dilation < w])
        oh = (h - (kh - 1) * dilation - 1) // stride + 1
        ow = (w - (kw - 1) * dilation - 1) // stride + 1
        f = self.rng.choice([2, 3, 4, 5, 6])
        filters, out, name = {
            "nhwc_hwcf": ((kh, kw, c, f), (n, oh, ow, f), "conv_2d_nhwc_hwcf"),
            "nhwc_fhwc": ((f, kh, kw, c), (n, oh, ow, f), "conv_2d_nhwc_fhwc"),
            "nchw_fchw": ((f, c, kh, kw), (n, f, oh, ow), "conv_2d_nchw_fchw"),
            "depthwise": (
                (kh, kw, c),
                (n, oh, ow, c),
                "depthwise_conv_2d_nhwc_hwc",
            ),
        }[kind]
        if product(out) > MAX_ELEMENTS:
            return
        other, init = self.leaf(filters), self.filled(out)
        self.values.append(
            self.emit(
                out,
                "linalg.%s {dilations = dense<%d> : tensor<2xi64>, strides = "
                "dense<%d> : tensor<2xi64>} ins(%s, %s : %s, %s) outs(%s : %s) -> %s"
                % (
                    name,
                    dilation,
                    stride,
                    v[0],
                    other[0],
                    text_type(v[1]),
                    text_type(filters),
                    init[0],
                    text_type(out),
                    text_type(out),
                ),
            )
        )

    def pooling(self):
        v = self.pick([4])
        if not v:
            return
        channels_last = self.rng.random() < 0.6
        n, h, w, c = v[1]
        if not channels_last:
            n, c, h, w = v[1]
        kh, kw = self.rng.choice([1, 2]), self.rng.choice([1, 2, 3])
        if kh > h or kw > w:
            return
        oh, ow = h - kh + 1, w - kw + 1
        out = (n, oh, ow, c) if channels_last else (n, c, oh, ow)
        name = "pooling_%s_max" % ("nhwc" if channels_last else "nchw")
        window, init = self.empty((kh, kw)), self.filled(out, "-1.0e30")
        self.values.append(
            self.emit(
                out,
                "linalg.%s {dilations = dense<1> : tensor<2xi64>, strides = dense<1> "
                ": tensor<2xi64>} ins(%s, %s : %s, %s) outs(%s : %s) -> %s"
                % (
                    name,
                    v[0],
                    window[0],
                    text_type(v[1]),
                    text_type((kh, kw)),
                    init[0],
                    text_type(out),
                    text_type(out),
                ),
            )
        )

    def reduce_value(self, v, dims, op):
        shape = [e for d, e in enumerate(v[1]) if d not in dims]
        init = self.filled(shape, "-1.0e30" if op == "maximumf" else "0.0")
        return self.emit(
            shape,
            "linalg.reduce { arith.%s } ins(%s : %s) outs(%s : %s) dimensions = %s"
            % (
                op,
                v[0],
                text_type(v[1]),
                init[0],
                text_type(shape),
                index_list(dims),
            ),
        )

    def reduce(self):
        v = self.pick(range(1, 7))
        if not v:
            return
        count = self.rng.randrange(1, min(3, len(v[1])) + 1)
        dims = sorted(self.rng.sample(range(len(v[1])), count))
        op = self.rng.choice(["addf", "maximumf"])
        self.values.append(self.reduce_value(v, dims, op))

    def softmax(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        dim = self.rng.randrange(len(v[1]))
        rank = len(v[1])
        full = affine_map(rank, ["d%d" % d for d in range(rank)])
        rest = affine_map(rank, ["d%d" % d for d in range(rank) if d != dim])
        loops = ["parallel"] * rank
        top = self.reduce_value(v, [dim], "maximumf")
        e = self.generic(
            [v, top],
            self.empty(v[1]),
            [full, rest, full],
            loops,
            ["%s = arith.subf %x0, %x1 : f32", "%r = math.exp %s : f32"],
        )
        total = self.reduce_value(e, [dim], "addf")
        self.values.append(
            self.generic(
                [e, total],
                self.empty(v[1]),
                [full, rest, full],
                loops,
                ["%r = arith.divf %x0, %x1 : f32"],
            )
        )

    def softmax_op(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        empty, kind = self.empty(v[1]), text_type(v[1])
        self.values.append(
            self.emit(
                v[1],
                "linalg.softmax dimension(%d) ins(%s : %s) outs(%s : %s) -> %s"
                % (self.rng.randrange(len(v[1])), v[0], kind, empty[0], kind, kind),
            )
        )

    def gather(self):
        """Upsampled or reversed dimensions: elements read by their indices."""
        v = self.pick(range(1, 6))
        if not v:
            return
        rank, shape, body, at = len(v[1]), list(v[1]), [], []
        order = list(range(rank))
        if self.rng.random() < 0.2:
            self.rng.shuffle(order)
        for d, e in enumerate(v[1]):
            body.append("%%i%d = linalg.index %d : index" % (d, order[d]))
            at.append("%%i%d" % d)
            kind = self.rng.choice(["as is", "as is", "reverse", "double"])
            if kind == "as is":
                continue
            number = e - 1 if kind == "reverse" else 2
            shape[d] = e if kind == "reverse" else 2 * e
            body.append("%%c%d = arith.constant %d : index" % (d, number))
            body.append(
                "%%j%d = arith.%s : index"
                % (d, ("subi %%c%d, %%i%d" if kind == "reverse" else "divui %%i%d, %%c%d")
                   % (d, d))
            )
            at[d] = "%%j%d" % d
        out = [shape[order.index(l)] for l in range(rank)]
        if product(out) > MAX_ELEMENTS:
            return
        body.append(
            "%%r = tensor.extract %s%s : %s" % (v[0], index_list(at), text_type(v[1]))
        )
        identity = affine_map(rank, ["d%d" % d for d in range(rank)])
        self.values.append(
            self.generic([], self.empty(out), [identity], ["parallel"] * rank, body)
        )

    def slice(self):
        v = self.pick(range(1, 7))
        if not v:
            return
        offsets, sizes, strides, shape = [], [], [], []
        for e in v[1]:
            if self.rng.random() < 0.6:
                o, s, t = 0, e, 1
            else:
                t = self.rng.choice([1, 1, 2])
                o = self.rng.randrange(e)
                s = self.rng.randrange(1, (e - o - 1) // t + 2)
            offsets.append(o)
            sizes.append(s)
            strides.append(t)
            shape.append(s)
        # Upstream's lowering of subviews that drop dimensions crashes when
        # there are strides.
        if max(strides) == 1:
            shape = [s for s in shape if s != 1 or self.rng.random() < 0.5]
        self.values.append(
            self.emit(
                shape,
                "tensor.extract_slice %s%s %s %s : %s to %s"
                % (
                    v[0],
                    index_list(offsets),
                    index_list(sizes),
                    index_list(strides),
                    text_type(v[1]),
                    text_type(shape),
                ),
            )
        )

    def insert(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        low = [self.rng.randrange(3) for _ in v[1]]
        shape = [e + l + self.rng.randrange(2) for e, l in zip(v[1], low)]
        if product(shape) > MAX_ELEMENTS:
            return
        into = self.leaf(shape)
        self.values.append(
            self.emit(
                shape,
                "tensor.insert_slice %s into %s%s %s %s : %s into %s"
                % (
                    v[0],
                    into[0],
                    index_list(low),
                    index_list(v[1]),
                    index_list([1] * len(shape)),
                    text_type(v[1]),
                    text_type(shape),
                ),
            )
        )

    def pad(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        low = [self.rng.choice([0, 0, 1, 2]) for _ in v[1]]
        high = [self.rng.choice([0, 0, 1]) for _ in v[1]]
        padded = self.padded(v, low, high, self.rng.choice([0, -2]))
        if padded:
            self.values.append(padded)

    def padded(self, v, low, high, value):
        """The value with constants around it; None when that is too large."""
        shape = [e + l + h for e, l, h in zip(v[1], low, high)]
        if product(shape) > MAX_ELEMENTS:
            return None
        scalar = self.emit((), "arith.constant %.1f : f32" % value)
        return self.emit(
            shape,
            "tensor.pad %s low%s high%s {\n  ^bb0(%s):\n    tensor.yield %s : "
            "f32\n  } : %s to %s"
            % (
                v[0],
                index_list(low),
                index_list(high),
                ", ".join("%%i%d: index" % i for i in range(len(low))),
                scalar[0],
                text_type(v[1]),
                text_type(shape),
            ),
        )

    def concat(self):
        v = self.pick(range(1, 6))
        if not v:
            return
        dim = self.rng.randrange(len(v[1]))
        parts = [v]
        for _ in range(self.rng.randrange(1, 3)):
            shape = list(v[1])
            if self.rng.random() < 0.5:
                shape[dim] = self.rng.choice([1, 2, 3])
            parts.append(self.leaf(shape))
        self.rng.shuffle(parts)
        shape = list(v[1])
        shape[dim] = sum(p[1][dim] for p in parts)
        if product(shape) > MAX_ELEMENTS:
            return
        self.values.append(
            self.emit(
                shape,
                "tensor.concat dim(%d) %s : (%s) -> %s"
                % (
                    dim,
                    ", ".join(p[0] for p in parts),
                    ", ".join(text_type(p[1]) for p in parts),
                    text_type(shape),
                ),
            )
        )

    def branch(self):
        """scf.if: what it yields and captures keeps its declared layout."""
        v = self.pick(range(1, 4))
        if not v:
            return
        kind = text_type(v[1])
        condition = self.emit((), "arith.constant %s" % self.rng.choice(["true", "false"]))
        other = self.leaf(v[1])
        self.values.append(
            self.emit(
                v[1],
                "scf.if %s -> (%s) {\n    scf.yield %s : %s\n  } else {\n    "
                "scf.yield %s : %s\n  }"
                % (condition[0], kind, v[0], kind, other[0], kind),
            )
        )

    def write(self):
        rng = self.rng
        for _ in range(rng.randrange(1, 4)):
            shape = self.shape(rng.randrange(1, 6))
            self.values.append(self.argument(shape, parameters=0.1))
        if rng.random() < 0.5:
            self.values.append(
                self.argument(
                    (rng.choice([1, 2]), rng.choice([3, 5]), rng.choice([5, 7]), rng.choice([3, 6]))
                )
            )
        kinds = [
            (self.transpose, 8),
            (self.transpose_back, 3),
            (self.elementwise, 8),
            (self.reshape, 4),
            (self.shuffle, 1),
            (self.contract, 4),
            (self.matmul, 2),
            (self.convolution, 3),
            (self.pooling, 2),
            (self.reduce, 2),
            (self.softmax, 2),
            (self.softmax_op, 1),
            (self.gather, 1.5),
            (self.slice, 2),
            (self.insert, 1),
            (self.pad, 2),
            (self.concat, 2),
            (self.branch, 0.2),
        ]
        makers, weights = zip(*kinds)
        for _ in range(rng.randrange(4, 16)):
            rng.choices(makers, weights)[0]()
        results = {self.values[-1]}
        results.update(rng.sample(self.values, min(2, len(self.values))))
        self.f.results += sorted(results)


def main():
    seed = int(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    function = Function()
    for i in range(count):
        Graph(function, seed + i).write()
    kinds = ", ".join(text_type(r[1]) for r in function.results)
    print("// Seeds %d to %d." % (seed, seed + count - 1))
    print(
        "func.func @forward(%s) -> (%s) {"
        % (", ".join("%s: %s" % a for a in function.arguments), kinds)
    )
    for line in function.lines:
        print("  " + line)
    print("  return %s : %s" % (", ".join(r[0] for r in function.results), kinds))
    print("}")


if __name__ == "__main__":
    main()
