//! Damaged trace.dat files.

use super::damage::damage;
use super::random::Random;
use std::io::{self, Cursor};
use trace_data::dat::{Error, Recording};
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
}

/// Reads and prints everything. Returns the number of events.
fn read(file: &[u8]) -> Result<usize, Error> {
    let mut recording = Recording::open(Cursor::new(file))?;
    let metadata = recording.metadata();
    let symbols = metadata.symbols();
    let formats = metadata.formats().filter_map(|(system, text)| Format::parse(system, text).ok());
    let events: EventTable = formats.map(|format| Event::new(format, Dialect::Report)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::sample;

    #[test]
    fn the_undamaged_file_is_read() {
        assert!(read(&sample::dat().unwrap()).unwrap() > 200);
    }
}
