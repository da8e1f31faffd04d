//! The symbols of one object, where it has them in memory.
//!
//! Nothing is called but the resolver of an indirect function, and nothing is locked. Async-signal-safe.

/// An entry of the symbol table.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct SymbolEntry {
    pub(super) name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    Object = 1,
    Function = 2,
}

/// A function that gives the function: which one depends on the machine.
const INDIRECT_FUNCTION: u8 = 10;

/// A name with its hash, as it is looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SymbolName<'a> {
    /// It ends with a zero byte.
    text: &'a [u8],
    hash: u32,
}

impl<'a> SymbolName<'a> {
    /// The name `text`, which ends with a zero byte.
    pub(crate) const fn new(text: &'a [u8]) -> SymbolName<'a> {
        let mut hash = 5381u32;
        let mut at = 0;
        while at < text.len() && text[at] != 0 {
            hash = hash.wrapping_mul(33).wrapping_add(text[at] as u32);
            at += 1;
        }
        SymbolName { text, hash }
    }

    /// The name, with a zero byte at its end.
    #[cfg(feature = "static_program")]
    pub(crate) const fn text(&self) -> &'a [u8] {
        self.text
    }
}

/// Where an object's symbols are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SymbolTables {
    pub(crate) base: usize,
    pub(crate) symbols: usize,
    pub(crate) strings: usize,
    /// Its GNU hash table; 0 where it has one of the old kind only.
    pub(crate) hash: usize,
    /// The old hash table, where there is no other.
    pub(crate) old_hash: usize,
    /// 0 where its symbols have no versions.
    pub(crate) versions: usize,
}

impl SymbolTables {
    /// The tables of the object that is mapped at `base` and has its dynamic section at `dynamic`. None where
    /// it has none.
    ///
    /// # Safety
    ///
    /// The dynamic linker has mapped the object.
    pub(crate) unsafe fn of(base: usize, dynamic: *const [u64; 2]) -> Option<SymbolTables> {
        const OLD_HASH: u64 = 4;
        const STRINGS: u64 = 5;
        const SYMBOLS: u64 = 6;
        const HASH: u64 = 0x6fff_fef5;
        const VERSIONS: u64 = 0x6fff_fff0;
        // SAFETY: the caller's promise.
        let value = |tag: u64| unsafe { value(base, dynamic, tag) };
        let hash = value(HASH).unwrap_or(0);
        Some(SymbolTables {
            base,
            symbols: value(SYMBOLS)?,
            strings: value(STRINGS)?,
            hash,
            old_hash: if hash == 0 { value(OLD_HASH)? } else { 0 },
            versions: value(VERSIONS).unwrap_or(0),
        })
    }

