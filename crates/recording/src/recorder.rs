//! Recording: a thread that empties a session while programs write to it.

use crate::Error;
use crate::backup::Copy;
use crate::drain::Drain;
use crate::kernel::{KernelEvents, KernelSelection};
use crate::kernel_spools::KernelSpools;
use crate::obituary::Obituary;
use crate::recorded::Recorded;
use crate::switches::SwitchRecording;
use reading::{ClockSync, SessionRecords, Tables};
use session::{Instance, Pace};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two visits to the buffers.
const VISITS: Pace = Pace::between(Duration::from_millis(1), Duration::from_millis(32));

/// Time between two looks at the tables.
const TABLES: Duration = Duration::from_millis(50);

/// Time between two copies of what describes the events.
const COPIES: Duration = Duration::from_secs(1);

/// How far a recording is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Processes seen.
    pub processes: u64,
    /// Events consumed from the buffers.
    pub events: u64,
    /// Events lost.
    pub lost: u64,
    /// Bytes taken.
    pub bytes: u64,
}

/// [`Progress`], shared by two threads.
#[derive(Debug, Default)]
struct SharedProgress {
    processes: AtomicU64,
    events: AtomicU64,
    lost: AtomicU64,
    bytes: AtomicU64,
}

/// A session that is being recorded.
#[derive(Debug)]
pub struct Recorder {
    session: Arc<Instance>,
    progress: Arc<SharedProgress>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<Recorded, Error>>>,
    /// By which a process has its threads followed by the kernel.
    entrances: Vec<File>,
    without_switches: Option<String>,
}

impl Recorder {
    /// Starts to record the session at `path`: from now on its buffers are emptied, by a thread of this
    /// process, into files without a name in `directory`. So are events of the kernel's that are selected.
    ///
    /// # Errors
    ///
    /// When the session can't be opened, or the kernel's events can't be had.
    pub fn start(path: &Path, directory: &Path, selection: &KernelSelection) -> Result<Recorder, Error> {
        let session = Arc::new(Instance::open(path)?);
        let drain = Drain::new(&session, directory)?;
        let mut kernel = KernelEvents::start(&session, directory, selection)?;
        let (mut switches, without_switches) = SwitchRecording::start(&session, directory);
        let of_switches = switches.as_mut().and_then(SwitchRecording::entrance);
        let of_kernel = kernel.as_mut().and_then(KernelEvents::entrance);
        let entrances = of_switches.into_iter().chain(of_kernel).collect();
        session.control().set_collected(0);
        let progress = Arc::new(SharedProgress::default());
        let (stop, stopped) = channel();
        let work = Work {
            session: session.clone(),
            directory: directory.to_path_buf(),
            drain,
            switches,
            kernel,
            tables: Tables::default(),
            clocks: ClockSync::since(session.control().identity().created),
            progress: progress.clone(),
        };
        // A second mapping: who writes has one of its own.
        let buffer = Instance::open(path)?.into_buffer();
        let thread = std::thread::spawn(move || work.run(buffer, &stopped));
        let (stop, thread) = (Some(stop), Some(thread));
        Ok(Recorder { session, progress, stop, thread, entrances, without_switches })
    }

    /// The session.
    pub fn session(&self) -> &Instance {
        &self.session
    }

    /// The files to which a process writes its PID, to have the kernel's events of its threads recorded from
    /// its start on, too; where those are recorded.
    pub fn entrances(&self) -> &[File] {
        &self.entrances
    }

    /// Which events of which thread runs are not recorded although they are enabled, and why.
    pub fn without_switches(&self) -> Option<&str> {
        self.without_switches.as_deref()
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress {
            processes: self.progress.processes.load(Relaxed),
            events: self.progress.events.load(Relaxed),
            lost: self.progress.lost.load(Relaxed),
            bytes: self.progress.bytes.load(Relaxed),
        }
    }

    /// Takes what is left, and ends. Processes that still run go on without being recorded; the session
    /// stays as it is.
    pub fn finish(mut self) -> Result<Recorded, Error> {
        self.end().unwrap_or(Err(Error::Failed))
    }

    fn end(&mut self) -> Option<Result<Recorded, Error>> {
        // While one is open the kernel keeps what it is of.
        self.entrances.clear();
        // If the thread has ended by itself it has an error to tell.
        let _ = self.stop.take().map(|stop| stop.send(()));
        Some(self.thread.take()?.join().unwrap_or(Err(Error::Failed)))
    }
}

