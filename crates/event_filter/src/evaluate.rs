//! Running a program on a record.

use crate::glob::matches;
use crate::text::{Pattern, located, until_nul};
use crate::word::{
    Comparison, FIXED, Head, MAX_CPUS, MAX_PATTERN, MAX_WORDS, StringPlace, Test, is_single_comparison,
    text_lengths,
};

/// Words of a program, wherever they are. Each is taken once when it is used, so that another process may
/// change them meanwhile: then the result is anybody's guess, but there is one.
pub trait Words {
    /// The word at `index`. None after the last one.
    fn word(&self, index: usize) -> Option<u64>;
}

impl Words for [u64] {
    #[inline]
    fn word(&self, index: usize) -> Option<u64> {
        self.get(index).copied()
    }
}

/// What a filter can ask for that isn't in the record.
pub trait Context {
    /// The CPU that the event is of (`CPU`).
    fn cpu(&self) -> u32;

    /// The name of the task (`COMM`), with or without what follows its NUL.
    fn comm(&self) -> &[u8];

    /// The string at an address that the record has (`const char *`), where it can be read.
    fn string(&self, address: u64) -> Option<&[u8]> {
        let _ = address;
        None
    }
}

/// A [`Context`] of values.
#[derive(Debug, Clone, Copy)]
pub struct Here<'a> {
    /// The CPU.
    pub cpu: u32,
    /// The task's name.
    pub comm: &'a [u8],
}

impl Context for Here<'_> {
    fn cpu(&self) -> u32 {
        self.cpu
    }

    fn comm(&self) -> &[u8] {
        self.comm
    }
}

/// Whether a record passes.
///
/// A field that is not (or not wholly) in the record makes its test false. A word that makes no sense ends
/// the program, and the record passes: an event too many is better than one that is missing.
///
/// A comparison of numbers takes 5 ns on the machine that this is developed on, one of strings 10 to 30. What
/// any words can make of it is bounded, too: fewer than [`MAX_WORDS`] instructions, and each at most the
/// product of a pattern's [`MAX_PATTERN`] bytes, or of its operands, and what it looks at in the record.
/// Async-signal-safe.
pub fn evaluate(words: &(impl Words + ?Sized), record: &[u8], context: &impl Context) -> bool {
    let mut at = 0;
    while at < MAX_WORDS {
        let Some(head) = words.word(at).and_then(Head::decode) else { return true };
        let result = match head.test {
            Test::Number => compare_number(words.word(at + 1), head, record),
            Test::Outcome => return head.variant & 1 == 1,
            _ => Instruction { words, at, head, record }.run(context),
        };
        let jumps = result.unwrap_or(false) == head.jumps_when();
        if head.is_last() {
            return !jumps;
        }
        let target = usize::from(head.target);
        // Forward only: so it ends.
        if target <= at {
            return true;
        }
        at = if jumps { target } else { at + head.words() };
    }
    true
}

/// The result of a program that is one comparison of a number, as most are, without a call. None for others.
#[inline(always)]
pub fn evaluate_single(words: &(impl Words + ?Sized), record: &[u8]) -> Option<bool> {
    let head = words.word(0).filter(|word| is_single_comparison(*word)).and_then(Head::decode)?;
    let result = compare_number(words.word(1), head, record);
    Some(result.unwrap_or(false) != head.jumps_when())
}

/// An instruction that is being run.
struct Instruction<'a, W: ?Sized> {
    words: &'a W,
    at: usize,
    head: Head,
    record: &'a [u8],
}

