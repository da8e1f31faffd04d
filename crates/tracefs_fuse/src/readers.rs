//! Who reads the tree: what such a process does is not recorded.
//!
//! It would be events of the reading itself, and a program that waits for events would see its own for ever.

use session::{Instance, pid_namespace};
use std::fs::read_to_string;

/// Leaves processes out of a session that read its tree.
pub(crate) struct Readers {
    /// The pid namespace of the server, which its requests count in. Processes that count in another are not
    /// known by their numbers.
    namespace: u64,
    /// The thread that was looked for last, and is of no process that the session knows.
    stranger: u32,
}

impl Readers {
    pub(crate) fn new() -> Readers {
        Readers { namespace: pid_namespace(), stranger: 0 }
    }

    /// Notes that a thread reads. What the kernel asks for by itself is of none: 0.
    ///
    /// Cost: some loads, for the first thread of an attached process and for others that have recorded
    /// something; for a thread that has not, opening a file.
    pub(crate) fn note(&mut self, session: &Instance, tid: u32) {
        if tid == 0 || tid == self.stranger {
            return;
        }
        let task = session.control().find_task(tid);
        if !task.is_some_and(|task| self.leave_out(session, task.tgid))
            && !process_of(tid).is_some_and(|pid| self.leave_out(session, pid))
        {
            self.stranger = tid;
        }
    }

    /// Whether the session knows the process, and so leaves it out.
    fn leave_out(&self, session: &Instance, pid: u32) -> bool {
        let control = session.control();
        // One whose namespace isn't known counts as one of this.
        let found =
            [self.namespace, 0].into_iter().find_map(|namespace| control.find_process_in(pid, namespace));
        if let Some(process) = found.filter(|process| !process.status.is_left_out()) {
            control.leave_out(process.entry);
        }
        found.is_some()
    }
}

/// The process of a thread.
fn process_of(tid: u32) -> Option<u32> {
    parse_process(&read_to_string(format!("/proc/{tid}/status")).ok()?)
}

fn parse_process(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_of_its_process() {
        assert_eq!(parse_process("Name:\tTgid:\nTgid:\t40\nPid:\t41\n"), Some(40));
        assert_eq!(parse_process("Pid:\t41\n"), None);
        let own = std::process::id();
        std::thread::spawn(move || assert_eq!(process_of(session::Author::current().tid), Some(own)))
            .join()
            .unwrap();
    }
}
