#!/bin/sh
# usage: exports_test.sh SOURCE
#
# scripts/check-exports finds a symbol that should not be exported, and a
# library without any of ours.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() {
  printf '%s\n' "$2" | cc -shared -fPIC -x c -o "$work/$1.so" -
}
build good 'int pgopt_one(void) { return 1; }'
build leaky 'int pgopt_one(void) { return 1; } int helper(void) { return 2; }'
build empty 'static int one(void) { return 1; } int (*const pgoptx)(void) = one;'
"$1/scripts/check-exports" "$work/good.so"
! "$1/scripts/check-exports" "$work/leaky.so" >"$work/out"
grep -q '^helper$' "$work/out"
! "$1/scripts/check-exports" "$work/empty.so" >"$work/out"
grep -q 'exports no pgopt_ symbol' "$work/out"
