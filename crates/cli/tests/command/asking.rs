//! `lookback sql`: the program that has the engine is found, or it is said how to get it.

use crate::common::*;
use std::process::Command;

/// The command alone in a directory, as where SQL was not installed.
fn alone(scratch: &Scratch, words: &[&str]) -> Command {
    let own = scratch.path("lookback");
    if !own.exists() {
        // A copy can't be run while another thread's child still has it open for writing.
        let linked = std::fs::hard_link(LOOKBACK, &own);
        linked.or_else(|_| std::fs::copy(LOOKBACK, &own).map(drop)).unwrap();
    }
    let mut command = scratch.command(&own);
    command.args(words).env("PATH", "/nonexistent");
    command
}

#[test]
fn what_is_missing_is_told() {
    let scratch = Scratch::new();
    for words in [&["sql", "SELECT 1"][..], &["convert", "-o", "x.parquet", "trace.dat"]] {
        let parts = [
            "lookback-sql is neither next to lookback nor in $PATH",
            "cargo install --locked --path crates/sql",
        ];
        run(&mut alone(&scratch, words)).failure(127, &parts);
    }
    run(&mut alone(&scratch, &["sql", "--memory", "1"])).failure(125, &["--memory"]);
    let part = ["convert", "-e", "open", "-o", "x.parquet"];
    run(&mut alone(&scratch, &part)).failure(127, &["cargo install --locked --path crates/sql"]);
    let help = run(&mut alone(&scratch, &["sql", "--help"])).success().stdout;
    assert!(help.contains("who_waits_for(tid, from, to)"), "{help}");
}

#[test]
fn words_are_handed_on() {
    let scratch = Scratch::new();
    scratch.write_program("lookback-sql", "#!/bin/sh\nfor word; do echo \"<$word>\"; done; exit 7\n");
    let outcome = run(&mut alone(&scratch, &["-q", "sql", "--csv", "a.dat", "SELECT 'sql'"]));
    assert_eq!(
        (outcome.code(), outcome.stdout.as_str()),
        (Some(7), "<-q>\n<--csv>\n<a.dat>\n<SELECT 'sql'>\n")
    );
    let outcome = run(&mut alone(&scratch, &["convert", "-o", "x.parquet", "a.dat"]));
    assert_eq!(outcome.stdout, "<--parquet>\n<x.parquet>\n<-->\n<a.dat>\n");
    // A part of a trace is a file without a name.
    run(&mut scratch.lookback(&["record", "-q", "--", "true"])).success();
    let outcome = run(&mut alone(&scratch, &["convert", "-e", "open", "-o", "x.parquet"]));
    let words = "<--named>\n<a part of trace.dat>\n<--parquet>\n<x.parquet>\n<-->\n</proc/self/fd/";
    assert!(outcome.stdout.starts_with(words), "{outcome:?}");
    run(&mut alone(&scratch, &["convert", "-o", "-", "--format", "parquet"]))
        .failure(125, &["-o FILE.parquet"]);
}
