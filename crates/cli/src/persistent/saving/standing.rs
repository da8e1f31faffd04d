//! Saving snapshots as they come: by a task of its own, and next to one that copies events.

use super::{NotSaved, save_new};
use crate::arguments::InstanceArguments;
use crate::failure::Done;
use crate::interrupt::stop_flag;
use crate::persistent::watched_session::WatchedSession;
use crate::say::{note, say};
use recording::Obituary;
use session::Instance;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two looks.
const LOOKS: Duration = Duration::from_millis(200);

/// Saves each new snapshot, until a signal ends it, or the session is removed.
pub(crate) fn watch(instance: &InstanceArguments) -> Done {
    let session = instance.open()?;
    let stop = stop_flag()?;
    match session.own_saving() {
        Some((directory, _)) => {
            note!("lookback: saves snapshots of {} to {}", session.path().display(), directory.display())
        }
        None => note!(
            "lookback: snapshots are not saved yet: `lookback set snapshot_save_to DIR` says where to, by this user or root"
        ),
    }
    // A second mapping: who writes has one of its own.
    let obituary = Obituary::new(session.again()?.into_buffer(), &session);
    let file = WatchedSession::at(&session.file());
    let mut saver = Saver::default();
    loop {
        let is_last = stop.load(Relaxed);
        obituary.look(&session);
        session.bring_back_events();
        saver.look(&session);
        if file.is_gone() {
            note!("lookback: the session was removed");
            return Ok(ExitCode::SUCCESS);
        }
        if is_last {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(LOOKS);
    }
}

/// Saves what is to be saved at each look, and says once what is wrong until that changes.
#[derive(Debug, Default)]
struct Saver {
    trouble: Option<String>,
}

impl Saver {
    fn look(&mut self, session: &Instance) {
        let trouble = save_new(session).err().map(|error: NotSaved| error.to_string());
        if let Some(text) = trouble.as_ref().filter(|_| trouble != self.trouble) {
            say!("lookback: {text}: tries again; they stay in the session until others take their place");
        }
        self.trouble = trouble;
    }
}

/// A thread that saves snapshots as long as this lives, and once more at the end.
pub(in crate::persistent) struct SavingThread {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SavingThread {
    /// For a session.
    pub(in crate::persistent) fn start(session: &Arc<Instance>) -> SavingThread {
        let (session, stop) = (session.clone(), Arc::new(AtomicBool::new(false)));
        let is_over = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut saver = Saver::default();
            loop {
                let is_last = is_over.load(Relaxed);
                saver.look(&session);
                if is_last {
                    return;
                }
                std::thread::park_timeout(LOOKS);
            }
        });
        SavingThread { stop, thread: Some(thread) }
    }
}

impl Drop for SavingThread {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Whatever has ended it has been said.
            let _ = thread.join();
        }
    }
}
