//! The kernel's events, which are not in the session's buffers, as a lane has them: with their CPU.

use kernel_events::KernelRecord;
use std::collections::BTreeMap;
use std::io;
use trace_data::page::PageBuilder;

/// The page of each CPU that is being filled.
#[derive(Debug)]
pub(crate) struct KernelPages {
    page_size: usize,
    cpus: BTreeMap<u32, CpuPage>,
    /// What was lost of a CPU since its last record.
    passed_over: BTreeMap<u32, u64>,
    /// The CPU and the record.
    placed: Vec<u8>,
    /// Events taken.
    pub(crate) events: u64,
    /// Events that were overwritten before they could be taken.
    pub(crate) lost: u64,
}

/// A page that is full, or that is wanted as it is.
#[derive(Debug, Clone, Copy)]
pub struct KernelPage<'a> {
    /// The CPU that its events are of. Each says so, too, before its payload.
    pub cpu: u32,
    /// How many events it has.
    pub events: u64,
    /// How many are missing before them.
    pub lost: u64,
    /// As the kernel hands it out. It says what is missing.
    pub bytes: &'a [u8],
}

#[derive(Debug)]
struct CpuPage {
    page: PageBuilder,
    events: u64,
    /// What was lost before the page.
    lost: u64,
    /// The time of the last record.
    last: u64,
}

impl KernelPages {
    /// Of so many bytes.
    pub(crate) fn new(page_size: usize) -> KernelPages {
        KernelPages {
            page_size,
            cpus: BTreeMap::new(),
            passed_over: BTreeMap::new(),
            placed: Vec::new(),
            events: 0,
            lost: 0,
        }
    }

    /// Keeps a record, if it is wanted, and gives the page that is full.
    pub(crate) fn take(
        &mut self,
        record: &KernelRecord<'_>,
        is_wanted: bool,
        give: &mut impl FnMut(KernelPage<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let lost = record.lost.count();
        self.lost += lost;
        if lost > 0 {
            *self.passed_over.entry(record.cpu).or_default() += lost;
        }
        if is_wanted { self.push(record, give) } else { Ok(()) }
    }

    fn push(
        &mut self,
        record: &KernelRecord<'_>,
        give: &mut impl FnMut(KernelPage<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (cpu, lost) = (record.cpu, self.passed_over.remove(&record.cpu).unwrap_or(0));
        self.events += 1;
        self.placed.clear();
        self.placed.extend_from_slice(&u64::from(cpu).to_le_bytes());
        self.placed.extend_from_slice(record.payload);
        let page_size = self.page_size;
        let new = || CpuPage { page: PageBuilder::new(page_size), events: 0, lost: 0, last: 0 };
        self.cpus.entry(cpu).or_insert_with(new).push((cpu, record.time, &self.placed), lost, give)
    }

    /// Gives the pages of each CPU that has any, as they are.
    pub(crate) fn give_all(
        &mut self,
        give: &mut impl FnMut(KernelPage<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.cpus.iter_mut().try_for_each(|(cpu, page)| page.end(*cpu, give))
    }
}

impl CpuPage {
    fn push(
        &mut self,
        (cpu, time, record): (u32, u64, &[u8]),
        lost: u64,
        give: &mut impl FnMut(KernelPage<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        // Times that were converted by two pairs of readings may be apart by their inaccuracy.
        self.last = self.last.max(time);
        if lost > 0 {
            self.end(cpu, give)?;
            self.lost = lost;
        }
        if !self.page.push(self.last, record) {
            self.end(cpu, give)?;
            self.page.push(self.last, record);
        }
        self.events += 1;
        Ok(())
    }

    fn end(&mut self, cpu: u32, give: &mut impl FnMut(KernelPage<'_>) -> io::Result<()>) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        let (events, lost) = (std::mem::take(&mut self.events), std::mem::take(&mut self.lost));
        let bytes = self.page.finish(Some(lost).filter(|lost| *lost > 0));
        give(KernelPage { cpu, events, lost, bytes })
    }
}
