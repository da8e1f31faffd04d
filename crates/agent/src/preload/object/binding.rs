//! What the calls of a program lead to, in a process that we were brought into while it ran.
//!
//! The dynamic linker has bound the names of functions before we came: for each of an object's references to
//! one there is a word of its data, a slot, with the function's address. What we do then is what it does for
//! an object that is preloaded: each slot with the function that a wrapper stands for gets the wrapper. No
//! code is changed, and a thread that calls meanwhile calls one or the other.
//!
//! A slot with anything else is left alone: another version of the function, another library's function of
//! that name, or what the program has put there. So are copies of addresses that the program has made.
//!
//! # Safety
//!
//! Slots are words of objects that stay mapped while the dynamic linker reports them. They are stored to by
//! one thread at a time, whose turn it is: the pages of some can be written only meanwhile.

use crate::preload::arch::linker;
use crate::preload::object::elf::LoadedObject;
use crate::preload::object::tables::{SymbolKind, SymbolName, SymbolTables};
use crate::preload::object::{borrowed, image, mapped, symbols};
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::Ordering::{Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicUsize};
use rustix::mm::{MprotectFlags, mprotect};

/// Whether calls lead to the wrappers.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Whether an object has a search path that holds for what it loads, too.
static HANDS_ON_PATH: AtomicBool = AtomicBool::new(false);

/// Whether the dynamic linker loads the same files whoever asks it to, by their paths: no object has a search
/// path that holds for what it loads (`DT_RPATH`).
pub(crate) fn may_load_for_others() -> bool {
    !HANDS_ON_PATH.load(Relaxed)
}

/// Whether calls lead to the wrappers.
// Relaxed, everywhere: one turn at a time.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Has the calls of all objects lead to the wrappers. Only in a turn.
pub(crate) fn start() {
    IS_ON.store(true, Relaxed);
    keep_up();
}

/// Does so for objects that were loaded since. Only in a turn.
pub(crate) fn keep_up() {
    if is_on() {
        bind_all(BindingTarget::Wrappers);
    }
}

/// Has the calls of all objects lead to libc's functions again. Only in a turn.
pub(crate) fn stop() {
    IS_ON.store(false, Relaxed);
    bind_all(BindingTarget::Libc);
}

/// What calls are to lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BindingTarget {
    Wrappers,
    Libc,
}

fn bind_all(target: BindingTarget) {
    if let Some(wrappers) = own_tables() {
        mapped::for_each_object(&mut |object| bind(object, &wrappers, target));
    }
}

/// Our own symbols: the wrappers.
fn own_tables() -> Option<SymbolTables> {
    // SAFETY: our own section, as the dynamic linker has mapped it.
    unsafe { SymbolTables::of(image::span().start, linker::own_dynamic_section()) }
}

/// Has the calls of an object lead there, unless it is ours or the dynamic linker.
fn bind(object: &LoadedObject<'_>, wrappers: &SymbolTables, target: BindingTarget) {
    let (linker, _) = borrowed::heads_of_objects();
    let is_left_alone = object.contains(linker) || object.contains(image::span().start);
    let Some(references) = References::of(object).filter(|_| !is_left_alone) else { return };
    if references.hands_on_path {
        HANDS_ON_PATH.store(true, Relaxed);
    }
    let pages = object.read_only_pages();
    let change = |slot: &BoundSlot| references.new_value(object, (wrappers, target), slot);
    let is_protected = |slot: &BoundSlot| pages.contains(&slot.address);
    let has_protected = references.slots().any(|slot| is_protected(&slot) && change(&slot).is_some());
    let may_write = has_protected && protect(&pages, MprotectFlags::READ | MprotectFlags::WRITE);
    for slot in references.slots() {
        if (may_write || !is_protected(&slot))
            && let Some(value) = change(&slot)
        {
            // Release: who calls the wrapper finds it as the dynamic linker has mapped it.
            slot.word().store(value, Release);
        }
    }
    if may_write {
        protect(&pages, MprotectFlags::READ);
    }
}

fn protect(pages: &Range<usize>, access: MprotectFlags) -> bool {
    let start = with_exposed_provenance::<u8>(pages.start).cast_mut();
    // SAFETY: pages of data that the dynamic linker has made read-only; nobody's data changes.
    unsafe { mprotect(start.cast(), pages.len(), access) }.is_ok()
}

