//! Instructions of functions that nobody has built for tracing: each becomes a jump, of five bytes or of two.
//!
//! Between functions there may be padding, which nobody executes. A jump can have its last bytes there, or a
//! short one lead to another one there: what is in padding is stored first, and stays, as a thread may be
//! about to execute it. (T4: all threads have seen it before the instruction changes.)

use super::entry::{code, exactly};
use super::refusal::Refusal;
use super::{Plan, Preparation, displacement};
use crate::site_code::SiteCode;
use crate::word::is_one_word;

/// `jmp rel32`.
const JUMP: u8 = 0xe9;
const JUMP_LEN: usize = 5;

/// The plan for an instruction of `len` bytes at `address`, that `found` begins with: it becomes a jump to
/// `target`. One that is shorter than a jump is followed by the jump's last bytes, which stay as they are;
/// so it must be the target for that.
///
/// The caller has moved the instruction to where the jump leads.
pub fn plan(address: u64, found: &[u8], len: usize, target: u64) -> Result<Plan, Refusal> {
    let found = exactly(found, JUMP_LEN)?;
    let end = address.wrapping_add(JUMP_LEN as u64);
    let jump = code(JUMP, displacement(end, target)?);
    let changed = len.min(JUMP_LEN);
    if found.bytes().get(changed..) != jump.bytes().get(changed..) {
        return Err(Refusal::OtherBytes);
    }
    if !is_one_word(address, changed) {
        return Err(Refusal::InTwoWords);
    }
    Ok(Plan { address, found, off: found, on: jump, preparation: Preparation::None, returns_to: end })
}

/// As [`plan`], where the bytes after the instruction are padding: the jump's last ones are stored there
/// before.
pub fn plan_with_padding(address: u64, found: &[u8], len: usize, target: u64) -> Result<Plan, Refusal> {
    let found = exactly(found, JUMP_LEN)?;
    let returns_to = address.wrapping_add(JUMP_LEN as u64);
    let on = code(JUMP, displacement(returns_to, target)?);
    if !is_one_word(address, len) {
        return Err(Refusal::InTwoWords);
    }
    let own = found.bytes().iter().take(len);
    let off = own.enumerate().fold(on, |off, (index, byte)| off.with_byte(index, *byte));
    Ok(Plan { address, found, off, on, preparation: Preparation::Unexecuted, returns_to })
}

/// The plan for an instruction that is to become a short jump, to where another jump is: [`plan_padding`] has
/// been applied there. It is found with the bytes that it begins with, as many as such a jump has.
pub fn plan_short(address: u64, found: &[u8], short_jump: [u8; 2]) -> Result<Plan, Refusal> {
    let found = exactly(found, short_jump.len())?;
    let returns_to = address.wrapping_add(short_jump.len() as u64);
    if !is_one_word(address, short_jump.len()) {
        return Err(Refusal::InTwoWords);
    }
    let on = SiteCode::new(&short_jump);
    Ok(Plan { address, found, off: found, on, preparation: Preparation::None, returns_to })
}

/// The plan for an instruction in two words, of five bytes or more: before other threads run it becomes a
/// jump to one of two addresses. These are so near each other that their jumps differ in one byte.
pub fn plan_beforehand(address: u64, found: &[u8], [on, off]: [u64; 2]) -> Result<Plan, Refusal> {
    let found = exactly(found, JUMP_LEN)?;
    let returns_to = address.wrapping_add(JUMP_LEN as u64);
    let [on, off] = [displacement(returns_to, on)?, displacement(returns_to, off)?];
    if on.iter().skip(1).ne(off.iter().skip(1)) {
        return Err(Refusal::InTwoWords);
    }
    let [on, off] = [code(JUMP, on), code(JUMP, off)];
    Ok(Plan { address, found, off, on, preparation: Preparation::Alone, returns_to })
}

