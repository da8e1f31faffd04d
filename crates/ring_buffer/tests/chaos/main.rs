//! Several processes, threads, signal handlers that record, forced migrations and SIGKILL at random
//! instants, while a reader consumes, which is killed as well in one scenario: no event torn, none out of
//! order, none unaccounted for.
//!
//! Each scenario forks, so there is no test harness with its threads around it: `main` runs them one by
//! one. `cargo test --test chaos -- NAME` runs those whose name contains NAME.

mod consumers;
mod event;
mod reader;
mod snapshots;
mod writers;

use consumers::Consumers;
use reader::Verdict;
use ring_buffer::{Buffer, Clock, Specification};
use snapshots::Keeper;
use std::ffi::CString;
use writers::{Crew, Mapping, Route, Written};

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let scenarios: [(&str, fn()); 9] = [
        ("every_event_arrives_once", every_event_arrives_once),
        ("overwriting_loses_whole_pages_and_counts_them", overwriting_counts_what_it_loses),
        ("killed_writers_leave_nothing", killed_writers_leave_nothing),
        ("lanes_keep_the_same_promises", lanes_keep_the_same_promises),
        ("killed_lane_owners_are_replaced", killed_lane_owners_are_replaced),
        ("killed_consumers_lose_nothing", killed_consumers_lose_nothing),
        ("snapshots_keep_everything", snapshots_keep_everything),
        ("snapshots_next_to_killed_lane_owners", snapshots_next_to_killed_lane_owners),
        ("without_the_section_it_fails", without_the_section_it_fails),
    ];
    for (name, scenario) in scenarios {
        if filter.as_deref().is_none_or(|filter| name.contains(filter)) {
            eprint!("chaos {name} ... ");
            scenario();
            eprintln!("ok");
        }
    }
}

/// How many writers are killed in each scenario that kills: 200, or as many as the environment says.
fn kills() -> u64 {
    std::env::var("LOOKBACK_CHAOS_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(200)
}

/// A buffer file with a path of its own, which is gone when the scenario ends.
struct TemporaryBuffer {
    path: CString,
    mapped_size: u64,
}

impl TemporaryBuffer {
    fn new(name: &str, pages: u32, rings: u32, overwrite: bool) -> TemporaryBuffer {
        let path = format!("/dev/shm/lookback-chaos-{name}-{}", std::process::id());
        let path = CString::new(path).expect("no zero byte");
        let cpus = vec![true; std::thread::available_parallelism().map_or(2, usize::from)];
        let wanted = Specification {
            page_size: 4096,
            pages,
            most_pages: 2 * pages,
            cpus: &cpus,
            lanes: 4,
            rings,
            clock: Clock::Tsc,
            overwrite,
            identity: 1,
        };
        let size = wanted.file_size().expect("a good specification") as usize;
        let reserved = wanted.reserved().expect("a good specification");
        let segment =
            shm::create_sparse(&path, size, std::iter::once(reserved)).expect("memory for the buffer");
        Buffer::create(segment, &wanted).expect("a segment of the right size");
        TemporaryBuffer { path, mapped_size: wanted.mapped_size().expect("a good specification") }
    }

    fn open(&self) -> Buffer {
        self.map(Mapping::All)
    }

    fn map(&self, mapping: Mapping) -> Buffer {
        let file = shm::File::open(&self.path).expect("it was created");
        let end = if mapping == Mapping::All { file.status().len } else { self.mapped_size };
        Buffer::new(file.map(0..end).expect("it is so large")).expect("a buffer")
    }
}

impl Drop for TemporaryBuffer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().expect("ASCII"));
    }
}

/// Runs a crew on a buffer while a reader consumes, until the crew is done.
fn run(name: &str, pages: u32, crew: &Crew) -> (Verdict, Buffer) {
    let temporary = TemporaryBuffer::new(name, pages, 1, crew.overwrite);
    let buffer = temporary.open();
    let running = crew.start(|mapping| temporary.map(mapping));
    let mut reader = reader::Reader::new(&buffer);
    while running.tend(true) {
        reader.drain();
    }
    while reader.drain() {}
    (reader.verdict(running.written()), buffer)
}

