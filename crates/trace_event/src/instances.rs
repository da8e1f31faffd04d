//! The buffers of the instances beside the session's own.
//!
//! Their room is mapped from the start; whether there is a buffer shows with the first event that is on
//! there.
//!
//! # Safety
//!
//! A place is changed only by who has moved its state from WAITING to TAKEN, and read as a writer only when
//! it is READY, after which nothing changes it.

use abi::instance::INSTANCES;
use core::cell::UnsafeCell;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Release};
use ring_buffer::{Buffer, Geometry, Writer};
use shm::Segment;

/// One place for each instance but the first.
#[derive(Debug)]
pub(crate) struct Instances {
    places: [Place; INSTANCES - 1],
    /// Which session the buffers belong to.
    session: u64,
}

#[derive(Debug)]
struct Place {
    state: AtomicU32,
    content: UnsafeCell<Content>,
}

#[derive(Debug)]
enum Content {
    /// No room is mapped: nothing is recorded there.
    Nothing,
    Mapped(Segment),
    Buffer(Writer),
}

/// There was no buffer yet. Where room is mapped there may be one by now.
const WAITING: u32 = 0;
/// Somebody is looking.
const TAKEN: u32 = 1;
/// There is a writer.
const READY: u32 = 2;

// SAFETY: see the module.
unsafe impl Sync for Place {}

impl Instances {
    /// For these rooms, the first instance's left out.
    pub(crate) fn new(mut rooms: impl Iterator<Item = Segment>, session: u64) -> Instances {
        let places = core::array::from_fn(|_| match rooms.next() {
            Some(room) => Place::new(Content::Mapped(room)),
            None => Place::new(Content::Nothing),
        });
        Instances { places, session }
    }

    /// The writer of an instance, which is not the first. None while there is no buffer, and for who comes
    /// while another looks: a handler in the middle of it, or another thread, whose event is not recorded
    /// there; once in the life of a process, for some 100 ns.
    ///
    /// Async-signal-safe.
    pub(crate) fn writer(&self, instance: usize) -> Option<&Writer> {
        let place = self.places.get(instance.checked_sub(1)?)?;
        if place.state.load(Acquire) != READY {
            place.look(self.session)?;
        }
        // SAFETY: READY, so nothing changes it.
        match unsafe { &*place.content.get() } {
            Content::Buffer(writer) => Some(writer),
            _ => None,
        }
    }
}

impl Place {
    fn new(content: Content) -> Place {
        Place { state: AtomicU32::new(WAITING), content: UnsafeCell::new(content) }
    }

    /// Makes a writer if there is a buffer. None if there isn't, or someone else looks.
    #[cold]
    #[inline(never)]
    fn look(&self, session: u64) -> Option<()> {
        self.state.compare_exchange(WAITING, TAKEN, Acquire, Acquire).ok()?;
        // SAFETY: TAKEN by us.
        let content = unsafe { &mut *self.content.get() };
        let found = made(content, session);
        self.state.store(if found.is_some() { READY } else { WAITING }, Release);
        found
    }
}

/// Makes the content of a place that is mapped a writer, if its buffer is the session's.
fn made(content: &mut Content, session: u64) -> Option<()> {
    let Content::Mapped(segment) = content else { return None };
    Geometry::of(segment).ok().filter(|geometry| geometry.identity == session)?;
    let Content::Mapped(segment) = core::mem::replace(content, Content::Nothing) else { return None };
    *content = Content::Buffer(Writer::new(Buffer::new(segment).ok()?));
    Some(())
}
