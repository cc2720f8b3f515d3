#!/bin/sh
# usage: check_chunks.sh BIN FILE.mlir PIPELINE
#
# PIPELINE is quoted as for a shell. Runs every network of FILE.mlir (split at "// -----") after the passes of
# PIPELINE, with naive and with real kernels, and compares with the naive
# lowering of the original. Networks with dynamic extents are left out: inputs
# need a size.
set -u
bin=$1 file=$2 pipeline=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The original is compiled once, whatever it is compared with.
export PGOPT_CACHE="${PGOPT_CACHE:-$work/objects}"
awk -v dir="$work" '/^\/\/ -----/ { ++n; next } { print > sprintf("%s/%03d.mlir", dir, n) }' "$file"
eval "set -- $pipeline"
failed=0 count=0
for network in "$work"/*.mlir; do
  grep -q '?x' "$network" && continue
  name=$(sed -n 's/^func.func @\([a-z_0-9]*\).*/\1/p' "$network" | head -n 1)
  if ! "$bin/pgopt-opt" "$network" "$@" -o "$work/out" 2>"$work/log"; then
    echo "$name: $pipeline fails"
    cat "$work/log"
    failed=1
    continue
  fi
  for kernels in --naive ''; do
    # shellcheck disable=SC2086
    if ! "$bin/pgopt-runner" "$work/out" $kernels \
      --compare="$network" >"$work/log" 2>&1; then
      echo "$name ($kernels): other numbers after $pipeline"
      tail -n 3 "$work/log"
      failed=1
    fi
  done
  count=$((count + 1))
done
[ "$count" -gt 0 ] || failed=1
[ "$failed" = 0 ] && echo "$count networks agree"
exit "$failed"
