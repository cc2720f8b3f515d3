#!/usr/bin/env python3
"""Times --layout-search on ONNX networks, with nothing on file and with all.

usage: bench/search-times.py [--budget TIME] BUILD MODEL.onnx...

Each network is imported once. Then the search runs with an empty store and an
empty cache of objects (cold), and again with what the first one has left there
(warm); both must write the same bytes. Prints a Markdown table, one line a
network: wall time of the whole command, cold and warm, prices that tell
layouts apart and how many were measured, the form that was kept and its median
time by that of the network as it was given.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time


def search(opt, model, budget, folder, output):
    """Seconds, and what the command said."""
    start = time.monotonic()
    done = subprocess.run(
        [opt, model, "--layout-search=budget=%s store=%s/store" % (budget, folder),
         "--mlir-pass-statistics", "-o", output],
        env=dict(os.environ, PGOPT_CACHE=os.path.join(folder, "objects")),
        stderr=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - start, done.stderr


def statistic(said, name):
    return re.search(r"\(S\) (\d+) %s " % name, said)[1]


def verdict(said):
    """The form that was kept, and its time by the first one's."""
    kept = re.search(r"kept is the network as (\w+):[^;]*(;.*)", said)
    if not kept:
        return "given", ""
    ratio = re.search(r"; %s [^;]*ratio ([0-9.]+)" % kept[1], kept[2])
    return kept[1], ratio[1] if ratio else ""


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", default="30s")
    parser.add_argument("build")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    programs = os.path.join(options.build, "bin")
    print("| network | cold s | warm s | prices | measured | kept | ratio |")
    print("|---|---|---|---|---|---|---|", flush=True)
    failed = False
    for onnx in options.models:
        with tempfile.TemporaryDirectory() as folder:
            model, first, second = (os.path.join(folder, name + ".mlir")
                                    for name in ("model", "cold", "warm"))
            subprocess.run([os.path.join(programs, "pgopt-translate"), "--import-onnx",
                            os.path.abspath(onnx), "-o", model], check=True)
            opt = os.path.join(programs, "pgopt-opt")
            cold, said = search(opt, model, options.budget, folder, first)
            warm, _ = search(opt, model, options.budget, folder, second)
            form, ratio = verdict(said)
            print("| %s | %.1f | %.2f | %s | %s | %s | %s |"
                  % (os.path.basename(onnx).rsplit(".", 1)[0], cold, warm, statistic(said, "prices"),
                     statistic(said, "prices-measured"), form, ratio), flush=True)
            if bytes_of(first) != bytes_of(second):
                print("%s: the second search differs" % onnx, file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
