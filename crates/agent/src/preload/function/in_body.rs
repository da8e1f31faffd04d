//! What sites in the body of a function call.

use super::call::{FunctionEnd, SavedCall};
use super::called::record_by_site;
use super::traced_site::TracedSite;
use super::{graph, objects};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU64;
use function_sites::{FrameBase, SitePlace};
use trace_event::enter;

/// The farthest from the stack pointer that a return address may be.
const FARTHEST: u64 = 1 << 20;

/// Where the return address of a function is that has called from a site in its body. None where that is not
/// known.
fn return_address<'a>(saved: &'a SavedCall, site: &TracedSite) -> Option<&'a AtomicU64> {
    let found = site.return_address()?;
    let stack = saved.stack_pointer();
    let base = if found.base == FrameBase::StackPointer { stack } else { saved.frame_pointer() };
    let place = base.wrapping_add_signed(found.offset.into());
    let is_on_stack = place.wrapping_sub(stack) < FARTHEST && place.is_multiple_of(8);
    // SAFETY: the compiler says that it is there, above the stack pointer in the stack's frames.
    is_on_stack.then(|| unsafe { &*with_exposed_provenance::<AtomicU64>(place as usize) })
}

/// Records that a function was called, or that it ends, at a site in its body.
pub(crate) extern "C" fn record_in_body(saved: &SavedCall) {
    let (Some(entered), Some(site)) = (enter(), objects::find(saved.site())) else { return };
    if site.place() == SitePlace::InsideExit {
        return graph::leave(entered, site);
    }
    let is_begun = site.place() == SitePlace::AfterPrologue;
    let end = if is_begun { FunctionEnd::Returned } else { FunctionEnd::Site };
    record_by_site(entered, saved.in_body(return_address(saved, site), end, is_begun), site);
}
