#!/usr/bin/env python3
"""Random graphs under every policy: what must hold of any schedule.

usage: check_schedule.py BIN FIRST_SEED GRAPHS [PER_FILE]

Each program has PER_FILE (default 5) graphs of random_graph.py, its layers cut
into 3 ranges, and reductions into parts. For every policy on 2 and 5 cores: every
iteration of every layer is in exactly one range, every range runs exactly once
on a core, and on several under --schedule-list alone, each core's slots are
counted through, the dependencies and the cores' lists together have one order,
the waits keep it (check=true), and the numbers are those of the naive lowering
of the original. Where buffers lie is checked whenever a program is lowered.
"""

import collections
import graphlib
import json
import os
import subprocess
import sys
import tempfile

LAYERS = "--profile=mode=static report=none"
SPLIT = "--form-kernels=split=3"
POLICIES = (
    "--schedule-rr",
    "--schedule-rr=weights=timing",
    "--schedule-list",
)


class Failure(Exception):
    pass


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure("%s:\n%s" % (" ".join(command), done.stderr[-600:]))


def require(holds, what):
    if not holds:
        raise Failure(what)


def without_copies(nodes, may_copy):
    """One of several nodes that compute the same on cores of their own."""
    cores = collections.defaultdict(set)
    kept = []
    for node in nodes:
        name = node["layer"], node["phase"], node["part"], *node["range"]
        if not cores[name]:
            kept.append(node)
        else:
            require(may_copy, "%s: a copy" % (name,))
        require(node["core"] not in cores[name], "%s: twice on a core" % (name,))
        cores[name].add(node["core"])
    return kept


def check_layers(whole, cut):
    """The same layers, but for reductions in parts and what combines them."""
    for (layer, phase), extent in whole.items():
        require((layer, phase) in cut, "%s is missing" % layer)
        require(
            cut[layer, phase] == extent or (layer + "_partial", phase) in cut,
            "%s: %d iterations" % (layer, cut[layer, phase]),
        )
    for layer, phase in cut.keys() - whole.keys():
        original = layer.removesuffix("_partial")
        require((original, phase) in whole, "%s is new" % layer)


def check_ranges(nodes):
    """Of every layer's phase: parts 0, 1, ... once, one behind the other."""
    layers = collections.defaultdict(list)
    for node in nodes:
        layers[node["layer"], node["phase"]].append(node)
    for name, parts in layers.items():
        parts.sort(key=lambda node: node["part"])
        require(
            [p["part"] for p in parts] == list(range(parts[0]["parts"])),
            "%s: parts %s" % (name, [p["part"] for p in parts]),
        )
        end = 0
        for part in parts:
            require(
                part["range"][0] == end < part["range"][1],
                "%s: range %s behind %d" % (name, part["range"], end),
            )
            end = part["range"][1]
    return {name: parts[-1]["range"][1] for name, parts in layers.items()}


def check_order(graph):
    """Slots, and one order of dependencies and lists together."""
    order = graphlib.TopologicalSorter()
    for edge in graph["edges"]:
        order.add(edge["to"], edge["from"])
    for core in range(graph["cores"]):
        nodes = [n for n in graph["nodes"] if n["core"] == core]
        nodes.sort(key=lambda node: node["slot"])
        require(
            [n["slot"] for n in nodes] == list(range(len(nodes))),
            "core %d: slots %s" % (core, [n["slot"] for n in nodes]),
        )
        for before, after in zip(nodes, nodes[1:]):
            order.add(after["id"], before["id"])
    order.prepare()  # raises CycleError


def read_graph(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check(binary, work, seed, count):
    path = lambda name: os.path.join(work, name)
    opt, runner = (os.path.join(binary, tool) for tool in ("pgopt-opt", "pgopt-runner"))
    generator = os.path.join(os.path.dirname(__file__), "random_graph.py")
    with open(path("in.mlir"), "w", encoding="utf-8") as file:
        subprocess.run(
            [sys.executable, generator, str(seed), str(count)], stdout=file, check=True
        )
    graph_option = "--profile-graph=format=json output=" + path("graph.json")
    run(
        opt, path("in.mlir"), LAYERS, "--form-kernels=split=1", graph_option,
        "-o", os.devnull,
    )
    whole = check_ranges(read_graph(path("graph.json"))["nodes"])
    run(opt, path("in.mlir"), LAYERS, SPLIT, "-o", path("calls.mlir"))
    for policy in POLICIES:
        for cores in (2, 5):
            options = "count=%d check=true" % cores
            scheduled = policy + (" " if "=" in policy else "=") + options
            run(
                opt, path("calls.mlir"), scheduled, graph_option,
                "-o", path("out.mlir"),
            )
            graph = read_graph(path("graph.json"))
            require(1 <= graph["cores"] <= cores, "%d cores" % graph["cores"])
            nodes = without_copies(graph["nodes"], policy == "--schedule-list")
            check_layers(whole, check_ranges(nodes))
            check_order(graph)
            run(
                runner, path("out.mlir"), "--seed=%d" % seed,
                "--compare=" + path("in.mlir"),
            )


def main():
    binary, first, graphs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    per_file = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    failed = False
    with tempfile.TemporaryDirectory() as work:
        # Kernels are the same under every policy.
        os.environ.setdefault("PGOPT_CACHE", os.path.join(work, "objects"))
        for seed in range(first, first + graphs, per_file):
            count = min(per_file, first + graphs - seed)
            try:
                check(binary, work, seed, count)
            except (Failure, graphlib.CycleError) as error:
                print("seeds %d to %d: %s" % (seed, seed + count - 1, error))
                failed = True
    if not failed:
        print("%d graphs from seed %d hold" % (graphs, first))
    sys.exit(failed)


if __name__ == "__main__":
    main()
