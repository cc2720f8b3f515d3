// What searching layouts and schedules gains on ONNX networks, and how that
// compares with onnxruntime-node: on one thread the network as it is given, with
// all images in nhwc and in nchw, and as --layout-search finds it; on two cores
// what --pgopt-optimize schedules, beside the sequential program.
//
// usage: node bench/gains.js BUILD FOLDER [NAME...]
//   BUILD, FOLDER  as for bench/network-times.js
//   PARTS in the environment, separated by commas (all):
//     search    searches layouts
//     compile   makes the forms and fills the cache of objects: no times
//     schedule  finds the schedule for two cores
//     one, two  times on one CPU and on all
//     error     compares outputs with onnxruntime's: no times
//     table     prints the tables, of all networks that were ever measured
//   BUDGET: of the search, and of each stage of the schedule that measures (10s)
//   CPU: the one for one thread (the last); ROUNDS: bursts of each (7); SECONDS:
//   how long each takes (0.3)
//
// What is found is kept in FOLDER/work/gains.jsonl, one line a network, and what
// was measured in FOLDER/work/NAME.store: so this may run in pieces. All forms take
// their variants from that store. Forms run in turn in one process: their ratio is
// the median of the paired runs, with the range of the middle four fifths. Bursts
// alternate with onnxruntime's: the median of neighbouring ones, with the least
// and the greatest. What a signal takes between cores is measured before and
// after: such a pair is near when that never was more than 80 ns, far when it
// always was, else mixed.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');
const common = require('./onnx-common.js')(__filename);
const {median, ratiosOf, spread} = common;
const parts = (process.env.PARTS || 'search,compile,schedule,one,two,error,table').split(',');
const rounds = Number(process.env.ROUNDS || 7);
const seconds = Number(process.env.SECONDS || 0.3);
const cpu = process.env.CPU || os.cpus().length - 1;
const nearNs = 80, fewest = 5;
const notes = path.join(common.work, 'gains.jsonl');

const list = [
  'resnet50', 'vgg19', 'squeezenet', 'shufflenet', 'densenet121', 'inception_v1',
  'inception_v2', 'bvlc_alexnet', 'zfnet512', 'mobilenet_v2', 'minilm_l6',
  'bert_base_l2', 'ppocr_det_320', 'ppocr_rec', 'ppocr_cls', 'blazeface_front',
  'blazeface_back', 'speech_embedding'];
const networks = common.networks.filter(n => list.includes(n.name));

const budget = `budget=${process.env.BUDGET || '10s'}`;

// How --pgopt-optimize makes each form of the imported network. What the search has
// found comes out of the store.
const forms = {
  found: 'mode=static count=1',
  given: 'mode=static count=1 strategy=none',
  nhwc: 'mode=static count=1 strategy=fixed layout=nhwc',
  nchw: 'mode=static count=1 strategy=fixed layout=nchw',
  auto: `mode=measure ${budget}`,
};

const stemOf = network => path.join(common.work, network.name);
const moduleOf = (network, form) =>
    `${stemOf(network)}${form ? `.${form}` : ''}.mlir`;
const storeOf = network => `store=${stemOf(network)}.store`;

function readNotes() {
  const all = new Map();
  if (fs.existsSync(notes))
    for (const line of fs.readFileSync(notes, 'utf8').split('\n').filter(Boolean)) {
      const record = JSON.parse(line);
      all.set(record.name, record);
    }
  return all;
}

// Adds to what is known of a network.
function note(network, facts) {
  const all = readNotes();
  all.set(network.name, {name: network.name, ...all.get(network.name), ...facts});
  fs.writeFileSync(notes, [...all.values()].map(r => JSON.stringify(r) + '\n').join(''));
}

// Lets this process and its children run on these CPUs.
const pin = cpus => execFileSync(
    'taskset', ['-a', '-c', '-p', String(cpus), String(process.pid)]);

const stages = (network, options) =>
    `--pgopt-optimize=${options} report=none ${storeOf(network)}`;

function makeForm(network, form) {
  return common.run('pgopt-opt', stages(network, forms[form]), moduleOf(network, ''),
                    '-o', moduleOf(network, form)).stderr;
}

