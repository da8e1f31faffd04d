//! Saving registers around what sites call: callers that know a function rely on which registers it uses, so
//! none may change.

/// A frame, as a function begins that has one.
macro_rules! begin_frame {
    () => {
        "push rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        mov rbp, rsp
        .cfi_def_cfa_register rbp"
    };
}

/// Saves these registers below the frame pointer, in this order.
macro_rules! push_registers {
    ($($register:ident)+) => {
        concat!($("push ", stringify!($register), "\n"),+)
    };
}

/// Restores these, the last one that was saved first.
macro_rules! pop_registers {
    ($($register:ident)+) => {
        concat!($("pop ", stringify!($register), "\n"),+)
    };
}

/// Saves those that callees may change, as what sites call is to keep them.
macro_rules! push_all {
    () => {
        $crate::preload::arch::x86_64::saved_registers::push_registers!(rax rcx rdx rsi rdi r8 r9 r10 r11)
    };
}

/// Restores those, and ends the frame.
macro_rules! end_frame {
    () => {
        concat!(
            $crate::preload::arch::x86_64::saved_registers::pop_registers!(
                r11 r10 r9 r8 rdi rsi rdx rcx rax rbp
            ),
            ".cfi_def_cfa rsp, 8\n",
            ".cfi_restore rbp\n",
        )
    };
}

/// Stores these vector registers at the stack pointer, which is aligned: each at 16 times its number.
macro_rules! store_vectors {
    ($($number:literal)+) => {
        concat!($("movaps [rsp + 16 * ", $number, "], xmm", $number, "\n"),+)
    };
}

/// Loads them again.
macro_rules! load_vectors {
    ($($number:literal)+) => {
        concat!($("movaps xmm", $number, ", [rsp + 16 * ", $number, "]\n"),+)
    };
}

/// Saves the vector registers on the stack, aligned.
macro_rules! save_vectors {
    () => {
        concat!(
            "sub rsp, 256\nand rsp, -16\n",
            $crate::preload::arch::x86_64::saved_registers::store_vectors!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
        )
    };
}

/// Calls one of the functions that use no vector registers but two, [`quick`], which are saved: with what is
/// in rdi, rsi. What it returns is in rax.
///
/// [`quick`]: crate::preload::function::quick
macro_rules! call_quick {
    () => {
        concat!(
            "sub rsp, 32\nand rsp, -16\n",
            $crate::preload::arch::x86_64::saved_registers::store_vectors!(0 1),
            "call {quick}\n",
            $crate::preload::arch::x86_64::saved_registers::load_vectors!(0 1)
        )
    };
}

/// Calls what records and may use any vector register, with all of them saved: with what is in rdi, rsi, rdx.
macro_rules! call_saved {
    () => {
        concat!(
            $crate::preload::arch::x86_64::saved_registers::save_vectors!(),
            "call {record}\n",
            $crate::preload::arch::x86_64::saved_registers::restore_vectors!(),
        )
    };
}

/// Restores them. The stack pointer is as it was after they were saved.
macro_rules! restore_vectors {
    () => {
        $crate::preload::arch::x86_64::saved_registers::load_vectors!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}

/// What code calls that was moved from the middle of a function, as it is there: saves the flags and these
/// registers below the frame pointer, and what moved code it returns to below them; calls what records; and
/// restores all, the registers in the opposite order. Where these lie below the frame pointer, and that
/// address,
/// `registers` and `moved` say.
///
/// The moved code has put the stack pointer past what the function may have below it. Meanwhile the address
/// that is returned to is one within the instruction: unwinders know the stack there.
///
/// Of the flags only those are changed here, and restored, that arithmetic sets, and the direction: popf
/// takes some twenty cycles, and sets more. `add` sets the overflow, `sahf` the rest.
macro_rules! record_in_middle {
    ([$($save:ident)+], [$($restore:ident)+]) => {
        concat!(
            // The caller's frame is above what was left out.
            ".cfi_def_cfa rsp, 136
            .cfi_offset rip, -136
            push rbp
            .cfi_adjust_cfa_offset 8
            .cfi_offset rbp, -144
            mov rbp, rsp
            .cfi_def_cfa_register rbp
            pushfq\n",
            $crate::preload::arch::x86_64::saved_registers::push_registers!($($save)+),
            "mov rcx, [rbp + 8]
            push rcx
            mov rcx, [rcx - {within}]
            mov [rbp + 8], rcx
            mov rdi, rsp
            cld\n",
            $crate::preload::arch::x86_64::saved_registers::call_quick!(),
            "cmp rax, {not_recorded}
            jne 5f
            lea rdi, [rbp - {moved}]\n",
            $crate::preload::arch::x86_64::saved_registers::call_saved!(),
            "5:
            mov rcx, [rbp - {moved}]
            mov [rbp + 8], rcx
            lea rsp, [rbp - {registers}]
            mov rax, [rbp - 8]
            test ah, 4
            jz 6f
            std
            6:
            xchg al, ah
            and al, 8
            add al, 0x78
            sahf\n",
            $crate::preload::arch::x86_64::saved_registers::pop_registers!($($restore)+),
            "lea rsp, [rsp + 8]
            pop rbp
            .cfi_def_cfa rsp, 136
            .cfi_restore rbp
            ret"
        )
    };
}

pub(super) use {
    begin_frame, call_quick, call_saved, end_frame, load_vectors, pop_registers, push_all, push_registers,
    record_in_middle, restore_vectors, save_vectors, store_vectors,
};
