//! An instance of our own in the kernel's tracefs.

use crate::abandoned::{PREFIX, remove, remove_abandoned};
use crate::raw_pages::RawPages;
use crate::{Error, tracefs};
use abi::clock::Clock;
use rustix::fs::{FlockOperation, flock};
use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use trace_data::page::{Missed, Page};

/// Kilobytes of its buffer for each CPU, at least: what 20,000 switches take.
const BUFFER_KB: u64 = 1408;

/// The largest page that a kernel hands out.
const PAGE: usize = abi::page::MAX_SIZE;

/// More than any PID, `PID_MAX_LIMIT`.
const NOBODY: u32 = 1 << 22;

/// An instance of our own in the kernel's tracefs. It is removed when this is dropped.
#[derive(Debug)]
pub struct TracefsInstance {
    path: PathBuf,
    /// Locked: whoever makes one removes those whose directories aren't.
    _directory: File,
    cpus: Vec<RawPages>,
    page: Vec<u8>,
    /// The threads that it has the events of; None for all of the machine's.
    followed: Option<HashSet<u32>>,
}

/// An event of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelRecord<'a> {
    /// The CPU.
    pub cpu: u32,
    /// When, in the clock of the instance.
    pub time: u64,
    /// What: the common fields and the event's own.
    pub payload: &'a [u8],
    /// Whether events of this CPU were lost before it.
    pub lost: Missed,
}

impl TracefsInstance {
    /// Makes one without events: in a clock, with so large a buffer for each CPU, or larger. It is to have
    /// those of these threads and of all that they start from now on; of all threads where that is None.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us, or can't.
    pub(crate) fn make(
        (clock, buffer_kb): (Clock, u64),
        threads: Option<impl IntoIterator<Item = u32>>,
    ) -> Result<TracefsInstance, Error> {
        let clock = clock_name(clock).ok_or(Error::NoTime)?;
        let instances = tracefs::directory()?.join("instances");
        remove_abandoned(&instances);
        let (path, directory) = make_locked(&instances)?;
        let mut instance = TracefsInstance {
            path,
            _directory: directory,
            cpus: Vec::new(),
            page: vec![0; PAGE],
            followed: threads.is_some().then(HashSet::new),
        };
        instance.set("trace_clock", clock)?;
        instance.set("buffer_size_kb", &buffer_kb.max(BUFFER_KB).to_string())?;
        if let Some(threads) = threads {
            instance.set("options/event-fork", "1")?;
            // Before events are enabled: an empty list means all threads.
            instance.follow(std::iter::once(NOBODY).chain(threads))?;
        }
        instance.cpus = RawPages::all(&instance.path)?;
        Ok(instance)
    }

    /// Enables an event, with a filter if there is one. The text of its `format` file.
    ///
    /// # Errors
    ///
    /// When the kernel has no such event, or refuses the filter.
    pub(crate) fn enable(&self, system: &str, name: &str, filter: Option<&str>) -> Result<String, Error> {
        let directory = Path::new("events").join(system).join(name);
        let path = self.path.join(&directory).join("format");
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        if let Some(filter) = filter {
            let path = self.path.join(&directory).join("filter");
            std::fs::write(&path, filter).map_err(|error| self.refused((system, name), &path, error))?;
        }
        self.set(&directory.join("enable").to_string_lossy(), "1")?;
        Ok(text)
    }

    /// Why the kernel has refused a filter: the file says where it is wrong.
    fn refused(&self, (system, name): (&str, &str), path: &Path, error: std::io::Error) -> Error {
        // The kernel has all of it in the first read, and nothing for a second.
        let mut text = vec![0; 1 << 16];
        let length = File::open(path).and_then(|mut file| file.read(&mut text)).unwrap_or(0);
        let text = String::from_utf8_lossy(text.get(..length).unwrap_or_default());
        match text.contains("parse_error") {
            true => Error::Filter { event: format!("{system}:{name}"), text: text.trim_end().to_owned() },
            false => Error::file(path)(error),
        }
    }

    /// Ends recording: what is there can be consumed until nothing is left.
    pub(crate) fn stop(&self) {
        let _ = self.set("tracing_on", "0");
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Follows more threads, and all that they start from now on.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't take them.
    pub fn follow(&mut self, threads: impl IntoIterator<Item = u32>) -> Result<(), Error> {
        let Some(followed) = &mut self.followed else { return Ok(()) };
        let new: Vec<u32> = threads.into_iter().filter(|tid| followed.insert(*tid)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let text: String = new.iter().map(|tid| format!("{tid} ")).collect();
        self.open_list()?.write_all(text.as_bytes()).map_err(Error::file(&self.list()))
    }

    /// The file to which a process writes its PID to be followed; none is needed where all are.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us open it.
    pub fn entrance(&self) -> Result<Option<File>, Error> {
        let Some(_) = self.followed else { return Ok(None) };
        self.open_list().map(Some)
    }

    fn open_list(&self) -> Result<File, Error> {
        // What is there stays: opening it to write from the start would empty it.
        File::options().append(true).open(self.list()).map_err(Error::file(&self.list()))
    }

    fn list(&self) -> PathBuf {
        self.path.join("set_event_pid")
    }

    /// Consumes what is there, CPU by CPU, at most so many pages of each: the kernel goes on meanwhile. The
    /// bytes of the CPU that had most.
    ///
    /// # Errors
    ///
    /// When the kernel's pages can't be read, or that of `take`.
    pub(crate) fn consume<E: From<std::io::Error>>(
        &mut self,
        most: usize,
        mut take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut fullest = 0;
        for pages in &mut self.cpus {
            let mut taken = 0;
            for _ in 0..most {
                let Some(bytes) = pages.next(&mut self.page)? else { break };
                taken += bytes.len() as u64;
                let Some(page) = Page::new(bytes) else { continue };
                pages.lost = pages.lost.and(page.missed);
                for event in page.events() {
                    let lost = std::mem::take(&mut pages.lost);
                    let payload = event.payload;
                    take(&KernelRecord { cpu: pages.cpu, time: event.time, payload, lost })?;
                }
            }
            fullest = fullest.max(taken);
        }
        Ok(fullest)
    }

    fn set(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        std::fs::write(&path, text).map_err(Error::file(&path))
    }
}

impl Drop for TracefsInstance {
    fn drop(&mut self) {
        // While one is open the kernel keeps the instance.
        self.cpus.clear();
        remove(&self.path);
    }
}

/// The kernel's name of a clock in whose units pages are.
fn clock_name(clock: Clock) -> Option<&'static str> {
    match clock {
        Clock::Tsc => Some("x86-tsc"),
        Clock::Monotonic => Some("mono"),
        Clock::MonotonicRaw => Some("mono_raw"),
        Clock::Boot => Some("boot"),
        Clock::Tai => Some("tai"),
        Clock::Counter => None,
    }
}

/// Makes a directory for an instance, and locks it.
fn make_locked(instances: &Path) -> Result<(PathBuf, File), Error> {
    let process = std::process::id();
    for number in 0.. {
        let path = instances.join(format!("{PREFIX}{process}-{number}"));
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            made => made.map_err(Error::file(&path))?,
        }
        let Ok(directory) = File::open(&path) else { continue };
        let is_locked = flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok();
        // Another one that has just looked for those without a lock may have removed it.
        if is_locked && path.is_dir() {
            return Ok((path, directory));
        }
    }
    Err(Error::NoTracefs)
}
