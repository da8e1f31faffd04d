//! Files and directories of a group.

use crate::Error;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The mode of a group's session file.
pub(crate) const FILE_FOR_GROUP: u32 = 0o660;

/// The mode of a group's directory: what is made in it is the group's, too.
pub(crate) const DIRECTORY_FOR_GROUP: u32 = 0o2770;

/// Gives a file or directory to a group. Only members of it may, and root.
pub(crate) fn share(path: &Path, group: u32, mode: u32) -> Result<(), Error> {
    std::os::unix::fs::chown(path, None, Some(group)).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => Error::NotAMember { group },
        _ => Error::system(path, error),
    })?;
    std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|error| Error::system(path, error))
}
