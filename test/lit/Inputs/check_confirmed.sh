#!/bin/sh
# usage: check_confirmed.sh REMARKS KERNELS STORE
#
# What the remark of a confirming run says of the variants is what was done:
# either all kernels are as the model has them, or some are not, and the store
# holds the verdict. Without a remark no variant was faster.
if grep -q "they are taken" "$1"; then
  grep -q "pg.variant" "$2" || exit 1
elif grep -q "pg.variant" "$2"; then
  exit 1
fi
if grep -q "variants: the network takes" "$1"; then
  pgopt-runner --show-store="$3" | grep -q '"signature": "variants ' || exit 1
fi
