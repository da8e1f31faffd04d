//! Why traced processes can't place a probe, as far as its file says.

use super::padding::FilePadding;
use super::probed_file::ProbedFile;
use super::probes::SessionProbe;
use function_sites::ObjectFile;
use planner::{FunctionCode, entry_points, probe_points};
use std::path::Path;

impl SessionProbe {
    /// Why no process can place it. None where nothing speaks against it, as far as its file says: in a
    /// process, no memory may be free where its jump would lead.
    ///
    /// Cost: reading the file's tables of symbols, and decoding a function.
    pub fn obstacle(&self) -> Option<String> {
        match ProbedFile::read(Path::new(&self.definition.path)) {
            Some(file) => file.obstacle(self.definition.offset, self.is_return()),
            None => Some("its file is no program or library for x86-64".to_string()),
        }
    }
}

impl ProbedFile {
    /// Why no process can place a probe at an offset of it, or at the returns of the function that starts
    /// there, see [`SessionProbe::obstacle`].
    pub fn obstacle(&self, offset: u64, is_return: bool) -> Option<String> {
        self.with(|file, symbols| obstacle(file, symbols, offset, is_return)).flatten()
    }
}

fn obstacle(file: &ObjectFile<'_>, symbols: &ObjectFile<'_>, offset: u64, is_return: bool) -> Option<String> {
    let Some(address) = file.address_at(offset) else {
        return Some("the file has no code there".to_string());
    };
    // A compiler's own sites are always used.
    let padding = FilePadding::of(file);
    if padding.is_built() {
        return None;
    }
    if file.is_pure_go() {
        return Some("functions of Go run on stacks that are too small for probes".to_string());
    }
    let Some(span) = file.span_around(symbols, address) else {
        return Some("nothing says where its function begins and ends, or that is left alone".to_string());
    };
    let code = file.code_in(&span).unwrap_or_default();
    let function = FunctionCode { start: span.start, code };
    let no_entry = || entry_points(&function, padding.near(address)).err();
    let entry = if span.start == address { no_entry() } else { None };
    if is_return {
        let inside = (span.start != address).then(|| "a function's return needs its start".to_string());
        return inside.or_else(|| entry.map(|why| why.to_string()));
    }
    if span.start == address && entry.is_none() {
        return None;
    }
    let within = usize::try_from(address.wrapping_sub(span.start)).unwrap_or(usize::MAX);
    probe_points(&function, within, padding.near(address)).err().map(|why| why.to_string())
}
