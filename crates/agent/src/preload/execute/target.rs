//! What is to be executed: whether the dynamic linker that starts it would load our object.
//!
//! One for programs of 32 bits can't, and complains; one that only lists what a program needs would list it;
//! others do without it: the session says so of the process. Files are looked at only where no filter of
//! system calls may be there.

use crate::preload::execute::elf::{self, START};
use crate::preload::execute::environment::entries;
use crate::preload::execute::file::ExecFile;
use crate::preload::execute::folders::for_each_folder;
use crate::preload::execute::vector::{is_readable, text};
use crate::preload::memory::readable::may_ask;
use crate::preload::process::attach::comm_of;
use abi::control::Obstacle;
use core::ffi::{CStr, c_char};
use core::ops::ControlFlow;
use rustix::fd::BorrowedFd;

/// What a program hands to a function that executes another, as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExecTarget {
    Path(usize),
    /// A path, or a name that is looked for in `PATH`.
    Name(usize),
    Descriptor(i32),
}

/// The longest path that is looked at where it has to be put together, or stands in a script.
const LONGEST: usize = 512;

/// Interpreters of scripts that are scripts themselves: as many as the kernel goes through.
const MOST_SCRIPTS: usize = 5;

impl ExecTarget {
    /// The name that a process gets which executes it; empty where that isn't known. No system call where a
    /// filter may be there.
    pub(crate) fn name(self) -> [u8; 16] {
        match self {
            ExecTarget::Descriptor(_) => [0; 16],
            ExecTarget::Path(path) | ExecTarget::Name(path) => {
                // SAFETY: nobody changes it before it is executed, and it is used no longer.
                unsafe { text(path as *const c_char) }.map_or([0; 16], comm_of)
            }
        }
    }

    /// Why it would not load our object, or should not. No system call where a filter may be there.
    ///
    /// # Safety
    ///
    /// `arguments` is what it is to be executed with.
    pub(crate) unsafe fn obstacle(self, arguments: usize) -> Option<Obstacle> {
        if !may_ask() {
            return None;
        }
        match self {
            ExecTarget::Descriptor(fd) if fd >= 0 => {
                // SAFETY: whether it is open is asked.
                of_program(&ExecFile::Descriptor(unsafe { BorrowedFd::borrow_raw(fd) }))
            }
            ExecTarget::Descriptor(_) => None,
            ExecTarget::Path(path) | ExecTarget::Name(path) => {
                // SAFETY: nobody changes it before it is executed, and it is used no longer.
                let path = unsafe { text(path as *const c_char) }?;
                // SAFETY: the caller's promise.
                if unsafe { lists(path, arguments) } {
                    return Some(Obstacle::Lists);
                }
                self.at(path, of_program)
            }
        }
    }

    /// What `look` finds in what is executed by that path.
    fn at(self, path: &CStr, look: impl Fn(&ExecFile<'_>) -> Option<Obstacle>) -> Option<Obstacle> {
        if path.to_bytes().contains(&b'/') || matches!(self, ExecTarget::Path(_)) {
            return look(&ExecFile::Path(path));
        }
        let mut found = None;
        for_each_folder(&mut |folder| {
            let mut joined = [0; LONGEST];
            let parts = [folder, b"/", path.to_bytes(), b"\0"];
            let len: usize = parts.iter().map(|part| part.len()).sum();
            for (to, from) in joined.iter_mut().zip(parts.into_iter().flatten()) {
                *to = *from;
            }
            let joined = joined.get(..len).and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok());
            match joined.map(ExecFile::Path).filter(ExecFile::is_program) {
                Some(file) => {
                    found = look(&file);
                    ControlFlow::Break(())
                }
                None => ControlFlow::Continue(()),
            }
        });
        found
    }
}

/// Why a program would not load our object, as far as its file shows; for a script, as far as that of its
/// interpreter does.
fn of_program(file: &ExecFile<'_>) -> Option<Obstacle> {
    let mut start = [0; START];
    file.read(&mut start);
    let mut path = [0; LONGEST];
    for _ in 0..MOST_SCRIPTS {
        let Some(interpreter) = interpreter(&start, &mut path) else { break };
        let interpreter = ExecFile::Path(interpreter);
        interpreter.read(&mut start);
        if !start.starts_with(b"#!") {
            return of_file(&interpreter, &start);
        }
    }
    of_file(file, &start)
}

fn of_file(file: &ExecFile<'_>, start: &[u8; START]) -> Option<Obstacle> {
    let by_rights = || file.status().and_then(|status| file.rights(&status));
    match elf::obstacle(start) {
        Some(Obstacle::Static) if file.is_linker() => None,
        found => found.or_else(by_rights),
    }
}

/// Whether it is the dynamic linker, asked for what a program needs.
///
/// # Safety
///
/// `arguments` is what it is to be executed with.
unsafe fn lists(path: &CStr, arguments: usize) -> bool {
    let arguments = arguments as *const *const c_char;
    // SAFETY: they can be read; the caller's promise.
    ExecFile::Path(path).is_linker()
        && is_readable(arguments)
        && unsafe { entries(arguments).any(|argument| CStr::from_ptr(argument) == c"--list") }
}

/// The interpreter of a script that starts so, as a path in `buffer`.
fn interpreter<'a>(start: &[u8; START], buffer: &'a mut [u8; LONGEST]) -> Option<&'a CStr> {
    let line = start.strip_prefix(b"#!")?.split(|byte| matches!(byte, b'\n' | 0)).next()?;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut words = line.split(is_blank);
    let path = words.find(|word| !word.is_empty())?;
    *buffer = [0; LONGEST];
    buffer.get_mut(..path.len())?.copy_from_slice(path);
    CStr::from_bytes_until_nul(buffer).ok()
}
