//! Files: opening, reading, writing, closing.

use super::Server;
use super::waiting::ParkedRead;
use crate::attributes::inode;
use crate::kept_texts::is_kept;
use crate::open_file::{FileKind, OpenFile};
use crate::pages::{self, ServedPages};
use crate::request::{Answer, Reply, Request};
use crate::splicing::{Splicing, is_cached};
use polyfuse_kernel::*;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;
use std::sync::Arc;
use tracefs::Node;

/// Closing needn't be reported before close(2) returns: what happens then happens at release, which comes
/// before all later requests. Of Linux 5.16; older kernels report it all the same.
const FOPEN_NOFLUSH: u32 = 1 << 5;

/// The flags of open(2) that mean anything to a file.
const MEANT: OFlags = OFlags::RWMODE.union(OFlags::TRUNC).union(OFlags::APPEND).union(OFlags::NONBLOCK);

impl Server {
    pub(super) fn open(&mut self, request: &Request<'_>) -> Answer {
        let wanted: fuse_open_in = request.argument()?;
        let path = self.nodes.path(request.header.nodeid)?.clone();
        self.texts.turn_to(&path, request.header.pid);
        let flags = OFlags::from_bits_retain(wanted.flags);
        if flags.contains(OFlags::DIRECT) {
            return Err(Errno::INVAL);
        }
        let Node::File(file) = self.tree.find(&path)? else { return Err(Errno::ISDIR) };
        let kind = FileKind::of(&file);
        let handle = file.open(flags & MEANT)?;
        // A descriptor that is opened again by /proc shares the cache: only the first one's reader has pages.
        let has_pages = kind == FileKind::Pages && self.pushed(request.header.nodeid).is_none();
        let positions = match kind {
            FileKind::Other => 0,
            // Nobody may choose a position, but splice(2) needs one.
            FileKind::Pages => FOPEN_NONSEEKABLE,
            FileKind::Pipe | FileKind::Marker => FOPEN_STREAM,
        };
        let pages = has_pages.then(|| ServedPages::new(request.header.nodeid));
        let mut opened = OpenFile::new(kind, handle, path, pages);
        opened.note(request.header.pid);
        if flags.contains(OFlags::TRUNC) {
            opened.lost_size = file.cached_size();
        }
        if kind == FileKind::Pipe && !self.is_spliced(request.header.nodeid) {
            let mut splicing = Splicing::new(request.header.nodeid, inode(&opened.path));
            splicing.tell_size(&self.channel);
            opened.splicing = Some(splicing);
        }
        let fh = self.next();
        self.files.insert(fh, opened);
        let open_flags = FOPEN_DIRECT_IO | FOPEN_NOFLUSH | positions;
        Ok(Reply::of(&fuse_open_out { fh, open_flags, padding: 0 }))
    }

    /// How far pages of this node were put into the page cache; None if it isn't open.
    pub(super) fn pushed(&self, node: u64) -> Option<u64> {
        let mut pages = self.files.values().filter_map(|file| file.pages.as_ref());
        pages.find(|pages| pages.node() == node).map(ServedPages::end)
    }

    /// Whether this node is open, and may be spliced.
    fn is_spliced(&self, node: u64) -> bool {
        let mut files = self.files.values().filter_map(|file| file.splicing.as_ref());
        files.any(|splicing| splicing.node() == node)
    }

    pub(super) fn read(&mut self, request: &Request<'_>) -> Answer {
        self.note_reader(request);
        let mut wanted: fuse_read_in = request.argument()?;
        let file = self.files.get_mut(&wanted.fh).ok_or(Errno::BADF)?;
        let (offset, size) = (wanted.offset, wanted.size as usize);
        if is_kept(&file.path) {
            if offset == 0 || file.text.is_none() {
                let make = || file.handle.seek(0).and_then(|()| file.handle.read_to_end());
                file.text = Some(self.texts.read(&file.path, request.header.pid, make)?);
            }
            return Ok(Reply::Bytes(part(file.text.as_ref(), offset, size)));
        }
        if is_cached(&wanted) && file.kind == FileKind::Pipe {
            let splicing = file.splicing.as_mut().ok_or(Errno::INVAL)?;
            wanted = splicing.begin(request.header.pid, wanted)?;
        }
        file.note(request.header.pid);
        let read = file.read(&wanted);
        if is_cached(&wanted) && file.kind == FileKind::Other && matches!(read, Ok(Some(_))) {
            file.lost_size = offset + u64::from(wanted.size);
        }
        if !matches!(&read, Ok(Some(bytes)) if !bytes.is_empty()) {
            self.has_had_all(wanted.fh);
        }
        match read? {
            Some(bytes) => Ok(Reply::Bytes(bytes)),
            None => {
                self.waiting.park(ParkedRead {
                    unique: request.header.unique,
                    node: request.header.nodeid,
                    read: wanted,
                });
                Ok(Reply::Nothing)
            }
        }
    }

    pub(super) fn write(&mut self, request: &Request<'_>) -> Answer {
        let (wanted, bytes) = request.argument_and_rest::<fuse_write_in>()?;
        let file = self.files.get_mut(&wanted.fh).ok_or(Errno::BADF)?;
        let bytes = bytes.get(..wanted.size as usize).ok_or(Errno::INVAL)?;
        let tid = request.header.pid;
        let author = match file.kind {
            FileKind::Marker => self.requester.author(tid),
            _ => Author { tid, cpu: None },
        };
        let size = file.handle.write(author, bytes)? as u32;
        let path = file.path.clone();
        // What was written may be what somebody waits for.
        self.waiting.hurry();
        self.settle(request.header.unique, tid, &path, size)
    }

    pub(super) fn release(&mut self, request: &Request<'_>) -> Answer {
        let closed: fuse_release_in = request.argument()?;
        self.has_had_all(closed.fh);
        if let Some(file) = self.files.remove(&closed.fh).filter(|file| file.lost_size > 0) {
            // The kernel gets the size of a node that it has forgotten with the next lookup.
            let _ = pages::tell_size(&self.channel, request.header.nodeid, file.lost_size);
        }
        Ok(Reply::DONE)
    }
}

fn part(text: Option<&Arc<Vec<u8>>>, offset: u64, size: usize) -> Vec<u8> {
    let text = text.map(|text| text.as_slice()).unwrap_or_default();
    let rest = text.get(usize::try_from(offset).unwrap_or(usize::MAX)..).unwrap_or_default();
    rest.get(..size).unwrap_or(rest).to_vec()
}
