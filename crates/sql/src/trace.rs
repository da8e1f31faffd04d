//! A trace.dat file that is asked.

use crate::failure::SqlFailure;
use crate::loss::Loss;
use crate::say::printable_path;
use query::{SourceSymbols, Survey, TraceBuffer, TraceContents, TraceFile};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use trace_data::dat;
use trace_data::text::printable;

/// A trace.dat file, opened and looked at once. Those who read it at the same time have a handle each.
#[derive(Debug)]
pub struct AskedTrace {
    path: PathBuf,
    /// What it is called.
    name: String,
    /// What its records mean.
    pub contents: TraceContents,
    /// The first look at it, as far as it can be read.
    pub survey: Survey,
    /// The events that it has lost.
    pub losses: Arc<[Loss]>,
    /// The CPUs that it has records of.
    pub cpus: Vec<u32>,
    /// Handles that nobody reads from.
    idle: Mutex<Vec<TraceBuffer>>,
    /// Why not all of it could be read.
    damage: Mutex<Option<String>>,
}

impl AskedTrace {
    /// Opens a file, and looks at all of its pages. It is called by its path without a `name`.
    pub fn open(path: &Path, name: Option<&str>) -> Result<AskedTrace, SqlFailure> {
        let (contents, mut buffer, truncation) = open(path)?;
        let (survey, read) = buffer.survey();
        let cpus = (0..buffer.streams()).filter_map(|stream| buffer.cpu(stream)).collect();
        let losses = Loss::all(&survey, &contents).into();
        let idle = Mutex::new(vec![buffer]);
        let name = name.map_or_else(|| path.to_string_lossy().into_owned(), str::to_owned);
        let (path, damage) = (path.into(), Mutex::default());
        let trace = AskedTrace { path, name, contents, survey, losses, cpus, idle, damage };
        let damage = truncation.or(read.err());
        damage.iter().for_each(|error| trace.complain(error));
        Ok(trace)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does something with a handle of its own.
    pub fn with_buffer<T>(&self, read: impl FnOnce(&mut TraceBuffer) -> T) -> Result<T, SqlFailure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = match idle {
            Some(buffer) => buffer,
            None => open(&self.path)?.1,
        };
        let done = read(&mut buffer);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        Ok(done)
    }

    /// The names of its addresses, as the source has them.
    pub fn symbols(&self) -> SourceSymbols<'_> {
        let mut symbols = SourceSymbols::new(&self.contents.metadata);
        symbols.demangle();
        symbols
    }

    /// Notes that it can't be read from somewhere on.
    pub fn complain(&self, error: &dat::Error) {
        self.note_damage(format!("{}: {}", printable(&self.name), SqlFailure::with_causes(error)));
    }

    /// Notes why not all of it can be read, if that isn't known yet.
    pub fn note_damage(&self, text: String) {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }

    /// How many events were lost: one at least where a loss has no number.
    pub fn lost(&self) -> u64 {
        self.losses.iter().map(|loss| loss.count.unwrap_or(1)).sum()
    }

    /// How many losses have no number.
    pub fn uncounted(&self) -> u64 {
        self.losses.iter().filter(|loss| loss.count.is_none()).count() as u64
    }

    /// How many events were not written, for other reasons.
    pub fn dropped(&self) -> u64 {
        self.contents.metadata.supplement.dropped.iter().map(|(count, _)| count).sum()
    }

    /// Why not all of it could be read, if so.
    pub fn damage(&self) -> Option<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What can be read of a file, and why there is no more.
fn open(path: &Path) -> Result<(TraceContents, TraceBuffer, Option<dat::Error>), SqlFailure> {
    let wrong = |error: &dyn std::error::Error| {
        SqlFailure::failed(format_args!("{}: {}", printable_path(path), SqlFailure::with_causes(error)))
    };
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let (file, truncation) = TraceFile::open_truncated(file, None).map_err(|error| wrong(&error))?;
    let TraceFile { contents, buffer } = file;
    Ok((contents, buffer, truncation))
}
