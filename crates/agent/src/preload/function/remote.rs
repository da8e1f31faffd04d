//! Bringing the code up to date in a thread that is made to do so from outside, wherever it is: in a system
//! call, in the program's code, in a handler, with the program's locks and libc's.
//!
//! So it takes no lock but the turn, which it doesn't wait for; it doesn't ask the dynamic linker, and
//! uses none of the thread's stack. All signals are blocked meanwhile.

use super::update::try_update;
use abi::remote::{RemoteArea, RemoteResult};

/// Where it works: nothing of it is touched in a process that nobody interrupts.
#[unsafe(export_name = "lookback_remote_area")]
#[unsafe(link_section = ".bss.lookback_large_remote")]
static AREA: RemoteArea = RemoteArea::new();

/// Brings the code up to date, for a thread that was made to come here.
pub(crate) extern "C" fn update_remotely() -> RemoteResult {
    try_update()
}
