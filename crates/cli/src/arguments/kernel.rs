//! Which events of the kernel's are recorded.

use clap::Args;
use recording::KernelSelection;
use session::FilteredSelection;

/// Which events of the kernel's are recorded.
#[derive(Debug, Args)]
pub(crate) struct KernelArguments {
    /// Record these events of the kernel's, too
    ///
    /// Like 'sched:*' or 'block_rq_issue if bytes > 4096', of the recorded threads; for root; can be given
    /// several times.
    #[arg(long, value_name = "EVENT", display_order = 0)]
    kernel: Vec<FilteredSelection>,

    /// With --kernel: those of all threads
    ///
    /// Of the whole machine, not of the recorded threads alone.
    #[arg(long, requires = "kernel", display_order = 0)]
    kernel_all: bool,
}

impl KernelArguments {
    /// Those that were given.
    pub(crate) fn selection(&self) -> KernelSelection {
        KernelSelection { events: self.kernel.clone(), all_threads: self.kernel_all }
    }
}
