//! What a file of the tree is.
//!
//! Most are a [`Control`]: a text that is made when it is read, and words that are taken when they are
//! written. The others are a [`File`] themselves.

use crate::handle::Handle;
use crate::tree::Tree;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;

/// What is done with a file that may change something.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// It is opened for writing, with these flags.
    Opened(OFlags),
    /// This is written to it.
    Written(&'a [u8]),
}

impl Change<'_> {
    /// Whether it is opened with `O_TRUNC`.
    pub(crate) fn is_truncation(self) -> bool {
        matches!(self, Change::Opened(flags) if is_truncating(flags))
    }

    /// Whether something is written to it that is not empty.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Change::Written(bytes) if !bytes.is_empty())
    }
}

/// A file of the tree: what can be opened.
pub trait File: Send + Sync {
    /// Its mode, as the kernel has it: who may read and write it.
    fn mode(&self) -> u32;

    /// Whether it is a stream: without positions, so that lseek(2) is ESPIPE.
    fn is_stream(&self) -> bool {
        false
    }

    /// Whether this takes away something that is recorded, or will be.
    fn takes_away(&self, change: Change<'_>) -> bool {
        let _ = change;
        false
    }

    /// Whether its instance can't be removed while it is open.
    fn keeps_instance(&self) -> bool {
        true
    }

    /// Whether it gives pages, which clients move by splice(2).
    fn is_paged(&self) -> bool {
        false
    }

    /// What stat(2) says of its size where there is a page cache in front of it, through which splice(2) and
    /// sendfile(2) read: a page for a text that always fits one. The kernel's tracefs, which has no cache,
    /// says 0 for all.
    fn cached_size(&self) -> u64 {
        0
    }

    /// Opens it. What opening for writing with `O_TRUNC` does, it does here.
    fn open(&self, tree: &Tree, flags: OFlags) -> Result<Box<dyn Opened>, Errno>;

    /// Opens it for a program.
    fn handle(&self, tree: &Tree, flags: OFlags) -> Result<Handle, Errno> {
        Ok(Handle::new(self.open(tree, flags)?, flags, self.is_stream()))
    }
}

/// An open file. All calls are short: none waits.
pub trait Opened: Send {
    /// Reads up to `len` bytes at `offset`; streams have no offset. None when there is nothing now: EAGAIN
    /// for one who doesn't want to wait; the others wait until [`Opened::is_unblocked`], if it is not the end
    /// ([`Opened::is_at_end`]).
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let _ = (offset, len);
        Err(Errno::INVAL)
    }

    /// Writes, and says how many bytes were taken: with fewer than there are, the caller comes again with the
    /// rest.
    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let _ = (author, bytes);
        Err(Errno::INVAL)
    }

    /// Whether poll(2) says that it can be read.
    fn is_readable(&self) -> bool {
        true
    }

    /// Whether a reader that waits would go on.
    fn is_unblocked(&self) -> bool {
        true
    }

    /// Whether nothing will come, so that a reader that would wait is at the end.
    fn is_at_end(&self) -> bool {
        false
    }
}

/// How the text of a control file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Made again for each read(2), whatever its offset: a short one.
    Fresh,
    /// Made when it is read from its start, and kept for what follows: the kernel's `seq_file`.
    Kept,
}

/// A file that is a text.
pub trait Control: Clone + Send + Sync + 'static {
    /// How it is read.
    const TEXT: Text = Text::Fresh;

    /// [`File::keeps_instance`].
    const KEEPS_INSTANCE: bool = true;

    /// Its mode.
    fn mode(&self) -> u32;

    /// Its text.
    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        let _ = tree;
        Err(Errno::INVAL)
    }

    /// Takes what is written, all of it or the first bytes.
    fn store(&self, tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        let _ = (tree, bytes);
        Err(Errno::INVAL)
    }

    /// [`File::takes_away`].
    fn takes_away(&self, change: Change<'_>) -> bool {
        let _ = change;
        false
    }

    /// What opening it for writing with `O_TRUNC` does.
    fn truncate(&self, tree: &Tree) -> Result<(), Errno> {
        let _ = tree;
        Ok(())
    }
}

impl<C: Control> File for C {
    fn mode(&self) -> u32 {
        Control::mode(self)
    }

    fn takes_away(&self, change: Change<'_>) -> bool {
        Control::takes_away(self, change)
    }

    fn keeps_instance(&self) -> bool {
        C::KEEPS_INSTANCE
    }

    fn cached_size(&self) -> u64 {
        match C::TEXT {
            Text::Fresh if Control::mode(self) & 0o444 != 0 => PAGE,
            _ => 0,
        }
    }

    fn open(&self, tree: &Tree, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        if is_truncating(flags) {
            self.truncate(tree)?;
        }
        Ok(Box::new(OpenControl { control: self.clone(), tree: tree.clone(), kept: None }))
    }
}

/// Bytes of a page of memory.
const PAGE: u64 = 4096;

/// Whether opening with these flags truncates: only who may write does.
pub(crate) fn is_truncating(flags: OFlags) -> bool {
    flags.contains(OFlags::TRUNC) && flags.intersects(OFlags::WRONLY | OFlags::RDWR)
}

/// An open [`Control`].
struct OpenControl<C> {
    control: C,
    tree: Tree,
    kept: Option<Vec<u8>>,
}

impl<C: Control> Opened for OpenControl<C> {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let keep = C::TEXT == Text::Kept && offset > 0;
        let text = match self.kept.take().filter(|_| keep) {
            Some(text) => text,
            None => self.control.show(&self.tree)?,
        };
        let part = part(&text, offset, len);
        self.kept = Some(text);
        Ok(Some(part))
    }

    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        self.control.store(&self.tree, bytes)
    }
}

/// Up to `len` bytes of a text from `offset` on.
fn part(text: &[u8], offset: u64, len: usize) -> Vec<u8> {
    let from = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
    let rest = text.get(from..).unwrap_or_default();
    rest.get(..len).unwrap_or(rest).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_with_the_text() {
        assert_eq!(part(b"0123", 1, 2), b"12");
        assert_eq!(part(b"0123", 3, 9), b"3");
        assert_eq!(part(b"0123", 4, 9), b"");
        assert_eq!(part(b"0123", u64::MAX, 9), b"");
    }

    #[test]
    fn only_who_may_write_truncates() {
        assert!(is_truncating(OFlags::WRONLY | OFlags::TRUNC) && is_truncating(OFlags::RDWR | OFlags::TRUNC));
        assert!(!is_truncating(OFlags::RDONLY | OFlags::TRUNC) && !is_truncating(OFlags::WRONLY));
    }
}
