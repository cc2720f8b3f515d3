// ONNX models rewritten, message by message of the wire format:
//
//   toDouble(bytes)      all float tensors are double: what is rounding and what
//                        is meaning shows when both models are run
//   showLogits(bytes)    what goes into a last Softmax or Sigmoid is an output as
//                        well: random networks saturate them
'use strict';

const FLOAT = 1n, DOUBLE = 11n;

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n;; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

function varint(value) {
  const bytes = [];
  for (value = BigInt.asUintN(64, value);; value >>= 7n) {
    bytes.push(Number(value & 127n) | (value > 127n ? 128 : 0));
    if (value <= 127n) return Buffer.from(bytes);
  }
}

// Fields as {number, wire, value}: a BigInt for wire type 0, else bytes.
function readFields(bytes) {
  const fields = [];
  for (let at = 0; at < bytes.length;) {
    let key, value;
    [key, at] = readVarint(bytes, at);
    const wire = Number(key & 7n);
    if (wire === 0) {
      [value, at] = readVarint(bytes, at);
    } else {
      let size = BigInt(wire === 1 ? 8 : 4);
      if (wire === 2) [size, at] = readVarint(bytes, at);
      value = bytes.subarray(at, at + Number(size));
      at += Number(size);
    }
    fields.push({number: Number(key >> 3n), wire, value});
  }
  return fields;
}

function writeFields(fields) {
  const parts = [];
  for (const {number, wire, value} of fields) {
    parts.push(varint(BigInt(number) << 3n | BigInt(wire)));
    if (wire === 2) parts.push(varint(BigInt(value.length)));
    parts.push(wire === 0 ? varint(value) : value);
  }
  return Buffer.concat(parts);
}

// The message with the fields of `inner` (number -> function) rewritten.
function rewrite(bytes, inner) {
  return writeFields(readFields(bytes).map(
      f => inner[f.number] ? {...f, value: inner[f.number](f.value)} : f));
}

const widerType = type => type === FLOAT ? DOUBLE : type;

function widen(bytes) {
  const copy = Buffer.from(bytes); // at an address that fits
  const floats = new Float32Array(
      copy.buffer.slice(copy.byteOffset, copy.byteOffset + copy.length));
  return Buffer.from(Float64Array.from(floats).buffer);
}

// data_type 2, float_data 4, raw_data 9, double_data 10.
function tensor(bytes) {
  const fields = readFields(bytes);
  if (!fields.some(f => f.number === 2 && f.value === FLOAT)) return bytes;
  const typed = fields.filter(f => f.number === 4).map(f => f.value);
  const made = fields.filter(f => f.number !== 4).map(f => {
    if (f.number === 2) return {...f, value: DOUBLE};
    return f.number === 9 ? {...f, value: widen(f.value)} : f;
  });
  if (typed.length)
    made.push({number: 10, wire: 2, value: widen(Buffer.concat(typed))});
  return writeFields(made);
}

// name 1, i 3, t 5, g 6.
function attribute(bytes, isCast) {
  const inner = {5: tensor, 6: graph};
  if (isCast) inner[3] = widerType;
  return rewrite(bytes, inner);
}

// op_type 4, attribute 5.
function node(bytes) {
  const isCast = readFields(bytes).some(
      f => f.number === 4 && f.value.toString() === 'Cast');
  return rewrite(bytes, {5: value => attribute(value, isCast)});
}

const tensorType = bytes => rewrite(bytes, {1: widerType});
const type = bytes => rewrite(bytes, {1: tensorType});
const valueInfo = bytes => rewrite(bytes, {2: type});

// node 1, initializer 5, input 11, output 12, value_info 13.
function graph(bytes) {
  return rewrite(
      bytes, {1: node, 5: tensor, 11: valueInfo, 12: valueInfo, 13: valueInfo});
}

const toDouble = bytes => rewrite(bytes, {7: graph});

// name 1 of outputs; input 1, output 2, op_type 4 of nodes.
function withLogits(bytes) {
  const fields = readFields(bytes);
  const texts = (message, number) => readFields(message)
      .filter(f => f.number === number).map(f => f.value.toString());
  const outputs = fields.filter(f => f.number === 12)
      .map(f => texts(f.value, 1)[0]);
  const added = [];
  for (const {value} of fields.filter(f => f.number === 1)) {
    const isLast = texts(value, 2).some(name => outputs.includes(name)) &&
        ['Softmax', 'Sigmoid'].includes(texts(value, 4)[0]);
    const logits = texts(value, 1)[0];
    if (isLast && !outputs.includes(logits))
      added.push({number: 12, wire: 2, value: writeFields(
          [{number: 1, wire: 2, value: Buffer.from(logits)}])});
  }
  return writeFields(fields.concat(added));
}

const showLogits = bytes => rewrite(bytes, {7: withLogits});

module.exports = {toDouble, showLogits};
