//! The tracefs of the kernel that the tests run on.

use super::temporary;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_data::dat::{Metadata, System};
use trace_data::merge::Pages;
use trace_data::symbols::SymbolTable;
use trace_data::threads::ThreadTable;

/// The tracefs that is mounted here. `None`, and a note, where none can be read.
pub fn tracefs() -> Option<PathBuf> {
    let path = PathBuf::from("/sys/kernel/tracing");
    if std::fs::read_dir(path.join("events")).is_ok() {
        return Some(path);
    }
    println!("skipped: no tracefs that this user may read");
    None
}

/// The formats of all events of a tracefs, as a recording has them.
pub fn kernel_metadata(tracefs: &Path) -> Metadata {
    let mut metadata = Metadata::new(4096);
    for system in directories(&tracefs.join("events")) {
        let name = system.file_name().unwrap().to_string_lossy().into_owned();
        let formats: Vec<String> = directories(&system)
            .iter()
            .filter_map(|event| std::fs::read_to_string(event.join("format")).ok())
            .collect();
        if name == "ftrace" {
            metadata.ftrace_formats = formats;
        } else {
            metadata.systems.push(System { name, formats });
        }
    }
    metadata.cmdlines.push((77, "a program".to_owned()));
    metadata
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).unwrap();
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

/// Pages in memory, for a merge.
pub struct Streams {
    pub cpus: Vec<(u32, Vec<Vec<u8>>)>,
    next: Vec<usize>,
}

impl Streams {
    pub fn new(cpus: Vec<(u32, Vec<Vec<u8>>)>) -> Streams {
        let next = vec![0; cpus.len()];
        Streams { cpus, next }
    }
}

impl Pages for Streams {
    type Error = std::convert::Infallible;

    fn streams(&self) -> usize {
        self.cpus.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        self.cpus[stream].0
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Self::Error> {
        let Some(next) = self.cpus[stream].1.get(self.next[stream]) else {
            return Ok(false);
        };
        self.next[stream] += 1;
        page.clone_from(next);
        Ok(true)
    }
}

/// Event systems that have something to tell.
const SYSTEMS: [&str; 15] = [
    "sched",
    "irq",
    "irq_vectors",
    "timer",
    "writeback",
    "signal",
    "task",
    "raw_syscalls",
    "syscalls",
    "ipi",
    "workqueue",
    "rcu",
    "kmem",
    "block",
    "filelock",
];

/// Whether the kernel's text of system calls is that of Linux 6.18: those before 6.15 had all numbers in
/// hexadecimal, and those from 6.19 on show what is at pointers.
fn has_our_system_calls() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap(), numbers.next().unwrap());
    let is_so = ((6, 15)..=(6, 18)).contains(&version);
    if !is_so {
        println!("skipped: system calls of Linux {}", release.trim());
    }
    is_so
}

/// A tracefs instance of our own, so that nobody else's recording is disturbed.
pub struct Instance {
    pub path: PathBuf,
}

impl Instance {
    /// `None`, and a note, where no instance can be made.
    pub fn new(tracefs: &Path, name: &str) -> Option<Instance> {
        let path = tracefs.join("instances").join(format!("lookback-{}-{name}", std::process::id()));
        match std::fs::create_dir(&path) {
            Ok(()) => Some(Instance { path }),
            Err(error) => {
                println!("skipped: no tracefs instance: {error}");
                None
            }
        }
    }

    /// Records for a while, and stops.
    pub fn record(&self) {
        for system in SYSTEMS.into_iter().filter(|system| *system != "syscalls" || has_our_system_calls()) {
            self.set(&format!("events/{system}/enable"), "1");
        }
        // As many of these as there is time for.
        self.set("events/sched/sched_wake_idle_without_ipi/enable", "0");
        self.set("tracing_on", "1");
        self.set("trace_marker", "a mark");
        let _ = Command::new("true").status();
        let path = temporary("activity");
        std::fs::write(&path, vec![1; 100_000]).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(self.path.join("trace_marker_raw"), [1, 2, 3, 4, b'r', b'a', b'w']).unwrap();
        self.set("tracing_on", "0");
        self.set("events/enable", "0");
    }

    /// Whether the file took the text.
    pub fn set(&self, file: &str, text: &str) -> bool {
        std::fs::write(self.path.join(file), text).is_ok()
    }

    pub fn read(&self, file: &str) -> String {
        let bytes = std::fs::read(self.path.join(file)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Reads what is there of a file that blocks where it is empty.
    pub fn read_now(&self, file: &str, size: usize) -> Vec<Vec<u8>> {
        use std::io::Read;
        use std::os::unix::fs::OpenOptionsExt;
        const O_NONBLOCK: i32 = 0o4000;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.read(true).custom_flags(O_NONBLOCK).open(self.path.join(file)).unwrap();
        let mut pieces = Vec::new();
        loop {
            let mut piece = vec![0; size];
            match file.read(&mut piece) {
                Ok(length) if length > 0 => {
                    piece.truncate(length);
                    pieces.push(piece);
                }
                _ => return pieces,
            }
        }
    }

    pub fn cpus(&self) -> Vec<u32> {
        let name = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("cpu")?.parse().ok();
        directories(&self.path.join("per_cpu")).iter().filter_map(name).collect()
    }

    /// All pages of all CPUs; they are gone from the buffer then.
    pub fn take_pages(&self) -> Streams {
        let pages = |cpu| (cpu, self.read_now(&format!("per_cpu/cpu{cpu}/trace_pipe_raw"), 4096));
        Streams::new(self.cpus().into_iter().map(pages).collect())
    }

    /// A number of each CPU's statistics, added up.
    pub fn statistic(&self, name: &str) -> u64 {
        let of = |cpu: u32| -> u64 {
            let text = self.read(&format!("per_cpu/cpu{cpu}/stats"));
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim_matches([':', ' ']).parse().unwrap()
        };
        self.cpus().into_iter().map(of).sum()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.set("events/enable", "0");
        // Nobody is left to hear of an error.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Threads as a tracefs has saved them.
pub fn kernel_threads(tracefs: &Path) -> ThreadTable {
    let read = |file: &str| std::fs::read_to_string(tracefs.join(file)).unwrap_or_default();
    let (names, processes) = (read("saved_cmdlines"), read("saved_tgids"));
    let names = names.lines().filter_map(|line| line.split_once(' '));
    let processes = processes.lines().filter_map(|line| line.split_once(' '));
    ThreadTable::new(
        names.map(|(tid, name)| (tid.parse().unwrap(), name.to_owned())).collect(),
        processes.map(|(tid, process)| (tid.parse().unwrap(), process.parse().unwrap())).collect(),
    )
}

/// The names of the running kernel's functions and strings.
pub fn kernel_symbols(tracefs: &Path) -> SymbolTable {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    SymbolTable::parse(&read(Path::new("/proc/kallsyms")), &read(&tracefs.join("printk_formats")))
}
