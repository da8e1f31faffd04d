//! Texts that programs read twice, and expect to find the same: first for their length, then at once to copy
//! them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Files whose text changes without anybody's writing to them or taking events. `kallsyms` changes only then,
/// and trace-cmd reads it before it records, too.
const NAMES: &[&str] = &["available_events", "printk_formats", "saved_cmdlines", "saved_tgids"];

/// How long after the first reading a second is the same.
const LONGEST: Duration = Duration::from_secs(1);

/// The texts that threads have read once.
#[derive(Debug, Default)]
pub(crate) struct KeptTexts(HashMap<TextReader, (Instant, Arc<Vec<u8>>)>);

/// A path, and the thread that has read it.
type TextReader = (Arc<str>, u32);

/// Whether the file at `path` is of this kind.
pub(crate) fn is_kept(path: &str) -> bool {
    NAMES.contains(&path.rsplit('/').next().unwrap_or(path))
}

impl KeptTexts {
    /// A thread opens a file: what it has read of another is not wanted again.
    pub(crate) fn turn_to(&mut self, path: &Arc<str>, thread: u32) {
        self.0.retain(|(kept, reader), _| *reader != thread || kept == path);
    }

    /// What a thread reads from the start of a file: what it has read just before, once; else what `make`
    /// makes.
    pub(crate) fn read<E>(
        &mut self,
        path: &Arc<str>,
        thread: u32,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<Vec<u8>>, E> {
        self.0.retain(|_, (read, _)| read.elapsed() < LONGEST);
        let reader = (path.clone(), thread);
        if let Some((_, text)) = self.0.remove(&reader) {
            return Ok(text);
        }
        let text = Arc::new(make()?);
        self.0.insert(reader, (Instant::now(), text.clone()));
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_reading_is_the_first_and_the_third_is_new() {
        let mut texts = KeptTexts::default();
        let path: Arc<str> = Arc::from("instances/a/saved_cmdlines");
        assert!(is_kept(&path) && !is_kept("trace"));
        let mut count = 0;
        let mut read = |thread| {
            let make = || {
                count += 1;
                Ok::<_, ()>(vec![count])
            };
            texts.read(&path, thread, make).unwrap()[0]
        };
        assert_eq!([read(1), read(1), read(1), read(2), read(1)], [1, 1, 2, 3, 2]);
    }

    #[test]
    fn who_has_opened_another_file_reads_it_again() {
        let mut texts = KeptTexts::default();
        let [names, other] = ["saved_cmdlines", "trace"].map(Arc::from);
        let read =
            |texts: &mut KeptTexts, count: u8| texts.read(&names, 1, || Ok::<_, ()>(vec![count])).unwrap()[0];
        assert_eq!(read(&mut texts, 1), 1);
        texts.turn_to(&names, 1);
        texts.turn_to(&other, 2);
        assert_eq!(read(&mut texts, 2), 1, "its own, and others' files");
        assert_eq!(read(&mut texts, 3), 3);
        texts.turn_to(&other, 1);
        assert_eq!(read(&mut texts, 4), 4);
    }
}
