//! Event formats: what a payload consists of.
//!
//! The kernel describes every event in a text file, `events/SYSTEM/EVENT/format`; trace.dat files
//! carry the same text. Here it is taken apart into fields ([`Field`]) and the print format, which
//! [`crate::print`] makes readable output of.

mod field;
mod parse;

pub use field::{Element, Field, Kind};
pub use parse::FormatError;

/// What a payload of one event consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// The system that the event belongs to. Not part of the text: it is the directory's name.
    pub system: String,
    /// The event's name.
    pub name: String,
    /// The number in the payload's first field, `common_type`.
    pub id: u16,
    /// The fields, the common ones first, each part in the order of the text.
    pub fields: Vec<Field>,
    /// How many of `fields` are common to all events.
    pub common: usize,
    /// What follows `print fmt:`, in the syntax of C: a string and its arguments.
    pub print_fmt: String,
}

impl Format {
    /// Parses the text of a format file.
    ///
    /// # Errors
    ///
    /// When the name, the id or the print format is missing, or a field line makes no sense. The
    /// error has the number of the line.
    ///
    /// ```
    /// use trace_data::format::Format;
    ///
    /// let text = "\
    /// name: close
    /// ID: 41
    /// format:
    /// \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
    ///
    /// \tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;
    ///
    /// print fmt: \"fd=%d\", REC->fd
    /// ";
    /// let format = Format::parse("libc", text).unwrap();
    /// assert_eq!((format.id, format.own_fields()[0].name.as_str()), (41, "fd"));
    /// ```
    pub fn parse(system: &str, text: &str) -> Result<Format, FormatError> {
        parse::format(system, text)
    }

    /// Whether it is that of the event `name` of `system`.
    pub fn is(&self, system: &str, name: &str) -> bool {
        self.system == system && self.name == name
    }

    /// The field called `name`; common ones are found as well.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that belong to this event alone.
    pub fn own_fields(&self) -> &[Field] {
        &self.fields[self.common.min(self.fields.len())..]
    }
}
