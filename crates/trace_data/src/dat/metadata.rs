//! What is needed to understand a recording.

use super::{Options, Supplement};
use crate::event::{Event, EventTable};
use crate::format::{Format, FormatError};
use crate::print::Dialect;
use crate::symbols::SymbolTable;

/// What is needed to understand a recording. The same when read and when written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Bytes of a page.
    pub page_size: u32,
    /// The text of `events/header_page`.
    pub header_page: String,
    /// The text of `events/header_event`.
    pub header_event: String,
    /// The formats of the system `ftrace`.
    pub ftrace_formats: Vec<String>,
    /// All other systems.
    pub systems: Vec<System>,
    /// Names for addresses, as `/proc/kallsyms` has them.
    pub kallsyms: String,
    /// Constant strings that records point to, as `printk_formats` has them.
    pub printk_formats: String,
    /// Threads and their names.
    pub cmdlines: Vec<(i32, String)>,
    /// Clock, statistics and the like.
    pub options: Options,
    /// What readers other than this one don't look for.
    pub supplement: Supplement,
}

/// The events of one system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// Its name.
    pub name: String,
    /// The texts of its events' `format` files.
    pub formats: Vec<String>,
}

/// `events/header_event` of every kernel: the numbers are those of [`abi::page`].
const HEADER_EVENT: &str = "\
# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
";

impl Metadata {
    /// Without events and names, for pages of `page_size` bytes in the layout of [`abi::page`].
    pub fn new(page_size: u32) -> Metadata {
        Metadata {
            page_size,
            header_page: header_page(page_size),
            header_event: HEADER_EVENT.to_owned(),
            ..Metadata::default()
        }
    }

    /// Parses all formats, those of `ftrace` included.
    ///
    /// # Errors
    ///
    /// The first format that can't be parsed. [`Metadata::formats`] has them one by one.
    pub fn events(&self, dialect: Dialect) -> Result<EventTable, FormatError> {
        self.formats().map(|(system, text)| Ok(Event::new(Format::parse(system, text)?, dialect))).collect()
    }

    /// All formats: system and text.
    pub fn formats(&self) -> impl Iterator<Item = (&str, &str)> {
        let ftrace = self.ftrace_formats.iter().map(|text| ("ftrace", text.as_str()));
        let systems = self
            .systems
            .iter()
            .flat_map(|System { name, formats }| formats.iter().map(|text| (name.as_str(), text.as_str())));
        ftrace.chain(systems)
    }

    /// The names for addresses, ready to be looked up.
    pub fn symbols(&self) -> SymbolTable {
        SymbolTable::parse(&self.kallsyms, &self.printk_formats)
    }

    /// Threads and their names as `saved_cmdlines` has them. A thread may call itself anything; a
    /// line end would make two lines of one.
    pub(super) fn cmdlines_text(&self) -> String {
        self.cmdlines.iter().map(|(pid, name)| format!("{pid} {}\n", name.replace('\n', "?"))).collect()
    }
}

/// Lines `PID NAME`; others are passed over.
pub(super) fn parse_cmdlines(text: &str) -> Vec<(i32, String)> {
    let line = |line: &str| {
        let (pid, name) = line.trim_start().split_once(' ')?;
        Some((pid.parse().ok()?, name.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// `events/header_page` of a kernel whose sub-buffers have this size.
fn header_page(page_size: u32) -> String {
    let data = (page_size as usize).saturating_sub(abi::page::HEADER_SIZE);
    format!(
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
         \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
         \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
         \tfield: char data;\toffset:{};\tsize:{data};\tsigned:0;\n",
        abi::page::HEADER_SIZE,
    )
}
