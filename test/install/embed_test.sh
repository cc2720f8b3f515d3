#!/bin/sh
# usage: embed_test.sh BUILD SOURCE
#
# Installs pgopt, moves the installed tree, builds the examples against it out
# of tree and runs them; the tools must work from the moved tree as well.
set -eu
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {
  "$@" >"$work/log" 2>&1 || {
    echo "failed: $*" >&2
    cat "$work/log" >&2
    exit 1
  }
}
expect() { # NAME PATTERN FILE
  grep -q -- "$2" "$3" || {
    echo "$1: expected '$2' in:" >&2
    cat "$3" >&2
    exit 1
  }
}

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/moved"
network=$source/examples/network.mlir

for example in embed-c embed-cpp; do
  quietly cmake -S "$source/examples/$example" -B "$work/$example" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved"
  quietly cmake --build "$work/$example"
  "$work/$example/$example" "$network" >"$work/out" 2>"$work/err" || {
    echo "$example failed" >&2
    cat "$work/err" >&2
    exit 1
  }
  expect "$example" 'linalg.matmul {.*pg.lflops = 210 : i64' "$work/out"
done

# The moved tools find their libraries, and the plugin loads from there.
"$work/moved/bin/pgopt-opt" --profile="mode=static report=none" "$network" >"$work/out"
expect pgopt-opt 'pg.lflops = 210 : i64' "$work/out"
# Its trial run needs the runner, which lies beside it in the moved tree.
unset PGOPT_RUNNER
mlir-opt-22 --load-pass-plugin="$work/moved/lib/libpgopt.so" \
  --pass-pipeline='builtin.module(profile{budget=50ms report=none})' \
  "$network" >"$work/out"
expect plugin 'pg.timing = {.*source = "in-place"}' "$work/out"
for file in "$work"/moved/bin/* "$work"/moved/lib/*.so; do
  if ldd "$file" | grep -F -e "$build" -e 'not found'; then
    echo "$file depends on the build folder" >&2
    exit 1
  fi
done
