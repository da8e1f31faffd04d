//! The limit of the process's addresses (`RLIMIT_AS`): the program has what it would have without us.
//!
//! What we have mapped counts against it. So the limit that the kernel has is higher by that than the one
//! that the program has set, and gets when it asks. When the program executes another the soft limit is
//! lowered again: what comes may not be traced, and if it is, it raises the limit itself.

use crate::preload::object::image;
use crate::preload::thread::starts;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use libc::rlimit;
use rustix::io::{self, Errno};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use trace_event::session;

/// No limit.
const INFINITE: u64 = libc::RLIM_INFINITY;

/// A limit: the soft one that counts, and the hard one up to which that may be raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddressLimit {
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}

impl AddressLimit {
    const NONE: AddressLimit = AddressLimit { soft: INFINITE, hard: INFINITE };

    /// That of the process, as the kernel has it.
    fn own() -> AddressLimit {
        let limit = getrlimit(Resource::As);
        AddressLimit { soft: limit.current.unwrap_or(INFINITE), hard: limit.maximum.unwrap_or(INFINITE) }
    }

    /// Makes it that of the process.
    fn set(self) -> io::Result<()> {
        let value = |value| Some(value).filter(|value| *value != INFINITE);
        setrlimit(Resource::As, Rlimit { current: value(self.soft), maximum: value(self.hard) })
    }

    pub(crate) fn of(limit: rlimit) -> AddressLimit {
        AddressLimit { soft: limit.rlim_cur, hard: limit.rlim_max }
    }
}

/// A limit, in a static. It is changed by who changes the process's limit: two who do that at once can't
/// know what comes of it without us, either.
pub(crate) struct SharedLimit {
    soft: AtomicU64,
    hard: AtomicU64,
}

impl SharedLimit {
    const fn new(limit: AddressLimit) -> SharedLimit {
        SharedLimit { soft: AtomicU64::new(limit.soft), hard: AtomicU64::new(limit.hard) }
    }

    pub(crate) fn load(&self) -> AddressLimit {
        AddressLimit { soft: self.soft.load(Relaxed), hard: self.hard.load(Relaxed) }
    }

    fn store(&self, limit: AddressLimit) {
        self.soft.store(limit.soft, Relaxed);
        self.hard.store(limit.hard, Relaxed);
    }
}

/// The limit that the program has set, or was started with.
pub(crate) static WANTED: SharedLimit = SharedLimit::new(AddressLimit::NONE);
/// What the kernel has in its place.
pub(crate) static RAISED: SharedLimit = SharedLimit::new(AddressLimit::NONE);

/// Raises the soft limit as far as it goes, so that a session can be mapped: for as long as that takes.
pub(crate) fn attaching() -> Attaching {
    let before = AddressLimit::own();
    if before.soft < before.hard {
        let _ = AddressLimit { soft: before.hard, hard: before.hard }.set();
    }
    Attaching { before }
}

/// The limit that the process had before a session is mapped.
pub(crate) struct Attaching {
    before: AddressLimit,
}

impl Attaching {
    /// Bytes of addresses that the session may take: all that the limit can be raised by, or else a quarter
    /// of it.
    pub(crate) fn most_addresses(&self) -> usize {
        let AddressLimit { soft, hard } = self.before;
        let most = match soft {
            INFINITE => INFINITE,
            _ if hard == INFINITE => INFINITE,
            _ => hard.saturating_sub(soft).max(soft / 4),
        };
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Lowers the limit again: to what it was, or to that and what the session takes, if it was mapped.
    /// What executed the program had raised its hard limit by so many pages.
    pub(crate) fn end(self, mapped: Option<u32>) {
        let AddressLimit { soft, hard } = self.before;
        if soft == INFINITE {
            return;
        }
        let Some(pages) = mapped else {
            let _ = self.before.set();
            return;
        };
        let wanted = if hard == INFINITE { hard } else { hard.saturating_sub(u64::from(pages) * PAGE) };
        let raised = AddressLimit { soft: sum(soft, ours()).min(hard), hard };
        if raised.set().is_ok() {
            WANTED.store(AddressLimit { soft, hard: wanted.max(soft) });
            RAISED.store(raised);
        }
    }
}

/// Whether the program has few addresses: more of the session is not mapped then.
pub(crate) fn are_set() -> bool {
    WANTED.soft.load(Relaxed) != INFINITE
}

/// Before the process executes another program, or after that has failed. A child in the memory of its
/// maker has a limit of its own: it may have set another, which is as it wants it.
pub(crate) fn executing(begins: bool) {
    let (wanted, raised) = (WANTED.load(), RAISED.load());
    let lowered = AddressLimit { soft: wanted.soft, hard: raised.hard };
    let (from, to) = if begins { (raised, lowered) } else { (lowered, raised) };
    if wanted.soft != raised.soft && AddressLimit::own() == from {
        let _ = to.set();
    }
}

const PAGE: u64 = shm::PAGE as u64;

/// Bytes of addresses that we have.
fn ours() -> u64 {
    let session = session().map_or(0, |session| session.mapped().map(|range| range.len()).sum());
    let starts: usize = starts::mapped().map(|range| range.len()).sum();
    (session + image::span().len() + starts) as u64
}

fn sum(limit: u64, more: u64) -> u64 {
    if limit == INFINITE { limit } else { limit.saturating_add(more).min(INFINITE - 1) }
}

/// Sets the limit that the program wants.
pub(crate) fn set(wanted: AddressLimit) -> io::Result<()> {
    let ours = ours();
    let mut raised = AddressLimit { soft: sum(wanted.soft, ours), hard: sum(wanted.hard, ours) };
    let mut result = if wanted.soft > wanted.hard { Err(Errno::INVAL) } else { raised.set() };
    if result == Err(Errno::PERM) {
        // A hard limit that the program may keep, but nobody may raise.
        raised = AddressLimit { soft: raised.soft.min(wanted.hard), hard: wanted.hard };
        result = raised.set();
    }
    result?;
    WANTED.store(wanted);
    RAISED.store(raised);
    if let Some(session) = session()
        && let Some(process) = session.process()
    {
        let pages = (raised.hard - wanted.hard) / PAGE;
        session.control().set_limit_raised(process, u32::try_from(pages).unwrap_or(u32::MAX));
    }
    Ok(())
}
