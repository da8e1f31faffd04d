//! The chosen records of a trace.

use crate::{Chooser, Redaction};
use foldhash::{HashMap, HashSet};
use trace_data::info::TraceInfo;
use trace_data::page::Missed;
use trace_data::record::{Record, Records};

/// Hands on the chosen records, with strings hidden. Losses before records that are not chosen are those
/// before the next one of that CPU.
#[derive(Debug)]
pub struct Query {
    chooser: Chooser,
    redaction: Redaction,
    lost: HashMap<u32, Missed>,
    /// The CPUs that have had a record, where losses before the first are not wanted.
    started: Option<HashSet<u32>>,
    /// Records of the chosen events that were not chosen.
    passed_over: u64,
    /// The payload with strings hidden.
    space: Vec<u8>,
}

impl Query {
    /// For the records that `chooser` chooses.
    pub fn new(chooser: Chooser) -> Query {
        Query {
            chooser,
            redaction: Redaction::default(),
            lost: HashMap::default(),
            started: None,
            passed_over: 0,
            space: Vec::new(),
        }
    }

    /// With strings hidden.
    #[must_use]
    pub fn redacted(self, redaction: Redaction) -> Query {
        Query { redaction, ..self }
    }

    /// Without the losses before the first record of a CPU: a full buffer has lost its start.
    #[must_use]
    pub fn without_first_losses(self) -> Query {
        Query { started: Some(HashSet::default()), ..self }
    }

    /// How many records of the chosen events were not chosen, so far: for another reason than their event.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Hands all records on to `sink`, and whether they are chosen: with strings hidden. `trace` says what
    /// they mean.
    ///
    /// # Errors
    ///
    /// The first one, of the source or of `sink`.
    pub fn play<R: Records, E>(
        &mut self,
        records: &mut R,
        trace: &TraceInfo<'_>,
        mut sink: impl FnMut(&Record<'_>, bool) -> Result<(), E>,
    ) -> Result<(), Interruption<R::Error, E>> {
        while let Some(record) = records.next().map_err(Interruption::Source)? {
            match self.choose(&record, trace) {
                Some(chosen) => sink(&chosen, true),
                None => {
                    let payload = self.redaction.apply(&record, &mut self.space);
                    sink(&Record { payload, ..record }, false)
                }
            }
            .map_err(Interruption::Sink)?;
        }
        Ok(())
    }

    /// The record as it is handed on. `None` if it is not chosen. Records have to come in the order of time.
    pub fn choose<'a>(&'a mut self, record: &Record<'a>, trace: &TraceInfo<'_>) -> Option<Record<'a>> {
        let is_first = self.started.as_mut().is_some_and(|started| started.insert(record.cpu));
        let here = if is_first { Missed::None } else { record.lost };
        let lost = match self.lost.is_empty() {
            true => here,
            false => self.lost.remove(&record.cpu).unwrap_or_default().and(here),
        };
        if self.chooser.contains(record, trace) {
            let payload = self.redaction.apply(record, &mut self.space);
            return Some(Record { lost, payload, ..*record });
        }
        self.passed_over += u64::from(self.chooser.names_event(record.id()));
        if lost != Missed::None {
            self.lost.insert(record.cpu, lost);
        }
        None
    }
}

/// Why records have ended early.
#[derive(Debug)]
pub enum Interruption<S, T> {
    /// The source can't be read.
    Source(S),
    /// The sink takes no more.
    Sink(T),
}
