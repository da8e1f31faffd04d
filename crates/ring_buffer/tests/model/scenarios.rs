//! The scenarios: small enough that every order of their steps can be gone through.
//!
//! Two pages are the fewest that a ring can have, and laps are shortest with one event in each.
//!
//! Each line: the buffer, what has happened before, who is there, what may happen to them. The short
//! ones are gone through at each run of the tests; the long ones only with `--include-ignored`.

use crate::controller::Request::{Clear, ClearBlock, DisableBlock, Discard, Overwrite, Snapshot, Tracing};
use crate::scenario::Before::{Asked, Consumed, Waited, Wrote};
use crate::scenario::writer_of;
use crate::scenario::{Scenario, consumer, controller, lane_writer, reader, statistics, writer};
use crate::setting::Setting;
use crate::state::Limits;

/// Two events in each of two pages.
pub const SMALL: Setting = Setting::SMALL;
/// One event in each page.
pub const TINY: Setting = Setting { capacity: 2, ..SMALL };
pub const THREE_PAGES: Setting = Setting { pages: 3, ..TINY };
/// Nothing is overwritten.
const FULL: Setting = Setting { overwrite: false, never_overwrites: true, ..TINY };
pub const LANE: Setting = Setting { is_lane: true, ..SMALL };
/// Stores are seen late.
pub const QUEUED: Setting = Setting { store_queue: 2, ..TINY };

pub const CALM: Limits = Limits { aborts: 0, kills: 0, jumps: 0, ticks: &[] };
pub const ABORT: Limits = Limits { aborts: 1, ..CALM };
const ABORTS: Limits = Limits { aborts: 2, ..CALM };
pub const KILL: Limits = Limits { kills: 1, ..CALM };

