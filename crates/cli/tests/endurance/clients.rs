//! What clients do, each over and over until it is killed. Their working directory is the mount.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, pipe, splice};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The variable with which a process knows which client it is.
pub const KIND: &str = "LOOKBACK_TEST_CLIENT";

/// The code with which a client ends that is not served any more.
pub const DISCONNECTED: i32 = 9;

/// How a step of a client's work has ended.
type Done = Result<(), Errno>;

/// A name, and what is done in a round.
type Kind = (&'static str, fn() -> Done);

/// All kinds.
pub const KINDS: &[Kind] = &[
    ("reads trace", read_texts),
    ("reads trace_pipe", read_pipe),
    ("splices pages", splice_pages),
    ("reads pages", read_pages),
    ("polls", poll_pipes),
    ("walks", walk),
    ("controls", control),
    ("marks", mark),
    ("makes instances", make_instances),
    ("filters", filter),
    ("takes snapshots", take_snapshots),
    ("resizes", resize),
    ("reads twice", read_twice),
    ("changes modes", change_modes),
];

/// What is written, and what is read then.
pub const CONTROLS: &[(&str, &[&str])] = &[
    ("tracing_on", &["0", "1"]),
    ("buffer_percent", &["0", "100", "50"]),
    ("options/irq-info", &["0", "1"]),
    ("options/overwrite", &["0", "1"]),
    ("options/stacktrace", &["1", "0"]),
    ("tracing_cpumask", &["1", "3"]),
    ("events/libc/open/enable", &["0", "1"]),
    ("events/sched/sched_process_exec/enable", &["0", "1"]),
    ("events/libc/close/filter", &["fd == 3", "fd == 4 || fd == 4444", "0"]),
];

/// What is read where one of [`CONTROLS`] was written.
pub fn shown<'a>(path: &str, value: &'a str) -> &'a str {
    if path.ends_with("/filter") && value == "0" { "none" } else { value }
}

/// What others do may have these errors follow: one reader at a time, no more instances, recording is off.
const OF_OTHERS: &[Errno] = &[
    Errno::AGAIN,
    Errno::BADF,
    Errno::BUSY,
    Errno::EXIST,
    Errno::INTR,
    Errno::NODEV,
    Errno::NOENT,
    Errno::NOMEM,
];

/// Works as the client that the environment says, for ever. Standard input is where it counts.
pub fn work() {
    let Ok(kind) = std::env::var(KIND) else { return };
    let (_, round) = KINDS.iter().find(|(name, _)| *name == kind).unwrap();
    loop {
        match round() {
            Ok(()) => {}
            Err(Errno::NOTCONN | Errno::CONNABORTED) => std::process::exit(DISCONNECTED),
            Err(error) if OF_OTHERS.contains(&error) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{kind}: {error}"),
        }
        count();
    }
}

/// Counts that something has ended.
fn count() {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Relaxed) + 1;
    rustix::io::pwrite(rustix::stdio::stdin(), &count.to_le_bytes(), 0).unwrap();
}

fn open(path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let opened = rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o666));
    count();
    opened
}

fn read(file: &OwnedFd, size: usize) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; size];
    let read = rustix::io::read(file, &mut buffer);
    count();
    let len = read?;
    buffer.truncate(len);
    Ok(buffer)
}

fn rest(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    loop {
        match read(file, 1 << 16)? {
            more if more.is_empty() => return Ok(bytes),
            more => bytes.extend(more),
        }
    }
}

fn text(path: &str) -> Result<String, Errno> {
    Ok(String::from_utf8_lossy(&rest(&open(path, OFlags::RDONLY)?)?).into_owned())
}

/// What the shell's `>` does.
fn write(path: &str, text: &str) -> Done {
    let file = open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)?;
    rustix::io::write(&file, text.as_bytes()).map(drop)
}

/// Writes what can't be taken.
fn refused(path: &str, text: &str) -> Done {
    match write(path, text) {
        Err(Errno::INVAL) => Ok(()),
        other => other.map(|()| panic!("{path}: {text} was taken")),
    }
}

fn errno<T>(result: std::io::Result<T>) -> Result<T, Errno> {
    result.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// One of so many, which differ from round to round and from client to client.
fn any(count: usize) -> usize {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_nsec as usize / 64 % count
}

fn read_texts() -> Done {
    for path in ["trace", "per_cpu/cpu0/trace", "snapshot"] {
        let text = text(path)?;
        assert!(text.starts_with("# tracer: nop\n"), "{path}: {text:.100}");
    }
    Ok(())
}

/// Waits for what comes: it may be killed while it does.
fn read_pipe() -> Done {
    let pipe = open(["trace_pipe", "per_cpu/cpu0/trace_pipe"][any(2)], OFlags::RDONLY)?;
    for _ in 0..10 {
        read(&pipe, 4096)?;
    }
    Ok(())
}

fn raw(flags: OFlags) -> Result<OwnedFd, Errno> {
    open(&format!("per_cpu/cpu{}/trace_pipe_raw", any(cpus())), OFlags::RDONLY | flags)
}

/// Those that this process may run on at first.
fn cpus() -> usize {
    static CPUS: OnceLock<usize> = OnceLock::new();
    *CPUS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Each is a page of the ring buffer.
fn check(pages: &[u8]) {
    assert_eq!(pages.len() % 4096, 0);
    for page in pages.chunks(4096) {
        let commit = u64::from_le_bytes(page[8..16].try_into().unwrap()) & 0xf_ffff;
        assert!(commit <= 4080, "{commit}");
    }
}

fn is_ready(file: &OwnedFd, milliseconds: i64) -> Result<bool, Errno> {
    let limit = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
    Ok(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&limit))? > 0)
}

