//! Debug information that is in other files, one for each unit, or all in one: what `-gsplit-dwarf` makes.

use crate::debug_file::{DebugFile, FileUnit};
use crate::recent_files::{FilePart, RecentFiles};
use crate::sections::{Dwarf, DwarfUnit, SectionBytes, none, section};
use gimli::{DebugTypeSignature, DwarfPackage, Reader, SectionId};
use object::read::ReadCache;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Where the units of a file may be that it has only the beginnings of. They are read when they are asked
/// for.
#[derive(Debug)]
pub(crate) struct SplitFiles {
    /// Where the program lies.
    path: PathBuf,
    /// All of them in one file, once it was looked for.
    package: OnceLock<Option<DwarfPackage<SectionBytes>>>,
    recent: RecentFiles,
}

/// Finds the bytes of a section.
type Lookup<'a> = dyn FnMut(SectionId) -> gimli::Result<SectionBytes> + 'a;

/// What a unit's beginning stands for.
pub(crate) enum SplitUnit {
    /// It is all there is.
    Whole,
    /// The file that has the rest of it.
    Found(Arc<DebugFile>),
    /// Its file isn't there, which has this path.
    Missing(PathBuf),
}

impl SplitFiles {
    pub(crate) fn new(path: &Path) -> SplitFiles {
        SplitFiles { path: path.to_path_buf(), package: OnceLock::new(), recent: RecentFiles::default() }
    }

    /// The rest of a unit.
    pub(crate) fn rest(&self, dwarf: &Dwarf, beginning: &FileUnit) -> SplitUnit {
        let unit = &beginning.unit;
        let (Some(id), Some(path)) = (unit.dwo_id, split_path(dwarf, unit)) else {
            return SplitUnit::Whole;
        };
        let read = || {
            let packed = self.package().and_then(|package| package.find_cu(id, dwarf).ok().flatten());
            let packed = packed.and_then(|found| DebugFile::rest(found, beginning));
            let in_file = |path: PathBuf| DebugFile::rest(unit_file(&path, dwarf)?, beginning);
            packed.or_else(|| self.places(&path).find_map(in_file))
        };
        let found = self.recent.get(FilePart::Unit(beginning.index), read);
        found.map_or(SplitUnit::Missing(path), SplitUnit::Found)
    }

    /// A type's unit, which the one file of all has apart from the units that use it.
    pub(crate) fn with_type(&self, dwarf: &Dwarf, signature: DebugTypeSignature) -> Option<Arc<DebugFile>> {
        let package = self.package()?;
        self.recent
            .get(FilePart::Type(signature), || Some(DebugFile::new(package.find_tu(signature, dwarf).ok()??)))
    }

    /// The one file of all, next to the program.
    fn package(&self) -> Option<&DwarfPackage<SectionBytes>> {
        let read = || {
            let mut name = self.path.as_os_str().to_owned();
            name.push(".dwp");
            read(name.as_ref(), |load| DwarfPackage::load(load, none()))
        };
        self.package.get_or_init(read).as_ref()
    }

    /// Where a unit's own file may be: as the compiler has said, or next to the program.
    fn places(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let alongside = path.file_name().map(|name| directory.join(name));
        [path.to_owned()].into_iter().chain(alongside)
    }
}

/// The path of the file that has the rest of a unit. None of a unit that is whole.
fn split_path(dwarf: &Dwarf, unit: &DwarfUnit) -> Option<PathBuf> {
    let name = dwarf.attr_string(unit, unit.dwo_name().ok()??).ok()?;
    let directory = unit.comp_dir.as_ref().and_then(|directory| directory.to_string_lossy().ok());
    Some(Path::new(directory.as_deref().unwrap_or("")).join(&*name.to_string_lossy().ok()?))
}

/// What a unit's own file has.
fn unit_file(path: &Path, dwarf: &Dwarf) -> Option<Dwarf> {
    let mut found = read(path, |load| Dwarf::load(load))?;
    found.make_dwo(dwarf);
    Some(found)
}

/// What is made of a file's sections, which are looked up by what such files call them.
fn read<T>(path: &Path, make: impl FnOnce(&mut Lookup<'_>) -> gimli::Result<T>) -> Option<T> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    make(&mut |id| Ok(id.dwo_name().map_or_else(none, |name| section(&file, name)))).ok()
}
