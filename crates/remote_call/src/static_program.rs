//! A static program: it has no dynamic linker, and its C library is a part of it.

use crate::refusal::CallRefusal;
use crate::target::{Mapping, TargetProcess};
use abi::static_program::passed;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache};
use std::fs::{File, read};
use std::ops::Range;

/// Sections of which a program of Go has one at least, also once it was stripped.
const OF_GO: [&str; 2] = [".gopclntab", ".go.buildinfo"];

/// Sections of one that has a C library in it.
const OF_LIBC: [&str; 2] = [".eh_frame", ".tbss"];

/// What is known of one.
#[derive(Debug)]
pub(crate) struct StaticImage {
    /// Its code.
    pub(crate) text: Range<u64>,
    /// What the kernel has passed to it when it started.
    pub(crate) auxiliary: Vec<u8>,
    /// Where its C library waits for a limited time, as far as it has symbols.
    pub(crate) waiting: Vec<Range<u64>>,
    /// Whether it is a program of Go, which has no C library.
    pub(crate) is_of_go: bool,
}

/// Functions that end early when they are interrupted, and have a limit of time.
const WAITING: [&str; 6] =
    ["epoll_wait", "epoll_pwait", "epoll_pwait2", "semtimedop", "sigtimedwait", "io_getevents"];

impl StaticImage {
    /// That of a process, unless its threads can't execute the agent.
    pub(crate) fn of(target: &TargetProcess) -> Result<StaticImage, CallRefusal> {
        let refused = |why: &str| CallRefusal::NoLibc(why.to_owned());
        let directory = format!("/proc/{}", target.pid);
        let file = File::open(format!("{directory}/exe"))
            .map_err(|error| CallRefusal::System(format!("its program can't be read: {error}")))?;
        let cache = ReadCache::new(file);
        let elf = ElfFile64::<Endianness, _>::parse(&cache)
            .map_err(|_| refused("its program is not as it should be"))?;
        if elf.elf_program_headers().iter().any(|one| one.p_type(elf.endian()) == object::elf::PT_INTERP) {
            return Err(refused("it has no C library that is known"));
        }
        let has_any = |names: &[&str]| names.iter().any(|name| elf.section_by_name(name).is_some());
        let is_of_go = has_any(&OF_GO);
        if is_of_go && has_any(&OF_LIBC) {
            return Err(refused(
                "it is a static program of Go with a C library in it, whose threads are not known",
            ));
        }
        let auxiliary = read(format!("{directory}/auxv"))
            .map_err(|error| CallRefusal::System(format!("auxv: {error}")))?;
        let entry = passed(entries(&auxiliary), libc::AT_ENTRY);
        let text = entry.and_then(|entry| target.mapping(entry)).filter(|mapping| mapping.is_code);
        let text = text.ok_or_else(|| refused("its code is not where the kernel has put it"))?;
        let base = entry.unwrap_or(0).wrapping_sub(elf.entry());
        let waiting = elf.symbols().filter(|symbol| {
            let name = symbol.name().unwrap_or_default().trim_start_matches('_');
            symbol.is_definition() && WAITING.contains(&name)
        });
        let place = |start: u64, size: u64| base.wrapping_add(start)..base.wrapping_add(start + size);
        let waiting = waiting.map(|symbol| place(symbol.address(), symbol.size())).collect();
        Ok(StaticImage { text: text.addresses.clone(), auxiliary, waiting, is_of_go })
    }
}

/// The entries of an auxiliary vector.
fn entries(auxiliary: &[u8]) -> impl Iterator<Item = [u64; 2]> {
    let (words, _) = auxiliary.as_chunks::<8>();
    let (entries, _) = words.as_chunks::<2>();
    entries.iter().map(|entry| entry.map(u64::from_le_bytes))
}

/// Whether a process with these mappings, the text of its `/proc/PID/maps`, has neither a dynamic linker nor
/// a C library of its own.
pub fn is_static(maps: &str) -> bool {
    let mut mappings = maps.lines().filter_map(Mapping::parse).filter(|mapping| mapping.is_code).peekable();
    let is_shared =
        |name: &str| name.starts_with("ld-") || name.starts_with("libc.") || name.starts_with("libc-");
    mappings.peek().is_some() && !mappings.any(|mapping| is_shared(&mapping.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_a_dynamic_linker_are_static() {
        let line = |name: &str| format!("401000-479000 r-xp 00001000 fe:00 42     {name}\n");
        assert!(is_static(&line("/srv/server")));
        assert!(!is_static(&(line("/srv/server") + &line("/lib64/ld-linux-x86-64.so.2"))));
        assert!(!is_static(&(line("/srv/server") + &line("/lib/ld-musl-x86_64.so.1"))));
        assert!(!is_static(""), "of a process that may not be looked at");
    }

    #[test]
    fn what_the_kernel_has_passed_is_found() {
        let words = [9_u64, 0x40_1000, 25, 7, 0, 0].map(u64::to_le_bytes).concat();
        let found = [9, 25, 3].map(|kind| passed(entries(&words), kind));
        assert_eq!(found, [Some(0x40_1000), Some(7), None]);
    }
}
