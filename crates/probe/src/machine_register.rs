//! Registers, by the kernel's names.

/// A register of a processor, as an event can record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineRegister(u8);

/// Their names: the general ones by the numbers that instructions have for them.
const NAMES: [&str; 18] = [
    "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "ip", "flags",
];

impl MachineRegister {
    /// What functions return a number in.
    pub const RESULT: MachineRegister = MachineRegister(0);
    /// The stack pointer.
    pub const STACK_POINTER: MachineRegister = MachineRegister(4);
    /// The address of the instruction that is executed next.
    pub const INSTRUCTION_POINTER: MachineRegister = MachineRegister(16);
    /// The flags.
    pub const FLAGS: MachineRegister = MachineRegister(17);

    /// Those that a function's first six arguments are in, in their order.
    pub const ARGUMENTS: [MachineRegister; 6] = [
        MachineRegister(7),
        MachineRegister(6),
        MachineRegister(2),
        MachineRegister(1),
        MachineRegister(8),
        MachineRegister(9),
    ];

    /// The one of a name. None for a name that isn't one.
    pub fn named(name: &str) -> Option<MachineRegister> {
        let index = NAMES.iter().position(|known| *known == name)?;
        Some(MachineRegister(index as u8))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// The one of a number, as instructions have it for general ones. None where there is none.
    pub const fn of_number(number: u8) -> Option<MachineRegister> {
        if (number as usize) < NAMES.len() { Some(MachineRegister(number)) } else { None }
    }

    /// Its bit, in a set of registers.
    pub const fn bit(self) -> u32 {
        1 << self.0
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_kernels() {
        let names = MachineRegister::ARGUMENTS.map(MachineRegister::name);
        assert_eq!(names, ["di", "si", "dx", "cx", "r8", "r9"]);
        assert_eq!(MachineRegister::named("ip"), Some(MachineRegister::INSTRUCTION_POINTER));
        assert_eq!((MachineRegister::named("rip"), MachineRegister::of_number(18)), (None, None));
    }
}
