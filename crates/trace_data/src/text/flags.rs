//! The five characters that tell the state in which an event was recorded.

use crate::record::Record;

/// Bits of `common_flags`. Source: `enum trace_flag_type` in `include/linux/trace_events.h` of
/// Linux 6.18.
const IRQS_OFF: u8 = 0x01;
const NEED_RESCHED_LAZY: u8 = 0x02;
const NEED_RESCHED: u8 = 0x04;
const HARD_IRQ: u8 = abi::common::FLAG_SIGNAL_HANDLER;
const SOFT_IRQ: u8 = 0x10;
const PREEMPT_RESCHED: u8 = 0x20;
const NMI: u8 = 0x40;
const BH_OFF: u8 = 0x80;

/// The characters for a record's `common_flags` and `common_preempt_count`.
///
/// Here, "interrupts off" is signals blocked, "in an interrupt" in a signal handler, the preemption
/// depth that of critical sections.
pub(super) fn characters(record: &Record<'_>) -> [u8; 5] {
    let (flags, preempt_count) = record.flags();
    [
        interrupts(flags),
        reschedule(flags),
        context(flags),
        digit(preempt_count & 0xf),
        digit(preempt_count >> 4),
    ]
}

fn interrupts(flags: u8) -> u8 {
    match (flags & IRQS_OFF != 0, flags & BH_OFF != 0) {
        (true, true) => b'D',
        (true, false) => b'd',
        (false, true) => b'b',
        (false, false) => b'.',
    }
}

fn reschedule(flags: u8) -> u8 {
    let need = flags & NEED_RESCHED != 0;
    let preempt = flags & PREEMPT_RESCHED != 0;
    match (need, preempt, flags & NEED_RESCHED_LAZY != 0) {
        (true, true, true) => b'B',
        (true, true, false) => b'N',
        (false, true, true) => b'L',
        (true, false, true) => b'b',
        (true, false, false) => b'n',
        (false, false, true) => b'l',
        (false, true, false) => b'p',
        (false, false, false) => b'.',
    }
}

fn context(flags: u8) -> u8 {
    match (flags & NMI != 0, flags & HARD_IRQ != 0, flags & SOFT_IRQ != 0) {
        (true, true, _) => b'Z',
        (true, false, _) => b'z',
        (false, true, true) => b'H',
        (false, true, false) => b'h',
        (false, false, true) => b's',
        (false, false, false) => b'.',
    }
}

/// A hexadecimal digit, a dot for 0.
fn digit(value: u8) -> u8 {
    b".123456789abcdef"[usize::from(value & 0xf)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Missed;

    #[test]
    fn flags_as_the_kernel_shows_them() {
        let cases = [
            (0x00, 0x00, "....."),
            (0x01, 0x02, "d..2."),
            (0x81, 0x1f, "D..f1"),
            (0x80, 0x00, "b...."),
            (0x02, 0x00, ".l..."),
            (0x04, 0x00, ".n..."),
            (0x06, 0x00, ".b..."),
            (0x20, 0x00, ".p..."),
            (0x22, 0x00, ".L..."),
            (0x24, 0x00, ".N..."),
            (0x26, 0x00, ".B..."),
            (0x08, 0x00, "..h.."),
            (0x10, 0x00, "..s.."),
            (0x18, 0x00, "..H.."),
            (0x40, 0x00, "..z.."),
            (0x48, 0x00, "..Z.."),
        ];
        for (flags, count, expected) in cases {
            let payload = abi::common::word(1, flags, count, 7).to_le_bytes();
            let found = characters(&Record { cpu: 0, time: 0, payload: &payload, lost: Missed::None });
            assert_eq!(core::str::from_utf8(&found), Ok(expected), "{flags:#x} {count:#x}");
        }
    }
}
