//! Which thread runs, for a reader that follows a session and consumes nothing: events that are in no
//! buffer.

use crate::kernel_pages::{KernelPage, KernelPages};
use crate::switches::{SwitchSource, SwitchingThreads};
use events::switch::{CONTEXT_SWITCH_ID, KERNELS};
use session::Instance;
use std::io;

/// Takes the kernel's events of attached threads, while they are enabled.
#[derive(Debug)]
pub struct FollowedSwitches {
    source: Option<SwitchSource>,
    pages: KernelPages,
    /// Those that were enabled when it began.
    enabled: Vec<u16>,
}

impl FollowedSwitches {
    /// Of a session: none so far.
    pub fn new(session: &Instance) -> FollowedSwitches {
        let pages = KernelPages::new(session.buffer().geometry().page_size as usize);
        FollowedSwitches { source: None, pages, enabled: Vec::new() }
    }

    /// Begins, or ends, where other events are enabled than before, and follows the threads that are attached
    /// by now. What can't be had, and why, if that is news.
    pub fn look(&mut self, session: &Instance) -> Option<String> {
        let ids = KERNELS.into_iter().map(|event| event.id).chain([CONTEXT_SWITCH_ID]);
        let enabled: Vec<u16> = ids.filter(|id| session.control().is_enabled(*id, session.index())).collect();
        if enabled == self.enabled {
            if let Some(source) = &mut self.source {
                source.look(session);
            }
            return None;
        }
        self.enabled = enabled;
        // What the kernel has of it goes before there is another one.
        self.source = None;
        let (source, missing) = SwitchSource::start(session, SwitchingThreads::Attached);
        self.source = source;
        missing
    }

    /// Gives what has come, as pages of a lane for each CPU. Bytes that the fullest CPU had, of as many as
    /// the session's buffers have.
    ///
    /// # Errors
    ///
    /// That of `give`, and when the kernel's pages can't be read.
    pub fn take(
        &mut self,
        session: &Instance,
        mut give: impl FnMut(KernelPage<'_>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let FollowedSwitches { source: Some(source), pages, .. } = self else { return Ok(0) };
        let fullest = source.take(session, |record, is_wanted| pages.take(record, is_wanted, &mut give))?;
        pages.give_all(&mut give)?;
        Ok(fullest)
    }
}
