//! The scenarios of snapshots, holds and memory, as in [`crate::scenarios`].

use crate::controller::Request::{Clear, ClearBlock, Discard, Release, Snapshot};
use crate::scenario::Before::{Asked, Wrote};
use crate::scenario::{Scenario, controller, keeper, lane_writer, reader, writer};
use crate::scenarios::{ABORT, CALM, KILL, LANE, QUEUED, SMALL, TINY, scenarios};
use crate::setting::Setting;
use crate::state::Limits;

scenarios! { POOL, holds, crate::assert_holds:
    /// A block alone is emptied.
    clear_block: SMALL, [Wrote(1)], [writer(2), writer(1), controller(&[ClearBlock])], ABORT;

    /// Events from before that are out of sight at once.
    read_cleared_block: SMALL, [Wrote(2)], [writer(2), reader(2), controller(&[ClearBlock])], CALM;

    /// A block is emptied while somebody takes a snapshot.
    clear_block_and_snapshot: TINY, [Wrote(1)],
        [writer(2), controller(&[ClearBlock]), controller(&[Snapshot])], CALM;

    /// Two who want a snapshot, and there is one ring.
    two_snapshots: TINY, [Wrote(1)], [writer(1), controller(&[Snapshot]), controller(&[Snapshot])], CALM;

    /// Two snapshots at once with two spare rings, and time passes.
    two_snapshots_in_two_rings: Setting { spares: 2, ..TINY }, [Wrote(1)],
        [writer(1), controller(&[Snapshot]), controller(&[Snapshot])], Limits { ticks: &[1, 1], ..CALM };

    /// A snapshot is taken by one and cleared away by another.
    snapshot_and_clear: TINY, [Wrote(1)],
        [writer(2), controller(&[Snapshot]), controller(&[Clear])], CALM;

    /// A snapshot is held and read while writers leave its ring.
    keep: TINY, [Wrote(2), Asked(&[Snapshot])], [writer(2), keeper(false)], CALM;

    /// It is dropped after that, and the next takes its ring.
    keep_and_discard: TINY, [Wrote(2), Asked(&[Snapshot]), Wrote(1)],
        [writer(1), keeper(true), controller(&[Snapshot])], CALM;

    /// Somebody wants to drop what another holds.
    discard_held: TINY, [Wrote(1), Asked(&[Snapshot])],
        [writer(1), keeper(false), controller(&[Discard(0, 0), Snapshot])], CALM;

    /// Two hold it, both want to give it up, one may be killed over it.
    two_keepers: TINY, [Wrote(1), Asked(&[Snapshot])],
        [keeper(true), keeper(true), controller(&[Snapshot])], KILL;

    /// A reader looks for snapshots while one is taken, or not.
    keep_what_is_taken: TINY, [Wrote(1)],
        [writer(1), keeper(false), controller(&[Snapshot]), controller(&[Clear])], CALM;

    /// A spare ring loses its memory while somebody wants it.
    release: TINY, [Wrote(1)], [writer(2), controller(&[Release(1)]), controller(&[Snapshot])], CALM;

    /// Two snapshots are taken before that is done: the ring is not live any more, it holds the second.
    release_kept: Setting { spares: 2, ..TINY }, [Wrote(1)],
        [controller(&[Release(1)]), controller(&[Snapshot, Snapshot])], CALM;

    /// The ring of a snapshot that was dropped loses its memory, with a writer still on its way there.
    release_used: Setting { spares: 2, ..TINY }, [Wrote(1)],
        [writer(2), controller(&[Snapshot, Snapshot, Discard(1, 1), Release(1)])], CALM;

    /// A ring is adopted for the second time, and kept before that is done.
    half_adopted: TINY, [Wrote(2), Asked(&[Snapshot]), Wrote(1), Asked(&[Discard(0, 0), Snapshot])],
        [writer(1), controller(&[Discard(1, 1), Snapshot])], CALM;

    /// A snapshot of a lane whose owners are killed.
    lane_snapshot: LANE, [Wrote(3)], [lane_writer(1), lane_writer(1), controller(&[Snapshot])], KILL;

    /// The writer's stores are seen late, by a reader of a snapshot.
    queued_snapshot: QUEUED, [Wrote(2)], [writer(2), keeper(false), controller(&[Snapshot])], CALM;
}

scenarios! { POOL_LONG, holds_long, crate::assert_holds:
    #[ignore = "takes long"]
    two_keepers_and_a_writer: TINY, [Wrote(1), Asked(&[Snapshot])],
        [writer(1), keeper(true), keeper(true)], KILL;
    #[ignore = "takes long"]
    keep_under_writers: TINY, [Wrote(2)],
        [writer(1), writer(1), keeper(true), controller(&[Snapshot])], CALM;
    #[ignore = "takes long"]
    keep_and_take_over: TINY, [Wrote(1), Asked(&[Snapshot])],
        [keeper(true), keeper(true), keeper(false)], Limits { kills: 2, ..CALM };
    #[ignore = "takes long"]
    release_aborted: Setting { spares: 2, ..TINY }, [Wrote(1), Asked(&[Snapshot])],
        [writer(2), controller(&[Snapshot, Discard(1, 1), Release(1)])], ABORT;
}

// A larger one, of which only some orders are gone through.
scenarios! { POOL_WALKS, walks, crate::assert_walks_hold:
    /// Snapshots all the while, by two, and readers of them.
    snapshots: Setting { spares: 2, ..TINY }, [Wrote(2)],
        [
            writer(12),
            writer(10),
            keeper(true),
            keeper(true),
            controller(&[
                Snapshot,
                Snapshot,
                Discard(1, 1),
                Snapshot,
                ClearBlock,
                Discard(0, 0),
                Release(0),
                Snapshot,
            ]),
        ],
        Limits { aborts: 10, kills: 1, ticks: &[1, 1, 5, 1, 1], ..CALM };
}
