//! trace-cmd of Debian, unchanged, on a session.

use crate::common::*;
use session::{Options, Session};
use std::process::Command;

/// A session, for which trace-cmd runs by `lookback exec`.
struct Client {
    scratch: Scratch,
}

impl Client {
    /// None where trace-cmd is not installed.
    fn new() -> Option<Client> {
        Client::with_buffer(1024)
    }

    /// With so many KB for each CPU.
    fn with_buffer(buffer_kb: u64) -> Option<Client> {
        if is_missing(&["trace-cmd"]) {
            return None;
        }
        let scratch = Scratch::new();
        let options = Options { buffer_kb, snapshots: 1, instances: 2, ..Options::default() };
        Session::create(&scratch.path("session"), &options).unwrap();
        Some(Client { scratch })
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session")).env("LOOKBACK", LOOKBACK);
        command
    }

    /// What `trace-cmd` with these arguments says.
    fn says(&self, arguments: &str) -> String {
        let words = arguments.split(' ').filter(|word| !word.is_empty());
        let all: Vec<&str> = ["exec", "--", "trace-cmd"].into_iter().chain(words).collect();
        run(&mut self.lookback(&all)).success().stdout
    }

    /// The lines of a recording that are about an event.
    fn recorded(&self, event: &str) -> Vec<String> {
        let report = run(self.scratch.command("trace-cmd").args(["report", "-i", "trace.dat"])).success();
        let word = format!(" {event}: ");
        report.stdout.lines().filter(|line| line.contains(&word)).map(String::from).collect()
    }

    /// Records `program`, which takes part in the session, with more arguments.
    fn record(&self, arguments: &str, program: &[&str]) -> Outcome {
        let mut command = self.lookback(&["exec", "--", "trace-cmd", "record"]);
        command.args(arguments.split(' ')).args(["--", LOOKBACK, "run", "-q", "--"]).args(program);
        run(&mut command)
    }
}

#[test]
fn it_lists_what_there_is() {
    let Some(client) = Client::new() else { return };
    assert_eq!(client.says("list -e libc:^open$"), "libc:open\n");
    assert!(client.says("list -e libc:^open$ -F").contains("field:unsigned int flags;"));
    assert_eq!(client.says("list -t"), "nop\n");
    assert!(client.says("list -o").lines().any(|line| line == "overwrite"));
    assert!(client.says("list -C").contains("[mono]"));
    assert_eq!(client.says("list -B"), "flight\n", "the recording, beside which clients work");
    assert!(client.says("stat").contains("Events:\n All disabled\n"));
}

#[test]
fn it_starts_shows_and_stops() {
    let Some(client) = Client::new() else { return };
    client.says("start -e libc:open");
    run(client.lookback(&["run", "-q", "--", "cat", "/etc/hostname"]).stdin(std::process::Stdio::null()))
        .success();
    client.says("stop");
    let shown = client.says("show");
    assert!(shown.lines().any(|line| line.contains(" cat-") && line.contains(" open: ")), "{shown}");
    assert!(client.says("show -p").contains(" open: "), "recording is off: it ends");
    assert!(!client.says("show").contains(" open: "));
    client.says("restart");
    assert!(client.says("stat").contains("    libc\n        open\n"), "{}", client.says("stat"));
    client.says("set -e sched:sched_process_exec");
    client.says("reset");
    assert!(client.says("stat").contains("Events:\n All disabled\n"));
}

#[test]
fn it_takes_snapshots_and_extracts() {
    let Some(client) = Client::new() else { return };
    client.says("start -e libc:open");
    run(&mut client.lookback(&["run", "-q", "--", "cat", "/etc/hostname"])).success();
    client.says("snapshot -s");
    assert!(client.says("snapshot").contains(" open: ") && client.says("show -s").contains(" open: "));
    client.says("snapshot -r");
    assert!(client.says("snapshot").contains("Snapshot is allocated"));
    client.says("snapshot -f");
    assert!(client.says("snapshot").contains("Snapshot is freed"));
    run(&mut client.lookback(&["run", "-q", "--", "cat", "/etc/hostname"])).success();
    client.says("extract");
    assert!(client.recorded("open").iter().any(|line| line.contains("cat-")));
    client.says("clear");
    assert!(!client.says("show").contains(" open: "));
}

#[test]
fn it_records_by_splice_and_by_read() {
    let Some(client) = Client::new() else { return };
    // On a loaded machine trace-cmd's recorders may begin only when a shorter program has ended.
    let program = ["sh", "-c", "sleep 0.3; exec cat /etc/hostname /nonexistent"];
    let opens = |client: &Client| {
        let lines = client.recorded("open_exit");
        assert!(lines.iter().any(|line| line.contains("pathname=\"/etc/hostname\"")), "{lines:#?}");
        lines
    };
    for arguments in ["-e libc", "--nosplice -e libc", "-e libc -C boot", "-e libc -b 2000"] {
        run(client.scratch.command("rm").args(["-f", "trace.dat"])).success();
        let outcome = client.record(arguments, &program);
        assert!(outcome.stderr.contains("/nonexistent"), "{arguments}: {outcome:#?}");
        assert!(opens(&client).iter().any(|line| line.contains("error=ENOENT")), "{arguments}");
        // Callers have names, by the file that lies over kallsyms.
        assert!(client.recorded("open").iter().any(|line| line.contains("caller=cat+0x")), "{arguments}");
    }
    client.record("-e libc:open_exit -f ret<0", &program);
    let lines = client.recorded("open_exit");
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("error=")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("hostname")), "{lines:#?}");
}

#[test]
fn it_records_into_an_instance() {
    let Some(client) = Client::new() else { return };
    client.record("-B rare -e libc:open", &["cat", "/etc/hostname"]).success();
    let lines = client.recorded("open");
    assert!(lines.iter().any(|line| line.contains("rare:") && line.contains("caller=cat+0x")), "{lines:#?}");
    assert_eq!(client.says("list -B"), "flight\n", "it removes what it has made");
    client.says("start -B rare -e libc:open");
    assert!(client.says("list -B").contains("rare"));
    client.says("reset -a -d");
    assert_eq!(client.says("list -B"), "flight\n", "the recording, beside which clients work");
}

/// Nothing is lost on the way from the buffer to the file, however fast it comes.
#[test]
fn a_fast_producer_is_recorded_whole() {
    let Some(client) = Client::with_buffer(8192) else { return };
    let count = 30_000;
    let script = format!("import os\nfor n in range({count}): os.access('/' + str(n), 0)");
    let outcome = client.record("-e libc:access", &["python3", "-c", &script]).success();
    assert!(!outcome.stderr.contains("lost"), "{outcome:#?}");
    assert_eq!(client.recorded("access").len(), count);
}
