//! The places for USDT in a file.

use function_sites::{ObjectFile, UsdtSite};
use probe_definition::usdt_arguments;
use std::path::Path;

/// A place that a program's author has marked for tracers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsdtPlace {
    /// Who has named it.
    pub provider: String,
    /// Its name.
    pub name: String,
    /// Where it is in the file.
    pub offset: u64,
    /// Where the word is in the file that says how many trace it; 0 for none.
    pub reference_counter: u64,
    /// Its arguments, as definitions of probes have them. None for one that can't be said there.
    pub arguments: Vec<Option<String>>,
}

impl UsdtPlace {
    /// Those of a file, in the order of their notes. None where it can't be read, or is no ELF file.
    pub fn all(path: &Path) -> Option<Vec<UsdtPlace>> {
        let bytes = std::fs::read(path).ok()?;
        let file = ObjectFile::parse(&bytes)?;
        Some(file.usdt_sites().filter_map(|site| UsdtPlace::of(&file, &site)).collect())
    }

    fn of(file: &ObjectFile<'_>, site: &UsdtSite<'_>) -> Option<UsdtPlace> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(UsdtPlace {
            provider: text(site.provider),
            name: text(site.name),
            offset: file.offset_of_address(site.address)?,
            reference_counter: file.offset_of_address(site.semaphore).unwrap_or(0),
            arguments: usdt_arguments(&text(site.arguments)),
        })
    }

    /// What its event is called, as perf calls it.
    pub fn event(&self) -> String {
        format!("sdt_{}:{}", self.provider, self.name)
    }
}
