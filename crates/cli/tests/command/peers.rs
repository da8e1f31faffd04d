//! Calls on descriptors say what they are of: a file's path, a socket's peer.

use crate::common::*;

/// What the program says of its calls, and how they are shown.
fn recorded(scratch: &Scratch, source: &str, options: &[&str]) -> (String, String) {
    let program = compile(scratch, "program", source, &["-w"]);
    let outcome = run(&mut scratch.record(&[&["-q"], options].concat(), &[program.to_str().unwrap()]));
    let said = outcome.success().stdout;
    (said, run(&mut scratch.report(&["--calls"])).success().stdout)
}

/// Whether what the program says stands in the calls, in that order.
fn check(said: &str, calls: &str) {
    let mut lines = calls.lines();
    for expected in said.lines() {
        let is_it = |line: &str| {
            let call = line.split_once(": ").map_or("", |(_, call)| call.trim_start());
            call.starts_with(expected)
        };
        assert!(lines.any(is_it), "no {expected} in\n{calls}");
    }
}

#[test]
fn a_descriptor_has_the_path_of_its_file() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (said, calls) = recorded(&scratch, include_str!("programs/files.c"), &[]);
    assert_eq!(said.lines().count(), 7, "{said}");
    check(&said, &calls);
    let of_cat: Vec<&str> = calls.lines().filter(|line| line.trim_start().starts_with("cat-")).collect();
    assert!(of_cat.iter().any(|line| line.contains("(fd=0, ")), "{calls}");
    assert!(!of_cat.iter().any(|line| line.contains("passwd")), "{calls}");
    let hidden = run(&mut scratch.report(&["--calls", "--redact", "*.pathname"])).success().stdout;
    assert!(hidden.contains("read(fd=3, ") || hidden.contains("<***/***>"), "{hidden}");
    assert!(!hidden.contains("passwd"), "{hidden}");
}

#[test]
fn a_descriptor_has_its_peer() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (said, calls) = recorded(&scratch, include_str!("programs/peers.c"), &[]);
    assert_eq!(said.lines().count(), 10, "{said}");
    check(&said, &calls);
    // IPv4 in the clothes of IPv6 reads as IPv4.
    let connected = calls.lines().find(|line| line.contains(": connect(")).unwrap();
    assert!(connected.contains("addr=\"127.0.0.1:") && connected.contains("addrlen=28"), "{connected}");
    let json = run(&mut scratch.report(&["--json", "-e", "libc:write"])).success().stdout;
    assert!(json.contains("\"descriptors\":{\"fd\":\"127.0.0.1:"), "{json}");
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
    let (_, calls) = recorded(
        &scratch,
        include_str!("programs/peers.c"),
        &["-e", "connect*", "-e", "accept*", "-e", "write*", "-e", "shutdown*"],
    );
    let mut descriptors =
        calls.split("fd=").skip(1).map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    assert!(calls.contains(": write(fd=") && !descriptors.any(|rest| rest.starts_with('<')), "{calls}");
}
