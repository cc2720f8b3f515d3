#!/bin/sh
# usage: layers_test.sh SOURCE
#
# scripts/check-layers passes on a copy of the sources and finds each kind of
# violation that is then put into it.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$source" && cp -r docs include lib dialect_c passes tools "$work")
check=$source/scripts/check-layers

"$check" "$work" >"$work/out" || {
  echo "the copy of the sources has violations:"
  cat "$work/out"
  exit 1
}

# FILE INCLUDE SENTENCE
finds() {
  printf '#include "%s"\n' "$2" >"$work/$1"
  if "$check" "$work" >"$work/out"; then
    echo "not found: $1 includes $2"
    exit 1
  fi
  grep -q "^$1:1: .*$3" "$work/out" && [ "$(wc -l <"$work/out")" = 1 ] || {
    echo "$1 includes $2: expected one line with '$3', found:"
    cat "$work/out"
    exit 1
  }
  rm "$work/$1"
}
finds lib/base/bad.c network/network.h 'lib/base may not include'
finds lib/network/bad.h mlir-c/IR.h 'lib/network may not include'
finds lib/schedule/bad.c ir/ir.h 'lib/schedule may not include'
finds lib/runtime/bad.c llvm-c/Core.h 'lib/runtime may not include'
finds lib/ir/bad.c codegen/jit.h 'lib/ir may not include'
finds lib/ir/bad.cpp mlir/IR/Builders.h 'lib/ir may not include'
finds lib/codegen/bad.c passes/passes.h 'lib/codegen may not include'
finds dialect_c/bad.c ir/ir.h 'dialect_c may not include'
finds passes/bad.c mlir/Pass/Pass.h 'passes may not include'
finds include/pgopt/bad.h base/text.h 'include may not include'
finds lib/ir/bad.c ir.h 'not written relative'
mkdir "$work/lib/other"
finds lib/other/bad.c base/text.h 'lib/other is not in the table'

# Nothing to check is not a pass.
mkdir -p "$work/empty/docs"
: >"$work/empty/docs/architecture.md"
! "$check" "$work/empty" >/dev/null 2>&1
