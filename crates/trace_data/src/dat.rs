//! trace.dat: the file that trace-cmd writes, and that it and KernelShark read.
//!
//! A file holds what is needed to understand a recording ([`Metadata`]: formats, names, clock) and
//! the pages of each CPU, for the top buffer and any number of instances.
//!
//! [`Recording`] reads versions 6 and 7 (uncompressed or with zstd). It seeks and reads one page at
//! a time, so files of many gigabytes are fine. Every length and offset is checked against the
//! file: bytes of any content lead to an [`Error`] that says where, never to a panic.
//!
//! [`write()`] makes version 6, which all readers know, or version 7, which can be compressed.
//!
//! Sources: trace-cmd.dat(5), files made by trace-cmd 3.1.6, and this crate's tests, which let
//! trace-cmd read what is written here.

mod blocks;
mod buffer;
mod compress;
mod error;
mod input;
mod metadata;
mod options;
mod output;
mod page_damage;
mod reader;
mod section;
mod sound_pages;
mod sound_records;
mod source;
mod supplement;
mod unseen;
mod version6;
mod version7;
mod write;
mod write6;
mod write7;

pub use buffer::{CpuData, RecordedBuffer};
pub use compress::compress;
pub use error::Error;
pub use metadata::{Metadata, System};
pub use options::{Options, TscScale};
pub use page_damage::{PageDamage, PageFault};
pub use reader::{BufferPages, Recording};
pub use sound_pages::SoundPages;
pub use sound_records::SoundRecords;
pub use source::{BufferSource, CpuSource};
pub use supplement::{MappedFile, Supplement};
pub use unseen::UnseenProcess;
pub use write::{Version, write};

/// What every file starts with.
const MAGIC: [u8; 10] = *b"\x17\x08\x44tracing";
/// Before the options of a version 6 file.
const OPTIONS_MARK: [u8; 10] = *b"options  \0";
/// Before the CPUs' offsets of a version 6 file.
const FLYRECORD_MARK: [u8; 10] = *b"flyrecord\0";

/// Numbers of options and of sections, which share one space.
mod id {
    pub(super) const DONE: u16 = 0;
    pub(super) const DATE: u16 = 1;
    pub(super) const CPUSTAT: u16 = 2;
    pub(super) const BUFFER: u16 = 3;
    pub(super) const TRACECLOCK: u16 = 4;
    pub(super) const UNAME: u16 = 5;
    pub(super) const OFFSET: u16 = 7;
    pub(super) const CPUCOUNT: u16 = 8;
    pub(super) const VERSION: u16 = 9;
    pub(super) const TSC2NSEC: u16 = 14;
    pub(super) const HEADER_INFO: u16 = 16;
    pub(super) const FTRACE_EVENTS: u16 = 17;
    pub(super) const EVENT_FORMATS: u16 = 18;
    pub(super) const KALLSYMS: u16 = 19;
    pub(super) const PRINTK: u16 = 20;
    pub(super) const CMDLINES: u16 = 21;
}
