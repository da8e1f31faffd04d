//! A first look at all records: how many there are, and when.

use trace_data::merge::Pages;
use trace_data::page::{Missed, Page};

/// What is known before the first record is shown. Costs a step for each record, whatever it is.
#[derive(Debug, Default)]
pub struct Survey {
    /// How many records there are.
    pub entries: u64,
    /// How many events were lost.
    pub lost: u64,
    /// How many CPUs there are.
    pub cpus: u64,
    /// The times of the first record and of the last, as they are in the pages.
    pub bounds: Option<(u64, u64)>,
}

impl Survey {
    /// Reads all pages.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new<S: Pages>(mut pages: S) -> Result<Survey, S::Error> {
        let mut survey = Survey { cpus: pages.streams() as u64, ..Survey::default() };
        let mut bytes = Vec::new();
        for stream in 0..pages.streams() {
            while pages.next_page(stream, &mut bytes)? {
                if let Some(page) = Page::new(&bytes) {
                    survey.add(&page);
                }
            }
        }
        Ok(survey)
    }

    fn add(&mut self, page: &Page<'_>) {
        if let Missed::Count(count) = page.missed() {
            self.lost += count;
        }
        let mut last = None;
        for event in page.events() {
            self.entries += 1;
            last = Some(event.time);
        }
        if let Some(last) = last {
            let (earliest, latest) = self.bounds.unwrap_or((u64::MAX, 0));
            self.bounds = Some((earliest.min(page.time_stamp()), latest.max(last)));
        }
    }
}
