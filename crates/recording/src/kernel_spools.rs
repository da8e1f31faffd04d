//! The kernel's events while a session is recorded, until they are written: a spool for each CPU.

use crate::kernel_pages::{KernelPage, KernelPages};
use kernel_events::KernelRecord;
use reading::Spool;
use session::Instance;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The pages of each CPU.
#[derive(Debug)]
pub(crate) struct KernelSpools {
    pub(crate) pages: KernelPages,
    spools: CpuSpools,
}

#[derive(Debug)]
struct CpuSpools {
    directory: PathBuf,
    cpus: BTreeMap<u32, Spool>,
}

impl KernelSpools {
    /// Of a session, in files in `directory`.
    pub(crate) fn new(session: &Instance, directory: &Path) -> KernelSpools {
        let pages = KernelPages::new(session.buffer().geometry().page_size as usize);
        let spools = CpuSpools { directory: directory.to_path_buf(), cpus: BTreeMap::new() };
        KernelSpools { pages, spools }
    }

    /// Keeps a record, if it is wanted.
    pub(crate) fn take(&mut self, record: &KernelRecord<'_>, is_wanted: bool) -> io::Result<()> {
        let KernelSpools { pages, spools } = self;
        pages.take(record, is_wanted, &mut |page| spools.push(page))
    }

    /// The pages of each CPU that has any.
    pub(crate) fn finish(self) -> io::Result<Vec<Spool>> {
        let KernelSpools { mut pages, mut spools } = self;
        pages.give_all(&mut |page| spools.push(page))?;
        Ok(spools.cpus.into_values().collect())
    }
}

impl CpuSpools {
    fn push(&mut self, page: KernelPage<'_>) -> io::Result<()> {
        let spool = self.cpus.entry(page.cpu).or_insert_with(|| Spool::new(Some(&self.directory)));
        spool.push(page.bytes)
    }
}
