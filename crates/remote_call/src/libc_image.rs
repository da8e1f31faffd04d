//! The C library of a process, as it is mapped there: where its functions are.
//!
//! Everything is read from the process's memory: the file may have been replaced since, or be another one
//! where this command runs.

use crate::refusal::CallRefusal;
use crate::target::{Mapping, TargetProcess};
use std::ops::Range;

/// glibc from version 2.34 on, or musl: with the dynamic linker's functions in it.
#[derive(Debug)]
pub(crate) struct LibcImage {
    /// Its code.
    pub(crate) text: Range<u64>,
    /// The dynamic linker's functions; None in a static program.
    pub(crate) linker: Option<LinkerFunctions>,
    /// Where threads have errno, from the address in fs; None where that isn't known.
    pub(crate) errno_offset: Option<u64>,
    /// Two instructions: a system call, and a return.
    pub(crate) system_call: u64,
    /// Where handlers of signals return to: it calls rt_sigreturn(2).
    pub(crate) handler_return: u64,
}

/// Functions of the dynamic linker.
#[derive(Debug)]
pub(crate) struct LinkerFunctions {
    pub(crate) dlopen: u64,
    pub(crate) dlerror: u64,
    /// The function that calls others with the dynamic linker's lock.
    pub(crate) iterates: Range<u64>,
}

/// `syscall; ret`.
const SYSTEM_CALL: &[u8] = &[0x0f, 0x05, 0xc3];

/// `mov rax, 15; syscall`, to which unwinders know handlers by, too.
const HANDLER_RETURN: &[u8] = &[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];

impl LibcImage {
    /// That of a process, which may have the agent's code there.
    pub(crate) fn find(target: &TargetProcess, agent: Option<Range<u64>>) -> Result<LibcImage, CallRefusal> {
        let refused = |why: &str| CallRefusal::NoLibc(why.to_owned());
        let Some(code) = glibc(target.mappings()).or_else(|| musl(target.mappings())) else {
            return Err(refused("it has no C library that is known"));
        };
        let text = code.addresses.clone();
        let start =
            target.object_at(text.start).ok_or_else(|| refused("its C library is not as it should be"))?;
        let symbols = ImageSymbols::read(target, start)?;
        let find = |name| symbols.find(name);
        let image = || {
            let linker = LinkerFunctions {
                dlopen: find("dlopen")?.start,
                dlerror: find("dlerror")?.start,
                iterates: find("dl_iterate_phdr")?,
            };
            let errno_offset = errno_offset(target, find("__errno_location")?.start);
            let code = bytes(target, &text).ok()?;
            Some(LibcImage {
                linker: Some(linker),
                errno_offset,
                system_call: system_call(target, agent, &code, text.start)?,
                handler_return: found_in(&code, text.start, HANDLER_RETURN)?,
                text: text.clone(),
            })
        };
        image().ok_or_else(|| refused("its C library is not known, or a glibc older than 2.34"))
    }

    /// That which is a part of a static program.
    pub(crate) fn of_static(
        target: &TargetProcess,
        text: &Range<u64>,
        agent: Option<Range<u64>>,
    ) -> Result<LibcImage, CallRefusal> {
        let code = bytes(target, text)?;
        let system_call = system_call(target, agent, &code, text.start);
        let both = system_call.zip(found_in(&code, text.start, HANDLER_RETURN));
        let image = both.map(|(system_call, handler_return)| LibcImage {
            text: text.clone(),
            linker: None,
            errno_offset: None,
            system_call,
            handler_return,
        });
        image.ok_or_else(|| {
            CallRefusal::NoLibc("its code has no instructions by which handlers of signals return".to_owned())
        })
    }
}

/// Where a system call and a return are: in the agent's code, if that is there, else in libc's, which begins
/// at `start`. While libc's system calls are recorded, other code is between its two.
fn system_call(target: &TargetProcess, agent: Option<Range<u64>>, code: &[u8], start: u64) -> Option<u64> {
    let of_agent = agent.and_then(|agent| {
        let code = bytes(target, &agent).ok()?;
        found_in(&code, agent.start, SYSTEM_CALL)
    });
    of_agent.or_else(|| found_in(code, start, SYSTEM_CALL))
}

/// Where these bytes are in code that starts there.
fn found_in(code: &[u8], start: u64, wanted: &[u8]) -> Option<u64> {
    let at = code.windows(wanted.len()).position(|found| found == wanted)?;
    Some(start + at as u64)
}

/// Whether a process with these mappings, the text of its `/proc/PID/maps`, has musl as its C library.
pub fn is_of_musl(maps: &str) -> bool {
    let mappings: Vec<Mapping> = maps.lines().filter_map(Mapping::parse).collect();
    glibc(&mappings).is_none() && musl(&mappings).is_some()
}

fn glibc<'a>(mappings: impl IntoIterator<Item = &'a Mapping>) -> Option<&'a Mapping> {
    code_named(mappings, |name| name.starts_with("libc.so.6") || name.starts_with("libc-2."))
}

/// Debian has it in a file of another name than Alpine, and upstream.
fn musl<'a>(mappings: impl IntoIterator<Item = &'a Mapping>) -> Option<&'a Mapping> {
    code_named(mappings, is_file_of_musl)
}

/// Whether a file of this name, without directories, is musl's.
pub fn is_file_of_musl(name: &str) -> bool {
    name == "libc.so" || name.starts_with("ld-musl-") || name.starts_with("libc.musl-")
}

