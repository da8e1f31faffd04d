//! Which thread a handle of pthread_create(3) is.

use foldhash::HashMap;

/// Follows the making of threads. Takes memory for each that has been made.
///
/// The kernel counts TIDs up, so threads that one thread has made have TIDs in the order in which it has made
/// them, however late they start.
#[derive(Debug, Default)]
pub(super) struct ThreadHandles {
    /// By the thread that has made them: handles, and threads, that are not known to be each other yet.
    makers: HashMap<i32, ThreadMaker>,
    /// By process and handle.
    known: HashMap<(i32, u64), i32>,
}

#[derive(Debug, Default)]
struct ThreadMaker {
    is_making: bool,
    handles: Vec<u64>,
    threads: Vec<i32>,
}

/// TIDs that are further apart have been counted from the start again.
const FURTHEST: i32 = 1 << 14;

impl ThreadHandles {
    /// A thread begins to make one.
    pub(super) fn make(&mut self, maker: i32) {
        self.makers.entry(maker).or_default().is_making = true;
    }

    /// It has made one of this handle, or has failed.
    pub(super) fn made(&mut self, process: i32, maker: i32, handle: Option<u64>) {
        let state = self.makers.entry(maker).or_default();
        state.is_making = false;
        state.handles.extend(handle);
        self.settle(process, maker);
    }

    /// A thread that was made has started.
    pub(super) fn started(&mut self, process: i32, maker: i32, tid: i32) {
        self.makers.entry(maker).or_default().threads.push(tid);
        self.settle(process, maker);
    }

    /// The thread of a handle.
    pub(super) fn thread(&self, process: i32, handle: u64) -> Option<i32> {
        self.known.get(&(process, handle)).copied()
    }

    fn settle(&mut self, process: i32, maker: i32) {
        let Some(state) = self.makers.get_mut(&maker) else { return };
        if state.is_making || state.handles.len() != state.threads.len() {
            return;
        }
        state.threads.sort_unstable();
        let span = state.threads.first().zip(state.threads.last()).map_or(0, |(first, last)| last - first);
        for (handle, tid) in state.handles.drain(..).zip(state.threads.drain(..)) {
            // A handle is used again when its thread is gone.
            match span <= FURTHEST {
                true => self.known.insert((process, handle), tid),
                false => self.known.remove(&(process, handle)),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_known_by_their_order() {
        let mut handles = ThreadHandles::default();
        for handle in [0xa0, 0xb0] {
            handles.make(1);
            handles.made(1, 1, Some(handle));
        }
        handles.started(1, 1, 12);
        assert_eq!(handles.thread(1, 0xa0), None, "either may have started");
        handles.started(1, 1, 11);
        assert_eq!((handles.thread(1, 0xa0), handles.thread(1, 0xb0)), (Some(11), Some(12)));
        assert_eq!((handles.thread(2, 0xa0), handles.thread(1, 0xc0)), (None, None));
        // One starts before pthread_create has returned; another call has failed.
        handles.make(1);
        handles.started(1, 1, 13);
        handles.made(1, 1, Some(0xa0));
        handles.make(1);
        handles.made(1, 1, None);
        assert_eq!(handles.thread(1, 0xa0), Some(13));
    }
}
