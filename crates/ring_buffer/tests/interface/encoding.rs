//! What is packed into words and pages comes out as it went in.

use crate::temporary::{TemporaryBuffer, block, is_alone, thread};
use abi::buffer::{ControlWord, KeptState, KeptWord, MAX_HOLDERS, MAX_RINGS, Tail};
use abi::page::{self, PageEntry};
use core::mem::transmute;
use proptest::prelude::*;
use ring_buffer::{
    Bytes, LEAST_SLICE, MOST_SLICE, RecordBuffer, SLICE_STEP, ShortEvent, Sliced, TextEvent, Walk, Writer,
    ticks,
};

/// Words of the largest event here.
const WORDS: usize = 64;

/// An entry of a page.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Small,
    Large,
    Extend,
}

/// What it is, the time since the one before, and something for its length.
fn any_entry() -> impl Strategy<Value = (Kind, u64, usize)> {
    let kind = prop::sample::select(vec![Kind::Small, Kind::Large, Kind::Extend]);
    (kind, 0..page::DELTA_LIMIT, 0usize..200)
}

/// Bytes of short events.
const SHORT: [usize; 4] = [8, 11, 20, 24];

/// Writes a short event, where the page is full by the slow path.
fn write_short<const LEN: usize>(writer: &Writer, words: [u64; 3], is_record: bool, time: Option<u64>) {
    let event = ShortEvent::<LEN>::of(words);
    if is_record || !writer.try_write_short(thread(false).area, event, time) {
        writer.write(thread(false), event.record().event()).unwrap();
    }
}

/// Writes an event that ends with a text of so many bytes, if the page has space for it.
fn write_text<const START: usize>(writer: &Writer, words: [u64; 3], text: [u8; 32], len: usize) -> bool {
    // SAFETY: any bits are a vector.
    let text = unsafe { transmute::<[u8; 32], [Bytes; 2]>(text) };
    writer.try_write_text(thread(false).area, TextEvent::<START>::of(words, text, len))
}