/// A table of scenarios, and a test for each.
macro_rules! scenarios {
    ($table:ident, $tests:ident, $check:path:
        $($(#[$about:meta])* $name:ident: $setting:expr, $before:expr, $actors:expr, $limits:expr;)*
    ) => {
        pub const $table: &[Scenario] = &[$(Scenario {
            name: stringify!($name),
            setting: $setting,
            before: &$before,
            actors: &$actors,
            limits: $limits,
        }),*];

        mod $tests {
            $($(#[$about])* #[test] fn $name() { $check(super::$table, stringify!($name)); })*
        }
    };
}

pub(crate) use scenarios;

scenarios! { SHORT, holds, crate::assert_holds:
    /// The first writers of a new buffer adopt its first generation.
    first_writers: SMALL, [], [writer(1), writer(1)], Limits { ticks: &[1], ..ABORTS };

    /// Two writers want the next page at once.
    next_page: SMALL, [Wrote(2)], [writer(2), writer(1)], Limits { ticks: &[1], ..ABORTS };

    /// A small event still fits the page that a large one has begun to leave.
    sizes: Setting { capacity: 6, ..SMALL }, [Wrote(2)],
        [writer_of(1, 1), writer_of(2, 0)], ABORTS;

    /// A writer looks while another goes once around, to where the tail was (R4, R7).
    lap: TINY, [Wrote(1)], [writer(1), writer(3)], Limits { ticks: &[1], ..ABORT };

    /// A writer looks while another goes once around and adopts a change.
    lap_adopting: TINY, [Wrote(1)], [writer(1), writer(2), controller(&[Clear])], ABORT;

    /// Two writers want a time extend at once.
    gap: SMALL, [Wrote(1)], [writer(1), writer(1)], Limits { ticks: &[5, 1], ..ABORT };

    /// A lap with a time extend at its end.
    lap_gap: Setting { capacity: 3, ..SMALL }, [Wrote(1)],
        [writer(1), writer(3)], Limits { ticks: &[5], ..ABORT };

    /// Two writers adopt a clear.
    clear: SMALL, [Wrote(1)], [writer(1), writer(1), controller(&[Clear])], ABORTS;

    /// Two clears, one after the other.
    clear_twice: SMALL, [Wrote(3)], [writer(1), writer(1), controller(&[Clear, Clear])], ABORT;

    /// The tail goes to another ring; the one that it has left is kept.
    switch: SMALL, [Wrote(3)],
        [writer(2), writer(1), controller(&[Snapshot])], ABORT;

    /// It goes there and back.
    switch_and_back: TINY, [Wrote(1)],
        [writer(1), writer(1), controller(&[Snapshot, Discard(0, 0), Snapshot])], ABORT;

    /// Recording goes off and on: the control word comes back, and nothing else has changed.
    off_and_on: TINY, [Wrote(2)],
        [writer(2), writer(1), controller(&[Tracing(false), Tracing(true)])], ABORT;

    /// Two who ask at once.
    two_controllers: SMALL, [Wrote(1)],
        [writer(2), controller(&[Clear, Tracing(false)]), controller(&[Clear, Tracing(true)])], CALM;

    /// A block is disabled under writers.
    disable_block: TINY, [Wrote(1)], [writer(2), writer(1), controller(&[DisableBlock])], ABORT;

    /// A writer is killed in the middle of whatever it does, and others go on.
    killed: TINY, [Wrote(2)], [writer(1), writer(1), reader(1)], KILL;

    /// A consumer in a ring that is overwritten.
    consume_overwritten: Setting { capacity: 4, ..SMALL }, [Wrote(3)],
        [writer(5), consumer(2)], CALM;

    /// A consumer is overtaken in a ring of three pages.
    consume_three_pages: THREE_PAGES, [Wrote(3)], [writer(4), consumer(2)], CALM;

    /// Sections are cut off and done again while someone consumes.
    consume_aborted: TINY, [Wrote(2)], [writer(1), writer(1), consumer(1)], ABORT;

    /// Each event goes to one of two consumers (R8).
    two_consumers: SMALL, [Wrote(3)], [writer(1), consumer(2), consumer(2)], CALM;

    /// A reader that does not consume, in a ring that is overwritten.
    read_overwritten: TINY, [Wrote(2)], [writer(4), reader(3)], CALM;

    /// A reader in a ring of three pages that is overwritten, with two events in each.
    read_three_pages: Setting { capacity: 5, ..THREE_PAGES }, [Wrote(5)], [writer(4), reader(2)], CALM;

    /// Time extends are read along.
    read_gaps: SMALL, [Wrote(1), Waited(5)], [writer(3), reader(2)], Limits { ticks: &[5], ..CALM };

    /// A page has a time extend and no event: a larger one came that did not fit after it.
    empty_page: Setting { capacity: 3, ..SMALL }, [Wrote(1)],
        [writer_of(1, 1), writer(1)], Limits { ticks: &[5], ..ABORT };

    /// Events from before a clear are out of sight at once, for a consumer (R3, R8).
    consume_cleared: SMALL, [Wrote(2), Consumed(1), Wrote(1)],
        [writer(2), consumer(3), controller(&[Clear])], CALM;

    /// A ring is cleared under two consumers.
    two_consume_cleared: SMALL, [Wrote(1)],
        [writer(1), consumer(1), consumer(1), controller(&[Clear])], CALM;

    /// A ring is cleared under a reader that does not consume.
    read_cleared: SMALL, [Wrote(1)], [writer(2), reader(2), controller(&[Clear])], ABORT;

    /// A switch under a consumer.
    consume_switched: SMALL, [Wrote(2)],
        [writer(2), consumer(3), controller(&[Snapshot])], CALM;

    /// A switch, and one back to the ring that a slow consumer may still be in.
    consume_switched_back: TINY, [Wrote(2)],
        [writer(2), consumer(1), controller(&[Snapshot, Discard(0, 0), Snapshot])], CALM;

    /// Statistics next to a writer.
    count_written: TINY, [Wrote(2)], [writer(4), statistics(1)], CALM;

    /// Statistics next to a consumer.
    count_consumed: SMALL, [Wrote(4)], [writer(1), consumer(1), statistics(1)], CALM;

    /// Statistics next to a clear.
    count_cleared: SMALL, [Wrote(2), Consumed(1), Wrote(1)],
        [writer(1), controller(&[Clear]), statistics(1)], CALM;

    /// A full ring refuses events until a consumer has made space.
    full: FULL, [Wrote(2)], [writer(3), consumer(3)], CALM;

    /// A full ring refuses the events of two writers.
    full_writers: Setting { capacity: 4, ..FULL }, [Wrote(3)],
        [writer(1), writer(1), consumer(2)], ABORT;

    /// A full ring of three pages.
    full_three_pages: Setting { pages: 3, ..FULL }, [Wrote(3)], [writer(4), consumer(4)], CALM;

    /// A full ring is cleared.
    full_cleared: FULL, [Wrote(2)], [writer(2), consumer(1), controller(&[Clear])], ABORT;

    /// The mode is changed under a writer and a consumer.
    overwrite_on_and_off: Setting { overwrite: false, ..TINY }, [Wrote(2)],
        [writer(2), consumer(1), controller(&[Overwrite(true), Overwrite(false)])], CALM;

    /// Owners of a lane are killed anywhere; others take it over (R9).
    lane: LANE, [], [lane_writer(1), lane_writer(1), lane_writer(1)], Limits { kills: 2, ..CALM };

    /// Owners of a lane are killed over a lap, and someone reads.
    lane_lap: Setting { is_lane: true, ..TINY }, [Wrote(2)],
        [lane_writer(2), lane_writer(1), reader(1)], KILL;

    /// A write to a lane is left anywhere; the thread's next one takes the lane back, others are killed (R9).
    lane_left: LANE, [], [lane_writer(3), lane_writer(1)], Limits { jumps: 2, ..KILL };

    /// A write to a lane is left over a lap, and someone reads.
    lane_left_lap: Setting { is_lane: true, ..TINY }, [Wrote(2)],
        [lane_writer(3), reader(1)], Limits { jumps: 2, ..CALM };

    /// A lane is cleared.
    lane_cleared: LANE, [Wrote(3)],
        [lane_writer(2), lane_writer(1), controller(&[Clear])], KILL;

    /// The writer's stores are seen late, by a consumer.
    queued: QUEUED, [Wrote(2)], [writer(3), consumer(2)], CALM;

    /// The writer's stores are seen late, and the ring is cleared.
    queued_cleared: Setting { capacity: 4, ..QUEUED }, [Wrote(1)],
        [writer(2), reader(1), controller(&[Clear])], CALM;

    /// Both kinds of readers at once.
    writer_and_readers: TINY, [Wrote(2)], [writer(1), consumer(1), reader(1)], CALM;
}

scenarios! { LONG, holds_long, crate::assert_holds:
    #[ignore = "takes long"]
    three_writers: TINY, [Wrote(1)], [writer(2), writer(2), writer(1)], ABORTS;
    #[ignore = "takes long"]
    next_page_aborted: TINY, [Wrote(1)], [writer(3), writer(2)], Limits { aborts: 3, ticks: &[1, 1], ..CALM };
    #[ignore = "takes long"]
    lap_aborted: TINY, [Wrote(1)], [writer(2), writer(4)], Limits { aborts: 2, ticks: &[1], ..CALM };
    #[ignore = "takes long"]
    lap_gap_aborted: Setting { capacity: 3, ..SMALL }, [Wrote(1)],
        [writer(2), writer(3)], Limits { aborts: 2, ticks: &[5], ..CALM };
    #[ignore = "takes long"]
    clear_aborted: SMALL, [Wrote(3)], [writer(2), writer(1), controller(&[Clear, Clear])], ABORTS;
    #[ignore = "takes long"]
    switch_aborted: TINY, [Wrote(1)],
        [writer(2), writer(1), controller(&[Snapshot, Discard(0, 0), Snapshot])], ABORT;
    #[ignore = "takes long"]
    killed_and_consumed: TINY, [Wrote(1)], [writer(2), writer(2), consumer(2)], KILL;
    #[ignore = "takes long"]
    consume_aborted_twice: TINY, [Wrote(2)], [writer(2), writer(1), consumer(2)], ABORT;
    #[ignore = "takes long"]
    consume_switched_back_and_on: TINY, [Wrote(2)],
        [writer(3), consumer(2), controller(&[Snapshot, Discard(0, 0), Snapshot])], CALM;
    #[ignore = "takes long"]
    read_switched_back_and_on: TINY, [Wrote(2)],
        [writer(3), reader(2), controller(&[Snapshot, Discard(0, 0), Snapshot])], CALM;
    #[ignore = "takes long"]
    read_gaps_and_laps: SMALL, [Waited(5), Wrote(1)],
        [writer_of(3, 0b111), reader(3)], Limits { ticks: &[5, 5], ..CALM };
    #[ignore = "takes long"]
    full_aborted: Setting { capacity: 4, ..FULL }, [Wrote(3)],
        [writer(2), writer(1), consumer(2)], ABORT;
    #[ignore = "takes long"]
    lane_lap_and_consumer: Setting { is_lane: true, ..TINY }, [Wrote(2)],
        [lane_writer(2), lane_writer(2), consumer(2)], KILL;
    #[ignore = "takes long"]
    read_cleared_twice: SMALL, [Wrote(1), Asked(&[Clear]), Wrote(1)],
        [writer(2), reader(2), controller(&[Clear, Clear])], CALM;
    #[ignore = "takes long"]
    queued_writers: Setting { store_queue: 1, ..QUEUED }, [Wrote(2)],
        [writer(1), writer(1), reader(1)], ABORT;
    #[ignore = "takes long"]
    queued_laps: QUEUED, [Wrote(2)], [writer(2), writer(1), reader(1)], ABORT;
    #[ignore = "takes long"]
    count_everything: TINY, [Wrote(2)], [writer(2), consumer(1), statistics(1)], CALM;
}

// Larger ones, of which only some orders are gone through.
scenarios! { WALKS, walks, crate::assert_walks_hold:
    /// Everything that can happen to a CPU's block.
    cpu: Setting { pages: 3, capacity: 6, ..SMALL }, [Wrote(1)],
        [
            writer_of(10, 0b10_0100_1001),
            writer(10),
            consumer(8),
            reader(8),
            controller(&[
                Clear,
                Snapshot,
                Tracing(false),
                Tracing(true),
                Discard(0, 1),
                Snapshot,
                ClearBlock,
                Clear,
                Discard(1, 2),
                Snapshot,
            ]),
        ],
        Limits { aborts: 12, kills: 1, ticks: &[1, 1, 5, 1, 2, 7, 1, 3, 5, 1], ..CALM };

    /// Everything at once on a CPU where laps are short and stores are seen late.
    cpu_queued: Setting { store_queue: 3, ..TINY }, [Wrote(2)],
        [writer(10), writer(9), consumer(9), reader(9), controller(&[Clear, Clear])],
        Limits { aborts: 8, ticks: &[1, 5, 1, 1], ..CALM };

    /// Writers, more of them.
    writers: Setting { capacity: 3, ..SMALL }, [Wrote(1)],
        [writer(8), writer_of(8, 0b01_0101), writer(8), statistics(8), controller(&[Clear])],
        Limits { aborts: 20, kills: 2, ticks: &[5, 1, 5, 1, 5], ..CALM };

    /// A full ring with consumers.
    full_ring: Setting { pages: 3, ..FULL }, [Wrote(3)],
        [
            writer(10),
            writer(10),
            consumer(9),
            consumer(9),
            controller(&[Clear, Tracing(false), Tracing(true)])
        ],
        Limits { aborts: 8, ticks: &[1, 5, 1], ..CALM };

    /// A lane whose owners are killed.
    lane_owners: LANE, [],
        [lane_writer(8), lane_writer(8), lane_writer(8), consumer(9), controller(&[Clear, Overwrite(false)])],
        Limits { kills: 2, jumps: 2, ticks: &[1, 5, 1, 7], ..CALM };
}
