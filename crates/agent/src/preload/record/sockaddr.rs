//! Socket addresses as text: `127.0.0.1:80`, also of `[::ffff:127.0.0.1]`, `[::1]:80`, `unix:/run/socket`,
//! `unix:@abstract`.

use crate::preload::record::described::DescribedText;
use libc::{AF_INET, AF_INET6, AF_UNIX};

impl DescribedText {
    /// Describes the `struct sockaddr` at `address`, which has `len` bytes. Empty for null.
    ///
    /// # Safety
    ///
    /// So many bytes can be read there, if it is not null.
    pub(crate) unsafe fn socket(&mut self, address: *const u8, len: u32) {
        if !address.is_null() {
            let mut copy = [0; 128];
            let len = (len as usize).min(copy.len());
            // SAFETY: the caller's promise.
            unsafe { core::ptr::copy_nonoverlapping(address, copy.as_mut_ptr(), len) };
            if let Some(copy) = copy.get(..len) {
                self.describe_copy(copy);
            }
        }
    }

    fn describe_copy(&mut self, address: &[u8]) {
        let Some((family, rest)) = address.split_first_chunk::<2>() else { return };
        match i32::from(u16::from_ne_bytes(*family)) {
            AF_UNIX => self.unix(rest),
            AF_INET => self.inet(rest),
            AF_INET6 => self.inet6(rest),
            family => {
                self.push(b"family ");
                self.number(family as u64, 10);
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
            self.number(u64::from(*byte), 10);
        }
        self.port(*port);
    }

    fn inet6(&mut self, rest: &[u8]) {
        let Some((port, rest)) = rest.split_first_chunk::<2>() else { return };
        let Some((_flow, rest)) = rest.split_first_chunk::<4>() else { return };
        let Some(address) = rest.first_chunk::<16>() else { return };
        // An IPv4 address in the clothes of IPv6, as sockets for both have it.
        if let [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, mapped @ ..] = address {
            let [a, b] = port;
            let [c, d, e, f] = mapped;
            return self.inet(&[*a, *b, *c, *d, *e, *f]);
        }
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
            self.number(u64::from(*group), 16);
        }
        self.push(b"]");
        self.port(*port);
    }

    fn port(&mut self, port: [u8; 2]) {
        self.push(b":");
        self.number(u64::from(u16::from_be_bytes(port)), 10);
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
