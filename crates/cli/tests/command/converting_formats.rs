//! `lookback convert`: what the readers of each format make of it.

use crate::common::*;
use crate::converting::{assert_slices, converted, durations, sums};
use std::collections::BTreeMap;
use std::path::Path;

/// A program that opens files of odd names, and calls others.
const SCRIPT: &str = r#"
import os, socket
for name in [b'/a\nb', b'/"q\\', b'/<script>', b'/\xff\xfe', b"/'; DROP TABLE slice", b'/a;b 7', b'/{x}%s\t']:
    try: os.open(name, os.O_RDWR | os.O_CLOEXEC)
    except OSError: pass
ours, theirs = socket.socketpair()
for count in range(20): ours.send(b'x' * 100); theirs.recv(1000)
"#;

pub fn recorded() -> Scratch {
    let scratch = Scratch::new();
    scratch.recorded(&["python3", "-S", "-c", SCRIPT]).0.success();
    scratch
}

/// How many events of the buffers of a session were lost, as `show` has them.
pub fn lost(scratch: &Scratch, session: &str) -> u64 {
    let json = run(&mut scratch.lookback(&["show", "--json", "--session", session])).success().stdout;
    let lost = json.lines().filter_map(|line| line.split_once("\"lost\":")?.1.split(',').next());
    lost.map(|count| count.parse::<u64>().unwrap_or(1)).sum()
}

#[test]
fn babeltrace_reads_each_event_with_its_fields() {
    if is_missing(&["babeltrace2", "python3"]) {
        return;
    }
    let scratch = recorded();
    let said = converted(&scratch, "trace.ctf/", &[]);
    assert!(said.contains(" in trace.ctf/"), "{said}");
    let printed = run(scratch.command("babeltrace2").args(["--clock-seconds", "trace.ctf"])).success();
    assert_eq!(printed.stderr, "");
    let printed = printed.stdout;
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in printed.lines() {
        let Some((_, rest)) = line.split_once("_exit: { cpu_id = ") else { continue };
        let Some((_, duration)) = rest.rsplit_once(", duration = ") else { continue };
        let name = line.split("libc:").nth(1).unwrap().split("_exit: ").next().unwrap();
        let sum = found.entry(name.to_owned()).or_default();
        let duration: u64 = duration.split(' ').next().unwrap().parse().unwrap();
        *sum = (sum.0 + 1, sum.1 + duration);
    }
    assert_eq!(found, durations(&scratch));
    let report = run(&mut scratch.report(&["--json"])).success().stdout;
    assert_eq!(printed.lines().count(), report.lines().count());
    for text in [
        r#""/a\nb""#,
        r#""/\"q\\""#,
        "\"/<script>\"",
        "\"/\u{fffd}\u{fffd}\"",
        r#"error = ( "ENOENT" : container = 2 )"#,
    ] {
        assert!(printed.contains(text), "{text} is not in what babeltrace2 prints");
    }
    let line = printed.lines().find(|line| line.contains("libc:open: ")).unwrap();
    assert!(line.contains("procname = \"python3\"") && line.contains("vtid = "), "{line}");
    // Its times are the wall clock's.
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let time: u64 = line.strip_prefix('[').unwrap().split('.').next().unwrap().parse().unwrap();
    assert!((seconds - 600..=seconds).contains(&time), "{line}");
    // What is there is kept.
    let again = run(scratch.lookback(&["convert", "-o", "trace.ctf"]).arg(scratch.outside("trace.dat")));
    again.failure(125, &["not an empty directory"]);
    let piped =
        run(scratch.lookback(&["convert", "--format", "ctf", "-o", "-"]).arg(scratch.outside("trace.dat")));
    piped.failure(125, &["a directory"]);
    let unknown = run(scratch.lookback(&["convert", "-o", "x"]).arg(scratch.outside("trace.dat")));
    unknown.failure(
        125,
        &[".perfetto-trace, .pftrace, .firefox.json, .json, .pb.gz, .ctf, ctf/, .folded, .dat"],
    );
}

