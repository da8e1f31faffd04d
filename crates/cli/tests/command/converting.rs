//! `lookback convert` and `lookback flame`: what other programs read of them.

use crate::common::*;
use std::collections::BTreeMap;

/// Reads a Perfetto trace by the rules of Protocol Buffers alone: prints `slice NAME COUNT NANOSECONDS`,
/// `lost N`, `loose N` for ends without a start or starts without an end, and `text TEXT` of arguments.
const READER: &str = r#"
import sys, zlib
def fields(data):
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]; at += 1
            value |= (byte & 127) << shift; shift += 7
            if byte < 128: return value
    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0: yield key >> 3, varint()
        elif kind == 2:
            size = varint(); yield key >> 3, data[at:at + size]; at += size
        else:
            size = 8 if kind == 1 else 4; yield key >> 3, data[at:at + size]; at += size
def packets(data):
    for number, packet in fields(data):
        assert number == 1
        packet = list(fields(packet))
        if packet[0][0] == 50: yield from packets(zlib.decompress(packet[0][1]))
        else: yield packet
names, now, open_, sums, loose, lost, texts = {}, 0, {}, {}, 0, 0, []
for packet in packets(open(sys.argv[1], 'rb').read()):
    fixed = dict(packet)
    if 6 in fixed:
        clocks = [dict(fields(clock)) for n, clock in fields(fixed[6]) if n == 1]
        now = [clock[2] for clock in clocks if clock[1] == 64][0]
        assert {3, 6} <= {clock[1] for clock in clocks}
    time = now
    if 58 in fixed: time = fixed[8]
    elif 8 in fixed: time = now = now + fixed[8]
    for n, entry in fields(fixed.get(12, b'')):
        entry = dict(fields(entry))
        if n == 2: names[entry[1]] = entry[2].decode()
        if n == 29: texts.append(entry[2].decode())
    if 35 in fixed: lost = dict(fields(dict(fields(fixed[35]))[1]))[19]
    if 11 in fixed:
        event = dict(fields(fixed[11]))
        stack = open_.setdefault(event[11], [])
        if event[9] == 1: stack.append((names[event[10]], time))
        elif event[9] == 2:
            if not stack: loose += 1; continue
            name, start = stack.pop()
            assert time >= start
            sum_ = sums.setdefault(name, [0, 0]); sum_[0] += 1; sum_[1] += time - start
loose += sum(map(len, open_.values()))
for name, (count, total) in sums.items(): print('slice', name, count, total)
print('lost', lost); print('loose', loose)
for text in texts: print('text', repr(text))
"#;

pub fn converted(scratch: &Scratch, name: &str, options: &[&str]) -> String {
    let mut command = scratch.lookback(&["convert", "-o", name]);
    match options.is_empty() {
        true => command.arg(scratch.outside("trace.dat")),
        false => command.args(options),
    };
    run(&mut command).success().stderr
}

fn read(scratch: &Scratch, name: &str) -> String {
    run(scratch.command("python3").args(["-c", READER, name])).success().stdout
}

/// Counts and sums of calls, as `report --pair` has them: from its parts, the exits' own durations.
pub fn durations(scratch: &Scratch) -> BTreeMap<String, (u64, u64)> {
    let json = run(&mut scratch.report(&["--json", "-e", "libc:*_exit"])).success().stdout;
    let mut sums = BTreeMap::new();
    // One that ends elsewhere has none: exec.
    for line in json.lines().filter(|line| line.contains("\"duration\":")) {
        let part = |key: &str, end: char| {
            let (_, rest) = line.split_once(key).unwrap();
            rest.split(end).next().unwrap().trim_end_matches('}').to_owned()
        };
        let name = part("\"event\":\"", '"').trim_end_matches("_exit").to_owned();
        let sum: &mut (u64, u64) = sums.entry(name).or_default();
        *sum = (sum.0 + 1, sum.1 + part("\"duration\":", ',').parse::<u64>().unwrap());
    }
    sums
}

