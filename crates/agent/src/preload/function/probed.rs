//! That a thread has come to a probe: what is recorded.

use super::call::FunctionCall;
use super::probes::{PlainSiteProbe, SiteProbes};
use super::saved_probe::SavedProbe;
use super::traced_site::TracedSite;
use super::{objects, probe_place};
use crate::preload::memory::readable::readable;
use abi::site::{HEAD_WORDS, Payload, WORDS};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use probe::{CompiledProbe, MOST_RECORD, Machine, MachineRegister, ProbeKind};
use ring_buffer::{EncodedEvent, RecordBuffer};
use trace_event::{AttachedSession, CallRecord, Entered, KnownThread, call_time, session};

const _: () = assert!(MOST_RECORD <= WORDS * 8);

/// Records what the probes of a site want of a call.
#[cold]
#[inline(never)]
pub(super) fn record_call(entered: Entered, call: FunctionCall<'_>, site: &TracedSite) {
    let time = call_time();
    let known = KnownRegisters::Call(call);
    record(entered, (site.first_probe(), site.address), ProbeKind::Entry, known, |event| {
        let call = CallRecord { frame: call.frame(), time };
        // SAFETY: who has called returns after this.
        unsafe { entered.write_called(call, event) }
    });
}

/// Records what the probes of a function want of its return: to where it returns, with the stack pointer that
/// its caller has then, and its result.
#[cold]
#[inline(never)]
pub(super) fn record_return(entered: Entered, function: u64, caller: u64, stack_pointer: u64, result: u64) {
    let Some(site) = objects::find(function) else { return };
    let known = KnownRegisters::Return { caller, stack_pointer, result };
    let first = (site.first_probe(), site.address);
    record(entered, first, ProbeKind::Return, known, |event| entered.write(event));
}

/// Counts that a function's return won't be seen.
#[cold]
pub(super) fn miss_return(site: u64) {
    let (Some(session), Some(site)) = (session(), objects::find(site)) else { return };
    let Some(mut probes) = SiteProbes::from(session.control(), site.first_probe()) else { return };
    while let Some(probe) = probes.next(ProbeKind::Return) {
        session.control().count_probe_miss(probe.counter);
    }
}

/// Records an instruction that is about to be executed, and that was moved.
pub(crate) extern "C" fn record_anywhere(saved: &SavedProbe) {
    let time = call_time();
    let (Some(entered), Some(place)) = (saved.enter(), probe_place::find(saved.place())) else { return };
    let known = KnownRegisters::Anywhere(saved);
    record(entered, (&place.probes, place.address()), ProbeKind::Entry, known, |event| {
        let call = CallRecord { frame: saved.frame(), time };
        // SAFETY: who has called goes on after this.
        unsafe { entered.write_called(call, event) }
    });
}

/// As [`record_anywhere`], where there is one probe, which wants nothing but registers. None, and nothing
/// recorded, if not. Nothing is called for it.
#[inline(always)]
pub(super) fn try_record_anywhere(saved: &SavedProbe) -> Option<()> {
    let (known, place) = (saved.enter_known()?, probe_place::find(saved.place())?);
    let session = session()?;
    let probe = PlainSiteProbe::of_number(session.control(), place.probes.load(Relaxed))?;
    try_record(known, session, &probe, |register| saved.saved_in(register))
}

/// As [`record_call`], likewise.
#[inline(always)]
pub(super) fn try_record_call(known: KnownThread, call: FunctionCall<'_>) -> Option<()> {
    let session = session()?;
    let probe = PlainSiteProbe::of_site(session.control(), call.site())?;
    try_record(known, session, &probe, |register| call.argument_in(register))
}

#[inline(always)]
fn try_record(
    known: KnownThread,
    session: AttachedSession,
    probe: &PlainSiteProbe<'_>,
    register: impl Fn(u8) -> Option<u64>,
) -> Option<()> {
    let writer = known.plain_writer(probe.plain.event())?;
    let mut record = RecordBuffer::new();
    probe.plain.fill(&mut record, known.entered(), (probe.address, register))?;
    if !probe.is_current() || !writer.try_write(record.event()) {
        return None;
    }
    session.control().count_probe_hit(probe.counter, known.entered().tid() as u32);
    Some(())
}

