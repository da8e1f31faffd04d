//! Where the symbols are that were stripped from a file.

use core::ffi::CStr;

/// The longest path that is looked at.
const MOST: usize = 1024;

/// Gives `visit` each path at which the symbols may be that were stripped from the file at `path`, as gdb has
/// them, until it has found something: by the build id, then by the name in `.gnu_debuglink`, next to the
/// file, in `.debug` there, and in `/usr/lib/debug`. Whether it is the file's own is to be checked by its
/// build id. Doesn't allocate.
pub fn find_debug_file<T>(
    path: &[u8],
    link: &[u8],
    build_id: &[u8],
    mut visit: impl FnMut(&CStr) -> Option<T>,
) -> Option<T> {
    const DEBUG: &[u8] = b"/usr/lib/debug";
    let directory = path.iter().rposition(|byte| *byte == b'/').and_then(|last| path.get(..=last));
    let directory = directory.unwrap_or_default();
    let by_build_id = build_id.split_first().and_then(|(first, rest)| {
        let mut text = FilePath::new();
        text.push(DEBUG)?.push(b"/.build-id/")?.hex(*first)?.push(b"/")?;
        rest.iter().try_for_each(|byte| text.hex(*byte).map(|_| ()))?;
        text.push(b".debug")?;
        visit(text.path()?)
    });
    if by_build_id.is_some() || link.is_empty() {
        return by_build_id;
    }
    let places: [[&[u8]; 3]; 3] =
        [[directory, b"", b""], [directory, b".debug/", b""], [DEBUG, directory, b""]];
    places.into_iter().find_map(|parts| {
        let mut text = FilePath::new();
        parts.into_iter().chain([link]).try_for_each(|part| text.push(part).map(|_| ()))?;
        // Of itself a file has no more than its own.
        if text.bytes.starts_with(path) && text.len == path.len() {
            return None;
        }
        visit(text.path()?)
    })
}

/// A path as it is made.
struct FilePath {
    bytes: [u8; MOST],
    len: usize,
}

impl FilePath {
    fn new() -> FilePath {
        FilePath { bytes: [0; MOST], len: 0 }
    }

    /// None where there is no space, which includes that for the zero byte at the end.
    fn push(&mut self, part: &[u8]) -> Option<&mut FilePath> {
        let end = self.len.checked_add(part.len()).filter(|end| *end < MOST)?;
        self.bytes.get_mut(self.len..end)?.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
        self.len = end;
        Some(self)
    }

    fn hex(&mut self, byte: u8) -> Option<&mut FilePath> {
        let digit = |digit: u8| if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
        self.push(&[digit(byte >> 4), digit(byte & 15)])
    }

    fn path(&self) -> Option<&CStr> {
        CStr::from_bytes_until_nul(&self.bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn places(path: &str, link: &str, build_id: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        let none: Option<()> = find_debug_file(path.as_bytes(), link.as_bytes(), build_id, |path| {
            found.push(path.to_str().unwrap().to_string());
            None
        });
        assert_eq!(none, None);
        found
    }

    #[test]
    fn places_are_those_of_gdb() {
        let expected = [
            "/usr/lib/debug/.build-id/0a/b1ff.debug",
            "/opt/bin/shop.debug",
            "/opt/bin/.debug/shop.debug",
            "/usr/lib/debug/opt/bin/shop.debug",
        ];
        assert_eq!(places("/opt/bin/shop", "shop.debug", &[0x0a, 0xb1, 0xff]), expected);
        assert_eq!(places("/opt/bin/shop", "", &[0x0a, 0xb1, 0xff]), expected[..1]);
        assert_eq!(
            places("/opt/bin/shop", "shop", &[]),
            ["/opt/bin/.debug/shop", "/usr/lib/debug/opt/bin/shop"]
        );
        assert_eq!(places("/shop", &"x".repeat(MOST), &[]), [""; 0]);
        let found = find_debug_file(b"/a", b"b", &[1], |path| (path == c"/.debug/b").then_some(3));
        assert_eq!(found, Some(3));
    }
}
