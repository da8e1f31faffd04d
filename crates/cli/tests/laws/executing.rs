//! Executing programs: they get what they were given, and are traced.

use crate::support::Program;

fn program() -> Program {
    Program::c("executing", &[])
}

#[test]
fn every_way_to_execute_is_followed() {
    let trace = program().keeps_the_law();
    assert_eq!(trace.named("access_exit").filter(|event| event.text.contains("/executed")).count(), 16);
    assert_eq!(trace.count("sched_process_exec"), 17);
    // Once it has succeeded, there is nobody to return.
    assert_eq!(trace.count("execve") + trace.count("fexecve"), 16);
    assert_eq!(trace.count("execve_exit") + trace.count("fexecve_exit"), 0);
}

#[test]
fn spawned_programs_are_followed() {
    let trace = program().arg("spawn").keeps_the_law();
    let spawned = trace.named("access_exit").filter(|event| event.text.contains("/executed"));
    assert_eq!(spawned.count(), 2);
    let failed = trace.only("posix_spawn_exit", "/nowhere");
    assert_eq!((failed.number("ret"), failed.field("error")), (2, Some("ENOENT")));
}

#[test]
fn old_programs_get_the_spawn_that_they_know() {
    program().arg("old").keeps_the_law();
}

#[test]
fn an_environment_too_large_to_complete_is_passed_on_as_it_is() {
    let trace = program().arg("large").keeps_the_law();
    assert_eq!(trace.count("sched_process_exec"), 1, "{trace}");
}

#[test]
fn programs_with_an_empty_environment_are_followed() {
    let shell = "env -i /bin/sh -c 'exec /bin/cat /etc/hostname'; echo ok";
    let trace = Program::at("/bin/sh").arg("-c").arg(shell).keeps_the_law();
    trace.only("sched_process_exec", "filename=\"/bin/cat\"");
}
