//! The symbols of the objects that the process started with: they are never unmapped.
//!
//! Usually these come after ours. Where we were brought into a process that runs, ours is the last of all.
//!
//! Everything is read where it lies in memory, without a call to anybody: what asks for a symbol first may be
//! the dynamic linker, or a library that is about to put itself before libc.

use crate::preload::object::link_map::{self, LinkMap};
use crate::preload::object::tables::{SymbolKind, SymbolName, SymbolTables};
use core::ffi::{CStr, c_char};
use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

/// Our own path, once the symbols are remembered.
static OWN_PATH: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// Whether we were brought into the process while it ran.
static IS_LATE: AtomicBool = AtomicBool::new(false);

/// Whether we were brought into the process while it ran, rather than preloaded. Only once the symbols are
/// remembered.
pub(crate) fn are_late() -> bool {
    cfg!(feature = "static_program") || IS_LATE.load(Relaxed)
}

/// Our own path; empty before the symbols are remembered.
pub(crate) fn own_path() -> &'static CStr {
    match OWN_PATH.load(Relaxed).cast_const() {
        path if path.is_null() => c"",
        // SAFETY: the dynamic linker keeps the name as long as the object is mapped: for good.
        path => unsafe { CStr::from_ptr(path) },
    }
}

/// Remembers the symbols of the objects after ours: where a program finds what we wrap. Once.
pub(crate) fn remember() {
    if !OWN_PATH.load(Relaxed).is_null() {
        return;
    }
    // SAFETY: as long as a process starts nobody takes anything away.
    unsafe {
        if let Some(own) = link_map::objects().find(|object| object.is_own()) {
            IS_LATE.store(own.is_last(), Relaxed);
            OWN_PATH.store(own.name.cast_mut(), Relaxed);
            link_map::objects_of_program(are_late())
                .filter_map(LinkMap::tables)
                .for_each(|tables| remember_tables(&tables));
        }
    }
}

/// Of objects for which there is no space only the one that has the dynamic linker's functions is remembered:
/// they are asked for what is in the others.
fn remember_tables(tables: &SymbolTables) {
    let count = COUNT.load(Relaxed);
    if let Some(slot) = REMEMBERED.get(count) {
        slot.store(tables);
        COUNT.store(count + 1, Release);
    } else if LINKER.strings.load(Relaxed) == 0 {
        // SAFETY: it is mapped for good.
        let dlsym = unsafe { tables.find(SymbolName::new(b"dlsym\0"), SymbolKind::Function) };
        dlsym.inspect(|_| LINKER.store(tables));
    }
}

/// The tables of an object, in a static.
struct ObjectSlot {
    base: AtomicUsize,
    symbols: AtomicUsize,
    strings: AtomicUsize,
    hash: AtomicUsize,
    old_hash: AtomicUsize,
    versions: AtomicUsize,
}

/// Objects whose symbols are remembered. What is in others is asked of the dynamic linker.
const MOST: usize = 24;

/// After the other variables that every process needs at its start: few have more than the first of them,
/// and then one page is changed, not two.
#[unsafe(link_section = ".bss._ZZ_remembered")]
static REMEMBERED: [ObjectSlot; MOST] = [const { ObjectSlot::new() }; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The object with the dynamic linker's functions, if it is not among those.
static LINKER: ObjectSlot = ObjectSlot::new();

/// The address of the function `name` in the first remembered object that has it. None when none has, or
/// when it takes the dynamic linker to know.
pub(crate) fn find(name: SymbolName<'_>) -> Option<usize> {
    remembered().find_map(|slot| slot.find(name, SymbolKind::Function))
}

/// The address of a function of libc's, also where others have one of that name: they come before libc.
pub(crate) fn find_libc(name: SymbolName<'_>) -> Option<usize> {
    #[cfg(feature = "static_program")]
    if let Some(found) = super::static_program::find(name.text()) {
        return Some(found);
    }
    find_last(name, SymbolKind::Function)
}

/// The address of a variable of libc's, likewise.
pub(crate) fn find_object(name: SymbolName<'_>) -> Option<usize> {
    find_last(name, SymbolKind::Object)
}

/// The address of the function `name` in the first object that has it and is loaded now.
///
/// # Safety
///
/// As for [`link_map::objects`].
pub(crate) unsafe fn find_loaded(name: SymbolName<'_>) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut all = link_map::objects_of_program(are_late()).filter_map(LinkMap::tables);
        all.find_map(|tables| tables.find(name, SymbolKind::Function))
    }
}

/// The address of an older version of the function `name`, by that version's name, which ends with a zero
/// byte.
///
/// # Safety
///
/// As for [`link_map::objects`].
pub(crate) unsafe fn find_version(name: SymbolName<'_>, version: &[u8]) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut all = link_map::objects_of_program(are_late());
        all.find_map(|object| object.tables()?.find_version(name, version, object.dynamic))
    }
}

fn remembered() -> impl DoubleEndedIterator<Item = &'static ObjectSlot> {
    REMEMBERED.iter().take(COUNT.load(Acquire))
}

fn find_last(name: SymbolName<'_>, kind: SymbolKind) -> Option<usize> {
    core::iter::once(&LINKER).chain(remembered().rev()).find_map(|slot| slot.find(name, kind))
}

impl ObjectSlot {
    const fn new() -> ObjectSlot {
        ObjectSlot {
            base: AtomicUsize::new(0),
            symbols: AtomicUsize::new(0),
            strings: AtomicUsize::new(0),
            hash: AtomicUsize::new(0),
            old_hash: AtomicUsize::new(0),
            versions: AtomicUsize::new(0),
        }
    }

    fn store(&self, tables: &SymbolTables) {
        self.base.store(tables.base, Relaxed);
        self.symbols.store(tables.symbols, Relaxed);
        self.hash.store(tables.hash, Relaxed);
        self.old_hash.store(tables.old_hash, Relaxed);
        self.versions.store(tables.versions, Relaxed);
        self.strings.store(tables.strings, Release);
    }

    /// What was stored; None before.
    fn tables(&self) -> Option<SymbolTables> {
        let strings = self.strings.load(Acquire);
        (strings != 0).then(|| SymbolTables {
            base: self.base.load(Relaxed),
            symbols: self.symbols.load(Relaxed),
            strings,
            hash: self.hash.load(Relaxed),
            old_hash: self.old_hash.load(Relaxed),
            versions: self.versions.load(Relaxed),
        })
    }

    fn find(&self, name: SymbolName<'_>, kind: SymbolKind) -> Option<usize> {
        // SAFETY: it is mapped for good.
        self.tables().and_then(|tables| unsafe { tables.find(name, kind) })
    }
}
