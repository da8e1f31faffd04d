//! The objects of the process that have sites.

use super::lasting_table::LastingTable;
use super::sites::{SiteTable, with_names};
use super::system_call_table::SystemCallTable;
use super::traced_site::TracedSite;
use super::trampolines::Trampolines;
use super::turn::Turn;
use super::{files, probe_place, reference_counters, unnamed};
use crate::preload::object::elf::LoadedObject;
use crate::preload::object::{borrowed, image, mapped};
use abi::profile::function_key;
use control::ControlArea;
use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use function_filter::FunctionName;
use function_sites::{FrameIndexEntry, ObjectFile, find_debug_file, sort_frames};
use planner::SYSTEM_CALL;
use probe::FileIdentity;
use text_poke::Text;

/// The most objects with sites that a process can have.
const OBJECTS: usize = 128;

/// Bytes of a name that are kept.
const NAME: usize = 128;

/// An object with sites.
#[derive(Debug)]
pub(super) struct TracedObject {
    /// The index of its file in the session; [`NO_ENTRY`] where it isn't known there.
    entry: AtomicU32,
    /// What is added to its own addresses.
    pub(super) base: u64,
    /// Its segment with code.
    pub(super) text: Text,
    /// The name of its file, without directories, as far as there is space.
    name: ([u8; NAME], usize),
    /// What its file is known by.
    pub(super) identity: FileIdentity,
    /// Its file, mapped to be read, for good.
    pub(super) file: ObjectFile<'static>,
    /// The file that has its symbols: names are looked up there whenever other functions are wanted.
    pub(super) symbols: ObjectFile<'static>,
    /// Whether it has calls of `mcount` that no section lists.
    pub(super) has_unlisted: bool,
    /// Whether its compiler has left sites.
    pub(super) is_built: bool,
    /// Whether it is a program of Go.
    pub(super) is_of_go: bool,
    /// Its sites, once any function was wanted.
    pub(super) sites: SiteTable,
    /// Where it calls the kernel, once that was wanted.
    pub(super) system_calls: SystemCallTable,
    /// What they call, once any was enabled.
    pub(super) trampolines: Trampolines,
    /// Whether it is mapped now. When it is mapped again at the same addresses, this is the same one.
    is_mapped: AtomicBool,
}

/// The index of no file.
const NO_ENTRY: u32 = u32::MAX;

impl TracedObject {
    /// The index of its file in the session.
    // Relaxed, everywhere: the index carries nothing but itself.
    pub(super) fn entry(&self) -> u32 {
        self.entry.load(Relaxed)
    }

    /// The name of its file, without directories.
    pub(super) fn name(&self) -> &[u8] {
        let (name, len) = &self.name;
        name.get(..*len).unwrap_or_default()
    }

    /// Whether it is the C library, or has that in it.
    pub(super) fn is_libc(&self) -> bool {
        cfg!(feature = "static_program") || self.text.pages.contains(&(borrowed::in_libc() as u64))
    }

    /// How many sites a compiler has left.
    fn count(&self) -> u64 {
        self.file.sites().count() as u64
    }

    /// Looks its sites up, unless that was done. It has none where there is no memory for them.
    pub(super) fn find_sites(&self) {
        let symbols = Some(&self.symbols).filter(|_| !self.is_built);
        let _ = self.sites.fill(&self.file, symbols, self.base);
    }

    /// Whether any of its functions may be one of which `is_it` says so, by its names.
    pub(super) fn has_function(&self, is_it: &dyn Fn(FunctionName<'_>) -> bool) -> bool {
        self.symbols.functions().any(|function| with_names(function.name, is_it))
            || unnamed::may_have(&self.file, &self.symbols, is_it)
    }
}

/// What an object is known by as long as the process runs.
pub(super) fn key(object: &TracedObject) -> usize {
    (&raw const *object).addr()
}

/// How objects are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectSearch {
    /// Also those without sites that a compiler has left.
    pub(super) with_unbuilt: bool,
    /// Also those that call the kernel.
    pub(super) with_system_calls: bool,
    /// The program runs: it must not see a descriptor that isn't its own.
    pub(super) is_late: bool,
}

/// Objects that were found, in the order in which they were found. What has been put there stays.
struct ObjectTable {
    objects: UnsafeCell<[Option<TracedObject>; OBJECTS]>,
    /// How many there are.
    count: AtomicUsize,
}

