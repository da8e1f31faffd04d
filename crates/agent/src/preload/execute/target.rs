//! What is to be executed: whether the dynamic linker that starts it would load our object.
//!
//! One for programs of 32 bits can't, and complains; one that only lists what a program needs would list it.
//! Files are looked at only where no filter of system calls may be there.

use crate::preload::execute::environment::{entries, for_each_folder};
use crate::preload::execute::vector::{is_readable, text};
use crate::preload::memory::readable::may_ask;
use core::ffi::{CStr, c_char};
use core::ops::ControlFlow;
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, stat};
use rustix::io::pread;

/// What a program hands to a function that executes another, as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExecTarget {
    Path(usize),
    /// A path, or a name that is looked for in `PATH`.
    Name(usize),
    Descriptor(i32),
}

/// Bytes at the start of a file that say what it is; those of a script have space for its interpreter.
const START: usize = 256;

/// Interpreters of scripts that are scripts themselves: as many as the kernel goes through.
const MOST_SCRIPTS: usize = 5;

impl ExecTarget {
    /// Whether it would not load our object, or should not. No system call where a filter may be there.
    ///
    /// # Safety
    ///
    /// `arguments` is what it is to be executed with.
    pub(crate) unsafe fn refuses_object(self, arguments: usize) -> bool {
        if !may_ask() {
            return false;
        }
        match self {
            ExecTarget::Descriptor(fd) => is_narrow_in(fd),
            ExecTarget::Path(path) | ExecTarget::Name(path) => {
                // SAFETY: nobody changes it before it is executed, and it is used no longer.
                let Some(path) = (unsafe { text(path as *const c_char) }) else { return false };
                // SAFETY: the caller's promise.
                self.is_of_another_width(path) || unsafe { lists(path, arguments) }
            }
        }
    }

    fn is_of_another_width(self, path: &CStr) -> bool {
        let mut buffer = [0; START];
        let mut is_there = self.read(path, &mut buffer);
        for _ in 0..MOST_SCRIPTS {
            if !is_there || is_narrow(&buffer) {
                break;
            }
            let mut start = buffer;
            is_there = interpreter(&mut start).is_some_and(|path| read(path, &mut buffer));
        }
        is_there && is_narrow(&buffer)
    }

    /// Reads the start of what is executed by that path. False where there is none.
    fn read(self, path: &CStr, buffer: &mut [u8; START]) -> bool {
        if path.to_bytes().contains(&b'/') || matches!(self, ExecTarget::Path(_)) {
            return read(path, buffer);
        }
        let mut is_found = false;
        for_each_folder(&mut |folder| {
            let mut joined = [0; START];
            let parts = [folder, b"/", path.to_bytes(), b"\0"];
            let len: usize = parts.iter().map(|part| part.len()).sum();
            for (to, from) in joined.iter_mut().zip(parts.into_iter().flatten()) {
                *to = *from;
            }
            let joined = joined.get(..len).and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok());
            is_found = joined.is_some_and(|joined| read(joined, buffer));
            if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_found
    }
}

/// Whether it is the dynamic linker, asked for what a program needs.
///
/// # Safety
///
/// `arguments` is what it is to be executed with.
unsafe fn lists(path: &CStr, arguments: usize) -> bool {
    let path = path.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if !name.starts_with(b"ld") || !name.windows(3).any(|part| part == b".so") {
        return false;
    }
    let arguments = arguments as *const *const c_char;
    // SAFETY: they can be read; the caller's promise.
    is_readable(arguments)
        && unsafe { entries(arguments).any(|argument| CStr::from_ptr(argument) == c"--list") }
}

/// Whether what is open there is a program of 32 bits.
fn is_narrow_in(fd: i32) -> bool {
    let mut buffer = [0; START];
    if fd >= 0 {
        // SAFETY: whether it is open is asked.
        let _ = unsafe { pread(BorrowedFd::borrow_raw(fd), &mut buffer[..], 0) };
    }
    is_narrow(&buffer)
}

/// Reads the start of a file. False where there is none: no other kind is opened, which may do something.
fn read(path: &CStr, buffer: &mut [u8; START]) -> bool {
    *buffer = [0; START];
    let is_file = |mode| FileType::from_raw_mode(mode) == FileType::RegularFile;
    stat(path).is_ok_and(|found| is_file(found.st_mode))
        && shm::read_pieces(path, |piece| {
            for (to, from) in buffer.iter_mut().zip(piece) {
                *to = *from;
            }
            ControlFlow::Break(())
        })
        .is_ok()
}

/// Whether a program that starts so is one of 32 bits.
fn is_narrow(start: &[u8; START]) -> bool {
    start.starts_with(b"\x7fELF\x01")
}

/// The interpreter of a script that starts so.
fn interpreter(start: &mut [u8; START]) -> Option<&CStr> {
    let line = start.strip_prefix(b"#!")?;
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let len = line.iter().skip(blanks).take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | 0)).count();
    *start.get_mut(2 + blanks + len)? = 0;
    CStr::from_bytes_until_nul(start.get(2 + blanks..)?).ok()
}
