//! The buffer file: one per tracing instance, mapped by every process that writes to it or reads it.
//!
//! ```text
//! +---------------------+ 0
//! | Header              |  geometry (fixed at creation), the control word
//! +---------------------+ BLOCKS_OFFSET
//! | Block: CPU 0        |  tail, seen, flags, its rings' descriptions
//! | Block: CPU 1 ...    |
//! | Block: lane 0 ...   |  the same, for writers that cannot use rseq
//! +---------------------+
//! | ring 0: slots       |  one Slot per page: which page of the endless sequence it holds
//! |         pages       |  the kernel's pages, see [`crate::page`]; of one block after the other
//! +---------------------+
//! | ring 1 ...          |  the same again for each ring, without memory until it is wanted
//! +---------------------+ Header::growth_offset
//! | ring 0, grown ...   |  the same for each ring, where its pages are once they are more than above
//! +---------------------+ Header::file_size
//! ```
//!
//! A process need not map what lies after `growth_offset` as long as no ring has grown.
//!
//! A *block* belongs to one CPU (or to one lane) and has up to [`MAX_RINGS`] *rings*. One of them is
//! live: it is the one that holds the block's tail. The others are spare, or hold what was live when
//! a snapshot was taken ([`crate::pool`]). A ring of the buffer consists of a part in each block ([`Parts`]).
//!
//! Who writes what:
//!
//! | word | written by | how |
//! |---|---|---|
//! | `BufferHeader::control` | anyone | atomic read-modify-write |
//! | `Block::{tail, last_time, seen}`, `Ring::{generation .. final_tail}`, slots, pages | a writer on that CPU | plain stores in an rseq section; lanes: by their owner |
//! | `Ring::{next_event, read}` | readers | one 16-byte compare-exchange; adoption resets them |
//! | `Block::{owner, owner_frame}` | who claims the lane | one 16-byte compare-exchange; the owner stores 0 to `owner` |
//! | `Block::{flags, dropped, parts}`, `Ring::resets`, `BufferHeader::{kept, refused, holders, sizes, counter}` | anyone | atomic read-modify-write |
//! | `BufferHeader::origins` | who has taken the snapshot | plain stores |
//! | `Ring::homes` | who makes the buffer | plain stores |
//! | `Ring::pages`, `Kept::size` | who gives the ring memory or takes it, while it is neither spare nor live | plain stores |
//!
//! The laws that keep this sound are in `docs/decisions/001-ring.md`.

use crate::atomic::{AtomicU32, AtomicU64};
pub use crate::clock::Clock;
pub use crate::drop_reason::DropReason;
use crate::origin::OriginWords;
pub use crate::parts::Parts;
pub use crate::pool::{FIRST_SIZE, Kept, KeptState, KeptWord, MAX_HOLDERS};
pub use crate::ring_pages::RingPages;
pub use crate::tail::Tail;

/// First word of the file: `lookbuf` and a zero byte.
pub const MAGIC: u64 = u64::from_le_bytes(*b"lookbuf\0");
/// Version of this layout. A file of another version is refused.
pub const VERSION: u32 = 6;
/// Where the first block starts.
pub const BLOCKS_OFFSET: u64 = 4096;
/// The most CPUs that a buffer can have.
pub const MAX_CPUS: u32 = 4096;
/// The most lanes that a buffer can have.
pub const MAX_LANES: u32 = 64;
/// The most rings that a block can have: the live one, and seven spare or kept.
pub const MAX_RINGS: usize = 8;
/// The fewest pages of a ring, as in the kernel.
pub const MIN_PAGES: u32 = 2;

