//! Which registers a parameter takes, by its type.
//!
//! Source: System V ABI, AMD64 supplement, 3.2.3 "Parameter Passing".

use crate::parameter::{NumberForm, ParameterValue, REGISTERS};

/// A parameter's type, as far as it says where it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterType {
    /// In a register: a number of so many bytes.
    Number(usize, NumberForm),
    /// In none or more, each part in a general register or in another one.
    Parts { kind: &'static str, parts: [Option<Eightbyte>; 2] },
    /// Not in general registers: floating-point numbers, large structures.
    Elsewhere,
    /// Not known: nor is where those after it are.
    Unknown,
}

/// Eight bytes of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eightbyte {
    General,
    Vector,
}

/// What debug information says of where a parameter is at the function's entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryPlace {
    /// In these registers, by their position among those of arguments; none for a part elsewhere.
    Registers(Vec<Option<usize>>),
    /// In memory, where the function itself puts it: then it comes in as the convention says.
    Memory,
    /// Where that says for a pointer, which the object's address is passed as.
    Pointer,
    /// Nothing, or what makes no sense at the entry.
    Unknown,
}

/// Gives registers to a function's parameters, in order.
#[derive(Debug)]
pub(crate) struct RegisterOrder {
    next: usize,
    /// Whether it isn't known which comes next.
    is_lost: bool,
}

impl RegisterOrder {
    /// For a function that is given the address for what it returns, or not.
    pub(crate) fn new(returns_in_memory: bool) -> RegisterOrder {
        RegisterOrder { next: usize::from(returns_in_memory), is_lost: false }
    }

    /// Where the next parameter is.
    pub(crate) fn place(&mut self, of: ParameterType, at: &EntryPlace) -> ParameterValue {
        let of = if *at == EntryPlace::Pointer { ParameterType::Number(8, NumberForm::Hex) } else { of };
        let by_convention = self.by_convention(of);
        match at {
            EntryPlace::Memory | EntryPlace::Pointer => by_convention,
            EntryPlace::Unknown => {
                // A compiler may have left the parameter out, and then those after it have moved.
                self.is_lost = true;
                ParameterValue::Unknown
            }
            EntryPlace::Registers(registers) => {
                if let Some(last) = registers.iter().flatten().max() {
                    (self.next, self.is_lost) = (last + 1, false);
                }
                match (of, registers.as_slice()) {
                    (ParameterType::Number(bytes, form), [Some(register)]) => {
                        ParameterValue::Number { register: *register, bytes, form }
                    }
                    (ParameterType::Parts { kind, .. }, _) if registers.iter().any(Option::is_some) => {
                        ParameterValue::Words { kind, registers: registers.clone() }
                    }
                    _ => ParameterValue::Unknown,
                }
            }
        }
    }

    fn by_convention(&mut self, of: ParameterType) -> ParameterValue {
        let count = match of {
            ParameterType::Number(..) => 1,
            ParameterType::Parts { parts, .. } => {
                parts.iter().filter(|part| **part == Some(Eightbyte::General)).count()
            }
            ParameterType::Elsewhere => return ParameterValue::Unknown,
            ParameterType::Unknown => {
                self.is_lost = true;
                return ParameterValue::Unknown;
            }
        };
        if self.is_lost {
            return ParameterValue::Unknown;
        }
        let first = self.next;
        if first + count > REGISTERS {
            return ParameterValue::OnStack;
        }
        self.next += count;
        match of {
            ParameterType::Number(bytes, form) => ParameterValue::Number { register: first, bytes, form },
            ParameterType::Parts { kind, parts } if count > 0 => {
                let mut free = first..;
                let parts = parts.into_iter().flatten();
                let registers = parts.map(|part| if part == Eightbyte::General { free.next() } else { None });
                ParameterValue::Words { kind, registers: registers.collect() }
            }
            _ => ParameterValue::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_those_of_the_convention() {
        let int = ParameterType::Number(4, NumberForm::Signed);
        let pair = ParameterType::Parts { kind: "STRUCT", parts: [Some(Eightbyte::General); 2] };
        let number = |register| ParameterValue::Number { register, bytes: 4, form: NumberForm::Signed };
        let memory = EntryPlace::Memory;
        let mut order = RegisterOrder::new(true);
        assert_eq!(order.place(int, &memory), number(1), "after the address for the result");
        assert_eq!(order.place(ParameterType::Elsewhere, &memory), ParameterValue::Unknown);
        let words = |registers| ParameterValue::Words { kind: "STRUCT", registers };
        assert_eq!(order.place(pair, &memory), words(vec![Some(2), Some(3)]));
        assert_eq!(order.place(int, &memory), number(4));
        assert_eq!(order.place(pair, &memory), ParameterValue::OnStack, "one is left");
        assert_eq!(order.place(int, &memory), number(5), "which the next one takes");
        assert_eq!(order.place(int, &memory), ParameterValue::OnStack);
    }

    #[test]
    fn debug_information_counts_more_than_the_convention() {
        let int = ParameterType::Number(4, NumberForm::Signed);
        let number = |register| ParameterValue::Number { register, bytes: 4, form: NumberForm::Signed };
        let mut order = RegisterOrder::new(false);
        assert_eq!(order.place(int, &EntryPlace::Unknown), ParameterValue::Unknown);
        assert_eq!(order.place(int, &EntryPlace::Memory), ParameterValue::Unknown, "it may have moved");
        assert_eq!(order.place(int, &EntryPlace::Registers(vec![Some(1)])), number(1));
        assert_eq!(order.place(int, &EntryPlace::Memory), number(2));
    }
}
