//! Names for addresses: those of a trace.dat file, or of the source that programs were made from.

use crate::source_lines::SourceLines;
use reading::Prototypes;
use std::sync::Arc;
use trace_data::dat::Metadata;
use trace_data::symbols::{Symbol, SymbolTable, Symbols};

/// The names of a trace.dat file: as linkers know them or demangled, on request with lines of source.
pub struct SourceSymbols<'a> {
    table: SymbolTable,
    lines: Option<SourceLines<'a>>,
}

impl<'a> SourceSymbols<'a> {
    /// The names as linkers know them.
    pub fn new(metadata: &'a Metadata) -> SourceSymbols<'a> {
        let prototypes = Prototypes::new(metadata.supplement.files.clone());
        SourceSymbols { table: metadata.symbols().with_parameters(Arc::new(prototypes)), lines: None }
    }

    /// With the names that the source has, of C++ and Rust.
    pub fn demangle(&mut self) {
        self.table.rename(demangled);
    }

    /// With file and line, where the programs' debug information is on this machine. Files are opened when an
    /// address in them is seen first.
    pub fn find_lines(&mut self, metadata: &'a Metadata) {
        self.lines = Some(SourceLines::new(&metadata.supplement));
    }
}

impl Symbols for SourceSymbols<'_> {
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        self.table.symbol(address)
    }

    fn source(&self, address: u64, out: &mut Vec<u8>) {
        if let Some(lines) = &self.lines {
            lines.print(address, out);
        }
    }

    fn arguments(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        self.table.arguments(function, registers, out);
    }

    fn string(&self, address: u64) -> Option<&str> {
        self.table.string(address)
    }
}

/// A table of names that grows, with the names that the source has.
#[derive(Debug, Default)]
pub struct DemangledSymbols {
    linked: Arc<SymbolTable>,
    table: SymbolTable,
}

impl DemangledSymbols {
    /// The names of a table as the source has them. Cost: all of them, if it is another table than before.
    pub fn of(&mut self, linked: &Arc<SymbolTable>) -> &SymbolTable {
        if !Arc::ptr_eq(linked, &self.linked) {
            self.table = SymbolTable::clone(linked);
            self.table.rename(demangled);
            self.linked = linked.clone();
        }
        &self.table
    }
}

/// The name in the source of what a linker knows as `name`. None for a name that is the same in both.
fn demangled(name: &str) -> Option<String> {
    if let Ok(symbol) = rustc_demangle::try_demangle(name) {
        // Without the hash that distinguishes versions of a crate.
        return Some(format!("{symbol:#}"));
    }
    // Without that, the name of a type: a program called `m` would be an unsigned long.
    if !name.starts_with("_Z") {
        return None;
    }
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    symbol.demangle().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (name, expected) in [
            ("_ZN4core3fmt5write17h0123456789abcdefE", Some("core::fmt::write")),
            ("_RNvCskwGfYPst2Cb_3foo16example_function", Some("foo::example_function")),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                Some("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            ),
            ("main", None),
            ("m", None),
            ("_Zx", None),
            ("", None),
        ] {
            assert_eq!(demangled(name).as_deref(), expected, "{name}");
        }
    }
}
