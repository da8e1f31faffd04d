//! What an object needs of others: where the dynamic linker stores their addresses in it, by which names, and
//! in which versions.

use crate::preload::object::tables::{HIDDEN, SymbolTables, entry, value};
use core::ffi::{CStr, c_char};

impl SymbolTables {
    /// A table of the object's: where it is, and how many entries of this `size` it has, by the entries of
    /// its dynamic section that say where it is and how many bytes it has.
    ///
    /// # Safety
    ///
    /// `dynamic` is its section.
    pub(crate) unsafe fn table(
        &self,
        dynamic: *const [u64; 2],
        [at, bytes]: [u64; 2],
        size: usize,
    ) -> Option<(usize, usize)> {
        // SAFETY: the caller's promise.
        unsafe { Some((value(self.base, dynamic, at)?, entry(dynamic, bytes)? as usize / size)) }
    }

    /// Whether its dynamic section, `dynamic`, has an entry of this kind.
    ///
    /// # Safety
    ///
    /// As above.
    pub(crate) unsafe fn has_entry(&self, dynamic: *const [u64; 2], tag: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe { entry(dynamic, tag) }.is_some()
    }

    /// The name of a symbol, with its zero byte.
    ///
    /// # Safety
    ///
    /// As above, and it has a symbol of this index.
    pub(crate) unsafe fn name(&self, index: u32) -> &'static [u8] {
        // SAFETY: the caller's promise.
        unsafe { self.text(self.symbol(index).name) }
    }

    /// The text at `offset` of the strings, with its zero byte.
    ///
    /// # Safety
    ///
    /// There is one.
    pub(super) unsafe fn text(&self, offset: u32) -> &'static [u8] {
        let text = (self.strings as *const c_char).wrapping_add(offset as usize);
        // SAFETY: the caller's promise. The strings are the linker's, and each ends with a zero byte.
        unsafe { CStr::from_ptr(text) }.to_bytes_with_nul()
    }

    /// The name of the version that the object needs a symbol of another object's in, with its zero byte.
    /// None where it says none. `dynamic` is its section.
    ///
    /// # Safety
    ///
    /// As above, and it has a symbol of this index.
    pub(crate) unsafe fn needed_version(
        &self,
        index: u32,
        dynamic: *const [u64; 2],
    ) -> Option<&'static [u8]> {
        /// Versions that an object needs of another.
        #[repr(C)]
        struct NeededObject {
            kind: u16,
            count: u16,
            file: u32,
            /// Bytes from here to the first version, and to what is needed of the next object.
            first: u32,
            next: u32,
        }
        #[repr(C)]
        struct NeededVersion {
            hash: u32,
            flags: u16,
            number: u16,
            name: u32,
            next: u32,
        }
        const NEEDS: u64 = 0x6fff_fffe;
        // SAFETY: the section is the linker's, and so is what it leads to.
        unsafe {
            let wanted = self.version(index) & !HIDDEN;
            let mut needs = value(self.base, dynamic, NEEDS)? as *const NeededObject;
            loop {
                let mut need = needs.byte_add((*needs).first as usize).cast::<NeededVersion>();
                for _ in 0..(*needs).count {
                    if (*need).number == wanted {
                        return Some(self.text((*need).name));
                    }
                    need = need.byte_add((*need).next as usize);
                }
                if (*needs).next == 0 {
                    return None;
                }
                needs = needs.byte_add((*needs).next as usize);
            }
        }
    }
}
