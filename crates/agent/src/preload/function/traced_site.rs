//! A site, as it is in this process.

use super::instruction_jump::{InstructionJump, first_bytes};
use super::site_entry::SiteEntryChoice;
use super::trampolines::Trampolines;
use super::wanted::{StoredWanted, Wanted, has, is_any};
use crate::preload::arch::mcount;
use abi::instance::{PROFILE, RETURN_PROBES};
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use function_sites::{FunctionSite, ReturnAddress, SiteKind, SiteLocation, SitePlace};
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::refusal::Refusal;
use text_poke::plan::{Plan, SiteState, xray};

/// A site.
#[derive(Debug)]
pub(super) struct TracedSite {
    /// Where it is in this process.
    pub(super) address: u64,
    place: SitePlace,
    kind: SiteKind,
    return_address: Option<ReturnAddress>,
    /// Its own name, see [`FunctionSite::name`].
    pub(super) name: &'static [u8],
    /// Who wants it.
    wanted: StoredWanted,
    /// The number of the first of its probes, see `probes.rs`; 0 where it has none.
    probes: AtomicU32,
    /// [`NAMED`] and what follows it.
    state: AtomicU32,
    /// How it is entered, if nothing was left there to be patched.
    pub(super) entry: SiteEntryChoice,
    /// The bytes that it was found with, as far as they count for its plan.
    found: [u8; entry::ENOUGH],
}

/// Some function of the file has the site.
const NAMED: u32 = 1;
/// It is on.
const TRACED: u32 = 2;
/// It was prepared while no other thread could be there.
const PREPARED: u32 = 4;
/// Its call was made: the bytes there are one.
const RECORDED: u32 = 8;
/// Its call was made a nop.
const CONVERTED: u32 = 16;
/// That was counted.
const COUNTED: u32 = 32;

