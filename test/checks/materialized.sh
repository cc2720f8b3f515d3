#!/bin/sh
# usage: materialized.sh BIN NETWORK.mlir ...
#
# Gives every elided constant of a network data of its own, schedules the network
# on two cores, and compares it with the naive lowering of what was written.
set -eu
bin=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for network; do
  "$bin/pgopt-runner" "$network" --materialize-elided -o "$work/whole.mlir"
  if grep -q __elided__ "$work/whole.mlir"; then
    echo "$network: a constant is still elided"
    exit 1
  fi
  "$bin/pgopt-opt" --schedule-rr=count=2 "$work/whole.mlir" \
    -o "$work/scheduled.mlir" 2>"$work/log"
  "$bin/pgopt-runner" "$work/scheduled.mlir" --compare="$work/whole.mlir" \
    --no-cache 2>>"$work/log" || {
    cat "$work/log"
    exit 1
  }
done
