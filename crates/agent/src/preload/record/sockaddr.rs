//! Socket addresses as text: `127.0.0.1:80`, `[::1]:80`, `unix:/run/socket`, `unix:@abstract`.

use libc::{AF_INET, AF_INET6, AF_UNIX};

/// The longest: a path in a `struct sockaddr_un`, and what stands before it.
const MOST: usize = 120;

/// Text that is built without allocating.
#[derive(Debug)]
pub(crate) struct SocketText {
    bytes: [u8; MOST],
    len: usize,
}

impl SocketText {
    pub(crate) const fn new() -> SocketText {
        SocketText { bytes: [0; MOST], len: 0 }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// Describes the `struct sockaddr` at `address`, which has `len` bytes. Empty for null.
    ///
    /// # Safety
    ///
    /// So many bytes can be read there, if it is not null.
    pub(crate) unsafe fn describe(&mut self, address: *const u8, len: u32) -> &[u8] {
        self.len = 0;
        if !address.is_null() {
            let mut copy = [0; 128];
            let len = (len as usize).min(copy.len());
            // SAFETY: the caller's promise.
            unsafe { core::ptr::copy_nonoverlapping(address, copy.as_mut_ptr(), len) };
            if let Some(copy) = copy.get(..len) {
                self.describe_copy(copy);
            }
        }
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn describe_copy(&mut self, address: &[u8]) {
        let Some((family, rest)) = address.split_first_chunk::<2>() else { return };
        match i32::from(u16::from_ne_bytes(*family)) {
            AF_UNIX => self.unix(rest),
            AF_INET => self.inet(rest),
            AF_INET6 => self.inet6(rest),
            family => {
                self.push(b"family ");
                self.number(family as u32, 10);
            }
        }
    }

    fn unix(&mut self, path: &[u8]) {
        self.push(b"unix:");
        if let [0, name @ ..] = path {
            self.push(b"@");
            self.push(name);
        } else {
            let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
            self.push(path.get(..end).unwrap_or_default());
        }
    }

    fn inet(&mut self, rest: &[u8]) {
        let Some((port, rest)) = rest.split_first_chunk::<2>() else { return };
        let Some(address) = rest.first_chunk::<4>() else { return };
        for (index, byte) in address.iter().enumerate() {
            if index > 0 {
                self.push(b".");
            }
            self.number(u32::from(*byte), 10);
        }
        self.port(*port);
    }

    fn inet6(&mut self, rest: &[u8]) {
        let Some((port, rest)) = rest.split_first_chunk::<2>() else { return };
        let Some((_flow, rest)) = rest.split_first_chunk::<4>() else { return };
        let Some(address) = rest.first_chunk::<16>() else { return };
        let mut groups = [0; 8];
        for (group, bytes) in groups.iter_mut().zip(address.as_chunks::<2>().0) {
            *group = u16::from_be_bytes(*bytes);
        }
        let (start, len) = longest_run_of_zeros(&groups);
        self.push(b"[");
        for (index, group) in groups.iter().enumerate() {
            if len > 1 && (start..start + len).contains(&index) {
                if index == start {
                    self.push(b"::");
                }
                continue;
            }
            if index > 0 && !(len > 1 && index == start + len) {
                self.push(b":");
            }
            self.number(u32::from(*group), 16);
        }
        self.push(b"]");
        self.port(*port);
    }

    fn port(&mut self, port: [u8; 2]) {
        self.push(b":");
        self.number(u32::from(u16::from_be_bytes(port)), 10);
    }

    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(to) = self.bytes.get_mut(self.len) {
                *to = *byte;
                self.len += 1;
            }
        }
    }

    fn number(&mut self, number: u32, base: u32) {
        let mut digits = [0; 10];
        let mut rest = number;
        let mut count = 0;
        for digit in digits.iter_mut().rev() {
            let value = (rest % base) as u8;
            *digit = if value < 10 { b'0' + value } else { b'a' + value - 10 };
            rest /= base;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(digits.len() - count..).unwrap_or_default());
    }
}

/// Where an IPv6 address is written shorter: the start and length of its longest run of zeros.
fn longest_run_of_zeros(groups: &[u16; 8]) -> (usize, usize) {
    let (mut longest, mut start, mut len) = ((0, 0), 0, 0);
    for (index, group) in groups.iter().enumerate() {
        if *group != 0 {
            len = 0;
            continue;
        }
        if len == 0 {
            start = index;
        }
        len += 1;
        if len > longest.1 {
            longest = (start, len);
        }
    }
    longest
}
