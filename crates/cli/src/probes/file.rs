//! The files that probes name: by a path, or by what programs and libraries are called.

use crate::failure::{Done, Failure};
use crate::record::program::locate;
use object::elf::EM_X86_64;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the dynamic linker looks when nothing else is said.
const LIBRARIES: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// The absolute path of a file.
pub(crate) fn find(name: &str) -> Done<String> {
    let path = match name.contains('/') {
        true => PathBuf::from(name),
        false => match locate(OsStr::new(name)) {
            Ok(path) if is_of_this_machine(&path) => path,
            Ok(path) => {
                let path = path.display();
                let why = format_args!(
                    "{name}: {path} is no program for x86-64, but perhaps a script that starts one: name that"
                );
                return Err(Failure::failed(why));
            }
            Err(_) => library(name).ok_or_else(|| {
                Failure::failed(format_args!("{name}: neither a program in $PATH nor a library"))
            })?,
        },
    };
    let path = std::path::absolute(&path);
    let path = path.map_err(|error| Failure::failed(format_args!("{name}: {error}")))?;
    let path = path.into_os_string().into_string();
    path.map_err(|path| Failure::failed(format_args!("{}: not UTF-8", path.display())))
}

/// A library, by its file name.
fn library(name: &str) -> Option<PathBuf> {
    // Unlike nothing, an empty part is the working directory, as for the dynamic linker.
    let said = std::env::var_os("LD_LIBRARY_PATH").filter(|said| !said.is_empty());
    let own: Vec<PathBuf> = said.iter().flat_map(std::env::split_paths).collect();
    let configured = configured().into_iter().map(PathBuf::from);
    let places = own.into_iter().chain(configured).chain(LIBRARIES.map(PathBuf::from));
    places.map(|place| place.join(name)).find(|path| is_of_this_machine(path))
}

/// Whether a file is an ELF file of 64 bits for x86-64: there may be others of the same name.
fn is_of_this_machine(path: &Path) -> bool {
    let mut start = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.starts_with(b"\x7fELF\x02") && start.ends_with(&EM_X86_64.to_le_bytes())
}

/// The directories in `/etc/ld.so.conf.d`.
fn configured() -> Vec<String> {
    let files = std::fs::read_dir(Path::new("/etc/ld.so.conf.d")).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let lines = texts.flat_map(|text| text.lines().map(|line| line.trim().to_string()).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with('/')).collect()
}
