//! The program and this process as one job of a shell: stopped and continued together.
//!
//! The shell waits for this process alone. Of a program that stops, by Control-Z or by a signal that only it
//! has got, the shell is to see what it would see without us, and what continues the job continues the
//! program. What stops the job by Control-Z is up to the program, which may handle that or ignore it: it does
//! not stop this process by itself.

use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Signal, WaitId, WaitIdOptions, pidfd_send_signal, waitid};
use std::time::{Duration, Instant};

/// How long the program has to be stopped, or to be continued, by what stops or continues all of the job.
const GRACE: Duration = Duration::from_millis(20);

/// Stops this process whenever the program has stopped, and continues the program when it is continued
/// itself. Returns when the program has ended.
pub(crate) fn stop_with(program: &OwnedFd) {
    const LEFT: WaitIdOptions = WaitIdOptions::NOWAIT;
    const NOW: WaitIdOptions = WaitIdOptions::NOHANG;
    const STOPPED: WaitIdOptions = WaitIdOptions::STOPPED;
    let wait = |options| waitid(WaitId::PidFd(program.as_fd()), options);
    loop {
        match wait(STOPPED | LEFT) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        let since = Instant::now();
        std::thread::sleep(GRACE);
        // All of the job was stopped meanwhile, and this process may be continued before the program is.
        if since.elapsed() > GRACE * 2 {
            std::thread::sleep(GRACE);
        }
        let stopped = wait(STOPPED | NOW).ok().flatten();
        let Some(signal) = stopped.and_then(|status| status.stopping_signal()) else { continue };
        launch::stop_by(signal);
        std::thread::sleep(GRACE);
        // It was not continued, nor stopped again since.
        if matches!(wait(STOPPED | WaitIdOptions::CONTINUED | NOW | LEFT), Ok(None)) {
            let _ = pidfd_send_signal(program, Signal::CONT);
        }
    }
}