// SAFETY: who has the turn alone puts an object there, before it is counted; what changes of one is atomic.
unsafe impl Sync for ObjectTable {}

static TABLE: ObjectTable =
    ObjectTable { objects: UnsafeCell::new([const { None }; OBJECTS]), count: AtomicUsize::new(0) };

/// Those that are mapped.
// Acquire: pairs with the Release of `add`.
pub(super) fn all() -> impl Iterator<Item = &'static TracedObject> {
    known().filter(|object| object.is_mapped.load(Acquire))
}

/// Those that were found.
// Acquire: pairs with the Release of `add`.
fn known() -> impl Iterator<Item = &'static TracedObject> {
    let count = TABLE.count.load(Acquire).min(OBJECTS);
    (0..count).filter_map(|index| {
        let start = TABLE.objects.get().cast::<Option<TracedObject>>();
        // SAFETY: within the array; it was filled before it was counted, and nobody stores there again.
        unsafe { start.add(index).as_ref() }?.as_ref()
    })
}

/// Whether there are any.
pub(super) fn is_any() -> bool {
    TABLE.count.load(Relaxed) != 0
}

/// The site that an address is in.
pub(super) fn find(address: u64) -> Option<&'static TracedSite> {
    containing(address)?.sites.find(address)
}

/// What the site at an address is known by in the session's profile.
pub(super) fn key_of(site: u64) -> Option<u64> {
    containing(site).map(|object| function_key(object.entry(), site.wrapping_sub(object.base)))
}

/// Where a place in the file that an address is in is mapped.
pub(super) fn file_address(address: u64, offset: u64) -> Option<u64> {
    let object = containing(address)?;
    Some(object.base.wrapping_add(object.file.address_at(offset)?))
}

/// The site whose call returns to an address.
pub(super) fn calling(returns_to: u64) -> Option<&'static TracedSite> {
    find(returns_to.wrapping_sub(1)).filter(|site| site.call_end() == Some(returns_to))
}

/// Whether an address is in an object all of whose sites are listed.
pub(super) fn lists_calls(address: u64) -> bool {
    containing(address).is_some_and(|object| !object.has_unlisted)
}

/// Whether any has calls of `mcount` that no section lists.
pub(super) fn have_unlisted() -> bool {
    all().any(|object| object.has_unlisted)
}

/// Looks up the sites of the object that an address is in, for one who has the turn.
pub(super) fn fill_for(address: u64) {
    if let Some(object) = containing(address) {
        object.find_sites();
    }
}

fn containing(address: u64) -> Option<&'static TracedObject> {
    all().find(|object| object.text.pages.contains(&address))
}

/// Looks for sites in an object that the process has mapped: how many a compiler has left, if nobody has
/// counted them. None where its file can't be read. One without any is known from then on only if functions
/// are wanted that were not built to be traced.
///
/// It makes system calls: only where the program may be expected to make such ones.
pub(super) fn add(
    object: &LoadedObject<'_>,
    entry: u32,
    counted: Option<u64>,
    how: ObjectSearch,
    _turn: &mut Turn,
) -> Option<u64> {
    let text = object.text()?;
    let same = |known: &&TracedObject| known.text == text && known.file.build_id() == object.build_id();
    if let Some(known) = known().find(same) {
        known.entry.store(entry, Relaxed);
        if !known.is_mapped.swap(true, Release) {
            // Its code is as it is in the file.
            known.sites.all().iter().for_each(|site| site.set_untouched());
            known.system_calls.set_untouched();
            probe_place::set_untouched(key(known));
            reference_counters::set_untouched(key(known));
        }
        return Some(counted.unwrap_or_else(|| known.count()));
    }
    let path = if object.path.is_empty() { c"/proc/self/exe" } else { object.path };
    let bytes = files::map(path, how.is_late)?;
    let parsed = ObjectFile::parse(bytes).map(|file| (file, file.sites().next().is_some()));
    let calls =
        |file: &ObjectFile<'_>| how.with_system_calls && file.occurrences(SYSTEM_CALL).next().is_some();
    let is_wanted = |(file, is_built): &(_, bool)| *is_built || how.with_unbuilt || calls(file);
    let Some((file, is_built)) = parsed.filter(is_wanted) else {
        files::unmap(bytes);
        return Some(0);
    };
    if file.build_id() != object.build_id() {
        // Somebody has put another file in its place.
        files::unmap(bytes);
        return None;
    }
    let file = with_frame_index(file);
    let count = counted.unwrap_or_else(|| file.sites().count() as u64);
    let index = TABLE.count.load(Relaxed);
    if index >= OBJECTS {
        files::unmap(bytes);
        return Some(count);
    }
    let found = TracedObject {
        entry: AtomicU32::new(entry),
        base: object.base,
        text,
        name: name_of(object),
        identity: files::identity(object.build_id(), path),
        file,
        symbols: debug_file(&file, path, how.is_late).unwrap_or(file),
        has_unlisted: is_built && file.has_unlisted_calls(),
        is_built,
        is_of_go: file.is_pure_go(),
        sites: SiteTable::new(),
        system_calls: SystemCallTable::new(),
        trampolines: Trampolines::new(),
        is_mapped: AtomicBool::new(true),
    };
    let start = TABLE.objects.get().cast::<Option<TracedObject>>();
    // SAFETY: within the array. Who has the turn is alone, and nobody reads the slot before it is counted.
    unsafe { start.add(index).write(Some(found)) };
    TABLE.count.store(index + 1, Release);
    Some(count)
}

