//! Whether a thread is in a restartable sequence.

use crate::ptrace::Tracee;
use crate::target::TargetProcess;

/// Where `struct rseq` has the address of the sequence.
const SEQUENCE: u64 = 8;

/// Whether a stopped thread whose instruction pointer is there may be in a restartable sequence.
///
/// The kernel restarts a sequence when the thread goes on, by its registers. With the routine's it would
/// forget the sequence, and the thread would go on in it later, maybe on another CPU.
pub(crate) fn is_inside(tracee: &Tracee, target: &TargetProcess, instruction: u64) -> bool {
    let inside = || {
        let area = tracee.rseq_area().ok()?;
        if area == 0 {
            return Some(false);
        }
        let sequence = target.read_word(area + SEQUENCE).ok()?;
        if sequence == 0 {
            return Some(false);
        }
        let start = target.read_word(sequence + 8).ok()?;
        let length = target.read_word(sequence + 16).ok()?;
        Some(instruction.wrapping_sub(start) < length)
    };
    inside().unwrap_or(true)
}
