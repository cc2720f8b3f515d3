#!/usr/bin/env python3
"""Profiles, schedules, checks and times networks; prints a markdown table.

usage: bench/networks.py [options] [NETWORK.mlir]...

For each network and number of workers: `pgopt-opt --profile --schedule-rr`,
then `pgopt-runner --compare` against the naive lowering of the original, then
paired runs against the network lowered in sequence. Without networks: those of
test/networks, and those of the corpus at $PGOPT_CORPUS or ../shared/corpus that
are there. Exits 1 when a network fails or an error is above the tolerance.
"""

import argparse
import datetime
import glob
import os
import platform
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), ".."))
CORPUS = (
    "lenet-tosa",
    "cnn-8-transposes-tosa",
    "mlp-3x1024-linalg",
    "tiny-cnn-trained-tosa",
    "bert-tiny-linalg",
)
# Those whose naive lowering takes many seconds.
LARGE = ("resnet18-tosa", "mhsa-qkv", "decoder-layer-timed")
# Networks with several public functions, and those that call others.
ENTRIES = {"mhsa-qkv": "kernel"}
LIBRARIES = {"decoder-layer-timed": "librecord_timing.so"}


class Failure(Exception):
    pass


def corpus_networks(names):
    folder = os.environ.get("PGOPT_CORPUS") or os.path.join(
        ROOT, "..", "shared", "corpus"
    )
    for name in names:
        for path in (
            os.path.join(folder, "mlir", name + ".mlir"),
            os.path.join(folder, name + ".mlir"),
        ):
            if os.path.exists(path):
                yield path
                break


def run(arguments, timeout):
    """stdout and stderr of a command that must succeed."""
    try:
        done = subprocess.run(
            arguments, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Failure("%s: no end after %d s" % (arguments[0], timeout)) from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Failure(
            "%s: exit code %d: %s"
            % (" ".join(arguments), done.returncode, " / ".join(last))
        )
    return done.stdout, done.stderr


def number(pattern, text, what):
    found = re.search(pattern, text)
    if not found:
        raise Failure("no %s in: %s" % (what, text[-300:]))
    return float(found[1])


def milliseconds(microseconds):
    return "%.3f" % (microseconds / 1e3)


def entry_options(name, build):
    """Options of passes for the entry, of pgopt-runner, and of passes that run
    the network."""
    entry = ["entry=" + ENTRIES[name]] if name in ENTRIES else []
    data = ["--positive=auto"] + ["--" + option for option in entry]
    libraries = []
    if name in LIBRARIES:
        libraries = ["shared-libs=" + os.path.join(build, "lib", LIBRARIES[name])]
        data += ["--" + libraries[0]]
    return entry, data, libraries


def rows_of(network, options, folder):
    """Lines of the table, one a number of workers."""
    opt = os.path.join(options.build, "bin", "pgopt-opt")
    runner = os.path.join(options.build, "bin", "pgopt-runner")
    name = os.path.basename(network)[: -len(".mlir")]
    profiled = os.path.join(folder, name + ".profiled.mlir")
    entry, data, libraries = entry_options(name, options.build)
    run(
        [
            opt,
            "--profile="
            + " ".join(["budget=" + options.budget, "report=none"] + entry + libraries),
            network,
            "-o",
            profiled,
        ],
        options.timeout,
    )
    with open(profiled) as file:
        text = file.read()
    kernels = len(set(re.findall(r'pg\.kernel = "([^"]*)"', text)))
    lflops = max(map(int, re.findall(r"pg\.lflops = (\d+) : i64", text)))
    for workers in options.workers:
        scheduled = os.path.join(folder, "%s.%d.mlir" % (name, workers))
        _, report = run(
            [
                opt,
                "--schedule-rr="
                + " ".join(["resources=threads count=%d" % workers] + entry),
                profiled,
                "-o",
                scheduled,
            ],
            options.timeout,
        )
        predicted = number(r"predicted makespan (\d+) ns", report, "prediction") / 1e3
        compared, _ = run(
            [
                runner,
                scheduled,
                "--compare=" + network,
                "--tolerance=%g" % options.tolerance,
            ]
            + data,
            options.timeout,
        )
        errors = [float(e) for e in re.findall(r"result \d+: error (\S+)", compared)]
        if not errors:
            raise Failure("no error of a result in: " + compared)
        timed, _ = run(
            [
                runner,
                scheduled,
                "--compare=" + network,
                "--reference=auto",
                "--bench=%g" % options.seconds,
            ]
            + data,
            options.timeout,
        )
        medians = re.findall(r": median ([0-9.]+) us", timed)
        if len(medians) != 2:
            raise Failure("no two medians in: " + timed)
        parallel, sequential = map(float, medians)
        yield (
            name,
            "%d" % lflops,
            "%d" % kernels,
            "%d" % workers,
            "%.1e" % max(errors),
            milliseconds(sequential),
            milliseconds(parallel),
            milliseconds(predicted),
            "%.2f" % (parallel / predicted) if predicted else "-",
            "%.2f" % (sequential / parallel),
        )


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            found = re.search(r"model name\s*: (.*)", file.read())
            if found:
                return found[1]
    except OSError:
        pass
    return platform.machine()


def add_options(parser):
    parser.add_argument(
        "--corpus", choices=("small", "large"), help="that half of the corpus alone"
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=float, default=2, help="of each timing")
    parser.add_argument("--budget", default="10s", help="of each trial run")
    parser.add_argument("--timeout", type=float, default=600, help="of one command")


def chosen_networks(options):
    chosen = options.networks
    if not chosen:
        if not options.corpus:
            chosen = sorted(glob.glob(os.path.join(ROOT, "test", "networks", "*.mlir")))
        chosen += {
            "small": corpus_networks(CORPUS),
            "large": corpus_networks(LARGE),
            None: corpus_networks(CORPUS + LARGE),
        }[options.corpus]
    return chosen


def headline(options):
    return "%s, %d CPUs, %s, %g s a timing\n" % (
        processor(),
        len(os.sched_getaffinity(0)),
        datetime.date.today().isoformat(),
        options.seconds,
    )


def print_rows(chosen, rows):
    """Lines of all networks, then what failed. Returns the exit code."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for network in chosen:
            try:
                for row in rows(network, folder):
                    print("| %s |" % " | ".join(row), flush=True)
            except Failure as failure:
                failures.append("%s: %s" % (network, failure))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("networks", nargs="*", help="default: see above")
    add_options(parser)
    parser.add_argument("--workers", default="1,2,3,8", help="numbers of cores")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    options.workers = [int(w) for w in options.workers.split(",")]
    chosen = chosen_networks(options)
    if not chosen:
        print("no networks", file=sys.stderr)
        return 77
    print(headline(options))
    print(
        "| network | lflops | kernels | workers | error | sequential ms | scheduled ms "
        "| predicted ms | measured / predicted | speed-up |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    return print_rows(
        chosen, lambda network, folder: rows_of(network, options, folder)
    )


if __name__ == "__main__":
    sys.exit(main())
