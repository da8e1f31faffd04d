//! Plans how functions that nobody has built for tracing are entered: which of their instructions becomes a
//! jump while they are traced, and what that one becomes where it is moved to.
//!
//! # Why it is safe to change one instruction
//!
//! Between on and off lies one store to one aligned word, and it changes bytes of one instruction only. So
//! wherever a thread is, it executes that instruction as it was or as a jump: none can be in the middle of
//! it, and no branch leads there. Nobody has to be stopped, no signal is needed, and nothing of how the
//! function branches has to be known for that. A jump has five bytes. In the place of a shorter instruction
//! it shares its last bytes with what follows, which stays as it is: those bytes are the upper ones of its
//! distance, so they say where the jump leads to ([`JumpWindow`]). Whoever has memory there can use it.
//!
//! | instruction | the jump leads |
//! |---|---|
//! | five bytes and more | within 2 GiB |
//! | four, `endbr64` for instance | to 16 MiB that the next byte says |
//! | three, `mov rbp, rsp` for instance | to 64 KiB that the next two bytes say |
//! | two, `push r15` for instance | to 256 bytes that the next three say |
//! | one, `push rbp` for instance | to the address that the next four say |
//!
//! # Which instruction
//!
//! The first one, if it can be. Else one of those after it, up to the first branch or call, that included if
//! it is a branch, a jump or a return: what a function does with its frame. It has to be executed once for
//! each call, so no branch of the function's own may lead to it, or before it; and where the function has
//! jumps whose targets only the running program knows, it has to be before the frame is complete, as nothing
//! jumps back to there. Flags must mean nothing there, and nothing may be below the stack pointer.
//!
//! ```
//! use planner::{EntryPoint, EntryPointPlace, FunctionCode, MovedInstruction, entry_points};
//!
//! // push rbp; mov rbp, rsp; sub rsp, 0x20; call ...
//! let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xe8, 0, 0, 0, 0, 0xc9, 0xc3];
//! let function = FunctionCode { start: 0x5555_0000_1000, code: &code };
//! let no_padding = core::iter::empty();
//! let mut points = entry_points(&function, no_padding).unwrap();
//!
//! let EntryPoint { point, place } = points.next().unwrap();
//! assert_eq!((point.offset, point.len), (4, 4));
//! assert_eq!(place, EntryPointPlace::Later { depth: 8, has_arguments: true });
//! // The jump's last byte is e8, the first of the call.
//! let target = point.window.targets().start + 0x1000;
//! assert_eq!(point.window.jump(target), Some(([0xe9, 0x00, 0x10, 0x00, 0xe8], 4)));
//! let moved = MovedInstruction::new(&code[4..], 0x5555_0000_1004, target + 5).unwrap();
//! assert_eq!(moved.bytes(), [0x48, 0x83, 0xec, 0x20]);
//! ```
//!
//! # Anywhere else
//!
//! A probe may be at any instruction ([`probe_points`]): that itself becomes a jump, or one after it if it
//! does nothing. Flags may count there, and something may be below the stack pointer: whoever makes the code
//! that the jump leads to keeps both. System calls are seen from instructions around them
//! ([`SystemCallCode`]).
//!
//! Where a jump of five bytes has no space, one of two bytes may have it, which leads to one of five in the
//! padding between two functions ([`is_padding`]): that is stored before, as nobody executes it.
//!
//! # What this crate is not
//!
//! It changes nothing and makes no code: `text_poke` stores, and the agent has the memory that jumps lead to.
//! It is pure, allocates nothing, and can't panic: it runs in traced processes.
//!
//! Instructions are decoded by code of its own because of that: of the libraries that decode, one
//! allocates its tables, and another one can panic. Theirs and ours are compared, in tests, over all
//! functions of the libraries and programs that are there.
//!
//! Sources: the tactics of E9Patch (Duck, Gao, Roychoudhury, PLDI 2020) and LiteInst (Chamith and others,
//! PLDI 2017), of which it takes those that need no trap.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod branches;
mod encoding;
mod entry_block;
mod entry_point;
mod function_code;
mod go_entry;
mod instruction;
#[cfg(test)]
mod instruction_tests;
mod jump_space;
mod jump_window;
mod moved_instruction;
mod no_entry_point;
mod no_probe_point;
mod padding;
mod probe_point;
mod probe_points;
mod register_effect;
mod replaceable;
mod system_call;

pub use entry_point::{EntryPoint, EntryPointPlace, entry_points};
pub use function_code::FunctionCode;
pub use go_entry::go_entry_points;
pub use jump_space::{JumpSpace, SHORT_JUMP_LEN, SHORT_JUMP_REACH};
pub use jump_window::{JUMP_LEN, JumpWindow};
pub use moved_instruction::MovedInstruction;
pub use no_entry_point::NoEntryPoint;
pub use no_probe_point::NoProbePoint;
pub use padding::{is_padding, nops};
pub use probe_point::ProbePoint;
pub use probe_points::probe_points;
pub use system_call::{SYSTEM_CALL, SystemCallCode};
