"""usage: bad_safetensors.py FOLDER. Parameter files with one 3x5xf32 tensor "w",
each wrong in its own way, and a right one."""

import json
import os
import struct
import sys


def write(name, header, size):
    text = json.dumps(header).encode()
    with open(os.path.join(sys.argv[1], name + ".safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(size))


def tensor(shape, begin, end, kind="F32"):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


write("good", {"w": tensor([3, 5], 0, 60)}, 60)
write("overlap", {"w": tensor([3, 5], 0, 60), "v": tensor([2], 56, 64)}, 64)
write("beyond", {"w": tensor([3, 5], 0, 60)}, 59)
write("negative", {"w": tensor([3, 5], -4, 56)}, 60)
write("backwards", {"w": tensor([3, 5], 60, 0)}, 60)
write("huge", {"w": tensor([1 << 40, 1 << 40], 0, 60)}, 60)
write("shape", {"w": tensor([5, 3], 0, 60)}, 60)
write("type", {"w": tensor([3, 5], 0, 60, "I32")}, 60)
write("absent", {"x": tensor([3, 5], 0, 60)}, 60)
