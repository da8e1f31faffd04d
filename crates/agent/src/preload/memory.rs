//! What the compiler calls to copy, fill and compare memory.
//!
//! Our own, hidden from everybody else: each function that we would take from libc instead costs every
//! process that starts half a microsecond in the dynamic linker. They are called for what is too long to be
//! done in line.

core::arch::global_asm!(
    ".pushsection .text.lookback_memory, \"ax\", @progbits",
    ".hidden memcpy, memset, bcmp",
    ".globl memcpy, memset, bcmp",
    ".type memcpy, @function",
    "memcpy:",
    "mov rax, rdi",
    "mov rcx, rdx",
    "rep movsb",
    "ret",
    ".size memcpy, . - memcpy",
    ".type memset, @function",
    "memset:",
    "mov r8, rdi",
    "mov eax, esi",
    "mov rcx, rdx",
    "rep stosb",
    "mov rax, r8",
    "ret",
    ".size memset, . - memset",
    // Flags that are equal before, for 0 bytes.
    ".type bcmp, @function",
    "bcmp:",
    "mov rcx, rdx",
    "xor eax, eax",
    "repe cmpsb",
    "setne al",
    "ret",
    ".size bcmp, . - bcmp",
    ".popsection",
);
