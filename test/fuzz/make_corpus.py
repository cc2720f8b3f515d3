#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets' corpora that are not text: parameter
files and .npy files, small, valid and nearly valid."""

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