/// Records what probes want, from the one on whose number `first` is; it is in the object with `base`.
fn record(
    entered: Entered,
    (first, base): (&AtomicU32, u64),
    kind: ProbeKind,
    known: KnownRegisters<'_>,
    write: impl Fn(EncodedEvent<'_>),
) {
    let Some(session) = session() else { return };
    let Some(mut probes) = SiteProbes::from(session.control(), first) else { return };
    while let Some(probe) = probes.next(kind) {
        let address = probes.address;
        let mut payload = Payload { head: [0; HEAD_WORDS], words: [0; WORDS] };
        let [common, place, returns_to, ..] = &mut payload.words;
        *common = entered.common(probe.event);
        *place = address;
        if kind == ProbeKind::Return {
            *returns_to = known.get(MachineRegister::INSTRUCTION_POINTER, address);
        }
        let thread = ProbedThread { known, address, session, base };
        let len = fetch(&probe, &thread, &mut payload.words);
        if !probes.are_current() {
            return;
        }
        session.control().count_probe_hit(probe.counter, entered.tid() as u32);
        match len {
            // SAFETY: so many bytes were fetched, and the rest of the last word is zeros.
            Some(len) => write(unsafe { EncodedEvent::of(&mut payload, len) }),
            None => session.control().count_probe_miss(probe.counter),
        }
    }
}

/// Fetches the arguments of a probe. How many bytes the record has then.
fn fetch(
    probe: &CompiledProbe<impl Fn(usize) -> Option<u64> + Copy>,
    thread: &ProbedThread<'_>,
    words: &mut [u64; WORDS],
) -> Option<usize> {
    let bytes: *mut [u64; WORDS] = words;
    // SAFETY: all bytes of words, and all values of bytes are values.
    let bytes = unsafe { &mut *bytes.cast::<[u8; WORDS * 8]>() };
    probe.fetch(thread, bytes)
}

/// What is known of the registers of a thread.
#[derive(Clone, Copy)]
enum KnownRegisters<'a> {
    /// At the first instruction of a function.
    Call(FunctionCall<'a>),
    /// After a function has returned.
    Return { caller: u64, stack_pointer: u64, result: u64 },
    /// At any instruction.
    Anywhere(&'a SavedProbe),
}

impl KnownRegisters<'_> {
    /// A bit for each that is known.
    fn all(self) -> u32 {
        let (sp, ip) = (MachineRegister::STACK_POINTER.bit(), MachineRegister::INSTRUCTION_POINTER.bit());
        match self {
            KnownRegisters::Call(call) => {
                let arguments = MachineRegister::ARGUMENTS.iter().filter(|_| call.has_arguments);
                let sp = if call.place.is_some() { sp } else { 0 };
                arguments.fold(sp | ip, |known, argument| known | argument.bit())
            }
            KnownRegisters::Return { .. } => MachineRegister::RESULT.bit() | sp | ip,
            KnownRegisters::Anywhere(_) => u32::MAX,
        }
    }

    /// One of them, where the probe is at this address.
    fn get(self, register: MachineRegister, address: u64) -> u64 {
        match (self, register) {
            (KnownRegisters::Return { caller, .. }, MachineRegister::INSTRUCTION_POINTER) => caller,
            (_, MachineRegister::INSTRUCTION_POINTER) => address,
            (KnownRegisters::Call(call), MachineRegister::STACK_POINTER) => {
                call.place.map_or(0, |place| (&raw const *place).addr() as u64)
            }
            (KnownRegisters::Call(call), _) => call.argument_in(register.number()).unwrap_or(0),
            (KnownRegisters::Return { stack_pointer, .. }, MachineRegister::STACK_POINTER) => stack_pointer,
            (KnownRegisters::Return { result, .. }, _) => result,
            (KnownRegisters::Anywhere(saved), _) => saved.register(register),
        }
    }
}

/// A thread that has come to a probe.
struct ProbedThread<'a> {
    known: KnownRegisters<'a>,
    /// Where the probe is.
    address: u64,
    session: AttachedSession,
    /// An address of the file that the probe is in.
    base: u64,
}

impl Machine for ProbedThread<'_> {
    fn known_registers(&self) -> u32 {
        self.known.all()
    }

    fn register(&self, register: MachineRegister) -> u64 {
        self.known.get(register, self.address)
    }

    fn load(&self, address: u64, into: &mut [u8]) -> bool {
        let from = with_exposed_provenance::<u8>(address as usize);
        let is_there = readable(from, into.len()) == into.len();
        if is_there {
            // SAFETY: so many bytes can be read there.
            unsafe { core::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
        }
        is_there
    }

    fn load_text(&self, address: u64, into: &mut [u8]) -> Option<usize> {
        let from = with_exposed_provenance::<u8>(address as usize);
        let there = readable(from, into.len());
        for (index, to) in into.iter_mut().take(there).enumerate() {
            // SAFETY: so many bytes can be read there.
            *to = unsafe { from.add(index).read_volatile() };
            if *to == 0 {
                return Some(index);
            }
        }
        (there != 0).then_some(there)
    }

    fn comm(&self) -> [u8; 16] {
        self.session.comm()
    }

    fn file_address(&self, offset: u64) -> Option<u64> {
        objects::file_address(self.base, offset)
    }
}