impl Drop for Recorder {
    /// Ends the thread: what it has made in the kernel is not to stay.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// What the thread has.
struct Work {
    session: Arc<Instance>,
    directory: PathBuf,
    drain: Drain,
    switches: Option<SwitchRecording>,
    kernel: Option<KernelEvents>,
    tables: Tables,
    clocks: ClockSync,
    progress: Arc<SharedProgress>,
}

impl Work {
    fn run(mut self, buffer: ring_buffer::Buffer, stopped: &Receiver<()>) -> Result<Recorded, Error> {
        let obituary = Obituary::new(buffer, &self.session);
        let capacity = self.session.buffer().smallest_capacity();
        let (mut pace, mut pause) = (VISITS, Duration::ZERO);
        let (mut tables_due, mut copy_due) = (Instant::now(), Instant::now());
        let mut copy = Copy::of(&self.session)?;
        while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let fullest = self.take()?;
            if let Err(error) = self.session.session().check_whole() {
                return self.end_early(&copy, error);
            }
            self.session.control().refine_tick_rate(self.clocks.look());
            pause = pace.after_finding(fullest, capacity);
            let now = Instant::now();
            if now >= tables_due {
                obituary.look(&self.session);
                self.look_at_tables();
                if let Some(switches) = &mut self.switches {
                    switches.look(&self.session);
                }
                if let Some(kernel) = &mut self.kernel {
                    kernel.look(&self.session);
                }
                tables_due = now + TABLES;
            }
            if now >= copy_due {
                copy.renew();
                copy_due = now + COPIES;
            }
        }
        obituary.look_last(&self.session);
        obituary.record_calls(&self.session);
        self.take()?;
        if let Some(kernel) = &mut self.kernel {
            kernel.end(&self.session).map_err(|error| self.spool_error(error))?;
        }
        self.look_at_tables();
        if let Err(error) = self.session.session().check_whole() {
            return self.end_early(&copy, error);
        }
        self.session.control().set_collected(u64::MAX);
        self.clocks.end();
        self.recorded(None)
    }

    /// What was taken before the session's file was made shorter, described by what the file said then.
    fn end_early(mut self, copy: &Copy, error: session::Error) -> Result<Recorded, Error> {
        copy.restore(&self.session);
        self.clocks.end();
        self.recorded(Some(error))
    }

    fn recorded(self, cut_short: Option<session::Error>) -> Result<Recorded, Error> {
        let (events, directory) = (self.events(), self.directory);
        let failed = |error| Error::Spool { directory: directory.clone(), error };
        let mut spools = self.drain.into_spools();
        if let Some(switches) = self.switches {
            spools.extend(switches.into_spools().map_err(failed)?);
        }
        let mut kernel = None;
        if let Some(recording) = self.kernel {
            let (of_kernel, description) = recording.into_spools().map_err(failed)?;
            spools.extend(of_kernel);
            kernel = Some(description);
        }
        let records = SessionRecords::consumed(self.session, spools, self.tables, self.clocks, events)
            .map_err(failed)?;
        Ok(Recorded { records, kernel, directory, cut_short })
    }

    fn take(&mut self) -> Result<u64, Error> {
        let taken = self.take_all().map_err(|error| {
            // Nobody reads any more: writers need not go on.
            self.session.buffer().set_recording(false);
            self.spool_error(error)
        });
        self.progress.events.store(self.events(), Relaxed);
        let of_kernel = self.kernel_spools().map(|spools| spools.pages.lost).sum::<u64>();
        self.progress.lost.store(self.drain.lost + of_kernel, Relaxed);
        self.progress.bytes.store(self.drain.bytes, Relaxed);
        taken
    }

    /// Takes what is in all buffers, and says how much the fullest had, in bytes.
    fn take_all(&mut self) -> std::io::Result<u64> {
        if let Some(switches) = &mut self.switches {
            switches.take(&self.session)?;
        }
        let of_kernel = match &mut self.kernel {
            Some(kernel) => kernel.take(&self.session)?,
            None => 0,
        };
        Ok(self.drain.take(self.session.buffer())?.max(of_kernel))
    }

    fn spool_error(&self, error: std::io::Error) -> Error {
        Error::Spool { directory: self.directory.clone(), error }
    }

    /// Events taken.
    fn events(&self) -> u64 {
        self.drain.events + self.kernel_spools().map(|spools| spools.pages.events).sum::<u64>()
    }

    fn kernel_spools(&self) -> impl Iterator<Item = &KernelSpools> {
        let switches = self.switches.as_ref().map(|switches| &switches.spools);
        switches.into_iter().chain(self.kernel.as_ref().map(|kernel| &kernel.spools))
    }

    fn look_at_tables(&mut self) {
        let now = self.session.buffer().now();
        self.tables.collect(self.session.control());
        // Nothing that ended before has to be kept there.
        self.session.control().set_collected(now);
        self.progress.processes.store(self.tables.process_count() as u64, Relaxed);
    }
}
