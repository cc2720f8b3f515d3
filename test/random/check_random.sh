#!/bin/sh
# usage: check_random.sh BIN FIRST_SEED GRAPHS [PER_FILE] [PIPELINE]
#
# PIPELINE is quoted as for a shell. Compares GRAPHS random graphs (PER_FILE in one program, default 8) after the
# passes of PIPELINE (default --transpose-elim) with the naive lowering of the
# original; --transpose-elim must not add layout changes. Prints the seeds of
# every program that fails; exits 1 if any did.
set -u
here=$(dirname "$0")
bin=$1 first=$2 graphs=$3 per=${4:-8} pipeline=${5:---transpose-elim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The original is compiled once, whatever it is compared with.
export PGOPT_CACHE="${PGOPT_CACHE:-$work/objects}"
eval "set -- $pipeline"
failed=0
seed=$first
last=$((first + graphs))
while [ "$seed" -lt "$last" ]; do
  count=$((last - seed < per ? last - seed : per))
  python3 "$here/random_graph.py" "$seed" "$count" >"$work/in.mlir" || exit 2
  # The same passes a second time must find nothing left to do, unless prices
  # are drawn.
  if ! "$bin/pgopt-opt" "$work/in.mlir" "$@" -o "$work/out.mlir" \
    --mlir-pass-statistics >"$work/statistics" 2>&1 ||
    ! "$bin/pgopt-opt" "$work/out.mlir" "$@" -o "$work/twice.mlir" \
      2>"$work/log" ||
    ! "$bin/pgopt-runner" "$work/out.mlir" --naive --seed="$seed" \
      --compare="$work/in.mlir" >"$work/log" 2>&1; then
    echo "seeds $seed to $((seed + count - 1)) fail:"
    tail -n 3 "$work/log"
    failed=1
  elif [ "${pipeline#*--layout-search}" = "$pipeline" ] &&
    grep -q changes-before "$work/statistics" && ! awk '
      / changes-before / { n = $2 } / bytes-before / { b = $2 }
      / changes-left / { bad += $2 > n } / bytes-left / { bad += $2 > b }
      END { exit bad }' "$work/statistics"; then
    echo "seeds $seed to $((seed + count - 1)): more layout changes than before"
    failed=1
  elif [ "${pipeline#*prices=random}" = "$pipeline" ] &&
    ! cmp -s "$work/out.mlir" "$work/twice.mlir"; then
    echo "seeds $seed to $((seed + count - 1)): a second run changes more"
    failed=1
  fi
  seed=$((seed + count))
done
[ "$failed" = 0 ] && echo "$graphs graphs from seed $first agree"
exit "$failed"
