//! The tree `ktrace`: tracepoints with formats, as programs and libraries that have them come and go.

use crate::common::*;
use crate::formats::compiled;
use crate::functions::{path, session};
use std::io::Write;
use std::process::{Command, Stdio};

const PROGRAM: &str = include_str!("programs/tracepoints.c");

/// A session, and a program that does what it is told.
struct Traced {
    scratch: Scratch,
    place: String,
}

impl Traced {
    fn new() -> Traced {
        let scratch = Scratch::new();
        let place = session(&scratch, &["-e", "sched_process_exit"]);
        compiled(&scratch, "gcc -std=gnu11", PROGRAM, "program");
        compiled(&scratch, "gcc -std=gnu11 -DPLUGIN -shared -fPIC", PROGRAM, "library.so");
        Traced { scratch, place }
    }

    fn start(&self) -> Running {
        let (program, library) = (self.scratch.path("program"), self.scratch.path("library.so"));
        let arguments = ["run", "--session", &self.place, path(&program), path(&library)];
        let mut command: Command = self.scratch.lookback(&arguments);
        start(command.stdin(Stdio::piped()))
    }

    fn get(&self, file: &str) -> Outcome {
        run(&mut self.scratch.lookback(&["get", "--session", &self.place, file]))
    }

    #[track_caller]
    fn text(&self, file: &str) -> String {
        self.get(file).success().stdout
    }

    fn set(&self, file: &str, value: &str) -> Outcome {
        run(&mut self.scratch.lookback(&["set", "-q", "--session", &self.place, file, value]))
    }

    /// The texts of the events that are there.
    fn traced(&self) -> Vec<String> {
        let events = Trace::new(&self.text("trace")).events.into_iter();
        events.filter(|event| event.name.starts_with("of_")).map(|event| event.text).collect()
    }

    /// What `info` says, with names for the ids.
    fn info(&self) -> String {
        let ids = ["of_program", "of_both", "of_library"];
        let id = |name: &str| self.get(&format!("events/ktrace/{name}/id")).stdout.trim().to_string();
        ids.iter().fold(self.text("ktrace/info"), |info, name| match id(name) {
            id if id.is_empty() => info,
            id => info.replace(&format!(" id {id} "), &format!(" id of {name} ")),
        })
    }
}

/// Has it do something, and waits until it has.
#[track_caller]
fn tell(running: &mut Running, letters: &str) {
    for letter in letters.chars() {
        let done = format!("done {letter}\n");
        let before = running.printed().matches(&done).count();
        running.child_input().write_all(letter.to_string().as_bytes()).unwrap();
        running.wait_until(|| running.printed().matches(&done).count() > before);
    }
}

#[test]
fn tracepoints_are_there_while_somebody_has_them() {
    let traced = Traced::new();
    assert_eq!(traced.text("ktrace/info"), "version 1.0.0\n");
    let mut running = traced.start();
    tell(&mut running, "t");
    let info = "version 1.0.0\n\
         name 'of_program' format 'program %u' id of of_program disabled\n\
         name 'of_both' format 'both %d' id of of_both disabled\n";
    assert_eq!(traced.info(), info);
    assert_eq!(traced.text("ktrace/events/of_both"), "0\n");
    traced.set("ktrace/events/of_both", "1").success();
    tell(&mut running, "tot");
    let library = "name 'of_library' format 'library %s' id of of_library disabled\n";
    assert_eq!(traced.info(), info.replace("of_both disabled", "of_both enabled") + library);
    // The library has taken over that one of them is enabled.
    traced.set("ktrace/events/of_library", "2").success();
    tell(&mut running, "l");
    assert_eq!(traced.traced(), ["both 2", "both 2", "library works", "both 2"]);
    // With the library goes what is its own.
    tell(&mut running, "ct");
    traced.get("ktrace/events/of_library").failure(125, &["No such file"]);
    assert_eq!(traced.info(), info.replace("of_both disabled", "of_both enabled") + library);
    // It comes again as it would for the first time.
    tell(&mut running, "ol");
    assert_eq!(traced.text("ktrace/events/of_library"), "0\n");
    assert_eq!(traced.traced().len(), 6);
    // A child has what its parent had, and has it alone once its parent has closed the library.
    tell(&mut running, "fc");
    assert_eq!(traced.text("ktrace/events/of_library"), "0\n");
    tell(&mut running, "w");
    traced.get("ktrace/events/of_library").failure(125, &["No such file"]);
    assert_eq!(traced.text("ktrace/events/of_both"), "1\n");
    drop(running.input());
    assert!(running.wait().status.success());
    assert_eq!(traced.info(), info.to_string() + library);
}

#[test]
fn the_switch_for_all_stops_and_keeps() {
    let traced = Traced::new();
    let mut running = traced.start();
    tell(&mut running, "t");
    traced.set("events/ktrace/enable", "1").success();
    assert_eq!(traced.text("ktrace/enabled"), "1\n");
    traced.set("ktrace/enabled", "0").success();
    tell(&mut running, "tol");
    assert_eq!((traced.traced(), traced.text("ktrace/enabled")), (vec![], "0\n".to_string()));
    assert_eq!(traced.text("ktrace/events/of_program"), "1\n");
    traced.set("ktrace/enabled", "7").success();
    tell(&mut running, "tl");
    assert_eq!(traced.traced(), ["program 1", "both 2", "library works", "both 2"]);
    traced.set("ktrace/reset", "0").success();
    assert_eq!(traced.traced().len(), 4);
    traced.set("ktrace/reset", "1").success();
    assert_eq!(traced.traced().len(), 0);
    traced.set("ktrace/enabled", "on").failure(125, &["ktrace/enabled: Invalid argument"]);
    // A filter, as events have one.
    traced.set("events/ktrace/of_both/filter", "arg1 == 3").success();
    tell(&mut running, "t");
    assert_eq!(traced.traced(), ["program 1"]);
    // Killed: nobody has it any more. What is enabled by name is so for the next one, too.
    running.child_input().write_all(b"k").unwrap();
    running.wait();
    traced.get("ktrace/events/of_both").failure(125, &["No such file"]);
    assert!(traced.info().contains("name 'of_both' format 'both %d' id of of_both disabled\n"));
    let mut next = traced.start();
    tell(&mut next, "t");
    assert_eq!(traced.text("ktrace/events/of_both"), "1\n", "ktrace:* is what was enabled");
}
