//! The memory of an instance's buffer: given back when it is removed, and taken again by the next.

use super::Instance;
use crate::Error;
use crate::session::c_path;
use abi::buffer::MIN_PAGES;
use ring_buffer::{Buffer, Content, Holder, NotResized, Released};

impl Instance {
    /// Gives memory of `pages` to another buffer of the session that an instance has had: it is empty then,
    /// and records.
    pub(crate) fn reuse(&self, buffer: &Buffer, pages: u32) -> Result<(), Error> {
        let holder = self.holder_of(buffer)?;
        self.resize_all(&holder, pages)?;
        while holder.release() == Released::Freed {}
        buffer.clear();
        buffer.set_overwrite(true);
        buffer.set_tracing(true);
        buffer.set_recording(true);
        Ok(())
    }

    /// Drops what is in the instance's buffer, and the memory that it can do without.
    pub(crate) fn give_memory_back(&self) -> Result<(), Error> {
        let holder = self.holder()?;
        self.buffer().clear();
        self.resize_all(&holder, MIN_PAGES)?;
        while holder.release() == Released::Freed {}
        Ok(())
    }

    /// Gives a buffer other memory. One without a second ring keeps what it has.
    fn resize_all(&self, holder: &Holder<'_>, pages: u32) -> Result<(), Error> {
        match holder.resize(&c_path(&self.file())?, pages, Content::Discard) {
            Ok(_) | Err(NotResized::NoRing) => Ok(()),
            Err(NotResized::System(error)) => Err(Error::errno(self.file(), error)),
            Err(error) => Err(Error::unusable(self.file(), error)),
        }
    }
}
