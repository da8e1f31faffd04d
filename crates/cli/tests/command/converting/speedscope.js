// Reads profiles by speedscope, without its page: node this DIRECTORY FILE, with the directory of its package.
// Prints lines with tabs: `profile NAME WEIGHT` of each, and of all together `call NAME COUNT WEIGHT`, as slices
// are nested, and `own NAME WEIGHT`.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');
const [directory, file] = process.argv.slice(2);

const release = path.join(directory, 'dist/release');
const name = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const source = fs.readFileSync(path.join(release, name), 'utf8');
// It exports nothing: what imports is known by what it calls. Where it would draw its page it ends.
const importer = source.match(/async function ([\w$]+)\([^)]*\)\{return\(await [\w$]+\)\.importProfileGroupFromText\(/)[1];
const headless = source.replace('(()=>{', `(()=>{reader.read=${importer};`)
  .replace(/[\w$]+\([^;]*document\.body\.lastElementChild[^;]*;(?=\}\)\(\);)/, '');
const nothing = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => '' : nothing, set: () => true, apply: () => nothing,
});
const reader = {}, quiet = { ...console, log() {}, warn() {} };
vm.runInNewContext(headless, {
  reader, console: quiet, document: nothing, window: nothing, self: nothing, TextDecoder, TextEncoder, URL, setTimeout,
});

(async () => {
  const group = await reader.read(path.basename(file), fs.readFileSync(file, 'utf8'));
  const calls = new Map(), own = new Map(), print = (...cells) => console.log(cells.join('\t'));
  for (const profile of group.profiles) {
    print('profile', profile.getName(), profile.getTotalWeight());
    const starts = [];
    profile.forEachCall((_, at) => starts.push(at), (node, at) => {
      const [count, weight] = calls.get(node.frame.name) ?? [0, 0];
      calls.set(node.frame.name, [count + 1, weight + at - starts.pop()]);
    });
    profile.forEachFrame((frame) => own.set(frame.name, (own.get(frame.name) ?? 0) + frame.getSelfWeight()));
  }
  for (const [name, [count, weight]] of calls) print('call', name, count, weight);
  for (const [name, weight] of own) print('own', name, weight);
})();
