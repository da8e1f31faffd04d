//! The slices that a thread is in.

use crate::drawing::{SliceName, Track};
use std::rc::Rc;

/// The slices that a thread is in, innermost last.
#[derive(Debug)]
pub(super) struct ThreadSlices {
    pub(super) track: Track,
    open: Vec<OpenSlice>,
    /// The names of those that are drawn.
    names: Vec<Rc<SliceName>>,
    /// Whether the next record of a stack is that of the innermost slice.
    pub(super) expects_stack: bool,
}

/// A slice that has not ended.
#[derive(Debug)]
pub(super) struct OpenSlice {
    /// The event at its start, and the number of the call or the function.
    pub(super) key: SliceKey,
    pub(super) name: Rc<SliceName>,
    pub(super) start: u64,
    /// How long slices within it took.
    pub(super) inner: u64,
    /// Whether it is drawn: its start is chosen.
    pub(super) is_drawn: bool,
    pub(super) stack: Option<Rc<[u64]>>,
}

/// What the two ends of a slice have in common.
pub(super) type SliceKey = (u16, i64);

impl ThreadSlices {
    pub(super) fn new(track: Track) -> ThreadSlices {
        ThreadSlices { track, open: Vec::new(), names: Vec::new(), expects_stack: false }
    }

    /// The names of those that are drawn, outermost first.
    pub(super) fn names(&self) -> &[Rc<SliceName>] {
        &self.names
    }

    pub(super) fn innermost(&mut self) -> Option<&mut OpenSlice> {
        self.open.last_mut()
    }

    /// The innermost with this key: how many are in it, and it.
    pub(super) fn find(&self, key: SliceKey) -> Option<(usize, &OpenSlice)> {
        self.open.iter().rev().enumerate().find(|(_, slice)| slice.key == key)
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn push(&mut self, slice: OpenSlice) {
        if slice.is_drawn {
            self.names.push(Rc::clone(&slice.name));
        }
        self.open.push(slice);
    }

    /// The innermost has ended.
    pub(super) fn pop(&mut self) -> Option<OpenSlice> {
        let slice = self.open.pop()?;
        if slice.is_drawn {
            self.names.pop();
        }
        Some(slice)
    }

    /// Counts the time of a slice, which was in the innermost.
    pub(super) fn add_inner(&mut self, length: u64) {
        if let Some(slice) = self.open.last_mut() {
            slice.inner = slice.inner.saturating_add(length);
        }
    }
}
