//! A copy of what describes a session's events, for when its file is made shorter meanwhile.

use abi::control::CONTROL_SIZE;
use session::Instance;
use shm::PAGE;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The control area of a session's file, as it was some time ago.
#[derive(Debug)]
pub(crate) struct Copy {
    file: File,
    bytes: Vec<u8>,
}

impl Copy {
    /// As it is now.
    pub(crate) fn of(session: &Instance) -> Result<Copy, session::Error> {
        let path = session.file();
        let file = File::open(&path).map_err(|error| session::Error::System { path, error })?;
        let mut copy = Copy { file, bytes: vec![0; CONTROL_SIZE] };
        copy.renew();
        Ok(copy)
    }

    /// Makes it what the file says now; what has gone from that stays as it was. By read(2): to look at what
    /// nobody has written where it is mapped would give it memory.
    pub(crate) fn renew(&mut self) {
        let _ = self.file.read_exact_at(&mut self.bytes, 0);
    }

    /// Puts it back where there is nothing any more: into memory of this process's own.
    pub(crate) fn restore(&self, session: &Instance) {
        let segment = session.control().segment();
        for (index, page) in self.bytes.chunks(PAGE).enumerate() {
            let (offset, mut found) = ((index * PAGE) as u64, [0; PAGE]);
            let is_gone = segment.read(offset, &mut found).is_some() && found == [0; PAGE];
            if is_gone && page.iter().any(|byte| *byte != 0) {
                let _ = segment.write(offset, page);
            }
        }
    }
}
