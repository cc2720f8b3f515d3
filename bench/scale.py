#!/usr/bin/env python3
"""Times pgopt's passes on generated networks of many operations.

usage: bench/scale.py [options]

Prints a markdown table: microseconds an operation of static profile (grouping
included), form-kernels and schedule-rr (two threads, without one function a
core), each the least of --runs runs of one thread as --mlir-timing shows it:
parsing, printing and the verifier are not in it. What upstream's passes take
inside form-kernels is shown apart. Exits 1 when a time an operation is more than
--flat times that of the smallest network of its kind, or when profile and
schedule of the largest one take more than --limit seconds together.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import make_scale

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), ".."))
KINDS = (
    ("chain", "shared", (1000, 10000, 100000)),
    ("wide", "shared", (1000, 10000, 100000)),
    ("chain", "distinct", (1000, 10000)),
    ("wide", "distinct", (1000, 10000)),
)
PASSES = ("profile", "form-kernels", "schedule-rr")
PIPELINE = (
    "builtin.module(profile{mode=static report=none},form-kernels,"
    "schedule-rr{resources=threads count=2 outline=false})"
)


def times(opt, path, timeout):
    """Seconds of each pass, and of upstream's pipelines below them."""
    done = subprocess.run(
        [
            opt,
            path,
            "--pass-pipeline=" + PIPELINE,
            "--verify-each=0",
            "--mlir-disable-threading",
            "--mlir-timing",
            "--mlir-timing-display=tree",
            "-o",
            os.devnull,
        ],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=True,
        env=dict(os.environ, PGOPT_STORE="none"),
    )
    found = dict.fromkeys(PASSES, 0.0)
    found["upstream"] = 0.0
    for line in done.stderr.splitlines():
        row = re.match(r"\s+([0-9.]+) \(\s*[0-9.]+%\)  (\S.*)", line)
        if not row:
            continue
        if row[2] in PASSES:
            found[row[2]] += float(row[1])
        elif row[2].endswith("Pipeline"):
            found["upstream"] += float(row[1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--most", type=int, default=100000, help="operations")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--flat", type=float, default=2.0)
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--timeout", type=float, default=600)
    options = parser.parse_args()
    opt = os.path.join(options.build, "bin", "pgopt-opt")
    print(
        "| network | operations | profile us/op | form-kernels us/op "
        "| of it upstream | schedule-rr us/op | profile + schedule s |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for shape, bodies, sizes in KINDS:
            first = None
            for size in sizes:
                if size > options.most:
                    continue
                path = os.path.join(folder, "network.mlir")
                with open(path, "w") as file:
                    file.write(make_scale.generate(shape, bodies, size))
                runs = [
                    times(opt, path, options.timeout) for _ in range(options.runs)
                ]
                least = {name: min(run[name] for run in runs) for name in runs[0]}
                each = {name: t / size * 1e6 for name, t in least.items()}
                both = least["profile"] + least["schedule-rr"]
                name = "%s, %s" % (shape, bodies)
                print(
                    "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.3f |"
                    % (
                        name,
                        size,
                        each["profile"],
                        each["form-kernels"] + each["upstream"],
                        each["upstream"],
                        each["schedule-rr"],
                        both,
                    ),
                    flush=True,
                )
                first = first or each
                for what in PASSES:
                    if each[what] > options.flat * first[what]:
                        failures.append(
                            "%s, %d operations: %s takes %.1f us an operation, "
                            "%.1f in the smallest"
                            % (name, size, what, each[what], first[what])
                        )
                if size == 100000 and both > options.limit:
                    failures.append(
                        "%s, %d operations: profile and schedule take %.2f s"
                        % (name, size, both)
                    )
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
