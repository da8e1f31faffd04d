//! Stores what plans say into the code of this process.

mod memory;
mod refusal;
mod text;
mod threads;

pub use refusal::{NotApplied, SiteFailure};
pub use text::Text;

use crate::plan::{NextStep, Plan, SiteState};
use crate::word;
use text::WritableTexts;

/// A site, and what it is to be.
#[derive(Debug, Clone, Copy)]
pub struct Poke {
    /// What is stored there.
    pub plan: Plan,
    /// What it is to be.
    pub wanted: SiteState,
}

/// Whether other threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// None is in any of the sites, nor comes there before this is done.
    Alone,
    /// They may be anywhere.
    Running,
}

/// What has been done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    /// Words that were stored.
    pub stores: usize,
    /// How often all threads were made to see what was stored: no more than [`STEPS`].
    pub synchronizations: usize,
    /// Sites that are not as wanted.
    pub failed: usize,
    /// The first of those, and why.
    pub failure: Option<SiteFailure>,
}

/// The most steps from any state of a site to any other: T4.
pub const STEPS: usize = 3;

/// Brings sites to the states that are wanted, with other threads in them.
///
/// All sites take a step, then all threads are made to see it; that is repeated, three times at most. A
/// site whose bytes are none of its plan's is left alone, counted, and the first one is named: whoever
/// changed it may change others, so the caller should switch all of its sites off and keep away.
///
/// `texts` are the segments that sites are in, in the order of their addresses. They can be written only
/// while this runs, and have their own protection again when it returns.
///
/// Cost: two system calls for each of `texts`, one for each step, and a fault for each page that was never
/// written before. No allocation. Not async-signal-safe: a handler that came in between would wait for
/// itself in what keeps callers apart.
///
/// # Safety
///
/// * `texts` and all sites stay mapped meanwhile, and `texts` have the protection that is said.
/// * Callers come one by one, those in other threads and those in a process that shares the memory; the
///   child of a fork that happened meanwhile calls nothing of this crate, and its sites work.
/// * Each plan is of the bytes that the site was found with, and its target is code that may be called
///   there. It stays while a thread may come from the site, which is after the switch, too.
/// * With [`Threads::Alone`]: it is so.
pub unsafe fn apply<I>(texts: &[Text], pokes: I, threads: Threads) -> Result<Applied, NotApplied>
where
    I: Iterator<Item = Poke> + Clone,
{
    if threads == Threads::Running {
        threads::prepare()?;
    }
    // SAFETY: the caller's promise.
    let writable = unsafe { WritableTexts::new(texts) }?;
    let mut applied = Applied::default();
    let mut result = Ok(());
    for _ in 0..STEPS {
        // SAFETY: the caller's promise; the texts are writable.
        let (stores, is_last) = unsafe { take_step(texts, pokes.clone(), threads, &mut applied) };
        applied.stores += stores;
        if threads == Threads::Running && stores > 0 {
            applied.synchronizations += 1;
            result = threads::synchronize();
        }
        if is_last || result.is_err() {
            break;
        }
    }
    threads::synchronize_own();
    writable.restore()?;
    result.map(|()| applied)
}

/// Takes one step at each site. How many words were stored, and whether no site has a further step to take.
/// Failures are those that are found now.
///
/// # Safety
///
/// As for [`apply`], and `texts` are writable.
unsafe fn take_step(
    texts: &[Text],
    pokes: impl Iterator<Item = Poke>,
    threads: Threads,
    applied: &mut Applied,
) -> (usize, bool) {
    (applied.failed, applied.failure) = (0, None);
    let (mut stores, mut is_last) = (0, true);
    for poke in pokes {
        // SAFETY: the caller's promise.
        match unsafe { take_step_at(texts, &poke, threads) } {
            Ok(None) => {}
            Ok(Some(stored)) => {
                stores += stored.words;
                is_last &= stored.is_last;
            }
            Err(failure) => {
                applied.failed += 1;
                applied.failure.get_or_insert(failure);
            }
        }
    }
    (stores, is_last)
}

/// What a step has stored.
#[derive(Debug, Clone, Copy)]
struct StoredStep {
    words: usize,
    /// Whether the site is as wanted now.
    is_last: bool,
}

/// Takes one step at a site. None where it is as wanted.
///
/// # Safety
///
/// As for [`take_step`].
unsafe fn take_step_at(
    texts: &[Text],
    poke: &Poke,
    threads: Threads,
) -> Result<Option<StoredStep>, SiteFailure> {
    let Poke { plan, wanted } = poke;
    let address = plan.address();
    let len = plan.code(SiteState::Off).len();
    if !text::contains(texts, address, len) {
        return Err(SiteFailure::NoText { address });
    }
    // SAFETY: it is in a text, which is mapped and can be read.
    let found = unsafe { memory::read(address, len) };
    let step = |now| plan.step(now, *wanted, threads == Threads::Alone);
    let differs = || SiteFailure::Differs { address, expected: plan.code(SiteState::Found), found };
    let next = match step(found) {
        NextStep::Done => return Ok(None),
        NextStep::Store(next) => next,
        NextStep::TooLate => return Err(SiteFailure::TooLate { address }),
        NextStep::Differs => return Err(differs()),
    };
    let mut words = 0;
    for change in word::changes(address, found, next) {
        // SAFETY: the word is in the site's page or pages, which can be written.
        if !unsafe { memory::store(change) } {
            return Err(differs());
        }
        words += 1;
    }
    Ok(Some(StoredStep { words, is_last: step(next) == NextStep::Done }))
}
