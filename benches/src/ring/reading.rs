//! What readers and those who take snapshots pay.

use super::fixture::{Fixture, Route, identity};
use super::{ROUNDS, writing};
use crate::clock::{thread_cpu_ns, ticks_per_us};
use crate::report::Report;
use crate::samples::Samples;
use ring_buffer::Walk;
use std::hint::black_box;

/// Events that are read in a round: most of a ring of 4 MB.
const EVENTS: u64 = 180_000;

/// Bytes of a page, and the most that are read: a ring of each CPU and of the lane, and what is left of each.
const PAGE: usize = 4096;
const PAGES: usize = 3 * 1024;

/// Snapshots in a round, each of an event.
const SNAPSHOTS: u64 = 100;

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let ring = Fixture::new(4096, 4096)?;
    let holder = ring.buffer.holder(identity()).ok_or("no place for a holder")?;
    holder.reserve(&ring.path).map_err(|error| error.to_string())?;
    let ticks_per_us = ticks_per_us(|| ring.buffer.now());
    let mut memory = vec![0; PAGES * PAGE];
    let mut samples = [(); 3].map(|()| Samples::default());
    for _ in 0..ROUNDS {
        let [consumed, iterated, snapshots] = &mut samples;
        writing::numbers(&ring, Route::Cpu, EVENTS);
        let start = thread_cpu_ns();
        let lens = consume(&ring, &mut memory);
        let taken = thread_cpu_ns() - start;
        consumed.push(lens.iter().sum::<usize>() as f64 / taken);
        iterated.push(iterate(memory.chunks(PAGE).zip(&lens).filter_map(|(page, len)| page.get(..*len))));
        snapshots.push(snapshot(&ring) / ticks_per_us);
    }
    let [consumed, iterated, snapshots] = samples;
    report.add("consume_GBps", Ok(consumed.median()));
    report.add("iterate_Mevents_per_s", Ok(iterated.median()));
    report.add("snapshot_us", Ok(snapshots.median()));
    Ok(())
}

/// Consumes everything into `memory`, page after page: how long each is.
fn consume(ring: &Fixture, memory: &mut [u8]) -> Vec<usize> {
    let mut lens = Vec::with_capacity(PAGES);
    let mut pages = memory.chunks_mut(PAGE);
    for block in 0..ring.buffer.geometry().blocks() {
        while let Some(page) = pages.next()
            && let Some(taken) = ring.buffer.consume(block, page)
        {
            lens.push(taken.len);
        }
    }
    lens
}

/// Millions of events that are found in a second.
fn iterate<'a>(pages: impl Iterator<Item = &'a [u8]>) -> f64 {
    let start = thread_cpu_ns();
    let mut events = 0;
    let mut times = 0u64;
    for page in pages {
        for found in Walk::new(page) {
            events += 1;
            times = times.wrapping_add(found.time);
        }
    }
    black_box(times);
    f64::from(events) * 1e3 / (thread_cpu_ns() - start)
}

/// Ticks of a snapshot, for the thread that asks.
fn snapshot(ring: &Fixture) -> f64 {
    let mut time = 0.0;
    for _ in 0..SNAPSHOTS {
        writing::numbers(ring, Route::Cpu, 1);
        let start = ring.buffer.now();
        let snapshot = ring.buffer.snapshot();
        time += (ring.buffer.now() - start) as f64;
        if let Ok(snapshot) = snapshot {
            ring.buffer.discard(snapshot);
        }
    }
    time / SNAPSHOTS as f64
}
