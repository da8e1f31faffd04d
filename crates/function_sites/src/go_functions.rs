//! Functions of Go, by the table that its runtime has of them.
//!
//! Sources: `src/debug/gosym/pclntab.go`, `src/runtime/symtab.go` and `src/internal/abi/symtab.go` of Go 1.18
//! to 1.24.

use crate::object_file::ObjectFile;
use core::ops::Range;

/// What its linker puts between functions.
const PADDING: u8 = 0xcc;

/// An entry of the table: a function's distance from the first one, and where the table describes it.
type GoEntry = [u8; 8];

/// The table of a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GoFunctions<'a> {
    file: ObjectFile<'a>,
    /// Where its code begins.
    text: u64,
    entries: &'a [GoEntry],
    /// The entries, and after them what they lead to.
    table: &'a [u8],
    /// Where in the description of a function its flags are.
    flags_at: usize,
}

/// Flags of functions that are not as the compiler makes them: on top of a stack, with a stack pointer of
/// their own, and in assembly, in which a function may have anything in any register where it begins.
const ODD: u8 = 1 | 2 | 4;

/// Packages whose functions are left alone, and all below those that end with a slash: the runtime, which
/// runs also where there is no goroutine, and in handlers of signals; what it uses there; and what runs in a
/// child of a fork, in its parent's memory.
const LEFT_ALONE: [&[u8]; 16] = [
    b"runtime.",
    b"runtime/",
    b"internal/abi.",
    b"internal/bytealg.",
    b"internal/chacha8rand.",
    b"internal/coverage/",
    b"internal/cpu.",
    b"internal/godebugs.",
    b"internal/goexperiment.",
    b"internal/race.",
    b"internal/runtime/",
    b"internal/stringslite.",
    b"internal/syscall/",
    b"sync/atomic.",
    b"syscall.",
    b"vendor/golang.org/x/sys/",
];

/// What the function of Go's runtime is known by that makes the system calls of all others: `mov rdi, rbx;
/// syscall; cmp rax, -4095`. It takes its arguments where the compiler passes them.
const CALLS_KERNEL: [u8; 11] = [0x48, 0x89, 0xdf, 0x0f, 0x05, 0x48, 0x3d, 0x01, 0xf0, 0xff, 0xff];

/// Where in it the system call is.
const CALL_AT: usize = 3;

/// Whether the system call with an offset in some code of Go's can be seen: neither flags count around it,
/// nor r12 and r13.
pub(crate) fn can_be_seen(code: &[u8], offset: usize) -> bool {
    let start = offset.checked_sub(CALL_AT);
    start.and_then(|start| code.get(start..)).is_some_and(|code| code.starts_with(&CALLS_KERNEL))
}

impl<'a> ObjectFile<'a> {
    /// Whether it is a program of Go that has nothing of a C library.
    pub fn is_pure_go(&self) -> bool {
        const OF_OTHERS: [&str; 4] = [".dynamic", ".interp", ".eh_frame", ".tbss"];
        self.is_of_go() && OF_OTHERS.iter().all(|name| self.section(name).is_none())
    }

    /// The functions of one that has nothing of a C library, if its table has a form that is known.
    pub(crate) fn go_functions(&self) -> Option<GoFunctions<'a>> {
        if !self.is_pure_go() {
            return None;
        }
        let data = self.section_data(".gopclntab");
        let (header, _) = data.as_chunks::<8>();
        let word = |index: usize| header.get(index).map(|word| u64::from_le_bytes(*word));
        // Instructions of one byte, pointers of eight.
        let flags_at = match word(0)? {
            0x0801_0000_ffff_fff0 => 37,
            0x0801_0000_ffff_fff1 => 41,
            _ => return None,
        };
        let (count, at) = (usize::try_from(word(1)?).ok()?, usize::try_from(word(8)?).ok()?);
        let table = data.get(at..)?;
        let entries = table.as_chunks::<8>().0.get(..count)?;
        Some(GoFunctions { file: *self, text: self.section_address(".text")?, entries, table, flags_at })
    }
}

impl<'a> GoFunctions<'a> {
    /// The addresses of the function that begins at one, without what is after it to align the next one.
    pub(crate) fn span(&self, start: u64) -> Option<Range<u64>> {
        self.span_at(self.index(start)?)
    }

    /// The addresses of the function that an address is in.
    pub(crate) fn span_around(&self, address: u64) -> Option<Range<u64>> {
        self.span_at(self.after(address).checked_sub(1)?).filter(|span| span.contains(&address))
    }

    /// Whether a function may be traced that begins there and has this name.
    pub(crate) fn may_be_traced(&self, start: u64, name: &[u8]) -> bool {
        let flags = self.index(start).and_then(|index| self.flags(index));
        let is_left_alone = LEFT_ALONE.iter().any(|package| name.starts_with(package));
        // What a compiler or linker makes up has a colon in its name, and no package.
        let is_made_up = name.contains(&b':') || !name.contains(&b'.') || name.ends_with(b".abi0");
        flags.is_some_and(|flags| flags & ODD == 0) && !is_left_alone && !is_made_up
    }

    /// The addresses of functions from the one on that an address is in, or before it.
    pub(crate) fn from(self, address: u64) -> impl Iterator<Item = Option<Range<u64>>> + Clone + use<'a> {
        let first = self.after(address).saturating_sub(1);
        (first..self.entries.len()).map(move |index| self.span_at(index))
    }

    fn index(&self, start: u64) -> Option<usize> {
        let index = self.after(start).checked_sub(1)?;
        (self.start(self.entries.get(index)?) == start).then_some(index)
    }

    /// How many functions begin at an address or before it.
    fn after(&self, address: u64) -> usize {
        self.entries.partition_point(|entry| self.start(entry) <= address)
    }

    fn start(&self, [a, b, c, d, ..]: &GoEntry) -> u64 {
        self.text.wrapping_add(u32::from_le_bytes([*a, *b, *c, *d]).into())
    }

    fn span_at(&self, index: usize) -> Option<Range<u64>> {
        let start = self.start(self.entries.get(index)?);
        // After the last one the end of the code.
        let [next, ..] = self.table.get((index + 1) * size_of::<GoEntry>()..)?.as_chunks::<4>().0 else {
            return None;
        };
        let end = self.text.wrapping_add(u32::from_le_bytes(*next).into());
        let code = self.file.code_in(&(start..end))?;
        let padding = code.iter().rev().take_while(|byte| **byte == PADDING).count();
        Some(start..start.wrapping_add((code.len() - padding) as u64))
    }

    fn flags(&self, index: usize) -> Option<u8> {
        let [.., a, b, c, d] = self.entries.get(index)?;
        let described = self.table.get(u32::from_le_bytes([*a, *b, *c, *d]) as usize..)?;
        described.get(self.flags_at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_that_can_be_seen_is_known_by_what_is_around_it() {
        // mov rsi, rcx before it, jbe after it.
        let code = [&[0x48, 0x89, 0xce], &CALLS_KERNEL[..], &[0x76, 0x15]].concat();
        assert!(can_be_seen(&code, 6) && !can_be_seen(&code, 5) && !can_be_seen(&code, 1));
        assert!(!can_be_seen(&code[..10], 6) && !can_be_seen(&[0x0f, 0x05], 0));
    }

    #[test]
    fn a_program_that_is_not_of_go_has_none() {
        let this_program = std::fs::read("/proc/self/exe").unwrap();
        let file = ObjectFile::parse(&this_program).unwrap();
        assert!(!file.is_pure_go() && file.go_functions().is_none());
    }
}