impl TracedSite {
    /// One of a file whose addresses are moved by `base`, with its code from there on.
    pub(super) fn new(
        site: &FunctionSite<'static>,
        location: &SiteLocation,
        base: u64,
        code: &[u8],
    ) -> TracedSite {
        TracedSite {
            address: base.wrapping_add(location.address),
            place: location.place,
            kind: site.kind,
            return_address: location.return_address,
            name: site.name,
            wanted: StoredWanted::nobody(),
            probes: AtomicU32::new(0),
            state: AtomicU32::new(0),
            entry: SiteEntryChoice::none(),
            found: first_bytes(code),
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
        entry::has_single_nops(&self.found)
    }

    /// Whether an instance wants it, for the tracer `function`.
    pub(super) fn is_wanted_in(&self, instance: usize) -> bool {
        has(&self.wanted.instances, instance)
    }

    /// Whether an instance wants it for the tracer `function_graph`.
    pub(super) fn is_graphed_in(&self, instance: usize) -> bool {
        has(&self.wanted.graphed, instance)
    }

    /// Whether the profile wants it.
    pub(super) fn is_profiled(&self) -> bool {
        has(&self.wanted.graphed, PROFILE)
    }

    /// Whether a graph begins there in an instance.
    pub(super) fn is_graph_root_in(&self, instance: usize) -> bool {
        has(&self.wanted.graph_roots, instance)
    }

    /// Whether nothing of a graph is recorded from there on.
    pub(super) fn is_graph_hidden_in(&self, instance: usize) -> bool {
        has(&self.wanted.graph_hidden, instance)
    }

    /// Whether any instance wants it for the tracer `function_graph`, or the profile wants it.
    pub(super) fn is_graphed(&self) -> bool {
        is_any(&self.wanted.graphed)
    }

    /// Whether anybody wants it, or a command or a probe. Of ends of functions only `function_graph`
    /// and the profile want to know.
    pub(super) fn is_wanted(&self) -> bool {
        let is_called = || self.commands() != 0 || self.probes() != 0 || is_any(&self.wanted.instances);
        self.is_graphed() || self.place != SitePlace::InsideExit && is_called()
    }

    /// What its function has of its own, also where it is inlined: nothing but the sites that begin and end
    /// its body have the same.
    pub(super) fn identity(&self) -> u64 {
        self.name.as_ptr().addr() as u64
    }

    /// A bit for each command that is done there.
    // Relaxed: the version of the table of commands says whether they are valid.
    pub(super) fn commands(&self) -> u64 {
        self.wanted.commands.load(Relaxed)
    }

    /// The number of the first of its probes.
    // Relaxed: the version of the table of probes says whether it is valid.
    pub(super) fn probes(&self) -> u32 {
        self.probes.load(Relaxed)
    }

    /// Where that is.
    pub(super) fn first_probe(&self) -> &AtomicU32 {
        &self.probes
    }

    /// Whether it has turned out that its function can't be made to call.
    pub(super) fn has_no_entry(&self) -> bool {
        self.is_unbuilt() && self.entry.is_made() && self.entry.is_missing()
    }

    /// Says which it is.
    // Relaxed: the same.
    pub(super) fn set_probes(&self, first: u32) {
        self.probes.store(first, Relaxed);
    }

    /// Whether a probe wants to know of returns.
    pub(super) fn is_return_probed(&self) -> bool {
        has(&self.wanted.graphed, RETURN_PROBES)
    }

    /// Has one want to, until others are asked who wants it.
    pub(super) fn set_return_probed(&self) {
        if let Some(word) = self.wanted.graphed.get(RETURN_PROBES / 64) {
            word.fetch_or(1 << (RETURN_PROBES % 64), Relaxed);
        }
    }

    /// Whether it is enabled.
    pub(super) fn is_traced(&self) -> bool {
        self.state.load(Relaxed) & TRACED != 0
    }

    /// Whether it was changed while no other thread could be there.
    pub(super) fn is_prepared(&self) -> bool {
        self.state.load(Relaxed) & PREPARED != 0
    }

    /// Whether its call was made, so that its bytes are known to be one.
    pub(super) fn is_recorded(&self) -> bool {
        self.state.load(Relaxed) & RECORDED != 0
    }

    /// Notes that it was made.
    pub(super) fn set_recorded(&self) {
        self.change_state(|state| state | RECORDED);
    }

    /// What is to be done at it. Calls are made nops only if that is `converting`.
    pub(super) fn change(&self, converting: bool) -> Option<SiteState> {
        let state = self.state.load(Relaxed);
        if self.kind.is_unlisted() && state & RECORDED == 0 {
            return None;
        }
        match (self.is_wanted(), state & TRACED != 0) {
            (true, false) => Some(SiteState::On),
            (false, true) => Some(SiteState::Off),
            (false, false) if converting && self.is_call() && state & CONVERTED == 0 => Some(SiteState::Off),
            _ => None,
        }
    }

    /// Notes that it was brought to a state, `alone` or with other threads. Whether it is the first time that
    /// its call has become a nop.
    pub(super) fn set_changed(&self, to: SiteState, alone: bool) -> bool {
        let before = self.state.load(Relaxed);
        let is_converted = to == SiteState::Off && self.is_call();
        let mut state = before & !(TRACED | CONVERTED);
        for (flag, is_set) in [
            (TRACED, to == SiteState::On),
            (PREPARED, alone),
            (CONVERTED, is_converted),
            (COUNTED, is_converted),
        ] {
            state |= if is_set { flag } else { 0 };
        }
        self.state.store(state, Relaxed);
        is_converted && before & COUNTED == 0
    }

    /// Notes that it is as it is in the file.
    pub(super) fn set_untouched(&self) {
        self.change_state(|state| state & !(TRACED | PREPARED | RECORDED | CONVERTED | COUNTED));
    }

    /// The bytes that can be patched.
    fn code(&self) -> &[u8] {
        entry::after_endbr64(&self.found)
    }

    /// Whether it was found as a call, and not as nops.
    fn is_call(&self) -> bool {
        matches!(self.code(), [0xe8, ..] | [0x67, 0xe8, ..] | [0xff, 0x15, ..])
    }

    /// Whether it calls through a pointer that leads to this object, for one who has the turn.
    fn calls_this_object(&self) -> bool {
        let (Some(end), Some(distance)) =
            (self.call_end(), self.code().get(2..).and_then(<[u8]>::first_chunk))
        else {
            return false;
        };
        let pointer = end.wrapping_add_signed(i32::from_le_bytes(*distance).into());
        // SAFETY: the pointer that the call reads, of an object that is mapped.
        let target = unsafe { with_exposed_provenance::<usize>(pointer as usize).read_volatile() };
        mcount::is_one(target)
    }

    /// What its call returns to, if it was found as one.
    pub(super) fn call_end(&self) -> Option<u64> {
        let len = match self.code() {
            [0xe8, ..] => 5,
            [0x67, 0xe8, ..] | [0xff, 0x15, ..] => 6,
            _ => return None,
        };
        Some(self.nops().wrapping_add(len))
    }

    /// Where its nops are: after the mark of a place that may be jumped to, if it begins with that.
    pub(super) fn nops(&self) -> u64 {
        self.address + (self.found.len() - self.code().len()) as u64
    }

    /// Whether bytes at these addresses change with it, or are part of what is there then.
    pub(super) fn touches(&self, addresses: &Range<u64>) -> bool {
        let touch = |start: u64, len: usize| start < addresses.end && addresses.start < start + len as u64;
        match self.kind {
            SiteKind::Instruction => {
                self.entry.chosen(self.address).is_some_and(|jump| jump.touches(addresses))
            }
            _ => touch(self.address, entry::ENOUGH),
        }
    }

    /// The jump that an instruction of its function becomes, once that is known.
    fn jump(&self) -> Option<InstructionJump> {
        self.entry.get(self.address)
    }

    /// What is to be stored in padding before that is, where its jump is apart.
    pub(super) fn plan_apart(&self) -> Option<Plan> {
        self.jump()?.plan_apart()
    }

    /// What is to be stored there.
    pub(super) fn plan(&self, trampolines: &Trampolines) -> Result<Plan, Refusal> {
        if self.is_unbuilt() {
            return self.jump().ok_or(Refusal::NoTarget)?.plan();
        }
        let target = trampolines.target(self.place, self.nops());
        match self.kind {
            SiteKind::Sled => xray::plan(self.address, &self.found, target),
            // The call goes to this object, which looks who has called.
            kind if kind.is_unlisted() => entry::plan(self.address, &self.found, CallTarget::Own),
            _ => match entry::plan(self.address, &self.found, CallTarget::At(target)) {
                Err(Refusal::IndirectInTwoWords) if self.calls_this_object() => {
                    entry::plan(self.address, &self.found, CallTarget::Own)
                }
                planned => planned,
            },
        }
    }

    /// Forgets that a function has it.
    pub(super) fn forget_name(&self) {
        self.change_state(|state| state & !NAMED);
    }

    /// Has just these want it, if no function was found before that has it; else these, too.
    pub(super) fn want(&self, wanted: &Wanted) {
        let is_more = self.change_state(|state| state | NAMED) & NAMED != 0;
        self.wanted.set(wanted, is_more);
    }

    /// Has just these want it, as no function was found that has it.
    pub(super) fn want_without_name(&self, wanted: &Wanted) {
        self.wanted.set(wanted, false);
    }

    /// Whether a function was found that has it.
    pub(super) fn is_named(&self) -> bool {
        self.state.load(Relaxed) & NAMED != 0
    }

    /// Whether no compiler has left it.
    pub(super) fn is_unbuilt(&self) -> bool {
        self.kind == SiteKind::Instruction
    }

    /// Changes what is known of it. What was known before.
    // Not in one instruction: one turn at a time changes it, and such an instruction waits for the memory of
    // this site before that of the next one is asked for.
    fn change_state(&self, change: impl FnOnce(u32) -> u32) -> u32 {
        let before = self.state.load(Relaxed);
        self.state.store(change(before), Relaxed);
        before
    }
}
