//! The scenarios of snapshots of one block alone and of resizes, as in [`crate::scenarios`].

use crate::controller::Request::{Clear, ClearBlock, Discard, Release, Resize, Snapshot, SnapshotBlock};
use crate::scenario::Before::{Asked, Wrote};
use crate::scenario::{
    Scenario, consumer, controller, keeper, lane_writer, reader, statistics, taker, writer,
};
use crate::scenarios::{ABORT, CALM, KILL, LANE, QUEUED, SMALL, THREE_PAGES, TINY, scenarios};
use crate::setting::Setting;
use crate::state::Limits;

/// Two spare rings.
const SPARES: Setting = Setting { spares: 2, ..TINY };

scenarios! { EXCHANGE, holds, crate::assert_holds:
    /// A block alone goes on in another ring.
    exchange: TINY, [Wrote(1)], [writer(1), writer(1), controller(&[SnapshotBlock])], CALM;

    /// A block goes on in another ring in the middle of a section.
    exchange_aborted: TINY, [Wrote(1)], [writer(2), controller(&[SnapshotBlock])], ABORT;

    /// What it had is out of sight at once.
    read_exchanged: TINY, [Wrote(1)], [writer(1), reader(1), controller(&[SnapshotBlock])], CALM;

    /// What it had is out of sight of a consumer at once.
    consume_exchanged: SMALL, [Wrote(1)], [writer(1), consumer(1), controller(&[SnapshotBlock])], CALM;

    /// It goes there and back, in one generation.
    exchange_and_back: TINY, [Wrote(1)],
        [writer(2), controller(&[SnapshotBlock, Discard(1, 0), SnapshotBlock])], CALM;

    /// Somebody else takes a snapshot of all at the same time.
    exchange_and_snapshot: SPARES, [Wrote(1)],
        [writer(1), controller(&[SnapshotBlock]), controller(&[Snapshot])], CALM;

    /// A snapshot of a block and one of all, with one spare ring for the two.
    exchange_or_snapshot: TINY, [Wrote(1)],
        [writer(1), controller(&[SnapshotBlock]), controller(&[Snapshot])], CALM;

    /// Somebody else clears.
    exchange_and_clear: TINY, [Wrote(1)],
        [writer(1), controller(&[SnapshotBlock]), controller(&[Clear])], CALM;

    /// Somebody else empties the same block.
    exchange_and_clear_block: TINY, [Wrote(1)],
        [writer(1), controller(&[SnapshotBlock]), controller(&[ClearBlock])], CALM;

    /// A snapshot of all is taken and read while one of the block is under way.
    exchange_and_keep: SPARES, [Wrote(1)],
        [keeper(false), controller(&[SnapshotBlock]), controller(&[Snapshot])], CALM;

    /// The ring of a snapshot of all loses its memory while one of the block is under way.
    exchange_and_release: SPARES, [Wrote(1)],
        [controller(&[SnapshotBlock]), controller(&[Snapshot, Discard(0, 0), Release(0)])], CALM;

    /// The ring of a snapshot of all is taken for one of the block while another is under way.
    exchange_and_exchange: SPARES, [Wrote(1)],
        [taker(), controller(&[Snapshot, Discard(0, 0), SnapshotBlock])], CALM;

    /// A snapshot of the block is read while writers leave it.
    keep_exchanged: TINY, [Wrote(2), Asked(&[SnapshotBlock])], [writer(2), keeper(true)], CALM;

    /// Two take one at once.
    two_takers: SPARES, [Wrote(1)], [taker(), taker()], CALM;

    /// One takes the ring of a snapshot that was dropped, while the other is still where that was live.
    two_takers_and_discard: SPARES, [Wrote(1)],
        [taker(), taker(), controller(&[Snapshot, Discard(0, 0)])], CALM;

    /// One is killed over it, and somebody else wants the ring.
    killed_taker: TINY, [Wrote(1)], [taker(), controller(&[Release(1)])], KILL;

    /// The ring of a block's snapshot loses its memory, with a writer still on its way there.
    release_exchanged: SPARES, [Wrote(1)],
        [writer(2), controller(&[SnapshotBlock, Discard(1, 0), Release(1)])], CALM;

    /// A lane's owners are killed meanwhile.
    lane_exchange: LANE, [Wrote(3)], [lane_writer(1), lane_writer(1), controller(&[SnapshotBlock])], KILL;
}

