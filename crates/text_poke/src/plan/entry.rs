//! Sites at or near the start of a function: nops (`-fpatchable-function-entry`, `-mnop-mcount`) and calls of
//! `mcount` and `__fentry__` (`-pg`, `-mfentry`).

use super::nop;
use super::refusal::Refusal;
use super::{Plan, Preparation, displacement};
use crate::site_code::SiteCode;
use crate::word::is_one_word;

const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
/// `call rel32`.
const CALL: u8 = 0xe8;
/// `test eax, imm32`: as long as a call, and it changes nothing but flags.
const TEST: u8 = 0xa9;
/// A prefix that changes nothing about a call or a test: linkers and compilers make calls longer by it.
const ADDRESS_SIZE: u8 = 0x67;
/// `call [rip + disp32]`.
const CALL_INDIRECT: [u8; 2] = [0xff, 0x15];
/// `test [rip + disp32], edx`: reads the pointer that the call would read, and changes nothing but flags.
const TEST_INDIRECT: [u8; 2] = [0x85, 0x15];

const CALL_LEN: usize = 5;

/// As many nops as a call has bytes.
const SINGLE_NOPS: [u8; CALL_LEN] = [0x90; CALL_LEN];

/// Bytes from a site on that are enough for its plan.
pub const ENOUGH: usize = 20;

/// What a site calls when it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallTarget {
    /// What its call calls as it was found.
    Own,
    /// The code at this address.
    At(u64),
}

/// What follows an `endbr64`, or all of it where there is none: what a plan is of.
pub fn after_endbr64(found: &[u8]) -> &[u8] {
    found.strip_prefix(ENDBR64).unwrap_or(found)
}

/// Whether a site's nops are of one byte each.
pub fn has_single_nops(found: &[u8]) -> bool {
    after_endbr64(found).starts_with(&SINGLE_NOPS)
}

/// The plan for the site at `address`, where `found` are the bytes: [`ENOUGH`], or fewer where the section
/// ends.
///
/// `address` is that of the function, or of its site: an `endbr64` before it is skipped. It is not that of
/// nops before the function, which `-fpatchable-function-entry=N,M` makes `__patchable_function_entries`
/// point to.
pub fn plan(address: u64, found: &[u8], target: CallTarget) -> Result<Plan, Refusal> {
    let code = after_endbr64(found);
    let address = address.wrapping_add((found.len() - code.len()) as u64);
    let found = code;
    match found {
        [ADDRESS_SIZE, rest @ ..] if rest.first() == Some(&CALL) => {
            call(address.wrapping_add(1), rest, target)
        }
        [CALL, ..] => call(address, found, target),
        _ if found.starts_with(&CALL_INDIRECT) => indirect(address, found, target),
        _ => match target {
            CallTarget::At(target) => nops(address, found, target),
            CallTarget::Own => Err(Refusal::NoTarget),
        },
    }
}

/// Where the call begins that returns to `return_address`, of which `before` are the six bytes before. None
/// where those are no call that can be planned.
///
/// By that `mcount` knows the site that has called it, where no section lists sites (`-pg`).
pub fn call_before(return_address: u64, before: &[u8; 6]) -> Option<u64> {
    match before {
        [_, CALL, ..] => Some(return_address.wrapping_sub(CALL_LEN as u64)),
        _ if before.starts_with(&CALL_INDIRECT) => Some(return_address.wrapping_sub(before.len() as u64)),
        _ => None,
    }
}

/// The address that a call at `address` goes to whose displacement are four one-byte nops: 1.87 GB below.
///
/// Who has code there switches a run of one-byte nops by its first byte, with no preparation: see
/// [`plan`]. A thread between two of the nops goes on through the others.
pub fn punned_target(address: u64) -> u64 {
    let displacement = i64::from(i32::from_le_bytes([0x90; 4]));
    address.wrapping_add(CALL_LEN as u64).wrapping_add_signed(displacement)
}

