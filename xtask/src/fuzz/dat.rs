//! Damaged trace.dat files.

use super::damage::damage;
use super::random::Random;
use std::collections::BTreeMap;
use std::io::{self, Cursor};
use std::sync::Arc;
use trace_data::dat::{Error, Recording, SoundPages, SoundRecords};
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::merge::Merge;
use trace_data::print::Dialect;
use trace_data::record::Records;
use trace_data::text::{Layout, TextWriter};

/// Where the metadata ends and the pages start, about.
const METADATA: usize = 8192;

/// Reads a damaged file and prints what is in it.
pub fn run(file: &[u8], random: &mut Random) {
    let mut file = file.to_vec();
    for _ in 0..1 + random.below(8) {
        let end = if random.one_in(4) { file.len() } else { METADATA.min(file.len()) };
        damage(&mut file, 0..end, random);
    }
    if random.one_in(8) {
        file.truncate(random.below(file.len()));
    }
    // Whatever comes of it: an error is as good as an event.
    let _ = read(&file);
    let _ = read_sound(&file);
}

/// Reads and prints everything. Returns the number of events.
fn read(file: &[u8]) -> Result<usize, Error> {
    let mut recording = Recording::open(Cursor::new(file))?;
    let (symbols, events) = (recording.metadata().symbols(), events(&recording));
    let layout = Layout { annotate: true, ..Layout::default() };
    let mut count = 0;
    for buffer in 0..recording.buffers().len() {
        let mut writer = TextWriter::new(io::sink(), &events, &(), &symbols, layout);
        let Some(pages) = recording.pages(buffer) else { continue };
        let mut records = Merge::new(pages)?;
        while let Some(record) = records.next()? {
            let _ = writer.event(&record, None);
            count += 1;
        }
    }
    Ok(count)
}

fn events(recording: &Recording<Cursor<&[u8]>>) -> EventTable {
    let formats = recording.metadata().formats();
    let formats = formats.filter_map(|(system, text)| Format::parse(system, text).ok());
    formats.map(|format| Event::new(format, Dialect::Report)).collect()
}

/// Reads what is sound of the file, as far as it goes: records of a CPU in the order of time, of known ones.
/// Returns the number of events, and whether anything was found damaged.
fn read_sound(file: &[u8]) -> Result<(usize, bool), Error> {
    let (mut recording, truncation) = Recording::open_truncated(Cursor::new(file))?;
    let events = events(&recording);
    let records = Arc::new(SoundRecords::new(&events, &recording.metadata().options));
    let version = recording.metadata().options.version.as_deref();
    let is_own = version.is_some_and(|version| version.starts_with("lookback "));
    let (mut count, mut is_damaged) = (0, truncation.is_some());
    for buffer in 0..recording.buffers().len() {
        let Some(pages) = recording.pages(buffer) else { continue };
        let Ok(mut records) = Merge::new(SoundPages::new(pages, Arc::clone(&records)));
        let mut last = BTreeMap::new();
        while let Ok(Some(record)) = records.next() {
            let last = last.entry(record.cpu).or_insert(0);
            assert!(!is_own || record.time >= *last && events.get(record.id()).is_some());
            *last = record.time;
            count += 1;
        }
        is_damaged |= records.source().take_damage().is_some();
    }
    Ok((count, is_damaged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::sample;

    #[test]
    fn the_undamaged_file_is_read() {
        let file = sample::dat().unwrap();
        let count = read(&file).unwrap();
        assert!(count > 200);
        assert_eq!(read_sound(&file).unwrap(), (count, false));
    }
}
