//! What is mounted where, from `/proc/self/mounts`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What `/proc/mounts` shows of our mounts as their type.
pub(crate) const TYPE: &str = "fuse.lookback";

/// A path without links in it. What is mounted there is not looked at: its server may be gone.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let Some((directory, name)) = path.parent().zip(path.file_name()) else { return path };
    directory.canonicalize().map_or(path.clone(), |directory| directory.join(name))
}

/// Whether what is mounted there last is one of our trees.
pub(crate) fn is_ours(path: &Path) -> bool {
    std::fs::read("/proc/self/mounts").is_ok_and(|table| type_of(&table, path) == Some(TYPE.as_bytes()))
}

/// The type of what is mounted at a path, on top.
fn type_of<'a>(table: &'a [u8], path: &Path) -> Option<&'a [u8]> {
    let mut lines = table.split(|byte| *byte == b'\n').rev();
    lines.find_map(|line| {
        let mut words = line.split(|byte| *byte == b' ');
        let (place, kind) = (words.nth(1)?, words.next()?);
        (unescape(place).as_bytes() == path.as_os_str().as_bytes()).then_some(kind)
    })
}

/// Blanks and backslashes are written as `\` and three octal digits.
fn unescape(word: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let code = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_top_counts() {
        let table = b"proc /proc proc rw 0 0\nlookback /a\\040b fuse.lookback rw 0 0\n\
                      lookback /t fuse.lookback rw 0 0\ntmpfs /t tmpfs rw 0 0\n";
        assert_eq!(type_of(table, Path::new("/a b")), Some(&b"fuse.lookback"[..]));
        assert_eq!(type_of(table, Path::new("/t")), Some(&b"tmpfs"[..]));
        assert_eq!(type_of(table, Path::new("/a")), None);
    }

    #[test]
    fn only_octal_digits_are_an_escape() {
        assert_eq!(unescape(b"a\\134b\\9zz\\04"), OsString::from("a\\b\\9zz\\04"));
    }
}
