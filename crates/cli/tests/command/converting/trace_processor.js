// Asks Perfetto's trace processor, in the WebAssembly of its interface: node this DIRECTORY TRACE SQL...
// Each row is a line, with tabs between its cells.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm'), crypto = require('crypto').webcrypto;
const [directory, trace, ...queries] = process.argv.slice(2);

// Protocol Buffers: numbers, and bytes with a length.
function varint(value) {
  const bytes = [];
  for (value = BigInt(value); value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return Buffer.from([...bytes, Number(value)]);
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, data) => Buffer.concat([varint(field << 3 | 2), varint(data.length), data]);
function* varints(data, at = { place: 0 }) {
  while (at.place < data.length) {
    let value = 0n;
    for (let shift = 0n, byte = 128; byte & 128; shift += 7n) {
      byte = data[at.place++];
      value |= BigInt(byte & 127) << shift;
    }
    yield BigInt.asIntN(64, value);
  }
}
function* fields(data) {
  const at = { place: 0 }, next = varints(data, at);
  while (at.place < data.length) {
    const key = Number(next.next().value), kind = key & 7;
    const size = { 0: 0, 1: 8, 2: 0, 5: 4 }[kind];
    const value = kind === 1 || kind === 5 ? size : Number(next.next().value);
    if (kind === 0) yield [key >> 3, value];
    else yield [key >> 3, data.subarray(at.place, at.place += value)];
  }
}

// What the interface's worker has around it.
const port = { postMessage: (data) => replies.push(Buffer.from(data)) };
const replies = [], self = { location: { href: 'http://localhost/' } };
const wasm = (url) => fs.readFileSync(path.join(directory, path.basename(new URL(url, self.location.href).pathname)));
class XMLHttpRequest {
  open(_method, url) { this.url = url; }
  send() { this.response = new Uint8Array(wasm(this.url)).buffer; this.status = 200; this.onload?.(); }
}
const fetch = async (url) => new Response(wasm(url), { headers: { 'Content-Type': 'application/wasm' } });
const quiet = { ...console, log() {}, error() {}, warn() {} };
vm.runInNewContext(fs.readFileSync(path.join(directory, 'engine_bundle.js'), 'utf8'), {
  self, WorkerGlobalScope: class {}, XMLHttpRequest, fetch, console: quiet, WebAssembly, URL, TextDecoder, TextEncoder,
  performance, crypto, setTimeout, Uint8Array, ArrayBuffer, TypeError, RangeError, Error,
});
self.onmessage({ data: port });

async function ask(message) {
  replies.length = 0;
  await port.onmessage({ data: new Uint8Array(bytes(1, message)) });
  return Buffer.concat(replies);
}

function rows(reply) {
  const all = [];
  for (const [, message] of fields(reply)) for (const [field, result] of fields(message)) {
    if (field !== 203) continue;
    let columns = 0;
    for (const [field, value] of fields(result)) {
      if (field === 1) columns++;
      if (field === 2 && value.length) throw new Error(value.toString());
      if (field !== 3) continue;
      const kinds = [], numbers = [], floats = [], texts = [];
      for (const [field, cells] of fields(value)) {
        if (field === 1) kinds.push(...varints(cells));
        if (field === 2) numbers.push(...varints(cells));
        if (field === 3) for (let at = 0; at < cells.length; at += 8) floats.push(cells.readDoubleLE(at));
        if (field === 5) texts.push(...cells.toString().split('\0'));
      }
      const cells = { 1: () => 'NULL', 2: () => numbers.shift(), 3: () => floats.shift(), 4: () => texts.shift() };
      const row = kinds.map((kind) => String(cells[kind]()));
      while (row.length) all.push(row.splice(0, columns || row.length));
    }
  }
  return all;
}

(async () => {
  // It is made in the background.
  await new Promise((done) => setTimeout(done, 100));
  const data = fs.readFileSync(trace);
  for (let at = 0; at < data.length; at += 1 << 24) {
    await ask(Buffer.concat([number(2, 1), bytes(101, data.subarray(at, at + (1 << 24)))]));
  }
  await ask(number(2, 2));
  for (const query of queries) {
    const reply = await ask(Buffer.concat([number(2, 3), bytes(103, bytes(1, Buffer.from(query)))]));
    for (const row of rows(reply)) console.log(row.map((cell) => cell.replace(/[\t\n]/g, ' ')).join('\t'));
  }
  process.exit(0);
})();
