//! Starting a program as if whoever started this one had started it.
//!
//! Before `main`, Rust's runtime ignores SIGPIPE and opens `/dev/null` in place of standard descriptors
//! that are closed; and a child that is started by [`Command`] always has SIGPIPE's default action. So a
//! program that is run through a Rust program doesn't find what it would find without it. Here is what was
//! there at first, and how to hand it on. SIGCHLD is not ignored either, as who ignores that can't wait for a
//! child; and umask(2) doesn't keep the user from the files that this process makes.
//!
//! A program can also be started where other things are mounted than elsewhere: [`leave_mounts`]. Who waits
//! for a program that is stopped stops likewise: [`stop_by`].
//!
//! What this crate is not: it starts nothing.
//!
//! ```
//! use std::process::Command;
//!
//! let mut command = Command::new("true");
//! launch::hand_on(&mut command);
//! assert!(command.status().unwrap().success());
//! ```
//!
//! # Safety
//!
//! Between fork and exec only async-signal-safe functions are called: signal(2), close(2), getpid(2) and
//! write(2). What they are called with was read before any thread was there, or is a file that is open. A
//! signal has the default action for the time of a stop, in which no thread runs. unshare(2) is called
//! without flags that are about memory, descriptors or threads.

use std::fs::File;
use std::io::{Cursor, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32};

/// What was so at the start of this process: a bit for each standard descriptor that was closed, and for each
/// signal of [`SIGNALS`] that was ignored.
static AT_START: AtomicU8 = AtomicU8::new(0);

/// Signals whose action is changed here, and their bits.
const SIGNALS: [(i32, u8); 2] = [(libc::SIGPIPE, 1 << 3), (libc::SIGCHLD, 1 << 4)];

/// The mask of the modes of new files.
static MASK: AtomicU32 = AtomicU32::new(0);

/// Run by the dynamic linker, before Rust's runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        let closed = (0..3).filter(|descriptor| is_closed(*descriptor)).map(|descriptor| 1 << descriptor);
        let ignored = SIGNALS.iter().filter(|(signal, _)| is_ignored(*signal)).map(|(_, bit)| bit);
        AT_START.store(closed.sum::<u8>() | ignored.sum::<u8>(), Relaxed);
        // SAFETY: the default action; a mask of modes.
        unsafe {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            let mask = libc::umask(0o777);
            libc::umask(mask & !0o700);
            MASK.store(mask, Relaxed);
        }
    }
    look
};

fn is_closed(descriptor: i32) -> bool {
    // SAFETY: asks for flags.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) == -1 }
}

/// Whether this process ignores a signal.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: asks for the action; zeros are a value of the structure.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Has the program of `command` start with SIGPIPE and SIGCHLD ignored, and with standard descriptors closed,
/// if this process was started so. Call it once.
///
/// The child is then always made by fork(2): glibc's posix_spawn(3) has it ignore two signals that libc uses
/// itself.
pub fn hand_on(command: &mut Command) {
    let (at_start, mask) = (AT_START.load(Relaxed), MASK.load(Relaxed));
    // SAFETY: async-signal-safe calls only, see above.
    unsafe {
        command.pre_exec(move || {
            for descriptor in (0..3).filter(|descriptor| at_start & 1 << descriptor != 0) {
                libc::close(descriptor);
            }
            libc::umask(mask);
            for (signal, _) in SIGNALS.iter().filter(|(_, bit)| at_start & bit != 0) {
                libc::signal(*signal, libc::SIG_IGN);
            }
            Ok(())
        });
    }
}

/// Has the program's process write its PID to a file before it is executed: to a list of the kernel's that
/// whatever a process starts is in, too. Where that fails the program is started all the same.
pub fn enter_by(command: &mut Command, file: File) {
    // SAFETY: it allocates nothing; getpid(2) and write(2) are async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            let mut text = Cursor::new([0; 10]);
            let _ = write!(text, "{}", std::process::id());
            let length = text.position() as usize;
            let _ = (&file).write(&text.get_ref()[..length]);
            Ok(())
        });
    }
}

/// Gives this process, and what it starts from here on, a mount namespace of its own, and if `with_user` a
/// user namespace too, in which it may mount. Nothing is mapped in that yet: user_namespaces(7).
///
/// To be called before there is a second thread.
///
/// # Errors
///
/// EPERM without the right to do so, EINVAL where there are threads, ENOSPC for more than the system allows.
pub fn leave_mounts(with_user: bool) -> std::io::Result<()> {
    let user = if with_user { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: it changes what paths and rights mean, but nothing that Rust knows of.
    match unsafe { libc::unshare(libc::CLONE_NEWNS | user) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Stops this process by `signal`, as if nobody handled that, and returns when it is continued: at once where
/// the signal is blocked, or where the kernel stops nobody (an orphaned process group).
///
/// Who waits for this process sees by which signal it was stopped.
pub fn stop_by(signal: i32) {
    // SAFETY: zeros are a value of the structure, that of the default action. The signal goes to this very
    // thread, so that it is delivered before the handler is back.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let default: libc::sigaction = std::mem::zeroed();
        let is_changed = libc::sigaction(signal, &default, &mut before) == 0;
        libc::raise(signal);
        if is_changed {
            libc::sigaction(signal, &before, std::ptr::null_mut());
        }
    }
}