impl<W: Words + ?Sized> Instruction<'_, W> {
    /// The result of any test but a number's; none where something that it needs isn't there.
    #[inline(never)]
    fn run(&self, context: &impl Context) -> Option<bool> {
        match self.head.test {
            Test::Outcome | Test::Never | Test::Number => None,
            Test::Cpu => match self.head.comparison()? {
                Comparison::And => None,
                _ => Some(compare(u64::from(context.cpu()), self.value()?, true, self.head.orders())),
            },
            Test::Text => self.text(context),
            Test::NumberInSet => self.is_in_set(number(self.head, self.record)?),
            Test::CpuInSet => self.is_in_set(u64::from(context.cpu())),
            Test::MaskAndSet => self.mask_and_set(),
        }
    }

    fn value(&self) -> Option<u64> {
        self.words.word(self.at + 1)
    }

    fn operand(&self, index: usize) -> Option<u64> {
        if index < usize::from(self.head.operands) { self.words.word(self.at + FIXED + index) } else { None }
    }

    fn text(&self, context: &impl Context) -> Option<bool> {
        let offset = usize::from(self.head.offset);
        let (field, pattern) = text_lengths(self.value()?);
        if pattern > MAX_PATTERN {
            return None;
        }
        let bytes = match self.head.place()? {
            // One without a size takes the rest, as in `char buf[]`.
            StringPlace::Array if field == 0 => self.record.get(offset..)?,
            StringPlace::Array => self.record.get(offset..offset + field)?,
            StringPlace::Location => located(self.record, offset, 0)?,
            StringPlace::RelativeLocation => located(self.record, offset, offset + 4)?,
            StringPlace::Pointer => {
                let address = self.record.get(offset..)?.first_chunk()?;
                context.string(u64::from_le_bytes(*address))?
            }
            StringPlace::Comm => context.comm(),
        };
        let pattern = Pattern::new(|index| self.operand(index), pattern);
        let text = until_nul(bytes);
        let result = if self.head.is_pattern() { matches(&pattern, text) } else { pattern.is(text) };
        Some(result != self.head.is_negated())
    }

    /// A CPU's number against a set: the same, another, or one of it.
    fn is_in_set(&self, cpu: u64) -> Option<bool> {
        let comparison = self.head.comparison()?;
        let contains = self.contains(cpu);
        match comparison {
            Comparison::And => Some(contains),
            Comparison::Equal => Some(contains && self.is_single()),
            Comparison::NotEqual => Some(!(contains && self.is_single())),
            _ => None,
        }
    }

    fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let word = |index| self.operand(index);
        (0..usize::from(self.head.operands)).map_while(word).map(|word| (word & 0xffff_ffff, word >> 32))
    }

    fn contains(&self, cpu: u64) -> bool {
        self.ranges().any(|(first, last)| (first..=last).contains(&cpu))
    }

    fn is_single(&self) -> bool {
        let mut ranges = self.ranges();
        ranges.next().is_some_and(|(first, last)| first == last) && ranges.next().is_none()
    }

    /// The record's mask against a set: the same, another, or one with a CPU of it.
    fn mask_and_set(&self) -> Option<bool> {
        let mask = located(self.record, usize::from(self.head.offset), 0)?;
        let comparison = self.head.comparison()?;
        let cpus = (mask.len() as u64 * 8).min(u64::from(MAX_CPUS));
        let has = |cpu: u64| mask.get((cpu / 8) as usize).is_some_and(|byte| byte >> (cpu % 8) & 1 == 1);
        if comparison == Comparison::And {
            return Some((0..cpus).any(|cpu| has(cpu) && self.contains(cpu)));
        }
        let is_within = self.ranges().all(|(_, last)| last < cpus);
        let is_equal = is_within && (0..cpus).all(|cpu| has(cpu) == self.contains(cpu));
        match comparison {
            Comparison::Equal => Some(is_equal),
            Comparison::NotEqual => Some(!is_equal),
            _ => None,
        }
    }
}

/// A number in the record, compared with another. None where there isn't one.
#[inline(always)]
fn compare_number(value: Option<u64>, head: Head, record: &[u8]) -> Option<bool> {
    Some(compare(number(head, record)?, value?, head.is_signed(), head.orders()))
}

/// The number in the record, extended to 64 bits by its sign.
#[inline(always)]
fn number(head: Head, record: &[u8]) -> Option<u64> {
    let bytes = record.get(usize::from(head.offset)..)?;
    let size = head.size_log2();
    let found = match size {
        3 => u64::from_le_bytes(*bytes.first_chunk()?),
        2 => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        // Of any two bytes, so that there are few ways to go.
        _ => {
            let last = bytes.get(usize::from(size))?;
            u64::from(*bytes.first()?) | u64::from(*last) << (8 * size)
        }
    };
    let unused = 64 - (8 << size);
    Some(if head.is_signed() { ((found << unused) as i64 >> unused) as u64 } else { found })
}

/// Compares two numbers that were extended alike: [`Head::orders`] says with which order it is true. Without
/// branches: which way a number falls is what a filter is there to find out, and no processor can guess it.
#[inline(always)]
fn compare(found: u64, value: u64, signed: bool, orders: u8) -> bool {
    if orders == Comparison::And as u8 {
        return found & value != 0;
    }
    let sign = u64::from(signed) << 63;
    let (found, value) = (found ^ sign, value ^ sign);
    let order = u8::from(found >= value) + u8::from(found > value);
    orders >> order & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Here<'_> = Here { cpu: 1, comm: b"task\0rest" };

    #[test]
    fn words_without_sense_let_records_pass() {
        assert!(evaluate(&[][..], &[], &HERE));
        assert!(evaluate(&[u64::MAX][..], &[], &HERE));
        let never = Head { test: Test::Never, variant: 0, offset: 0, target: 0, operands: 0 };
        assert!(evaluate(&[never.encode()][..], &[], &HERE), "a jump that doesn't go forward");
        let no = Head { test: Test::Outcome, ..never }.encode();
        assert!(!evaluate(&[no][..], &[], &HERE));
    }
}
