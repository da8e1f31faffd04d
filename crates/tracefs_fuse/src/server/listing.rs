//! Directories that are open.

use super::Server;
use super::entries::has_own_cache;
use crate::attributes::{entry_type, inode};
use crate::nodes::join;
use crate::request::{Answer, Reply, Request};
use polyfuse_kernel::*;
use rustix::io::Errno;
use std::mem::size_of;
use std::sync::Arc;
use tracefs::Node;
use zerocopy::IntoBytes;

/// What an open directory had when it was read from its start.
pub(super) struct Listing {
    path: Arc<str>,
    entries: Arc<Vec<(String, Node)>>,
}

/// Entries start at multiples of this.
const ALIGN: usize = 8;

impl Server {
    pub(super) fn opendir(&mut self, request: &Request<'_>) -> Answer {
        let path = self.nodes.path(request.header.nodeid)?.clone();
        let listing = Listing { path, entries: Arc::default() };
        let fh = self.next();
        self.listings.insert(fh, listing);
        Ok(Reply::of(&fuse_open_out { fh, open_flags: 0, padding: 0 }))
    }

    /// `with_attributes` where the kernel asks for what lookup would give, too.
    pub(super) fn readdir(&mut self, request: &Request<'_>, with_attributes: bool) -> Answer {
        let wanted: fuse_read_in = request.argument()?;
        if wanted.offset == 0 {
            let entries = Arc::new(self.names_of(request.header.nodeid)?);
            self.listings.get_mut(&wanted.fh).ok_or(Errno::BADF)?.entries = entries;
        }
        let listing = self.listings.get(&wanted.fh).ok_or(Errno::BADF)?;
        let (directory, entries) = (listing.path.clone(), listing.entries.clone());
        let skipped = usize::try_from(wanted.offset).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        for (index, (name, node)) in entries.iter().enumerate().skip(skipped) {
            let entry = if with_attributes { size_of::<fuse_entry_out>() } else { 0 };
            let len = (entry + size_of::<fuse_dirent>() + name.len()).next_multiple_of(ALIGN);
            if bytes.len() + len > wanted.size as usize {
                break;
            }
            let end = bytes.len() + len;
            let is_own = matches!(name.as_str(), "." | "..");
            let path = if is_own { String::new() } else { join(&directory, name) };
            if with_attributes {
                // A node that is listed here counts as looked up; 0 is none: these are not to be looked up
                // yet.
                let entry = match is_own || has_own_cache(node) {
                    true => fuse_entry_out::default(),
                    false => self.entry(&path, node),
                };
                bytes.extend(entry.as_bytes());
            }
            let dirent = fuse_dirent {
                ino: inode(if is_own { &directory } else { &path }),
                off: index as u64 + 1,
                namelen: name.len() as u32,
                typ: entry_type(node),
                name: [],
            };
            bytes.extend(dirent.as_bytes());
            bytes.extend(name.as_bytes());
            bytes.resize(end, 0);
        }
        Ok(Reply::Bytes(bytes))
    }

    pub(super) fn releasedir(&mut self, request: &Request<'_>) -> Answer {
        let closed: fuse_release_in = request.argument()?;
        self.listings.remove(&closed.fh);
        Ok(Reply::DONE)
    }
}
