#!/usr/bin/env python3
"""Draws a trace of `pgopt-runner --trace` as a picture.

usage: bench/draw-timeline.py TRACE.json PICTURE.svg

One lane a core, the predicted run above the measured one on the same scale,
from the begin of the first kernel. A kernel is a box in its layer's colour; an
arrow goes from a kernel to each on another core that reads what it wrote. The
same trace gives the same bytes.
"""

import json
import sys

WIDTH, LEFT, LANE, GAP, TOP = 900, 110, 40, 18, 14
COLOURS = (
    "#a6cee3 #fdbf6f #b2df8a #fb9a99 #cab2d6 #ffff99 #8dd3c7 #d9d9d9 #fccde5 #ccebc5"
).split()
PROCESSES = ("predicted", "measured")


def layer_of(kernel):
    """Of "conv_1 1/2", a range, too."""
    return kernel["name"].split(" ")[0]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def read(path):
    """{process: (kernels, arrows)}; times in us from its first kernel's begin."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    runs = {}
    for pid, name in names.items():
        own = [e for e in events if e["pid"] == pid]
        kernels = [e for e in own if e["ph"] == "X" and e["args"]["slot"] >= 0]
        start = min(e["ts"] for e in kernels)
        for e in own:
            if "ts" in e:
                e["ts"] -= start
        tails = {e["id"]: e for e in own if e["ph"] == "s"}
        heads = {e["id"]: e for e in own if e["ph"] == "f"}
        runs[name] = kernels, [(tails[i], heads[i]) for i in sorted(tails)]
    return runs


def step_of(span):
    """A round number of us that divides `span` into 5 to 12 parts."""
    step = 1
    while span / step > 12:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def draw(runs):
    end = max(e["ts"] + e["dur"] for kernels, _ in runs.values() for e in kernels)
    scale = (WIDTH - LEFT - 10) / end
    layers = []
    for kernels, _ in runs.values():
        for e in sorted(kernels, key=lambda e: (e["ts"], e["tid"])):
            if layer_of(e) not in layers:
                layers.append(layer_of(e))
    parts, arrows, y = [], [], TOP
    for process in (p for p in PROCESSES if p in runs):
        kernels, dependencies = runs[process]
        cores = sorted({e["tid"] for e in kernels})
        lane = {core: y + i * LANE for i, core in enumerate(cores)}
        last = max(e["ts"] + e["dur"] for e in kernels)
        parts.append(
            '<text x="4" y="%d">%s</text><text x="4" y="%d">%.1f us</text>'
            % (y + 16, process, y + 32, last)
        )
        for core in cores:
            parts.append(
                '<text x="%d" y="%d">core %d</text>'
                '<rect x="%d" y="%d" width="%.1f" height="%d" fill="#f4f4f4"/>'
                % (LEFT - 44, lane[core] + 21, core, LEFT, lane[core] + 3,
                   end * scale, LANE - 6)
            )
        for e in sorted(kernels, key=lambda e: (e["tid"], e["ts"])):
            x, width = LEFT + e["ts"] * scale, e["dur"] * scale
            parts.append(
                '<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" '
                'stroke="#444" stroke-width="0.6"><title>%s, %.2f us</title></rect>'
                % (x, lane[e["tid"]] + 3, width, LANE - 6,
                   COLOURS[layers.index(layer_of(e)) % len(COLOURS)],
                   escape(e["name"]), e["dur"])
            )
            if width > 6.2 * len(e["name"]):
                parts.append(
                    '<text x="%.1f" y="%d">%s</text>'
                    % (x + 3, lane[e["tid"]] + 16, escape(e["name"]))
                )
                parts.append(
                    '<text x="%.1f" y="%d">%.1f</text>'
                    % (x + 3, lane[e["tid"]] + 30, e["dur"])
                )
        for tail, head in dependencies:
            if tail["tid"] == head["tid"]:
                continue
            arrows.append(
                '<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#c00" '
                'stroke-width="1" marker-end="url(#head)"/>'
                % (LEFT + tail["ts"] * scale, lane[tail["tid"]] + LANE // 2,
                   LEFT + head["ts"] * scale, lane[head["tid"]] + LANE // 2)
            )
        y += len(cores) * LANE + GAP
    step = step_of(end)
    axis = []
    for i in range(int(end / step) + 1):
        x = LEFT + i * step * scale
        axis.append(
            '<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#bbb"/>'
            '<text x="%.1f" y="%d">%d</text>' % (x, TOP, x, y - GAP + 4, x, y, i * step)
        )
    axis.append('<text x="4" y="%d">us</text>' % y)
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
            'font-family="sans-serif" font-size="11">' % (WIDTH, y + 8),
            '<defs><marker id="head" viewBox="0 0 6 6" refX="6" refY="3" '
            'markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L6 3L0 6z" fill="#c00"/></marker></defs>',
            '<rect width="100%" height="100%" fill="white"/>',
        ]
        + axis
        + parts
        + arrows
        + ["</svg>\n"]
    )


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(read(sys.argv[1])))


if __name__ == "__main__":
    main()
