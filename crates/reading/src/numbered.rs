//! Numbered events, for tests.

use ring_buffer::{RecordBuffer, Writer, WriterThread};
use session::Instance;
use std::ops::Range;

/// Their id.
const ID: u16 = 4000;

/// Writes one for each number: to a lane or not.
pub(crate) fn write(session: &Instance, numbers: Range<u64>, is_lane: impl Fn(u64) -> bool) {
    let writer = Writer::new(session.again().unwrap().into_buffer());
    for number in numbers {
        let area = if is_lane(number) { None } else { rseq::Area::current() };
        let mut record = RecordBuffer::<4>::new();
        record.push(abi::common::word(ID, 0, 0, 77));
        record.push(number);
        let identity = u64::from(std::process::id());
        writer.write(WriterThread { area, identity }, record.event()).unwrap();
    }
}

/// The number in the payload of one.
pub(crate) fn number(payload: &[u8]) -> u64 {
    u64::from_le_bytes(payload[8..16].try_into().unwrap())
}
