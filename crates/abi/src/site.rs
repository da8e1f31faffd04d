//! Sites: the events of a program's own, as its object files describe them to the recorder.
//!
//! ```text
//! program, or library that it loads                         recorder, if one is preloaded
//!
//!   section lookback_sites: *Site, *Site, 0, *Site ...  ---->  lookback_register(start, end)
//!                             |
//!                             v                      fills in:
//!   Site { version, id, word, write,                   id, write, then word
//!          system, name, print, fields }
//!             |
//!             v  while *word is not 0
//!   Payload { the recorder's | common fields, fields } ---->  write(site, payload, bytes)
//! ```
//!
//! The section has pointers, not the sites themselves: compilers and linkers put space between larger things
//! as they like. A program without a recorder has null in `word`, for good: a load and a branch.
//!
//! A tracepoint with a format of printf(3) is a [`RawFormatSite`]: it has no fields, and hands its arguments
//! over as they are, a word for each. The recorder lays them out, as all programs with this format do.
//!
//! The recorder keeps no address of a program's: it copies the texts when the site is registered. So an
//! object can be unmapped at any time, and there is nothing to take back.
//!
//! `include/lookback.h` says the same in C.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, AtomicU64};

/// The version of these layouts. A recorder leaves sites of others alone.
pub const VERSION: u32 = 1;

/// The version of a [`RawFormatSite`].
pub const FORMAT_VERSION: u32 = 3;

/// The system of all tracepoints with a format.
pub const FORMAT_SYSTEM: &str = "ktrace";

/// The most arguments of a format.
pub const ARGUMENTS: usize = 16;

/// Words before an event's own that are the recorder's.
pub const HEAD_WORDS: usize = 8;

/// The most words of an event, the common fields included: what is taken from the program's stack.
pub const WORDS: usize = 32;

/// The most fields of an event.
pub const FIELDS: usize = 32;

/// An event that a program can record.
#[derive(Debug)]
#[repr(C)]
pub struct RawSite {
    /// [`VERSION`], or [`FORMAT_VERSION`].
    pub version: u32,
    /// The event's id, once it is registered.
    pub id: AtomicU32,
    /// The word that says whether the event is on. Null before the site is registered.
    pub word: AtomicPtr<AtomicU64>,
    /// The recorder's function `void (const Site *, Payload *, size_t bytes)`. Whoever sees it sees what was
    /// filled in before; before the site is registered it is null, or does nothing. It reads 4 words at
    /// least; the bytes count from the common fields.
    pub write: AtomicPtr<c_void>,
    /// The system that the event belongs to. As all texts here it ends with a zero byte.
    pub system: *const c_char,
    /// Its name.
    pub name: *const c_char,
    /// How it is printed. Of a [`RawFormatSite`] its format; else text with `{FIELD}` for a field, `{{` and
    /// `}}` for braces. Null: `FIELD=value` for all of them.
    pub print: *const c_char,
    /// Its fields.
    pub fields: *const RawField,
    /// How many. Of a [`RawFormatSite`], which describes none, how many arguments it hands over.
    pub field_count: u32,
    /// Other than 0 in a [`RawFormatSite`] that hands over the length of each text, in a word before its
    /// address. Else texts end with a zero byte.
    pub texts_have_lengths: u32,
}

/// A tracepoint with a format of printf(3). Its recorder's function takes a word for each argument instead of
/// a payload, as the format has them: numbers with their sign or with zeros in front, addresses.
#[derive(Debug)]
#[repr(C)]
pub struct RawFormatSite {
    /// The event, without fields.
    pub site: RawSite,
    /// What the recorder knows of its arguments: a word for each, 0 after the last. Filled in by the recorder
    /// before the site's `word`, as what follows.
    pub arguments: [AtomicU16; ARGUMENTS],
    /// Where what is no text and no dump ends in the payload.
    pub fixed_end: AtomicU16,
    /// Bytes that each of them can have.
    pub share: AtomicU16,
}

/// A field of an event. Fields lie as in a C struct, after the common ones.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RawField {
    /// Its name.
    pub name: *const c_char,
    /// Names of its values or flags.
    pub names: *const RawName,
    /// How many.
    pub name_count: u32,
    /// Elements of an array; 0 when it is none, [`DYNAMIC`] when each event has its own number.
    pub count: u16,
    /// Bytes of the number, or of an element: 1, 2, 4 or 8.
    pub size: u8,
    /// One of [`kind`].
    pub kind: u8,
}

/// The count of an array whose elements are after the fixed fields. In its place is a word of 4 bytes: bytes
/// in the upper half, offset in the payload in the lower.
pub const DYNAMIC: u16 = u16::MAX;

/// A value that has a name.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RawName {
    /// The value.
    pub value: i64,
    /// Its name.
    pub name: *const c_char,
}

/// What the bytes of a field mean.
pub mod kind {
    /// An unsigned number.
    pub const UNSIGNED: u8 = 0;
    /// A signed number.
    pub const SIGNED: u8 = 1;
    /// A number that is printed in hexadecimal.
    pub const HEX: u8 = 2;
    /// A truth value, of one byte.
    pub const BOOL: u8 = 3;
    /// Text of bytes: up to a zero byte in an array of fixed size, with a zero byte after it in a dynamic
    /// one.
    pub const TEXT: u8 = 4;
    /// A number, of 8 bytes, of which some values have names.
    pub const SYMBOLIC: u8 = 5;
    /// A set of flags with names, of 8 bytes.
    pub const FLAGS: u8 = 6;
}

/// An event on its way to the recorder, on the stack of who records it.
#[derive(Debug)]
#[repr(C)]
pub struct Payload {
    /// The recorder's: so that it needs no copy.
    pub head: [u64; HEAD_WORDS],
    /// The event; the first word, that of the common fields, is filled in by the recorder.
    pub words: [u64; WORDS],
}

/// What a message has instead of a description: [`RawSite::system`] and [`RawSite::name`] are these, and
/// there are no fields. Its payload is that of the kernel's event of this name: an address in the program,
/// then text.
pub const PRINT: (&str, &str) = ("ftrace", "print");
