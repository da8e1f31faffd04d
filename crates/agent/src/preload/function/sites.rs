//! The sites of an object, as they are in this process.

use super::trampolines::Trampolines;
use abi::instance::INSTANCE_WORDS;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};
use function_filter::FunctionName;
use function_sites::{
    FunctionSite, FunctionSymbol, ObjectFile, ReturnAddress, SiteKind, SiteLocation, SiteLocator, SitePlace,
    SourcePath,
};
use rustix::mm::{MapFlags, ProtFlags};
use text_poke::plan::Plan;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::refusal::Refusal;
use text_poke::plan::xray;

/// A site.
#[derive(Debug)]
pub(super) struct TracedSite {
    /// Where it is in this process.
    pub(super) address: u64,
    place: SitePlace,
    kind: SiteKind,
    return_address: Option<ReturnAddress>,
    /// Its own name, see [`FunctionSite::name`].
    name: &'static [u8],
    /// The instances that want it.
    wanted: [AtomicU64; INSTANCE_WORDS],
    /// A bit for each command that is done there, see `commands.rs`.
    commands: AtomicU64,
    /// [`NAMED`], [`TRACED`], [`PREPARED`].
    state: AtomicU32,
    /// The bytes that it was found with, as far as they count for its plan.
    found: [u8; FOUND],
}

/// Bytes that are kept of what was found: the longest nops, and what may come before them.
const FOUND: usize = 20;

/// Some function of the file has the site.
const NAMED: u32 = 1;
/// It is on.
const TRACED: u32 = 2;
/// It was prepared while no other thread could be there.
const PREPARED: u32 = 4;

impl TracedSite {
    /// One of a file whose addresses are moved by `base`, with its code from there on.
    fn new(site: &FunctionSite<'static>, location: &SiteLocation, base: u64, code: &[u8]) -> TracedSite {
        TracedSite {
            address: base.wrapping_add(location.address),
            place: location.place,
            kind: site.kind,
            return_address: location.return_address,
            name: site.name,
            wanted: [const { AtomicU64::new(0) }; INSTANCE_WORDS],
            commands: AtomicU64::new(0),
            state: AtomicU32::new(0),
            found: found(code),
        }
    }

    /// Where it is in its function: what whoever is called there finds on the stack.
    pub(super) fn place(&self) -> SitePlace {
        self.place
    }

    /// Where its function's return address is, as far as the file says.
    pub(super) fn return_address(&self) -> Option<ReturnAddress> {
        self.return_address
    }

    /// Whether its nops are of one byte each.
    pub(super) fn has_single_nops(&self) -> bool {
        let skipped = self.nops().wrapping_sub(self.address) as usize;
        self.found.get(skipped..).is_some_and(|code| code.starts_with(&[0x90; 5]))
    }

    /// Whether an instance wants it.
    // Relaxed: who is called while that changes may go either way.
    pub(super) fn is_wanted_in(&self, instance: usize) -> bool {
        self.wanted.get(instance / 64).is_some_and(|word| word.load(Relaxed) >> (instance % 64) & 1 == 1)
    }

    /// Whether any does, or a command.
    pub(super) fn is_wanted(&self) -> bool {
        self.commands() != 0 || self.wanted.iter().any(|word| word.load(Relaxed) != 0)
    }

    /// A bit for each command that is done there.
    // Relaxed: the version of the table of commands says whether they are valid.
    pub(super) fn commands(&self) -> u64 {
        self.commands.load(Relaxed)
    }

    /// Whether it is enabled.
    pub(super) fn is_traced(&self) -> bool {
        self.state.load(Relaxed) & TRACED != 0
    }

    /// Whether it was changed while no other thread could be there.
    pub(super) fn is_prepared(&self) -> bool {
        self.state.load(Relaxed) & PREPARED != 0
    }

