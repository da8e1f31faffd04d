//! Debug information that is in other files, one for each unit, or all in one: what `-gsplit-dwarf` makes.

use crate::unit_types::{Dwarf, SectionBytes};
use gimli::{DwarfPackage, LittleEndian, Reader, SectionId, Unit};
use object::read::ReadCache;
use object::{Object, ObjectSection};
use std::cell::OnceCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a file's section of a name; none where it has none.
pub(crate) fn section<'a>(file: &impl Object<'a>, name: &str) -> SectionBytes {
    let data = file.section_by_name(name).and_then(|section| section.uncompressed_data().ok());
    SectionBytes::new(data.map(Arc::from).unwrap_or_default(), LittleEndian)
}

/// Where the units of a file may be that it has only the beginnings of.
pub(crate) struct SplitFiles<'a> {
    /// Where the file lies.
    path: &'a Path,
    /// All of them in one file, once it was looked for.
    package: OnceCell<Option<DwarfPackage<SectionBytes>>>,
}

/// Finds the bytes of a section.
type Lookup<'a> = dyn FnMut(SectionId) -> gimli::Result<SectionBytes> + 'a;

/// What a unit's beginning stands for.
pub(crate) enum SplitUnit {
    /// It is all there is.
    Whole,
    /// The units of the file that has the rest of it.
    Found(Arc<Dwarf>, Vec<Unit<SectionBytes>>),
    /// Its file isn't there, which has this path.
    Missing(PathBuf),
}

impl<'a> SplitFiles<'a> {
    pub(crate) fn new(path: &'a Path) -> SplitFiles<'a> {
        SplitFiles { path, package: OnceCell::new() }
    }

    /// The rest of a unit.
    pub(crate) fn rest(&self, dwarf: &Dwarf, beginning: &Unit<SectionBytes>) -> SplitUnit {
        let (Some(id), Some(path)) = (beginning.dwo_id, split_path(dwarf, beginning)) else {
            return SplitUnit::Whole;
        };
        let packed = self.package().and_then(|package| package.find_cu(id, dwarf).ok().flatten());
        let found = packed.and_then(|found| units(found, beginning));
        match found.or_else(|| self.places(&path).find_map(|path| units(unit_file(&path, dwarf)?, beginning)))
        {
            Some((found, units)) => SplitUnit::Found(Arc::new(found), units),
            None => SplitUnit::Missing(path),
        }
    }

    /// The one file of all, next to the file.
    fn package(&self) -> Option<&DwarfPackage<SectionBytes>> {
        let read = || {
            let mut name = self.path.as_os_str().to_owned();
            name.push(".dwp");
            read(name.as_ref(), |load| DwarfPackage::load(load, none()))
        };
        self.package.get_or_init(read).as_ref()
    }

    /// Where a unit's own file may be: as the compiler has said, or next to the file.
    fn places(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let alongside = path.file_name().map(|name| directory.join(name));
        [path.to_owned()].into_iter().chain(alongside)
    }
}

fn none() -> SectionBytes {
    SectionBytes::new(Arc::default(), LittleEndian)
}

/// The path of the file that has the rest of a unit. None of a unit that is whole.
fn split_path(dwarf: &Dwarf, unit: &Unit<SectionBytes>) -> Option<PathBuf> {
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

/// The units of it, if it is what a unit's beginning stands for.
fn units(found: Dwarf, beginning: &Unit<SectionBytes>) -> Option<(Dwarf, Vec<Unit<SectionBytes>>)> {
    let (mut headers, mut units) = (found.units(), Vec::new());
    while let Ok(Some(header)) = headers.next() {
        let Ok(mut unit) = found.unit(header) else { continue };
        if unit.dwo_id == beginning.dwo_id {
            unit.copy_relocated_attributes(beginning);
        }
        // Lines are in the file that has the code.
        unit.line_program = None;
        units.push(unit);
    }
    units.iter().any(|unit| unit.dwo_id == beginning.dwo_id).then_some((found, units))
}
