//! Handlers of signals, which are entered through ours.

use crate::support::{Program, Trace};

fn program(way: &str) -> Program {
    Program::c("handlers", &[]).arg(way)
}

fn with(trace: &Trace, name: &str, text: &str) -> usize {
    trace.named(name).filter(|event| event.text.contains(text)).count()
}

#[test]
fn programs_are_told_of_their_own_handlers() {
    let trace = program("told").keeps_the_law();
    assert_eq!(with(&trace, "signal_deliver", "sig=SIGINT"), 1);
    assert_eq!(with(&trace, "sigaction_exit", "error=EINVAL"), 1);
    assert_eq!(with(&trace, "signal_exit", "error=EINVAL"), 2);
}

#[test]
fn handlers_run_as_they_were_set() {
    let trace = program("flags").keeps_the_law();
    let delivered = |text: &str| with(&trace, "signal_deliver", text);
    // Five that nest, five in a row, and those that are handled once.
    assert_eq!(delivered("sa_handler=nest+0x0"), 10);
    assert_eq!(delivered("sa_handler=informed+0x0"), 1);
    assert_eq!(delivered("sa_handler=on_stack+0x0"), 1);
    assert_eq!(delivered("sa_handler=plain+0x0"), 5);
    assert_eq!(delivered("sa_flags=SA_SIGINFO|SA_RESTORER"), 1);
    // By kill, by tgkill and its like, by sigqueue; and none that was an error, or no signal.
    let generated = |text: &str| with(&trace, "signal_generate", text);
    assert_eq!([generated("code=0"), generated("code=-1"), generated("code=-6")], [1, 1, 15]);
    assert_eq!(generated(""), 17);
    // Each is sent before it is handled.
    let mut waiting = 0;
    for event in &trace.events {
        waiting += i32::from(event.name == "signal_generate");
        waiting -= i32::from(event.name == "signal_deliver");
        assert!(waiting >= 0, "{event:?}");
    }
    assert_eq!(waiting, 0);
}

#[test]
fn faults_have_their_codes_and_handlers_are_left() {
    let trace = program("faults").keeps_the_law();
    assert_eq!(with(&trace, "signal_deliver", "sig=SIGSEGV errno=0 code=1 sa_handler=jump+0x0"), 3);
    assert_eq!(with(&trace, "signal_deliver", "sig=SIGUSR2 errno=0 code=-6"), 1000);
    assert_eq!(trace.unfinished().get("raise"), Some(&1000));
}

#[test]
fn stacks_of_handlers_have_as_many_frames() {
    let trace = program("frames").keeps_the_law();
    assert_eq!(with(&trace, "signal_deliver", "sig=SIGTRAP"), 100);
}

#[test]
fn more_handlers_than_can_be_told_apart_run_unseen() {
    let trace = program("many").keeps_the_law();
    // 192 ways to set one: the first 128 are seen in each round.
    let (sent, seen) = (trace.count("signal_generate"), trace.count("signal_deliver"));
    assert_eq!((sent, seen), (3 * 256, 3 * 128));
}
