//! Where a process comes from that no traced one has made: what the kernel says of it in `/proc/self/status`.
//!
//! To open, read and close a file is what the dynamic linker has just done to load us, so a filter of
//! system calls that the process was started with allows it. It takes some 8 us, once for a process that
//! the session doesn't know.

use control::ProcessStatus;
use core::ops::ControlFlow;
use trace_event::Origin;

/// What the file says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StatusFile {
    /// The process.
    pub(crate) pid: u32,
    /// Its parent.
    parent: u32,
    /// Whether it has no filter of system calls.
    pub(crate) has_no_filter: bool,
}

/// What the hook is asked for by the process's first thread.
pub(crate) fn origin() -> Origin {
    of(trace_event::tid_of_libc(), |status_file| status_file.has_no_filter)
}

/// Where this process, `pid`, comes from, in which system calls may be made if `may_call` finds so. A file of
/// another pid namespace, where the process has another number, is not believed.
pub(crate) fn of(pid: u32, may_call: impl FnOnce(&StatusFile) -> bool) -> Origin {
    let Some(status_file) = read() else { return Origin::default() };
    let may_call = may_call(&status_file);
    let nice = if may_call { own_nice() } else { 0 };
    let is_own_namespace = status_file.pid == pid;
    let parent = if is_own_namespace { status_file.parent } else { 0 };
    Origin { parent, status: ProcessStatus::new(nice, may_call) }
}

/// The process's nice value. A system call that the program hasn't asked for.
fn own_nice() -> i8 {
    rustix::process::getpriority_process(None).map_or(0, |nice| nice as i8)
}

/// Reads the file. None where there is none.
pub(crate) fn read() -> Option<StatusFile> {
    let mut lines = Lines::new();
    let mut status_file = StatusFile::default();
    let mut all = None;
    let look = |piece: &[u8]| {
        for byte in piece {
            let Some(line) = lines.push(*byte) else { continue };
            if let Some(number) = value(line, b"Pid:") {
                status_file.pid = number;
            } else if let Some(number) = value(line, b"PPid:") {
                status_file.parent = number;
            } else if let Some(mode) = value(line, b"Seccomp:") {
                all = Some(StatusFile { has_no_filter: mode == 0, ..status_file });
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    shm::read_pieces(c"/proc/self/status", look).ok()?;
    all
}

/// The starts of lines, which are as long as those that matter: a user may be in thousands of groups.
struct Lines {
    line: [u8; 32],
    len: usize,
}

impl Lines {
    fn new() -> Lines {
        Lines { line: [0; 32], len: 0 }
    }

    /// Takes the next byte, and gives the line that it ends.
    fn push(&mut self, byte: u8) -> Option<&[u8]> {
        if byte == b'\n' {
            let len = core::mem::take(&mut self.len);
            return self.line.get(..len);
        }
        if let Some(place) = self.line.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
        None
    }
}

/// The number in a line that starts with `name`.
fn value(line: &[u8], name: &[u8]) -> Option<u32> {
    let digits = line.strip_prefix(name)?.trim_ascii();
    let mut number = 0_u32;
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number = number.checked_mul(10)?.checked_add(u32::from(digit))?;
    }
    (!digits.is_empty()).then_some(number)
}
