// Compares imported ONNX networks with onnxruntime-node: error of every output
// on the same random inputs (what goes into a last Softmax or Sigmoid, which
// random inputs saturate, is an output as well), and the contraction total that
// pgopt counts. Where both differ by more than 1e-5, all floats of the model are
// made double, which tells who is nearer to the truth. Then puts the profile of
// some networks into their models and checks that onnxruntime gives the same
// bytes.
//
// usage: node bench/onnx-networks.js BUILD FOLDER [NAME...]
//   BUILD   build folder with bin/pgopt-*
//   FOLDER  where bench/onnx-networks.sh has put packages and models; results
//           and files in between go to FOLDER/work
//
// Prints Markdown tables, one line a network; exits 1 when an error is above
// 1e-4 (unless pgopt is within it of the double model and nearer than
// onnxruntime), a total differs, or a profiled model is not as good as its own.
'use strict';
const fs = require('fs');
const path = require('path');
const {toDouble, showLogits} = require('./onnx-rewrite.js');

const {folder, work, names, networks, modelOf, run, gflopOf, importModel,
       runModule, runOnnxruntime, worst, types, bindings, forEach} =
    require('./onnx-common.js')(__filename);

// Outputs of the model with all floats made double.
function runDouble(network, model, inputs, outputCount) {
  const stem = path.join(work, `${network.name}_double`);
  fs.writeFileSync(`${stem}.onnx`, toDouble(fs.readFileSync(model)));
  const arguments_ = importModel(network, `${stem}.onnx`, `${stem}.mlir`);
  const wide = inputs.map(
      ({data, shape}, i) => ({
        type: arguments_[i].type, shape,
        data: types[arguments_[i].type][2].from(data)}));
  return runModule(network, stem, `${stem}.mlir`, wide, outputCount);
}

async function compare(network) {
  const stem = path.join(work, network.name), module = `${stem}.mlir`;
  const model = `${stem}.onnx`;
  fs.writeFileSync(
      model, showLogits(fs.readFileSync(modelOf(network))));
  const arguments_ = importModel(network, model, module);
  const {inputs, outputs} = await runOnnxruntime(network, model, arguments_);
  const made = runModule(network, stem, module, inputs, outputs.length);
  const result = {...worst(made, outputs), gflop: gflopOf(module)};
  if (result.error > 1e-5) {
    const truth = runDouble(network, model, inputs, outputs.length);
    result.ours = worst(made, truth).error;
    result.theirs = worst(outputs, truth).error;
  }
  return result;
}

// One command from the model to a schedule, whose numbers go into the model.
async function profile(network) {
  const stem = path.join(work, `${network.name}_profiled`);
  const model = modelOf(network);
  const arguments_ = importModel(network, model, `${stem}.plain.mlir`);
  run('pgopt-opt', '--profile=budget=1s report=none store=none',
      '--schedule-rr', '--mlir-print-debuginfo', ...bindings(network), model,
      '-o', `${stem}.mlir`);
  run('pgopt-translate', '--export-onnx', `${stem}.mlir`, '--onnx', model, '-o',
      `${stem}.onnx`);
  const before = await runOnnxruntime(network, model, arguments_);
  const after = await runOnnxruntime(network, `${stem}.onnx`, arguments_);
  const bytes = data => Buffer.from(data.buffer, data.byteOffset,
                                    data.byteLength);
  const same = before.outputs.every(
      (data, i) => bytes(data).equals(bytes(after.outputs[i])));
  const text = fs.readFileSync(`${stem}.onnx`, 'latin1');
  const count = key => text.split(`pgopt.${key}`).length - 1;
  return {same, timed: count('timing_ns'), placed: count('slot')};
}

const short = number => number === undefined ? '' : number.toExponential(1);

async function main() {
  console.log(
      '| network | error | max difference | pgopt / double | ' +
      'onnxruntime / double | GFLOP | elsewhere |\n|---|---|---|---|---|---|---|');
  let differs = false;
  const failed = await forEach(networks, async network => {
    const r = await compare(network);
    const expected = network.gflop + (network.counted || 0);
    const near = r.error <= 1e-4 || (r.ours <= 1e-4 && r.ours < r.theirs);
    const fine = near && (!network.gflop ||
                          Math.abs(r.gflop / expected - 1) < 0.02);
    differs |= !fine;
    console.log(
        `| ${network.name} | ${short(r.error)} | ${short(r.distance)} | ` +
        `${short(r.ours)} | ${short(r.theirs)} | ${r.gflop.toPrecision(4)} | ` +
        `${network.gflop ? network.gflop.toPrecision(4) : ''}` +
        `${network.counted ? ` (${network.counted.toPrecision(3)})` : ''} |` +
        `${fine ? '' : ' DIFFERS'}`);
  });
  const profiled = networks.filter(
      n => ['squeezenet', 'ppocr_det_320'].includes(n.name) &&
           (!names.length || names.includes(n.name)));
  if (profiled.length)
    console.log('\n| profiled model | nodes with a time | with a slot | ' +
                'outputs of onnxruntime |\n|---|---|---|---|');
  const profileFailed = await forEach(profiled, async network => {
    const {same, timed, placed} = await profile(network);
    differs |= !same || !timed || !placed;
    console.log(`| ${network.name} | ${timed} | ${placed} | ` +
                `${same ? 'the same bytes' : 'DIFFER'} |`);
  });
  process.exit(failed || profileFailed || differs ? 1 : 0);
}

main();