#[test]
fn losses_are_in_every_format() {
    if is_missing(&["babeltrace2", "go", "python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let session = scratch.overwritten_session();
    let expected = lost(&scratch, &session);
    assert!(expected > 1000, "{expected}");
    for name in ["lost.ctf", "lost.firefox.json", "lost.pb.gz", "lost.json"] {
        converted(&scratch, name, &["--session", &session]);
    }
    let said = converted(&scratch, "lost.folded", &["--session", &session]);
    let number = said.split_once(" events were lost: the trace is complete for the last ").unwrap().0;
    assert_eq!(number.rsplit(' ').next().unwrap().replace(',', ""), expected.to_string(), "{said}");
    run(&mut scratch.lookback(&["delete", "-q", "--session", &session])).success();
    let babeltrace = run(scratch.command("babeltrace2").arg("lost.ctf")).success();
    let discarded = babeltrace
        .stderr
        .lines()
        .filter_map(|line| line.split_once("discarded ")?.1.split(' ').next()?.parse::<u64>().ok());
    assert_eq!(discarded.sum::<u64>(), expected, "{}", babeltrace.stderr);
    let firefox = profile(&scratch, "lost.firefox.json");
    let marked =
        firefox.lines().filter_map(|line| line.strip_prefix("lost ")?.split(' ').next()?.parse::<u64>().ok());
    assert_eq!(marked.sum::<u64>(), expected, "{firefox}");
    let sum = "import json; e = json.load(open('lost.json'))['traceEvents']; \
               print(sum(int(x['name'].split()[0]) for x in e if x.get('cat') == 'lost'))";
    let marked = run(scratch.command("python3").args(["-c", sum])).success().stdout;
    assert_eq!(marked.trim(), expected.to_string());
    let comments = run(scratch.command("go").args(["tool", "pprof", "-comments", "lost.pb.gz"])).success();
    assert_eq!(comments.stdout.trim(), format!("{expected} events were lost"));
}

/// What the reader of Firefox's profiles says.
fn profile(scratch: &Scratch, name: &str) -> String {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/converting/firefox_profile.py");
    run(scratch.command("python3").arg(reader).arg(name)).success().stdout
}

#[test]
fn a_firefox_profile_has_markers_and_samples() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = recorded();
    converted(&scratch, "trace.firefox.json", &[]);
    let found = profile(&scratch, "trace.firefox.json");
    assert_slices(&sums(&found, "marker "), &scratch);
    for text in [
        r#"('open', 'pathname', '/a\nb')"#,
        r#"('open', 'pathname', '/"q\\')"#,
        "('open', 'error', 'ENOENT')",
        "('open', 'flags', 'O_RDWR|O_CLOEXEC')",
        "'/\u{fffd}\u{fffd}'",
    ] {
        assert!(found.contains(text), "{text} is not in {found}");
    }
    // Samples weigh what calls took, each moment once: what folded stacks have.
    converted(&scratch, "trace.folded", &[]);
    let folded = std::fs::read_to_string(scratch.path("trace.folded")).unwrap();
    let own: u64 = folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    assert!(found.contains(&format!("sampled {own}\n")), "{own}");
}

#[test]
fn pprof_sums_up_calls_times_and_bytes() {
    if is_missing(&["go", "python3"]) {
        return;
    }
    let scratch = recorded();
    converted(&scratch, "trace.pb.gz", &[]);
    // Lines of the functions: own value, two shares, value with what is within, share, name.
    let top = |index: &str, unit: &str| {
        let options = ["-nodecount=100000", "-nodefraction=0", "-edgefraction=0", "-top"];
        let mut pprof = scratch.command("go");
        pprof.args(["tool", "pprof"]).args(options).args([
            "-sample_index",
            index,
            "-unit",
            unit,
            "trace.pb.gz",
        ]);
        let printed = run(&mut pprof).success().stdout;
        let values = printed.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [own, _, _, all, _, name] = words.as_slice() else { return None };
            let number = |text: &str| text.trim_end_matches(char::is_alphabetic).parse::<u64>().ok();
            Some((name.to_string(), (number(own)?, number(all)?)))
        });
        values.collect::<BTreeMap<String, (u64, u64)>>()
    };
    let (calls, times, bytes) = (top("calls", "count"), top("time", "ns"), top("bytes", "B"));
    let found =
        calls.iter().filter_map(|(name, (count, _))| Some((name.clone(), (*count, times.get(name)?.1))));
    assert_slices(&found.collect(), &scratch);
    assert_eq!((bytes["send"].0, bytes["recv"].0), (2000, 2000));
}
