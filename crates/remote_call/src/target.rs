//! The process whose thread is to call the routine: its memory, and what it has mapped.

use crate::look::ProcessLook;
use crate::refusal::CallRefusal;
use std::fs::{File, read_to_string};
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// A process that this user may trace.
#[derive(Debug)]
pub(crate) struct TargetProcess {
    pub(crate) pid: u32,
    memory: File,
    mappings: Vec<Mapping>,
    /// Functions of the C library that wait for a limited time, where that library is a part of the program.
    pub(crate) waiting: Vec<Range<u64>>,
}

/// A line of `/proc/PID/maps`.
#[derive(Debug)]
pub(crate) struct Mapping {
    pub(crate) addresses: Range<u64>,
    pub(crate) is_code: bool,
    pub(crate) is_writable: bool,
    /// Where in the file it starts.
    pub(crate) offset: u64,
    /// The file's name, without directories.
    pub(crate) name: String,
}

impl TargetProcess {
    pub(crate) fn open(pid: u32) -> Result<TargetProcess, CallRefusal> {
        let memory = File::options().read(true).write(true).open(format!("/proc/{pid}/mem"));
        let memory = memory.map_err(|error| not_permitted(pid, &error))?;
        let maps = read_to_string(format!("/proc/{pid}/maps")).map_err(|error| not_permitted(pid, &error))?;
        let mappings = maps.lines().filter_map(Mapping::parse).collect();
        Ok(TargetProcess { pid, memory, mappings, waiting: Vec::new() })
    }

    pub(crate) fn mappings(&self) -> impl Iterator<Item = &Mapping> {
        self.mappings.iter()
    }

    /// Whether the C library has the instruction at an address.
    pub(crate) fn is_in_libc(&self, address: u64) -> bool {
        let prefixes = ["libc.so", "libc-", "libpthread", "ld-musl-", "libc.musl-"];
        self.waiting.iter().any(|function| function.contains(&address))
            || self
                .mapping(address)
                .is_some_and(|found| prefixes.iter().any(|prefix| found.name.starts_with(prefix)))
    }

    /// Where code is mapped of what has this name.
    pub(crate) fn code_of(&self, name: &str) -> Option<Range<u64>> {
        let found = self.mappings().find(|mapping| mapping.is_code && mapping.name == name)?;
        Some(found.addresses.clone())
    }

    /// What is mapped at an address.
    pub(crate) fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings().find(|mapping| mapping.addresses.contains(&address))
    }

    /// Where the object starts that has an address.
    pub(crate) fn object_at(&self, address: u64) -> Option<u64> {
        let found = self.mapping(address).filter(|found| !found.name.is_empty())?;
        let before = self.mappings().filter(|mapping| mapping.addresses.start <= address);
        let first = before.filter(|mapping| mapping.offset == 0 && mapping.name == found.name).last()?;
        Some(first.addresses.start)
    }

    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> Result<(), CallRefusal> {
        self.memory.read_exact_at(into, address).map_err(|error| system(&error))
    }

    pub(crate) fn read_word(&self, address: u64) -> Result<u64, CallRefusal> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A text with a zero byte at its end, of which at most so many bytes are read.
    pub(crate) fn read_text(&self, address: u64, most: usize) -> Result<String, CallRefusal> {
        let mut bytes = vec![0; most];
        let count = self.memory.read_at(&mut bytes, address).map_err(|error| system(&error))?;
        let text = bytes[..count].split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), CallRefusal> {
        self.memory.write_all_at(bytes, address).map_err(|error| system(&error))
    }
}

impl Mapping {
    pub(crate) fn parse(line: &str) -> Option<Mapping> {
        let mut words = line.split_whitespace();
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = words.next()?.split_once('-')?;
        let access = words.next()?;
        let (is_code, is_writable) = (access.contains('x'), access.contains('w'));
        let offset = number(words.next()?)?;
        let path = words.nth(2).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        Some(Mapping { addresses: number(start)?..number(end)?, is_code, is_writable, offset, name })
    }
}

fn system(error: &std::io::Error) -> CallRefusal {
    // Of a process that has ended there is no memory.
    if error.kind() == ErrorKind::UnexpectedEof || error.raw_os_error() == Some(libc::ESRCH) {
        return CallRefusal::Gone;
    }
    CallRefusal::System(format!("its memory can't be reached: {error}"))
}

/// Why the system doesn't let this user look into a process.
pub(crate) fn not_permitted(pid: u32, error: &std::io::Error) -> CallRefusal {
    match error.kind() {
        ErrorKind::NotFound => return CallRefusal::Gone,
        ErrorKind::PermissionDenied => {}
        _ if error.raw_os_error() == Some(libc::ESRCH) => return CallRefusal::Gone,
        _ => return system(error),
    }
    let own = rustix::process::geteuid().as_raw();
    let user = ProcessLook::at(pid).map(|look| look.user);
    let yama = read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    CallRefusal::NotPermitted(match yama.trim() {
        _ if user.is_some_and(|user| user != own && own != 0) => {
            "it belongs to another user: do it as root, or as that user"
        }
        "1" => {
            "kernel.yama.ptrace_scope is 1, by which only root and parents may interrupt a process: do it as \
             root"
        }
        "2" => "kernel.yama.ptrace_scope is 2, by which only root may interrupt a process: do it as root",
        "3" => "kernel.yama.ptrace_scope is 3, by which nobody may interrupt a process",
        _ => "the system protects it (it is not dumpable, or has more rights than this user): do it as root",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_is_read() {
        let line = "7f00-7f80 r-xp 00001000 00:19 42     /dev/shm/lookback-0/liblookback-12.so (deleted)";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!((mapping.addresses, mapping.is_code, mapping.offset), (0x7f00..0x7f80, true, 0x1000));
        assert_eq!(mapping.name, "liblookback-12.so");
        let own = TargetProcess::open(std::process::id()).unwrap();
        let word = 0x1234_5678_9abc_def0_u64;
        assert_eq!(own.read_word((&raw const word).addr() as u64), Ok(word));
        assert!(own.is_in_libc(libc::getpid as *const () as u64));
    }
}
