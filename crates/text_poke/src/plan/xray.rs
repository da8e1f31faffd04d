//! Sleds of XRay at the entry of a function: eleven bytes of which the first two jump over the others.
//!
//! LLVM's own runtime loads a number into r10 there. Here all registers stay as they are, and the called code
//! knows the site by its return address.

use super::nop;
use super::refusal::Refusal;
use super::{Plan, Preparation, displacement};
use crate::site_code::SiteCode;

const LEN: usize = 11;
/// `jmp` over the nine bytes that follow.
const SKIP: [u8; 2] = [0xeb, 0x09];
const CALL: u8 = 0xe8;
/// Where in the sled its call ends.
const CALL_END: usize = 7;

/// The plan for the sled at `address`, where `found` are the bytes. It calls `target` when it is on.
pub fn plan(address: u64, found: &[u8], target: u64) -> Result<Plan, Refusal> {
    let sled = found.get(..LEN).filter(|sled| sled.starts_with(&SKIP));
    let found = sled.map(SiteCode::new).ok_or_else(|| Refusal::Unknown(SiteCode::new(found)))?;
    if !address.is_multiple_of(2) {
        return Err(Refusal::OddSled);
    }
    let returns_to = address.wrapping_add(CALL_END as u64);
    let displacement = displacement(returns_to, target)?;
    let all =
        |first: &[u8]| SiteCode::new(first).with(&[CALL]).with(&displacement).with(nop::of(LEN - CALL_END));
    let (off, on) = (all(&SKIP), all(nop::of(SKIP.len())));
    Ok(Plan { address, found, off, on, preparation: Preparation::Unexecuted, returns_to })
}
