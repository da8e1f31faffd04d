//! Instructions of functions that nobody has built for tracing: each becomes a jump.

use super::entry::{code, exactly};
use super::refusal::Refusal;
use super::{Plan, Preparation, displacement};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_code::SiteCode;
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
}
