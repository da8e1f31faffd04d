//! A probe that records nothing but numbers in registers, as this process has it: in the few words that are
//! needed where a thread comes to it.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU16, AtomicU64};
use probe::CompiledProbe;
use ring_buffer::RecordBuffer;
use trace_event::Entered;

/// The most numbers.
const MOST: usize = 6;

/// Words of its record: the common fields, the address, the numbers.
pub(super) const WORDS: usize = 2 + MOST;

/// What is known of it. Everything is 0 where it is another probe.
// Relaxed: who reads it looks at the version of the table that it is in, before and after.
#[derive(Debug)]
pub(super) struct PlainProbe {
    /// The id of its event, what counts its hits, and that it is one.
    head: AtomicU64,
    /// Of each number, its register and how many bytes it has; 0 after the last.
    numbers: [AtomicU16; MOST],
}

const IS_PLAIN: u64 = 1 << 32;

impl PlainProbe {
    /// No such probe.
    pub(super) const fn none() -> PlainProbe {
        PlainProbe { head: AtomicU64::new(0), numbers: [const { AtomicU16::new(0) }; MOST] }
    }

    /// Becomes a probe.
    pub(super) fn set(&self, probe: &CompiledProbe<impl Fn(usize) -> Option<u64> + Copy>) {
        let is_set = self.set_numbers(probe).is_some();
        let head = u64::from(probe.event) | u64::from(probe.counter) << 16 | IS_PLAIN;
        self.head.store(if is_set { head } else { 0 }, Relaxed);
    }

    fn set_numbers(&self, probe: &CompiledProbe<impl Fn(usize) -> Option<u64> + Copy>) -> Option<()> {
        self.numbers.iter().for_each(|number| number.store(0, Relaxed));
        let mut free = self.numbers.iter();
        for number in probe.registers() {
            let (register, bytes) = number?;
            free.next()?.store((bytes as u16) << 8 | u16::from(register.number()), Relaxed);
        }
        Some(())
    }

    /// What counts its hits. None where it is another probe.
    #[inline(always)]
    pub(super) fn counter(&self) -> Option<u16> {
        let head = self.head.load(Relaxed);
        (head & IS_PLAIN != 0).then_some((head >> 16) as u16)
    }

    /// Its event.
    #[inline(always)]
    pub(super) fn event(&self) -> u16 {
        self.head.load(Relaxed) as u16
    }

    /// Fills its record, of a thread that has come to this address with these registers, by number. None
    /// where one of them isn't known.
    #[inline(always)]
    pub(super) fn fill(
        &self,
        record: &mut RecordBuffer<WORDS>,
        entered: Entered,
        (address, register): (u64, impl Fn(u8) -> Option<u64>),
    ) -> Option<()> {
        record.push(entered.common(self.event()));
        record.push(address);
        let (mut word, mut filled) = (0, 0);
        for number in &self.numbers {
            let number = number.load(Relaxed);
            let bits = u32::from(number >> 8) * 8;
            if bits == 0 {
                break;
            }
            let value = register(number as u8)? & u64::MAX.wrapping_shr(64 - bits);
            word |= value.wrapping_shl(filled);
            filled += bits;
            if filled >= 64 {
                record.push(word);
                filled -= 64;
                // What the word had no space for.
                word = if filled == 0 { 0 } else { value.wrapping_shr(bits - filled) };
            }
        }
        match filled {
            0 => {}
            1..=32 => record.push_half(word as u32),
            _ => record.push(word),
        }
        Some(())
    }
}
