// Asks the Firefox Profiler's own code, its command `profiler-cli`: node this DIRECTORY FILE, with the directory of
// its package. Prints lines with tabs: `marker NAME COUNT NANOSECONDS` of calls into libc, `own NAME NANOSECONDS` of
// its samples, `text NAME KEY VALUE` of markers, `lost NAME` of those on the track of lost events, and `warned TEXT`
// of what it has found wrong.
'use strict';
const { spawn } = require('child_process'), fs = require('fs'), net = require('net'), os = require('os');
const path = require('path'), readline = require('readline');
const [directory, file] = process.argv.slice(2);

// Its daemon by itself: the command gives it half a second to start. The path of a socket has to be short.
const session = fs.mkdtempSync(path.join(os.tmpdir(), 'profiler-')), socket = path.join(session, 'test.sock');
const words = [path.join(directory, 'dist/profiler-cli.js'), '--daemon', path.resolve(file), '--session', 'test'];
const env = { ...process.env, PROFILER_CLI_SESSION_DIR: session };
const daemon = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
let ended = false;
daemon.on('exit', () => ended = true);
const pause = () => new Promise((done) => setTimeout(done, 20));

async function connect() {
  while (!ended) {
    const connection = net.connect(socket);
    const is_there = new Promise((done) => connection.on('connect', () => done(true)).on('error', () => done(false)));
    if (await is_there) return connection;
    await pause();
  }
  throw new Error('the daemon has ended');
}

function print(...cells) {
  console.log(cells.map((cell) => String(cell).replace(/[\t\n]/g, ' ')).join('\t'));
}
function add(sums, name, values) {
  sums.set(name, values.map((value, place) => value + (sums.get(name)?.[place] ?? 0)));
}
const nanoseconds = (milliseconds) => Math.round(milliseconds * 1e6);

async function read() {
  const connection = await connect(), answers = readline.createInterface({ input: connection })[Symbol.asyncIterator]();
  const say = async (message) => {
    connection.write(JSON.stringify(message) + '\n');
    return JSON.parse((await answers.next()).value);
  };
  const ask = async (words) => {
    const answer = await say({ type: 'command', command: { command: 'thread', ...words } });
    if (answer.type !== 'success') throw new Error(answer.error);
    return answer.result;
  };
  for (let status; (status = await say({ type: 'status' })).type !== 'ready'; await pause()) {
    if (status.type === 'error') throw new Error(status.error);
  }
  const markers = new Map(), own = new Map();
  for (const { threadHandle: thread, name } of (await ask({ subcommand: 'list', threadListOptions: {} })).threads) {
    const listed = await ask({ subcommand: 'markers', thread, markerFilters: { list: true } });
    for (const { name: marker, markerType, duration, fields } of listed.flatMarkers) {
      if (name === 'Lost events') print('lost', marker);
      if (markerType?.startsWith('libc:') && duration !== undefined) add(markers, marker, [1, nanoseconds(duration)]);
      for (const { key, value } of fields ?? []) print('text', marker, key, value);
    }
    const sampled = await ask({ subcommand: 'functions', thread, includeIdle: true });
    for (const { name, selfSamples } of sampled.functions) add(own, name, [nanoseconds(selfSamples)]);
  }
  for (const [name, sums] of markers) print('marker', name, ...sums);
  for (const [name, sums] of own) print('own', name, ...sums);
  for (const line of fs.readFileSync(path.join(session, 'test.log'), 'utf8').split('\n')) {
    if (/^\[(WARN|ERROR)/.test(line)) print('warned', line);
  }
}

read().catch((error) => { console.error(error); process.exitCode = 1; }).finally(async () => {
  if (!ended && daemon.kill('SIGKILL')) await new Promise((done) => daemon.on('exit', done));
  fs.rmSync(session, { recursive: true });
  process.exit();
});
