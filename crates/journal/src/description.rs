//! What describes a session's events, as its file says, and what of it has changed.

use crate::Error;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use session::Instance;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Bytes that are compared, and written, at once.
const PAGE: u64 = 4096;

/// The most bytes that are given at once.
const MOST: u64 = 1 << 16;

/// The parts of a session's file that describe its events, as they were when they were looked at.
///
/// They are read by read(2): to look at what nobody has written where it is mapped would give it memory.
#[derive(Debug)]
pub(crate) struct SessionDescription {
    file: File,
    parts: Vec<(Range<u64>, Vec<u8>)>,
}

impl SessionDescription {
    /// Of nothing that is known yet.
    pub(crate) fn of(session: &Instance) -> Result<SessionDescription, Error> {
        let path = session.file();
        let file = File::open(&path).map_err(Error::at(&path))?;
        let parts = session.description().into_iter();
        let parts = parts.map(|part| (part.clone(), vec![0; (part.end - part.start) as usize])).collect();
        Ok(SessionDescription { file, parts })
    }

    /// Forgets what it knows: all that is not zero is a change then.
    pub(crate) fn forget(&mut self) {
        for (_, known) in &mut self.parts {
            // Not filled with zeros: that would give it memory.
            *known = vec![0; known.len()];
        }
    }

    /// Gives what has changed since the last look: where in the session's file, and what is there now.
    pub(crate) fn look(&mut self, mut give: impl FnMut(u64, &[u8])) {
        for (part, known) in &mut self.parts {
            let mut at = part.start;
            while let Some(data) = next_data(&self.file, at..part.end) {
                compare(&self.file, data.clone(), part.start, known, &mut give);
                at = data.end;
            }
        }
    }
}

/// The next bytes of `range` that have memory, in whole pages.
fn next_data(file: &File, range: Range<u64>) -> Option<Range<u64>> {
    let find = |from: SeekFrom| seek(file, from);
    let start = match find(SeekFrom::Data(range.start)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return None,
        // The file system doesn't say.
        Err(_) => range.start,
    };
    let end = find(SeekFrom::Hole(start)).unwrap_or(range.end).min(range.end);
    let start = (start / PAGE * PAGE).max(range.start);
    let end = end.next_multiple_of(PAGE).min(range.end);
    (start < end).then_some(start..end)
}

/// Gives the pages of `data` that differ from what is known, in pieces.
fn compare(
    file: &File,
    data: Range<u64>,
    part_start: u64,
    known: &mut [u8],
    give: &mut impl FnMut(u64, &[u8]),
) {
    let mut bytes = vec![0; MOST as usize];
    for start in data.clone().step_by(MOST as usize) {
        let len = (data.end - start).min(MOST) as usize;
        let at = (start - part_start) as usize;
        let (Some(found), Some(known)) = (bytes.get_mut(..len), known.get_mut(at..at + len)) else { return };
        // What can't be read has gone, with the session.
        if file.read_exact_at(found, start).is_err() {
            return;
        }
        let changed = |page: usize| {
            let range = page..(page + PAGE as usize).min(len);
            found.get(range.clone()) != known.get(range)
        };
        let mut page = 0;
        while page < len {
            let from = page;
            while page < len && changed(page) {
                page += PAGE as usize;
            }
            if let Some(run) = found.get(from..page.min(len)).filter(|run| !run.is_empty()) {
                give(start + from as u64, run);
            }
            page += PAGE as usize;
        }
        known.copy_from_slice(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts begin and end anywhere: each look goes on, up to the end of its part and no further.
    #[test]
    fn what_has_memory_is_found_once_wherever_a_part_begins() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 * PAGE).unwrap();
        for page in [1, 2, 20, 63] {
            file.write_all_at(&[1], page * PAGE + 100).unwrap();
        }
        for range in [
            0..64 * PAGE,
            PAGE + 64..20 * PAGE + 192,
            2 * PAGE + 4000..3 * PAGE,
            63 * PAGE + 64..64 * PAGE - 8,
        ] {
            let (mut at, mut found) = (range.start, Vec::new());
            while let Some(data) = next_data(&file, at..range.end) {
                assert!(
                    at <= data.start && data.start < data.end && data.end <= range.end,
                    "{data:?} of {range:?}"
                );
                at = data.end;
                found.push(data);
            }
            for page in [1, 2, 20, 63] {
                let byte = page * PAGE + 100;
                let times = found.iter().filter(|data| data.contains(&byte)).count();
                assert_eq!(times, usize::from(range.contains(&byte)), "{byte} of {range:?}");
            }
        }
    }
}