const remark = (text, pattern) => (pattern.exec(text) || ['', ''])[1];

function search(network) {
  const start = Date.now();
  common.importModel(network, common.modelOf(network), moduleOf(network, ''));
  const imported = Date.now();
  const {stderr} = common.run(
      'pgopt-opt', '--transpose-elim', '--einsum-raise',
      `--layout-search=${budget} ${storeOf(network)}`, moduleOf(network, ''),
      '-o', '/dev/null');
  note(network, {import_s: (imported - start) / 1e3,
                 search_s: (Date.now() - imported) / 1e3,
                 kept: remark(stderr, /(kept is the network as .*)/)});
}

function compile(network) {
  for (const form of ['found', 'given', 'nhwc', 'nchw']) {
    makeForm(network, form);
    common.run('pgopt-runner', moduleOf(network, form),
               `--parameters=${stemOf(network)}.safetensors`);
  }
}

function schedule(network) {
  const start = Date.now(), text = makeForm(network, 'auto');
  note(network, {
    schedule_s: (Date.now() - start) / 1e3,
    schedule: remark(text, /: (sequential\b.*|[a-z-]+ on \d+ cores, .*)/)});
}

// A session of onnxruntime, and what the runner gets to read.
async function open(network, threads) {
  const opened = await common.openOnnxruntime(
      network, common.modelOf(network),
      common.argumentsOf(moduleOf(network, '')), threads);
  const args = common.inputArguments(
      stemOf(network), moduleOf(network, ''), opened.inputs);
  return {...opened, args};
}

async function compareOutputs(network) {
  const {inputs, outputs} = await common.runOnnxruntime(
      network, common.modelOf(network),
      common.argumentsOf(moduleOf(network, '')));
  const errors = ['found', 'auto'].map(form => common.worst(
      common.runModule(network, stemOf(network), moduleOf(network, form), inputs,
                       outputs.length), outputs).error);
  errors.push(await common.logitsError(network, imported => {
    const module = imported.replace(/mlir$/, 'found.mlir');
    common.run('pgopt-opt', stages(network, 'mode=static count=1'), imported, '-o',
               module);
    return module;
  }));
  note(network, {error: Math.max(...errors)});
}

// Two programs in turn in one process: medians in ms, the paired ratios, and what
// a signal took before and after.
function runPair(first, second, args) {
  const {stdout} = common.run('pgopt-runner', `--trial=${first}`, `--compare=${second}`,
                              ...args, `--budget-ms=${Math.round(seconds * 2000)}`);
  const made = JSON.parse(stdout);
  if (made.failure) throw new Error(made.failure);
  return {first: median(made.first_ns) / 1e6, second: median(made.second_ns) / 1e6,
          ratios: ratiosOf(made.second_ns, made.first_ns),
          signals: [...made.latency_before_ns, ...made.latency_after_ns]};
}

async function timeOne(network) {
  pin(cpu);
  const {session, feeds, args} = await open(network, 1);
  const found = moduleOf(network, 'found');
  const times = {found: [], onnxruntime: []}, ratios = {};
  for (const form of ['given', 'nhwc', 'nchw'])
    ratios[form] = runPair(found, moduleOf(network, form), args).ratios;
  for (let round = 0; round < rounds; ++round) {
    times.found.push(common.runnerBurst(found, args, seconds));
    times.onnxruntime.push(await common.burst(session, feeds, seconds));
  }
  await session.release();
  ratios.onnxruntime = ratiosOf(times.onnxruntime, times.found);
  note(network, {one: {found: median(times.found), ratios}});
}

// A burst of a program, and what a signal took then.
function burstAndSignal(module, args) {
  const store = path.join(common.work, 'signal.store');
  fs.rmSync(store, {force: true});
  const ms = common.runnerBurst(module, [...args, `--store=${store}`], seconds);
  const {stdout} = common.run('pgopt-runner', `--show-store=${store}`);
  const signal = /"latency_min_ns": ([0-9.]+), "latency_max_ns": ([0-9.]+)/.exec(stdout);
  return {ms, signals: signal.slice(1).map(Number)};
}

const kindOf = signals => Math.max(...signals) <= nearNs ? 'near' :
    Math.min(...signals) > nearNs                        ? 'far' : 'mixed';