/// What an object refers to by name, where the dynamic linker stores addresses.
struct References {
    symbols: SymbolTables,
    base: usize,
    dynamic: *const [u64; 2],
    tables: [&'static [Relocation]; 2],
    /// Whether it has a search path that holds for what it loads.
    hands_on_path: bool,
}

/// An entry of a table of relocations.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: u64,
}

/// How a slot is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotKind {
    /// For calls; the function may be looked up only at the first one.
    Call,
    /// For calls, or the address of the function.
    Address,
}

/// A word with the address of a function.
#[derive(Debug, Clone, Copy)]
struct BoundSlot {
    address: usize,
    symbol: u32,
    kind: SlotKind,
}

impl BoundSlot {
    fn word(&self) -> &'static AtomicUsize {
        // SAFETY: a word of a mapped object's data, see `References::slots`.
        unsafe { &*with_exposed_provenance::<AtomicUsize>(self.address) }
    }
}

impl References {
    fn of(object: &LoadedObject<'_>) -> Option<References> {
        const ADDRESSES: [u64; 2] = [7, 8];
        const CALLS: [u64; 2] = [23, 2];
        let base = object.base as usize;
        let dynamic = object.dynamic()?;
        // SAFETY: the dynamic linker has mapped it.
        unsafe {
            let symbols = SymbolTables::of(base, dynamic)?;
            let tables = [ADDRESSES, CALLS].map(|tags| {
                let table = symbols.table(dynamic, tags, size_of::<Relocation>());
                table.map_or(&[][..], |(at, count)| {
                    core::slice::from_raw_parts(with_exposed_provenance::<Relocation>(at), count)
                })
            });
            const PATH: u64 = 15;
            let hands_on_path = symbols.has_entry(dynamic, PATH);
            Some(References { symbols, base, dynamic, tables, hands_on_path })
        }
    }

    fn slots(&self) -> impl Iterator<Item = BoundSlot> {
        let all = self.tables.into_iter().flatten();
        all.filter_map(|found| {
            let kind = kind(found.info & 0xffff_ffff)?;
            let is_exact = found.addend == 0 || kind == SlotKind::Call;
            let address = self.base.wrapping_add(found.offset as usize);
            let symbol = (found.info >> 32) as u32;
            let is_slot = is_exact && symbol != 0 && address.is_multiple_of(align_of::<usize>());
            is_slot.then_some(BoundSlot { address, symbol, kind })
        })
    }

    /// What is to be stored in a slot. None where it stays as it is.
    fn new_value(
        &self,
        object: &LoadedObject<'_>,
        (wrappers, target): (&SymbolTables, BindingTarget),
        slot: &BoundSlot,
    ) -> Option<usize> {
        // SAFETY: the object's own index; our own symbols.
        let (name, wrapper) = unsafe {
            let text = self.symbols.name(slot.symbol);
            let name = SymbolName::new(text);
            let is_ours = text.starts_with(b"lookback_");
            (name, wrappers.find(name, SymbolKind::Function).filter(|_| !is_ours)?)
        };
        let real = symbols::find(name)?;
        let value = object.is_data(slot.address).then(|| slot.word().load(Relaxed))?;
        if target == BindingTarget::Libc {
            return (value == wrapper).then_some(real);
        }
        let is_unbound = slot.kind == SlotKind::Call
            && object.contains(value)
            && !object.contains(real)
            && self.means(slot.symbol, name, real);
        (value == real || is_unbound).then_some(wrapper)
    }
}

impl References {
    /// Whether a symbol of the object's means this function, which is the newest of its name.
    fn means(&self, symbol: u32, name: SymbolName<'_>, newest: usize) -> bool {
        // SAFETY: the object's own index; who has it loaded has what it needs loaded.
        unsafe {
            let version = self.symbols.needed_version(symbol, self.dynamic);
            version.is_none_or(|version| symbols::find_version(name, version) == Some(newest))
        }
    }
}

/// What kind of slot a relocation of this type has.
fn kind(relocation: u64) -> Option<SlotKind> {
    const WORD: u64 = 1;
    const ADDRESS: u64 = 6;
    const CALL: u64 = 7;
    match relocation {
        CALL => Some(SlotKind::Call),
        WORD | ADDRESS => Some(SlotKind::Address),
        _ => None,
    }
}
