//! The buffers that this process has mapped: what it needs of a session and nothing else.
//!
//! That of the first instance is mapped when the process attaches, as large as it was made; those of other
//! instances when the first event is wanted there; and all of one when it has grown. What has been mapped
//! stays: another thread, or what a handler has interrupted, may be using it.

use crate::shared::SharedSession;
use crate::thread;
use crate::writers::{BUSY, WRITERS, WriterSlots, slots};
use abi::instance::{INSTANCES, RECORDING};
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use ring_buffer::{Buffer, Geometry, Writer};

impl SharedSession {
    /// The writer of an instance. Where its buffer has not been mapped yet, it is mapped if that can be
    /// done here and now; None, and an event counted that was wanted there, if not.
    ///
    /// Async-signal-safe.
    #[inline]
    pub(crate) fn writer_of(&self, instance: usize) -> Option<&'static Writer> {
        let slots = slots(instance)?;
        // SAFETY: null, or one of the writers, of which nothing changes any more.
        match unsafe { slots.current.load(Acquire).as_ref() } {
            None => self.map_buffer(slots, instance, 0),
            writer => writer,
        }
    }

    /// A writer that has all of an instance's buffer mapped, which has grown. None, and nothing counted,
    /// where it can't be mapped here and now.
    #[cold]
    #[inline(never)]
    pub(crate) fn writer_of_all(&self, instance: usize) -> Option<&'static Writer> {
        let slots = slots(instance)?;
        if slots.state.load(Acquire) == WRITERS {
            // SAFETY: null, or one of the writers, of which nothing changes any more.
            return unsafe { slots.current.load(Acquire).as_ref() };
        }
        self.try_to_map(slots, instance, 1)
    }

    #[cold]
    #[inline(never)]
    fn map_buffer(&self, slots: &'static WriterSlots, instance: usize, made: u32) -> Option<&'static Writer> {
        let writer = self.try_to_map(slots, instance, made);
        if writer.is_none() {
            self.control.count_not_mapped(instance);
        }
        writer
    }

    /// Makes the writer after the first `made`. None where that is refused, or somebody else does it just
    /// now: a thread, or what this handler has interrupted.
    fn try_to_map(&self, slots: &'static WriterSlots, instance: usize, made: u32) -> Option<&'static Writer> {
        let state = self.control.instance_state(instance)?.0.wrapping_add(1);
        let is_safe = (self.hooks.may_map)() && !thread::is_aside();
        if slots.refused.load(Relaxed) == state || !is_safe {
            return None;
        }
        slots.state.compare_exchange(made, made | BUSY, Acquire, Relaxed).ok()?;
        match self.open_buffer(instance, made > 0) {
            Some(writer) => Some(slots.put(made, writer)),
            None => {
                slots.refused.store(state, Relaxed);
                slots.state.store(made, Release);
                None
            }
        }
    }

    /// A writer into an instance's buffer, if one of this session's is there; `whole` where it has grown.
    fn open_buffer(&self, instance: usize, whole: bool) -> Option<Writer> {
        if instance != RECORDING && !self.control.is_extended() {
            self.control.extend(self.control.map_more(self.layout.extension()?)?);
        }
        let part = if whole { self.layout.buffer(instance) } else { self.layout.mapped_buffer(instance) };
        let segment = self.control.map_more(part?)?;
        Geometry::of(&segment).ok().filter(|geometry| geometry.identity == self.session)?;
        let writer = Writer::new(Buffer::new(segment).ok()?);
        let writer = writer.asking(self.hooks.may_call).having_areas(self.has_areas());
        Some(if instance == RECORDING { writer.telling(self.page_turned) } else { writer })
    }
}

/// The addresses that this process has mapped of a session: the control area and the first instance's
/// buffer, the other instances' parts of the control area, their buffers.
pub(crate) fn mapped(shared: &SharedSession) -> impl Iterator<Item = Range<usize>> {
    let writers = (0..INSTANCES).filter_map(slots).flat_map(|slots| slots.made());
    shared.control.mapped().chain(writers.map(|writer| writer.buffer().mapped()))
}
