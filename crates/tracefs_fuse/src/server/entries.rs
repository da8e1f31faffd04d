//! Names: looking them up, their attributes, instances made and removed.

use super::Server;
use crate::nodes::{ROOT, join};
use crate::open_file::FileKind;
use crate::request::{Answer, Reply, Request};
use polyfuse_kernel::*;
use rustix::io::Errno;
use std::mem::size_of;
use tracefs::Node;

/// Seconds for which the kernel needn't ask again: nearly nothing here comes or goes.
const LONG: u64 = 60;

impl Server {
    pub(super) fn lookup(&mut self, request: &Request<'_>) -> Answer {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        match self.tree.find(&path) {
            Ok(node) => Ok(Reply::of(&self.entry(&path, &node))),
            Err(error) => {
                if is_instance(&path) {
                    self.forget_removed(&path);
                }
                Err(error)
            }
        }
    }

    /// The instance at `path` is gone: another that gets its name is another.
    fn forget_removed(&mut self, path: &str) {
        self.attributes.forget(path);
        self.nodes.remove(path);
    }

    /// The answer for an entry, which the kernel then knows.
    pub(super) fn entry(&mut self, path: &str, node: &Node) -> fuse_entry_out {
        let is_own = has_own_cache(node);
        fuse_entry_out {
            nodeid: self.nodes.look_up(path, is_own),
            generation: 0,
            entry_valid: if is_own || is_instance(path) { 0 } else { LONG },
            attr_valid: if is_own { 0 } else { LONG },
            entry_valid_nsec: 0,
            attr_valid_nsec: 0,
            attr: self.attributes.of(path, node),
        }
    }

    pub(super) fn forget(&mut self, request: &Request<'_>) -> Answer {
        let forgotten: fuse_forget_in = request.argument()?;
        self.nodes.forget(request.header.nodeid, forgotten.nlookup);
        Ok(Reply::Nothing)
    }

    pub(super) fn forget_many(&mut self, request: &Request<'_>) -> Answer {
        let Ok((_, mut rest)) = request.argument_and_rest::<fuse_batch_forget_in>() else {
            return Ok(Reply::Nothing);
        };
        while let Some((one, after)) = rest.split_at_checked(size_of::<fuse_forget_one>())
            && let Ok(one) = zerocopy::FromBytes::read_from_bytes(one)
        {
            let fuse_forget_one { nodeid, nlookup } = one;
            self.nodes.forget(nodeid, nlookup);
            rest = after;
        }
        Ok(Reply::Nothing)
    }

    pub(super) fn getattr(&mut self, request: &Request<'_>) -> Answer {
        let node = request.header.nodeid;
        // An answer would be newer to the kernel than the page's, which is to tell the size.
        if self.waiting.is_filling(node) {
            return Err(Errno::AGAIN);
        }
        let mut attributes = self.attributes_of(node)?;
        let mut files = self.files.values_mut().filter_map(|file| file.splicing.as_mut());
        if let Some(splicing) = files.find(|splicing| splicing.node() == node) {
            attributes.attr.size = splicing.tell_size(&self.channel);
        }
        Ok(Reply::of(&attributes))
    }

    fn attributes_of(&self, id: u64) -> Result<fuse_attr_out, Errno> {
        let path = self.nodes.path(id)?;
        let node = self.tree.find(path)?;
        let mut attr = self.attributes.of(path, &node);
        let is_own = has_own_cache(&node);
        if is_own {
            attr.size = self.pushed(id).unwrap_or(0);
        }
        let attr_valid = if is_own { 0 } else { LONG };
        Ok(fuse_attr_out { attr_valid, attr_valid_nsec: 0, dummy: 0, attr })
    }

    pub(super) fn setattr(&mut self, request: &Request<'_>) -> Answer {
        let wanted: fuse_setattr_in = request.argument()?;
        let path = self.nodes.path(request.header.nodeid)?;
        self.attributes.change(path, &wanted);
        self.attributes_of(request.header.nodeid).map(|attributes| Reply::of(&attributes))
    }

    pub(super) fn mkdir(&mut self, request: &Request<'_>) -> Answer {
        let name = request.name_after::<fuse_mkdir_in>()?;
        let path = self.nodes.path_in(request.header.nodeid, name)?;
        self.tree.make_directory(&path)?;
        let node = self.tree.find(&path)?;
        Ok(Reply::of(&self.entry(&path, &node)))
    }

    pub(super) fn rmdir(&mut self, request: &Request<'_>) -> Answer {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        self.tree.remove_directory(&path)?;
        self.forget_removed(&path);
        Ok(Reply::DONE)
    }

    pub(super) fn unlink(&mut self, request: &Request<'_>) -> Answer {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        self.tree.remove_file(&path)?;
        Ok(Reply::DONE)
    }

    /// Only for a name that the kernel has found nothing of: none can be made. One that has come meanwhile is
    /// found when it is tried again.
    pub(super) fn create(&mut self, request: &Request<'_>) -> Answer {
        let name = request.name_after::<fuse_create_in>()?;
        let path = self.nodes.path_in(request.header.nodeid, name)?;
        match self.tree.find(&path) {
            Err(Errno::NOENT) => Err(Errno::ACCESS),
            Err(error) => Err(error),
            Ok(_) => Err(Errno::STALE),
        }
    }

    /// The entries of a directory with the answer for each; itself and the one above come first.
    pub(super) fn names_of(&self, directory: u64) -> Result<Vec<(String, Node)>, Errno> {
        let path = self.nodes.path(directory)?;
        let Node::Directory(found) = self.tree.find(path)? else { return Err(Errno::NOTDIR) };
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut entries = vec![
            (".".to_string(), Node::Directory(found.clone())),
            ("..".to_string(), self.tree.find(if directory == ROOT { "" } else { above })?),
        ];
        let names = found.names().into_iter();
        // What has gone meanwhile isn't there.
        entries.extend(names.filter_map(|name| {
            let node = self.tree.find(&join(path, &name)).ok()?;
            Some((name, node))
        }));
        Ok(entries)
    }
}

/// Whether each opening has a page cache of its own, that of a node: splice(2) takes events from there.
pub(super) fn has_own_cache(node: &Node) -> bool {
    matches!(node, Node::File(file) if matches!(FileKind::of(file), FileKind::Pages | FileKind::Pipe))
}

/// Whether it is the directory of an instance: they come and go, by other ways than this mount, too.
fn is_instance(path: &str) -> bool {
    matches!(path.split_once('/'), Some(("instances" | "sub_buffers", name)) if !name.contains('/'))
}
