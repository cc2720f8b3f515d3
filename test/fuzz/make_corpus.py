#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets' corpora that are not text: parameter
files, .npy files and ONNX models, small, valid and nearly valid."""

import json
import os
import struct

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def write(folder, name, data):
    with open(os.path.join(here, folder, name), "wb") as file:
        file.write(data)


def safetensors(header, data):
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


two = {
    "a": tensor("F32", [2, 3], 0, 24),
    "b": tensor("BF16", [5], 24, 34),
    "__metadata__": {"by": "x"},
}
write("safetensors", "two", safetensors(two, bytes(34)))
write("safetensors", "empty", safetensors({}, b""))
write("safetensors", "scalar", safetensors({"s": tensor("I64", [], 0, 8)}, bytes(8)))
write("safetensors", "none", safetensors({"z": tensor("U8", [0, 7], 0, 0)}, b""))
overlap = {"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 4, 12)}
write("safetensors", "overlap", safetensors(overlap, bytes(12)))
beyond = {"a": tensor("F32", [2], 0, 1 << 62)}
write("safetensors", "beyond", safetensors(beyond, bytes(8)))
huge = {"a": tensor("F32", [1 << 40, 1 << 40], 0, 8)}
write("safetensors", "huge", safetensors(huge, bytes(8)))
write("safetensors", "long", struct.pack("<Q", 1 << 63) + b"{}")


def npy(version, header, data):
    text = header.encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def header(kind, order, shape):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (kind, order, shape)


write("npy", "f4", npy(1, header("<f4", False, "(2, 3)"), bytes(24)))
write("npy", "big", npy(2, header(">i2", True, "(3, 1, 2)"), bytes(12)))
write("npy", "scalar", npy(3, header("|b1", False, "()"), b"\1"))
write("npy", "bf16", npy(1, header("|V2", False, "(5,)"), bytes(10)))
write("npy", "empty", npy(1, header("<f8", False, "(0, 9)"), b""))
write("npy", "short", npy(1, header("<f8", False, "(3,)"), bytes(23)))
write("npy", "huge", npy(1, header("<f8", False, "(4294967296, 4294967296)"), b""))
write("npy", "object", npy(1, header("|O", False, "(1,)"), bytes(8)))


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while True:
        out += bytes([value & 127 | (128 if value > 127 else 0)])
        value >>= 7
        if not value:
            return out


def field(number, value):
    """A protobuf field: an integer, or bytes, text or a nested message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, int):
        return field(1, name) + field(3, value)
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, i) for i in value)
    if isinstance(value, bytes):
        return field(1, name) + field(6, value)
    return field(1, name) + field(4, value)


def node(kind, inputs, outputs, **attributes):
    return (
        b"".join(field(1, i) for i in inputs)
        + b"".join(field(2, o) for o in outputs)
        + field(4, kind)
        + b"".join(field(5, attribute(k, v)) for k, v in attributes.items())
    )


def value(name, shape, kind=1):
    dims = b"".join(
        field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in shape
    )
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def constant(name, kind, dims, data):
    return b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, data)


def graph(nodes, inputs, outputs, constants=()):
    return (
        b"".join(field(1, n) for n in nodes)
        + field(2, "g")
        + b"".join(field(5, c) for c in constants)
        + b"".join(field(11, i) for i in inputs)
        + b"".join(field(12, o) for o in outputs)
    )


def model(g, opset=13):
    return field(1, 8) + field(7, g) + field(8, field(1, "") + field(2, opset))


def integers(*values):
    return struct.pack("<%dq" % len(values), *values)