/// The plan for padding at `address` that is to be a jump to `target`: on and off are the same, it stays.
pub fn plan_padding(address: u64, found: &[u8], target: u64) -> Result<Plan, Refusal> {
    let found = exactly(found, JUMP_LEN)?;
    let returns_to = address.wrapping_add(JUMP_LEN as u64);
    let jump = code(JUMP, displacement(returns_to, target)?);
    Ok(Plan { address, found, off: jump, on: jump, preparation: Preparation::Unexecuted, returns_to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{NextStep, SiteState};
    use crate::word::changes;

    #[test]
    fn a_short_instruction_shares_its_last_bytes_with_the_jump() {
        // mov rbp, rsp; push r15; push r14.
        let found = [0x48, 0x89, 0xe5, 0x41, 0x57, 0x41, 0x56];
        let target = 0x1006 + 0x5741_0010;
        let plan = plan(0x1001, &found, 3, target).unwrap();
        assert_eq!(plan.on.bytes(), [0xe9, 0x10, 0x00, 0x41, 0x57]);
        assert_eq!(changes(plan.address, plan.off, plan.on).count(), 1);
        assert_eq!(super::plan(0x1001, &found, 3, target + 0x10000), Err(Refusal::OtherBytes));
        assert_eq!(
            super::plan(0x1001, &found[..4], 3, target),
            Err(Refusal::Unknown(SiteCode::new(&found[..4])))
        );
    }

    #[test]
    fn what_changes_lies_in_one_word() {
        let found = [0x48, 0x81, 0xec, 0x10, 0x00, 0x00, 0x00];
        assert!(plan(0x1003, &found, 7, 0x2000).is_ok());
        assert_eq!(plan(0x1004, &found, 7, 0x2000), Err(Refusal::InTwoWords));
    }

    #[test]
    fn padding_is_stored_before_and_stays() {
        // ret, and nops.
        let found = [0xc3, 0x0f, 0x1f, 0x40, 0x00];
        let plan = plan_with_padding(0x1007, &found, 1, 0x2000).unwrap();
        let [off, on] = [SiteState::Off, SiteState::On].map(|state| plan.code(state));
        assert_eq!(off.bytes(), [0xc3, 0xf4, 0x0f, 0x00, 0x00]);
        assert_eq!(on.bytes(), [0xe9, 0xf4, 0x0f, 0x00, 0x00]);
        let step = |now, wanted| plan.step(now, wanted, false);
        assert_eq!(step(plan.code(SiteState::Found), SiteState::On), NextStep::Store(off));
        assert_eq!(step(off, SiteState::On), NextStep::Store(on));
        assert_eq!(step(on, SiteState::Found), NextStep::Store(off));
        assert_eq!(step(off, SiteState::Found), NextStep::Done, "somebody may be about to execute it");
        assert_eq!(plan_with_padding(0x1007, &found, 2, 0x2000), Err(Refusal::InTwoWords));

        let plan = plan_padding(0x1005, &found, 0x2000).unwrap();
        let jump = plan.code(SiteState::On);
        assert_eq!(plan.step(plan.found, SiteState::On, false), NextStep::Store(jump));
        assert_eq!(plan.step(jump, SiteState::On, false), NextStep::Done);
        assert_eq!(plan.step(SiteCode::new(&[0xcc; 5]), SiteState::On, false), NextStep::Differs);
    }

    #[test]
    fn a_jump_that_was_there_beforehand_changes_by_one_byte() {
        // mov eax, 13.
        let found = [0xb8, 13, 0, 0, 0];
        let plan = plan_beforehand(0x1006, &found, [0x2010, 0x2050]).unwrap();
        assert_eq!(changes(plan.address, plan.off, plan.on).count(), 1);
        assert_eq!(plan.step(plan.found, SiteState::On, true), NextStep::Store(plan.off));
        assert_eq!(plan.step(plan.found, SiteState::On, false), NextStep::TooLate);
        assert_eq!(plan.step(plan.off, SiteState::On, false), NextStep::Store(plan.on));
        assert_eq!(plan.step(plan.on, SiteState::Off, false), NextStep::Store(plan.off));
        assert_eq!(plan_beforehand(0x1006, &found, [0x20f0, 0x2110]), Err(Refusal::InTwoWords));
    }

    #[test]
    fn a_short_jump_lies_in_one_word() {
        let plan = plan_short(0x1006, &[0x31, 0xc0], [0xeb, 0x20]).unwrap();
        assert_eq!(plan.step(plan.found, SiteState::On, false), NextStep::Store(plan.on));
        assert_eq!(changes(plan.address, plan.off, plan.on).count(), 1);
        assert_eq!(plan_short(0x1007, &[0x31, 0xc0], [0xeb, 0x20]), Err(Refusal::InTwoWords));
    }
}
