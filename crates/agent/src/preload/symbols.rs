//! The symbols of the objects that the process started with: they are never unmapped.
//!
//! Everything is read where it lies in memory, without a call to anybody: what asks for a symbol first may be
//! the dynamic linker, or a library that is about to put itself before libc.

use core::arch::asm;
use core::ffi::{CStr, c_char};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use libc::{Elf64_Sym, getauxval};

/// An object in the dynamic linker's list: what `<link.h>` tells of it.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const [u64; 2],
    next: *const LinkMap,
}

/// Where the list starts: `struct r_debug`.
#[repr(C)]
struct Debug {
    version: i32,
    first: *const LinkMap,
}

unsafe extern "C" {
    static _r_debug: Debug;
}

/// Our own path, once the symbols are remembered.
static OWN_PATH: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// Our own path; empty before the symbols are remembered.
pub(crate) fn own_path() -> &'static CStr {
    match OWN_PATH.load(Relaxed).cast_const() {
        path if path.is_null() => c"",
        // SAFETY: the dynamic linker keeps the name as long as the object is mapped: for good.
        path => unsafe { CStr::from_ptr(path) },
    }
}

/// Where our own dynamic section is.
fn own_dynamic() -> *const [u64; 2] {
    let own;
    // SAFETY: the linker's symbol for it.
    unsafe { asm!("lea {}, [rip + _DYNAMIC]", out(reg) own, options(pure, nomem, nostack)) };
    own
}

/// Remembers the symbols of the objects behind ours: where a program finds what we wrap. Once.
pub(crate) fn remember() {
    if !OWN_PATH.load(Relaxed).is_null() {
        return;
    }
    // SAFETY: always allowed.
    let vdso = unsafe { getauxval(libc::AT_SYSINFO_EHDR) } as usize;
    // SAFETY: the dynamic linker's list; as long as a process starts nobody takes anything away.
    unsafe {
        let mut next = _r_debug.first;
        while let Some(object) = next.as_ref() {
            if !OWN_PATH.load(Relaxed).is_null() && object.base != vdso {
                Tables::of(object).inspect(remember_tables);
            } else if object.dynamic == own_dynamic() {
                OWN_PATH.store(object.name.cast_mut(), Relaxed);
            }
            next = object.next;
        }
    }
}

/// Of objects for which there is no room only the one that has the dynamic linker's functions is remembered:
/// they are asked for what is in the others.
fn remember_tables(tables: &Tables) {
    let count = COUNT.load(Relaxed);
    if let Some(slot) = REMEMBERED.get(count) {
        slot.store(tables);
        COUNT.store(count + 1, Release);
    } else if LINKER.hash.load(Relaxed).is_null() {
        const NAME: &[u8] = b"dlsym\0";
        LINKER.store(tables);
        if LINKER.find(NAME, gnu_hash(NAME), FUNCTION).is_none() {
            LINKER.hash.store(core::ptr::null_mut(), Relaxed);
        }
    }
}

/// Where an object's symbols are.
#[derive(Debug, Clone, Copy)]
struct Tables {
    base: usize,
    symbols: usize,
    strings: usize,
    hash: usize,
    versions: usize,
}

impl Tables {
    /// # Safety
    ///
    /// The dynamic linker has mapped the object.
    unsafe fn of(object: &LinkMap) -> Option<Tables> {
        const SYMBOLS: u64 = 6;
        const STRINGS: u64 = 5;
        const HASH: u64 = 0x6fff_fef5;
        const VERSIONS: u64 = 0x6fff_fff0;
        let base = object.base;
        let value = |tag: u64| {
            let mut entry = object.dynamic;
            // SAFETY: the caller's promise; the section ends with a zero.
            let [_, value] = unsafe {
                while (*entry)[0] != tag {
                    if (*entry)[0] == 0 {
                        return None;
                    }
                    entry = entry.add(1);
                }
                *entry
            };
            // The dynamic linker has added the base already, in most objects.
            let value = value as usize;
            Some(if value < base { value + base } else { value })
        };
        Some(Tables {
            base,
            symbols: value(SYMBOLS)?,
            strings: value(STRINGS)?,
            hash: value(HASH)?,
            versions: value(VERSIONS).unwrap_or(0),
        })
    }
}

/// The same, in a static.
struct Slot {
    base: AtomicUsize,
    symbols: AtomicPtr<Elf64_Sym>,
    strings: AtomicPtr<u8>,
    hash: AtomicPtr<u32>,
    versions: AtomicPtr<u16>,
}

/// Objects whose symbols are remembered. What is in others is asked of the dynamic linker.
const MOST: usize = 24;

