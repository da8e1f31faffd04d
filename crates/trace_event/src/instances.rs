//! The buffers of the instances beside the first.
//!
//! Their rooms are mapped from the start; whether there is a buffer shows with the first event that is wanted
//! there.
//!
//! # Safety
//!
//! A place's writer is written only by who has moved its state from WAITING to TAKEN, and read only when it
//! is READY, after which nothing changes it.

use abi::instance::INSTANCES;
use control::Rooms;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Release};
use ring_buffer::{Buffer, Geometry, Writer};

/// Where the instances beside the first have their buffers.
#[derive(Debug)]
pub(crate) struct Instances {
    /// None where nothing is to be recorded there.
    pub(crate) rooms: Option<Rooms>,
    /// Which session the buffers belong to.
    pub(crate) session: u64,
}

/// What has been found of an instance's buffer.
struct Place {
    state: AtomicU32,
    writer: UnsafeCell<MaybeUninit<Writer>>,
}

/// There was no buffer yet; there may be one by now.
const WAITING: u32 = 0;
/// Somebody is looking.
const TAKEN: u32 = 1;
/// There is a writer.
const READY: u32 = 2;

// SAFETY: see the module.
unsafe impl Sync for Place {}

/// One for each instance beside the first. Behind what every process touches, see `process`.
#[unsafe(link_section = ".bss.lookback_large_places")]
static PLACES: [Place; INSTANCES - 1] = [const { Place::new() }; INSTANCES - 1];

impl Instances {
    /// The writer of an instance, which is not the first. None while there is no buffer, and for who comes
    /// while another looks: a handler in the middle of it, or another thread, whose event is not recorded
    /// there; once in the life of a process, for some 100 ns.
    ///
    /// Async-signal-safe.
    #[inline]
    pub(crate) fn writer(&'static self, instance: usize) -> Option<&'static Writer> {
        let place = PLACES.get(instance.checked_sub(1)?)?;
        if place.state.load(Acquire) != READY {
            self.look(place, instance)?;
        }
        // SAFETY: READY, so it was written, and nothing changes it.
        Some(unsafe { (*place.writer.get()).assume_init_ref() })
    }

    /// Makes a writer if there is a buffer. None if there isn't, or someone else looks.
    #[cold]
    #[inline(never)]
    fn look(&'static self, place: &Place, instance: usize) -> Option<()> {
        place.state.compare_exchange(WAITING, TAKEN, Acquire, Acquire).ok()?;
        let found = self.open(instance).map(|writer| {
            // SAFETY: TAKEN by us.
            unsafe { (*place.writer.get()).write(writer) };
        });
        place.state.store(if found.is_some() { READY } else { WAITING }, Release);
        found
    }

    /// A writer into the buffer in an instance's room, if one of this session's is there.
    fn open(&'static self, instance: usize) -> Option<Writer> {
        let room = self.rooms.as_ref()?.room(instance)?;
        Geometry::of(&room).ok().filter(|geometry| geometry.identity == self.session)?;
        Some(Writer::new(Buffer::new(room).ok()?))
    }
}

impl Place {
    const fn new() -> Place {
        Place { state: AtomicU32::new(WAITING), writer: UnsafeCell::new(MaybeUninit::uninit()) }
    }
}
