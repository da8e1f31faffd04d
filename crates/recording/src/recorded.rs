//! What a recorder has consumed from a session.

use crate::Error;
use crate::dat::{Written, write_dat_with};
use kernel_events::KernelDescription;
use reading::SessionRecords;
use std::io::Write;
use std::path::PathBuf;
use trace_data::dat::{UnseenProcess, Version};

/// What a recorder has consumed from a session.
#[derive(Debug)]
pub struct Recorded {
    pub(crate) records: SessionRecords,
    /// What the kernel's events among them mean, where those were recorded.
    pub(crate) kernel: Option<KernelDescription>,
    pub(crate) directory: PathBuf,
    /// Why it ends before the session does.
    pub(crate) cut_short: Option<session::Error>,
}

impl Recorded {
    /// Events that [`Recorded::write_dat`] will go through.
    pub fn events(&self) -> u64 {
        self.records.entries
    }

    /// Writes a trace.dat file, as [`write_dat`](crate::write_dat) does. Events of the kernel's are in a
    /// buffer of their own there, `kernel`.
    ///
    /// # Errors
    ///
    /// Those of [`write_dat`](crate::write_dat).
    pub fn write_dat(
        &mut self,
        out: impl Write,
        version: Version,
        progress: impl FnMut(u64),
    ) -> Result<Written, Error> {
        let kernel = self.kernel.as_ref();
        write_dat_with(kernel, &mut self.records, &self.directory, (out, version), progress)
    }

    /// Why it has nothing of what came later, if that is so: what was taken until then is there.
    pub fn cut_short(&self) -> Option<&session::Error> {
        self.cut_short.as_ref()
    }

    /// The session's records, and what is known of its processes.
    pub fn records(&self) -> &SessionRecords {
        &self.records
    }

    /// Has the file say of which processes it has nothing, or not everything.
    pub fn set_unseen(&mut self, unseen: Vec<UnseenProcess>) {
        self.records.unseen = unseen;
    }

    /// How many processes were attached.
    pub fn processes(&self) -> usize {
        self.records.tables().process_count()
    }

    /// How many of them had not ended.
    pub fn running(&self) -> usize {
        self.records.tables().running()
    }
}
