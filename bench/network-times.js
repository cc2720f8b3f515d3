// Times ONNX networks on one thread in pgopt and in onnxruntime-node, short
// bursts in turn, and compares their outputs.
//
// usage: node bench/network-times.js BUILD FOLDER [NAME...]
//   BUILD   build folder with bin/pgopt-*
//   FOLDER  where bench/fetch-networks.sh has put packages and models; files in
//           between go to FOLDER/work
//   PIPELINE in the environment: pgopt's passes (--layout-search=strategy=fixed);
//   ROUNDS: bursts of each (7); SECONDS: how long each takes (0.4)
//
// Prints a Markdown table, one line a network. Times are medians over all
// bursts of a burst's median; the ratio is the median over neighbouring bursts
// of onnxruntime's time by pgopt's, with the least and the greatest. The error
// is the worst of all outputs, max |a - b| / max(|b|, rms(b)); what goes into a
// last Softmax or Sigmoid, which random networks saturate, is one of them.
'use strict';
const fs = require('fs');
const path = require('path');
const {showLogits} = require('./onnx-rewrite.js');

const [build, folder, ...names] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node bench/network-times.js BUILD FOLDER [NAME...]');
  process.exit(2);
}
const common = require('./onnx-common.js')(build, folder);
const {median} = common;
const pipeline = (process.env.PIPELINE || '--layout-search=strategy=fixed').split(' ');
const rounds = Number(process.env.ROUNDS || 7);
const seconds = Number(process.env.SECONDS || 0.4);
const work = path.join(folder, 'work');
fs.mkdirSync(work, {recursive: true});

// Imports a model and runs the passes; returns the module and its arguments.
function compile(network, model, stem) {
  const arguments_ = common.importModel(network, model, `${stem}.mlir`);
  const module = `${stem}.nhwc.mlir`;
  common.run('pgopt-opt', ...pipeline, `${stem}.mlir`, '-o', module);
  return {arguments_, module};
}

async function errorOf(network, file) {
  const stem = path.join(work, `${network.name}_logits`);
  fs.writeFileSync(`${stem}.onnx`, showLogits(fs.readFileSync(file)));
  const {arguments_, module} = compile(network, `${stem}.onnx`, stem);
  const {inputs, outputs} =
      await common.runOnnxruntime(network, `${stem}.onnx`, arguments_);
  const made = common.runModule(network, stem, module, inputs, outputs.length);
  for (const end of ['.onnx', '.mlir', '.safetensors', '.nhwc.mlir'])
    fs.rmSync(stem + end, {force: true});
  return common.worst(made, outputs).error;
}

async function time(network) {
  const file = path.join(folder, network.file);
  const error = await errorOf(network, file);
  const stem = path.join(work, network.name);
  const start = Date.now();
  const {arguments_, module} = compile(network, file, stem);
  const {session, feeds, inputs} =
      await common.openOnnxruntime(network, file, arguments_);
  const args = common.inputArguments(stem, module, inputs);
  const compiled = common.runnerBurst(module, args, seconds); /* and fills the cache */
  const cold = (Date.now() - start) / 1e3;
  const ours = [], theirs = [];
  for (let round = 0; compiled && round < rounds; ++round) {
    theirs.push(await common.burst(session, feeds, seconds));
    ours.push(common.runnerBurst(module, args, seconds));
  }
  const ratios = theirs.map((t, i) => t / ours[i]);
  return {error, cold, ours: median(ours), theirs: median(theirs), ratios,
          gflop: common.gflopOf(`${stem}.mlir`)};
}

async function main() {
  let failed = false, logs = [];
  console.log(
      '| network | GFLOP | onnxruntime ms | pgopt ms | ratio | least to ' +
      'greatest | GFLOP/s | error | import, passes, first burst s |\n' +
      '|---|---|---|---|---|---|---|---|---|');
  for (const network of common.networks.filter(
           n => !names.length || names.includes(n.name))) {
    try {
      const r = await time(network);
      const ratio = median(r.ratios);
      logs.push(Math.log(ratio));
      console.log(
          `| ${network.name} | ${r.gflop.toPrecision(4)} | ` +
          `${r.theirs.toPrecision(4)} | ${r.ours.toPrecision(4)} | ` +
          `${ratio.toFixed(2)} | ${Math.min(...r.ratios).toFixed(2)} to ` +
          `${Math.max(...r.ratios).toFixed(2)} | ` +
          `${(r.gflop / r.ours * 1e3).toFixed(1)} | ` +
          `${r.error.toExponential(1)} | ${r.cold.toFixed(1)} |`);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  const mean = Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length);
  console.log(`\nGeometric mean of ${logs.length} ratios: ${mean.toFixed(2)}`);
  process.exit(failed ? 1 : 0);
}

main();
