//! Where the sections that write events write to.

/// What the sections need to know of the segment: a private copy, made once, that nobody else writes (R12).
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Target {
    /// The control word.
    pub(crate) control: *const u64,
    /// The segment's first byte, plus a page's header: position 0 of the page at offset 0.
    pub(crate) base: *mut u8,
    /// The last position at which a page may start: what follows it is all in the segment.
    pub(crate) limit: u64,
    /// The bits of a position that are within a page.
    pub(crate) page_mask: u64,
    /// Bytes of events that fit a page.
    pub(crate) capacity: u64,
}
