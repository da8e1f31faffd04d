//! `lookback persist`.

use super::saving::SavingThread;
use super::watched_session::WatchedSession;
use crate::arguments::PersistArguments;
use crate::failure::{Done, Failure};
use crate::interrupt::stop_flag;
use crate::number::{bytes, count};
use crate::record::progress::ProgressLines;
use crate::say::{note, say};
use journal::JournalWriter;
use recording::{FollowedSwitches, KernelPage, Obituary, Progress};
use session::{Instance, Pace};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The shortest time between two looks at the buffers, and the longest.
const LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// The time between two looks at which threads are attached: what they do before isn't seen of those that no
/// followed thread has started.
const THREADS: Duration = Duration::from_millis(20);

/// After so long without news it is written that there was none.
const QUIET: Duration = Duration::from_secs(60);

/// Copies what a session records to disk, until a signal ends it, or the session is removed.
pub(crate) fn persist(arguments: &PersistArguments) -> Done {
    let session = Arc::new(arguments.instance.open()?);
    let stop = stop_flag()?;
    // A disk that is slow to take a snapshot keeps no event from being copied.
    let _saving = SavingThread::start(&session);
    let writer = JournalWriter::open(session.clone(), &arguments.directory, arguments.size << 20)?;
    note!(
        "lookback: copies {} to {}, at most {}",
        session.path().display(),
        writer.path().display(),
        bytes(arguments.size << 20)
    );
    let mut persisting = Persisting {
        // A second mapping: who writes has one of its own.
        obituary: Obituary::new(session.again()?.into_buffer(), &session),
        switches: FollowedSwitches::new(&session),
        session,
        writer,
        interval: arguments.interval,
        trouble: None,
        lines: ProgressLines::new(),
        started: Instant::now(),
    };
    let reason = persisting.run(&stop)?;
    let copied = persisting.writer.copied();
    let lost = count(copied.lost, "was lost before it was copied", "were lost before they were copied");
    note!(
        "lookback: {}, {} copied{}{reason}",
        count(copied.events, "event", "events"),
        bytes(copied.bytes),
        if copied.lost > 0 { format!("; {lost}") } else { String::new() }
    );
    match persisting.trouble {
        Some(trouble) => Err(Failure::failed(trouble)),
        None => Ok(ExitCode::SUCCESS),
    }
}

struct Persisting {
    session: Arc<Instance>,
    writer: JournalWriter,
    switches: FollowedSwitches,
    obituary: Obituary,
    interval: Duration,
    /// Why the last try has failed.
    trouble: Option<String>,
    lines: ProgressLines,
    started: Instant,
}

impl Persisting {
    /// Copies until it is to stop, or the session is no longer there. What is to be said of that.
    fn run(&mut self, stop: &AtomicBool) -> Done<&'static str> {
        let file = WatchedSession::at(&self.session.file());
        let capacity = self.session.buffer().smallest_capacity();
        let longest = LOOKS.1.min(self.interval);
        let mut pace = Pace::between(LOOKS.0, longest);
        let (mut commit_due, mut quiet_due) = (Instant::now(), Instant::now() + QUIET);
        let mut threads_due = Instant::now();
        loop {
            let is_last = stop.load(Relaxed);
            let is_gone = file.is_gone();
            let now = Instant::now();
            let mut pause = longest;
            let of_kernel = self.take_switches()?;
            if now >= threads_due {
                self.follow_threads();
                threads_due = now + THREADS;
            }
            match self.writer.look() {
                Ok(fullest) => pause = pace.after_finding(fullest.max(of_kernel), capacity),
                Err(error) => self.tell(error)?,
            }
            self.session.session().check_whole()?;
            if now >= commit_due || is_last || is_gone {
                self.obituary.look(&self.session);
                self.session.bring_back_events();
                let is_quiet_for_long = now >= quiet_due || is_last;
                match self.writer.commit(is_quiet_for_long) {
                    Ok(()) => self.trouble = None,
                    Err(error) => self.tell(error)?,
                }
                commit_due = now + self.interval;
                if is_quiet_for_long {
                    quiet_due = now + QUIET;
                }
            }
            self.tell_progress();
            if is_last || is_gone {
                return Ok(if is_gone { "; the session was removed" } else { "" });
            }
            std::thread::sleep(pause);
        }
    }

    /// Takes which threads have run, and says how much the fullest CPU had, in bytes.
    fn take_switches(&mut self) -> Done<u64> {
        let (writer, mut failed) = (&mut self.writer, None);
        let taken = self.switches.take(&self.session, |page| {
            let KernelPage { cpu, events, lost, bytes } = page;
            // What can't be written now is lost: the kernel has it no longer.
            failed = writer.add(cpu, (events, lost), bytes).err().or(failed.take());
            Ok(())
        });
        failed.map_or(Ok(()), |error| self.tell(error))?;
        taken.map_err(|error| Failure::failed(format!("the kernel's events can't be read: {error}")))
    }

    /// Follows who is attached by now, as far as somebody wants to know which thread runs.
    fn follow_threads(&mut self) {
        if let Some(missing) = self.switches.look(&self.session) {
            say!("lookback: {missing}");
        }
    }

    /// Says once what is wrong, if it can become right again.
    fn tell(&mut self, error: journal::Error) -> Done<()> {
        if !error.is_full() {
            return Err(error.into());
        }
        let text = error.to_string();
        if self.trouble.as_ref() != Some(&text) {
            say!("lookback: {text}: tries again; events stay in the session until they are overwritten");
            self.trouble = Some(text);
        }
        Ok(())
    }

    fn tell_progress(&mut self) {
        let copied = self.writer.copied();
        let progress =
            Progress { processes: 0, events: copied.events, lost: copied.lost, bytes: copied.bytes };
        self.lines.tell(self.started.elapsed(), &progress);
    }
}
