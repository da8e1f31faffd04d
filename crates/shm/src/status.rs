//! What a file is.

use core::ffi::c_int;

/// What fstat(2) says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Its number in its file system.
    pub inode: u64,
    /// Its bytes.
    pub len: u64,
    /// The user whose it is.
    pub owner: u32,
    /// The group whose it is.
    pub group: u32,
    /// Its type and permissions.
    pub mode: u32,
}

impl Status {
    /// Whether a process of `user` can leave it to the file's owner not to make it shorter while it is
    /// mapped, which ends the process by SIGBUS: to its own user, and to the members of a group that share
    /// a file, who are the only ones that can open it. Root can open everybody's, and trusts nobody.
    pub fn is_trusted_by(&self, user: u32) -> bool {
        const GROUP: u32 = 0o060;
        const OTHERS: u32 = 0o007;
        const ROOT: u32 = 0;
        let is_the_groups = self.mode & GROUP == GROUP && self.mode & OTHERS == 0;
        self.owner == user || user != ROOT && is_the_groups
    }
}

/// A function with the contract of fstat(2).
pub type Stat = unsafe extern "C" fn(c_int, *mut libc::stat) -> c_int;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_not_trusted() {
        let status = |owner, mode: u32| Status { inode: 1, len: 0, owner, group: 50, mode: 0o100000 | mode };
        assert!(status(1000, 0o600).is_trusted_by(1000) && status(0, 0o600).is_trusted_by(0));
        assert!(!status(1000, 0o600).is_trusted_by(0) && !status(1000, 0o600).is_trusted_by(1001));
        assert!(status(1000, 0o660).is_trusted_by(1001) && !status(1000, 0o660).is_trusted_by(0));
        assert!(!status(1000, 0o666).is_trusted_by(1001) && !status(1000, 0o640).is_trusted_by(1001));
    }
}
