//! A copy of what describes a session's events, for when its file is made shorter meanwhile.

use abi::control::CONTROL_SIZE;
use session::Session;

/// Bytes of a page.
const PAGE: usize = 4096;

/// The control part of a session's file, as it was some time ago.
#[derive(Debug)]
pub(crate) struct Copy(Vec<u8>);

impl Copy {
    /// As it is now.
    pub(crate) fn of(session: &Session) -> Copy {
        let mut copy = Copy(vec![0; CONTROL_SIZE]);
        copy.renew(session);
        copy
    }

    /// Makes it what the file says now, unless there is nothing any more.
    pub(crate) fn renew(&mut self, session: &Session) {
        let mut now = vec![0; CONTROL_SIZE];
        let is_read = session.control().segment().read(0, &mut now).is_some();
        if is_read && session.check_whole().is_ok() {
            self.0 = now;
        }
    }

    /// Puts it back where there is nothing any more: into memory of this process's own.
    pub(crate) fn restore(&self, session: &Session) {
        let segment = session.control().segment();
        for (index, page) in self.0.chunks(PAGE).enumerate() {
            let (offset, mut found) = ((index * PAGE) as u64, [0; PAGE]);
            let is_gone = segment.read(offset, &mut found).is_some() && found == [0; PAGE];
            if is_gone && page.iter().any(|byte| *byte != 0) {
                let _ = segment.write(offset, page);
            }
        }
    }
}
