//! A first look at all events: how many there are, and when.

use std::fs::File;
use trace_data::dat::{Error, Recording};
use trace_data::merge::Pages;
use trace_data::page::{Missed, Page};
use trace_data::text::{Header, NOP};

/// What is known before the first event is shown. A step for each event, without looking at what it is.
#[derive(Debug, Default)]
pub(super) struct Survey {
    entries: u64,
    lost: u64,
    cpus: u64,
    /// The times of the first event and of the last, as they are in the pages.
    pub(super) bounds: Option<(u64, u64)>,
}

impl Survey {
    pub(super) fn new(recording: &mut Recording<File>, buffer: usize) -> Result<Survey, Error> {
        let mut survey = Survey::default();
        let Some(mut pages) = recording.pages(buffer) else { return Ok(survey) };
        survey.cpus = pages.streams() as u64;
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

    /// The numbers of a text's header.
    pub(super) fn header(&self) -> Header<'static> {
        Header {
            tracer: NOP,
            entries: self.entries,
            written: self.entries + self.lost,
            cpus: self.cpus,
            release: "",
        }
    }
}
