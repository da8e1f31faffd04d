//! The sections of files that have debug information.

use gimli::{EndianArcSlice, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::sync::Arc;

/// The bytes of a section.
pub(crate) type SectionBytes = EndianArcSlice<LittleEndian>;
pub(crate) type Dwarf = gimli::Dwarf<SectionBytes>;
pub(crate) type DwarfSections = gimli::DwarfSections<SectionBytes>;
pub(crate) type DwarfUnit = gimli::Unit<SectionBytes>;
pub(crate) type Entry = gimli::DebuggingInformationEntry<SectionBytes>;

/// Those of a section that isn't there.
pub(crate) fn none() -> SectionBytes {
    SectionBytes::new(Arc::default(), LittleEndian)
}

/// The bytes of a file's sections of a name: a file of one unit may have several, each with a type. None
/// where it has none.
pub(crate) fn section<'a>(file: &impl Object<'a>, name: &str) -> SectionBytes {
    let bytes = |data: Cow<'_, [u8]>| SectionBytes::new(Arc::from(data), LittleEndian);
    let same = || file.sections().filter(|section| section.name() == Ok(name));
    if same().nth(1).is_none() {
        let data = file.section_by_name(name).and_then(|section| section.uncompressed_data().ok());
        return data.map_or_else(none, bytes);
    }
    let all = same().filter_map(|section| section.uncompressed_data().ok());
    bytes(Cow::Owned(all.flat_map(Cow::into_owned).collect()))
}
