//! The frame from which rt_sigreturn(2) gives a thread its registers back: what the kernel puts on the stack
//! for a handler.

use crate::ptrace::ThreadRegisters;
use std::arch::x86_64::__cpuid_count;

/// Bytes of `struct ucontext`, as the kernel has it: two words, the alternate stack, registers, the mask.
const CONTEXT: usize = 16 + 24 + 256 + 8;

/// Bytes of the registers in it, in words.
const REGISTERS: usize = 32;

/// `uc_flags`: there are extended registers; the stack segment is valid, and is to be as it stands there.
const FLAGS: u64 = 1 | 2 | 4;

/// Flags of an alternate stack that there are none of: so the one that the thread has stays as it is.
const NO_SUCH_STACK: u64 = 0x7fff;

/// Bytes of the registers that every processor has, and their header: then come the extended ones.
const LEGACY: usize = 512 + 64;

/// Where that header is, which begins with a bit for each feature whose registers are not as they are
/// initially; and what the processor says of where these are, by feature.
const FEATURES: usize = 512;
const XSAVE_LEAF: u32 = 0xd;

/// The feature whose registers a thread has from when it first uses them: AMX's tiles.
const DYNAMIC: u64 = 1 << 18;

/// Where these have a place for what software says.
const SOFTWARE: usize = 464;
const MAGIC_START: u32 = 0x4650_5853;
const MAGIC_END: u32 = 0x4650_5845;

/// A frame, and where it has to be.
#[derive(Debug)]
pub(crate) struct ReturnFrame {
    /// Where the stack pointer is at the call.
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
}

impl ReturnFrame {
    /// One that ends at `end` or before. `extended` is what ptrace(2) gives as the extended registers.
    pub(crate) fn new(end: u64, registers: &ThreadRegisters, mask: u64, extended: &[u8]) -> ReturnFrame {
        let above = (extended.len() + size_of_val(&MAGIC_END)) as u64;
        let extended_at = (end - above) & !63;
        let address = (extended_at - CONTEXT as u64) & !15;
        let mut bytes = Vec::with_capacity((end - address) as usize);
        let mut push = |word: u64| bytes.extend(word.to_le_bytes());
        // Flags, link, and the alternate stack.
        [FLAGS, 0, 0, NO_SUCH_STACK, 0].into_iter().for_each(&mut push);
        context(registers, extended_at).into_iter().for_each(&mut push);
        push(mask);
        bytes.resize((extended_at - address) as usize, 0);
        bytes.extend(with_magic(extended));
        ReturnFrame { address, bytes }
    }
}

/// `struct sigcontext`.
fn context(registers: &ThreadRegisters, extended_at: u64) -> [u64; REGISTERS] {
    let mut words = [0; REGISTERS];
    let all = [
        registers.r8,
        registers.r9,
        registers.r10,
        registers.r11,
        registers.r12,
        registers.r13,
        registers.r14,
        registers.r15,
        registers.rdi,
        registers.rsi,
        registers.rbp,
        registers.rbx,
        registers.rdx,
        registers.rax,
        registers.rcx,
        registers.rsp,
        registers.rip,
        registers.eflags,
        // 16 bits each: cs, gs, fs, ss.
        registers.cs & 0xffff | (registers.ss & 0xffff) << 48,
        0,
        0,
        0,
        0,
        extended_at,
    ];
    words.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    words
}

/// Extended registers as the kernel has them in a frame: with what says that they are there.
///
/// rt_sigreturn(2) restores nothing but the oldest registers where it doesn't find the end of as much as the
/// thread has (Linux, arch/x86/kernel/fpu/signal.c). That is all that ptrace(2) gives once the thread has
/// used AMX, and before that all but AMX's. Where its registers are as they are initially it isn't known
/// which, and nothing is read from where they would be: so the end is at both.
fn with_magic(extended: &[u8]) -> Vec<u8> {
    let mut bytes = extended.to_vec();
    if bytes.len() < LEGACY {
        return bytes;
    }
    // ptrace(2) has the set of features where the frame has its magic number.
    let [features, not_initial] = [SOFTWARE, FEATURES].map(|at| word_at(&bytes, at));
    let size = match not_initial & DYNAMIC {
        0 => size_of_features(features & !DYNAMIC).min(bytes.len()),
        _ => bytes.len(),
    };
    let words = [MAGIC_START.to_le_bytes(), (size as u32 + 4).to_le_bytes()].concat();
    let software = [words, features.to_le_bytes().to_vec(), (size as u64).to_le_bytes().to_vec()].concat();
    bytes[SOFTWARE..SOFTWARE + software.len()].copy_from_slice(&software);
    bytes.extend(MAGIC_END.to_le_bytes());
    bytes[size..size + size_of_val(&MAGIC_END)].copy_from_slice(&MAGIC_END.to_le_bytes());
    bytes
}

fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Bytes of the registers of these features.
fn size_of_features(features: u64) -> usize {
    let ends = (2..63).filter(|feature| features >> feature & 1 != 0).map(|feature| {
        let place = __cpuid_count(XSAVE_LEAF, feature);
        place.eax as usize + place.ebx as usize
    });
    ends.fold(LEGACY, usize::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_ends_where_the_thread_s_own_do() {
        // The upper halves of AVX's are next to the header, on all processors that have them.
        const AVX: u64 = 7;
        let frame = |not_initial: u64| {
            let mut extended = vec![0; 11_008];
            extended[SOFTWARE..SOFTWARE + 8].copy_from_slice(&(AVX | DYNAMIC).to_le_bytes());
            extended[FEATURES..FEATURES + 8].copy_from_slice(&not_initial.to_le_bytes());
            with_magic(&extended)
        };
        let is_end = |bytes: &[u8], at: usize| bytes[at..].starts_with(&MAGIC_END.to_le_bytes());
        let before = frame(AVX);
        assert_eq!((word_at(&before, SOFTWARE + 16), before.len()), (832, 11_012));
        assert!(is_end(&before, 832) && is_end(&before, 11_008));
        let after = frame(AVX | DYNAMIC);
        assert_eq!(word_at(&after, SOFTWARE + 16), 11_008);
        assert!(!is_end(&after, 832) && is_end(&after, 11_008));
    }

    #[test]
    fn the_frame_ends_before_its_end_and_is_aligned() {
        let registers =
            ThreadRegisters { rip: 0x1111, rsp: 0x2222, cs: 0x33, ss: 0x2b, ..ThreadRegisters::default() };
        let frame = ReturnFrame::new(0x9_0038, &registers, 0x55, &[7; 1000]);
        assert!(frame.address.is_multiple_of(16) && frame.address + frame.bytes.len() as u64 <= 0x9_0038);
        let word = |offset: usize| u64::from_le_bytes(frame.bytes[offset..offset + 8].try_into().unwrap());
        assert_eq!((word(40 + 15 * 8), word(40 + 16 * 8), word(40 + 256)), (0x2222, 0x1111, 0x55));
        let extended = word(40 + 23 * 8) - frame.address;
        assert!((extended + frame.address).is_multiple_of(64));
        assert_eq!(word(extended as usize + SOFTWARE) as u32, MAGIC_START);
        assert_eq!(frame.bytes[frame.bytes.len() - 4..], MAGIC_END.to_le_bytes());
    }
}
