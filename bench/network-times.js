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
const path = require('path');
const common = require('./onnx-common.js')(__filename);
const {median, ratiosOf} = common;
const pipeline = (process.env.PIPELINE || '--layout-search=strategy=fixed').split(' ');
const rounds = Number(process.env.ROUNDS || 7);
const seconds = Number(process.env.SECONDS || 0.4);

// Runs the passes on an imported model; returns the module that they make.
function compile(imported) {
  const module = imported.replace(/mlir$/, 'nhwc.mlir');
  common.run('pgopt-opt', ...pipeline, imported, '-o', module);
  return module;
}

async function time(network) {
  const error = await common.logitsError(network, compile);
  const stem = path.join(common.work, network.name);
  const start = Date.now();
  const arguments_ =
      common.importModel(network, common.modelOf(network), `${stem}.mlir`);
  const module = compile(`${stem}.mlir`);
  const {session, feeds, inputs} = await common.openOnnxruntime(
      network, common.modelOf(network), arguments_);
  const args = common.inputArguments(stem, module, inputs);
  common.runnerBurst(module, args, seconds); /* fills the cache */
  const cold = (Date.now() - start) / 1e3;
  const ours = [], theirs = [];
  for (let round = 0; round < rounds; ++round) {
    theirs.push(await common.burst(session, feeds, seconds));
    ours.push(common.runnerBurst(module, args, seconds));
  }
  return {error, cold, ours: median(ours), theirs: median(theirs),
          ratios: ratiosOf(theirs, ours), gflop: common.gflopOf(`${stem}.mlir`)};
}

async function main() {
  const all = [];
  console.log(
      '| network | GFLOP | onnxruntime ms | pgopt ms | ratio | least to ' +
      'greatest | GFLOP/s | error | import, passes, first burst s |\n' +
      '|---|---|---|---|---|---|---|---|---|');
  const failed = await common.forEach(common.networks, async network => {
    const r = await time(network);
    all.push(median(r.ratios));
    console.log(
        `| ${network.name} | ${r.gflop.toPrecision(4)} | ` +
        `${r.theirs.toPrecision(4)} | ${r.ours.toPrecision(4)} | ` +
        `${common.spread(r.ratios, ' | ', '')} | ` +
        `${(r.gflop / r.ours * 1e3).toFixed(1)} | ` +
        `${r.error.toExponential(1)} | ${r.cold.toFixed(1)} |`);
  });
  console.log(`\nGeometric mean of ${all.length} ratios: ` +
              common.geometricMean(all).toFixed(2));
  process.exit(failed ? 1 : 0);
}

main();
