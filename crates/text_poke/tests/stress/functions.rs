//! Functions with sites, written byte by byte, so that each lies where it should.

use core::ffi::c_void;
use core::ops::Range;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::{Plan, xray};
use text_poke::{CodeArea, Text};

const PAGE: usize = 4096;
const PAGES: usize = 64;
/// Adds one to what rdi points to, and returns: what all sites call.
const TRAMPOLINE: &[u8] = &[0x48, 0xff, 0x07, 0xc3];
/// mov rax, rdi; ret.
const BODY: &[u8] = &[0x48, 0x89, 0xf8, 0xc3];

/// A function of one argument, the address of a counter, which it returns. Its site counts there.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    pub address: u64,
    pub plan: Plan,
}

impl Function {
    /// Calls it. Async-signal-safe.
    pub fn call(&self, counter: &mut u64) {
        let counter: *mut u64 = counter;
        // SAFETY: the function and its site's target are those of this file, and touch nothing else.
        unsafe {
            let function = core::ptr::with_exposed_provenance::<()>(self.address as usize);
            let function: extern "C" fn(*mut u64) -> *mut u64 = core::mem::transmute(function);
            assert_eq!(function(counter), counter);
        }
    }
}

/// Memory with functions, which is never unmapped.
#[derive(Debug)]
pub struct Functions {
    pub all: Vec<Function>,
    pub text: [Text; 1],
}

/// Where in a line or page a function's site lies.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In one word.
    Word,
    /// In two words of a line.
    Words,
    /// In two lines.
    Lines,
    /// In two pages.
    Pages,
}

impl Functions {
    /// One function for each form of a site and place of it.
    pub fn new() -> Functions {
        let base = map(PAGES * PAGE);
        let mut writer = CodeWriter { base, next: PAGE, landings: Vec::new() };
        writer.write(0, TRAMPOLINE);
        // What an indirect call goes through.
        writer.write(64, &base.to_le_bytes());
        let mut all = Vec::new();
        for place in [Place::Word, Place::Words, Place::Lines, Place::Pages] {
            all.extend(writer.functions(place));
        }
        writer.write_landings();
        protect(base, PAGES * PAGE, libc::PROT_READ | libc::PROT_EXEC);
        let pages = Range { start: base, end: base + (PAGES * PAGE) as u64 };
        Functions { all, text: [Text { pages, is_writable: false }] }
    }

    /// Whether the kernel says that a part of the code can be written. It joins what lies next to each other.
    pub fn is_writable(&self) -> bool {
        let Range { start, end } = self.text[0].pages;
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mut parts = maps.lines().filter_map(|line| {
            let (addresses, rest) = line.split_once(' ')?;
            let (first, last) = addresses.split_once('-')?;
            let address = |text| u64::from_str_radix(text, 16).ok();
            (address(first)? < end && address(last)? > start).then(|| rest[..4].to_string())
        });
        parts.any(|flags| flags.contains('w'))
    }
}

struct CodeWriter {
    base: u64,
    next: usize,
    /// Where punned calls lead.
    landings: Vec<u64>,
}

impl CodeWriter {
    fn functions(&mut self, place: Place) -> Vec<Function> {
        let target = self.base;
        let own = CallTarget::Own;
        let to = CallTarget::At(target);
        let punned = CallTarget::At(0);
        let nops = vec![0x90; 5];
        let forms = [
            (vec![0x0f, 0x1f, 0x44, 0, 0], to),
            (vec![0x66, 0x0f, 0x1f, 0x44, 0, 0], to),
            (nops.clone(), to),
            (nops.clone(), punned),
            (vec![0x90; 6], punned),
            (vec![0x90; 11], to),
            ([&[0xf3, 0x0f, 0x1e, 0xfa][..], &nops].concat(), to),
            (vec![0xe8, 0, 0, 0, 0], own),
            (vec![0x67, 0xe8, 0, 0, 0, 0], own),
            (vec![0xff, 0x15, 0, 0, 0, 0], own),
        ];
        let mut functions = Vec::new();
        for (mut bytes, wanted) in forms {
            let endbr = if bytes.starts_with(&[0xf3]) { 4 } else { 0 };
            let offset = self.offset(place, bytes.len() - endbr) - endbr;
            let end = offset + bytes.len();
            let distance = |target: usize| (target as i32 - end as i32).to_le_bytes();
            match bytes[..] {
                [0xe8, ..] => bytes[1..].copy_from_slice(&distance(0)),
                [0x67, ..] => bytes[2..].copy_from_slice(&distance(0)),
                [0xff, ..] => bytes[2..].copy_from_slice(&distance(64)),
                _ => {}
            }
            self.write(offset, &bytes);
            self.write(end, BODY);
            let address = self.base + offset as u64;
            let wanted = if wanted == punned { self.land(address) } else { wanted };
            let plan = entry::plan(address, &bytes, wanted).unwrap();
            functions.push(Function { address, plan });
        }
        functions.push(self.sled(place));
        functions
    }

    /// The target of a site of nops whose own bytes are the distance.
    fn land(&mut self, address: u64) -> CallTarget {
        let target = entry::punned_target(address);
        self.landings.push(target);
        CallTarget::At(target)
    }

    /// Writes what is called there.
    fn write_landings(&self) {
        let page = |address: u64| address - address % PAGE as u64;
        let (first, last) = (self.landings.iter().min().unwrap(), self.landings.iter().max().unwrap());
        let end = page(last + TRAMPOLINE.len() as u64) + PAGE as u64;
        let mut area = CodeArea::at(page(*first)..end).expect("nothing is there");
        assert!(self.landings.iter().all(|landing| area.write(*landing, TRAMPOLINE)));
        area.seal().unwrap();
    }

    /// A function with a sled at its start.
    fn sled(&mut self, place: Place) -> Function {
        let bytes = [0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0];
        // Sleds are at even addresses.
        let offset = self.offset(place, bytes.len()) & !1;
        self.write(offset, &bytes);
        self.write(offset + bytes.len(), BODY);
        let address = self.base + offset as u64;
        Function { address, plan: xray::plan(address, &bytes, self.base).unwrap() }
    }

    /// Where a site of `len` bytes is to begin, so that its second byte or a later one is in another word.
    fn offset(&mut self, place: Place, len: usize) -> usize {
        let start = self.next.next_multiple_of(64) + 64;
        let offset = match place {
            Place::Word => start,
            Place::Words => start + 8 - len.min(8) / 2,
            Place::Lines => start + 64 - len / 2,
            Place::Pages => start.next_multiple_of(PAGE) - len / 2,
        };
        self.next = offset + 64;
        assert!(self.next < PAGES * PAGE);
        offset
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= PAGES * PAGE);
        // SAFETY: in the mapping, which can be written and is ours alone.
        unsafe {
            let place = core::ptr::with_exposed_provenance_mut::<u8>(self.base as usize + offset);
            place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }
}

fn map(len: usize) -> u64 {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: memory that nobody has yet.
    let mapped = unsafe { libc::mmap(core::ptr::null_mut(), len, protection, flags, -1, 0) };
    assert_ne!(mapped, libc::MAP_FAILED);
    mapped.expose_provenance() as u64
}

fn protect(address: u64, len: usize, protection: i32) {
    let start: *mut c_void = core::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: a mapping of this file, which nobody uses yet.
    assert_eq!(unsafe { libc::mprotect(start, len, protection) }, 0);
}
