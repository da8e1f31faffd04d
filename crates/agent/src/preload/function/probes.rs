//! Probes where functions are called and where they return: which there are in this process.
//!
//! A site has the first of its probes; each has the next one of the same site. Who has the turn replaces the
//! table while other threads may be at a site, as that of [commands](super::commands): its version is odd
//! meanwhile, and another one afterwards, and who sees two versions records nothing. Nor does anybody if the
//! probes in the session have changed meanwhile, until the code is brought up to date again.

use super::objects::{TracedObject, key};
use super::plain_probe::PlainProbe;
use super::traced_site::TracedSite;
use super::turn::Turn;
use super::{probe_place, probed_sites, reference_counters};
use abi::control::PROBE_HITS;
use control::{ControlArea, FunctionWords};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};
use probe::{CompiledProbe, CompiledProbes, FileIdentity, ProbeKind};

/// A probe: the index of its first word, the address that it is at, and the number of the next one.
struct PlacedProbe {
    index: AtomicU32,
    next: AtomicU32,
    address: AtomicU64,
    plain: PlainProbe,
}

/// Numbers begin with 1: 0 is none.
static TABLE: [PlacedProbe; PROBE_HITS] = [const {
    let (index, next, address) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU64::new(0));
    PlacedProbe { index, next, address, plain: PlainProbe::none() }
}; PROBE_HITS];

/// How many probes the table has.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Odd while it is replaced.
static VERSION: AtomicU32 = AtomicU32::new(0);

/// Which of the session's probes it is of.
static PROBES_VERSION: AtomicU64 = AtomicU64::new(0);

/// The events of probes that are known to have no place in this process, by their counters.
static UNPLACED: [AtomicU32; PROBE_HITS] = [const { AtomicU32::new(0) }; PROBE_HITS];

/// The mark of a place that may be jumped to.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// 1 once there were probes: a site may be called by others than tracers since then.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Whether there are probes, or were some.
// Relaxed: set before any site is enabled for one.
#[inline(always)]
pub(super) fn is_any() -> bool {
    SEEN.load(Relaxed) != 0
}

/// The probes of the session, whose words are these.
fn compiled<'a>(words: FunctionWords<'a>) -> CompiledProbes<impl Fn(usize) -> Option<u64> + Copy + use<'a>> {
    CompiledProbes::new(move |index| words.get(index))
}

/// Whether any probe may be in a file.
pub(super) fn mention(control: &ControlArea, file: FileIdentity) -> bool {
    control.probe_words().is_some_and(|words| compiled(words).iter().any(|probe| probe.file() == Some(file)))
}

/// The table while it is replaced, for one who has the turn.
pub(super) struct ProbePlacement<'a> {
    control: &'a ControlArea,
    is_off: bool,
}

impl<'a> ProbePlacement<'a> {
    // AcqRel: what is stored afterwards is seen by nobody who doesn't see this. Relaxed stores of the table
    // and of sites are between this and the Release of `drop`.
    pub(super) fn begin(control: &'a ControlArea, is_off: bool, _turn: &Turn) -> ProbePlacement<'a> {
        // A process may have been copied from one in which it was being replaced.
        if VERSION.load(Relaxed) & 1 == 0 {
            VERSION.fetch_add(1, AcqRel);
        }
        fence(Release);
        PROBES_VERSION.store(control.probes_version(), Relaxed);
        // Nothing is touched where there were none, as when a process starts.
        if COUNT.load(Relaxed) != 0 {
            probed_sites::forget();
        }
        COUNT.store(0, Relaxed);
        reference_counters::forget();
        let placement = ProbePlacement { control, is_off };
        SEEN.fetch_or(u32::from(placement.enabled().next().is_some()), Relaxed);
        placement
    }

    /// Those whose events are enabled.
    fn enabled(&self) -> impl Iterator<Item = CompiledProbe<impl Fn(usize) -> Option<u64> + Copy + use<'a>>> {
        let control = self.control;
        let words = control.probe_words().filter(|_| !self.is_off);
        words.into_iter().flat_map(|words| compiled(words).iter()).filter(move |probe| {
            let switched = control.switched(probe.event);
            !switched.on.union(switched.triggered).is_empty()
        })
    }

