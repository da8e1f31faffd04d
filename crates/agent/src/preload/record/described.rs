//! Text that says what memory means, built without allocating.

use ring_buffer::digits;

/// The most bytes of it: a path in a `struct sockaddr_un`, and what stands before it.
pub(crate) const MOST: usize = 120;

/// What stands at the end where something is left out.
const MORE: &[u8] = b"...";

/// What is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Described {
    /// A `struct sockaddr` of so many bytes.
    Socket,
    /// So many `struct pollfd`.
    Polled,
    /// An `fd_set`, of which so many bits count.
    DescriptorSet,
    /// So many `struct epoll_event`.
    EpollEvents,
}

/// The text.
#[derive(Debug)]
pub(crate) struct DescribedText {
    bytes: [u8; MOST],
    len: usize,
    most: usize,
}

impl DescribedText {
    pub(crate) const fn new() -> DescribedText {
        DescribedText { bytes: [0; MOST], len: 0, most: MOST }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// Describes what is at `address` in at most so many bytes, and gives how many they are. Nothing for
    /// null.
    ///
    /// # Safety
    ///
    /// So many of the thing can be read there, if it is not null.
    pub(crate) unsafe fn describe(
        &mut self,
        what: Described,
        address: *const u8,
        count: u32,
        most: usize,
    ) -> usize {
        (self.len, self.most) = (0, most.min(MOST));
        if !address.is_null() {
            // SAFETY: the caller's promise.
            unsafe {
                match what {
                    Described::Socket => self.socket(address, count),
                    Described::Polled => self.polled(address, count),
                    Described::DescriptorSet => self.descriptor_set(address, count),
                    Described::EpollEvents => self.epoll_events(address, count),
                }
            }
        }
        self.len
    }

    /// Appends an element of a list. False when there is no space for it, which the list then says.
    pub(super) fn element(&mut self, element: impl FnOnce(&mut DescribedText)) -> bool {
        let before = self.len;
        if before != 0 {
            self.push(b", ");
        }
        element(self);
        // In any case there is space to say that there are more.
        let fits = self.len + MORE.len() <= self.most;
        if !fits {
            self.len = before;
            self.push(MORE);
        }
        fits
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(to) = self.bytes.get_mut(..self.most).and_then(|bytes| bytes.get_mut(self.len)) {
                *to = *byte;
                self.len += 1;
            }
        }
    }

    pub(super) fn number(&mut self, number: u64, base: u64) {
        self.push(digits(number, base, &mut [0; 20]));
    }
}
