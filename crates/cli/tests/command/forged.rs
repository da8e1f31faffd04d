//! Names that would make lines of their own, or that a terminal would obey: they are shown, not done.

use crate::common::*;

/// Gives itself a name and opens a file, both with what looks like another event.
const FORGER: &str = r#"
import ctypes, os
forged = "x\n            sshd-4711    [000] .....     1.000000: execve: forged\x1b[2J"
PR_SET_NAME = 15
ctypes.CDLL(None).prctl(PR_SET_NAME, b"a\nb\x1b[1m", 0, 0, 0)
for path in [forged, "tab\there", "caf\u00e9", "\udc9b"]:
    try:
        open(os.fsencode(path))
    except OSError:
        pass
"#;

/// What a text has besides letters and line ends.
fn controls(text: &str) -> Vec<char> {
    text.chars().filter(|letter| letter.is_control() && *letter != '\n').collect()
}

#[track_caller]
fn assert_is_told(text: &str) {
    assert_eq!(controls(text), [], "{text}");
    assert!(!text.lines().any(|line| line.trim_start().starts_with("sshd-4711")), "{text}");
    assert!(text.contains(r"b\033[1m-"), "{text}");
}

#[test]
fn a_program_can_not_forge_lines_of_a_report() {
    let scratch = Scratch::new();
    let (outcome, _) = scratch.recorded(&["python3", "-c", FORGER]);
    outcome.success();
    let text = run(&mut scratch.report(&["-e", "libc:open*"])).success().stdout;
    assert_is_told(&text);
    for path in [
        r#""x\n            sshd-4711    [000] .....     1.000000: execve: forged\033[2J""#,
        r#""tab\there""#,
        "\"caf\u{e9}\"",
        r#""\233""#,
    ] {
        assert!(text.contains(&format!("pathname={path}")), "{path}:\n{text}");
    }
    assert_is_told(&run(&mut scratch.report(&["--stat"])).success().stdout);
    let json = run(&mut scratch.report(&["--json", "-e", "libc:open*"])).success().stdout;
    assert!(json.contains(r#""tab\there""#) && controls(&json).is_empty(), "{json}");
}

#[test]
fn nor_of_what_a_session_shows() {
    let scratch = Scratch::new();
    let session = scratch.outside("session");
    let session = session.to_str().unwrap();
    let lookback = |words: &[&str]| run(&mut scratch.lookback(words)).success().stdout;
    lookback(&["start", "-q", "--session", session]);
    lookback(&["run", "-q", "--session", session, "--", "python3", "-c", FORGER]);
    assert_is_told(&lookback(&["show", "--session", session, "-e", "libc:open*"]));
    // The tree is the kernel's, where names are as they are.
    assert!(lookback(&["get", "--session", session, "trace"]).contains("b\u{1b}[1m-"));
    lookback(&["delete", "--session", session]);
}