/// A direct call.
fn call(address: u64, found: &[u8], target: CallTarget) -> Result<Plan, Refusal> {
    let found = exactly(found, CALL_LEN)?;
    let end = address.wrapping_add(CALL_LEN as u64);
    let on = match target {
        CallTarget::Own => found,
        CallTarget::At(target) => code(CALL, displacement(end, target)?),
    };
    let in_word = is_one_word(address, CALL_LEN);
    let off = if in_word { SiteCode::new(nop::of(CALL_LEN)) } else { on.with_byte(0, TEST) };
    let preparation = match (on == found, in_word) {
        (true, _) => Preparation::None,
        (false, true) => Preparation::OneStore,
        (false, false) => Preparation::Guarded,
    };
    Ok(Plan { address, found, off, on, preparation, returns_to: end })
}

/// A call through a pointer: of the global offset table, in code that doesn't depend on its position.
fn indirect(address: u64, found: &[u8], target: CallTarget) -> Result<Plan, Refusal> {
    const LEN: usize = CALL_LEN + 1;
    let found = exactly(found, LEN)?;
    let end = address.wrapping_add(LEN as u64);
    let (on, off, preparation) = match (target, is_one_word(address, LEN)) {
        (CallTarget::Own, true) => (found, SiteCode::new(nop::of(LEN)), Preparation::None),
        // Only the first byte differs, so it doesn't matter where the words meet.
        (CallTarget::Own, false) => (found, found.with_byte(0, TEST_INDIRECT[0]), Preparation::None),
        (CallTarget::At(target), true) => {
            let on = SiteCode::new(&[ADDRESS_SIZE, CALL]).with(&displacement(end, target)?);
            (on, SiteCode::new(nop::of(LEN)), Preparation::OneStore)
        }
        (CallTarget::At(_), false) => return Err(Refusal::IndirectInTwoWords),
    };
    Ok(Plan { address, found, off, on, preparation, returns_to: end })
}

/// Nops: one of them, or several.
fn nops(address: u64, found: &[u8], target: u64) -> Result<Plan, Refusal> {
    let first = nop::len(found).ok_or_else(|| Refusal::Unknown(SiteCode::new(found)))?;
    if first == CALL_LEN {
        return nop5(address, found, target);
    }
    if first > CALL_LEN && is_one_word(address, first) {
        return long_nop(address, found, first, target);
    }
    run(address, found, target)
}

/// One nop that is as long as a call.
fn nop5(address: u64, found: &[u8], target: u64) -> Result<Plan, Refusal> {
    let found = exactly(found, CALL_LEN)?;
    let end = address.wrapping_add(CALL_LEN as u64);
    let on = code(CALL, displacement(end, target)?);
    let (off, preparation) = match is_one_word(address, CALL_LEN) {
        true => (found, Preparation::None),
        false => (on.with_byte(0, TEST), Preparation::Guarded),
    };
    Ok(Plan { address, found, off, on, preparation, returns_to: end })
}

/// One longer nop within a word: the call is made as long, by prefixes.
fn long_nop(address: u64, found: &[u8], len: usize, target: u64) -> Result<Plan, Refusal> {
    let found = exactly(found, len)?;
    let end = address.wrapping_add(len as u64);
    let prefixes = [ADDRESS_SIZE; SiteCode::MOST];
    let prefixes = prefixes.get(..len.saturating_sub(CALL_LEN)).unwrap_or_default();
    let on = SiteCode::new(prefixes).with(&[CALL]).with(&displacement(end, target)?);
    Ok(Plan { address, found, off: found, on, preparation: Preparation::None, returns_to: end })
}

/// Several nops, or one that lies in two words: prepared alone, unless its own bytes are the displacement.
///
/// The call comes to lie within one word if it can: nine bytes always have such a place.
fn run(address: u64, found: &[u8], target: u64) -> Result<Plan, Refusal> {
    let len = match run_len(found) {
        0 => return Err(Refusal::Unknown(SiteCode::new(found))),
        len if len < CALL_LEN => return Err(Refusal::TooShort(len)),
        len => len,
    };
    let found = exactly(found, len)?;
    let at = |before: usize| address.wrapping_add(before as u64);
    if target == punned_target(address) && found.bytes().starts_with(&SINGLE_NOPS) {
        let found = exactly(found.bytes(), CALL_LEN)?;
        let on = found.with_byte(0, CALL);
        let returns_to = at(CALL_LEN);
        return Ok(Plan { address, found, off: found, on, preparation: Preparation::None, returns_to });
    }
    let place = (0..=len - CALL_LEN).find(|before| is_one_word(at(*before), CALL_LEN));
    let before = place.unwrap_or(0);
    let returns_to = at(before + CALL_LEN);
    let displacement = displacement(returns_to, target)?;
    let off = match place {
        Some(_) => SiteCode::new(nop::of(CALL_LEN)),
        None => code(TEST, displacement),
    };
    let all = |call: SiteCode| {
        let rest = nop::of(len - before - CALL_LEN);
        SiteCode::new(nop::of(before)).with(call.bytes()).with(rest)
    };
    let (off, on) = (all(off), all(code(CALL, displacement)));
    Ok(Plan { address, found, off, on, preparation: Preparation::Alone, returns_to })
}

