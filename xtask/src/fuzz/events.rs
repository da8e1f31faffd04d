//! Events in buffers, before these are damaged.

use ring_buffer::{RecordBuffer, Writer, WriterThread};
use std::hint::black_box;

/// Writes so many events, every fourth to a lane.
pub fn write_events(writer: &Writer, events: u64) {
    for number in 0..events {
        let area = if number % 4 == 0 { None } else { rseq::Area::current() };
        let mut record = RecordBuffer::<32>::new();
        record.push(abi::common::word(400, 0, 0, 77));
        record.push(number);
        if number % 5 == 0 {
            record.push_bytes(&[b'x'; 150]);
        }
        black_box(writer.write(WriterThread { area, identity: 77 }, record.event()).is_ok());
    }
}
