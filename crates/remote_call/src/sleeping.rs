//! What can be seen of a thread from outside: frames of handlers on its stack, and what it waits for.

use crate::look::SleepingCall;

/// Which word of a frame for a handler is the address of the instruction that goes on after it.
pub(crate) const RETURNS_FROM_FRAME: usize = 5 + 16;

/// Whether words of a stack can be what the kernel puts there for a handler: flags, a link to nothing, and
/// registers, among which is the selector of the program's code. What remains of one on a stack looks alike.
pub(crate) fn is_frame(words: &[u64]) -> bool {
    const SELECTORS: usize = RETURNS_FROM_FRAME + 2;
    const CODE: u64 = 0x33;
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    word(0) < 8 && word(1) == 0 && word(SELECTORS) & 0xffff == CODE
}

/// Whether a call waits for a lock that may be one of libc's own: those wait in this way only.
pub(crate) fn is_of_lock(call: &SleepingCall) -> bool {
    let command = call.arguments[1] as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    call.number == libc::SYS_futex && command != libc::FUTEX_WAIT_BITSET
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_locks_are_told_apart() {
        let wait = |command: i32| SleepingCall {
            number: libc::SYS_futex,
            arguments: [1, command as u64, 0, 0, 0, 0],
            stack: 0,
            returns_to: 0,
        };
        assert!(is_of_lock(&wait(libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG)));
        assert!(!is_of_lock(&wait(
            libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME
        )));
    }
}
