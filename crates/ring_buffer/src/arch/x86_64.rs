//! x86-64: the section that writes an event, and the two instructions that Rust has no name for.
//!
//! Before and after, for a CPU whose tail is T in a page that the event fits:
//!
//! ```text
//! before   tail T, last_time t          page: ... | free
//! stores   word, payload                page: ... | word payload | free     nobody looks there yet
//! commit   tail T + step, last_time t'  one 16-byte store: the event exists
//! ```
//!
//! The commit is all that anybody sees (R2). Before it, while `seen` equals the control word (R3), free bytes
//! after the tail of the section's own CPU are stored (R1), at a checked position (R12), none of them after
//! the page: the fast path needs a page with space for all that it copies, `append_exact` for the event
//! alone. The processor shows a CPU's stores in order, and the compiler moves none across `asm!`: an Acquire
//! load of the tail finds the event complete.

mod copy;
mod section;
mod text_event;

use crate::event_head::{EventHead, UNROLLED};
use crate::record::EncodedEvent;
use crate::short_event::ShortEvent;
use crate::sliced::{SLICE_LEAD, Sliced};
use crate::target::Target;
use abi::buffer::Block;
use abi::page::{DELTA_LIMIT, EVENT_HEADER};
use copy::{copy_exact, copy_large, copy_sliced, copy_small};
use core::arch::asm;
use core::arch::x86_64::{__cpuid, __rdtscp};
use core::mem::offset_of;
use rseq::{Area, Outcome};
use section::{append_record, append_section, exact, footprint, given_time, read_counter, read_time};
pub use text_event::{Bytes, TextEvent};

append_record! {
    /// A small event, stamped with the counter.
    append_small() of EncodedEvent<'_>, space: footprint!(), clock: read_counter!(), copy: copy_small!()
}
append_record! {
    /// A large event, stamped with the counter.
    append_large() of EncodedEvent<'_>, space: footprint!(), clock: read_counter!(), copy: copy_large!()
}
append_record! {
    /// A small event, stamped with `time`.
    append_small_read(time) of EncodedEvent<'_>, space: footprint!(), clock: read_time!(), copy: copy_small!()
}
append_record! {
    /// A large event, stamped with `time`.
    append_large_read(time) of EncodedEvent<'_>, space: footprint!(), clock: read_time!(), copy: copy_large!()
}
append_record! {
    /// An event, stamped with the counter, also where the page has space for nothing else.
    append_exact() of EncodedEvent<'_>, space: exact!(), clock: read_counter!(), copy: copy_exact!()
}
append_record! {
    /// An event, stamped with `time`, also where the page has space for nothing else.
    append_exact_at(time) of EncodedEvent<'_>, space: exact!(), clock: given_time!(), copy: copy_exact!()
}
append_record! {
    /// An event that ends with a slice of memory, stamped with `time`.
    append_slice_at(time) of &Sliced<'_>, space: exact!(), clock: given_time!(), copy: copy_sliced!()
}

/// Defines a section that writes an event which is in registers. It needs space for all of its words.
macro_rules! append_words {
    ($(#[$doc:meta])* $name:ident($($time:ident)?), clock: $clock:expr) => {
        append_section! {
            $(#[$doc])*
            $name<LEN>($($time)?) of event: ShortEvent<LEN>,
            space: "add {scratch}, {TOUCHED}", clock: $clock, type_len: "add edx, {TYPE_LEN}",
            copy: concat!(
                "mov [{position} + 4], {first}\n",
                "mov [{position} + 12], {second}\n",
                "mov [{position} + 20], {third}"
            ),
            step: "add {scratch}, {STEP}",
            first = in(reg) event.words()[0],
            second = in(reg) event.words()[1],
            third = in(reg) event.words()[2],
            STEP = const ShortEvent::<LEN>::STEP,
            TYPE_LEN = const ShortEvent::<LEN>::TYPE_LEN,
            TOUCHED = const EVENT_HEADER + size_of::<[u64; 3]>(),
        }
    };
}

append_section! {
    /// An event in registers that ends with a text, stamped with the counter.
    append_text<START>() of event: TextEvent<START>,
    space: "add {scratch}, {TOUCHED}", clock: read_counter!(),
    // A step has the size, in which the first word is 4 of the bytes, from bit 16 on.
    type_len: "mov {scratch}, {step}\nshr {scratch}, 18\nlea edx, [rdx + {scratch} - 1]",
    copy: concat!(
        "mov [{position} + 4], {first}\n",
        "mov [{position} + 12], {second}\n",
        "mov [{position} + 20], {third}\n",
        "movups [{position} + {TEXT}], {text}\n",
        "movups [{position} + {TEXT} + 16], {rest}"
    ),
    step: "add {scratch}, {step}",
    first = in(reg) event.words[0],
    second = in(reg) event.words[1],
    third = in(reg) event.words[2],
    text = in(xmm_reg) event.text[0],
    rest = in(xmm_reg) event.text[1],
    step = in(reg) event.step,
    TEXT = const EVENT_HEADER + START,
    TOUCHED = const EVENT_HEADER + START + TextEvent::<START>::MOST,
}

append_words! {
    /// An event in registers, stamped with the counter.
    append_short(), clock: read_counter!()
}
append_words! {
    /// An event in registers, stamped with `time`.
    append_short_read(time), clock: read_time!()
}

/// Writes `event` to the block of `cpu` and stamps it with the processor's counter.
///
/// `Refused` means that something has to be done first, see [`crate::steps`].
///
/// # Safety
///
/// `area` is the calling thread's, `block` is that of `cpu` in the segment that `target` describes.
#[inline(always)]
pub(crate) unsafe fn append(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: EncodedEvent<'_>,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        if event.head().type_len != 0 {
            append_small(area, cpu, block, target, event)
        } else {
            append_large(area, cpu, block, target, event)
        }
    }
}