fn code_named<'a>(
    mappings: impl IntoIterator<Item = &'a Mapping>,
    is_it: impl Fn(&str) -> bool,
) -> Option<&'a Mapping> {
    mappings.into_iter().find(|mapping| mapping.is_code && is_it(&mapping.name))
}

/// Where a thread has errno: by the function that gives its address. In glibc that is
/// `mov rax, [rip + OFFSET]; add rax, fs:[0]; ret`, in musl `mov rax, fs:[0]; add rax, OFFSET; ret`.
fn errno_offset(target: &TargetProcess, function: u64) -> Option<u64> {
    const THREAD_POINTER: &[u8] = &[0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0];
    const ADDED: &[u8] = &[0x48, 0x83, 0xc0];
    const BEGINS: &[u8] = &[0x48, 0x8b, 0x05];
    const ENDS: &[u8] = &[0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3];
    const BRANCH_TARGET: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    let code = bytes(target, &(function..function + 24)).ok()?;
    let added = code.strip_prefix(THREAD_POINTER).and_then(|rest| rest.strip_prefix(ADDED));
    if let Some([offset, 0xc3, ..]) = added {
        return Some(i64::from(offset.cast_signed()) as u64);
    }
    let skipped = if code.starts_with(BRANCH_TARGET) { BRANCH_TARGET.len() } else { 0 };
    let (distance, rest) = code[skipped..].strip_prefix(BEGINS)?.split_first_chunk::<4>()?;
    let next = function + (skipped + BEGINS.len() + 4) as u64;
    let place = next.wrapping_add_signed(i32::from_le_bytes(*distance).into());
    if rest.starts_with(ENDS) { target.read_word(place).ok() } else { None }
}

fn bytes(target: &TargetProcess, range: &Range<u64>) -> Result<Vec<u8>, CallRefusal> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    target.read(range.start, &mut bytes)?;
    Ok(bytes)
}

/// The symbols by which an object's functions are found.
#[derive(Debug)]
pub(crate) struct ImageSymbols {
    base: u64,
    symbols: Vec<u8>,
    strings: Vec<u8>,
}

/// Bytes of an entry.
const SYMBOL: usize = 24;

/// The most bytes of a table that are read.
const MOST: u64 = 64 << 20;

impl ImageSymbols {
    /// Those of the object whose file is mapped from this address on.
    pub(crate) fn read(target: &TargetProcess, start: u64) -> Result<ImageSymbols, CallRefusal> {
        let mut header = [0; 64];
        target.read(start, &mut header)?;
        let none = || CallRefusal::NoLibc("an object that it has mapped is not as it should be".to_owned());
        let is_elf = header.starts_with(b"\x7fELF\x02");
        let (offset, count) = (word(&header, 32), word(&header, 56) & 0xffff);
        if !is_elf || count > 64 {
            return Err(none());
        }
        let headers = bytes(target, &(start + offset..start + offset + 56 * count))?;
        let headers: Vec<&[u8]> = headers.chunks_exact(56).collect();
        let address = |kind: u64| {
            let found = headers.iter().find(|header| word(header, 0) & 0xffff_ffff == kind)?;
            Some((word(found, 16), word(found, 40)))
        };
        let (first, _) = address(1).ok_or_else(none)?;
        let base = start.wrapping_sub(first & !0xfff);
        let (dynamic, size) = address(2).ok_or_else(none)?;
        let dynamic = base.wrapping_add(dynamic);
        let dynamic = bytes(target, &(dynamic..dynamic.wrapping_add(size.min(MOST))))?;
        let value = |tag: u64| {
            let found = dynamic.chunks_exact(16).find(|entry| word(entry, 0) == tag)?;
            Some(word(found, 8))
        };
        let place = |tag| value(tag).map(|at| if at < base { at + base } else { at });
        let (symbols, strings, size) = place(6).zip(place(5)).zip(value(10)).map(flat).ok_or_else(none)?;
        // The linkers that there are put the strings after the symbols.
        if strings < symbols || strings - symbols > MOST || size > MOST {
            return Err(none());
        }
        let symbols = bytes(target, &(symbols..strings))?;
        Ok(ImageSymbols { base, symbols, strings: bytes(target, &(strings..strings + size))? })
    }

    /// Where it has a function.
    pub(crate) fn find(&self, name: &str) -> Option<Range<u64>> {
        let is_it = |symbol: &&[u8]| {
            let text = self.strings.get((word(symbol, 0) & 0xffff_ffff) as usize..).unwrap_or_default();
            let is_defined = u16::from_le_bytes([symbol[6], symbol[7]]) != 0;
            let is_function = matches!(symbol[4] & 15, 2 | 10);
            is_defined
                && is_function
                && text.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
        };
        let found = self.symbols.chunks_exact(SYMBOL).find(is_it)?;
        let start = self.base.wrapping_add(word(found, 8));
        Some(start..start.wrapping_add(word(found, 16)))
    }
}

fn flat(((a, b), c): ((u64, u64), u64)) -> (u64, u64, u64) {
    (a, b, c)
}

/// The eight bytes at an offset.
fn word(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    found.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_this_process_are_found() {
        let own = TargetProcess::open(std::process::id()).unwrap();
        let image = LibcImage::find(&own, None).unwrap();
        let linker = image.linker.as_ref().unwrap();
        assert_eq!(linker.dlopen, libc::dlopen as *const () as u64);
        assert!(
            image.errno_offset.is_some_and(|offset| offset.cast_signed() < 0),
            "before the thread pointer"
        );
        assert!([image.system_call, image.handler_return].iter().all(|at| image.text.contains(at)));
        assert!(!linker.iterates.is_empty());
    }
}