/// The start of the file. All but `control` is fixed before the file gets its name.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct BufferHeader {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// Bytes of a page, a power of two from 4096 to 524,288.
    pub page_size: AtomicU32,
    /// Bytes of the file.
    pub file_size: AtomicU64,
    /// The session that the file belongs to: equals the session header's `identity`.
    pub identity: AtomicU64,
    /// How many CPU blocks there are: every CPU that this machine can have.
    pub cpus: AtomicU32,
    /// How many lanes follow them.
    pub lanes: AtomicU32,
    /// How many rings each block has.
    pub rings: AtomicU32,
    /// The clock, see [`Clock`].
    pub clock: AtomicU32,
    /// File offset of the first ring's region: the slots of all blocks, then their pages.
    pub regions_offset: AtomicU64,
    /// File offset of the regions of rings that have grown; the end of the file where none can.
    pub growth_offset: AtomicU64,
    _fixed: [u64; 8],
    /// What writers have to agree with before they write, see [`ControlWord`]. On a line of its own.
    pub control: AtomicU64,
    _control_line: [u64; 15],
    /// What each ring is used for when it is not live.
    pub kept: [Kept; MAX_RINGS],
    /// Who reads snapshots: threads, named as in [`Block::owner`]; 0 where there is space for one.
    pub holders: [AtomicU64; MAX_HOLDERS],
    /// Snapshots that were refused, because no ring was spare.
    pub refused: AtomicU64,
    /// How many sizes the buffer has been given: the last [`Kept::size`].
    pub sizes: AtomicU64,
    _sizes_line: [u64; 6],
    /// How many numbers [`Clock::Counter`] has given. On a line of its own.
    pub counter: AtomicU64,
    _counter_line: [u64; 7],
    /// Who took the snapshot that each ring holds, and why.
    pub origins: [OriginWords; MAX_RINGS],
}

/// The control word of a buffer.
///
/// ```text
/// bits  0..32   generation  +1 at each snapshot and clear
/// bits 32..58   epoch       +1 at each change that is not in this word (a block's flags, the pool)
/// bits 58..61   ring        the ring that is live in this generation
/// bit  61       no overwrite (producer/consumer mode)
/// bit  62       record disabled
/// bit  63       tracing off
/// ```
///
/// Who asks for a change does one atomic read-modify-write on this word and is done. Each CPU's next
/// writer finds that its block's `seen` differs and adopts the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlWord(pub u64);

impl ControlWord {
    /// Adding this starts the next generation in the same ring.
    pub const NEXT_GENERATION: u64 = 1;
    /// Adding this makes every writer look again.
    pub const NEXT_EPOCH: u64 = 1 << 32;
    /// Mode: a full ring refuses events instead of overwriting the oldest page.
    pub const NO_OVERWRITE: u64 = 1 << 61;
    /// Off-flag: recording into this buffer is disabled.
    pub const RECORD_DISABLED: u64 = 1 << 62;
    /// Off-flag: the switch that anyone may flip.
    pub const TRACING_OFF: u64 = 1 << 63;
    /// The off-flags. They are never adopted, so while one is set no writer gets past the check.
    pub const OFF: u64 = Self::RECORD_DISABLED | Self::TRACING_OFF;

    const EPOCH: u64 = ((1 << 26) - 1) << 32;
    const RING_SHIFT: u32 = 58;
    const RING: u64 = (MAX_RINGS as u64 - 1) << Self::RING_SHIFT;

    /// The generation, counted from 0.
    pub const fn generation(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// The ring that is live in this generation.
    pub const fn ring(self) -> usize {
        ((self.0 & Self::RING) >> Self::RING_SHIFT) as usize
    }

    /// Whether an off-flag is set.
    pub const fn is_off(self) -> bool {
        self.0 & Self::OFF != 0
    }

    /// Whether a full ring refuses events.
    pub const fn no_overwrite(self) -> bool {
        self.0 & Self::NO_OVERWRITE != 0
    }

    /// The word that starts the next generation in `ring`. Counters wrap in their own bits.
    pub const fn next_generation(self, ring: usize) -> ControlWord {
        let generation = self.0.wrapping_add(1) & 0xffff_ffff;
        let rest = self.0 & !0xffff_ffff & !Self::RING;
        ControlWord(rest | generation | (ring as u64) << Self::RING_SHIFT & Self::RING)
    }

    /// The word that makes every writer look again and changes nothing else.
    pub const fn next_epoch(self) -> ControlWord {
        ControlWord(self.0 & !Self::EPOCH | self.0.wrapping_add(Self::NEXT_EPOCH) & Self::EPOCH)
    }
}

/// Flag in [`Block::flags`]: recording on this CPU is disabled, by an anomaly. Nobody takes that back.
pub const BLOCK_DISABLED: u64 = 1;
/// Flag in [`Block::flags`]: recording on this CPU was stopped on request.
pub const BLOCK_STOPPED: u64 = 2;

/// The words of one CPU, or of one lane. On a page of its own, so that it lies on the node of the
/// CPU that writes it.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Block {
    /// Where the next event goes, see [`Tail`].
    pub tail: AtomicU64,
    /// Time of the last event. Stored together with `tail`, in 16 bytes.
    pub last_time: AtomicU64,
    /// The control word under which writers may write without a second look.
    pub seen: AtomicU64,
    /// Stored together with `seen`, always 0.
    _next_to_seen: u64,
    /// Which of the rings is the block's part in which ring of the pool, see [`Parts`]. Changed from
    /// elsewhere, but hardly ever.
    pub parts: AtomicU64,
    _local: [u64; 3],
    /// Lanes: the thread that has claimed it, 0 when free.
    pub owner: AtomicU64,
    /// Lanes: where on that thread's stack the write is under way that has claimed it, 0 where that is not
    /// known. Of no account when the lane is free. With `owner` in 16 bytes.
    pub owner_frame: AtomicU64,
    /// [`BLOCK_DISABLED`] and [`BLOCK_STOPPED`].
    pub flags: AtomicU64,
    /// Events that were not recorded, by [`DropReason`].
    pub dropped: [AtomicU64; DropReason::ALL.len()],
    /// The rings.
    pub rings: [Ring; MAX_RINGS],
}

