//! Taking events out of a buffer in the order of time, translated.

use crate::queue::{Queues, Supply};
use crate::tables::Forks;
use crate::translate::Translator;
use session::Instance;
use trace_data::record::Record;

/// What takes events out: of the buffers, or of the newest snapshot.
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) queues: Queues,
    /// Who has made whom, as far as its records have told.
    pub(crate) forks: Forks,
}

impl Pipe {
    /// One that has taken nothing yet.
    pub(crate) fn new(session: &Instance) -> Pipe {
        Pipe { queues: Queues::new(session.buffer()), forks: Forks::new() }
    }

    /// Takes events out of `supply`, as [`crate::Reader::take`] does, but none later than `looked`. Whether
    /// such a one is next.
    pub(crate) fn take(
        &mut self,
        supply: &impl Supply,
        (cpu, looked): (Option<u32>, u64),
        translator: &mut Translator,
        mut take: impl FnMut(&Record<'_>) -> bool,
    ) -> bool {
        std::mem::swap(&mut self.forks, &mut translator.tasks.forks);
        let mut is_later = false;
        let mut next = self.queues.earliest(supply, cpu);
        while let Some(of) = next {
            let Some(record) = self.queues.first(of) else { break };
            is_later = record.time > looked;
            if is_later || !translator.translate(&record).is_none_or(|record| take(&record)) {
                break;
            }
            self.queues.pop(of);
            if !self.queues.goes_on(of, cpu) {
                next = self.queues.earliest(supply, cpu);
            }
        }
        std::mem::swap(&mut self.forks, &mut translator.tasks.forks);
        is_later
    }
}
