//! Names: looking them up, their attributes, instances made and removed.

use super::Server;
use crate::nodes::{ROOT, join};
use crate::request::{Outcome, Reply, Request};
use polyfuse_kernel::*;
use rustix::io::Errno;
use std::mem::size_of;
use tracefs::Node;

/// Seconds for which the kernel needn't ask again: nearly nothing here comes or goes.
const LONG: u64 = 60;

impl Server {
    pub(super) fn lookup(&mut self, request: &Request<'_>) -> Outcome {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        let node = self.tree.find(&path)?;
        Ok(Reply::of(&self.entry(&path, &node)))
    }

    /// What the kernel is told of an entry, which it then knows.
    pub(super) fn entry(&mut self, path: &str, node: &Node) -> fuse_entry_out {
        // Each opening of pages has a page cache of its own: that of a node.
        let is_paged = is_paged(node);
        fuse_entry_out {
            nodeid: self.nodes.look_up(path, is_paged),
            generation: 0,
            entry_valid: if is_paged || is_instance(path) { 0 } else { LONG },
            attr_valid: if is_paged { 0 } else { LONG },
            entry_valid_nsec: 0,
            attr_valid_nsec: 0,
            attr: self.attributes.of(path, node),
        }
    }

    pub(super) fn forget(&mut self, request: &Request<'_>) -> Outcome {
        let forgotten: fuse_forget_in = request.argument()?;
        self.nodes.forget(request.header.nodeid, forgotten.nlookup);
        Ok(Reply::Nothing)
    }

    pub(super) fn forget_many(&mut self, request: &Request<'_>) -> Outcome {
        let Ok((_, mut rest)) = request.argument_and_rest::<fuse_batch_forget_in>() else {
            return Ok(Reply::Nothing);
        };
        while let Some((one, behind)) = rest.split_at_checked(size_of::<fuse_forget_one>())
            && let Ok(one) = zerocopy::FromBytes::read_from_bytes(one)
        {
            let fuse_forget_one { nodeid, nlookup } = one;
            self.nodes.forget(nodeid, nlookup);
            rest = behind;
        }
        Ok(Reply::Nothing)
    }

    pub(super) fn getattr(&mut self, request: &Request<'_>) -> Outcome {
        self.attributes_of(request.header.nodeid)
    }

    fn attributes_of(&self, id: u64) -> Outcome {
        let path = self.nodes.path(id)?;
        let node = self.tree.find(path)?;
        let mut attr = self.attributes.of(path, &node);
        let is_paged = is_paged(&node);
        if is_paged {
            attr.size = self.pushed(id).unwrap_or(0);
        }
        let attr_valid = if is_paged { 0 } else { LONG };
        Ok(Reply::of(&fuse_attr_out { attr_valid, attr_valid_nsec: 0, dummy: 0, attr }))
    }

    pub(super) fn setattr(&mut self, request: &Request<'_>) -> Outcome {
        let wanted: fuse_setattr_in = request.argument()?;
        let path = self.nodes.path(request.header.nodeid)?;
        self.attributes.change(path, &wanted);
        self.attributes_of(request.header.nodeid)
    }

    pub(super) fn mkdir(&mut self, request: &Request<'_>) -> Outcome {
        let name = request.name_behind::<fuse_mkdir_in>()?;
        let path = self.nodes.path_in(request.header.nodeid, name)?;
        self.tree.make_directory(&path)?;
        let node = self.tree.find(&path)?;
        Ok(Reply::of(&self.entry(&path, &node)))
    }

    pub(super) fn rmdir(&mut self, request: &Request<'_>) -> Outcome {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        self.tree.remove_directory(&path)?;
        Ok(Reply::DONE)
    }

    pub(super) fn unlink(&mut self, request: &Request<'_>) -> Outcome {
        let path = self.nodes.path_in(request.header.nodeid, request.name()?)?;
        self.tree.remove_file(&path)?;
        Ok(Reply::DONE)
    }

    /// Only for a name that the kernel has found nothing of: none can be made. One that has come meanwhile is
    /// found when it is tried again.
    pub(super) fn create(&mut self, request: &Request<'_>) -> Outcome {
        let name = request.name_behind::<fuse_create_in>()?;
        let path = self.nodes.path_in(request.header.nodeid, name)?;
        match self.tree.find(&path) {
            Err(Errno::NOENT) => Err(Errno::ACCESS),
            Err(error) => Err(error),
            Ok(_) => Err(Errno::STALE),
        }
    }

    /// The entries of a directory with what is told of each; itself and the one above come first.
    pub(super) fn names_of(&self, directory: u64) -> Result<Vec<(String, Node)>, Errno> {
        let path = self.nodes.path(directory)?;
        let Node::Directory(found) = self.tree.find(path)? else { return Err(Errno::NOTDIR) };
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut entries = vec![
            (".".to_string(), Node::Directory(found.clone())),
            ("..".to_string(), self.tree.find(if directory == ROOT { "" } else { above })?),
        ];
        let names = found.names(&self.tree).into_iter();
        // What has gone meanwhile isn't there.
        entries.extend(names.filter_map(|name| {
            let node = self.tree.find(&join(path, &name)).ok()?;
            Some((name, node))
        }));
        Ok(entries)
    }
}

/// Whether it gives pages.
pub(super) fn is_paged(node: &Node) -> bool {
    matches!(node, Node::File(file) if file.is_paged())
}

/// Whether it is the directory of an instance: they come and go, by other ways than this mount, too.
fn is_instance(path: &str) -> bool {
    matches!(path.split_once('/'), Some(("instances" | "sub_buffers", name)) if !name.contains('/'))
}
