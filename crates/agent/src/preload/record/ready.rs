//! What poll(2), select(2) and epoll_wait(2) have found ready, as text: `5:POLLIN|POLLHUP, 7:POLLOUT`.
//!
//! # Safety
//!
//! As for [`DescribedText::describe`].

use crate::preload::record::described::DescribedText;

/// How many descriptors are looked at, of those that a program waits for.
const LOOKED_AT: u32 = 1024;

/// What can be said of a descriptor, by poll(2) and by epoll_wait(2).
const BITS: [(u32, &[u8]); 12] = [
    (0x1, b"IN"),
    (0x2, b"PRI"),
    (0x4, b"OUT"),
    (0x8, b"ERR"),
    (0x10, b"HUP"),
    (0x20, b"NVAL"),
    (0x40, b"RDNORM"),
    (0x80, b"RDBAND"),
    (0x100, b"WRNORM"),
    (0x200, b"WRBAND"),
    (0x400, b"MSG"),
    (0x2000, b"RDHUP"),
];

/// The elements of an array.
///
/// # Safety
///
/// So many are there.
unsafe fn elements<T: Copy>(array: *const u8, count: u32) -> impl Iterator<Item = T> {
    // SAFETY: the caller's promise.
    (0..count as usize).map(move |index| unsafe { array.cast::<T>().add(index).read_unaligned() })
}

impl DescribedText {
    pub(super) unsafe fn polled(&mut self, descriptors: *const u8, count: u32) {
        // SAFETY: the caller's promise.
        for polled in unsafe { elements::<libc::pollfd>(descriptors, count.min(LOOKED_AT)) } {
            let is_ready = polled.revents != 0;
            if is_ready && !self.element(|text| text.ready(polled.fd as u64, b"POLL", polled.revents as u16))
            {
                break;
            }
        }
    }

    pub(super) unsafe fn descriptor_set(&mut self, set: *const u8, bits: u32) {
        // SAFETY: the caller's promise.
        let bytes = unsafe { elements::<u8>(set, bits.min(LOOKED_AT).div_ceil(8)) };
        let all =
            bytes.zip(0u64..).flat_map(|(byte, at)| (0..8).map(move |bit| (byte >> bit & 1, at * 8 + bit)));
        for (_, descriptor) in all.filter(|(is_set, at)| *is_set == 1 && *at < u64::from(bits)) {
            if !self.element(|text| text.number(descriptor, 10)) {
                break;
            }
        }
    }

    pub(super) unsafe fn epoll_events(&mut self, events: *const u8, count: u32) {
        // SAFETY: the caller's promise.
        for event in unsafe { elements::<libc::epoll_event>(events, count) } {
            if !self.element(|text| text.ready(event.u64, b"EPOLL", event.events)) {
                break;
            }
        }
    }

    /// What is ready, by its number or by a pointer of the program's, and for what.
    fn ready(&mut self, data: u64, prefix: &[u8], bits: impl Into<u32>) {
        let is_number = data <= i32::MAX as u64;
        self.push(if is_number { b"" } else { b"0x" });
        self.number(data, if is_number { 10 } else { 16 });
        let mut rest = bits.into();
        let mut separator: &[u8] = b":";
        for (bit, name) in BITS {
            if rest & bit != 0 {
                [separator, prefix, name].into_iter().for_each(|part| self.push(part));
                separator = b"|";
                rest &= !bit;
            }
        }
        if rest != 0 {
            self.push(separator);
            self.push(b"0x");
            self.number(rest.into(), 16);
        }
    }
}
