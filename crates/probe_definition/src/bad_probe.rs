//! What is wrong with a definition, in the kernel's words.

use std::fmt::{self, Display, Formatter};

/// A definition that was refused: why, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadProbe {
    /// What is wrong.
    pub error: ProbeError,
    /// The definition, with one blank between its words.
    pub command: String,
    /// The byte of it that is wrong.
    pub at: usize,
}

impl Display for BadProbe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let before = self.command.get(..self.at).unwrap_or(&self.command).chars().count();
        let mark = before + self.at.saturating_sub(self.command.len());
        write!(f, "{}\n  {}\n  {:mark$}^", self.error.text(), self.command, "")
    }
}

macro_rules! errors {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// What can be wrong with a definition.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ProbeError {
            $($(#[doc = $doc])+ $name,)+
        }

        impl ProbeError {
            /// The kernel's words for it.
            pub fn text(self) -> &'static str {
                match self { $(ProbeError::$name => $text,)+ }
            }
        }
    };
}

errors! {
    /// It is no definition at all. The kernel logs nothing then.
    NoDefinition = "Expected p|r[:[GROUP/]EVENT] PATH:OFFSET|PATH:SYMBOL[+OFFSET] [ARGUMENT]...",
    /// There is no such file.
    FileNotFound = "Failed to find the given file",
    /// It is a directory, a device, or the like.
    NoRegularFile = "Not a regular file",
    /// The place is no number.
    BadOffset = "Invalid uprobe offset",
    /// The file has no such symbol.
    BadSymbol = "Invalid probed address or symbol",
    /// Several functions of the file are called so.
    AmbiguousSymbol = "The symbol is not unique",
    /// A return is asked for where no function begins.
    ReturnInside = "Retprobe address must be an function entry",
    /// Something else than `%return`.
    BadSuffix = "Invalid probed address suffix",
    /// A reference counter without its closing brace.
    ReferenceOpen = "Reference counter brace is not closed",
    /// Something after that brace.
    ReferenceSuffix = "Reference counter has wrong suffix",
    /// One that is no number.
    BadReference = "Invalid reference counter offset",
    /// No group before the slash.
    NoGroupName = "Group name is not specified",
    /// One of 64 bytes or more.
    GroupTooLong = "Group name is too long",
    /// One with other characters.
    BadGroupName = "Group name must follow the same rules as C identifiers",
    /// No event after the colon.
    NoEventName = "Event name is not specified",
    /// One of 64 bytes or more.
    EventTooLong = "Event name is too long",
    /// One with other characters.
    BadEventName = "Event name must follow the same rules as C identifiers",
    /// Some other event has it.
    EventExists = "Given group/event name is already used by another event",
    /// `$retval` where nothing returns.
    ReturnValueAtEntry = "$retval is not available on probe",
    /// `$argN` where nothing begins.
    ArgumentInside = "$arg* can be used only on function entry or exit",
    /// An `$argN` that no function has.
    BadArgumentNumber = "Invalid argument number",
    /// Another variable.
    BadVariable = "Invalid $-valiable specified",
    /// No such register.
    BadRegister = "Invalid register name",
    /// An address that is no number.
    BadAddress = "Invalid memory address",
    /// An offset that is no number.
    BadFileOffset = "Invalid file offset value",
    /// A symbol as an address.
    SymbolAsAddress = "Symbol is not available with uprobe",
    /// More arguments than an event can have.
    TooManyArguments = "Too many arguments are specified",
    /// A record of more bytes than one can have.
    EventTooBig = "Event too big (too many fields?)",
    /// More levels than can be followed.
    TooDeep = "Dereference is too much nested",
    /// An argument's name without the name.
    NoArgumentName = "Argument name is not specified",
    /// One of more than 32 bytes.
    ArgumentNameTooLong = "Argument name is too long",
    /// One with other characters.
    BadArgumentName = "Argument name must follow the same rules as C identifiers",
    /// One that another field has.
    UsedArgumentName = "This argument name is already used",
    /// An argument of more than 63 bytes.
    ArgumentTooLong = "Argument expression is too long",
    /// A name without the rest.
    NoArgument = "No argument expression",
    /// An immediate that is no number.
    BadImmediate = "Invalid immediate value",
    /// A string without its end.
    StringOpen = "String is not closed with '\"'",
    /// An array without its closing bracket.
    ArrayOpen = "Array is not closed",
    /// Something after that.
    ArraySuffix = "Array has wrong suffix",
    /// A count that is none.
    BadArrayCount = "Invalid array size",
    /// One of more than 64.
    ArrayTooBig = "Array number is too big",
    /// There is no such type.
    BadType = "Unknown type is specified",
    /// A string of what is no memory.
    BadString = "String accepts only memory argument",
    /// Another type for what can only be a string.
    StringOnly = "$comm and immediate-string only accepts string type",
    /// A bit field that doesn't fit.
    BadBitField = "Invalid bitfield",
    /// `+OFFSET` without a brace.
    NoBrace = "Dereference needs a brace",
    /// A brace without its end.
    BraceOpen = "Dereference brace is not closed",
    /// An offset that is no number.
    BadDereference = "Invalid dereference offset",
    /// A string can't be an address.
    TextAsAddress = "$comm can not be dereferenced",
    /// Something else.
    BadFetch = "Invalid fetch argument",
    /// A variable by its name.
    NoVariables = "BTF is not available or not supported",
    /// A probe of another kind has the name.
    OtherKind = "Probe type is different from existing probe",
    /// A probe with other arguments has the name.
    OtherArguments = "Argument type or name is different from existing probe",
    /// There is one already.
    SameProbe = "There is already the exact same probe event",
    /// There are as many as there can be.
    TooManyProbes = "Failed to register probe event",
}

impl ProbeError {
    /// Whether the kernel says something of it in `error_log`.
    pub fn is_logged(self) -> bool {
        self != ProbeError::NoDefinition
    }
}
