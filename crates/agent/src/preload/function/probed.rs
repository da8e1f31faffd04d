//! That a thread has come to a probe: what is recorded.

use super::call::FunctionCall;
use super::probes::SiteProbes;
use super::saved_probe::SavedProbe;
use super::traced_site::TracedSite;
use super::{objects, probe_place};
use crate::preload::memory::readable::readable;
use abi::site::{HEAD_WORDS, Payload, WORDS};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU32;
use probe::{CompiledProbe, MOST_RECORD, Machine, MachineRegister, ProbeKind};
use ring_buffer::EncodedEvent;
use trace_event::{AttachedSession, CallRecord, Entered, call_time, enter, session};

const _: () = assert!(MOST_RECORD <= WORDS * 8);

/// Records what the probes of a site want of a call.
#[cold]
#[inline(never)]
pub(super) fn record_call(entered: Entered, call: FunctionCall<'_>, site: &TracedSite) {
    let time = call_time();
    let known = |address| KnownRegisters::of_call(call, address);
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
    let known = |_| KnownRegisters::of_return(caller, stack_pointer, result);
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
    let (Some(entered), Some(place)) = (enter(), probe_place::find(saved.place())) else { return };
    let known = |address| KnownRegisters::of_saved(saved, address);
    record(entered, (&place.probes, place.address()), ProbeKind::Entry, known, |event| {
        let call = CallRecord { frame: saved.frame(), time };
        // SAFETY: who has called goes on after this.
        unsafe { entered.write_called(call, event) }
    });
}

/// Records what probes want, from the one on whose number `first` is; it is in the object with `base`.
fn record(
    entered: Entered,
    (first, base): (&AtomicU32, u64),
    kind: ProbeKind,
    known: impl Fn(u64) -> KnownRegisters,
    write: impl Fn(EncodedEvent<'_>),
) {
    let Some(session) = session() else { return };
    let Some(mut probes) = SiteProbes::from(session.control(), first) else { return };
    while let Some(probe) = probes.next(kind) {
        let address = probes.address;
        let known = known(address);
        let mut payload = Payload { head: [0; HEAD_WORDS], words: [0; WORDS] };
        let [common, place, returns_to, ..] = &mut payload.words;
        *common = entered.common(probe.event);
        *place = address;
        if kind == ProbeKind::Return {
            *returns_to = known.instruction_pointer;
        }
        let thread = ProbedThread { known, session, base };
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
    thread: &ProbedThread,
    words: &mut [u64; WORDS],
) -> Option<usize> {
    let bytes: *mut [u64; WORDS] = words;
    // SAFETY: all bytes of words, and all values of bytes are values.
    let bytes = unsafe { &mut *bytes.cast::<[u8; WORDS * 8]>() };
    probe.fetch(thread, bytes)
}

/// What is known of the registers of a thread.
#[derive(Clone, Copy)]
struct KnownRegisters {
    instruction_pointer: u64,
    stack_pointer: Option<u64>,
    flags: Option<u64>,
    /// By their numbers.
    general: [Option<u64>; 16],
}

impl KnownRegisters {
    /// At the first instruction of a function, which is at this address.
    fn of_call(call: FunctionCall<'_>, address: u64) -> KnownRegisters {
        let mut general = [None; 16];
        let arguments = call.arguments().into_iter().flatten();
        for (register, value) in MachineRegister::ARGUMENTS.into_iter().zip(arguments) {
            if let Some(place) = general.get_mut(usize::from(register.number())) {
                *place = Some(value);
            }
        }
        let stack_pointer = call.place.map(|place| (&raw const *place).addr() as u64);
        KnownRegisters { instruction_pointer: address, stack_pointer, flags: None, general }
    }

    /// After a function has returned.
    fn of_return(caller: u64, stack_pointer: u64, result: u64) -> KnownRegisters {
        let mut general = [None; 16];
        let [first, ..] = &mut general;
        *first = Some(result);
        KnownRegisters {
            instruction_pointer: caller,
            stack_pointer: Some(stack_pointer),
            flags: None,
            general,
        }
    }

    /// At an instruction anywhere, at this address.
    fn of_saved(saved: &SavedProbe, address: u64) -> KnownRegisters {
        KnownRegisters {
            instruction_pointer: address,
            stack_pointer: Some(saved.stack_pointer()),
            flags: Some(saved.flags()),
            general: saved.general().map(Some),
        }
    }
}

/// A thread that has come to a probe.
struct ProbedThread {
    known: KnownRegisters,
    session: AttachedSession,
    /// An address of the file that the probe is in.
    base: u64,
}

impl Machine for ProbedThread {
    fn register(&self, register: MachineRegister) -> Option<u64> {
        match register {
            MachineRegister::STACK_POINTER => self.known.stack_pointer,
            MachineRegister::INSTRUCTION_POINTER => Some(self.known.instruction_pointer),
            MachineRegister::FLAGS => self.known.flags,
            _ => *self.known.general.get(usize::from(register.number()))?,
        }
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