/// [`append`] of an event in registers that ends with a text.
///
/// # Safety
///
/// As for [`append`].
#[inline(always)]
pub(crate) unsafe fn append_with_text<const START: usize>(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: TextEvent<START>,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe { append_text(area, cpu, block, target, event) }
}

/// [`append`] of an event in registers: none of it goes through memory on its way. With the stamp `time` as
/// [`append_read`].
///
/// # Safety
///
/// As for [`append`].
#[inline(always)]
pub(crate) unsafe fn append_in_registers<const LEN: usize>(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: ShortEvent<LEN>,
    time: Option<u64>,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        match time {
            Some(time) => append_short_read(area, cpu, block, target, event, time),
            None => append_short(area, cpu, block, target, event),
        }
    }
}

/// [`append`] with the stamp `time`, a reading of the counter. It is refused if an event of the CPU has a
/// later one.
///
/// # Safety
///
/// As for [`append`].
#[inline(always)]
pub(crate) unsafe fn append_read(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: EncodedEvent<'_>,
    time: u64,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        if event.head().type_len != 0 {
            append_small_read(area, cpu, block, target, event, time)
        } else {
            append_large_read(area, cpu, block, target, event, time)
        }
    }
}

/// [`append`] for an event that may be the last of its page: touches no byte after it.
///
/// # Safety
///
/// As for [`append`].
#[inline(always)]
pub(crate) unsafe fn append_last(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: EncodedEvent<'_>,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe { append_exact(area, cpu, block, target, event) }
}

/// Writes `event` to the block of `cpu` with the stamp `time`, or the last event's where that is later.
///
/// # Safety
///
/// `area` is the calling thread's, `block` is that of `cpu` in the segment that `target` describes.
#[inline(never)]
pub(crate) unsafe fn append_at(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: EncodedEvent<'_>,
    time: u64,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe { append_exact_at(area, cpu, block, target, event, time) }
}

/// Writes an event that ends with a slice of memory to the block of `cpu`, with the stamp `time`, or the last
/// event's where that is later.
///
/// # Safety
///
/// `area` is the calling thread's, `block` is that of `cpu` in the segment that `target` describes.
#[inline(never)]
pub(crate) unsafe fn append_sliced_at(
    area: Area,
    cpu: u32,
    block: *const Block,
    target: &Target,
    event: &Sliced<'_>,
    time: u64,
) -> Outcome {
    const { assert!(SLICE_LEAD == UNROLLED) };
    // SAFETY: the caller's promise.
    unsafe { append_slice_at(area, cpu, block, target, event, time) }
}

/// The processor's time stamp counter.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Has the processor fetch the line at an address that will be stored to. Any address will do; processors
/// without such an instruction do nothing.
#[inline(always)]
pub(crate) fn prefetch_for_store(address: *const u8) {
    // SAFETY: changes nothing, and never faults.
    unsafe { asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags)) };
}

/// Whether [`current_cpu`] can be called: any processor since 2008, unless a virtual machine hides it.
pub(crate) fn knows_cpu() -> bool {
    const EXTENDED: u32 = 0x8000_0001;
    const RDTSCP: u32 = 1 << 27;
    __cpuid(0x8000_0000).eax >= EXTENDED && __cpuid(EXTENDED).edx & RDTSCP != 0
}

/// The CPU that the thread is on, which may be another a moment later. Linux keeps it there.
/// Libc's function would look at the rseq area, which can't be trusted where this is needed.
pub(crate) fn current_cpu() -> u32 {
    let mut cpu = 0;
    // SAFETY: the caller has asked whether there is such an instruction.
    unsafe { __rdtscp(&mut cpu) };
    cpu & 0xfff
}
