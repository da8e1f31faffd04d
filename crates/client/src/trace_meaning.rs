//! What the records of a source mean.

use std::cell::OnceCell;
use std::sync::Arc;
use trace_data::dat::Metadata;
use trace_data::event::EventTable;
use trace_data::info::TraceInfo;
use trace_data::symbols::{Symbol, SymbolTable, Symbols};
use trace_data::threads::ThreadTable;

/// What the records of a source mean, as far as it is known.
#[derive(Debug)]
pub(crate) struct TraceMeaning {
    pub(crate) metadata: Metadata,
    pub(crate) events: Arc<EventTable>,
    pub(crate) threads: Arc<ThreadTable>,
    pub(crate) symbols: LateSymbols,
    /// Whether times are nanoseconds.
    pub(crate) nanoseconds: bool,
}

impl TraceMeaning {
    pub(crate) fn info(&self) -> TraceInfo<'_> {
        TraceInfo {
            metadata: &self.metadata,
            events: &self.events,
            tasks: &*self.threads,
            symbols: &self.symbols,
            nanoseconds: self.nanoseconds,
        }
    }
}

/// Names for addresses, which are parsed when the first is asked for: most readers ask for none.
#[derive(Debug, Default)]
pub(crate) struct LateSymbols {
    kallsyms: String,
    printk_formats: String,
    table: OnceCell<Arc<SymbolTable>>,
}

impl LateSymbols {
    /// Those of a trace.dat file.
    pub(crate) fn of_file(metadata: &Metadata) -> LateSymbols {
        let (kallsyms, printk_formats) = (metadata.kallsyms.clone(), metadata.printk_formats.clone());
        LateSymbols { kallsyms, printk_formats, table: OnceCell::new() }
    }

    /// Those of a table.
    pub(crate) fn of_table(table: Arc<SymbolTable>) -> LateSymbols {
        LateSymbols { table: OnceCell::from(table), ..LateSymbols::default() }
    }

    fn table(&self) -> &SymbolTable {
        let parse = || Arc::new(SymbolTable::parse(&self.kallsyms, &self.printk_formats));
        self.table.get_or_init(parse)
    }
}

impl Symbols for LateSymbols {
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        self.table().symbol(address)
    }

    fn source(&self, address: u64, out: &mut Vec<u8>) {
        self.table().source(address, out);
    }

    fn arguments(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        self.table().arguments(function, registers, out);
    }

    fn string(&self, address: u64) -> Option<&str> {
        self.table().string(address)
    }
}
