//! The slices that a thread is in.

use crate::drawing::{SliceName, Track};
use foldhash::HashMap;
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
    /// Whether the trace has no event of its end.
    pub(super) is_endless: bool,
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

    /// Notes of the innermost whether the trace has no event of its end.
    pub(super) fn set_endless(&mut self, is_endless: bool) {
        if let Some(slice) = self.open.last_mut() {
            slice.is_endless = is_endless;
        }
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

/// The threads that live.
#[derive(Debug, Default)]
pub(super) struct LivingThreads {
    /// Those that have ended, too: their places are used by nobody else.
    threads: Vec<ThreadSlices>,
    places: HashMap<i32, usize>,
    /// The one that was looked up last, as most records are of the thread that the one before is of.
    last: Option<(i32, usize)>,
}

impl LivingThreads {
    /// A thread, which is a new one if it was not looked up yet, or has ended.
    pub(super) fn of(&mut self, tid: i32) -> &mut ThreadSlices {
        let place = match self.last {
            Some((last, place)) if last == tid => place,
            _ => {
                let next = self.threads.len();
                let place = *self.places.entry(tid).or_insert(next);
                if place == next {
                    self.threads.push(ThreadSlices::new(Track { number: next as u64 + 1, tid }));
                }
                self.last = Some((tid, place));
                place
            }
        };
        &mut self.threads[place]
    }

    /// A thread that was looked up.
    pub(super) fn known(&self, tid: i32) -> Option<&ThreadSlices> {
        let place = match self.last {
            Some((last, place)) if last == tid => place,
            _ => *self.places.get(&tid)?,
        };
        self.threads.get(place)
    }

    /// The thread has ended.
    pub(super) fn remove(&mut self, tid: i32) {
        self.last = None;
        if let Some(thread) = self.places.remove(&tid).and_then(|place| self.threads.get_mut(place)) {
            *thread = ThreadSlices::new(thread.track);
        }
    }

    /// The TIDs of those that live, in the order of their tracks.
    pub(super) fn tids(&self) -> Vec<i32> {
        let mut places: Vec<(usize, i32)> = self.places.iter().map(|(tid, place)| (*place, *tid)).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, tid)| tid).collect()
    }
}