    /// Whether any of the enabled ones wants to see a return.
    pub(super) fn is_any_of_returns(&self) -> bool {
        self.enabled().any(|probe| probe.kind == ProbeKind::Return)
    }

    /// Whether any is enabled.
    pub(super) fn is_any(&self) -> bool {
        self.enabled().next().is_some()
    }

    /// Whether one of them is in an object.
    pub(super) fn is_in(&self, object: &TracedObject) -> bool {
        self.enabled().any(|probe| probe.file() == Some(object.identity))
    }

    /// Has the sites of an object have those that are at them, after these were asked who else wants them.
    pub(super) fn place(&self, object: &TracedObject) {
        object.sites.all().iter().for_each(|site| site.set_probes(0));
        probe_place::forget(key(object));
        for probe in self.enabled().filter(|probe| probe.file() == Some(object.identity) && !object.is_of_go)
        {
            if probe.reference_counter != 0 {
                let counter = object.file.writable_address_at(probe.reference_counter);
                counter
                    .iter()
                    .for_each(|at| reference_counters::want(key(object), object.base.wrapping_add(*at)));
            }
            let Some(start) = object.file.address_at(probe.offset) else { continue };
            let address = object.base.wrapping_add(start);
            let site = site_of(object, address).filter(|site| !site.has_no_entry());
            if let Some(site) = site.filter(|_| probe.kind == ProbeKind::Return) {
                site.set_return_probed();
            }
            let first = match site {
                Some(site) => site.first_probe(),
                None => {
                    match probe_place::want(key(object), address).filter(|_| probe.kind == ProbeKind::Entry) {
                        Some(place) => &place.probes,
                        None => continue,
                    }
                }
            };
            let count = COUNT.load(Relaxed);
            let Some(placed) = TABLE.get(count as usize) else { return };
            placed.index.store(probe.index as u32, Relaxed);
            placed.address.store(address, Relaxed);
            placed.plain.set(&probe);
            placed.next.store(first.load(Relaxed), Relaxed);
            COUNT.store(count + 1, Relaxed);
            first.store(count + 1, Relaxed);
            if let Some(site) = site {
                probed_sites::put(site.address, count + 1);
            }
        }
    }

    /// Counts those of an object that nothing could be done for, after all was done; each once in a process.
    pub(super) fn count_unplaced(&self, object: &TracedObject) {
        for probe in self.enabled().filter(|probe| probe.file() == Some(object.identity)) {
            let Some(start) = object.file.address_at(probe.offset) else { continue };
            let is_unplaced = is_unplaced(object, object.base.wrapping_add(start), probe.kind);
            let counted = UNPLACED.get(usize::from(probe.counter)).filter(|_| is_unplaced);
            let event = u32::from(probe.event);
            if counted.is_some_and(|counted| counted.swap(event, Relaxed) != event) {
                self.control.count_probe_unplaced(probe.counter);
            }
        }
    }

    /// Has probes of calls be at the first instruction itself, of functions that have turned out to have no
    /// place where they can be made to call.
    pub(super) fn place_rest(&self, object: &TracedObject) {
        for site in object.sites.all().iter().filter(|site| site.probes() != 0 && site.has_no_entry()) {
            if let Some(place) = probe_place::want(key(object), site.address) {
                place.probes.store(site.probes(), Relaxed);
            }
            site.set_probes(0);
        }
    }
}

/// Whether it has turned out that a probe's place can't be seen: neither as a function's entry, nor as an
/// instruction that becomes a jump.
fn is_unplaced(object: &TracedObject, address: u64, kind: ProbeKind) -> bool {
    let is_at_site = site_of(object, address).is_some_and(|site| !site.has_no_entry() && site.probes() != 0);
    !is_at_site
        && (object.is_of_go || kind == ProbeKind::Return || probe_place::has_no_jump(key(object), address))
}

/// The site of the function that begins at an address, also after a mark there.
fn site_of(object: &TracedObject, address: u64) -> Option<&TracedSite> {
    let code = object.file.code_at(address.wrapping_sub(object.base));
    let mark = if code.starts_with(&ENDBR64) { ENDBR64.len() } else { 0 };
    object.sites.of_start(address, address + mark as u64)
}