scenarios! { RESIZE, holds_resized, crate::assert_holds:
    /// A buffer grows under its writers.
    grow: TINY, [Wrote(2)], [writer(3), controller(&[Resize(1, 3)])], ABORT;

    /// It shrinks under a writer and a reader.
    shrink: THREE_PAGES, [Wrote(1)], [writer(1), consumer(1), controller(&[Resize(1, 2)])], CALM;

    /// The ring that is to have the new size was used before, and a writer may still be in it.
    resize_used: TINY, [Wrote(2), Asked(&[Snapshot, Discard(0, 0)])],
        [writer(2), controller(&[Resize(0, 3)])], ABORT;

    /// Somebody else takes a snapshot.
    resize_and_snapshot: TINY, [Wrote(1)],
        [writer(1), controller(&[Resize(1, 3)]), controller(&[Snapshot])], CALM;

    /// A resize and two snapshots, with a ring of the old size left.
    resize_and_snapshots: SPARES, [Wrote(1)],
        [controller(&[Resize(1, 3)]), controller(&[Snapshot, Snapshot])], CALM;

    /// Somebody else takes a snapshot of the block.
    resize_and_exchange: SPARES, [Wrote(1)], [controller(&[Resize(1, 3)]), taker()], CALM;

    /// A reader of what was there.
    resize_and_keep: TINY, [Wrote(1)], [writer(1), keeper(true), controller(&[Resize(1, 3)])], CALM;
}

scenarios! { EXCHANGE_LONG, holds_long, crate::assert_holds:
    #[ignore = "takes long"]
    exchange_under_writers: SMALL, [Wrote(3)], [writer(2), writer(1), controller(&[SnapshotBlock])], ABORT;
    #[ignore = "takes long"]
    exchange_and_back_aborted: TINY, [Wrote(1)],
        [writer(2), controller(&[SnapshotBlock, Discard(1, 0), SnapshotBlock])], ABORT;
    #[ignore = "takes long"]
    read_exchanged_twice: TINY, [Wrote(1)], [writer(1), reader(2), controller(&[SnapshotBlock])], CALM;
    #[ignore = "takes long"]
    consume_exchanged_twice: SMALL, [Wrote(2)], [writer(2), consumer(2), controller(&[SnapshotBlock])], CALM;
    #[ignore = "takes long"]
    count_exchanged: TINY, [Wrote(2)], [writer(1), controller(&[SnapshotBlock]), statistics(1)], CALM;
    #[ignore = "takes long"]
    exchange_snapshot_and_write: SPARES, [Wrote(1)],
        [writer(2), controller(&[SnapshotBlock]), controller(&[Snapshot])], CALM;
    #[ignore = "takes long"]
    exchange_or_snapshot_in_time: TINY, [Wrote(1)],
        [writer(1), controller(&[SnapshotBlock]), controller(&[Snapshot])], Limits { ticks: &[1], ..CALM };
    #[ignore = "takes long"]
    takers_under_a_writer: SPARES, [Wrote(1)], [writer(1), taker(), taker()], CALM;
    #[ignore = "takes long"]
    killed_taker_and_a_writer: TINY, [Wrote(1)], [writer(1), taker(), controller(&[Release(1)])], KILL;
    #[ignore = "takes long"]
    queued_exchange: QUEUED, [Wrote(2)], [writer(2), keeper(false), controller(&[SnapshotBlock])], CALM;
    #[ignore = "takes long"]
    grow_aborted: TINY, [Wrote(1)], [writer(1), writer(1), controller(&[Resize(1, 3)])], ABORT;
    #[ignore = "takes long"]
    shrink_and_read: THREE_PAGES, [Wrote(3)], [writer(1), reader(1), controller(&[Resize(1, 2)])], CALM;
    #[ignore = "takes long"]
    resize_exchange_and_write: SPARES, [Wrote(1)], [writer(1), controller(&[Resize(1, 3)]), taker()], CALM;
}

// Larger ones, of which only some orders are gone through.
scenarios! { EXCHANGE_WALKS, walks, crate::assert_walks_hold:
    /// Snapshots of the block and of all, and resizes, all the while.
    exchanges: SPARES, [Wrote(2)],
        [
            writer(12),
            writer(10),
            keeper(true),
            controller(&[
                SnapshotBlock,
                SnapshotBlock,
                Discard(1, 0),
                ClearBlock,
                SnapshotBlock,
                Discard(2, 0),
                Resize(2, 3),
                Release(1),
                Discard(0, 0),
                Release(0),
                Resize(0, 2),
                SnapshotBlock,
            ]),
            controller(&[Snapshot, Clear, Discard(0, 0), Discard(1, 0), Snapshot]),
        ],
        Limits { aborts: 10, kills: 1, ticks: &[1, 1, 5, 1, 1], ..CALM };

    /// Takers that are killed.
    takers: SPARES, [Wrote(2)],
        [
            writer(12),
            consumer(8),
            taker(),
            taker(),
            controller(&[Snapshot, Discard(0, 0), Clear]),
        ],
        Limits { aborts: 6, kills: 2, ticks: &[1, 1, 5], ..CALM };
}
