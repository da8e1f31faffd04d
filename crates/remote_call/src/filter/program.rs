//! A filter of system calls: a program of classic BPF, which is run for each call that a thread makes.
//!
//! It is run here with what is known of a call; where that doesn't decide a jump, both ways are gone.

use std::collections::HashSet;

/// A filter, as the kernel gives it.
#[derive(Debug, Clone)]
pub(crate) struct FilterProgram {
    instructions: Vec<libc::sock_filter>,
}

/// A system call, as far as it is known before it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForeseenCall {
    pub(crate) number: i64,
    /// None for what isn't known.
    pub(crate) arguments: [Option<u64>; 6],
}

/// What a filter says of a call that is made as if there were none (SECCOMP_RET_ALLOW).
const ALLOWS: u32 = 0x7fff_0000;

/// AUDIT_ARCH_X86_64.
const ARCHITECTURE: u32 = 0xc000_003e;

/// States of a program that are looked at, at most: one that has more isn't understood.
const STATES: usize = 1 << 16;

/// Words of memory that a program has.
const WORDS: usize = 16;

/// Where a program is, and what it has: None for what isn't known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FilterState {
    at: usize,
    accumulator: Option<u32>,
    index: Option<u32>,
    memory: [Option<u32>; WORDS],
}

/// What comes of an instruction.
enum FilterStep {
    /// The program goes on.
    Next(FilterState),
    /// At one of two places: it isn't known which.
    Either([FilterState; 2]),
    /// It ends with this; None where that isn't known.
    Ends(Option<u32>),
}

impl FilterState {
    /// So many instructions farther.
    fn jumped(self, by: u8) -> FilterState {
        FilterState { at: self.at + usize::from(by), ..self }
    }
}

impl FilterProgram {
    pub(crate) fn new(instructions: Vec<libc::sock_filter>) -> FilterProgram {
        FilterProgram { instructions }
    }

    /// Whether it allows a call, whatever of that isn't known.
    pub(crate) fn allows(&self, call: &ForeseenCall) -> bool {
        let start = FilterState { at: 0, accumulator: Some(0), index: Some(0), memory: [Some(0); WORDS] };
        let mut seen = HashSet::from([start]);
        let mut left = vec![start];
        while let Some(state) = left.pop() {
            let next = match self.step(state, call) {
                Some(FilterStep::Ends(Some(ALLOWS))) => continue,
                Some(FilterStep::Ends(_)) | None => return false,
                Some(FilterStep::Next(next)) => [next, next],
                Some(FilterStep::Either(both)) => both,
            };
            left.extend(next.into_iter().filter(|next| seen.insert(*next)));
            if seen.len() > STATES {
                return false;
            }
        }
        true
    }

    /// One instruction. None for one that no filter has.
    fn step(&self, state: FilterState, call: &ForeseenCall) -> Option<FilterStep> {
        let instruction = self.instructions.get(state.at)?;
        let (code, constant) = (u32::from(instruction.code), instruction.k);
        let mut next = FilterState { at: state.at + 1, ..state };
        let place = constant as usize;
        match code & CLASS {
            libc::BPF_LD => next.accumulator = self.load(code, constant, &state, call)?,
            libc::BPF_LDX => next.index = self.load(code, constant, &state, call)?,
            libc::BPF_ST => *next.memory.get_mut(place)? = state.accumulator,
            libc::BPF_STX => *next.memory.get_mut(place)? = state.index,
            libc::BPF_ALU => {
                let operand = operand(code, constant, &state);
                next.accumulator = calculated(code & OPERATION, state.accumulator, operand)?;
            }
            libc::BPF_MISC if code & MISCELLANEOUS == libc::BPF_TAX => next.index = state.accumulator,
            libc::BPF_MISC => next.accumulator = state.index,
            libc::BPF_RET => {
                let is_constant = code & RETURNED == libc::BPF_K;
                return Some(FilterStep::Ends(if is_constant { Some(constant) } else { state.accumulator }));
            }
            _ if code & OPERATION == libc::BPF_JA => next.at += place,
            _ => {
                let [yes, no] = [instruction.jt, instruction.jf].map(|by| next.jumped(by));
                let operand = operand(code, constant, &state);
                return Some(match state.accumulator.zip(operand) {
                    None => FilterStep::Either([yes, no]),
                    Some((left, right)) if compared(code & OPERATION, left, right)? => FilterStep::Next(yes),
                    Some(_) => FilterStep::Next(no),
                });
            }
        }
        Some(FilterStep::Next(next))
    }

    fn load(
        &self,
        code: u32,
        constant: u32,
        state: &FilterState,
        call: &ForeseenCall,
    ) -> Option<Option<u32>> {
        const LENGTH: u32 = 64;
        match code & MODE {
            libc::BPF_IMM => Some(Some(constant)),
            libc::BPF_LEN => Some(Some(LENGTH)),
            libc::BPF_MEM => state.memory.get(constant as usize).copied(),
            libc::BPF_ABS => call.word(constant),
            _ => None,
        }
    }
}

