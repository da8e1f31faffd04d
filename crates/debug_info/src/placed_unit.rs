//! A unit of debug information, and the file that has it.

use crate::debug_file::{DebugFile, FileUnit};
use crate::sections::{Dwarf, DwarfUnit};
use gimli::DwLang;
use std::sync::Arc;

/// A unit in a file, which is kept as long as this is.
#[derive(Debug, Clone)]
pub(crate) struct PlacedUnit {
    pub(crate) file: Arc<DebugFile>,
    unit: Arc<FileUnit>,
}

impl PlacedUnit {
    pub(crate) fn new(file: &Arc<DebugFile>, unit: &Arc<FileUnit>) -> PlacedUnit {
        PlacedUnit { file: file.clone(), unit: unit.clone() }
    }

    pub(crate) fn unit(&self) -> &DwarfUnit {
        &self.unit.unit
    }

    /// The debug information of its file.
    pub(crate) fn dwarf(&self) -> &Dwarf {
        self.file.dwarf()
    }

    /// The language of its source. None for what several units share.
    pub(crate) fn language(&self) -> Option<DwLang> {
        self.unit.language
    }

    /// Its place in its file.
    pub(crate) fn index(&self) -> usize {
        self.unit.index
    }

    /// Whether both are the same unit.
    pub(crate) fn is(&self, other: &PlacedUnit) -> bool {
        let place = |unit: &PlacedUnit| (unit.file.beginning(), unit.index());
        // What is in a file of its own may have been read twice.
        let is_rest = self.file.beginning().is_some();
        place(self) == place(other) && (is_rest || Arc::ptr_eq(&self.file, &other.file))
    }
}
