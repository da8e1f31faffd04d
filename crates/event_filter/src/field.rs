//! The fields that a filter can ask for.

use crate::word::StringPlace;
use alloc::string::String;

/// A field of an event, as its format file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterField<'a> {
    /// The name.
    pub name: &'a str,
    /// The type, brackets included: `int`, `char[16]`, `__data_loc char[]`.
    pub type_name: &'a str,
    /// Bytes from the record's start to the field.
    pub offset: u16,
    /// Bytes of it.
    pub size: u16,
    /// Whether a number is signed.
    pub signed: bool,
    /// Values with names, which may stand for them in a filter: those that the print format shows.
    pub names: &'a [(u64, String)],
}

/// What a field is for a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterType {
    /// A string.
    Text(StringPlace),
    /// A mask of CPUs.
    CpuMask,
    /// The CPU of the event, which is in no record.
    Cpu,
    /// What nothing can be said about: the callers of the event.
    Stack,
    /// A number, or what is taken for one.
    Number,
}

/// Fields that every event has without recording them: the kernel's names and types.
const GENERIC: [(&str, &str, FilterType); 6] = [
    ("CPU", "int", FilterType::Cpu),
    ("cpu", "int", FilterType::Cpu),
    ("COMM", "char *", FilterType::Text(StringPlace::Comm)),
    ("comm", "char *", FilterType::Text(StringPlace::Comm)),
    ("stacktrace", "char *", FilterType::Stack),
    ("STACKTRACE", "char *", FilterType::Stack),
];

impl FilterField<'_> {
    /// Whether it counts nanoseconds, by its type, the kernel's for that: values may have units.
    pub fn is_time(&self) -> bool {
        self.type_name == "ktime_t"
    }

    /// What its type makes of it, by the kernel's rules.
    pub fn kind(&self) -> FilterType {
        let name = self.type_name;
        let is_text = name.contains("char");
        match name {
            _ if name.contains("__data_loc") && is_text => FilterType::Text(StringPlace::Location),
            _ if name.contains("__data_loc") && name.contains("cpumask_t") => FilterType::CpuMask,
            _ if name.contains("__rel_loc") && is_text => FilterType::Text(StringPlace::RelativeLocation),
            _ if name.contains('[') && is_text => FilterType::Text(StringPlace::Array),
            "char *" | "const char *" => FilterType::Text(StringPlace::Pointer),
            _ => FilterType::Number,
        }
    }
}

/// The field called `name`, and what it is: the event's own before those that every event has.
pub(crate) fn find<'a>(fields: &[FilterField<'a>], name: &'a str) -> Option<(FilterField<'a>, FilterType)> {
    if let Some(field) = fields.iter().find(|field| field.name == name) {
        return Some((*field, field.kind()));
    }
    let (_, type_name, kind) = GENERIC.iter().find(|(generic, ..)| *generic == name)?;
    let size = if *kind == FilterType::Cpu { 4 } else { 8 };
    Some((
        FilterField { name, type_name, offset: 0, size, signed: *kind == FilterType::Cpu, names: &[] },
        *kind,
    ))
}
