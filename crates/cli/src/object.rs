//! The object that traced programs load: it is inside this command, and is put where they find it.

use crate::failure::{Done, Failure};
use session::Place;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The object.
const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/liblookback.so"));

/// Puts the object where it can be loaded from, unless it is there, and gives its path. Its name depends on its
/// content, so that another version of this command doesn't replace what running programs have mapped.
pub(crate) fn install(place: &Place) -> Done<PathBuf> {
    let directory = place.for_objects()?;
    let mut hasher = DefaultHasher::new();
    OBJECT.hash(&mut hasher);
    let path = directory.path().join(format!("liblookback-{:016x}.so", hasher.finish()));
    let is_there = std::fs::read(&path).is_ok_and(|found| found == OBJECT);
    if !is_there {
        write(directory.path(), &path)
            .map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))?;
    }
    Ok(path)
}

/// Writes the object under another name first: who loads it gets all of it or none.
fn write(directory: &Path, path: &Path) -> std::io::Result<()> {
    let mut file: tempfile::NamedTempFile<File> = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(OBJECT)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o700))?;
    file.persist(path)?;
    Ok(())
}

/// Prints where the object is, for who starts traced programs by other means.
pub(crate) fn print_path() -> Done {
    let path = install(&Place::of_user()?)?;
    println!("{}", path.display());
    Ok(ExitCode::SUCCESS)
}
