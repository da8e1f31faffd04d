//! What a function is called with.

/// The registers that arguments are in, in the order of the calling convention.
pub const REGISTERS: usize = 6;

/// A parameter, as it is in registers at the function's entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Nothing for one without a name.
    pub name: String,
    /// Its value.
    pub value: ParameterValue,
}

/// Where a parameter's value is, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterValue {
    /// A number in a register: of so many bytes.
    Number {
        /// By its position among those of arguments.
        register: usize,
        /// Its size.
        bytes: usize,
        /// How it is printed.
        form: NumberForm,
    },
    /// In these registers, none for a part that is in no general register.
    Words {
        /// What it is, as the kernel names it.
        kind: &'static str,
        /// By their positions among those of arguments.
        registers: Vec<Option<usize>>,
    },
    /// Where it is isn't known, or not recorded.
    Unknown,
    /// On the stack, as all that come after it.
    OnStack,
}

/// How a number is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// Decimal, with a sign.
    Signed,
    /// Decimal.
    Unsigned,
    /// Hexadecimal.
    Hex,
}
