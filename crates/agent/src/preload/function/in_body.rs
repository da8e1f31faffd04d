//! What sites in the body of a function call.

use super::called::{CALL, CalledFunction, record_slowly};
use super::objects;
use super::traced_site::TracedSite;
use core::ptr::with_exposed_provenance;
use function_sites::{FrameBase, SitePlace};
use trace_event::{FrameRecord, enter};

/// What the entry has on the stack: registers as it has saved them. The function's own stack follows.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BodyCall {
    r11: u64,
    r10: u64,
    r9: u64,
    r8: u64,
    rdi: u64,
    rsi: u64,
    rdx: u64,
    rcx: u64,
    rax: u64,
    /// The function's frame pointer, and the address after its site.
    frame: FrameRecord,
}

/// The farthest from the stack pointer that a return address may be.
const FARTHEST: u64 = 1 << 20;

impl BodyCall {
    fn arguments(&self) -> [u64; 6] {
        [self.rdi, self.rsi, self.rdx, self.rcx, self.r8, self.r9]
    }

    /// What the function returns to. 0 where that is not known.
    fn caller(&self, site: &TracedSite) -> u64 {
        let stack = (&raw const *self).wrapping_add(1).addr() as u64;
        let place = site.return_address().map(|found| {
            let [frame_pointer, _] = self.frame;
            let base = if found.base == FrameBase::StackPointer { stack } else { frame_pointer };
            base.wrapping_add_signed(found.offset.into())
        });
        let is_on_stack = |place: &u64| place.wrapping_sub(stack) < FARTHEST && place.is_multiple_of(8);
        place.filter(is_on_stack).map_or(0, |place| {
            // SAFETY: the compiler says that it is there, above the stack pointer in the stack's frames.
            unsafe { with_exposed_provenance::<u64>(place as usize).read() }
        })
    }
}

/// Records that a function was called, at a site in its body.
pub(crate) extern "C" fn record_in_body(call: &BodyCall) {
    let Some(entered) = enter() else { return };
    let [_, returns_to] = call.frame;
    let address = returns_to.wrapping_sub(CALL);
    let Some(site) = objects::find(address) else { return };
    let arguments = (site.place() == SitePlace::AfterPrologue).then(|| call.arguments());
    let function =
        CalledFunction { address, caller: call.caller(site), arguments, frame: &raw const call.frame };
    record_slowly(entered, site, &function);
}
