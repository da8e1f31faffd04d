//! What an event records of the program.

use crate::machine_register::MachineRegister;
use crate::stored_form::StoredForm;
use std::string::String;
use std::vec::Vec;

/// Where an argument's value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchSource {
    /// A register.
    Register(MachineRegister),
    /// The stack pointer.
    Stack,
    /// The stack's word of this number, from the stack pointer on.
    StackWord(u16),
    /// A number.
    Immediate(u64),
    /// A text.
    Text(String),
    /// A place in memory.
    Address(u64),
    /// The place in memory where this offset of the file is mapped.
    FileOffset(u64),
    /// The thread's name.
    Comm,
    /// What the function returns.
    ReturnValue,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchArgument {
    /// Where it comes from.
    pub source: FetchSource,
    /// Memory is read at this distance from the value, and at this one from what is there, and so on. The
    /// last one reads what is stored.
    pub dereferences: Vec<i64>,
    /// How it is stored.
    pub stored: StoredForm,
    /// How many of them, for an array.
    pub count: Option<u8>,
}
