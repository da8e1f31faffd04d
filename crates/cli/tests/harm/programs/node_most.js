// Code that is compiled while it runs, workers, streams, ciphers, exceptions, WebAssembly, children.
"use strict";
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
const crypto = require("crypto");
const zlib = require("zlib");
const fs = require("fs");
const http = require("http");
const children = require("child_process");

const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
const times = (count, make) => Promise.all([...Array(count).keys()].map(make));

function work() {
  let sum = 0;
  for (let turn = 0; turn < 20; turn++) {
    try {
      if (turn % 3 === 0) throw new Error("x" + turn);
      sum += fibonacci(18);
    } catch (error) {
      sum += error.message.length;
    }
  }
  return [workerData, sum];
}

const inWorker = (number) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: number });
    worker.on("message", resolve).on("error", reject);
  });

function packs() {
  const data = Buffer.alloc(500000, "hello world ");
  console.log(zlib.gunzipSync(zlib.gzipSync(data)).equals(data));
  console.log(zlib.brotliDecompressSync(zlib.brotliCompressSync(data)).equals(data));
  console.log(crypto.createHash("sha256").update(data).digest("hex"));
  console.log(crypto.pbkdf2Sync("a", "b", 2000, 32, "sha512").toString("hex"));
  const { publicKey, privateKey } = crypto.generateKeyPairSync("rsa", { modulusLength: 1024 });
  console.log(crypto.verify("sha256", data, publicKey, crypto.sign("sha256", data, privateKey)));
}

async function compiled() {
  const bytes = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0,
    10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11,
  ];
  const { instance } = await WebAssembly.instantiate(new Uint8Array(bytes));
  let sum = 0;
  for (let turn = 0; turn < 1e5; turn++) sum = instance.exports.add(sum, turn) | 0;
  let hot = 0;
  for (let turn = 0; turn < 2e6; turn++) hot = (hot + Math.sqrt(turn) * (turn & 3)) % 1e6;
  console.log(sum, hot.toFixed(3), fibonacci(25), 2n ** 200n);
}

async function serves() {
  const server = http.createServer((asked, answer) => answer.end("you " + asked.url)).listen("socket");
  await new Promise((resolve) => server.on("listening", resolve));
  const ask = (number) =>
    new Promise((resolve, reject) => {
      const asked = http.get({ socketPath: "socket", path: "/" + number }, (answer) => {
        let text = "";
        answer.on("data", (part) => (text += part)).on("end", () => resolve(text));
      });
      asked.on("error", reject);
    });
  console.log((await times(50, ask)).join().length);
  server.close();
}

function fails() {
  const deep = (n) => deep(n + 1) + 1;
  try {
    deep(0);
  } catch (error) {
    console.log(error instanceof RangeError);
  }
  let kept = [];
  for (let number = 0; number < 300000; number++) {
    kept.push({ number, text: "k" + number });
    if (kept.length > 20000) kept = [];
  }
  gc();
  console.log(kept.length);
}

async function main() {
  console.log(JSON.stringify(await times(4, inWorker)));
  packs();
  await compiled();
  await serves();
  fails();
  await times(200, (number) => fs.promises.writeFile("f" + number, "x".repeat(number)));
  console.log((await times(200, (number) => fs.promises.readFile("f" + number))).join("").length);
  console.log(String(children.execFileSync("sh", ["-c", "echo child"])), children.spawnSync("false").status);
  process.exitCode = 4;
  await new Promise((resolve) => {
    process.on("SIGUSR2", resolve);
    process.kill(process.pid, "SIGUSR2");
    setInterval(() => {}, 1000).unref();
  });
}

if (isMainThread) main();
else parentPort.postMessage(work());
