//! The files of Perfetto's interface, as they were fetched.

use crate::failure::{Done, Failure};
use std::collections::HashMap;
use std::env::var_os;
use std::fs::read_dir;
use std::io;
use std::path::{Path, PathBuf};

/// Which release of the interface is used: what is fetched, and the directory's name in the package.
pub(super) const RELEASE: &str = "v52.0-6b9586def";

/// The page that loads all other files.
pub(super) const PAGE: &str = "index.html";

/// The interface's files, by their paths as the page asks for them.
#[derive(Debug)]
pub(super) struct InterfaceFiles {
    files: HashMap<String, PathBuf>,
}

impl InterfaceFiles {
    /// Finds those that were fetched.
    pub(super) fn find() -> Done<InterfaceFiles> {
        let directory = directory()?;
        if !directory.join(PAGE).is_file() {
            return Err(Failure::failed(
                "Perfetto's interface is not here: `lookback view --fetch-ui` fetches it once, or use the public \
                 one by --online",
            ));
        }
        let mut files = HashMap::new();
        let walked = walk(&directory, "", &mut files);
        walked.map_err(|error| Failure::failed(format_args!("{}: {error}", directory.display())))?;
        Ok(InterfaceFiles { files })
    }

    /// The file of this path: only those that were there at the start are known.
    pub(super) fn get(&self, path: &str) -> Option<&Path> {
        self.files.get(path).map(PathBuf::as_path)
    }
}

/// Where it is kept.
pub(super) fn directory() -> Done<PathBuf> {
    let absolute = |name| var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    let data = data.ok_or_else(|| Failure::failed("no directory for data: set XDG_DATA_HOME to one"))?;
    Ok(data.join("lookback").join(format!("perfetto-{RELEASE}")))
}

fn walk(directory: &Path, prefix: &str, files: &mut HashMap<String, PathBuf>) -> io::Result<()> {
    for entry in read_dir(directory)? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let path = format!("{prefix}{}", name.to_string_lossy());
        if entry.is_dir() {
            walk(&entry, &format!("{path}/"), files)?;
        } else {
            files.insert(path, entry);
        }
    }
    Ok(())
}

/// What a browser takes a file of this name for.
pub(super) fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
