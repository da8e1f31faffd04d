//! Calls on sockets say whom the socket is connected to.

use crate::common::*;

/// What the program says of its calls, and how they are shown.
fn recorded(scratch: &Scratch, options: &[&str]) -> (String, String) {
    let program = compile(scratch, "peers", include_str!("programs/peers.c"), &["-w"]);
    let outcome = run(&mut scratch.record(&[&["-q"], options].concat(), &[program.to_str().unwrap()]));
    let said = outcome.success().stdout;
    (said, run(&mut scratch.report(&["--calls"])).success().stdout)
}

#[test]
fn a_descriptor_has_its_peer() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (said, calls) = recorded(&scratch, &[]);
    assert_eq!(said.lines().count(), 10, "{said}");
    let mut lines = calls.lines();
    for expected in said.lines() {
        assert!(lines.any(|line| line.contains(&format!(": {expected}"))), "no {expected} in\n{calls}");
    }
    // IPv4 in the clothes of IPv6 reads as IPv4.
    let connected = calls.lines().find(|line| line.contains(": connect(")).unwrap();
    assert!(connected.contains("addr=\"127.0.0.1:") && connected.contains("addrlen=28"), "{connected}");
    let hidden = ["--calls", "-e", "libc:write", "--redact", "*.addr"];
    let hidden = run(&mut scratch.report(&hidden)).success().stdout;
    assert!(hidden.contains("<***>") && !hidden.contains("127.0.0.1"), "{hidden}");
}

#[test]
fn nothing_is_said_where_the_end_of_descriptors_is_not_recorded() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (_, calls) =
        recorded(&scratch, &["-e", "connect*", "-e", "accept*", "-e", "write*", "-e", "shutdown*"]);
    assert!(calls.contains(": write(fd=") && !calls.contains("<127"), "{calls}");
}