impl Drop for ProbePlacement<'_> {
    // Release: pairs with the Acquire of `visit`.
    fn drop(&mut self) {
        VERSION.store(VERSION.load(Relaxed).wrapping_add(1), Release);
    }
}

/// The probes of a site, or of another place, one after the other.
pub(super) struct SiteProbes<'a> {
    control: &'a ControlArea,
    words: FunctionWords<'a>,
    version: u32,
    /// The number of the next one, and how many may follow.
    next: u32,
    left: u32,
    /// The address that the last one is at.
    pub(super) address: u64,
}

impl<'a> SiteProbes<'a> {
    /// Those from the one with this number on. None while the table is replaced.
    // Acquire: pairs with the Release at the end of a replacement.
    pub(super) fn from(control: &'a ControlArea, first: &AtomicU32) -> Option<SiteProbes<'a>> {
        let version = VERSION.load(Acquire);
        let words = control.probe_words().filter(|_| version & 1 == 0)?;
        let (next, left) = (first.load(Relaxed), COUNT.load(Relaxed));
        Some(SiteProbes { control, words, version, next, left, address: 0 })
    }

    /// The next one of a kind.
    pub(super) fn next(
        &mut self,
        kind: ProbeKind,
    ) -> Option<CompiledProbe<impl Fn(usize) -> Option<u64> + Copy + use<'a>>> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let placed = TABLE.get(self.next.checked_sub(1)? as usize)?;
            self.next = placed.next.load(Relaxed);
            let probe = compiled(self.words).at(placed.index.load(Relaxed) as usize)?;
            if probe.kind == kind {
                self.address = placed.address.load(Relaxed);
                return Some(probe);
            }
        }
    }

    /// Whether they are the same as when this began: then what was read of them is right.
    pub(super) fn are_current(&self) -> bool {
        are_current(self.control, self.version)
    }
}

/// Whether the table is the one of a version, and that of the session's probes.
// Acquire fence: pairs with the Release fence of a replacement, and puts the Relaxed loads before the
// second look at the version, which can be Relaxed, too.
#[inline(always)]
fn are_current(control: &ControlArea, version: u32) -> bool {
    fence(Acquire);
    VERSION.load(Relaxed) == version && control.probes_version() == PROBES_VERSION.load(Relaxed)
}

/// The only probe of a place, which is a plain one.
// Acquire where the version is looked at first: pairs with the Release at the end of a replacement.
pub(super) struct PlainSiteProbe<'a> {
    control: &'a ControlArea,
    version: u32,
    pub(super) plain: &'static PlainProbe,
    /// The address that it is at.
    pub(super) address: u64,
    /// What counts its hits.
    pub(super) counter: u16,
}

impl<'a> PlainSiteProbe<'a> {
    /// The one with this number, where a thread has come to a place. None where others follow it, of any
    /// other probe, and while the table is replaced. Nothing is called for it.
    #[inline(always)]
    pub(super) fn of_number(control: &'a ControlArea, number: u32) -> Option<PlainSiteProbe<'a>> {
        PlainSiteProbe::of(control, VERSION.load(Acquire), number)
    }

    /// That of a site at this address, likewise.
    #[inline(always)]
    pub(super) fn of_site(control: &'a ControlArea, site: u64) -> Option<PlainSiteProbe<'a>> {
        let version = VERSION.load(Acquire);
        PlainSiteProbe::of(control, version, probed_sites::find(site)?)
    }

    #[inline(always)]
    fn of(control: &'a ControlArea, version: u32, number: u32) -> Option<PlainSiteProbe<'a>> {
        let placed = TABLE.get(number.checked_sub(1)? as usize)?;
        let is_only = placed.next.load(Relaxed) == 0 && version & 1 == 0;
        let (plain, address) = (&placed.plain, placed.address.load(Relaxed));
        let counter = plain.counter().filter(|_| is_only)?;
        Some(PlainSiteProbe { control, version, plain, address, counter })
    }

    /// Whether it is the same as when this began: then what was read of it is right.
    #[inline(always)]
    pub(super) fn is_current(&self) -> bool {
        are_current(self.control, self.version)
    }
}
