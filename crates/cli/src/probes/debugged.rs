//! Programs and libraries with debug information.

use super::place::PlaceText;
use crate::failure::{Done, Failure};
use debug_info::{AlternateFile, CanonicalFrames, DebugInfo, FunctionLines, VariableScope};
use session::{NoSymbol, ProbedFile, is_named};
use std::path::Path;

/// A file that can be probed, with what debug information says of it.
pub(super) struct DebuggedFile {
    file: ProbedFile,
    info: DebugInfo,
    frames: CanonicalFrames,
}

impl DebuggedFile {
    /// The one at a path, with its own debug information or that which was split off.
    pub(super) fn read(path: &str) -> Done<DebuggedFile> {
        let file = ProbedFile::read(Path::new(path)).ok_or_else(|| {
            Failure::failed(format_args!("{path}: expected a program or a library for x86-64"))
        })?;
        let info = reading::debug_info(file.path(), file.build_id()).ok_or_else(|| {
            Failure::failed(format_args!(
                "{path} has no debug information, which variables and lines are found by: build it with -g, or install the package that has it, such as NAME-dbgsym or NAME-debuginfo"
            ))
        })?;
        if let AlternateFile::Missing(missing) = info.alternate_file() {
            return Err(Failure::failed(format_args!(
                "{path}: its debug information refers to {}, which is not there: install the package that has it, such as NAME-dbgsym or NAME-debuginfo",
                missing.display()
            )));
        }
        let frames = object::File::parse(file.bytes()).map(|parsed| CanonicalFrames::of(&parsed));
        Ok(DebuggedFile { frames: frames.unwrap_or_default(), info, file })
    }

    /// What an instruction can see.
    pub(super) fn scope(&self, address: u64) -> Done<VariableScope<'_>> {
        let scope = self.info.scope(&self.frames, address);
        scope.map(|scope| scope.with_nops(self.file.nops_at(address))).ok_or_else(|| {
            let path = self.file.path().display();
            match self.info.missing_file(address) {
                Some(missing) => Failure::failed(format_args!(
                    "{path}: its debug information of the function at {address:#x} is in {}, which isn't there, nor is it in {path}.dwp",
                    missing.display()
                )),
                None => Failure::failed(format_args!(
                    "{path}: its debug information has nothing of the function at {address:#x}, which was built without -g"
                )),
            }
        })
    }

    /// Where in the file an address is.
    pub(super) fn offset_of(&self, address: u64) -> Done<u64> {
        let none =
            || Failure::failed(format_args!("{address:#x} is nowhere in {}", self.file.path().display()));
        self.file.offset_of(address).ok_or_else(none)
    }

    /// The addresses that are meant by a place, the best first: of a line those in each function that it was
    /// compiled into, at a function's start also the one after its first instructions. A function without a
    /// symbol is where it was inlined.
    pub(super) fn addresses(&self, place: &PlaceText) -> Done<Vec<Vec<u64>>> {
        let path = self.file.path().display();
        match place {
            PlaceText::Offset(offset) => {
                let none = || Failure::failed(format_args!("{path}: nothing is mapped from {offset:#x}"));
                self.file.address_at(*offset).map(|address| vec![vec![address]]).ok_or_else(none)
            }
            PlaceText::Function { name, offset: 0 } => {
                let start = match self.function(name, 0) {
                    Ok(start) => start,
                    Err(failure) => {
                        let inlined = self.inlined(name).into_iter().map(|address| vec![address]).collect();
                        return Some(inlined).filter(|found: &Vec<_>| !found.is_empty()).ok_or(failure);
                    }
                };
                let later = self.scope(start)?.after_prologue();
                Ok(vec![[start].into_iter().chain(later).collect()])
            }
            PlaceText::Function { name, offset } => Ok(vec![vec![self.function(name, *offset)?]]),
            PlaceText::Line { of, line } if self.info.has_file(of) => {
                let found = self.info.line_addresses(of, *line);
                if found.is_empty() {
                    return Err(Failure::failed(format_args!("no instruction of {path} is of {of}:{line}")));
                }
                Ok(found)
            }
            PlaceText::Line { of, line } => {
                let function = self.function(of, 0).map_err(|_| {
                    Failure::failed(format_args!("{path} has neither a source file nor a function {of:?}"))
                })?;
                let lines = self.scope(function)?.lines();
                let line_of = |lines: FunctionLines| {
                    let line = lines.declared.line.saturating_add(*line);
                    lines.lines.get(&line).map(|found| found.iter().copied().collect())
                };
                let none = || {
                    Failure::failed(format_args!(
                        "no instruction of {of} is of its line {line}; `lookback probe --line` lists those that are"
                    ))
                };
                lines.and_then(line_of).map(|found| vec![found]).ok_or_else(none)
            }
        }
    }

    /// Where a function begins that was inlined.
    pub(super) fn inlined(&self, name: &str) -> Vec<u64> {
        self.info.inlined_functions(&|symbol| is_named(symbol.as_bytes(), name))
    }

    /// Whether a probe can be placed at an address, as far as the file says.
    pub(super) fn is_placeable(&self, address: u64) -> bool {
        self.file.offset_of(address).is_some_and(|offset| self.file.obstacle(offset, false).is_none())
    }

    fn function(&self, name: &str, offset: u64) -> Done<u64> {
        let path = self.file.path().display();
        self.file.address_of(name, offset).map_err(|why| match why {
            NoSymbol::NotFound if offset > 0 => {
                Failure::failed(format_args!("{path} has no function {name:?} of {offset:#x} bytes or more"))
            }
            NoSymbol::NotFound => Failure::failed(format_args!("{path} has no function {name:?}")),
            NoSymbol::Ambiguous => {
                Failure::failed(format_args!("{path} has several functions {name:?}: give an offset"))
            }
        })
    }

    /// Where an instruction is, as its source has it: `FUNCTION+OFFSET (FILE:LINE)`, with the line that a
    /// place says, if it says one: several lines may have the instruction.
    pub(super) fn describe(&self, address: u64, place: &PlaceText) -> String {
        let scope = self.info.scope(&self.frames, address);
        let text = match scope.as_ref().and_then(|scope| Some((scope.function_name()?, scope.start()?))) {
            Some((name, start)) if start < address => format!("{name}+{:#x}", address - start),
            Some((name, _)) => name,
            None => format!("{address:#x}"),
        };
        let line = match place {
            PlaceText::Line { of, line } => Some(format!("{of}:{line}")),
            _ => self.info.source_line(address).map(|found| format!("{}:{}", found.file, found.line)),
        };
        line.map_or(text.clone(), |line| format!("{text} ({})", line.rsplit('/').next().unwrap_or_default()))
    }
}
