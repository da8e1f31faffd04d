//! Sleds of XRay: eleven bytes that are jumped over, or that come after a return.
//!
//! The called code finds the function's id in r10, as that of LLVM's own runtime does.

use super::refusal::Refusal;
use super::{Plan, Preparation, displacement};
use crate::site_code::SiteCode;
use crate::sites::xray_map::SledKind;

const LEN: usize = 11;
/// `jmp` over the nine bytes that follow.
const SKIP: [u8; 2] = [0xeb, 0x09];
const RETURN: u8 = 0xc3;
/// `mov r10d, imm32`.
const LOAD_ID: [u8; 2] = [0x41, 0xba];
const CALL: u8 = 0xe8;
const JUMP: u8 = 0xe9;

/// The plan for the sled at `address`, where `found` are the bytes. When it is on, an entry or a tail call
/// calls `target`, and an exit jumps there, each with `id` in r10.
pub fn plan(address: u64, kind: SledKind, found: &[u8], target: u64, id: u32) -> Result<Plan, Refusal> {
    let found = found.get(..LEN).map(SiteCode::new).ok_or_else(|| Refusal::Unknown(SiteCode::new(found)))?;
    let (first, leave) = match (kind, found.bytes()) {
        (SledKind::Exit, [RETURN, second, ..]) => ([RETURN, *second], JUMP),
        (SledKind::Entry | SledKind::TailCall, [0xeb, 0x09, ..]) => (SKIP, CALL),
        _ => return Err(Refusal::Unknown(found)),
    };
    if !address.is_multiple_of(2) {
        return Err(Refusal::OddSled);
    }
    let end = address.wrapping_add(LEN as u64);
    let displacement = displacement(end, target)?;
    let all =
        |first: [u8; 2]| SiteCode::new(&first).with(&id.to_le_bytes()).with(&[leave]).with(&displacement);
    let (off, on) = (all(first), all(LOAD_ID));
    Ok(Plan { address, found, off, on, preparation: Preparation::Unexecuted, returns_to: end })
}
