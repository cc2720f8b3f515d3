#!/bin/sh
# usage: bench/onnx-networks.sh BUILD FOLDER MODELS [NAME...]
#
# Puts what bench/onnx-networks.js compares with into FOLDER
# (bench/fetch-networks.sh) and runs the comparison.
set -eu
build=$1
folder=$2
models=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
"$here/fetch-networks.sh" "$folder" "$models"
exec node "$here/onnx-networks.js" "$build" "$folder" "$@"
