//! Writing the events of system calls.
//!
//! The four kinds of records have one shape: the common fields, the call's number in 8 bytes, of which the
//! kernel uses 4 in a call's own events, and numbers of 8 bytes.

use events::system_call::{ENTER_ID, EXIT_ID, MOST_ARGUMENTS, events_of};
use ring_buffer::{EncodedEvent, RecordBuffer};
use trace_event::{CallRecord, Entered, KnownThread, is_enabled};

/// Words of the largest record.
const WORDS: usize = 2 + MOST_ARGUMENTS;

/// Records that the calling thread makes a system call: the call's own event and that of all calls, each if
/// it is enabled.
///
/// The call's frame is that of a function which returns after this.
pub(crate) fn record_enter(
    entered: Entered,
    number: u32,
    arguments: &[u64; MOST_ARGUMENTS],
    call: CallRecord,
) {
    if let Some(own) = events_of(number).filter(|own| is_enabled(own.enter)) {
        let arguments = arguments.get(..own.arguments).unwrap_or_default();
        write(entered, own.enter, number, arguments, call);
    }
    if is_enabled(ENTER_ID) {
        write(entered, ENTER_ID, number, arguments, call);
    }
}

/// Records that a system call of the calling thread has returned, with what the kernel has left in the
/// register: an error is negative. Otherwise as [`record_enter`].
pub(crate) fn record_exit(entered: Entered, number: u32, result: i64, call: CallRecord) {
    let result = [result.cast_unsigned()];
    if let Some(own) = events_of(number).filter(|own| is_enabled(own.exit)) {
        write(entered, own.exit, number, &result, call);
    }
    if is_enabled(EXIT_ID) {
        write(entered, EXIT_ID, number, &result, call);
    }
}

/// As [`record_enter`], or as [`record_exit`] with the result as only argument, where one event at most is
/// enabled and there is nothing to do but to write it. None, and nothing written, if not. Nothing is called
/// for it.
#[inline(always)]
pub(crate) fn try_record(
    known: KnownThread,
    (number, is_exit): (u32, bool),
    arguments: &[u64; MOST_ARGUMENTS],
) -> Option<()> {
    let own = events_of(number)?;
    let (own, all) = if is_exit {
        ((own.exit, 1), (EXIT_ID, 1))
    } else {
        ((own.enter, own.arguments), (ENTER_ID, MOST_ARGUMENTS))
    };
    let (event, count) = match (is_enabled(own.0), is_enabled(all.0)) {
        (false, false) => return Some(()),
        (true, false) => own,
        (false, true) => all,
        (true, true) => return None,
    };
    let writer = known.plain_writer(event)?;
    let mut record = RecordBuffer::new();
    let event = fill(&mut record, known.entered().common(event), number, arguments.get(..count)?);
    writer.try_write(event).then_some(())
}

/// Writes one of these records. Not inlined: so there is only one on the stack.
#[inline(never)]
fn write(entered: Entered, event: u16, number: u32, words: &[u64], call: CallRecord) {
    let mut record = RecordBuffer::new();
    let event = fill(&mut record, entered.common(event), number, words);
    // SAFETY: who has called the functions of this module returns after them.
    unsafe { entered.write_called(call, event) }
}

/// Makes a record. The kernel takes numbers for signed.
#[inline(always)]
fn fill<'a>(
    record: &'a mut RecordBuffer<WORDS>,
    common: u64,
    number: u32,
    words: &[u64],
) -> EncodedEvent<'a> {
    record.push(common);
    record.push(i64::from(number.cast_signed()).cast_unsigned());
    words.iter().for_each(|word| record.push(*word));
    record.event()
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{EventType, system_call};

    /// A record of an event with these words has its fields where the event's description says.
    fn assert_is(event: EventType, number: u32, words: &[u64]) {
        let mut record = RecordBuffer::new();
        let common = abi::common::word(event.id, 0, 0, 77);
        let payload = fill(&mut record, common, number, words).payload().to_vec();
        assert_eq!(payload.len(), event.fixed_size(), "{}", event.name);
        assert_eq!(payload[..2], event.id.to_le_bytes());
        let word = |at: usize| u64::from_le_bytes(payload[at..at + 8].try_into().unwrap());
        assert_eq!(word(8) as u32, number);
        let offsets = event.placed_fields().skip(1).map(|(offset, _)| offset);
        if event.id != ENTER_ID {
            assert!(offsets.map(word).eq(words.iter().copied()), "{}", event.name);
        }
    }

    #[test]
    fn records_are_as_their_formats_say() {
        let arguments: [u64; MOST_ARGUMENTS] = core::array::from_fn(|index| 1 << 40 | index as u64);
        for event in events::all().filter(|event| system_call::is_system_call(event.id)) {
            let numbers = 0..system_call::NUMBERS;
            let own = numbers.filter_map(|number| Some((number, events_of(number)?)));
            let mut own = own.filter(|(_, own)| [own.enter, own.exit].contains(&event.id));
            match own.next() {
                Some((number, own)) if own.enter == event.id => {
                    assert_is(event, number, &arguments[..own.arguments]);
                }
                Some((number, _)) => assert_is(event, number, &[-2_i64 as u64]),
                None if event.id == ENTER_ID => assert_is(event, 999, &arguments),
                None => assert_is(event, 999, &[u64::MAX]),
            }
        }
    }

    #[test]
    fn the_number_of_no_call_is_negative() {
        let mut record = RecordBuffer::new();
        let payload = fill(&mut record, 0, u32::MAX, &[]).payload().to_vec();
        assert_eq!(payload[8..16], (-1_i64).to_le_bytes());
    }
}