    /// The address of the symbol `name`: of the version that programs are linked with today, if there are
    /// several.
    ///
    /// # Safety
    ///
    /// The object is mapped.
    pub(crate) unsafe fn find(&self, name: SymbolName<'_>, kind: SymbolKind) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe {
            let newest = self.index_of(name, kind, |version| version & HIDDEN == 0);
            let found = newest.or_else(|| self.index_of(name, kind, |_| true))?;
            Some(self.address(found))
        }
    }

    /// The address of the function `name` of one version, by that one's name with a zero byte at its end.
    /// `dynamic` is the object's section.
    ///
    /// # Safety
    ///
    /// As above.
    pub(crate) unsafe fn find_version(
        &self,
        name: SymbolName<'_>,
        version: &[u8],
        dynamic: *const [u64; 2],
    ) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe {
            let wanted = self.number_of(version, dynamic)?;
            let found = self.index_of(name, SymbolKind::Function, |version| version & !HIDDEN == wanted)?;
            Some(self.address(found))
        }
    }

    /// The number that the object has given to a version which it defines.
    ///
    /// # Safety
    ///
    /// As above.
    unsafe fn number_of(&self, version: &[u8], dynamic: *const [u64; 2]) -> Option<u16> {
        /// What the object says of a version.
        #[repr(C)]
        struct Definition {
            kind: u16,
            flags: u16,
            number: u16,
            names: u16,
            hash: u32,
            /// Bytes from here to its first name, which is an offset in the strings; and to the next version.
            name: u32,
            next: u32,
        }
        const DEFINITIONS: u64 = 0x6fff_fffc;
        // SAFETY: the section is the linker's, and so is what it leads to.
        unsafe {
            let mut definition = value(self.base, dynamic, DEFINITIONS)? as *const Definition;
            loop {
                let Definition { number, name, next, .. } = *definition;
                let name = *definition.byte_add(name as usize).cast::<u32>();
                if self.is_text(name, version) {
                    return Some(number);
                }
                if next == 0 {
                    return None;
                }
                definition = definition.byte_add(next as usize);
            }
        }
    }

    /// The first symbol `name` whose version is the right one.
    ///
    /// # Safety
    ///
    /// As above.
    unsafe fn index_of(
        &self,
        name: SymbolName<'_>,
        kind: SymbolKind,
        is_right: impl Fn(u16) -> bool,
    ) -> Option<u32> {
        // SAFETY: the caller's promise.
        let is_wanted = |index| unsafe { self.is(index, name, kind) && is_right(self.version(index)) };
        if self.hash == 0 {
            // SAFETY: it starts with the numbers of buckets and of symbols.
            let [_, count] = unsafe { (self.old_hash as *const [u32; 2]).read() };
            return (0..count).find(|index| is_wanted(*index));
        }
        // SAFETY: the caller's promise.
        unsafe { self.chain(name.hash, is_wanted) }
    }

    /// The first of the symbols of that hash that is wanted. The table is a Bloom filter, buckets, chains.
    ///
    /// # Safety
    ///
    /// As above, and it has such a table.
    unsafe fn chain(&self, hash: u32, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.hash as *const u32;
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
            while index >= first {
                let found = *chain.add((index - first) as usize);
                if found | 1 == hash | 1 && is_wanted(index) {
                    return Some(index);
                }
                if found & 1 != 0 {
                    break;
                }
                index += 1;
            }
            None
        }
    }

    /// # Safety
    ///
    /// The object has a symbol `index`.
    pub(super) unsafe fn symbol(&self, index: u32) -> SymbolEntry {
        // SAFETY: the caller's promise.
        unsafe { *(self.symbols as *const SymbolEntry).add(index as usize) }
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn is(&self, index: u32, name: SymbolName<'_>, kind: SymbolKind) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let symbol = self.symbol(index);
            let found = match symbol.info & 15 {
                INDIRECT_FUNCTION => SymbolKind::Function as u8,
                kind => kind,
            };
            symbol.section != 0 && found == kind as u8 && self.is_text(symbol.name, name.text)
        }
    }

    /// Whether the text at `offset` of the strings is `text`, which ends with a zero byte.
    ///
    /// # Safety
    ///
    /// There is such a text.
    unsafe fn is_text(&self, offset: u32, text: &[u8]) -> bool {
        let found = (self.strings as *const u8).wrapping_add(offset as usize);
        // SAFETY: the caller's promise; both end with zero bytes, so the comparison ends.
        text.iter().enumerate().all(|(at, byte)| unsafe { *found.add(at) } == *byte)
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn address(&self, index: u32) -> usize {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.symbol(index) };
        let address = self.base + symbol.value as usize;
        if symbol.info & 15 != INDIRECT_FUNCTION {
            return address;
        }
        // SAFETY: such a symbol is a function without parameters, which the dynamic linker calls likewise.
        unsafe { core::mem::transmute::<usize, extern "C" fn() -> usize>(address)() }
    }

    /// The number of the symbol's version, with [`HIDDEN`]; 0 where it has none.
    ///
    /// # Safety
    ///
    /// As above.
    pub(super) unsafe fn version(&self, index: u32) -> u16 {
        let versions = self.versions as *const u16;
        // SAFETY: the caller's promise.
        if versions.is_null() { 0 } else { unsafe { *versions.add(index as usize) } }
    }
}

/// The bit of a version that is there for programs that were linked with an older library only.
pub(super) const HIDDEN: u16 = 0x8000;

/// The address of the entry `tag` of the object that is mapped at `base`. None where it has none.
///
/// # Safety
///
/// `dynamic` is its dynamic section.
pub(super) unsafe fn value(base: usize, dynamic: *const [u64; 2], tag: u64) -> Option<usize> {
    // SAFETY: the caller's promise.
    let value = unsafe { entry(dynamic, tag) }? as usize;
    // glibc's dynamic linker has added the base already, in most objects.
    Some(if value < base { value + base } else { value })
}

/// The value of the entry `tag`. None where there is none.
///
/// # Safety
///
/// As above.
pub(super) unsafe fn entry(dynamic: *const [u64; 2], tag: u64) -> Option<u64> {
    let mut entry = dynamic;
    // SAFETY: the caller's promise; the section ends with a zero.
    unsafe {
        while (*entry)[0] != tag {
            if (*entry)[0] == 0 {
                return None;
            }
            entry = entry.add(1);
        }
        Some((*entry)[1])
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