async function timeTwo(network) {
  pin(`0-${os.cpus().length - 1}`);
  const {session, feeds, args} = await open(network, 2);
  const auto = moduleOf(network, 'auto');
  const {ratios, signals} = runPair(auto, moduleOf(network, 'found'), args);
  const pairs = [];
  let before = burstAndSignal(auto, args);
  for (let round = 0; round < rounds; ++round) {
    const onnxruntime = await common.burst(session, feeds, seconds);
    const after = burstAndSignal(auto, args);
    const seen = [...before.signals, ...after.signals];
    pairs.push({ratio: 2 * onnxruntime / (before.ms + after.ms), auto: before.ms,
                onnxruntime, signals: seen, kind: kindOf(seen)});
    before = after;
  }
  await session.release();
  note(network, {two: {sequential: {ratios, signals, kind: kindOf(signals)}, pairs}});
}

// Without the least and the greatest tenth.
function middle(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const tenth = Math.floor(sorted.length / 10);
  return sorted.slice(tenth, sorted.length - tenth);
}

function meanOf(ratios) {
  return ratios.length >= fewest ?
      `${common.geometricMean(ratios).toFixed(2)} of ${ratios.length} networks` :
      'not observed';
}

function printOne(records) {
  const others = ['given', 'nhwc', 'nchw', 'onnxruntime'];
  console.log(
      `\n| network | found ms | ${others.map(o => `${o} / found`).join(' | ')} | ` +
      'error | search s |\n|---|---|---|---|---|---|---|---|');
  for (const {name, one, error, search_s} of records)
    console.log(
        `| ${name} | ${one.found.toPrecision(4)} | ` +
        `${others.map(o => spread(middle(one.ratios[o]))).join(' | ')} | ` +
        `${error === undefined ? '' : error.toExponential(1)} | ${search_s.toFixed(1)} |`);
  console.log('\nGeometric means: ' + others.map(
      o => `${o} ${meanOf(records.map(r => median(r.one.ratios[o])))}`).join(', '));
}

function printTwo(records) {
  const kinds = ['near', 'far', 'mixed'], medians = {near: [], far: [], mixed: []};
  console.log(
      '\n| network | schedule | auto ms | sequential / auto | ' +
      kinds.map(k => `onnxruntime / auto, ${k}`).join(' | ') +
      ' | pairs | signal ns |\n|---|---|---|---|---|---|---|---|---|');
  for (const {name, schedule, two} of records) {
    const of = k => two.pairs.filter(p => p.kind === k).map(p => p.ratio);
    for (const k of kinds) if (of(k).length) medians[k].push(median(of(k)));
    const signals = [...two.sequential.signals, ...two.pairs.flatMap(p => p.signals)];
    console.log(
        `| ${name} | ${schedule.split(/[ ,]/)[0]} | ` +
        `${median(two.pairs.map(p => p.auto)).toPrecision(4)} | ` +
        `${spread(middle(two.sequential.ratios))}, ${two.sequential.kind} | ` +
        `${kinds.map(k => spread(of(k))).join(' | ')} | ` +
        `${kinds.map(k => of(k).length).join(', ')} | ` +
        `${Math.min(...signals).toFixed(0)} to ${Math.max(...signals).toFixed(0)} |`);
  }
  console.log('\nGeometric means of onnxruntime / auto: ' +
              kinds.map(k => `${k} ${meanOf(medians[k])}`).join(', '));
}

async function main() {
  const jobs = {search, compile, schedule, one: timeOne, two: timeTwo,
                error: compareOutputs};
  let failed = false;
  for (const [part, job] of Object.entries(jobs))
    if (parts.includes(part))
      failed = await common.forEach(networks, job) || failed;
  if (parts.includes('table')) {
    const all = readNotes();
    const records = list.map(name => all.get(name)).filter(Boolean);
    console.log(`${os.cpus()[0].model}, ${os.cpus().length} CPUs, ` +
                new Date().toISOString().slice(0, 10));
    printOne(records.filter(r => r.one));
    printTwo(records.filter(r => r.two));
  }
  process.exit(failed ? 1 : 0);
}

main();
