//! What is damaged in pages.

use core::fmt;

/// What is damaged in the pages of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageDamage {
    /// The CPU of the first damaged page.
    pub cpu: u32,
    /// Where that page is in the file, or the compressed chunk that has it.
    pub offset: u64,
    /// Where in the page that was found; 0 where all of it is left out.
    pub byte: usize,
    /// What is wrong there.
    pub fault: PageFault,
    /// How many more pages are damaged.
    pub others: u64,
}

/// What is wrong with a place of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFault {
    /// The header says what no header says.
    Header,
    /// It begins before the page before it ends, or after the next one begins.
    Order,
    /// No event is like what is there, or as long.
    NoEvent,
    /// The time of an event is before that of the one before it, or after that of the next page.
    Time,
    /// The file describes no event with this id.
    Id(u16),
    /// No thread has this id.
    Thread(i32),
    /// The record ends before its last field.
    Short,
    /// A text, or another array, reaches beyond the record.
    Text,
}

impl fmt::Display for PageDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageDamage { cpu, offset, byte, fault, others } = self;
        write!(f, "the page of CPU {cpu} at offset {offset} is damaged")?;
        match byte {
            0 => write!(f, ": {fault}; it is left out")?,
            byte => write!(f, " at byte {byte}: {fault}; it is left out from the record before on")?,
        }
        match others {
            0 => Ok(()),
            1 => f.write_str(", and one more is damaged"),
            others => write!(f, ", and {others} more are damaged"),
        }
    }
}

impl core::error::Error for PageDamage {}

impl fmt::Display for PageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageFault::Header => f.write_str("its header makes no sense"),
            PageFault::Order => f.write_str("its time is not between those of its neighbours"),
            PageFault::NoEvent => f.write_str("that is no event"),
            PageFault::Time => f.write_str("a time is not between those of its neighbours"),
            PageFault::Id(id) => write!(f, "no event has the id {id}"),
            PageFault::Thread(pid) => write!(f, "no thread has the id {pid}"),
            PageFault::Short => f.write_str("a record is too short"),
            PageFault::Text => f.write_str("a text reaches out of its record"),
        }
    }
}
