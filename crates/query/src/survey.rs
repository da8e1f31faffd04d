//! A first look at all records: how many there are, and when.

use std::collections::BTreeSet;
use trace_data::gaps::GapFinder;
use trace_data::merge::Pages;
use trace_data::page::{Missed, Page};

/// What is known before the first record is shown. Costs a step for each record, whatever it is.
#[derive(Debug, Default)]
pub struct Survey {
    /// How many records there are.
    pub entries: u64,
    /// How many events were lost.
    pub lost: u64,
    /// How many CPUs there are: one more than the number of the last.
    pub cpus: u64,
    /// The ids of their events.
    pub ids: BTreeSet<u16>,
    /// The times of the first record and of the last, as they are in the pages.
    pub bounds: Option<(u64, u64)>,
    /// From which times events are missing, as in [`Gaps::new`](trace_data::gaps::Gaps::new).
    pub gaps: Vec<(u64, u64)>,
    /// Where pages say that events are missing, CPU by CPU.
    pub losses: Vec<SurveyedLoss>,
}

/// Events that a CPU's buffer has lost: those between two of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurveyedLoss {
    /// The CPU.
    pub cpu: u32,
    /// The time of the record before them, as it is in the page; 0 where there is none.
    pub from: u64,
    /// The time of the record after them; `u64::MAX` where there is none.
    pub to: u64,
    /// How many they are.
    pub count: Missed,
}

impl Survey {
    /// Reads all pages.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new<S: Pages>(pages: &mut S) -> Result<Survey, S::Error> {
        let last = (0..pages.streams()).map(|stream| pages.cpu(stream)).max();
        let cpus = last.map_or(0, |cpu| u64::from(cpu) + 1);
        let mut survey = Survey { cpus, ..Survey::default() };
        let mut finder = GapFinder::default();
        for stream in 0..pages.streams() {
            survey.read(pages, stream, &mut finder)?;
        }
        Ok(Survey { gaps: finder.gaps(), ..survey })
    }

    fn read<S: Pages>(
        &mut self,
        pages: &mut S,
        stream: usize,
        finder: &mut GapFinder,
    ) -> Result<(), S::Error> {
        let (mut bytes, mut before) = (Vec::new(), 0);
        finder.next_cpu(true);
        while pages.next_page(stream, &mut bytes)? {
            let Some(page) = Page::new(&bytes) else { continue };
            if page.missed != Missed::None {
                let (cpu, to) = (pages.cpu(stream), page.time_stamp);
                self.losses.push(SurveyedLoss { cpu, from: before, to, count: page.missed });
            }
            let last = self.add(&page);
            finder.add(&page, last);
            before = last.unwrap_or(before);
        }
        Ok(())
    }

    /// Counts a page. The time of its last event.
    fn add(&mut self, page: &Page<'_>) -> Option<u64> {
        if let Missed::Count(count) = page.missed {
            self.lost = self.lost.saturating_add(count);
        }
        let (mut last, mut known) = (None, None);
        for event in page.events() {
            self.entries += 1;
            let id = event.payload.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
            // Often it is that of the event before.
            if id != known {
                self.ids.extend(id);
                known = id;
            }
            last = Some(event.time);
        }
        if let Some(last) = last {
            let (earliest, latest) = self.bounds.unwrap_or((u64::MAX, 0));
            self.bounds = Some((earliest.min(page.time_stamp), latest.max(last)));
        }
        last
    }
}