    /// Notes that it was enabled or disabled, `alone` or with other threads.
    pub(super) fn set_traced(&self, is_traced: bool, alone: bool) {
        let state = self.state.load(Relaxed) & !TRACED;
        let traced = if is_traced { TRACED } else { 0 };
        let prepared = if alone { PREPARED } else { 0 };
        self.state.store(state | traced | prepared, Relaxed);
    }

    /// Notes that it is as it is in the file.
    pub(super) fn set_untouched(&self) {
        self.state.fetch_and(!(TRACED | PREPARED), Relaxed);
    }

    /// Where its nops are: after the mark of a place that may be jumped to, if it begins with that.
    pub(super) fn nops(&self) -> u64 {
        const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
        self.address + if self.found.starts_with(&ENDBR64) { ENDBR64.len() as u64 } else { 0 }
    }

    /// What is to be stored there.
    pub(super) fn plan(&self, trampolines: &Trampolines) -> Result<Plan, Refusal> {
        let target = trampolines.target(self.place, self.nops());
        match self.kind {
            SiteKind::Sled => xray::plan(self.address, &self.found, target),
            _ => entry::plan(self.address, &self.found, CallTarget::At(target)),
        }
    }

    /// Has just these want it, if no function was found before that has it; else these, too.
    fn want(&self, wanted: &Wanted, is_named: bool) {
        let is_more = self.state.load(Relaxed) & NAMED != 0;
        let words = self.wanted.iter().chain([&self.commands]);
        for (word, bits) in words.zip(wanted.instances.into_iter().chain([wanted.commands])) {
            let before = if is_more { word.load(Relaxed) } else { 0 };
            word.store(before | bits, Relaxed);
        }
        let state = self.state.load(Relaxed) & !NAMED;
        self.state.store(if is_named { state | NAMED } else { state }, Relaxed);
    }
}

/// Who wants a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// A bit for each instance that traces it.
    pub(super) instances: [u64; INSTANCE_WORDS],
    /// A bit for each of its commands.
    pub(super) commands: u64,
}

/// The sites of an object, in the order of their addresses.
#[derive(Debug)]
pub(super) struct SiteTable {
    /// Null until they were looked up.
    start: AtomicPtr<TracedSite>,
    count: AtomicUsize,
}

impl SiteTable {
    /// Not looked up yet.
    pub(super) const fn new() -> SiteTable {
        SiteTable { start: AtomicPtr::new(core::ptr::null_mut()), count: AtomicUsize::new(0) }
    }

    /// Fills it, for one who has the turn, with those of a file whose addresses are moved by `base`. None
    /// where there is no memory.
    // Release: pairs with the Acquire of `all`. Relaxed: published by that.
    pub(super) fn fill(&self, file: &ObjectFile<'static>, base: u64) -> Option<()> {
        let count = file.sites().count();
        let bytes = count * size_of::<TracedSite>();
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, where the kernel likes.
        let start = unsafe {
            rustix::mm::mmap_anonymous(core::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE)
        };
        let start = start.ok()?.cast::<TracedSite>();
        let mut filled = 0;
        // Code from an address on: most sites are in the section of the one before.
        let mut code: (u64, &[u8]) = (0, &[]);
        let locator = SiteLocator::new(*file);
        for site in file.sites().take(count) {
            let Ok(location) = locator.locate(&site) else { continue };
            if after(code, location.address).is_empty() {
                code = (location.address, file.code_at(location.address));
            }
            let site = TracedSite::new(&site, &location, base, after(code, location.address));
            // SAFETY: within the mapping, as no more than `count` are.
            unsafe { start.add(filled).write(site) };
            filled += 1;
        }
        // SAFETY: so many were filled. Nobody else has them yet.
        let sites = unsafe { core::slice::from_raw_parts_mut(start, filled) };
        sort(sites);
        self.count.store(filled, Relaxed);
        self.start.store(start, Release);
        Some(())
    }

