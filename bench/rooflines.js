// Lists the kernels of ONNX networks that stay below a share of their roofline.
//
// usage: node bench/rooflines.js BUILD FOLDER [NAME...]
//   BUILD, FOLDER, NAME  as of bench/network-times.js
//   PIPELINE in the environment: pgopt's passes before the profile
//   (--layout-search=strategy=fixed); LIMIT: the share (0.3); BUDGET: of each trial run (2s)
//
// Prints Markdown: a line a network with how its time is spread over shares, a
// line a class of kernels below the limit, and with KERNELS=1 those kernels. The
// share is `of_roofline` of docs/profile-report.md; times are of this machine,
// so nothing else should run.
'use strict';
const fs = require('fs');
const path = require('path');

const common = require('./onnx-common.js')(__filename);
const pipeline = (process.env.PIPELINE || '--layout-search=strategy=fixed').split(' ');
const limit = Number(process.env.LIMIT || 0.3);
const budget = process.env.BUDGET || '2s';

// Kernels shorter than this are calls and timers more than anything else.
const shortNs = 1000;

// What a kernel is, from the words in front of its signature.
function classOf(layer) {
  if (layer.timing.median_ns < shortNs) return 'below 1 us';
  return `${(layer.signature || layer.op).split(' ')[0]}, ${layer.bound}`;
}

function profile(network) {
  const stem = path.join(common.work, `${network.name}_roofline`);
  const report = `${stem}.json`;
  common.importModel(network, common.modelOf(network), `${stem}.mlir`);
  common.run('pgopt-opt', ...pipeline,
             `--profile=store=none budget=${budget} report=json ` +
                 `report-output=${report}`,
             `${stem}.mlir`, '-o', '/dev/null');
  const made = JSON.parse(fs.readFileSync(report, 'utf8'));
  for (const end of ['.mlir', '.safetensors', '.json'])
    fs.rmSync(stem + end, {force: true});
  return made;
}

const percent = x => `${(100 * x).toFixed(1)}%`;

function add(classes, key, network, layer) {
  const c = classes.get(key) ||
      {kernels: 0, ns: 0, lost: 0, networks: new Map(), shares: []};
  const ns = layer.timing.median_ns;
  c.kernels++;
  c.ns += ns;
  c.lost += ns * (1 - layer.of_roofline);
  c.networks.set(network, (c.networks.get(network) || 0) + layer.share);
  c.shares.push(layer.of_roofline);
  classes.set(key, c);
}

function printClass([key, c]) {
  const where = [...c.networks].sort((a, b) => b[1] - a[1]).slice(0, 3)
      .map(([name, share]) => `${name} ${percent(share)}`).join(', ');
  console.log(
      `| ${key} | ${c.kernels} | ${(c.ns / 1e3).toFixed(0)} | ` +
      `${Math.min(...c.shares).toFixed(2)} to ` +
      `${Math.max(...c.shares).toFixed(2)} | ${where} |`);
}

async function main() {
  const classes = new Map(), rows = [];
  console.log(`| network | us | kernels | below ${limit} | their time | ` +
              `time at ${limit} to 0.7 | above |\n|---|---|---|---|---|---|---|`);
  const failed = await common.forEach(common.networks, async network => {
    const made = profile(network);
    const known = made.layers.filter(l => l.of_roofline != null);
    const below = known.filter(l => l.of_roofline < limit);
    const time = test => percent(known.filter(test).reduce(
                     (sum, l) => sum + l.share, 0));
    console.log(
        `| ${network.name} | ${(made.sum_of_layers_ns / 1e3).toFixed(0)} | ` +
        `${made.layers.length} | ${below.length} | ` +
        `${time(l => l.of_roofline < limit)} | ` +
        `${time(l => l.of_roofline >= limit && l.of_roofline < 0.7)} | ` +
        `${time(l => l.of_roofline >= 0.7)} |`);
    for (const layer of below) {
      add(classes, classOf(layer), network.name, layer);
      rows.push([network.name, layer]);
    }
  });
  console.log(`\n| class, bound | kernels below ${limit} | us | shares | ` +
              'most of the time in |\n|---|---|---|---|---|');
  [...classes].sort((a, b) => b[1].lost - a[1].lost).forEach(printClass);
  if (process.env.KERNELS) {
    console.log('\n| network | layer | signature | us | of the network | ' +
                'of the roofline |\n|---|---|---|---|---|---|');
    for (const [network, l] of rows)
      console.log(
          `| ${network} | ${l.layer} | ` +
          `${(l.signature || l.op).replace(/ [0-9a-f]{32}.*/, '')} | ` +
          `${(l.timing.median_ns / 1e3).toFixed(1)} | ${percent(l.share)} | ` +
          `${l.of_roofline.toFixed(2)} ${l.bound} |`);
  }
  process.exit(failed ? 1 : 0);
}

main();
