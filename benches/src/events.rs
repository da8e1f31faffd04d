//! Events of a program, and loops that record them.

use crate::site::BenchSite;
use core::hint::black_box;
use events::{EventField, EventType, FieldKind};
use ring_buffer::RecordBuffer;

/// The only field of most of them.
const VALUE: EventField = EventField { name: "value", kind: FieldKind::U64 };

const fn event(name: &'static str, fields: &'static [EventField]) -> EventType {
    EventType { id: 0, system: "bench", name, class: None, fields, print: None }
}

static NUMBER: EventType = event("number", &[VALUE]);

static TEXT: EventType = event(
    "text",
    &[
        VALUE,
        EventField { name: "status", kind: FieldKind::U32 },
        EventField { name: "path", kind: FieldKind::Text },
    ],
);

static DISABLED: EventType = event("disabled", &[VALUE]);
static REFUSED: EventType = event("refused", &[VALUE]);
static REFUSED_BY_TWO: EventType = event("refused_by_two", &[VALUE]);
static PASSED: EventType = event("passed", &[VALUE]);
static SHARED: EventType = event("shared", &[VALUE]);
static KEPT: EventType = event("kept", &[VALUE]);

/// Events whose stacks are recorded, as many bytes as their names say.
static STACKS: [EventType; 3] =
    [event("stack_928", &[VALUE]), event("stack_1920", &[VALUE]), event("stack_3968", &[VALUE])];

static STACK_SITES: [BenchSite; 3] = {
    let [small, half, whole] = &STACKS;
    [BenchSite::new(small), BenchSite::new(half), BenchSite::new(whole)]
};

static NUMBER_SITE: BenchSite = BenchSite::new(&NUMBER);
static TEXT_SITE: BenchSite = BenchSite::new(&TEXT);
static DISABLED_SITE: BenchSite = BenchSite::new(&DISABLED);
static REFUSED_SITE: BenchSite = BenchSite::new(&REFUSED);
static REFUSED_BY_TWO_SITE: BenchSite = BenchSite::new(&REFUSED_BY_TWO);
static PASSED_SITE: BenchSite = BenchSite::new(&PASSED);
static SHARED_SITE: BenchSite = BenchSite::new(&SHARED);
static KEPT_SITE: BenchSite = BenchSite::new(&KEPT);

/// 12 bytes.
const PATH: &[u8; 12] = b"/etc/hosts.1";

/// Enters the events into the session that this process is attached to.
pub fn register() -> Result<(), String> {
    let sites = [
        &NUMBER_SITE,
        &TEXT_SITE,
        &DISABLED_SITE,
        &REFUSED_SITE,
        &REFUSED_BY_TWO_SITE,
        &PASSED_SITE,
        &SHARED_SITE,
        &KEPT_SITE,
    ];
    let registered = sites.into_iter().chain(&STACK_SITES).all(BenchSite::register);
    if registered { Ok(()) } else { Err("no space for the events".to_string()) }
}

/// Records so many events with one number.
pub fn record_numbers(count: u64) {
    for value in 0..count {
        record_number(&NUMBER_SITE, black_box(value));
    }
}

/// Writes `count` events whose filter rejects all.
pub fn record_refused(count: u64) {
    for value in 0..count {
        record_number(&REFUSED_SITE, black_box(value));
    }
}

/// Writes `count` events whose filter rejects all by two comparisons.
pub fn record_refused_by_two(count: u64) {
    for value in 0..count {
        record_number(&REFUSED_BY_TWO_SITE, black_box(value));
    }
}

/// Writes `count` events whose filter accepts all.
pub fn record_passed(count: u64) {
    for value in 0..count {
        record_number(&PASSED_SITE, black_box(value));
    }
}

/// Writes `count` events that are enabled in two instances.
pub fn record_shared(count: u64) {
    for value in 0..count {
        record_number(&SHARED_SITE, black_box(value));
    }
}

/// Writes `count` events, each with a stack slice of `SIZE` bytes after it.
pub fn record_with_stack<const SIZE: usize>(count: u64) {
    for value in 0..count {
        record_number(&STACK_SITES[SIZE], black_box(value));
    }
}

/// Writes `count` events that have a trigger.
pub fn record_kept(count: u64) {
    for value in 0..count {
        record_number(&KEPT_SITE, black_box(value));
    }
}

#[inline(always)]
fn record_number(site: &BenchSite, value: u64) {
    if let Some(entered) = site.enter() {
        let mut record = RecordBuffer::<4>::new();
        record.push(entered.common(site.id()));
        record.push(value);
        entered.write(record.event());
    }
}

/// Records so many events with two numbers and a text.
pub fn record_texts(count: u64) {
    for value in 0..count {
        record_text(black_box(value), black_box(value as u32), black_box(PATH));
    }
}

#[inline(always)]
fn record_text(value: u64, status: u32, path: &[u8]) {
    const PLACE: u32 = TEXT.fixed_size() as u32;
    if let Some(entered) = TEXT_SITE.enter() {
        let mut record = RecordBuffer::<32>::new();
        record.push(entered.common(TEXT_SITE.id()));
        record.push(value);
        record.push_half(status);
        record.push_half((path.len() as u32 + 1) << 16 | PLACE);
        // SAFETY: the bytes of a slice.
        unsafe { record.push_text(path.as_ptr(), path.len()) };
        entered.write(record.event());
    }
}

/// Reads the time stamp counter so many times.
pub fn read_tsc(count: u64) {
    for _ in 0..count {
        // SAFETY: every x86-64 processor has the counter.
        black_box(unsafe { core::arch::x86_64::_rdtsc() });
    }
}

/// A loop with some work in it, and an event that is off.
pub fn work_with_disabled_event(count: u64) {
    let mut state = black_box(1);
    for _ in 0..count {
        state = step(state);
        record_number(&DISABLED_SITE, state);
    }
    black_box(state);
}

/// The loop of `record`, without the event.
pub fn work(count: u64) {
    let mut state = black_box(1);
    for _ in 0..count {
        state = step(state);
    }
    black_box(state);
}

/// Nothing but events that are off, so many in a row that the loop around them hardly counts.
pub fn disabled_events(count: u64) {
    for value in 0..count / 16 {
        record_four_disabled(black_box(value));
        record_four_disabled(value);
        record_four_disabled(value);
        record_four_disabled(value);
    }
}

#[inline(always)]
fn record_four_disabled(value: u64) {
    record_number(&DISABLED_SITE, value);
    record_number(&DISABLED_SITE, value);
    record_number(&DISABLED_SITE, value);
    record_number(&DISABLED_SITE, value);
}

/// Some 2 ns of work that no iteration can begin before the one before has ended.
#[inline(always)]
fn step(state: u64) -> u64 {
    let state = state ^ state << 13;
    let state = state ^ state >> 7;
    state ^ state << 17
}