    /// All of them; none as long as they were not looked up.
    // Acquire: pairs with the Release of `fill`.
    pub(super) fn all(&self) -> &'static [TracedSite] {
        let start = self.start.load(Acquire);
        if start.is_null() {
            return &[];
        }
        // SAFETY: `fill` has filled so many there. They stay, and what changes of them is atomic.
        unsafe { core::slice::from_raw_parts(start, self.count.load(Relaxed)) }
    }

    /// The site at an address, or the last before it.
    pub(super) fn find(&self, address: u64) -> Option<&'static TracedSite> {
        let sites = self.all();
        sites.get(sites.partition_point(|site| site.address <= address).checked_sub(1)?)
    }

    /// Asks for each site who wants it, by the names of the functions that have it.
    pub(super) fn choose(
        &self,
        file: &ObjectFile<'static>,
        base: u64,
        wanted_by: &dyn Fn(FunctionName<'_>) -> Wanted,
    ) {
        let asked = |symbol: &[u8]| {
            let path = SourcePath::of(symbol);
            wanted_by(FunctionName { symbol, path: path.as_ref().map(SourcePath::as_bytes) })
        };
        let without_name = asked(b"");
        for site in self.all() {
            site.state.fetch_and(!NAMED, Relaxed);
            match SourcePath::of_site(site.name) {
                Some(path) => site.want(&wanted_by(FunctionName::from(path.as_bytes())), true),
                None => site.want(&without_name, false),
            }
        }
        for function in file.functions() {
            let mut sites = self.of_function(&function, base).filter(|site| site.name.is_empty()).peekable();
            if sites.peek().is_some() {
                let wanted = asked(function.name);
                sites.for_each(|site| site.want(&wanted, true));
            }
        }
    }

    /// The sites that a function has.
    fn of_function(
        &self,
        function: &FunctionSymbol<'_>,
        base: u64,
    ) -> impl Iterator<Item = &'static TracedSite> {
        let function = FunctionSymbol { start: base.wrapping_add(function.start), ..*function };
        let sites = self.all();
        let first = sites.partition_point(|site| site.address < function.start);
        let sites = sites.get(first..).unwrap_or_default().iter();
        sites.take_while(move |site| function.contains(site.address))
    }
}

/// What code has from an address on. Nothing for one that is not in it.
fn after((start, code): (u64, &[u8]), address: u64) -> &[u8] {
    let offset = address.checked_sub(start).and_then(|offset| usize::try_from(offset).ok());
    offset.and_then(|offset| code.get(offset..)).unwrap_or_default()
}

/// The first bytes of code.
fn found(code: &[u8]) -> [u8; FOUND] {
    let mut found = [0; FOUND];
    for (to, from) in found.iter_mut().zip(code) {
        *to = *from;
    }
    found
}

/// Sorts sites by address, in place. They nearly always are: then it is one look at each. (Heapsort: the
/// standard library's sort may panic.)
fn sort(sites: &mut [TracedSite]) {
    if sites.is_sorted_by_key(|site| site.address) {
        return;
    }
    let count = sites.len();
    for start in (0..count / 2).rev() {
        sift_down(sites, start, count);
    }
    for end in (1..count).rev() {
        swap(sites, 0, end);
        sift_down(sites, 0, end);
    }
}

/// Exchanges two sites. (The standard library's may panic.)
fn swap(sites: &mut [TracedSite], one: usize, other: usize) {
    if let Ok([one, other]) = sites.get_disjoint_mut([one, other]) {
        core::mem::swap(one, other);
    }
}

/// Lets the site at `start` sink to its place in the heap of the first `end`.
fn sift_down(sites: &mut [TracedSite], start: usize, end: usize) {
    let key = |sites: &[TracedSite], index: usize| sites.get(index).map(|site| site.address);
    let mut parent = start;
    loop {
        let first = 2 * parent + 1;
        if first >= end {
            return;
        }
        let second = (first + 1).min(end - 1);
        let child = if key(sites, second) > key(sites, first) { second } else { first };
        if key(sites, child) <= key(sites, parent) {
            return;
        }
        swap(sites, parent, child);
        parent = child;
    }
}