/// Each call is there as often as in the trace, and as long.
#[track_caller]
pub fn assert_slices(found: &BTreeMap<String, (u64, u64)>, scratch: &Scratch) {
    for (name, expected) in slices(scratch) {
        assert_eq!(found.get(&name), Some(&expected), "{name} in {found:?}");
    }
}

/// Lines `KEYWORD NAME COUNT NANOSECONDS`.
pub fn sums(lines: &str, keyword: &str) -> BTreeMap<String, (u64, u64)> {
    let sum = |line: &str| {
        let words: Vec<&str> = line.strip_prefix(keyword)?.split_whitespace().collect();
        Some((words[0].to_owned(), (words[1].parse().ok()?, words[2].parse().ok()?)))
    };
    lines.lines().filter_map(sum).collect()
}

/// Counts and sums of calls as slices: where recording an entry took long, one begins as late as its record.
fn slices(scratch: &Scratch) -> BTreeMap<String, (u64, u64)> {
    let printed = run(scratch.command("python3").args(["-c", SLICES]).stdin(calls(scratch))).success().stdout;
    let sums = sums(&printed, "slice ");
    assert!(sums.len() > 10, "{sums:?}");
    sums
}

/// The libc calls of the trace, an object in JSON for each event.
fn calls(scratch: &Scratch) -> std::fs::File {
    let json = run(&mut scratch.report(&["--json", "-e", "libc:*"])).success().stdout;
    std::fs::write(scratch.path("calls.json"), json).unwrap();
    std::fs::File::open(scratch.path("calls.json")).unwrap()
}

const SLICES: &str = "
import collections, json, sys
sums, open = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(list)
for event in map(json.loads, sys.stdin):
    name = event['event'].removesuffix('_exit')
    if name == event['event']:
        open[event['pid'], name].append(event['time'])
    elif 'duration' in event['fields']:
        sums[name][0] += 1
        # A process that was forked has but the end.
        begun, duration = open[event['pid'], name], event['fields']['duration']
        sums[name][1] += min(duration, event['time'] - begun.pop()) if begun else duration
for name, (count, sum) in sums.items(): print('slice', name, count, sum)
";

#[test]
fn perfetto_has_each_call_as_long_as_it_took() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let script = "ls -l / > /dev/null; cat /etc/passwd > /dev/null; (sleep 0.01)";
    scratch.recorded(&["sh", "-c", script]).0.success();
    let said = converted(&scratch, "out.perfetto-trace", &[]);
    assert!(said.contains(" events, ") && said.contains(" in out.perfetto-trace"), "{said}");
    let found = read(&scratch, "out.perfetto-trace");
    assert!(found.contains("loose 0\n") && found.contains("lost 0\n"), "{found}");
    assert_slices(&sums(&found, "slice "), &scratch);
}

#[test]
fn names_are_harmless_in_every_format() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let script = r#"
import os
for name in [b'/a\nb', b'/"q\\', b'/<script>alert(1)</script>', b'/\xff\xfe', b"/'; DROP TABLE slice", b'/a;b 7']:
    try: os.open(name, os.O_RDONLY)
    except OSError: pass
"#;
    scratch.recorded(&["python3", "-S", "-c", script]).0.success();
    converted(&scratch, "out.pftrace", &[]);
    let texts = read(&scratch, "out.pftrace");
    for text in
        [r"'/a\nb'", r#"'/"q\\'"#, "'/<script>alert(1)</script>'", "'/\u{fffd}\u{fffd}'", "DROP TABLE"]
    {
        assert!(texts.contains(text), "{text} is not in {texts}");
    }
    converted(&scratch, "out.json", &[]);
    let check = "import json; e = json.load(open('out.json'))['traceEvents']; \
                 print(any(x.get('args', {}).get('pathname') == '/a\\nb' for x in e), \
                 sum(x['ph'] == 'B' for x in e) == sum(x['ph'] == 'E' for x in e))";
    assert_eq!(run(scratch.command("python3").args(["-c", check])).success().stdout, "True True\n");
    let folded = run(scratch.lookback(&["flame"]).arg(scratch.outside("trace.dat"))).success().stdout;
    assert!(!folded.is_empty());
    for line in folded.lines() {
        let (stack, sum) = line.rsplit_once(' ').unwrap();
        assert!(stack.contains(';') && sum.parse::<u64>().unwrap() > 0, "{line}");
    }
}

