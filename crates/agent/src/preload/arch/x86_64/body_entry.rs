//! What traced functions call at sites in their body: calls of `mcount`, and sites of attributes.
//!
//! # Safety
//!
//! A compiler has left the site for a call that changes no register but the flags.

use super::saved_registers::{begin_frame, call_saved, end_frame, push_all};
use crate::preload::function::record_in_body;
use core::arch::naked_asm;

/// Records the call, and returns to the function. The stack is the function's own, with the return address to
/// it on top.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        begin_frame!(),
        push_all!(),
        "lea rdi, [rbp - 72]",
        call_saved!(),
        "lea rsp, [rbp - 72]",
        end_frame!(),
        "ret",
        ".cfi_endproc",
        record = sym record_in_body,
    )
}
