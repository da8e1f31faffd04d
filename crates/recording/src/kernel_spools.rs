//! The kernel's events, which are not in the session's buffers, as a lane has them: with their CPU.

use kernel_events::KernelRecord;
use reading::Spool;
use session::Instance;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use trace_data::page::PageBuilder;

/// The pages of each CPU.
#[derive(Debug)]
pub(crate) struct KernelSpools {
    directory: PathBuf,
    page_size: usize,
    cpus: BTreeMap<u32, KernelSpool>,
    /// What was lost of a CPU since its last record.
    passed_over: BTreeMap<u32, u64>,
    /// The CPU and the record.
    placed: Vec<u8>,
    /// Events taken.
    pub(crate) events: u64,
    /// Events that were overwritten before they could be taken.
    pub(crate) lost: u64,
}

#[derive(Debug)]
struct KernelSpool {
    spool: Spool,
    page: PageBuilder,
    /// What was lost before the page.
    lost: u64,
    /// The time of the last record.
    last: u64,
}

impl KernelSpools {
    /// Of a session, in files in `directory`.
    pub(crate) fn new(session: &Instance, directory: &Path) -> KernelSpools {
        KernelSpools {
            directory: directory.to_path_buf(),
            page_size: session.buffer().geometry().page_size as usize,
            cpus: BTreeMap::new(),
            passed_over: BTreeMap::new(),
            placed: Vec::new(),
            events: 0,
            lost: 0,
        }
    }

    /// Keeps a record, if it is wanted.
    pub(crate) fn take(&mut self, record: &KernelRecord<'_>, is_wanted: bool) -> io::Result<()> {
        match is_wanted {
            true => self.push(record),
            false => {
                self.pass_over(record);
                Ok(())
            }
        }
    }

    /// Notes what was lost before a record that nobody wants.
    fn pass_over(&mut self, record: &KernelRecord<'_>) {
        let lost = record.lost.count();
        self.lost += lost;
        if lost > 0 {
            *self.passed_over.entry(record.cpu).or_default() += lost;
        }
    }

    /// Keeps a record.
    fn push(&mut self, record: &KernelRecord<'_>) -> io::Result<()> {
        self.pass_over(record);
        let lost = self.passed_over.remove(&record.cpu).unwrap_or(0);
        self.events += 1;
        self.placed.clear();
        self.placed.extend_from_slice(&u64::from(record.cpu).to_le_bytes());
        self.placed.extend_from_slice(record.payload);
        let spool = match self.cpus.entry(record.cpu) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let (spool, page) = (Spool::new(Some(&self.directory))?, PageBuilder::new(self.page_size));
                new.insert(KernelSpool { spool, page, lost: 0, last: 0 })
            }
        };
        spool.push(record.time, &self.placed, lost)
    }

    /// The pages of each CPU that has any.
    pub(crate) fn finish(mut self) -> io::Result<Vec<Spool>> {
        self.cpus.values_mut().try_for_each(KernelSpool::end_page)?;
        Ok(self.cpus.into_values().map(|cpu| cpu.spool).collect())
    }
}

impl KernelSpool {
    fn push(&mut self, time: u64, record: &[u8], lost: u64) -> io::Result<()> {
        // Times that were converted by two pairs of readings may be apart by their inaccuracy.
        self.last = self.last.max(time);
        if lost > 0 {
            self.end_page()?;
            self.lost = lost;
        }
        if !self.page.push(self.last, record) {
            self.end_page()?;
            self.page.push(self.last, record);
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        let lost = Some(std::mem::take(&mut self.lost)).filter(|lost| *lost > 0);
        self.spool.push(self.page.finish(lost))
    }
}
