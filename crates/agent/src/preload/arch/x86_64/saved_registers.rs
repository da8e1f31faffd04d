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

/// Saves the vector registers on the stack, aligned.
macro_rules! save_vectors {
    () => {
        "sub rsp, 256
        and rsp, -16
        movaps [rsp], xmm0
        movaps [rsp + 16], xmm1
        movaps [rsp + 32], xmm2
        movaps [rsp + 48], xmm3
        movaps [rsp + 64], xmm4
        movaps [rsp + 80], xmm5
        movaps [rsp + 96], xmm6
        movaps [rsp + 112], xmm7
        movaps [rsp + 128], xmm8
        movaps [rsp + 144], xmm9
        movaps [rsp + 160], xmm10
        movaps [rsp + 176], xmm11
        movaps [rsp + 192], xmm12
        movaps [rsp + 208], xmm13
        movaps [rsp + 224], xmm14
        movaps [rsp + 240], xmm15"
    };
}

/// Restores them. The stack pointer is as it was after they were saved.
macro_rules! restore_vectors {
    () => {
        "movaps xmm0, [rsp]
        movaps xmm1, [rsp + 16]
        movaps xmm2, [rsp + 32]
        movaps xmm3, [rsp + 48]
        movaps xmm4, [rsp + 64]
        movaps xmm5, [rsp + 80]
        movaps xmm6, [rsp + 96]
        movaps xmm7, [rsp + 112]
        movaps xmm8, [rsp + 128]
        movaps xmm9, [rsp + 144]
        movaps xmm10, [rsp + 160]
        movaps xmm11, [rsp + 176]
        movaps xmm12, [rsp + 192]
        movaps xmm13, [rsp + 208]
        movaps xmm14, [rsp + 224]
        movaps xmm15, [rsp + 240]"
    };
}

pub(super) use {begin_frame, pop_registers, push_registers, restore_vectors, save_vectors};
