//! Names that threads were given before they are in the session's table: by their makers, mostly.
//!
//! A thread is entered into the table when it first records something, and some never do. So these names
//! stay in the process: the last of them, which are more than the threads that are about to start.
//!
//! Who gives a name puts it here, then looks for the thread in the table. The thread enters itself, then
//! looks here. At least one of the two sees the other.

use core::sync::atomic::Ordering::{Relaxed, SeqCst};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};

/// How many are kept.
const KEPT: usize = 64;

struct GivenName {
    /// 0 while there is none.
    tid: AtomicU32,
    comm: [AtomicU64; 2],
}

static NAMES: [GivenName; KEPT] =
    [const { GivenName { tid: AtomicU32::new(0), comm: [const { AtomicU64::new(0) }; 2] } }; KEPT];

/// How many have been put there.
static PUT: AtomicU32 = AtomicU32::new(0);

/// Keeps a name for the thread `tid`, in place of the one that was kept longest.
// Relaxed: the fence orders it before who looks for the thread; a name that another thread overwrites
// meanwhile is some thread's name.
pub(crate) fn put(tid: u32, comm: [u8; 16]) {
    let _ = take(tid);
    let next = PUT.fetch_add(1, Relaxed) as usize % KEPT;
    let (Some(name), [low, high]) = (NAMES.get(next), comm.as_chunks::<8>().0) else { return };
    name.tid.store(0, Relaxed);
    for (to, from) in name.comm.iter().zip([low, high]) {
        to.store(u64::from_le_bytes(*from), Relaxed);
    }
    name.tid.store(tid, SeqCst);
    fence(SeqCst);
}

/// The name that is kept for the thread `tid`, which is no longer kept then.
// SeqCst: the fence orders it after the thread was entered, and pairs with that of `put`.
pub(crate) fn take(tid: u32) -> Option<[u8; 16]> {
    fence(SeqCst);
    let name = NAMES.iter().find(|name| name.tid.load(SeqCst) == tid)?;
    let [low, high] = [0, 1].map(|half: usize| name.comm.get(half).map_or(0, |word| word.load(Relaxed)));
    let mut comm = [0; 16];
    for (to, from) in comm.iter_mut().zip(low.to_le_bytes().into_iter().chain(high.to_le_bytes())) {
        *to = from;
    }
    name.tid.compare_exchange(tid, 0, SeqCst, SeqCst).ok()?;
    Some(comm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_thread_is_kept_until_it_is_taken() {
        let name = |letter: u8| [letter; 16];
        assert_eq!(take(1), None);
        put(1, name(b'a'));
        put(2, name(b'b'));
        put(1, name(b'c'));
        assert_eq!((take(1), take(1), take(2)), (Some(name(b'c')), None, Some(name(b'b'))));
        (1..=KEPT as u32 + 1).for_each(|tid| put(tid, name(tid as u8)));
        assert_eq!(
            (take(1), take(2), take(KEPT as u32 + 1)),
            (None, Some(name(2)), Some(name(KEPT as u8 + 1)))
        );
    }
}
