//! Showing events as they come: stream, profile.

use super::*;
use std::io::Write;
use std::process::Stdio;

impl Client {
    /// Runs a program that ends at once, and checks that all of `parts` are shown. On a busy machine it can
    /// end before trace-cmd's recorders have begun: then it is run again.
    #[track_caller]
    fn expect_shown(&self, arguments: &str, program: &[&str], parts: &[&str]) {
        let mut shown = String::new();
        for _ in 0..TRIES {
            let mut command = self.command(arguments);
            shown = run(command.args(["--", LOOKBACK, "run", "-q", "--"]).args(program)).success().stdout;
            if parts.iter().all(|part| shown.contains(part)) {
                return;
            }
        }
        panic!("{arguments}: {parts:?} are not in {shown}");
    }
}

/// However soon the program ends: on the kernel's tracefs that is a race, which the events often lose.
#[test]
fn a_stream_shows_the_last_event_too() {
    let Some(client) = Client::new() else { return };
    for arguments in ["stream -e libc:open_exit", "stream -B rare -e libc:open_exit"] {
        let program = ["cat", "/etc/hostname", "/nonexistent"];
        client.expect_shown(
            arguments,
            &program,
            &["pathname=\"/etc/hostname\"", "pathname=\"/nonexistent\""],
        );
    }
}

#[test]
fn a_stream_shows_events_while_the_program_runs() {
    let Some(client) = Client::new() else { return };
    let mut command =
        client.lookback(&["exec", "--", "stdbuf", "-oL", "trace-cmd", "stream", "-e", "libc:open_exit"]);
    command.args([
        "--",
        LOOKBACK,
        "run",
        "-q",
        "--",
        "sh",
        "-c",
        ": < /etc/hostname; read word; : < /etc/passwd",
    ]);
    let mut running = start(command.stdin(Stdio::piped()));
    running.wait_for("pathname=\"/etc/hostname\"");
    assert!(!running.printed().contains("passwd"));
    running.input().write_all(b"go on\n").unwrap();
    assert!(running.wait().success().stdout.contains("pathname=\"/etc/passwd\""));
}

#[test]
fn a_profile_ends_with_its_program() {
    let Some(client) = Client::new() else { return };
    client.expect_shown("profile -e libc:open_exit", &["cat", "/etc/hostname"], &["Event: open_exit:"]);
    assert!(client.says("stat").contains("All disabled"));
}
