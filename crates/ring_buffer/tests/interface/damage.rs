//! Writers and readers survive whatever the file says: nothing outside of it is touched, and every call ends.

use crate::temporary::{TemporaryBuffer, identity, thread, write};
use proptest::prelude::*;
use ring_buffer::{Buffer, Content, PageCopy, Writer};
use std::hint::black_box;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Pages that reading a block may give. The file has far fewer: with more, reading does not end.
const MOST_PAGES: usize = 10_000;

/// A word of the file and what it is changed to.
#[derive(Debug, Clone, Copy)]
struct Damage {
    /// Which part: the header, a block's own words, one of its rings, slots, pages.
    part: u8,
    /// Which word of it.
    word: u64,
    change: Change,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    To(u64),
    Plus(i64),
    Flip(u32),
    /// What another word of the same part says.
    Copy,
}

fn damage() -> impl Strategy<Value = Damage> {
    let change = prop_oneof![
        any::<u64>().prop_map(Change::To),
        prop::sample::select(vec![0, 1, u64::MAX, 1 << 63, u64::MAX >> 1, 4096 << 16]).prop_map(Change::To),
        (-4096i64..4096).prop_map(Change::Plus),
        (0u32..64).prop_map(Change::Flip),
        Just(Change::Copy),
    ];
    (0u8..6, any::<u64>(), change).prop_map(|(part, word, change)| Damage { part, word, change })
}

/// What is done between two damages.
#[derive(Debug, Clone, Copy)]
enum Act {
    Write(u16, bool),
    Read,
    Consume,
    Snapshot(Option<u32>),
    Discard,
    Clear,
    ClearBlock(u32),
    Count,
    Reserve,
    Release,
    Resize(u32),
    ResizeBlock(u32, u32),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1u16..400, any::<bool>()).prop_map(|(count, lane)| Act::Write(count, lane)),
        2 => Just(Act::Read),
        1 => Just(Act::Consume),
        2 => prop::option::of(0u32..8).prop_map(Act::Snapshot),
        1 => Just(Act::Discard),
        1 => Just(Act::Clear),
        1 => (0u32..8).prop_map(Act::ClearBlock),
        1 => Just(Act::Count),
        1 => Just(Act::Reserve),
        1 => Just(Act::Release),
        1 => (0u32..40).prop_map(Act::Resize),
        1 => (0u32..8, 0u32..40).prop_map(|(block, pages)| Act::ResizeBlock(block, pages)),
    ]
}

/// Damages a word of the buffer, but not its fixed numbers: these are read once, when it is opened.
fn apply(damage: Damage, segment: &shm::Segment, buffer: &Buffer) {
    let blocks = u64::from(buffer.geometry().blocks());
    let blocks_start = abi::buffer::BLOCKS_OFFSET;
    let regions = buffer.geometry().regions;
    let end = segment.len() as u64;
    let block = blocks_start + damage.word % blocks * 4096;
    let (start, len) = match damage.part {
        0 => (128, 720),
        1 => (block, 128),
        2 | 3 => (block + 128, 3 * 128),
        4 => (regions, 4096),
        _ => (regions, end - regions),
    };
    let at = |number: u64| segment.get::<AtomicU64>(start + number % (len / 8) * 8);
    let word = damage.word / 64;
    let (Some(to), Some(from)) = (at(word), at(word.rotate_left(17))) else { return };
    let old = to.load(Relaxed);
    let new = match damage.change {
        Change::To(value) => value,
        Change::Plus(more) => old.wrapping_add_signed(more),
        Change::Flip(bit) => old ^ 1 << bit,
        Change::Copy => from.load(Relaxed),
    };
    to.store(new, Relaxed);
}

fn read_all(buffer: &Buffer, mut read: impl FnMut(u32, u64, &mut [u8]) -> Option<PageCopy>) {
    let mut page = vec![0; buffer.geometry().page_size as usize];
    for block in 0..buffer.geometry().blocks() {
        let mut position = 0;
        let mut pages = 0;
        while let Some(taken) = read(block, position, &mut page) {
            assert!(taken.len <= page.len() && taken.events > 0);
            // Numbers that go back say that somebody has damaged them: a reader stops there.
            if taken.next_event() <= position {
                break;
            }
            position = taken.next_event();
            pages += 1;
            assert!(pages < MOST_PAGES, "reading block {block} does not end");
        }
    }
}

fn perform(act: Act, temporary: &TemporaryBuffer, buffer: &Buffer, writer: &Writer) {
    match act {
        Act::Write(count, lane) => (0..count).for_each(|number| {
            let _ = write(writer, thread(lane), u64::from(number));
        }),
        Act::Read => read_all(buffer, |block, position, page| buffer.read(block, position, page)),
        Act::Consume => read_all(buffer, |block, _, page| buffer.consume(block, page)),
        Act::Snapshot(block) => {
            let Some(holder) = buffer.holder(identity()) else { return };
            let taken = block.map_or_else(|| buffer.snapshot(), |block| holder.snapshot_block(block));
            let Ok(snapshot) = taken else { return };
            if let Some(held) = holder.hold(snapshot) {
                held.settle();
                read_all(buffer, |block, position, page| held.read(block, position, page));
                read_all(buffer, |block, _, page| held.consume(block, page));
                (0..buffer.geometry().blocks()).for_each(|block| {
                    black_box(held.statistics(block));
                });
            }
        }
        Act::Discard => {
            let holder = buffer.holder(identity());
            for snapshot in buffer.snapshots() {
                let _ = holder.as_ref().map(|holder| holder.discard(snapshot));
            }
        }
        Act::Clear => buffer.clear(),
        Act::ClearBlock(block) => buffer.clear_block(block),
        Act::Count => {
            let _ = (buffer.entries(), buffer.overruns(), buffer.oldest_time(), buffer.is_empty());
            (0..buffer.geometry().blocks()).for_each(|block| {
                black_box(buffer.has_reached(block, 50));
            });
        }
        Act::Reserve => drop(buffer.holder(identity()).map(|holder| holder.reserve(&temporary.path))),
        Act::Release => drop(buffer.holder(identity()).map(|holder| holder.release())),
        Act::Resize(pages) => {
            let path = &temporary.path;
            let _ = buffer.holder(identity()).map(|holder| holder.resize(path, pages, Content::Keep));
        }
        Act::ResizeBlock(block, pages) => {
            let (path, content) = (&temporary.path, Content::Discard);
            let _ = buffer.holder(identity()).map(|holder| holder.resize_block(path, block, pages, content));
        }
    }
}

/// Some damage, then something that is done.
fn step() -> impl Strategy<Value = (Act, Vec<Damage>)> {
    (act(), prop::collection::vec(damage(), 0..4))
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_the_file_says(steps in prop::collection::vec(step(), 1..12)) {
        let temporary = TemporaryBuffer::new(8, 3);
        let segment = temporary.segment();
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let holder = buffer.holder(identity()).unwrap();
        while holder.reserve(&temporary.path).is_ok() {}
        drop(holder);
        for lane in [false, true] {
            perform(Act::Write(700, lane), &temporary, &buffer, &writer);
        }
        for (act, damages) in steps {
            damages.into_iter().for_each(|damage| apply(damage, &segment, &buffer));
            perform(act, &temporary, &buffer, &writer);
        }
    }
}
