#!/bin/sh
# usage: survival.sh PGOPT-OPT MLIR-OPT KNOWN NETWORK.mlir ...
#
# Takes the networks named here from the corpus too, when PGOPT_CORPUS names it.
#
# Annotates each network by a trial run, saves it as text, sends it through passes
# in a process of stock mlir-opt that knows nothing of pgopt, and compares what
# `--profile=mode=static` shows then: as many layers, each with its Timing. Passes
# over linalg get a TOSA network as stock mlir-opt lowers it, annotated anew from
# what it carries. KNOWN lists what differs, lines of
# NETWORK PASSES LAYERS | NAMES | REASON: how many layers there are afterwards, which
# of them have no Timing, and why.
set -eu
opt=$1
stock=$2
known=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
checked=0

# IN OUT: annotates from what the file carries; says how many layers it has, and
# the names of those without a Timing.
look_up() {
  "$opt" --profile="mode=static store=none report=json report-output=$work/report" \
    "$1" -o "$2" 2>"$work/log" || {
    cat "$work/log" >&2
    return 1
  }
  all=$(grep -c '^    {"layer"' "$work/report" || true)
  without=$(sed -n 's/^    {"layer": "\([^"]*\)".*"timing": null.*/ \1/p' \
    "$work/report" | tr -d '\n')
  echo "$all$without"
}

# FILE NETWORK PASSES STOCK-OPTION ...: leaves what comes out as $work/again.mlir
check() {
  file=$1
  network=$2
  passes=$3
  shift 3
  before=$(look_up "$file" "$work/same.mlir")
  "$stock" --allow-unregistered-dialect "$@" "$file" -o "$work/stock.mlir"
  found=$(look_up "$work/stock.mlir" "$work/again.mlir")
  expected=$(sed -n "s/^$network $passes \([0-9]*\) |\( *[^|]*[^ |]\)\{0,1\} *|.*/\1\2/p" \
    "$known")
  if [ "$found" != "${expected:-$before}" ]; then
    echo "$network after $passes: layers, and without Timing: $found," \
      "expected ${expected:-$before}"
    status=1
  fi
  checked=$((checked + 1))
}

for name in lenet-tosa cnn-8-transposes-tosa mlp-3x1024-linalg \
  tiny-cnn-trained-tosa bert-tiny-linalg; do
  corpus_file=${PGOPT_CORPUS:-/nowhere}/mlir/$name.mlir
  [ ! -e "$corpus_file" ] || set -- "$@" "$corpus_file"
done

for network_file; do
  name=$(basename "$network_file" .mlir)
  form=$work/annotated.mlir
  "$opt" --profile="budget=20ms report=none store=none" "$network_file" \
    -o "$form" 2>"$work/log" || {
    cat "$work/log"
    exit 1
  }
  measured=$(look_up "$form" "$work/same.mlir")
  case $measured in
  0* | *\ *)
    echo "$name: layers, and without Timing: $measured"
    exit 1
    ;;
  esac
  check "$form" "$name" canonicalize-cse --canonicalize --cse
  if grep -q 'tosa\.' "$network_file"; then
    check "$form" "$name" tosa-to-linalg --tosa-to-linalg-pipeline \
      --tosa-to-arith --tosa-to-tensor
    form=$work/lowered.mlir
    mv "$work/again.mlir" "$form"
  fi
  check "$form" "$name" generalize --linalg-generalize-named-ops
  check "$form" "$name" fuse --linalg-fuse-elementwise-ops
  check "$form" "$name" bufferize \
    --one-shot-bufferize=bufferize-function-boundaries
done
[ "$status" = 0 ] && echo "$checked times every Timing, but for what is known"
exit "$status"
