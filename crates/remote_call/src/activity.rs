//! What a process is doing, in words: why it doesn't come by by itself.

use crate::CallRefusal;
use crate::candidate::name;
use crate::look::{ProcessLook, ThreadLook, threads};
use crate::slept::slept;
use crate::target::not_permitted;
use std::time::Duration;

/// What a process is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// There is no such process any more.
    Gone,
    /// It is stopped by a signal.
    Stopped,
    /// It is stopped by the process that traces it.
    StoppedBy(u32),
    /// At least one of its threads runs.
    Runs,
    /// All its threads sleep.
    Sleeps {
        /// The system call of the thread that fell asleep last.
        call: String,
        /// How long that has slept, where the kernel says so.
        slept: Option<Duration>,
    },
    /// This user may not look.
    Hidden(CallRefusal),
}

impl Activity {
    /// Looks at a process, and stops nobody.
    pub fn of(pid: u32) -> Activity {
        match ProcessLook::at(pid) {
            None | Some(ProcessLook { state: 'Z' | 'X', .. }) => Activity::Gone,
            Some(ProcessLook { state: 't', tracer, .. }) => Activity::StoppedBy(tracer),
            Some(ProcessLook { state: 'T', .. }) => Activity::Stopped,
            Some(_) => Activity::of_threads(pid),
        }
    }

    fn of_threads(pid: u32) -> Activity {
        let mut last: Option<(Option<Duration>, String)> = None;
        for tid in threads(pid) {
            match ThreadLook::at(pid, tid) {
                Ok(ThreadLook::Runs) => return Activity::Runs,
                Ok(ThreadLook::Sleeps(call)) => {
                    let slept = slept(pid, tid);
                    let is_later = last.as_ref().is_none_or(|(before, _)| slept < *before);
                    if is_later {
                        last = Some((slept, name(call.number)));
                    }
                }
                Ok(ThreadLook::Waits) => last = last.or(Some((None, "a wait of the kernel's".to_owned()))),
                Ok(ThreadLook::Stopped) => return Activity::Stopped,
                Err(error) => match not_permitted(pid, &error) {
                    CallRefusal::Gone => {}
                    refusal => return Activity::Hidden(refusal),
                },
            }
        }
        last.map_or(Activity::Gone, |(slept, call)| Activity::Sleeps { call, slept })
    }
}
