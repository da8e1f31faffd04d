//! What is known of a descriptor.

use super::channel::DescriptorChannel;
use foldhash::HashMap;
use std::rc::Rc;

/// By descriptor.
pub(super) type DescriptorTable = HashMap<i32, DescriptorState>;

/// What is known of a descriptor.
#[derive(Debug, Clone, Default)]
pub(super) struct DescriptorState {
    /// The path of the file, as the program has given it; or the address of the peer, if the socket is
    /// connected or about to be.
    pub(super) name: Option<Rc<str>>,
    pub(super) is_socket: bool,
    /// What bytes go through, if that was made with its other end.
    pub(super) channel: Option<DescriptorChannel>,
    /// Since when that is known.
    pub(super) since: u64,
    /// Whether it stays open when a program is executed.
    pub(super) stays: bool,
    /// A socket's own address, if it was asked for or chosen.
    pub(super) own: Option<Rc<str>>,
    /// That of the one that listened, if the socket was accepted.
    pub(super) listener: Option<Rc<str>>,
    /// Whether it is a socket of a connection that nothing was moved through, and no other descriptor is of.
    pub(super) is_fresh: bool,
}

/// The path of a file that was opened, from where the program is or from a directory's descriptor.
pub(super) fn path_from(path: &str, directory: i64, table: &DescriptorTable) -> Option<Rc<str>> {
    // AT_FDCWD, or a call that takes no directory.
    if path.starts_with('/') || matches!(directory, -100 | -1) {
        return Some(path.into());
    }
    let directory = table.get(&(directory as i32))?.name.as_deref()?;
    Some(format!("{}/{path}", directory.trim_end_matches('/')).into())
}

/// Makes `to` what `from` is.
pub(super) fn copy(table: &mut DescriptorTable, from: i64, to: i64, stays: bool) {
    if from != to {
        table.entry(from as i32).and_modify(|state| state.is_fresh = false);
    }
    match table.get(&(from as i32)).cloned() {
        Some(_) if from == to => {}
        Some(socket) => drop(table.insert(to as i32, DescriptorState { stays, ..socket })),
        None => drop(table.remove(&(to as i32))),
    }
}
