// Times ONNX networks on one thread as --layout-search finds them, as they are
// given, with all images in nhwc and in nchw, and in onnxruntime-node: short
// bursts in turn.
//
// usage: node bench/layout-gains.js BUILD FOLDER [NAME...]
//   BUILD, FOLDER  as for bench/network-times.js
//   SEARCH in the environment: options of the search (budget=30s); its store is
//   FOLDER/work/NAME.store, kept for the next time
//   ROUNDS: bursts of each (7); SECONDS: how long each takes (0.3)
//
// Prints a Markdown table, one line a network: the median time of what was
// found; then for every other form the median over neighbouring bursts of its
// time by the found one's, with the least and the greatest; the error of what
// was found against onnxruntime; how long the search took.
'use strict';
const fs = require('fs');
const path = require('path');

const [build, folder, ...names] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node bench/layout-gains.js BUILD FOLDER [NAME...]');
  process.exit(2);
}
const common = require('./onnx-common.js')(build, folder);
const {median} = common;
const rounds = Number(process.env.ROUNDS || 7);
const seconds = Number(process.env.SECONDS || 0.3);
const work = path.join(folder, 'work');
fs.mkdirSync(work, {recursive: true});

const forms = {
  given: () => 'strategy=none',
  nhwc: () => 'strategy=fixed layout=nhwc',
  nchw: () => 'strategy=fixed layout=nchw',
  found: stem => `${process.env.SEARCH || 'budget=30s'} store=${stem}.store`,
};

// The network in every form: names of modules, and how long the search took.
function compile(stem) {
  const modules = {};
  let searched = 0;
  for (const [form, options] of Object.entries(forms)) {
    const start = Date.now();
    modules[form] = `${stem}.${form}.mlir`;
    common.run('pgopt-opt', `--layout-search=${options(stem)}`,
               `${stem}.mlir`, '-o', modules[form]);
    searched = (Date.now() - start) / 1e3; // of the last form
  }
  return {modules, searched};
}

async function measure(network) {
  const file = path.join(folder, network.file);
  const stem = path.join(work, network.name);
  const arguments_ = common.importModel(network, file, `${stem}.mlir`);
  const {modules, searched} = compile(stem);
  const {session, feeds, inputs} =
      await common.openOnnxruntime(network, file, arguments_);
  const results = await session.run(feeds);
  const outputs = session.outputNames.map(n => results[n].data);
  const made =
      common.runModule(network, stem, modules.found, inputs, outputs.length);
  const args = common.inputArguments(stem, `${stem}.mlir`, inputs);
  const times = {onnxruntime: []};
  for (const form of Object.keys(forms)) {
    common.runnerBurst(modules[form], args, 0.01); /* fills the cache */
    times[form] = [];
  }
  for (let round = 0; round < rounds; ++round) {
    for (const form of Object.keys(forms))
      times[form].push(common.runnerBurst(modules[form], args, seconds));
    times.onnxruntime.push(await common.burst(session, feeds, seconds));
  }
  return {times, searched, error: common.worst(made, outputs).error};
}

function ratio(times, form) {
  const ratios = times[form].map((t, i) => t / times.found[i]);
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ` +
      `${Math.max(...ratios).toFixed(2)})`;
}

async function main() {
  let failed = false;
  console.log(
      '| network | found ms | given / found | nhwc / found | nchw / found | ' +
      'onnxruntime / found | error | search s |\n|---|---|---|---|---|---|---|---|');
  for (const network of common.networks.filter(
           n => !names.length || names.includes(n.name))) {
    try {
      const {times, searched, error} = await measure(network);
      console.log(
          `| ${network.name} | ${median(times.found).toPrecision(4)} | ` +
          ['given', 'nhwc', 'nchw', 'onnxruntime'].map(f => ratio(times, f))
              .join(' | ') +
          ` | ${error.toExponential(1)} | ${searched.toFixed(1)} |`);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  process.exit(failed ? 1 : 0);
}

main();