/// Where the pages of a ring can be.
#[derive(Debug)]
#[repr(C)]
pub struct Home {
    /// File offset of the first page.
    pub pages_offset: AtomicU64,
    /// File offset of the first [`Slot`].
    pub slots_offset: AtomicU64,
}

/// One ring of pages.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Ring {
    /// Its pages: how many, and in which of `homes`, see [`RingPages`].
    pub pages: AtomicU32,
    /// The most pages that it can have in each of `homes`: there are addresses and slots for so many.
    pub most_pages: [AtomicU32; 2],
    _pages: u32,
    /// The generation that adopted this ring, in the low half, and how often it had been reset by then;
    /// [`NO_GENERATION`] before the first.
    pub generation: AtomicU64,
    /// Sequence number of the first page of that generation.
    pub first_sequence: AtomicU64,
    /// Number of the first event of that generation. Events are counted over the block's life.
    pub first_event: AtomicU64,
    /// The block's tail when the next generation left this ring for another.
    pub final_tail: AtomicU64,
    _line: [u64; 2],
    /// Number of the next event for a consuming reader.
    pub next_event: AtomicU64,
    /// Events of this generation that consuming readers have taken. With `next_event` in 16 bytes.
    pub read: AtomicU64,
    /// How often the ring was reset. What was written there before is out of sight.
    pub resets: AtomicU64,
    /// Where its pages are as long as they are few, and once it has grown.
    pub homes: [Home; 2],
    _readers: u64,
}

/// [`Ring::generation`] of a ring that was reset `resets` times before `generation` was adopted.
pub const fn ring_generation(generation: u64, resets: u64) -> u64 {
    generation & 0xffff_ffff | resets << 32
}

/// [`Ring::generation`] of a ring that was never live.
pub const NO_GENERATION: u64 = u64::MAX;

/// What a page of a ring holds.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Slot {
    /// Number of the page in the block's endless sequence, from 1; 0 before the first use. A writer
    /// stores it before it touches the page, so a copy is good when this word is the same after it.
    pub sequence: AtomicU64,
    /// Number of the page's first event.
    pub first_event: AtomicU64,
}

const _: () = {
    assert!(size_of::<BufferHeader>() == BLOCKS_OFFSET as usize);
    assert!(core::mem::offset_of!(BufferHeader, control) == 128);
    assert!(core::mem::offset_of!(BufferHeader, counter).is_multiple_of(64));
    assert!(size_of::<Block>() == 4096);
    assert!(core::mem::offset_of!(Block, owner) == 64);
    assert!(core::mem::offset_of!(Block, rings) == 256);
    assert!(size_of::<Ring>() == 128);
    assert!(core::mem::offset_of!(Ring, next_event) == 64);
    assert!(size_of::<Slot>() == 16);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_and_epoch_wrap_in_their_own_bits() {
        let last = ControlWord(0xffff_ffff | ControlWord::NO_OVERWRITE);
        let next = last.next_generation(5);
        assert_eq!((next.generation(), next.ring(), next.no_overwrite()), (0, 5, true));
        let last = ControlWord(ControlWord::EPOCH | ControlWord::TRACING_OFF | 7);
        assert_eq!(last.next_epoch(), ControlWord(ControlWord::TRACING_OFF | 7));
    }
}