/// How many bytes of nops `found` begins with, whole ones, as far as a plan has space.
fn run_len(found: &[u8]) -> usize {
    let mut len = 0;
    while let Some(next) = found.get(len..).and_then(nop::len) {
        if len + next > SiteCode::MOST {
            break;
        }
        len += next;
    }
    len
}

/// An opcode and the four bytes after it.
pub(super) fn code(opcode: u8, operand: [u8; 4]) -> SiteCode {
    SiteCode::new(&[opcode]).with(&operand)
}

/// The first `len` bytes.
pub(super) fn exactly(found: &[u8], len: usize) -> Result<SiteCode, Refusal> {
    found.get(..len).map(SiteCode::new).ok_or_else(|| Refusal::Unknown(SiteCode::new(found)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    const TARGET: CallTarget = CallTarget::At(0x2000);

    fn refusal(address: u64, found: &[u8], target: CallTarget) -> std::string::String {
        plan(address, found, target).unwrap_err().to_string()
    }

    #[test]
    fn what_no_compiler_leaves_is_refused() {
        let pushes = [0x55, 0x48, 0x89, 0xe5, 0x53, 0x90];
        let expected = "no call site of a compiler: 55 48 89 e5 53 90";
        assert_eq!(refusal(0x1000, &pushes, TARGET), expected);
        assert_eq!(refusal(0x1000, &[], TARGET), "no call site of a compiler: ");
        let cut = [0xe8, 0, 0];
        assert_eq!(refusal(0x1000, &cut, TARGET), "no call site of a compiler: e8 00 00");
    }

    #[test]
    fn nops_that_are_too_few_are_refused() {
        let expected = "3 bytes of nops, and a call takes 5";
        assert_eq!(refusal(0x1000, &[0x90, 0x90, 0x90, 0x55], TARGET), expected);
        let after_endbr64 = [0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x55];
        assert_eq!(refusal(0x1000, &after_endbr64, TARGET), "1 byte of nops, and a call takes 5");
    }

    #[test]
    fn calls_reach_two_gigabytes() {
        let nop = nop::of(5);
        let farthest = 0x1005 + i32::MAX as u64;
        assert!(plan(0x1000, nop, CallTarget::At(farthest)).is_ok());
        let expected = "the code to call is more than 2 GiB away";
        assert_eq!(refusal(0x1000, nop, CallTarget::At(farthest + 1)), expected);
        assert_eq!(refusal(0x1000, nop, CallTarget::Own), "nops have no code to call");
    }

    #[test]
    fn an_indirect_call_in_two_words_calls_only_what_it_has_called() {
        let call = [0xff, 0x15, 0, 0, 0, 0];
        assert!(plan(0x1003, &call, CallTarget::Own).is_ok());
        let expected = "an indirect call in two words can't be made to call other code";
        assert_eq!(refusal(0x1003, &call, TARGET), expected);
    }

    #[test]
    fn a_call_is_found_by_where_it_returns_to() {
        assert_eq!(call_before(0x1005, &[0x55, 0xe8, 1, 2, 3, 4]), Some(0x1000));
        assert_eq!(call_before(0x1006, &[0xff, 0x15, 1, 2, 3, 4]), Some(0x1000));
        assert_eq!(call_before(0x1006, &[0x41, 0xff, 0xd3, 0x90, 0x90, 0x90]), None);
    }
}
