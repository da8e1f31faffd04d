//! What `/proc` says of processes and threads, without stopping them.

use crate::refusal::CallRefusal;
use std::fs::{read_dir, read_to_string};
use std::io;

/// A process, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessLook {
    /// The letter of its state, as in `/proc/PID/stat`: `T` for one that is stopped, `Z` for a zombie.
    pub(crate) state: char,
    /// Who traces it; 0 for nobody.
    pub(crate) tracer: u32,
    /// Its user.
    pub(crate) user: u32,
    /// Whether it ignores SIGTRAP.
    pub(crate) ignores_traps: bool,
    /// Whether it has a shadow stack: addresses that functions return to can't be chosen then.
    pub(crate) has_shadow_stack: bool,
}

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadLook {
    /// It runs, or could.
    Runs,
    /// It sleeps in a system call.
    Sleeps(SleepingCall),
    /// It can't be interrupted: it waits for a disk, or for a child of vfork(2).
    Waits,
    /// It is stopped.
    Stopped,
}

/// A system call that a thread sleeps in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SleepingCall {
    /// Its number.
    pub(crate) number: i64,
    /// Its arguments.
    pub(crate) arguments: [u64; 6],
    /// The thread's stack pointer.
    pub(crate) stack: u64,
    /// The address after its instruction.
    pub(crate) returns_to: u64,
}

impl ProcessLook {
    /// Looks at a process. None when there is none.
    pub(crate) fn at(pid: u32) -> Option<ProcessLook> {
        ProcessLook::parse(&read_to_string(format!("/proc/{pid}/status")).ok()?)
    }

    /// Whether nothing speaks against tracing it now, as far as is seen from outside.
    pub(crate) fn may_be_traced(&self) -> Result<(), CallRefusal> {
        match self {
            ProcessLook { state: 'Z' | 'X', .. } => Err(CallRefusal::Gone),
            ProcessLook { tracer, .. } if *tracer != 0 => Err(CallRefusal::Traced(*tracer)),
            ProcessLook { state: 'T', .. } => Err(CallRefusal::Stopped),
            _ => Ok(()),
        }
    }

    fn parse(status: &str) -> Option<ProcessLook> {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()
        };
        let number = |name| field(name).and_then(|word| word.parse().ok());
        Some(ProcessLook {
            state: field("State:")?.chars().next()?,
            tracer: number("TracerPid:").unwrap_or(0),
            user: number("Uid:")?,
            ignores_traps: field("SigIgn:")
                .and_then(|set| u64::from_str_radix(set, 16).ok())
                .is_none_or(|set| set >> (libc::SIGTRAP - 1) & 1 != 0),
            has_shadow_stack: status
                .lines()
                .any(|line| line.starts_with("x86_Thread_features:") && line.contains("shstk")),
        })
    }
}

/// The threads of a process, the first one first.
pub(crate) fn threads(pid: u32) -> Vec<u32> {
    let entries = read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut threads: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    threads
}

impl ThreadLook {
    /// Looks at a thread. Errors: EPERM or EACCES for one who may not trace it; ENOENT or ESRCH when it is
    /// gone.
    pub(crate) fn at(pid: u32, tid: u32) -> io::Result<ThreadLook> {
        let place = |file| format!("/proc/{pid}/task/{tid}/{file}");
        let call = read_to_string(place("syscall"))?;
        Ok(match state(&read_to_string(place("stat"))?) {
            'T' | 't' => ThreadLook::Stopped,
            'D' => ThreadLook::Waits,
            'Z' | 'X' => return Err(io::Error::from_raw_os_error(libc::ESRCH)),
            'S' => sleeping(&call).map_or(ThreadLook::Runs, ThreadLook::Sleeps),
            _ => ThreadLook::Runs,
        })
    }
}

/// The letter after the name, which may have parentheses itself.
fn state(stat: &str) -> char {
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?')
}

/// What `/proc/PID/syscall` says: `running`; or the number, six arguments, the stack pointer, and the address
/// after the instruction. -1 stands for a thread that sleeps, but in none.
fn sleeping(text: &str) -> Option<SleepingCall> {
    let mut words = text.split_whitespace();
    let number = words.next()?.parse().ok().filter(|number| *number >= 0)?;
    let mut address = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        *argument = address()?;
    }
    let stack = address()?;
    Some(SleepingCall { number, arguments, stack, returns_to: address()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_sleeps_in_is_read() {
        let call = sleeping("232 0x7 0x10 0x1 0x5dc 0x0 0x0 0x7ffe378f6d78 0x7fe5d4b57ef3\n").unwrap();
        assert_eq!((call.number, call.arguments[3], call.returns_to), (232, 0x5dc, 0x7fe5_d4b5_7ef3));
        assert_eq!((sleeping("running\n"), sleeping("-1 0x1 0x2\n")), (None, None));
        assert_eq!(state("12 (a) b) S 1 2"), 'S');
    }

    #[test]
    fn a_process_is_looked_at() {
        let own = ProcessLook::at(std::process::id()).unwrap();
        assert_eq!(own.user, rustix::process::getuid().as_raw());
        assert_eq!(ProcessLook::at(u32::MAX), None);
        let status = "Name:\tx\nState:\tT (stopped)\nTracerPid:\t7\n\
                      Uid:\t5\t5\nSigIgn:\t0000000000000010\n";
        let other = ProcessLook::parse(status);
        let stopped =
            ProcessLook { state: 'T', tracer: 7, user: 5, ignores_traps: true, has_shadow_stack: false };
        assert_eq!(other, Some(stopped));
    }
}
