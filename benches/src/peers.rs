//! What else can watch the calls of a program that was not built for it.

use crate::program::is_installed;
use std::path::Path;
use std::process::Command;

/// A tool that runs a program and records its calls.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// Its row.
    pub row: &'static str,
    /// Calls in a round: it is to take some milliseconds.
    pub calls: u64,
    program: &'static str,
    arguments: &'static [&'static str],
}

/// Those that are common. Each writes what it sees, as it does when used.
pub const PEERS: &[Peer] = &[
    Peer {
        row: "strace_call_factor",
        calls: 200,
        program: "strace",
        arguments: &["-f", "-tt", "-e", "trace=read", "-o", "/dev/null"],
    },
    Peer {
        row: "ltrace_call_factor",
        calls: 100,
        program: "ltrace",
        arguments: &["-f", "-tt", "-e", "read", "-o", "/dev/null"],
    },
    UFTRACE,
];

/// Debian's uftrace.
pub const UFTRACE: Peer = Peer {
    row: "uftrace_call_factor",
    calls: 10_000,
    program: "uftrace",
    arguments: &["record", "--force", "--no-pager"],
};

impl Peer {
    /// The command that runs `program` under it, with what it writes in `directory`.
    pub fn command(&self, program: &Path, directory: &Path) -> Result<Command, String> {
        if !is_installed(self.program) {
            return Err(format!("{} is not installed", self.program));
        }
        let mut command = Command::new(self.program);
        command.args(self.arguments);
        if self.program == "uftrace" {
            command.arg("-d").arg(directory.join("uftrace.data"));
        }
        command.arg(program);
        Ok(command)
    }
}
