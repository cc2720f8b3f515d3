#!/usr/bin/env python3
"""How far greedy and beam search are above exact on blocks of real networks.

usage: bench/layout-gaps.py [--blocks N] [--work N] BUILD FOLDER MODEL.onnx...

Cuts blocks out of ONNX networks with static shapes as graphs of their own:
from a value that all of the network goes through to a later one, with branches
between them and at least WORK convolutions and products (default 6). Equal
blocks are one; of those left N a network (default 3), evenly spread over it.
Each is imported, its kernels and layout changes are measured by
`--layout-search=costs=FILE`, and the table of costs that this leaves is
searched with every strategy. Files go to FOLDER. Prints a Markdown table.

Needs the Python package onnx.
"""

import argparse
import json
import os
import subprocess
import sys

import onnx
import onnx.utils

HEAVY = {"Conv", "MatMul", "Gemm"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(command), done.stderr[-500:]))
    return done.stdout


def cut_points(graph):
    """Values that are alone alive behind a node, with the number of that node."""
    known = {i.name for i in graph.initializer}
    last = {}
    for number, node in enumerate(graph.node):
        if not node.input or all(name in known for name in node.input):
            known.update(node.output)
        for name in node.input:
            last[name] = number
    for output in graph.output:
        last[output.name] = len(graph.node)
    alive = {i.name for i in graph.input if i.name not in known}
    points = [(-1, name) for name in alive] if len(alive) == 1 else []
    for number, node in enumerate(graph.node):
        alive = {name for name in alive if last.get(name, -1) > number}
        alive.update(
            o for o in node.output if o not in known and last.get(o, -1) > number
        )
        if len(alive) == 1:
            points.append((number, next(iter(alive))))
    return points


def find_blocks(graph, work):
    """(first value, last value, nodes) of every block."""
    blocks = []
    start = None
    for number, name in cut_points(graph):
        if start is None:
            start = (number, name)
            continue
        nodes = graph.node[start[0] + 1 : number + 1]
        heavy = sum(node.op_type in HEAVY for node in nodes)
        inputs = [i for node in nodes for i in node.input]
        made = {o for node in nodes for o in node.output} | {start[1]}
        branches = any(inputs.count(value) > 1 for value in made)
        if heavy >= work:
            if branches:
                blocks.append((start[1], name, nodes))
            start = (number, name)
        elif not heavy:
            start = (number, name)  # blocks begin where there is work
    return blocks


def shapes_of(model):
    shapes = {}
    for value in list(model.graph.value_info) + list(model.graph.input):
        shapes[value.name] = tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
    for value in model.graph.initializer:
        shapes[value.name] = tuple(value.dims)
    return shapes


def select(model, work, count):
    """`count` blocks that differ in their operations or shapes."""
    shapes = shapes_of(model)
    unlike = {}
    for first, last, nodes in find_blocks(model.graph, work):
        key = tuple((n.op_type,) + tuple(shapes.get(i) for i in n.input) for n in nodes)
        if 0 not in shapes.get(first, (0,)):
            unlike.setdefault(key, (first, last))
    blocks = list(unlike.values())
    if len(blocks) <= count:
        return blocks
    return [blocks[i * (len(blocks) - 1) // max(count - 1, 1)] for i in range(count)]


def search(build, table, strategy):
    runner = os.path.join(build, "bin", "pgopt-runner")
    return json.loads(
        run(runner, "--search-layouts=" + table, "--strategy=" + strategy)
    )


def measure(build, stem, budget):
    """Imports STEM.onnx and leaves its costs in STEM.costs."""
    tool = lambda name: os.path.join(build, "bin", name)
    run(tool("pgopt-translate"), "--import-onnx", stem + ".onnx", "-o", stem + ".mlir")
    run(
        tool("pgopt-opt"),
        stem + ".mlir",
        "--layout-search=confirm=false apply=false budget=%s store=%s.store costs=%s.costs"
        % (budget, stem, stem),
        "-o",
        os.devnull,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--work", type=int, default=6)
    parser.add_argument("--budget", default="10s")
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    print(
        "| network | block | kernels | as given us | exact us | greedy above it "
        "| beam above it |\n|---|---|---|---|---|---|---|"
    )
    for path in options.models:
        name = os.path.splitext(os.path.basename(path))[0]
        model = onnx.shape_inference.infer_shapes(onnx.load(path))
        extractor = onnx.utils.Extractor(model)
        blocks = select(model, options.work, options.blocks)
        for number, (first, last) in enumerate(blocks):
            stem = os.path.join(options.folder, "%s_%d" % (name, number))
            onnx.save(extractor.extract_model([first], [last]), stem + ".onnx")
            measure(options.build, stem, options.budget)
            found = {
                s: search(options.build, stem + ".costs", s)
                for s in ("exact", "greedy", "beam")
            }
            exact = found["exact"]
            print(
                "| %s | %s to %s | %d | %.1f | %.1f%s | %.2f%% | %.2f%% |"
                % (
                    name,
                    first,
                    last,
                    len(exact["kernels"]),
                    exact["start_ns"] / 1e3,
                    exact["cost_ns"] / 1e3,
                    "" if exact["proved"] else ", not proved",
                    100 * (found["greedy"]["cost_ns"] / exact["cost_ns"] - 1),
                    100 * (found["beam"]["cost_ns"] / exact["cost_ns"] - 1),
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