/// Behind the other variables that every process needs at its start: few have more than the first of them,
/// and then one page is changed, not two.
#[unsafe(link_section = ".bss._ZZ_remembered")]
static REMEMBERED: [Slot; MOST] = [const { Slot::new() }; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The object with the dynamic linker's functions, if it is not among those.
static LINKER: Slot = Slot::new();

/// The address of the function `name`, which ends with a zero byte, in the first remembered object that
/// has it. None when none has, or when it takes the dynamic linker to know.
pub(crate) fn find(name: &[u8], hash: u32) -> Option<usize> {
    let mut remembered = REMEMBERED.iter().take(COUNT.load(Acquire));
    remembered.find_map(|slot| slot.find(name, hash, FUNCTION))
}

/// The address of a function of libc's, also where others have one of that name: they come before libc.
pub(crate) fn find_libc(name: &[u8], hash: u32) -> Option<usize> {
    find_last(name, hash, FUNCTION)
}

/// The address of a variable of libc's, likewise.
pub(crate) fn find_object(name: &[u8], hash: u32) -> Option<usize> {
    find_last(name, hash, OBJECT)
}

const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
/// A function that gives the function: which one depends on the machine.
const INDIRECT_FUNCTION: u8 = 10;

fn find_last(name: &[u8], hash: u32, kind: u8) -> Option<usize> {
    let found = REMEMBERED.iter().take(COUNT.load(Acquire)).rev();
    core::iter::once(&LINKER).chain(found).find_map(|slot| slot.find(name, hash, kind))
}

impl Slot {
    const fn new() -> Slot {
        Slot {
            base: AtomicUsize::new(0),
            symbols: AtomicPtr::new(core::ptr::null_mut()),
            strings: AtomicPtr::new(core::ptr::null_mut()),
            hash: AtomicPtr::new(core::ptr::null_mut()),
            versions: AtomicPtr::new(core::ptr::null_mut()),
        }
    }

    fn store(&self, tables: &Tables) {
        self.base.store(tables.base, Relaxed);
        self.symbols.store(tables.symbols as *mut Elf64_Sym, Relaxed);
        self.strings.store(tables.strings as *mut u8, Relaxed);
        self.hash.store(tables.hash as *mut u32, Relaxed);
        self.versions.store(tables.versions as *mut u16, Relaxed);
    }

    /// Looks a name up in the object's GNU hash table: a Bloom filter, buckets, chains.
    fn find(&self, name: &[u8], hash: u32, kind: u8) -> Option<usize> {
        let table = self.hash.load(Relaxed).cast_const();
        if table.is_null() {
            return None;
        }
        // SAFETY: the table was found in a mapped object's dynamic section; its own numbers bound it.
        unsafe {
            let [buckets, first, bloom_words, shift] = table.cast::<[u32; 4]>().read();
            let bloom = table.add(4).cast::<u64>();
            let word = (hash / 64).checked_rem(bloom_words)?;
            let word = bloom.add(word as usize).read_unaligned();
            let mask = 1 << (hash % 64) | 1 << ((hash >> shift) % 64);
            if word & mask != mask {
                return None;
            }
            let bucket = bloom.add(bloom_words as usize).cast::<u32>();
            let chain = bucket.add(buckets as usize);
            let mut index = *bucket.add(hash.checked_rem(buckets)? as usize);
            let mut hidden = None;
            while index >= first {
                let found = *chain.add((index - first) as usize);
                if found | 1 == hash | 1 && self.is(index, name, kind) {
                    let address = self.address(index);
                    if !self.is_hidden(index) {
                        return address;
                    }
                    hidden = address;
                }
                if found & 1 != 0 {
                    break;
                }
                index += 1;
            }
            hidden
        }
    }

    /// # Safety
    ///
    /// The object has a symbol `index`.
    unsafe fn is(&self, index: u32, name: &[u8], kind: u8) -> bool {
        // SAFETY: the caller's promise; names end with zero bytes, so the comparison ends.
        unsafe {
            let symbol = *self.symbols.load(Relaxed).add(index as usize);
            let text = self.strings.load(Relaxed).add(symbol.st_name as usize);
            let found = match symbol.st_info & 15 {
                INDIRECT_FUNCTION => FUNCTION,
                kind => kind,
            };
            symbol.st_shndx != 0
                && found == kind
                && name.iter().enumerate().all(|(at, byte)| *text.add(at) == *byte)
        }
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn address(&self, index: u32) -> Option<usize> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { *self.symbols.load(Relaxed).add(index as usize) };
        let address = self.base.load(Relaxed) + symbol.st_value as usize;
        if symbol.st_info & 15 != INDIRECT_FUNCTION {
            return Some(address);
        }
        // SAFETY: such a symbol is a function without parameters, which the dynamic linker calls likewise.
        Some(unsafe { core::mem::transmute::<usize, extern "C" fn() -> usize>(address)() })
    }

    /// Whether the symbol is there for programs that were linked with an older libc only.
    ///
    /// # Safety
    ///
    /// As above.
    unsafe fn is_hidden(&self, index: u32) -> bool {
        let versions = self.versions.load(Relaxed);
        // SAFETY: the caller's promise.
        !versions.is_null() && unsafe { *versions.add(index as usize) } & 0x8000 != 0
    }
}

/// The hash of a name by which it is found. A zero byte at its end is not part of it.
pub(crate) const fn gnu_hash(name: &[u8]) -> u32 {
    let mut hash = 5381u32;
    let mut at = 0;
    while at < name.len() && name[at] != 0 {
        hash = hash.wrapping_mul(33).wrapping_add(name[at] as u32);
        at += 1;
    }
    hash
}
