//! Names of functions whose sites are known by their places in files.

use crate::addresses::Addresses;
use control::ControlArea;
use function_sites::SourcePath;
use trace_data::symbols::Symbols;

/// What a site is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteName {
    /// The name of its function, as the source says it; for a file that has no names the file's, with the
    /// address.
    pub name: String,
    /// Whether it is the site's own, as its function may be inlined: others may have the same and are of the
    /// same function.
    pub is_own: bool,
}

/// The names of sites: of each the entry of its file, and its address there.
///
/// Cost: reading the files' tables of symbols, once.
pub(crate) fn site_names(
    addresses: &mut Addresses,
    control: &ControlArea,
    sites: &[(u32, u64)],
) -> Vec<SiteName> {
    let translate = |(entry, own): &(u32, u64)| addresses.translate_entry(control, *entry, *own);
    let translated: Vec<_> = sites.iter().map(translate).collect();
    let symbols = addresses.symbols();
    let name = |((_, own), translated): (&(u32, u64), Option<(u64, bool)>)| {
        let symbol = translated.and_then(|(address, _)| symbols.symbol(address));
        let name = match symbol {
            Some(symbol) if symbol.is_file() => format!("{}+{own:#x}", symbol.name),
            Some(symbol) => match SourcePath::of(symbol.name.as_bytes()) {
                Some(path) => String::from_utf8_lossy(path.as_bytes()).into_owned(),
                None => symbol.name.to_string(),
            },
            None => format!("{own:#x}"),
        };
        SiteName { name, is_own: translated.is_some_and(|(_, is_own)| is_own) }
    };
    sites.iter().zip(translated).map(name).collect()
}