/// A file with a table of its functions, which a static program doesn't have; without one where there is no
/// memory.
fn with_frame_index(file: ObjectFile<'static>) -> ObjectFile<'static> {
    let table = LastingTable::<FrameIndexEntry>::new();
    let count = file.unindexed_frames().count();
    let sort = |entries: &mut [FrameIndexEntry]| {
        sort_frames(entries);
        entries.len()
    };
    match count > 0 && table.fill(count, file.unindexed_frames(), sort).is_some() {
        true => file.with_frame_index(table.all()),
        false => file,
    }
}

/// Forgets what the session knows objects by: the process is attached to another one.
pub(super) fn forget_entries() {
    known().for_each(|object| object.entry.store(NO_ENTRY, Relaxed));
}

/// Gives those that are mapped the entries that they have in the session.
pub(super) fn enter_known(control: &ControlArea) {
    let is_new = |object: &&TracedObject| object.entry() == NO_ENTRY;
    if !all().any(|object| is_new(&object)) {
        return;
    }
    mapped::for_each_entered(control, &mut |found, entry| {
        let text = found.text();
        all().filter(is_new).filter(|known| text.as_ref() == Some(&known.text)).for_each(|known| {
            known.entry.store(entry, Relaxed);
        });
    });
}

/// Notes which objects have been unmapped: before anybody has a turn again.
pub(super) fn forget_unmapped() {
    for known in all() {
        let mut is_mapped = false;
        mapped::for_each_text(&mut |text| is_mapped |= text == known.text);
        known.is_mapped.store(is_mapped, Release);
    }
}

/// A copy of the name of an object's file: the dynamic linker's goes with the object.
fn name_of(object: &LoadedObject<'_>) -> ([u8; NAME], usize) {
    let mut program = [0; files::LONGEST];
    let path = match object.path.to_bytes() {
        // Not what was executed, which may be a link or a script: lists of functions have the file's name.
        b"" => files::read_link(c"/proc/self/exe", &mut program).unwrap_or(image::program().to_bytes()),
        path => path,
    };
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let mut copy = [0; NAME];
    for (to, from) in copy.iter_mut().zip(name) {
        *to = *from;
    }
    (copy, name.len().min(NAME))
}

/// The file with the symbols that were stripped from another one, if it is there.
fn debug_file(file: &ObjectFile<'_>, path: &CStr, is_late: bool) -> Option<ObjectFile<'static>> {
    if file.has_all_symbols() {
        return None;
    }
    let mut program = [0; files::LONGEST];
    // A link leads to the program's own directory.
    let path = files::read_link(path, &mut program).unwrap_or(path.to_bytes());
    find_debug_file(path, file.debug_link(), file.build_id(), |path| {
        let bytes = files::map(path, is_late)?;
        let found = ObjectFile::parse(bytes);
        let is_its_own =
            |found: &ObjectFile<'_>| found.build_id() == file.build_id() && found.has_all_symbols();
        let found = found.filter(is_its_own);
        if found.is_none() {
            files::unmap(bytes);
        }
        found
    })
}