#[test]
fn flame_graphs_add_up_and_compare() {
    let scratch = Scratch::new();
    let record = |file: &str, script: &str| {
        run(&mut scratch.lookback(&["record", "-q", "-o", file, "--", "sh", "-c", script])).success();
    };
    record("a.dat", "sleep 0.01");
    record("b.dat", "sleep 0.05; cat /etc/passwd > /dev/null");
    let folded = run(&mut scratch.lookback(&["flame", "a.dat"])).success().stdout;
    let slept = folded.lines().find(|line| line.starts_with("sleep;") && line.contains("sleep ")).unwrap();
    let time: u64 = slept.rsplit_once(' ').unwrap().1.parse().unwrap();
    assert!((10_000_000..1_000_000_000).contains(&time), "{slept}");
    let bytes = run(&mut scratch.lookback(&["flame", "--by", "bytes", "b.dat"])).success().stdout;
    let size = std::fs::metadata("/etc/passwd").unwrap().len();
    assert!(bytes.lines().any(|line| line == format!("cat;read {size}")), "{bytes}");
    run(&mut scratch.lookback(&["flame", "-o", "a.svg", "a.dat"])).success();
    run(&mut scratch.lookback(&["flame", "--diff", "a.dat", "b.dat", "-o", "d.svg"])).success();
    let picture = |name: &str| std::fs::read_to_string(scratch.path(name)).unwrap();
    assert!(picture("a.svg").starts_with("<?xml") && picture("a.svg").contains("sleep"));
    // What is new is in the one, and not in the other.
    assert!(picture("d.svg").contains(">cat (") && !picture("d-before.svg").contains(">cat ("));
    let lines = run(&mut scratch.lookback(&["flame", "--diff", "a.dat", "a.dat"])).success().stdout;
    let is_same = |line: &str| {
        let words: Vec<&str> = line.rsplitn(3, ' ').collect();
        words[0] == words[1]
    };
    assert!(!lines.is_empty() && lines.lines().all(is_same), "{lines}");
    run(&mut scratch.lookback(&["flame", "--by", "off-cpu", "a.dat"])).failure(125, &["@switch"]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let scratch = Scratch::new();
    scratch.recorded(&["sh", "-c", "for i in 1 2 3 4; do ls -l /usr/bin > /dev/null; done"]).0.success();
    let whole = std::fs::read(scratch.outside("trace.dat")).unwrap();
    scratch.write("short.dat", &whole[..100]);
    let failed = run(&mut scratch.lookback(&["convert", "short.dat", "-o", "x.json"]));
    failed.failure(125, &["short.dat: ", "truncated"]);
    assert!(!scratch.path("x.json").exists());
    run(&mut scratch.lookback(&["convert", "-o", "x.doc"])).failure(125, &["the suffix names no format"]);
    run(&mut scratch.lookback(&["convert", "none.dat", "-o", "x.json"])).failure(125, &["none.dat: "]);
}

#[test]
fn losses_are_carried_over() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let session = scratch.overwritten_session();
    converted(&scratch, "out.pftrace", &["--session", &session]);
    let found = read(&scratch, "out.pftrace");
    run(&mut scratch.lookback(&["delete", "-q", "--session", &session])).success();
    let lost: u64 = found.lines().find_map(|line| line.strip_prefix("lost ")).unwrap().parse().unwrap();
    assert!(lost > 1000 && found.contains("loose 0\n"), "{found}");
}