x, y = value("x", ["n", 3, 8, 8]), value("y", [])
image = [x, value("w", [4, 3, 3, 3])]
write("onnx", "relu", model(graph([node("Relu", ["x"], ["y"])], [x], [y])))
conv = node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2])
pool = node("MaxPool", ["c"], ["y"], kernel_shape=[2, 2], ceil_mode=1)
write("onnx", "conv", model(graph([conv, pool], image, [y])))
turned = node("ConvTranspose", ["x", "v"], ["y"], strides=[2, 2], output_padding=[1, 1])
write("onnx", "turned", model(graph([turned], [x, value("v", [3, 2, 3, 3])], [y])))
chain = [
    node("Shape", ["x"], ["s"]),
    node("Gather", ["s", "i"], ["g"]),
    node("Concat", ["g", "m"], ["t"], axis=0),
    node("Reshape", ["x", "t"], ["r"]),
    node("Slice", ["r", "i", "m"], ["q"]),
    node("ReduceMean", ["q"], ["y"], keepdims=0),
]
some = [constant("i", 7, [1], integers(1)), constant("m", 7, [1], integers(-1))]
write("onnx", "chain", model(graph(chain, [x], [y], some)))
write("onnx", "einsum", model(graph([node("Einsum", ["x", "x"], ["y"], equation="...ij,...kj->...ik")], [x], [y])))
size = constant("z", 1, [4], struct.pack("<4f", 1, 1, 2, 1.5))
write("onnx", "resize", model(graph([node("Resize", ["x", "", "z"], ["y"], mode="cubic")], [x], [y], [size])))
grid = node("GridSample", ["x", "v"], ["y"], mode="bicubic", padding_mode="reflection")
write("onnx", "grid", model(graph([grid], [x, value("v", ["n", 2, 3, 2])], [y]), 16))
hann = [node("HannWindow", ["m"], ["y"], periodic=0)]
write("onnx", "hann", model(graph(hann, [x], [y], [constant("m", 7, [], integers(5))]), 17))
lstm = node("LSTM", ["a", "b", "c"], ["y"], hidden_size=2)
three = [value("a", [2, "n", 3]), value("b", [1, 8, 3]), value("c", [1, 8, 2])]
write("onnx", "lstm", model(graph([lstm], three, [y])))
weights = constant("w", 7, [5, 7], integers(*range(35)))
dense = node("MatMul", ["a", "w"], ["y"])
write("onnx", "dense", model(graph([dense], [value("a", ["n", 5], 7)], [y], [weights])))
inner = graph([node("Neg", ["x"], ["e"])], [], [value("e", [])])
other = graph([node("Abs", ["x"], ["e"])], [], [value("e", [])])
choice = node("If", ["k"], ["y"], then_branch=inner, else_branch=other)
write("onnx", "if", model(graph([choice], [x, value("k", [], 9)], [y])))
body = graph(
    [node("Identity", ["c"], ["d"]), node("Add", ["v", "x"], ["u"])],
    [value("i", [], 7), value("c", [], 9), value("v", [])],
    [value("d", []), value("u", [])],
)
loop = node("Loop", ["t", "", "x"], ["y"], body=body)
write("onnx", "loop", model(graph([loop], [x], [y], [constant("t", 7, [], integers(3))])))
quantized = [
    node("QuantizeLinear", ["x", "f"], ["q"]),
    node("DequantizeLinear", ["q", "f"], ["y"]),
]
scale = constant("f", 1, [], struct.pack("<f", 0.5))
write("onnx", "quantized", model(graph(quantized, [x], [y], [scale])))
write("onnx", "cycle", model(graph([node("Abs", ["y"], ["y"])], [x], [y])))
vast = constant("w", 1, [1 << 40, 1 << 40], bytes(4))
write("onnx", "vast", model(graph([node("Add", ["x", "w"], ["y"])], [x], [y], [vast])))
# Summing the last letter of the first operand up would make 2^50 elements, so
# what the operation goes on with has failed.
wide = [value("a", [1, 1, 5]), value("b", [1 << 25, 3]), value("c", [1 << 25, 3])]
for name, equation in ("sum", "abz,ay,bx->"), ("turn", "abz,ay,bx->ba"):
    einsum = node("Einsum", ["a", "b", "c"], ["y"], equation=equation)
    write("onnx", "einsum-" + name, model(graph([einsum], wide, [y])))

# Operands of another rank or extent than the operator can have.
images = value("x", ["n", 4, 5])
two = value("t", ["n", 5], 7)
wrong = {
    "split": (node("Split", ["x"], []), []),
    "loss": (node("NegativeLogLikelihoodLoss", ["x", "t", "w"], ["y"]), [two, value("w", [2, 2])]),
    "onehot": (node("OneHot", ["t", "d", "v"], ["y"]), [two, value("v", [1, 2, 1])]),
    "cumsum": (node("CumSum", ["w", "d"], ["y"]), [value("w", [1] * 24)]),
    "topk": (node("TopK", ["w", "e"], ["y"]), [value("w", [1] * 24)]),
    "deconv": (node("ConvTranspose", ["x", "w"], ["y"], output_shape=[-(1 << 63)]), [value("w", [4, 2, 3])]),
    "norm": (node("BatchNormalization", ["v"] * 5, ["y"], training_mode=1), [value("v", [3])]),
    "reverse": (node("ReverseSequence", ["x", "t"], ["y"], batch_axis=0, time_axis=1), [two]),
    "short": (node("ReverseSequence", ["x", "e"], ["y"], batch_axis=0, time_axis=1), []),
    "bias": (node("LSTM", ["x", "b", "c", "v"], ["y"]), [value("b", [1, 8, 5]), value("c", [1, 8, 2]), value("v", [16])]),
    "lengths": (
        node("LSTM", ["x", "b", "c", "", "t"], ["y"]),
        [value("b", [1, 8, 5]), value("c", [1, 8, 2]), two],
    ),
    "scan": (node("Scan", ["x"], ["y"], num_scan_inputs=-(1 << 31)), []),
}
numbers = [constant("d", 7, [], integers(3)), constant("e", 7, [1], integers(1))]
for name, (operation, more) in wrong.items():
    write("onnx", "wrong-" + name, model(graph([operation], [images] + more, [y], numbers), 14))