proptest! {
    #[test]
    fn events_of_any_length_arrive(
        lens in prop::collection::vec(0usize..WORDS * 8 - 8, 1..60), lane: bool
    ) {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let bytes: Vec<u8> = (0..WORDS * 8).map(|index| index as u8 | 1).collect();
        for len in &lens {
            let mut record = RecordBuffer::<WORDS>::new();
            record.push(*len as u64);
            record.push_bytes(&bytes[..*len]);
            writer.write(thread(lane), record.event()).unwrap();
        }
        prop_assume!(is_alone(block, &buffer));
        let mut page = vec![0; 4096];
        let mut found = Vec::new();
        while let Some(taken) = buffer.consume(block, &mut page) {
            let events: Vec<_> = Walk::new(&page[..taken.len]).collect();
            prop_assert_eq!(events.len() as u64, taken.events);
            for event in events {
                // A lane's events begin with their CPU.
                let lead = if lane { 8 } else { 0 };
                let payload = &page[event.payload..][lead..event.len];
                prop_assert_eq!(event.size(), page::event_size(event.len));
                let len = u64::from_le_bytes(*payload.first_chunk().unwrap()) as usize;
                prop_assert_eq!(&payload[8..][..len], &bytes[..len]);
                prop_assert!(payload.len() - 8 - len < 12, "padded by more than an event's alignment");
                found.push(len);
            }
        }
        prop_assert_eq!(found, lens);
    }

    #[test]
    fn short_events_arrive_wherever_a_record_would(
        written in prop::collection::vec(
            (any::<bool>(), any::<bool>(), prop::sample::select(&SHORT[..])), 1..400
        )
    ) {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(false, &buffer);
        let words = |number: u64| [number, !number, number << 32];
        for (number, (is_record, has_time, len)) in (0..).zip(&written) {
            let time = has_time.then(ticks);
            match len {
                8 => write_short::<8>(&writer, words(number), *is_record, time),
                11 => write_short::<11>(&writer, words(number), *is_record, time),
                20 => write_short::<20>(&writer, words(number), *is_record, time),
                _ => write_short::<24>(&writer, words(number), *is_record, time),
            }
        }
        prop_assume!(is_alone(block, &buffer));
        let (mut page, mut number) = (vec![0; 4096], 0u64);
        while let Some(taken) = buffer.consume(block, &mut page) {
            for event in Walk::new(&page[..taken.len]) {
                let (expected, len) = (words(number).map(u64::to_le_bytes), written[number as usize].2);
                prop_assert_eq!(event.size(), page::event_size(len));
                prop_assert_eq!(&page[event.payload..][..len], &expected.as_flattened()[..len]);
                number += 1;
            }
        }
        prop_assert_eq!(number, written.len() as u64);
    }

    #[test]
    fn events_that_end_with_a_text_arrive(
        written in prop::collection::vec((any::<bool>(), any::<bool>(), 1usize..=32), 1..400)
    ) {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(false, &buffer);
        let event = |number: u64, len: usize| {
            let text: [u8; 32] = std::array::from_fn(|at| if at < len { number as u8 } else { 0 });
            ([number, !number, number << 32], text)
        };
        for (number, (is_record, is_long, len)) in (0..).zip(&written) {
            let (words, text) = event(number, *len);
            let start = if *is_long { 24 } else { 16 };
            let is_there = !is_record && match is_long {
                true => write_text::<24>(&writer, words, text, *len),
                false => write_text::<16>(&writer, words, text, *len),
            };
            // Where the page is full, by the slow path.
            if !is_there {
                let mut record = RecordBuffer::<8>::new();
                words[..start / 8].iter().for_each(|word| record.push(*word));
                record.push_bytes(&text[..*len]);
                writer.write(thread(false), record.event()).unwrap();
            }
        }
        prop_assume!(is_alone(block, &buffer));
        let (mut page, mut number) = (vec![0; 4096], 0u64);
        while let Some(taken) = buffer.consume(block, &mut page) {
            for found in Walk::new(&page[..taken.len]) {
                let (_, is_long, len) = written[number as usize];
                let ((words, text), start) = (event(number, len), if is_long { 24 } else { 16 });
                let bytes = words.map(u64::to_le_bytes);
                prop_assert_eq!(found.size(), page::event_size(start + len));
                let payload = &page[found.payload..][..(start + len).next_multiple_of(4)];
                prop_assert_eq!(&payload[..start], &bytes.as_flattened()[..start]);
                prop_assert_eq!(&payload[start..], &text[..payload.len() - start]);
                number += 1;
            }
        }
        prop_assert_eq!(number, written.len() as u64);
    }

    #[test]
    fn slices_of_memory_arrive_next_to_other_events(
        lens in prop::collection::vec(0usize..=MOST_SLICE / SLICE_STEP, 1..14), odd in 0usize..8, lane: bool
    ) {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let memory: Vec<u8> = (0..MOST_SLICE + 8).map(|index| (index * 7) as u8).collect();
        let mut expected = Vec::new();
        for (number, len) in (0u64..).zip(lens.iter().map(|steps| steps * SLICE_STEP)) {
            let lead = [number, 2, 3, u64::MAX];
            // SAFETY: so many bytes are there.
            let sliced = unsafe { Sliced::new(lead, memory[odd..].as_ptr(), len) };
            prop_assert_eq!(sliced.is_some(), len >= LEAST_SLICE);
            let payload = match &sliced {
                Some(sliced) => {
                    writer.write_sliced(thread(lane), sliced).unwrap();
                    [lead.map(u64::to_le_bytes).as_flattened(), &memory[odd..][..len]].concat()
                }
                None => {
                    let mut record = RecordBuffer::<4>::new();
                    record.push(number);
                    writer.write(thread(lane), record.event()).unwrap();
                    number.to_le_bytes().to_vec()
                }
            };
            expected.push(payload);
        }
        prop_assume!(is_alone(block, &buffer));
        let (mut page, mut found) = (vec![0; 4096], Vec::new());
        while let Some(taken) = buffer.consume(block, &mut page) {
            for event in Walk::new(&page[..taken.len]) {
                let lead = if lane { 8 } else { 0 };
                prop_assert_eq!(event.size(), page::event_size(event.len));
                found.push(page[event.payload..][lead..event.len].to_vec());
            }
        }
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            // Small ones are padded.
            prop_assert!(found.starts_with(expected) && found.len() - expected.len() < 12);
        }
    }

    #[test]
    fn a_tail_stays_in_its_page(
        order in 0u32..8, number in 1u64..1 << 20, sizes in prop::collection::vec(2u64..200, 0..100)
    ) {
        let page_size = 4096u64 << order;
        let mut tail = Tail::new(number * page_size, 0, 0);
        let (mut commit, mut events) = (0, 0);
        for size in sizes.into_iter().map(|size| size * 4) {
            if commit + size > page_size - page::HEADER_SIZE as u64 {
                break;
            }
            let is_event = size != page::TIME_EXTEND_SIZE as u64;
            tail = if is_event { tail.advance(size) } else { tail.extend(size) };
            (commit, events) = (commit + size, events + u64::from(is_event));
        }
        prop_assert_eq!((tail.commit(page_size), tail.events()), (commit, events));
        prop_assert_eq!(tail.page_offset(page_size), number * page_size);
    }

    #[test]
    fn a_control_word_changes_only_where_it_should(word: u64, ring in 0..MAX_RINGS) {
        const FLAGS: u64 = ControlWord::OFF | ControlWord::NO_OVERWRITE;
        let (old, next) = (ControlWord(word), ControlWord(word).next_generation(ring));
        prop_assert_eq!(next.ring(), ring);
        prop_assert_eq!(next.generation(), (old.generation() + 1) & 0xffff_ffff);
        prop_assert_eq!(next.0 & FLAGS, old.0 & FLAGS);
        let again = old.next_epoch();
        prop_assert!(again != old);
        prop_assert_eq!((again.generation(), again.ring()), (old.generation(), old.ring()));
        prop_assert_eq!(again.0 & FLAGS, old.0 & FLAGS);
    }

    #[test]
    fn a_holders_bit_is_its_own(word: u64, holder in 0..MAX_HOLDERS, other in 0..MAX_HOLDERS) {
        let (old, held) = (KeptWord(word), KeptWord(word).held_by(holder));
        prop_assert!(held.is_held_by(holder) && held.is_held());
        prop_assert!(other == holder || held.is_held_by(other) == old.is_held_by(other));
        prop_assert_eq!((held.generation(), held.state()), (old.generation(), old.state()));
        prop_assert!(!held.let_go_by(holder).is_held_by(holder));
        prop_assert!(!held.turned(KeptState::Spare).is_held());
    }

    #[test]
    fn a_time_extend_says_what_it_was_made_of(delta in 0u64..1 << 59) {
        let word = page::time_extend(page::TYPE_TIME_EXTEND, delta);
        prop_assert_eq!(page::entry(word as u32, (word >> 32) as u32), PageEntry::TimeExtend(delta));
    }

    #[test]
    fn times_add_up(start in 0u64..1 << 60, entries in prop::collection::vec(any_entry(), 0..60)) {
        let mut page = start.to_le_bytes().to_vec();
        page.extend([0; 8]);
        let (mut time, mut times) = (start, Vec::new());
        for (kind, delta, len) in entries {
            match kind {
                Kind::Small => {
                    let size = page::event_size(len % page::MAX_SMALL_PAYLOAD + 1);
                    let type_len = (size - page::EVENT_HEADER) / 4;
                    page.extend(page::event_word(type_len as u32, delta).to_le_bytes());
                    page.resize(page.len() + size - page::EVENT_HEADER, 0xff);
                }
                Kind::Large => {
                    let size = page::event_size(page::MAX_SMALL_PAYLOAD + 1 + len);
                    page.extend(page::event_word(0, delta).to_le_bytes());
                    page.extend(((size - page::EVENT_HEADER) as u32).to_le_bytes());
                    page.resize(page.len() + size - 2 * page::EVENT_HEADER, 0xff);
                }
                Kind::Extend => {
                    let extend = delta << 20 | delta;
                    page.extend(page::time_extend(page::TYPE_TIME_EXTEND, extend).to_le_bytes());
                    time += extend;
                    continue;
                }
            }
            time += delta;
            times.push(time);
        }
        let commit = (page.len() - page::HEADER_SIZE) as u64;
        page[page::COMMIT_OFFSET..][..8].copy_from_slice(&commit.to_le_bytes());
        let found: Vec<u64> = Walk::new(&page).map(|found| found.time).collect();
        prop_assert_eq!(found, times);
    }

    #[test]
    fn a_walk_over_anything_stays_within_it(
        page in prop::collection::vec(any::<u8>(), 0..600), commit in 0u64..700
    ) {
        let mut page = page;
        if let Some(word) = page.get_mut(8..16) {
            word.copy_from_slice(&commit.to_le_bytes());
        }
        let mut last = 0;
        for found in Walk::new(&page) {
            prop_assert!(found.offset >= last && found.offset + found.size() <= page.len());
            last = found.payload + found.len;
        }
    }
}

