//! Starting a program as if whoever started this one had started it.
//!
//! Before `main`, Rust's runtime ignores SIGPIPE and opens `/dev/null` in place of standard descriptors
//! that are closed; and a child that is started by [`Command`] always has SIGPIPE's default action. So a
//! program that is run through a Rust program doesn't find what it would find without it. Here is what was
//! there at first, and how to hand it on.
//!
//! What this crate is not: it starts nothing, and it changes nothing in this process.
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
//! Between fork and exec only async-signal-safe functions are called: signal(2) and close(2). What they are
//! called with was read before any thread was there.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// What was so at the start of this process: a bit for each standard descriptor that was closed, and
/// [`IGNORES_SIGPIPE`].
static AT_START: AtomicU8 = AtomicU8::new(0);

const IGNORES_SIGPIPE: u8 = 1 << 3;

/// Run by the dynamic linker, before Rust's runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        let closed = (0..3).filter(|descriptor| is_closed(*descriptor)).map(|descriptor| 1 << descriptor);
        let ignores = if ignores_sigpipe() { IGNORES_SIGPIPE } else { 0 };
        AT_START.store(closed.sum::<u8>() | ignores, Relaxed);
    }
    look
};

fn is_closed(descriptor: i32) -> bool {
    // SAFETY: asks for flags.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) == -1 }
}

fn ignores_sigpipe() -> bool {
    // SAFETY: asks for the action; zeros are a value of the structure.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Has the program of `command` start with SIGPIPE ignored, and with standard descriptors closed, if this
/// process was started so. Call it once.
///
/// The child is then always made by fork(2): glibc's posix_spawn(3) has it ignore two signals that libc uses
/// itself.
pub fn hand_on(command: &mut Command) {
    let at_start = AT_START.load(Relaxed);
    // SAFETY: async-signal-safe calls only, see above.
    unsafe {
        command.pre_exec(move || {
            for descriptor in (0..3).filter(|descriptor| at_start & 1 << descriptor != 0) {
                libc::close(descriptor);
            }
            if at_start & IGNORES_SIGPIPE != 0 {
                libc::signal(libc::SIGPIPE, libc::SIG_IGN);
            }
            Ok(())
        });
    }
}
