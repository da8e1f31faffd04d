//! What is known of instructions, compared with another decoder's: of all functions of some programs and
//! libraries.

use crate::instruction::{DecodedInstruction, Flow, StackEffect};
use function_sites::ObjectFile;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, OpAccess, OpKind, Register,
};
use std::vec::Vec;

/// Where files are that Debian's packages have put there, and this test.
fn files() -> Vec<Vec<u8>> {
    let libraries = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libcrypto.so.3"];
    let found =
        libraries.iter().filter_map(|name| std::fs::read(std::format!("/lib/x86_64-linux-gnu/{name}")).ok());
    let programs = ["/usr/bin/python3", "/usr/sbin/nginx", "/usr/bin/redis-server", "/proc/self/exe"];
    found.chain(programs.iter().filter_map(|path| std::fs::read(path).ok())).collect()
}

#[test]
fn another_decoder_says_the_same() {
    let mut compared = 0;
    for bytes in files() {
        let file = ObjectFile::parse(&bytes).unwrap();
        for function in file.functions() {
            let code = file.function_code(function.start);
            compared += compare(function.start, code);
        }
    }
    // Libc's alone are some 300,000, and the test's.
    assert!(compared > 400_000, "{compared} instructions");
}

/// Compares the instructions of a function, up to the first one that the other decoder doesn't know. How
/// many.
fn compare(start: u64, code: &[u8]) -> usize {
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut infos = InstructionInfoFactory::new();
    let mut count = 0;
    while decoder.can_decode() {
        let at = (decoder.ip() - start) as usize;
        let expected = decoder.decode();
        if expected.is_invalid() {
            break;
        }
        let text = std::format!(
            "{:#x}: {:02x?} {:?}",
            start + at as u64,
            &code[at..(at + 15).min(code.len())],
            expected.code()
        );
        let Some(found) = DecodedInstruction::first(&code[at..]) else { panic!("unknown: {text}") };
        assert_eq!(found.len(), expected.len(), "{text}");
        let distance = expected.near_branch_target().wrapping_sub(expected.next_ip()).cast_signed();
        let flow = match expected.flow_control() {
            _ if expected.code() == Code::Hlt => Flow::End,
            FlowControl::Next => Flow::Next,
            FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend if distance != 0 => {
                Flow::Branch(distance)
            }
            FlowControl::UnconditionalBranch => Flow::Jump(distance),
            FlowControl::IndirectBranch => Flow::Indirect,
            FlowControl::Return | FlowControl::Exception => Flow::End,
            _ => found.flow(),
        };
        assert!(found.flow() == flow || found.flow() == Flow::Call && flow == Flow::Next, "{text}");
        if expected.flow_control() == FlowControl::Next {
            let info = infos.info(&expected);
            let has_flags = expected.rflags_modified() != 0;
            let is_frame = found.stack_effect() != StackEffect::None;
            let is_zero = expected.op_count() > 1 && expected.op0_register() == expected.op1_register();
            assert!(!found.leaves_no_flags() || !has_flags || is_frame || is_zero, "{text}");
            let written = |register: Register| {
                info.used_registers().iter().any(|used| {
                    let is_write = matches!(
                        used.access(),
                        OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
                    );
                    is_write && used.register().full_register() == register
                })
            };
            let arguments =
                [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];
            if found.leaves_no_flags() {
                let is_changed = arguments.into_iter().any(written);
                assert!(found.changes_arguments() || !is_changed, "{text}");
                let down = -i64::from(expected.stack_pointer_increment());
                match found.stack_effect() {
                    StackEffect::Unknown => {}
                    StackEffect::Down(bytes) if written(Register::RSP) && down == 0 => {
                        assert_eq!(i64::from(bytes), immediate(&expected).abs(), "{text}");
                    }
                    StackEffect::Down(bytes) => assert_eq!(i64::from(bytes), down, "{text}"),
                    StackEffect::None => assert!(down == 0 && !written(Register::RSP), "{text}"),
                }
            }
            let relative = expected.is_ip_rel_memory_operand().then(|| {
                let distance =
                    expected.ip_rel_memory_address().wrapping_sub(expected.next_ip()).cast_signed();
                (decoder.get_constant_offsets(&expected).displacement_offset(), distance as i32)
            });
            assert_eq!(found.relative(), Ok(relative), "{text}");
        }
        count += 1;
    }
    count
}

fn immediate(instruction: &iced_x86::Instruction) -> i64 {
    let kinds = [OpKind::Immediate8to64, OpKind::Immediate32to64];
    let index = (0..instruction.op_count()).find(|index| kinds.contains(&instruction.op_kind(*index)));
    index.map_or(0, |index| instruction.immediate(index).cast_signed())
}

#[test]
fn bytes_that_are_no_instruction_are_not_known() {
    for bytes in [&[][..], &[0x06], &[0x66], &[0xe8, 0, 0], &[0x48, 0x66, 0x90], &[0x0f, 0x0f, 0xc0, 0x0d]] {
        assert_eq!(DecodedInstruction::first(bytes), None, "{bytes:02x?}");
    }
}
