//! The objects that traced programs load: they are inside this command, and are put where programs find them.

use crate::failure::{Done, Failure};
use crate::stdout::print;
use session::SessionsDirectory;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// The object that is preloaded, and that a process of glibc can load while it runs.
static PRELOADED: AgentObject = AgentObject::new(include_bytes!(concat!(env!("OUT_DIR"), "/liblookback.so")));

/// The object that a process of musl can load while it runs.
static OF_MUSL: AgentObject =
    AgentObject::new(include_bytes!(concat!(env!("OUT_DIR"), "/liblookback-musl.so")));

/// The object that is mapped in a static program while it runs.
static OF_STATIC: AgentObject =
    AgentObject::new(include_bytes!(concat!(env!("OUT_DIR"), "/liblookback-static.so")));

/// What the names of all their versions start with.
pub(crate) const PREFIX: &str = "liblookback-";

/// An object. Its name and its file are worked out once, when they are first asked for.
#[derive(Debug)]
pub(crate) struct AgentObject {
    /// What is in its file.
    pub(crate) bytes: &'static [u8],
    name: OnceLock<String>,
    path: OnceLock<PathBuf>,
}

impl AgentObject {
    const fn new(bytes: &'static [u8]) -> AgentObject {
        AgentObject { bytes, name: OnceLock::new(), path: OnceLock::new() }
    }

    /// The one that a process which runs has loaded, or can load.
    pub(crate) fn for_process(pid: u32) -> &'static AgentObject {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        let is_preloaded = maps.contains(PRELOADED.name());
        match () {
            () if is_preloaded => &PRELOADED,
            () if remote_call::is_of_musl(&maps) => &OF_MUSL,
            () if remote_call::is_static(&maps) => &OF_STATIC,
            () => &PRELOADED,
        }
    }

    /// Whether it is the one of static programs.
    pub(crate) fn is_of_static(&self) -> bool {
        std::ptr::eq(self, &OF_STATIC)
    }

    /// Its file's name. It depends on the content, so that another version of this command doesn't replace
    /// what running programs have mapped.
    fn name(&self) -> &str {
        self.name.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            self.bytes.hash(&mut hasher);
            format!("{PREFIX}{:016x}.so", hasher.finish())
        })
    }

    /// Puts it where it can be loaded from, unless it is there, and gives its path.
    pub(crate) fn install(&self) -> Done<&Path> {
        if let Some(path) = self.path.get() {
            return Ok(path);
        }
        let directory = SessionsDirectory::for_objects()?;
        let path = directory.path().join(self.name());
        remove_old(directory.path(), &path);
        let is_there = std::fs::read(&path).is_ok_and(|found| found == self.bytes);
        if !is_there {
            write(directory.path(), &path, self.bytes)
                .map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))?;
        }
        Ok(self.path.get_or_init(|| path))
    }
}

/// Installs the object that is preloaded, and gives its path.
pub(crate) fn install() -> Done<PathBuf> {
    PRELOADED.install().map(Path::to_path_buf)
}

/// Whether a process with these mappings has loaded an object of this version.
pub(crate) fn is_in(maps: &str) -> bool {
    [&PRELOADED, &OF_MUSL, &OF_STATIC].into_iter().any(|object| maps.contains(object.name()))
}

/// How long an object is kept that another version of this command has put there: programs that were traced
/// with it name it in their environment.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes objects of other versions that were not used for long, and notes that this one is.
fn remove_old(directory: &Path, used: &Path) {
    let _ = File::options().append(true).open(used).and_then(|file| file.set_modified(SystemTime::now()));
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_object = name.to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|found| found.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > KEPT));
        if is_object && is_old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes the object under another name first: who loads it gets all of it or none.
fn write(directory: &Path, path: &Path, object: &[u8]) -> std::io::Result<()> {
    let mut file: tempfile::NamedTempFile<File> = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(object)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o755))?;
    file.persist(path)?;
    Ok(())
}

/// Prints the path of the object, for those that start traced programs by other means.
pub(crate) fn print_path() -> Done {
    let path = install()?;
    print(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::Endianness;
    use object::elf::{R_X86_64_RELATIVE, Rela64};
    use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
    use std::collections::HashSet;

    /// Every process that starts writes an address for each, on pages that are its own from then on. Tables
    /// of texts, such as the descriptions of events, belong to readers.
    #[test]
    fn the_object_has_few_addresses_to_relocate() {
        // Where its structures are aligned.
        let object = PRELOADED.bytes.to_vec();
        let object = object.as_slice();
        let file = ElfFile64::<Endianness>::parse(object).unwrap();
        let endian = file.endian();
        let sections = file.elf_header().sections(endian, object).unwrap();
        let relocations: Vec<&Rela64<Endianness>> = sections
            .iter()
            .filter_map(|section| section.rela(endian, object).unwrap())
            .flat_map(|(relocations, _)| relocations)
            .collect();
        let addresses = relocations.iter().filter(|found| found.r_type(endian, false) == R_X86_64_RELATIVE);
        let pages: HashSet<u64> = relocations.iter().map(|found| found.r_offset.get(endian) >> 12).collect();
        let addresses = addresses.count();
        // Three for each restartable sequence.
        assert!((1..=640).contains(&addresses), "{addresses} addresses");
        assert!(pages.len() <= 4, "{} pages", pages.len());
    }
}
