//! The system calls that the agent makes by itself are those that filters of attached programs are asked for.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};
use object::{Object, ObjectSection};
use remote_call::NeededCall;
use std::collections::BTreeSet;

/// The agent as it is loaded.
const AGENT: &str = concat!(env!("OUT_DIR"), "/liblookback.so");

/// How far ahead of a call its number is loaded, at most.
const INSTRUCTIONS: usize = 40;

/// What is made for the program, in its stead.
const OF_PROGRAM: &[i64] = &[libc::SYS_vfork];

/// What the tracer `wakeup` asks about descriptors, in programs that can have no filter only.
const WITHOUT_FILTER: &[i64] = &[
    libc::SYS_poll,
    libc::SYS_ioctl,
    libc::SYS_fcntl,
    libc::SYS_socket,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
];

/// What an instruction says of the number of the next call.
enum NumberLoad {
    /// It is this one.
    Is(u64),
    /// It is in another register: a call of the program's, which it makes by the agent.
    Elsewhere,
    /// Nothing.
    Other,
}

fn load(instruction: &Instruction) -> NumberLoad {
    let is_number = matches!(instruction.op0_register(), Register::EAX | Register::RAX);
    match instruction.code() {
        Code::Mov_r32_imm32 | Code::Mov_rm64_imm32 if is_number => NumberLoad::Is(instruction.immediate(1)),
        Code::Xor_r32_rm32 | Code::Xor_rm32_r32 if is_number => NumberLoad::Is(0),
        Code::Pushq_imm8 | Code::Pushq_imm32 => NumberLoad::Is(instruction.immediate(0)),
        Code::Mov_r64_rm64 | Code::Mov_rm64_r64 | Code::Mov_r32_rm32 | Code::Mov_rm32_r32
            if is_number && instruction.op1_kind() == OpKind::Register =>
        {
            NumberLoad::Elsewhere
        }
        _ => NumberLoad::Other,
    }
}

/// The number that is loaded last in instructions, if it is known.
fn number(before: &[Instruction]) -> Option<u64> {
    before.iter().rev().take(INSTRUCTIONS).find_map(|instruction| match load(instruction) {
        NumberLoad::Is(number) => Some(Some(number)),
        NumberLoad::Elsewhere => Some(None),
        NumberLoad::Other => None,
    })?
}

#[test]
fn the_agent_makes_no_calls_that_filters_are_not_asked_for() {
    let bytes = std::fs::read(AGENT).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let text = file.section_by_name(".text").unwrap();
    let decoder = Decoder::with_ip(64, text.data().unwrap(), text.address(), DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.into_iter().collect();
    let calls = instructions.iter().enumerate().filter(|(_, one)| one.code() == Code::Syscall);
    let calls: Vec<Option<u64>> = calls.map(|(at, _)| number(&instructions[..at])).collect();
    let asked: BTreeSet<u64> =
        NeededCall::to_attach().chain(NeededCall::of_agent()).map(|call| call.number as u64).collect();
    let is_elsewhere =
        |call: &u64| OF_PROGRAM.iter().chain(WITHOUT_FILTER).any(|other| *other as u64 == *call);
    let made: BTreeSet<u64> = calls.iter().copied().flatten().filter(|call| !is_elsewhere(call)).collect();
    let missing: Vec<&u64> = made.difference(&asked).collect();
    assert!(missing.is_empty(), "not asked for: {missing:?}");
    assert!(made.len() > 30, "{made:?}");
    // syscall(2) itself, in its ways.
    let of_program = calls.iter().filter(|call| call.is_none()).count();
    assert!(
        (1..=8).contains(&of_program),
        "{of_program} of {} calls have numbers that aren't known",
        calls.len()
    );
}