/// Producer/consumer mode with space for everything that the reader has not taken yet. What it did not
/// keep up with was refused and is counted; everything else arrives exactly once.
fn every_event_arrives_once() {
    let crew = Crew { overwrite: false, ..Crew::default() };
    let (verdict, buffer) = run("once", 8192, &crew);
    verdict.assert_clean();
    verdict.assert_accounted(&buffer);
    assert_eq!(verdict.duplicates, 0, "an event was read twice");
    assert_eq!(verdict.events, verdict.written.committed, "every committed event is read");
    assert!(verdict.handler_events > 0, "signal handlers recorded");
}

fn overwriting_counts_what_it_loses() {
    let (verdict, buffer) = run("overwrite", 4, &Crew::default());
    verdict.assert_clean();
    verdict.assert_accounted(&buffer);
    assert!(verdict.lost > 0, "four pages are overwritten");
}

fn killed_writers_leave_nothing() {
    let crew = Crew { kills: kills(), ..Crew::default() };
    let (verdict, buffer) = run("kill", 64, &crew);
    verdict.assert_clean();
    verdict.assert_accounted(&buffer);
}

fn lanes_keep_the_same_promises() {
    let crew = Crew { route: Route::Lanes, ..Crew::default() };
    let (verdict, buffer) = run("lanes", 256, &crew);
    verdict.assert_clean();
    verdict.assert_accounted(&buffer);
    assert!(verdict.events > 1000 && verdict.handler_events > 0);
}

fn killed_lane_owners_are_replaced() {
    let crew = Crew { route: Route::Lanes, kills: kills(), ..Crew::default() };
    let (verdict, buffer) = run("lane-kill", 256, &crew);
    verdict.assert_clean();
    verdict.assert_accounted(&buffer);
    // A kill in the middle of a write leaves a lane with a dead owner. The end shows that it does not
    // stay so: a last writer finds a lane although four owners at least have died.
    assert!(writers::write_one_to_a_lane(buffer), "every lane is stuck with a dead owner");
}

/// Consumers that look first and say then how far they have come are killed, and writers, too: every event
/// was had by one that then said so, or is counted as overwritten.
fn killed_consumers_lose_nothing() {
    for route in [Route::Cpus, Route::Lanes] {
        let crew = Crew { kills: kills(), route, ..Crew::default() };
        let temporary = TemporaryBuffer::new("consumers", 16, 1, crew.overwrite);
        let buffer = temporary.open();
        let mut consumers = Consumers::start(&buffer);
        let running = crew.start(|mapping| temporary.map(mapping));
        while running.tend(consumers.kills >= kills()) {
            consumers.tend();
        }
        let (had, lost) = consumers.finish();
        let Written { committed, attempted } = running.written();
        assert!(
            (committed..=attempted).contains(&(had + lost)),
            "{had} had, {lost} lost, {committed} counted"
        );
        assert!(had > 0 && lost > 0, "{had} had, {lost} lost");
    }
}

/// Writers are killed while snapshots are taken, read to their end and dropped, and the buffer is resized.
/// Every event is in one of them, or in what is live in the end, or overrun in one of them.
fn snapshots_keep_everything() {
    keep_everything("snapshots", &Crew { kills: kills(), ..Crew::default() });
}

fn snapshots_next_to_killed_lane_owners() {
    keep_everything("lane-snapshots", &Crew { route: Route::Lanes, kills: kills(), ..Crew::default() });
}

fn keep_everything(name: &str, crew: &Crew) {
    let temporary = TemporaryBuffer::new(name, 32, 4, crew.overwrite);
    let buffer = temporary.open();
    let running = crew.start(|mapping| temporary.map(mapping));
    let mut reader = reader::Reader::new(&buffer);
    let mut keeper = Keeper::new(&buffer, &temporary.path);
    while running.tend(keeper.done.is_enough()) {
        keeper.go_on(&mut reader);
    }
    let done = keeper.finish(&mut reader);
    let verdict = reader.verdict(running.written());
    verdict.assert_clean();
    assert!(done.is_enough(), "{done:?}");
    assert_eq!(done.written, verdict.events + done.overrun, "{done:?} {verdict:?}");
    let (least, most) = (verdict.written.committed, verdict.written.attempted);
    assert!((least..=most).contains(&done.written), "{done:?}, {least} to {most} counted");
}

/// The negative control: the same code with sections that the kernel knows nothing of.
fn without_the_section_it_fails() {
    let crew = Crew { route: Route::Unarmed, ..Crew::default() };
    let (verdict, _) = run("unarmed", 64, &crew);
    assert!(verdict.torn + verdict.disordered > 0, "the checks see no races");
}
