//! What arguments are fetched from.

use crate::machine_register::MachineRegister;

/// The processor and the memory of a thread that has come to a probe.
pub trait Machine {
    /// The registers that are known: a bit for each, by their numbers.
    fn known_registers(&self) -> u32;

    /// What is in a register; anything for one that isn't known.
    fn register(&self, register: MachineRegister) -> u64;

    /// Reads memory. False where not all of it can be read.
    fn load(&self, address: u64, into: &mut [u8]) -> bool;

    /// Reads text up to a zero byte: how many bytes there are before that, or all that there is space for.
    /// None where the first one can't be read.
    fn load_text(&self, address: u64, into: &mut [u8]) -> Option<usize>;

    /// The thread's name, with zeros after it.
    fn comm(&self) -> [u8; 16];

    /// The address of a place in the file that the probe is in. None where that isn't mapped.
    fn file_address(&self, offset: u64) -> Option<u64>;
}
