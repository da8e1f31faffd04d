//! The functions that a file's tables of symbols name.

use crate::function_symbol::FunctionSymbol;
use crate::object_file::ObjectFile;
use elf::abi::{SHN_UNDEF, SHT_DYNSYM, SHT_GNU_VERSYM, SHT_SYMTAB, STT_FUNC, STT_GNU_IFUNC};
use elf::section::SectionHeader;
use elf::string_table::StringTable;
use elf::symbol::Symbol;

/// The bit of a symbol's version that says that programs that are linked now get another one.
const HIDDEN: u8 = 0x80;

impl<'a> ObjectFile<'a> {
    /// Its functions, in the order of its table of symbols: some have several names.
    pub fn functions(&self) -> impl Iterator<Item = FunctionSymbol<'a>> + use<'a> {
        let file = *self;
        self.symbol_section().into_iter().flat_map(move |section| {
            let (names, versions) = (file.names_of(&section), file.versions_of(&section));
            let symbols = file.table::<Symbol>(&section).iter().enumerate();
            symbols.filter_map(move |(index, symbol)| {
                let is_old = versions.get(index).is_some_and(|[_, high]| high & HIDDEN != 0);
                function(&symbol, names, is_old)
            })
        })
    }

    /// Whether a function of this name is one that is chosen when a program starts (IFUNC): what is called is
    /// another one.
    pub fn has_chosen(&self, name: &[u8]) -> bool {
        let Some(section) = self.symbol_section() else { return false };
        let names = self.names_of(&section);
        let is_one = |symbol: &Symbol| {
            symbol.st_symtype() == STT_GNU_IFUNC
                && names.get_raw(symbol.st_name as usize).is_ok_and(|found| found == name)
        };
        self.table::<Symbol>(&section).iter().any(|symbol| is_one(&symbol))
    }

    /// Whether it has the table of all symbols: they were not stripped from it.
    pub fn has_all_symbols(&self) -> bool {
        self.sections.iter().any(|section| section.sh_type == SHT_SYMTAB)
    }

    /// The table of all symbols; that of the dynamic linker in a file that was stripped.
    fn symbol_section(&self) -> Option<SectionHeader> {
        let of = |kind| self.sections.iter().find(|section| section.sh_type == kind);
        of(SHT_SYMTAB).or_else(|| of(SHT_DYNSYM))
    }

    pub(crate) fn names_of(&self, symbols: &SectionHeader) -> StringTable<'a> {
        let section = self.sections.get(symbols.sh_link as usize).ok();
        StringTable::new(section.map_or(&[], |section| self.data(&section)))
    }

    /// The versions of the symbols of a table, in its order. None where they have none.
    fn versions_of(&self, symbols: &SectionHeader) -> &'a [[u8; 2]] {
        let is_theirs =
            |found: &SectionHeader| found.sh_type == SHT_GNU_VERSYM && symbols.sh_type == SHT_DYNSYM;
        let section = self.sections.iter().find(is_theirs);
        section.map(|section| self.data(&section).as_chunks().0).unwrap_or_default()
    }
}

/// The function that a symbol is of, if it is of one.
fn function<'a>(symbol: &Symbol, names: StringTable<'a>, is_old: bool) -> Option<FunctionSymbol<'a>> {
    let is_function = symbol.st_symtype() == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
    let name = names.get_raw(symbol.st_name as usize).ok().filter(|name| is_function && !name.is_empty())?;
    Some(FunctionSymbol { start: symbol.st_value, size: symbol.st_size, name, is_old })
}