/// The parts of an instruction's code.
const CLASS: u32 = 0x07;
const MODE: u32 = 0xe0;
const OPERATION: u32 = 0xf0;
const RETURNED: u32 = 0x18;
const MISCELLANEOUS: u32 = 0xf8;

impl ForeseenCall {
    /// The word of `struct seccomp_data` at this place, if it is known. None where there is none.
    fn word(&self, place: u32) -> Option<Option<u32>> {
        const ARGUMENTS: u32 = 16;
        match place {
            0 => Some(Some(self.number as u32)),
            4 => Some(Some(ARCHITECTURE)),
            // The instruction pointer.
            8 | 12 => Some(None),
            _ => {
                let place = place.checked_sub(ARGUMENTS)?;
                let argument = self.arguments.get(place as usize / 8)?;
                Some(argument.map(|argument| (argument >> (place % 8 * 8)) as u32))
            }
        }
    }
}

fn operand(code: u32, constant: u32, state: &FilterState) -> Option<u32> {
    if code & libc::BPF_X != 0 { state.index } else { Some(constant) }
}

/// What an instruction calculates: None inside where that isn't known, outside for what no filter does, or
/// what would end it.
fn calculated(operation: u32, left: Option<u32>, right: Option<u32>) -> Option<Option<u32>> {
    if operation == libc::BPF_DIV && right.is_none() {
        return None;
    }
    let Some((left, right)) = left.zip(right) else { return Some(None) };
    Some(Some(match operation {
        libc::BPF_ADD => left.wrapping_add(right),
        libc::BPF_SUB => left.wrapping_sub(right),
        libc::BPF_MUL => left.wrapping_mul(right),
        libc::BPF_DIV => left.checked_div(right)?,
        libc::BPF_AND => left & right,
        libc::BPF_OR => left | right,
        libc::BPF_XOR => left ^ right,
        libc::BPF_LSH => left.checked_shl(right)?,
        libc::BPF_RSH => left.checked_shr(right)?,
        libc::BPF_NEG => left.wrapping_neg(),
        _ => return None,
    }))
}

fn compared(operation: u32, left: u32, right: u32) -> Option<bool> {
    match operation {
        libc::BPF_JEQ => Some(left == right),
        libc::BPF_JGT => Some(left > right),
        libc::BPF_JGE => Some(left >= right),
        libc::BPF_JSET => Some(left & right != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libc::{
        BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGT, BPF_JMP, BPF_K, BPF_LD, BPF_LDX, BPF_MEM, BPF_RET,
    };
    use libc::{BPF_ST, BPF_W, BPF_X};

    fn statement(code: u32, k: u32) -> libc::sock_filter {
        libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
    }

    fn jump(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
        libc::sock_filter { code: (BPF_JMP | code) as u16, jt, jf, k }
    }

    const LOAD: u32 = BPF_LD | BPF_W | BPF_ABS;
    const RETURN: u32 = BPF_RET | BPF_K;
    const ERRNO: u32 = 0x0005_0001;

    fn call(number: i64, first: Option<u64>) -> ForeseenCall {
        ForeseenCall { number, arguments: [first, None, None, None, None, None] }
    }

    #[test]
    fn calls_are_told_by_their_numbers() {
        let program = FilterProgram::new(vec![
            statement(LOAD, 4),
            jump(BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
            statement(RETURN, 0),
            statement(LOAD, 0),
            jump(BPF_JGT | BPF_K, 100, 1, 0),
            statement(RETURN, ALLOWS),
            statement(RETURN, ERRNO),
        ]);
        assert_eq!([100, 101].map(|number| program.allows(&call(number, None))), [true, false]);
    }

    #[test]
    fn what_is_not_known_may_be_anything() {
        // Allows a call whose first argument, without its last bit, is 2.
        let program = FilterProgram::new(vec![
            statement(LOAD, 16),
            statement(BPF_ALU | BPF_AND | BPF_K, !1),
            statement(BPF_ST, 3),
            statement(BPF_LDX | BPF_MEM, 3),
            statement(BPF_LD, 2),
            jump(BPF_JEQ | BPF_X, 0, 0, 1),
            statement(RETURN, ALLOWS),
            statement(RETURN, ERRNO),
        ]);
        let allows = [Some(2), Some(3), Some(4), None].map(|first| program.allows(&call(1, first)));
        assert_eq!(allows, [true, true, false, false]);
    }

    #[test]
    fn what_no_filter_has_allows_nothing() {
        for instructions in [vec![], vec![statement(LOAD, 64), statement(RETURN, ALLOWS)]] {
            assert!(!FilterProgram::new(instructions).allows(&call(1, None)));
        }
        // One that allows what it is given: an argument.
        let program = FilterProgram::new(vec![statement(LOAD, 16), statement(BPF_RET | libc::BPF_A, 0)]);
        let allows = [Some(u64::from(ALLOWS)), None].map(|first| program.allows(&call(1, first)));
        assert_eq!(allows, [true, false]);
    }
}
