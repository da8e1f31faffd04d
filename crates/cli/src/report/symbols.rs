//! Names for addresses, as the report shows them.

use super::lines::Lines;
use crate::arguments::Report;
use trace_data::dat::Metadata;
use trace_data::symbols::{Symbol, SymbolTable, Symbols};

/// The recording's names; demangled, and with lines of source, if that is wanted.
pub(crate) struct ReportSymbols<'a> {
    table: SymbolTable,
    lines: Option<Lines<'a>>,
}

impl<'a> ReportSymbols<'a> {
    pub(crate) fn new(metadata: &'a Metadata, arguments: &Report) -> ReportSymbols<'a> {
        let mut table = metadata.symbols();
        if arguments.demangle {
            table.rename(demangled);
        }
        let lines = arguments.lines.then(|| Lines::new(&metadata.supplement));
        ReportSymbols { table, lines }
    }

    /// The names alone.
    pub(crate) fn table(&self) -> &SymbolTable {
        &self.table
    }
}

impl Symbols for ReportSymbols<'_> {
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        self.table.symbol(address)
    }

    fn source(&self, address: u64, out: &mut Vec<u8>) {
        if let Some(lines) = &self.lines {
            lines.print(address, out);
        }
    }

    fn string(&self, address: u64) -> Option<&str> {
        self.table.string(address)
    }
}

/// The name in the source of what a linker knows under `name`. None for a name that is the same in both.
fn demangled(name: &str) -> Option<String> {
    if let Ok(symbol) = rustc_demangle::try_demangle(name) {
        // Without the hash that tells versions of a crate apart.
        return Some(format!("{symbol:#}"));
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
            ("_Zx", None),
            ("", None),
        ] {
            assert_eq!(demangled(name).as_deref(), expected, "{name}");
        }
    }
}
