//! The debug information of a file (DWARF).

use crate::alternate_file::AlternateFile;
use crate::canonical_frames::CanonicalFrames;
use crate::debug_units::DebugUnits;
use crate::die::Die;
use crate::parameter::Parameter;
use crate::variable_scope::VariableScope;
use object::Object;
use std::path::{Path, PathBuf};

/// What a file says of its functions, their variables and their source.
#[derive(Debug)]
pub struct DebugInfo {
    pub(crate) units: DebugUnits,
}

impl DebugInfo {
    /// That of a file, which lies at `own`, and whose sections may be compressed; with what is in other
    /// files: what it shares with others, as dwz makes it, and as `-gsplit-dwarf` makes them, in
    /// `PROGRAM.dwp`, or in those that the file says, or of their names next to the program. None where there
    /// is none.
    ///
    /// Cost: copying the file's sections of debug information. Files of single units are read when they are
    /// asked for.
    pub fn of<'a>(file: &impl Object<'a>, own: &Path, program: &Path) -> Option<DebugInfo> {
        Some(DebugInfo { units: DebugUnits::of(file, own, program)? })
    }

    /// The file that has what is said of the code at an address, and isn't there.
    pub fn missing_file(&self, address: u64) -> Option<PathBuf> {
        self.units.missing_at(address)
    }

    /// The file that has what it shares with others: without it there is little that can be said.
    pub fn alternate_file(&self) -> &AlternateFile {
        self.units.alternate()
    }

    /// What the function at one of the file's own addresses is called with. None where nothing says so.
    ///
    /// Cost: reading the entries of its compilation unit, once.
    pub fn with_parameters<T>(&self, address: u64, read: impl FnOnce(&[Parameter]) -> T) -> Option<T> {
        self.units.with_parameters(address, read)
    }

    /// What the instruction at one of the file's own addresses can see. None where it is in no function that
    /// something is said of. `frames` are those of the file that has the code.
    ///
    /// Cost: reading the entries of its compilation unit.
    pub fn scope<'a>(&'a self, frames: &'a CanonicalFrames, address: u64) -> Option<VariableScope<'a>> {
        let function = self.function_at(address)?;
        Some(VariableScope::new(&self.units, frames, address, function))
    }

    fn function_at(&self, address: u64) -> Option<Die<'_>> {
        let unit = self.units.unit_at(address)?;
        let mut entries = unit.unit().entries();
        while let Some(entry) = entries.next_dfs().ok()? {
            if entry.tag() == gimli::DW_TAG_subprogram {
                let function =
                    Die::at(&self.units, &unit, entry.offset()).filter(|die| die.contains(address));
                if function.is_some() {
                    return function;
                }
            }
        }
        None
    }

    /// Where the function begins that an instruction is of, or that was inlined there; and whatever that is.
    pub(crate) fn innermost_function(&self, address: u64) -> Option<u64> {
        let frames = CanonicalFrames::default();
        self.scope(&frames, address)?.innermost_function()
    }

    /// Where functions begin that were inlined: those whose symbol, or whose name where they have none, is
    /// one that is meant.
    ///
    /// Cost: reading all entries.
    pub fn inlined_functions(&self, is_meant: &dyn Fn(&str) -> bool) -> Vec<u64> {
        let mut found = Vec::new();
        for unit in self.units.all() {
            let mut entries = unit.unit().entries();
            while let Ok(Some(entry)) = entries.next_dfs() {
                if entry.tag() != gimli::DW_TAG_inlined_subroutine {
                    continue;
                }
                let inlined = Die::at(&self.units, &unit, entry.offset());
                let inlined = inlined.filter(|inlined| inlined.symbol().is_some_and(|name| is_meant(&name)));
                found.extend(inlined.and_then(|inlined| Some(inlined.ranges().first()?.start)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
