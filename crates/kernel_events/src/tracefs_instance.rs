//! An instance of our own in the kernel's tracefs.

use crate::Error;
use crate::abandoned::{PREFIX, remove, remove_abandoned};
use crate::conversion::RecordConversion;
use crate::raw_pages::RawPages;
use abi::clock::Clock;
use events::EventType;
use rustix::fs::{FlockOperation, flock};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use trace_data::page::{Missed, Page};

/// Where the kernel's tracefs is mounted; on older systems as a part of debugfs.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Kilobytes of its buffer for each CPU, at least: what 20,000 switches take.
const BUFFER_KB: u64 = 1408;

/// The largest page that a kernel hands out.
const PAGE: usize = abi::page::MAX_SIZE;

/// More than any PID, `PID_MAX_LIMIT`.
const NOBODY: u32 = 1 << 22;

/// The kernel's own pid namespace has this inode, `PROC_PID_INIT_INO`.
const FIRST_NAMESPACE: u64 = 0xeffffffc;

/// An instance of our own in the kernel's tracefs.
#[derive(Debug)]
pub struct SwitchInstance {
    path: PathBuf,
    /// Locked: whoever makes one removes those whose directories aren't.
    _directory: File,
    conversions: Vec<RecordConversion>,
    cpus: Vec<RawPages>,
    page: Vec<u8>,
    record: Vec<u8>,
    followed: HashSet<u32>,
}

/// An event of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelRecord<'a> {
    /// The CPU.
    pub cpu: u32,
    /// When, in the clock of the instance.
    pub time: u64,
    /// What: the common fields and the event's own, as ours.
    pub payload: &'a [u8],
    /// Whether events of this CPU were lost before it.
    pub lost: Missed,
}

impl SwitchInstance {
    /// Makes one with these events of these threads, and of all that they start from now on: in a clock, and
    /// with so large a buffer for each CPU, or larger.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us, or can't.
    pub fn make(
        events: &[EventType],
        (clock, buffer_kb): (Clock, u64),
        threads: impl IntoIterator<Item = u32>,
    ) -> Result<SwitchInstance, Error> {
        let clock = clock_name(clock).ok_or(Error::NoTime)?;
        if !rustix::process::geteuid().is_root() {
            return Err(Error::NotRoot);
        }
        let namespace = std::fs::metadata("/proc/self/ns/pid").map(|found| found.ino());
        if namespace.is_ok_and(|inode| inode != FIRST_NAMESPACE) {
            return Err(Error::OtherNamespace);
        }
        let instances = TRACEFS.map(|top| Path::new(top).join("instances"));
        let instances = instances.iter().find(|path| path.is_dir()).ok_or(Error::NoTracefs)?;
        remove_abandoned(instances);
        let (path, directory) = make_locked(instances)?;
        let mut instance = SwitchInstance {
            path,
            _directory: directory,
            conversions: Vec::new(),
            cpus: Vec::new(),
            page: vec![0; PAGE],
            record: Vec::new(),
            followed: HashSet::new(),
        };
        instance.set("trace_clock", clock)?;
        instance.set("buffer_size_kb", &buffer_kb.max(BUFFER_KB).to_string())?;
        instance.set("options/event-fork", "1")?;
        // Before events are enabled: an empty list means all threads.
        instance.follow(std::iter::once(NOBODY).chain(threads))?;
        for event in events {
            let directory = Path::new("events").join(event.system).join(event.name);
            let path = instance.path.join(&directory).join("format");
            let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
            instance.conversions.push(RecordConversion::new(event, &text)?);
            instance.set(&directory.join("enable").to_string_lossy(), "1")?;
        }
        instance.cpus = RawPages::all(&instance.path)?;
        Ok(instance)
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
        let new: Vec<u32> = threads.into_iter().filter(|tid| self.followed.insert(*tid)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let text: String = new.iter().map(|tid| format!("{tid} ")).collect();
        self.entrance()?.write_all(text.as_bytes()).map_err(Error::file(&self.list()))
    }

    /// The file to which a process writes its PID to be followed.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us open it.
    pub fn entrance(&self) -> Result<File, Error> {
        // What is there stays: opening it to write from the start would empty it.
        File::options().append(true).open(self.list()).map_err(Error::file(&self.list()))
    }

    fn list(&self) -> PathBuf {
        self.path.join("set_event_pid")
    }

    /// Consumes what is there, CPU by CPU, at most so many pages of each: the kernel goes on meanwhile.
    ///
    /// # Errors
    ///
    /// When the kernel's pages can't be read, or that of `take`.
    pub fn consume<E: From<std::io::Error>>(
        &mut self,
        most: usize,
        mut take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for pages in &mut self.cpus {
            for _ in 0..most {
                let Some(bytes) = pages.next(&mut self.page)? else { break };
                let Some(page) = Page::new(bytes) else { continue };
                pages.lost = pages.lost.and(page.missed);
                for event in page.events() {
                    let id = event.payload.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
                    let conversion = self.conversions.iter().find(|known| Some(known.kernel_id) == id);
                    let converted =
                        conversion.and_then(|known| known.convert(event.payload, &mut self.record));
                    if converted.is_some() {
                        let payload = &self.record;
                        let lost = std::mem::take(&mut pages.lost);
                        take(&KernelRecord { cpu: pages.cpu, time: event.time, payload, lost })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn set(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        std::fs::write(&path, text).map_err(Error::file(&path))
    }
}

impl Drop for SwitchInstance {
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
