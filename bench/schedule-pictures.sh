#!/bin/sh
# usage: bench/schedule-pictures.sh [--measure] [BUILD]
#
# Makes docs/pictures: how one inception block is scheduled on two cores
# (docs/scheduling.md). Its kernels' times are those of the checked-in store;
# --measure measures them and the timeline anew first, alone on the machine.
# Prints the table of policies, the schedule's lists and its simulation. Needs
# Graphviz.
set -eu
cd "$(dirname "$0")/.."
measure=
[ "${1:-}" != --measure ] || {
  measure=1
  shift
}
bin=${1:-build}/bin
block=test/lit/Inputs/inception_block.mlir
store=test/lit/Inputs/inception_store.json
pictures=docs/pictures
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

opt() { # A pass and more options, on the block's kernels with the store's times
  "$bin/pgopt-opt" "$block" --form-kernels="store=$store any-machine=true" \
    "$@" 2>>"$folder/remarks"
}

if [ -n "$measure" ]; then
  echo '{"format": "pgopt-store", "version": 2, "profiles": []}' >"$store"
  "$bin/pgopt-runner" --measure-machine --store="$store" >/dev/null
  # Whole kernels, then ranges of those that are worth cutting, until no layer
  # is cut otherwise for what its ranges take.
  options="store=$store report=none budget=2s"
  "$bin/pgopt-opt" "$block" --profile="$options" -o /dev/null
  for round in 1 2 3; do
    opt "--profile=$options" -o "$folder/round$round.mlir"
  done
fi

opt "--schedule-report=count=2 report-output=$folder/policies" \
  -o "$folder/calls.mlir"
cat "$folder/policies"
opt --schedule-list=count=2 -o "$folder/cores.mlir"
"$bin/pgopt-runner" "$folder/cores.mlir" --simulate
sed -n -E -e 's/^ *func.func private @(inception_core[0-9]*).*/\1/p' \
  -e 's/^ *call @pgopt_rt_(signal|wait)\(%c([0-9]*)_i64(, %c([0-9]*)_i64)?\).*/  \1 \2 \4/p' \
  -e 's/^ *call @.*pg.layer = "([^"]*)".*pg.part = ([0-9]*).*/  \1 part \2/p' \
  "$folder/cores.mlir"

if [ -n "$measure" ]; then
  # One run takes as long as it happens to: of 21, the one in the middle.
  for run in $(seq 21); do
    "$bin/pgopt-runner" "$folder/cores.mlir" --trace="$folder/$run.json" \
      >/dev/null
  done
  python3 - "$folder" "$pictures/timeline.json" <<'END'
import json, sys
def length(path):
    slices = [e for e in json.load(open(path))["traceEvents"]
              if e["ph"] == "X" and e["pid"] == 1 and e["args"]["slot"] >= 0]
    return max(e["ts"] + e["dur"] for e in slices) - min(e["ts"] for e in slices)
runs = sorted((length(p), p) for p in
              ("%s/%d.json" % (sys.argv[1], i) for i in range(1, 22)))
print("21 runs: %.1f to %.1f us, median %.1f us" %
      (runs[0][0], runs[-1][0], runs[10][0]))
trace = json.load(open(runs[10][1]))
del trace["otherData"]  # the program's path
open(sys.argv[2], "w").write(json.dumps(trace, separators=(",", ":")) + "\n")
END
  "$bin/pgopt-runner" "$folder/cores.mlir" --compare="$folder/calls.mlir" --bench
fi
"$bin/pgopt-opt" "$folder/cores.mlir" -o /dev/null \
  --profile-graph="output=$folder/graph.dot"
dot -Tsvg "$folder/graph.dot" -o "$pictures/graph.svg"
bench/draw-timeline.py "$pictures/timeline.json" "$pictures/timeline.svg"