fn splice_pages() -> Done {
    let (raw, (reader, writer)) = (raw(OFlags::empty())?, pipe()?);
    for _ in 0..10 {
        if is_ready(&raw, 700)? {
            let len = splice(&raw, None, &writer, None, 1 << 16, SpliceFlags::MOVE)?;
            let mut pages = Vec::new();
            while pages.len() < len {
                pages.extend(read(&reader, len)?);
            }
            check(&pages);
        }
    }
    Ok(())
}

fn read_pages() -> Done {
    let raw = raw(OFlags::empty())?;
    for _ in 0..10 {
        check(&read(&raw, 4096)?);
    }
    Ok(())
}

fn poll_pipes() -> Done {
    let pipes = [raw(OFlags::NONBLOCK)?, open("per_cpu/cpu0/trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK)?];
    for _ in 0..10 {
        let mut files = pipes.each_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN));
        poll(&mut files, Some(&Timespec { tv_sec: 0, tv_nsec: 50_000_000 }))?;
        let is_ready = files.map(|file| !file.revents().is_empty());
        for (pipe, _) in pipes.iter().zip(is_ready).filter(|(_, is_ready)| *is_ready) {
            read(pipe, 4096)?;
        }
    }
    Ok(())
}

fn walk() -> Done {
    read_all(Path::new(["events/sched", "options", "per_cpu", "instances/flight/per_cpu"][any(4)]))
}

/// Reads all that is there, but for what waits for events.
fn read_all(directory: &Path) -> Done {
    for entry in errno(fs::read_dir(directory))? {
        let path = errno(entry)?.path();
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.is_dir() {
            read_all(&path)?;
        } else if found.permissions().mode() & 0o400 != 0 && !is_pipe(&path) {
            drop(errno(fs::read(&path))?);
            count();
        }
    }
    Ok(())
}

fn is_pipe(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("_pipe") || name.ends_with("_raw")
}

fn control() -> Done {
    for (path, values) in CONTROLS {
        for value in *values {
            write(path, value)?;
            // By one read(2): who reads on where a shorter text has ended may get the end of a longer one.
            let found = String::from_utf8(read(&open(path, OFlags::RDONLY)?, 4096)?).unwrap();
            assert!(values.iter().any(|value| shown(path, value) == found.trim_end()), "{path}: {found}");
        }
        refused("buffer_percent", "101")?;
    }
    Ok(())
}

/// On each CPU in turn: whoever waits for its events gets some.
fn mark() -> Done {
    let mut cpu = CpuSet::new();
    cpu.set(any(cpus()));
    sched_setaffinity(None, &cpu)?;
    let (marker, raw) = (open("trace_marker", OFlags::WRONLY)?, open("trace_marker_raw", OFlags::WRONLY)?);
    for number in 0..20_u64 {
        rustix::io::write(&marker, format!("number {number}").as_bytes())?;
        rustix::io::write(&raw, &number.to_le_bytes())?;
    }
    Ok(())
}

fn make_instances() -> Done {
    let path = format!("instances/a{}", any(6));
    errno(fs::create_dir(&path))?;
    let used = write(&format!("{path}/events/libc/enable"), "1")
        .and_then(|()| write(&format!("{path}/trace_marker"), "here"))
        .and_then(|()| text(&format!("{path}/trace")).map(drop));
    errno(fs::remove_dir(&path)).and(used)
}

fn filter() -> Done {
    let event = ["read", "write", "openat"][any(3)];
    let (filter, trigger) = (format!("events/libc/{event}/filter"), format!("events/libc/{event}/trigger"));
    write(&filter, "common_pid > 2 && COMM != \"init\"")?;
    refused(&filter, "nothing == 1")?;
    write(&trigger, "enable_event:libc:close:3 if common_pid == 1")?;
    write(&trigger, "!enable_event:libc:close:3")?;
    write(&filter, "0")
}

fn take_snapshots() -> Done {
    write("snapshot", "1")?;
    text("snapshot")?;
    write("snapshot", "0")
}

fn resize() -> Done {
    write(["buffer_size_kb", "per_cpu/cpu0/buffer_size_kb"][any(2)], ["64", "512"][any(2)])
}

fn read_twice() -> Done {
    // What was read before is forgotten then: the next two readings belong together.
    std::thread::sleep(Duration::from_millis(1100));
    for path in ["saved_cmdlines", "available_events"] {
        let file = open(path, OFlags::RDONLY)?;
        let start = Instant::now();
        let first = rest(&file)?;
        rustix::fs::seek(&file, SeekFrom::Start(0))?;
        let second = rest(&file)?;
        // It is kept for a second.
        assert!(first == second || start.elapsed() > Duration::from_millis(900), "{path}");
    }
    Ok(())
}

fn change_modes() -> Done {
    for mode in [0o220, 0o222] {
        errno(fs::set_permissions("trace_marker", fs::Permissions::from_mode(mode)))?;
        errno(fs::metadata("trace_marker"))?;
        count();
    }
    Ok(())
}
