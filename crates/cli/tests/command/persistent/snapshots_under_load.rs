//! Snapshots, one after the other, while all CPUs write as fast as they can.
//!
//! There are 50, or as many as `LOOKBACK_SNAPSHOTS` says.

use super::*;
use ring_buffer::{Held, Holder, Snapshot};
use rustix::process::Signal;
use session::Instance;
use trace_data::format::Format;
use trace_data::page::Page;

/// Threads, as many as it is told, that make calls with numbers of their own, one after the other, until it
/// is to end: then it says how many each has made. `whence` follows from the other two.
const LOAD: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t is_over;
static void ends(int number) { (void)number; is_over = 1; }
static void *calls(void *argument) {
    long thread = (long)argument, number = 0;
    for (; !is_over; number++) lseek(-1 - thread, number, (number * 7 + thread) & 0x7fff);
    return (void *)number;
}
int main(int count, char **arguments) {
    long threads = count > 1 ? atol(arguments[1]) : 1;
    pthread_t all[threads];
    signal(SIGTERM, ends);
    for (long thread = 0; thread < threads; thread++) pthread_create(&all[thread], 0, calls, (void *)thread);
    puts("begins");
    fflush(stdout);
    for (long thread = 0; thread < threads; thread++) {
        void *number;
        pthread_join(all[thread], &number);
        printf("%ld\n", (long)number);
    }
}"#;

/// Reads snapshots one after the other, and checks that each event is in one of them, whole and in its order.
struct Sequence<'a> {
    session: &'a Instance,
    holder: &'a Holder<'a>,
    format: Format,
    /// The number that comes next of each thread, and how many there were.
    threads: Vec<(i64, u64)>,
    /// Snapshots that were read.
    read: u64,
    /// Snapshots that begin right where the one before ends, though events went on.
    seamless: u64,
    /// Events that were overwritten before they were kept.
    overrun: u64,
}

impl<'a> Sequence<'a> {
    fn of(session: &'a Instance, holder: &'a Holder<'a>, threads: usize) -> Sequence<'a> {
        let event = session.events().find(|event| event.system == "libc" && event.name == "lseek").unwrap();
        let format = Format::parse("libc", &event.format).unwrap();
        Sequence { session, holder, format, threads: vec![(0, 0); threads], read: 0, seamless: 0, overrun: 0 }
    }

    /// Takes one; `before` that, it is gone.
    fn take(&self) -> Snapshot {
        self.session.take_snapshot().unwrap()
    }

    /// Reads the events of a snapshot, which has to be the next; does something in the middle of that.
    fn read<T>(&mut self, snapshot: Snapshot, meanwhile: impl FnOnce(&Sequence<'_>) -> T) -> T {
        let holder = self.holder;
        let held = holder.hold(snapshot).expect("nobody drops it");
        within(600, || held.settle() == 0);
        let (mut numbers, mut meanwhile, mut done) =
            (vec![Vec::new(); self.threads.len()], Some(meanwhile), None);
        let mut page = vec![0; self.session.buffer().geometry().page_size as usize + 8];
        let (mut overrun, mut entries, mut given) = (0, 0, 0);
        for block in 0..self.session.buffer().geometry().blocks() {
            let mut position = 0;
            while let Some(copied) = held.read(block, position, &mut page) {
                position = copied.next_event();
                given += copied.events;
                self.take_page(block, &page[..copied.len], &mut numbers);
                if let Some(meanwhile) = meanwhile.take() {
                    done = Some(meanwhile(self));
                }
            }
            (overrun, entries) = self.add_statistics(&held, block, (overrun, entries));
        }
        assert_eq!(given, entries, "the events that {snapshot:?} says it has");
        let is_seamless = self.follow(numbers) && overrun == 0 && given > 0;
        self.seamless += u64::from(is_seamless);
        self.overrun += overrun;
        self.read += 1;
        drop(held);
        assert!(holder.discard(snapshot), "nobody else reads it");
        // All may have been idle.
        match (done, meanwhile) {
            (None, Some(meanwhile)) => meanwhile(self),
            (done, _) => done.expect("it was done"),
        }
    }

    fn add_statistics(&self, held: &Held<'_>, block: u32, (overrun, entries): (u64, u64)) -> (u64, u64) {
        let statistics = held.statistics(block);
        assert_eq!(statistics.dropped_events(), 0, "block {block}");
        (overrun + statistics.overrun, entries + statistics.entries)
    }

    /// Adds the numbers on a page of a block: of a lane's, to which threads go that are interrupted again and
    /// again, the CPU comes before each payload.
    fn take_page(&self, block: u32, page: &[u8], numbers: &mut [Vec<i64>]) {
        let place = if block < self.session.buffer().geometry().cpus { 0 } else { size_of::<u64>() };
        let [fd, offset, whence] = ["fd", "offset", "whence"].map(|name| self.format.field(name).unwrap());
        for event in Page::new(page).expect("a page").events() {
            let value = |field: &trace_data::format::Field| field.integer(&event.payload[place..]).unwrap();
            let (thread, number) = (-1 - value(fd), value(offset));
            assert_eq!(value(whence), (number * 7 + thread) & 0x7fff, "torn: {thread} {number}");
            numbers[thread as usize].push(number);
        }
    }

    /// Goes on with these numbers. Whether none is missing.
    fn follow(&mut self, numbers: Vec<Vec<i64>>) -> bool {
        let mut is_complete = true;
        for (thread, (mut numbers, (next, seen))) in numbers.into_iter().zip(&mut self.threads).enumerate() {
            // It may have changed the CPU.
            numbers.sort_unstable();
            let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { continue };
            assert!(first >= next, "thread {thread}: {first} comes again, after {next}");
            assert!(numbers.is_sorted_by(|one, other| one < other), "thread {thread}: twice");
            is_complete &= first == next && last - first + 1 == numbers.len() as i64;
            *next = last + 1;
            *seen += numbers.len() as u64;
        }
        is_complete
    }
}

#[test]
fn each_event_is_in_one_of_many() {
    let wanted = times("LOOKBACK_SNAPSHOTS", 50);
    let session = Persistent::of_size("2048", &["-e", "libc:lseek", "--snapshots", "3"]);
    let threads = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    let load = compile(&session.scratch, "load", LOAD, &["-O2"]);
    let mut running = start(&mut session.running(&[load.to_str().unwrap(), &threads.to_string()]));
    running.wait_for("begins");
    let instance = Instance::open(&session.path).unwrap();
    let holder = instance.holder().unwrap();
    let mut sequence = Sequence::of(&instance, &holder, threads);
    let mut next = sequence.take();
    // Where a snapshot comes too late for an event, that was overwritten, and counted. So there have to be
    // some that come in time, right after another one.
    while sequence.read < wanted || sequence.seamless < wanted / 5 {
        let [second, third] = sequence.read(next, |sequence| [sequence.take(), sequence.take()]);
        sequence.read(second, |_| ());
        next = third;
    }
    running.signal(Signal::TERM);
    let said = running.wait().success().stdout;
    sequence.read(next, |_| ());
    let last = sequence.take();
    sequence.read(last, |_| ());
    let made: Vec<u64> = said.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    let seen: Vec<u64> = sequence.threads.iter().map(|(_, seen)| *seen).collect();
    let Sequence { read, seamless, overrun, .. } = sequence;
    println!(
        "{read} snapshots, {seamless} of them right after another; {overrun} events overwritten of {made:?}"
    );
    assert_eq!(made.len(), threads, "{said}");
    assert_eq!(made.iter().sum::<u64>(), seen.iter().sum::<u64>() + overrun, "{made:?} made, {seen:?} seen");
}
