//! The objects of the process, as the dynamic linker has mapped them: their symbols, their build ids.
//!
//! Everything is read where it lies in memory. Only objects that the process started with are looked at
//! for symbols: they are never unmapped.

use core::ffi::CStr;
use core::mem::size_of;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use libc::{Elf64_Phdr, Elf64_Sym, PT_DYNAMIC, PT_LOAD, PT_NOTE, dl_phdr_info};

/// An object that is mapped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object<'a> {
    /// What is added to its own addresses.
    pub(crate) base: u64,
    /// Its path; empty for the program itself.
    pub(crate) path: &'a CStr,
    headers: &'a [Elf64_Phdr],
}

impl<'a> Object<'a> {
    /// The object that `dl_iterate_phdr` tells about.
    ///
    /// # Safety
    ///
    /// `info` is what `dl_iterate_phdr` gives its callback.
    pub(crate) unsafe fn of(info: *const dl_phdr_info) -> Object<'a> {
        // SAFETY: the caller's promise. The name is never null.
        unsafe {
            let headers = core::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum.into());
            Object { base: (*info).dlpi_addr, path: CStr::from_ptr((*info).dlpi_name), headers }
        }
    }

    fn headers_of(&self, kind: u32) -> impl Iterator<Item = &Elf64_Phdr> {
        self.headers.iter().filter(move |header| header.p_type == kind)
    }

    /// The lowest address of its segments and the one behind the highest, before `base` is added.
    pub(crate) fn span(&self) -> (u64, u64) {
        let low = self.headers_of(PT_LOAD).map(|header| header.p_vaddr).min();
        let high = self.headers_of(PT_LOAD).map(|header| header.p_vaddr + header.p_memsz).max();
        (low.unwrap_or(0), high.unwrap_or(0))
    }

    /// Whether `address` is in it.
    pub(crate) fn contains(&self, address: usize) -> bool {
        let (low, high) = self.span();
        let address = (address as u64).wrapping_sub(self.base);
        (low..high).contains(&address)
    }

    /// Its build id; empty when it has none.
    pub(crate) fn build_id(&self) -> &'a [u8] {
        self.headers_of(PT_NOTE).find_map(|header| self.build_id_in(header)).unwrap_or_default()
    }

    fn build_id_in(&self, header: &Elf64_Phdr) -> Option<&'a [u8]> {
        const GNU_BUILD_ID: u32 = 3;
        let address = (self.base + header.p_vaddr) as usize as *const u8;
        // SAFETY: the dynamic linker has mapped the segment.
        let mut notes = unsafe { core::slice::from_raw_parts(address, header.p_filesz as usize) };
        loop {
            let (sizes, rest) = notes.split_first_chunk::<12>()?;
            let word = |at: usize| {
                let bytes = sizes.get(at..).and_then(|bytes| bytes.first_chunk());
                bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
            };
            let (name_len, text_len) = (word(0) as usize, word(4) as usize);
            let (name, rest) = rest.split_at_checked(name_len.checked_next_multiple_of(4)?)?;
            let (text, rest) = rest.split_at_checked(text_len.checked_next_multiple_of(4)?)?;
            if word(8) == GNU_BUILD_ID && name == b"GNU\0" {
                return text.get(..text_len);
            }
            notes = rest;
        }
    }

    /// Remembers its symbols, for [`find`].
    pub(crate) fn remember(&self) {
        let dynamic = self.headers_of(PT_DYNAMIC).next();
        let Some(tables) = dynamic.and_then(|header| self.tables(header)) else { return };
        let count = COUNT.load(Relaxed);
        if let Some(slot) = REMEMBERED.get(count) {
            slot.store(tables);
            COUNT.store(count + 1, Release);
        }
    }

    fn tables(&self, header: &Elf64_Phdr) -> Option<Tables> {
        const SYMBOLS: u64 = 6;
        const STRINGS: u64 = 5;
        const HASH: u64 = 0x6fff_fef5;
        const VERSIONS: u64 = 0x6fff_fff0;
        let entries = (self.base + header.p_vaddr) as usize as *const [u64; 2];
        let count = header.p_memsz as usize / size_of::<[u64; 2]>();
        // SAFETY: the dynamic linker has mapped the segment.
        let entries = unsafe { core::slice::from_raw_parts(entries, count) };
        let value = |tag: u64| {
            let mut entries = entries.iter().take_while(|[found, _]| *found != 0);
            let [_, value] = entries.find(|[found, _]| *found == tag)?;
            // The dynamic linker has added the base already, in most objects.
            Some(if *value < self.base { value + self.base } else { *value } as usize)
        };
        Some(Tables {
            base: self.base as usize,
            symbols: value(SYMBOLS)?,
            strings: value(STRINGS)?,
            hash: value(HASH)?,
            versions: value(VERSIONS).unwrap_or(0),
        })
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

static REMEMBERED: [Slot; MOST] = [const {
    Slot {
        base: AtomicUsize::new(0),
        symbols: AtomicPtr::new(core::ptr::null_mut()),
        strings: AtomicPtr::new(core::ptr::null_mut()),
        hash: AtomicPtr::new(core::ptr::null_mut()),
        versions: AtomicPtr::new(core::ptr::null_mut()),
    }
}; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The address of the function `name`, which ends with a zero byte, in the first remembered object that
/// has it. None when none has, or when it takes the dynamic linker to know.
pub(crate) fn find(name: &[u8], hash: u32) -> Option<usize> {
    find_kind(name, hash, FUNCTION)
}

/// The address of the variable `name`, likewise.
pub(crate) fn find_object(name: &[u8], hash: u32) -> Option<usize> {
    find_kind(name, hash, OBJECT)
}

const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;

fn find_kind(name: &[u8], hash: u32, kind: u8) -> Option<usize> {
    let remembered = REMEMBERED.iter().take(COUNT.load(Acquire));
    remembered.filter_map(|slot| slot.find(name, hash, kind)).next()
}

impl Slot {
    fn store(&self, tables: Tables) {
        self.base.store(tables.base, Relaxed);
        self.symbols.store(tables.symbols as *mut Elf64_Sym, Relaxed);
        self.strings.store(tables.strings as *mut u8, Relaxed);
        self.hash.store(tables.hash as *mut u32, Relaxed);
        self.versions.store(tables.versions as *mut u16, Relaxed);
    }

    /// Looks a name up in the object's GNU hash table: a Bloom filter, buckets, chains.
    fn find(&self, name: &[u8], hash: u32, kind: u8) -> Option<usize> {
        let table = self.hash.load(Relaxed).cast_const();
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
            symbol.st_shndx != 0
                && symbol.st_info & 15 == kind
                && name.iter().enumerate().all(|(at, byte)| *text.add(at) == *byte)
        }
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn address(&self, index: u32) -> Option<usize> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { *self.symbols.load(Relaxed).add(index as usize) };
        Some(self.base.load(Relaxed) + symbol.st_value as usize)
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
