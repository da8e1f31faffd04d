//! The file that has what several files share of their debug information, as dwz makes it.

use crate::sections::{DwarfSections, section};
use object::Object;
use object::read::ReadCache;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where files for debuggers are, by their build ids.
const BY_BUILD_ID: &str = "/usr/lib/debug/.build-id";

/// The file that another one shares debug information by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlternateFile {
    /// It shares none.
    None,
    /// It lies here.
    Found(PathBuf),
    /// It isn't there, or another one is, where it should have this path.
    Missing(PathBuf),
}

impl AlternateFile {
    /// That of a file which lies at this path.
    pub fn of<'a>(file: &impl Object<'a>, path: &Path) -> AlternateFile {
        let Ok(Some((name, build_id))) = file.gnu_debugaltlink() else { return AlternateFile::None };
        // Names are relative to where the file really is, not to links to it.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let named = real.parent().unwrap_or(Path::new("")).join(OsStr::from_bytes(name));
        let places = [Some(named.clone()), by_build_id(build_id)];
        let found = places.into_iter().flatten().find(|place| has_build_id(place, build_id));
        found.map_or(AlternateFile::Missing(named), AlternateFile::Found)
    }

    /// What the file has. None where it isn't there.
    pub(crate) fn read(&self) -> Option<DwarfSections> {
        let AlternateFile::Found(path) = self else { return None };
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        DwarfSections::load(|id| Ok::<_, gimli::Error>(section(&file, id.name()))).ok()
    }
}

fn by_build_id(build_id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first()?;
    let mut name = String::new();
    rest.iter().for_each(|byte| {
        let _ = write!(name, "{byte:02x}");
    });
    Some(Path::new(BY_BUILD_ID).join(format!("{first:02x}")).join(name + ".debug"))
}

fn has_build_id(path: &Path, build_id: &[u8]) -> bool {
    let read = || {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        Some(file.build_id().ok()?? == build_id)
    };
    read().unwrap_or(false)
}
