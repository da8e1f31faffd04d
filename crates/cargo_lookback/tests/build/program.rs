//! The sites of a program, from its file.

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use std::collections::BTreeMap;
use std::path::Path;

/// A program or library.
#[derive(Debug)]
pub struct Program(Vec<u8>);

impl Program {
    pub fn new(path: &Path) -> Program {
        Program(std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    /// The functions with a site, demangled, in order. Each site is checked: at the function's first
    /// instruction, and one nop of 5 bytes.
    pub fn sites(&self) -> Vec<String> {
        let file = object::File::parse(&*self.0).expect("a program");
        let symbols: BTreeMap<u64, &str> = file
            .symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
            .map(|symbol| (symbol.address(), symbol.name().unwrap()))
            .collect();
        let mut sites: Vec<String> = addresses(&file)
            .into_iter()
            .map(|address| {
                // LLVM writes `nopl 8(%rax,%rax)`.
                let found = &bytes(&file, address)[..5];
                assert!(found == [0x0f, 0x1f, 0x44, 0, 8] || found == [0x0f, 0x1f, 0x44, 0, 0], "{found:x?}");
                let name = symbols.get(&address).unwrap_or_else(|| panic!("no function at {address:x}"));
                format!("{:#}", rustc_demangle::demangle(name))
            })
            .collect();
        sites.sort();
        sites
    }
}

/// The addresses in the section, which are relocated when the program starts.
fn addresses(file: &object::File<'_>) -> Vec<u64> {
    let Some(section) = file.section_by_name("__patchable_function_entries") else { return Vec::new() };
    let range = section.address()..section.address() + section.size();
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let own = relocations.filter(|(address, _)| range.contains(address));
    let addresses: Vec<u64> = own
        .map(|(_, relocation)| {
            assert_eq!(relocation.target(), RelocationTarget::Absolute);
            relocation.addend() as u64
        })
        .collect();
    assert_eq!(addresses.len() as u64, section.size() / 8);
    addresses
}

fn bytes<'a>(file: &object::File<'a>, address: u64) -> &'a [u8] {
    let mut sections = file.sections();
    let holds = |section: &object::Section<'_, '_>| {
        (section.address()..section.address() + section.size()).contains(&address)
    };
    let section = sections.find(holds).expect("a section");
    &section.data().unwrap()[(address - section.address()) as usize..]
}
