//! A ring for one thread, with the same payload and clock: what it costs to do without sharing.

use crate::clock::cpu_ns_each;
use rtrb::{Consumer, Producer, RingBuffer};
use std::hint::black_box;

/// Time, common fields, number.
type SpscEvent = [u64; 3];

/// Both ends of it.
pub struct SpscRing {
    producer: Producer<SpscEvent>,
    consumer: Consumer<SpscEvent>,
}

impl SpscRing {
    /// One with space for so many events.
    pub fn new(events: u64) -> SpscRing {
        let (producer, consumer) = RingBuffer::new(events as usize);
        SpscRing { producer, consumer }
    }

    /// Processor time of writing an event. Reading them all does not count.
    pub fn measure(&mut self, events: u64) -> f64 {
        let taken = cpu_ns_each(events, |count| self.write(count));
        while self.consumer.pop().is_ok() {}
        taken
    }

    fn write(&mut self, count: u64) {
        for value in 0..count {
            // SAFETY: every x86-64 processor has the counter.
            let time = unsafe { core::arch::x86_64::_rdtsc() };
            let _ = self.producer.push([time, abi::common::word(300, 0, 0, 4711), black_box(value)]);
        }
    }
}
