//! `lookback convert`: what speedscope and the Firefox Profiler make of it, by their own code.

use crate::common::*;
use crate::converting::{assert_slices, converted, durations, sums};
use crate::converting_formats::{lost, recorded};
use std::collections::BTreeMap;
use std::path::Path;

/// What a reader of these makes of a file: lines with tabs. None where it is not installed.
#[track_caller]
fn read(scratch: &Scratch, reader: &str, package: &str, name: &str) -> Option<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = tests.join("../../target/npm").join(package);
    if is_missing(&["node"]) || is_not_installed(package.to_str().unwrap(), "./setup unpacks it") {
        return None;
    }
    let reader = tests.join("tests/command/converting").join(reader);
    Some(run(scratch.command("node").arg(reader).arg(package).arg(name)).success().stdout)
}

fn speedscope(scratch: &Scratch, name: &str) -> Option<String> {
    read(scratch, "speedscope.js", "speedscope", name)
}

fn firefox(scratch: &Scratch, name: &str) -> Option<String> {
    read(scratch, "firefox_profiler.js", "profiler-cli", name)
}

/// Sums of what ends with a number, by its last part before that.
fn sums_of_leaves<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in lines {
        let (stack, number) = line.rsplit_once([' ', '\t']).unwrap();
        let leaf = stack.rsplit([';', '\t']).next().unwrap().to_owned();
        *sums.entry(leaf).or_default() += number.parse::<u64>().unwrap();
    }
    sums.retain(|_, sum| *sum > 0);
    sums
}

#[test]
fn speedscope_reads_folded_stacks() {
    let scratch = recorded();
    converted(&scratch, "trace.folded", &[]);
    let Some(found) = speedscope(&scratch, "trace.folded") else { return };
    let folded = std::fs::read_to_string(scratch.path("trace.folded")).unwrap();
    let flame = run(scratch.lookback(&["flame"]).arg(scratch.outside("trace.dat"))).success().stdout;
    assert_eq!(folded, flame);
    let expected = sums_of_leaves(folded.lines());
    assert_eq!(sums_of_leaves(found.lines().filter(|line| line.starts_with("own\t"))), expected);
    let whole: u64 = expected.values().sum();
    assert!(found.starts_with(&format!("profile\ttrace.folded\t{whole}\n")), "{whole} in\n{found}");
    // What a call takes itself is a part of its time.
    for (name, (_, sum)) in durations(&scratch) {
        assert!(expected.get(&name).is_none_or(|own| *own <= sum), "{name}: {sum} in\n{found}");
    }
}

#[test]
fn speedscope_reads_trace_events() {
    let scratch = recorded();
    converted(&scratch, "trace.json", &[]);
    let Some(found) = speedscope(&scratch, "trace.json") else { return };
    // It takes arguments as a part of the name.
    let mut calls: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for line in found.lines().filter(|line| line.starts_with("call\t")) {
        let cells: Vec<&str> = line.split('\t').collect();
        let sum = calls.entry(cells[1].split(' ').next().unwrap().to_owned()).or_default();
        let microseconds: f64 = cells[3].parse().unwrap();
        *sum = (sum.0 + cells[2].parse::<u64>().unwrap(), sum.1 + (microseconds * 1000.0).round() as u64);
    }
    assert_slices(&calls, &scratch);
    assert!(found.contains(r#"open {"flags":"O_RDWR|O_CLOEXEC","#), "{found}");
}

#[test]
fn the_firefox_profiler_reads_its_profile() {
    let scratch = recorded();
    converted(&scratch, "trace.firefox.json", &[]);
    let Some(found) = firefox(&scratch, "trace.firefox.json") else { return };
    assert_slices(&sums(&found, "marker\t"), &scratch);
    assert!(!found.contains("warned\t"), "{found}");
    for text in [
        "text\topen\tpathname\t/a b\n",
        "text\topen\tpathname\t/\"q\\\n",
        "text\topen\terror\tENOENT\n",
        "text\topen\tflags\tO_RDWR|O_CLOEXEC\n",
        "\t/\u{fffd}\u{fffd}\n",
    ] {
        assert!(found.contains(text), "{text} is not in {found}");
    }
    // Its call tree has what flame graphs have.
    converted(&scratch, "trace.folded", &[]);
    let folded = std::fs::read_to_string(scratch.path("trace.folded")).unwrap();
    let own = sums_of_leaves(found.lines().filter(|line| line.starts_with("own\t")));
    assert_eq!(own, sums_of_leaves(folded.lines()));
}

#[test]
fn the_firefox_profiler_knows_what_is_lost() {
    let scratch = Scratch::new();
    let session = scratch.overwritten_session();
    let expected = lost(&scratch, &session);
    converted(&scratch, "lost.firefox.json", &["--session", &session]);
    run(&mut scratch.lookback(&["delete", "-q", "--session", &session])).success();
    let Some(found) = firefox(&scratch, "lost.firefox.json") else { return };
    let lost = |line: &str| line.strip_prefix("lost\t")?.split(' ').next()?.parse::<u64>().ok();
    assert_eq!(found.lines().filter_map(lost).sum::<u64>(), expected, "{found}");
}
