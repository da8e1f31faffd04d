//! Lists of places in programs and libraries.

use crate::failure::{Done, Failure};
use crate::number::count;
use crate::probes::find_file;
use session::Instance;
use std::path::{Path, PathBuf};

/// The places in files that `all` finds: in those that were named, which have to be
/// programs or libraries of this machine; if none was, in those that traced processes have mapped.
pub(super) fn find<P>(
    files: &[String],
    open: impl FnOnce() -> Done<Instance>,
    all: impl Fn(&Path) -> Option<Vec<P>>,
) -> Done<PlacesInFiles<P>> {
    let in_file = |file: PathBuf, places: Vec<P>| PlacesInFile { file, places };
    let named = |name: &String| {
        let file = PathBuf::from(find_file(name)?);
        let places = all(&file).ok_or_else(|| {
            Failure::failed(format_args!("{name}: expected a program or a library for x86-64"))
        })?;
        Ok(in_file(file, places))
    };
    let files = match files {
        [] => mapped(&open()?)
            .into_iter()
            .map(|file| in_file(file.clone(), all(&file).unwrap_or_default()))
            .collect(),
        files => files.iter().map(named).collect::<Done<_>>()?,
    };
    Ok(PlacesInFiles(files))
}

/// The files that traced processes have mapped.
fn mapped(instance: &Instance) -> Vec<PathBuf> {
    let mut files = instance.session().mapped_files();
    files.sort();
    files.dedup();
    files
}

/// A file, and the places in it.
struct PlacesInFile<P> {
    file: PathBuf,
    places: Vec<P>,
}

/// Some files, and the places in them.
pub(super) struct PlacesInFiles<P>(Vec<PlacesInFile<P>>);

impl<P> PlacesInFiles<P> {
    /// All places, with their files.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, &P)> + Clone {
        self.0.iter().flat_map(|found| found.places.iter().map(|place| (found.file.as_path(), place)))
    }

    /// That there are none, which are called `what`.
    pub(super) fn none(&self, what: &str) -> Failure {
        let files = count(self.0.len() as u64, "file", "files");
        Failure::failed(format_args!("no {what} in {files}"))
    }
}
