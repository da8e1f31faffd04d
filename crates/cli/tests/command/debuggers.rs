//! Debuggers and recorded programs: one that a debugger has is left alone, and one that is recorded can be
//! debugged.

use crate::attaching::attach_one;
use crate::common::*;
use crate::detaching::detach;
use crate::function_interruptions::field;
use crate::functions::{NOPS, calls, path, session};
use std::io::Write;
use std::process::Stdio;

const DEBUGGED: &str = include_str!("programs/debugged.c");

/// Starts the program, which waits for bytes then.
fn begin(scratch: &Scratch, options: &[&str]) -> Running {
    let program = compile(scratch, "debugged", DEBUGGED, &[&["-g", "-O1"], options].concat());
    let mut running = start(scratch.command(&program).stdin(Stdio::piped()));
    running.wait_for("ready");
    running
}

/// Has it call its functions.
#[track_caller]
fn tell(running: &mut Running, byte: char) {
    running.child_input().write_all(&[byte as u8]).unwrap();
    running.wait_for(&answer(byte));
}

/// What it prints then.
fn answer(byte: char) -> String {
    format!("{byte}: {}\n", 4 * byte as u32 + 6)
}

/// Lets gdb do something in it, and then leave it.
fn debug(scratch: &Scratch, running: &Running, commands: &[&str]) -> Running {
    let commands = [&["set debuginfod enabled off"], commands, &["delete", "detach"]].concat();
    let file = scratch.write("commands", commands.join("\n"));
    let pid = running.pid().to_string();
    start(scratch.command("gdb").args(["-q", "-nx", "-batch", "-p", &pid, "-x", path(&file)]))
}

/// The functions of each backtrace that gdb has printed, without frames that aren't the program's.
fn backtraces(printed: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    for line in printed.lines().filter(|line| line.starts_with('#')) {
        if line.starts_with("#0") {
            found.push(Vec::new());
        }
        let own = |name: &&str| ["leaf", "middle", "outer", "main"].contains(name);
        found.last_mut().unwrap().extend(line.split(' ').find(own));
    }
    found
}

#[test]
fn a_program_that_a_debugger_has_is_refused_and_unharmed() {
    if is_missing(&["gdb"]) {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &[NOPS]);
    let [has_it, leave_it] = ["has", "leave"].map(|name| scratch.path(name));
    let wait =
        format!("shell touch {}; until [ -e {} ]; do sleep 0.01; done", path(&has_it), path(&leave_it));
    let debugger = debug(&scratch, &running, &["break *leaf", &wait]);
    debugger.wait_until(|| has_it.exists());
    let pid = running.pid().to_string();
    let refused = run(&mut scratch.lookback(&["attach", "--session", &place, &pid]));
    refused.failure(
        125,
        &[&format!("debugged-{pid} was not attached: process {} traces it already", debugger.pid())],
    );
    std::fs::write(&leave_it, "").unwrap();
    debugger.wait().success();
    tell(&mut running, 'a');
    attach_one(&scratch, &place, &running);
    tell(&mut running, 'b');
    let text = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    assert_eq!(calls(&text), ["leaf <-middle", "leaf <-middle"]);
}

#[test]
fn a_recorded_program_can_be_debugged() {
    if is_missing(&["gdb"]) {
        return;
    }
    for (options, tracer) in
        [(&[NOPS][..], "function"), (&[NOPS], "function_graph"), (&[], "function"), (&[], "function_graph")]
    {
        let how = format!("{options:?} {tracer}");
        let scratch = Scratch::new();
        let place = session(&scratch, &["-p", tracer, "-l", "leaf", "-l", "middle", "-l", "outer"]);
        let mut running = begin(&scratch, options);
        attach_one(&scratch, &place, &running);
        tell(&mut running, 'a');
        let call = format!("shell printf b > /proc/{}/fd/0", running.pid());
        // At a changed instruction, in what it leads to, at another one, and at the end of the calls.
        let commands = ["break *leaf", &call, "continue", "bt", "stepi", "stepi", "stepi", "bt"];
        let more = ["delete", "break *middle", "continue", "bt", "delete", "tbreak printf", "continue", "bt"];
        let printed = debug(&scratch, &running, &[&commands[..], &more].concat()).wait().success().stdout;
        let found = backtraces(&printed);
        assert_eq!(found.len(), 4, "{how}: {printed}");
        assert_eq!(found[0], ["leaf", "middle", "outer", "main"], "{how}: {printed}");
        assert!(found[1].ends_with(&["middle", "outer", "main"]), "{how}: {printed}");
        assert_eq!(found[2], ["middle", "outer", "main"], "{how}: {printed}");
        assert_eq!(found[3], ["main"], "{how}: {printed}");
        // It goes on, and is recorded.
        running.wait_for(&answer('b'));
        tell(&mut running, 'c');
        assert_eq!(field(running.pid(), "TracerPid:"), "0");
        let text = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
        let leaves = [" leaf <-middle", " leaf();"].map(|call| text.matches(call).count());
        assert_eq!(leaves.iter().sum::<usize>(), 6, "{how}: {text}");
        detach(&scratch, &place, running.pid()).success();
        assert_code_is_of_files(running.pid());
        tell(&mut running, 'd');
    }
}