#[test]
fn an_event_has_the_time_that_was_read_before_it_unless_another_has_a_later_one() {
    let temporary = TemporaryBuffer::new(64, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let write = |ticks: u64| {
        let mut record = RecordBuffer::<4>::new();
        record.push(ticks);
        writer.write_read(thread(false), record.event(), ticks).unwrap();
    };
    let start = ticks();
    for _ in 0..100 {
        write(ticks());
        write(start);
    }
    let mut page = vec![0; 4096];
    let mut times = Vec::new();
    for block in 0..buffer.geometry().blocks() {
        while let Some(taken) = buffer.consume(block, &mut page) {
            times.extend(Walk::new(&page[..taken.len]).map(|event| {
                let given = u64::from_le_bytes(*page[event.payload..].first_chunk().unwrap());
                (block, given, event.time)
            }));
        }
    }
    assert_eq!(times.len(), 200);
    assert!(times.is_sorted_by(|one, two| one.0 < two.0 || one.2 <= two.2), "times never decrease");
    assert!(times.iter().all(|(_, given, time)| time >= given));
    // A thread that lost its CPU in between, or began a page, has read the clock again.
    let exact = |given: u64| times.iter().filter(|time| time.1 == given && time.2 == given).count();
    assert_eq!(exact(start), 0, "others have been written");
    let given = times.iter().filter(|(_, given, time)| *given != start && time == given).count();
    assert!(given > 50, "{given} of 100");
}
