//! Scenarios of consumers that look at events where they lie.

use crate::controller::Request::{Clear, Discard, Snapshot};
use crate::scenario::Before::{Consumed, Waited, Wrote};
use crate::scenario::{Scenario, consumer, controller, lane_writer, placed, statistics, writer, writer_of};
use crate::scenarios::{ABORT, CALM, KILL, LANE, QUEUED, SMALL, THREE_PAGES, TINY, scenarios};
use crate::setting::Setting;
use crate::state::Limits;

/// Nothing is overwritten.
const FULL: Setting = Setting { overwrite: false, never_overwrites: true, ..TINY };

scenarios! { PLACED, holds, crate::assert_holds:
    /// What is looked at is overwritten meanwhile.
    placed_overwritten: TINY, [Wrote(2)], [writer(3), placed(2, 2)], CALM;

    /// So it is in pages of two events.
    placed_pages: SMALL, [Wrote(3)], [writer(4), placed(2, 3)], CALM;

    /// It is killed anywhere, and another one begins.
    placed_killed: TINY, [Wrote(2)], [writer(2), placed(2, 2)], Limits { kills: 2, ..CALM };

    /// So it is where events are added to the page that it is in.
    placed_killed_in_page: SMALL, [Wrote(1)], [writer(3), placed(3, 1)], Limits { kills: 2, ..CALM };

    /// Somebody else consumes.
    placed_and_consumer: SMALL, [Wrote(3)], [writer(1), consumer(2), placed(2, 2)], KILL;

    /// Two of them at once.
    two_placed: SMALL, [Wrote(3)], [placed(2, 2), placed(2, 1)], KILL;

    /// The ring is cleared under it.
    placed_cleared: SMALL, [Wrote(2), Consumed(1), Wrote(1)],
        [writer(2), placed(2, 2), controller(&[Clear])], CALM;

    /// Time extends are read along.
    placed_gaps: SMALL, [Wrote(1), Waited(5)], [writer(3), placed(2, 2)], Limits { ticks: &[5], ..CALM };

    /// It makes space in a full ring, and is killed.
    placed_full: FULL, [Wrote(2)], [writer(3), placed(3, 1)], KILL;

    /// Owners of a lane are killed, and so is who consumes.
    placed_lane: LANE, [Wrote(2)], [lane_writer(2), lane_writer(1), placed(1, 2)], KILL;

    /// The accounts, next to it.
    placed_counted: SMALL, [Wrote(4)], [writer(1), placed(1, 3), statistics(1)], CALM;
}

scenarios! { PLACED_LONG, holds_long, crate::assert_holds:
    /// And in a ring of three pages.
    #[ignore = "takes long"]
    placed_three_pages: THREE_PAGES, [Wrote(3)], [writer(4), placed(2, 2)], CALM;

    /// Writers are cut off meanwhile.
    #[ignore = "takes long"]
    placed_aborted: TINY, [Wrote(2)], [writer(1), writer(1), placed(1, 2)], ABORT;

    /// A snapshot takes what it looks at.
    #[ignore = "takes long"]
    placed_switched: TINY, [Wrote(2)], [writer(2), placed(2, 2), controller(&[Snapshot])], CALM;

    /// The block goes there and back.
    #[ignore = "takes long"]
    placed_switched_back: TINY, [Wrote(2)],
        [writer(2), placed(1, 2), controller(&[Snapshot, Discard(0, 0), Snapshot])], CALM;

    /// A page has a time extend and no event.
    #[ignore = "takes long"]
    placed_empty_page: Setting { capacity: 3, ..SMALL }, [Wrote(1)],
        [writer_of(1, 1), writer(1), placed(1, 2)], Limits { ticks: &[5], ..CALM };

    /// The writer's stores are seen late.
    #[ignore = "takes long"]
    placed_queued: QUEUED, [Wrote(2)], [writer(3), placed(2, 2)], CALM;
}

scenarios! { PLACED_WALKS, walks, crate::assert_walks_hold:
    /// Everything at once on a CPU, with consumers that are killed.
    placed_cpu: Setting { pages: 3, capacity: 6, ..SMALL }, [Wrote(1)],
        [
            writer_of(10, 0b10_0100_1001),
            writer(10),
            placed(12, 3),
            placed(12, 2),
            controller(&[Clear, Snapshot, Clear, Discard(0, 2), Snapshot]),
        ],
        Limits { aborts: 12, kills: 6, ticks: &[1, 1, 5, 1, 2, 7, 1, 3, 5, 1], ..CALM };
}
