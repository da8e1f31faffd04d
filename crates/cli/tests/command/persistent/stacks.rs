//! Stacks in a persistent session.

use super::Persistent;
use crate::common::*;
use crate::stacks::{PROGRAM, stack};

#[test]
fn an_instance_has_stacks_and_the_session_need_not() {
    let persistent = Persistent::new(&["-e", "libc:open_exit"]);
    let rare = ["-B", "rare"];
    persistent.done("start", &["-B", "rare", "-e", "libc:open_exit", "-T", "--stack-bytes", "1024"]);
    let get = |options: &[&str]| persistent.done("get", options).stdout;
    assert_eq!(get(&["-B", "rare", "options/stacktrace"]), "1\n");
    let program = compile(&persistent.scratch, "looks", PROGRAM, &["-O2", "-fomit-frame-pointer"]);
    run(&mut persistent.running(&[program.to_str().unwrap()]));
    let own = get(&["trace"]);
    assert!(own.contains("/nowhere") && !own.contains("<stack trace>"), "{own}");
    let text = get(&["-B", "rare", "trace"]);
    assert_eq!(stack(&text)[..2], [" => look", " => main"]);
    let shown = persistent.done("show", &rare).stdout;
    assert_eq!(stack(&shown), stack(&text));
    persistent.done("set", &["-B", "rare", "options/sym-offset", "1"]);
    persistent.done("stop", &rare);
    let piped = persistent.done("cat", &["-B", "rare", "trace_pipe"]).stdout;
    assert!(stack(&piped)[0].starts_with(" => look+0x"), "{piped}");
}

#[test]
fn a_trigger_asks_for_the_stack_of_some() {
    let persistent =
        Persistent::new(&["-e", "libc:open_exit", "-R", r#"stacktrace:1 if pathname ~ "/nowh*""#]);
    let program = compile(&persistent.scratch, "looks", PROGRAM, &["-O2", "-fomit-frame-pointer"]);
    let program = program.to_str().unwrap();
    persistent.run(&["sh", "-c", &format!("cat /other; {program}; {program}")]);
    let text = persistent.done("get", &["trace"]).stdout;
    assert_eq!((text.matches("/nowhere").count(), text.matches("<stack trace>").count()), (2, 1), "{text}");
    assert_eq!(stack(&text)[..2], [" => look", " => main"]);
    let trigger = persistent.done("get", &["events/libc/open_exit/trigger"]).stdout;
    assert_eq!(trigger, "stacktrace:count=0 if pathname ~ \"/nowh*\"\n");
}
