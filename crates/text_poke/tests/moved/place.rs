//! Memory for code and for what it uses, with nothing else near it.

use crate::machine;
use crate::numbers::Numbers;

/// Bytes that instructions may use.
pub const ARENA: usize = 16 << 10;

/// All that a moved instruction may reach.
const RESERVED: usize = 6 << 30;
const MIDDLE: u64 = 3 << 30;
const CODE: usize = 64 << 10;
/// How far branches lead.
pub const BRANCH: u64 = 0x40;
const FAR: usize = 12;

/// The memory of a test.
pub struct Place {
    start: u64,
    arena: u64,
    /// Where instructions are moved to.
    far: Vec<u64>,
}

impl Place {
    pub fn new() -> Place {
        let start = map(0, RESERVED, libc::PROT_NONE);
        let arena = start + MIDDLE + (256 << 20);
        map(arena, ARENA, libc::PROT_READ | libc::PROT_WRITE);
        let code = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        map(start + MIDDLE, CODE, code);
        // Whole pages.
        let step = ((4 << 30) / FAR as u64) & !0xfff;
        let far: Vec<u64> =
            (0..FAR as u64).map(|index| start + (1 << 30) + (8 << 20) + index * step).collect();
        far.iter().for_each(|far| {
            map(*far, CODE, code);
        });
        Place { start, arena, far }
    }

    /// Where an original is to be.
    pub fn original_address(&self, numbers: &mut Numbers) -> u64 {
        self.start + MIDDLE + numbers.below(CODE - 256) as u64
    }

    pub fn moved_address(&self, numbers: &mut Numbers) -> u64 {
        self.far[numbers.below(FAR)] + numbers.below(CODE - 256) as u64
    }

    /// An address amid the memory that instructions may use.
    pub fn arena_near(&self, numbers: &mut Numbers) -> u64 {
        self.arena + ARENA as u64 / 2 - 1024 + numbers.below(2048) as u64
    }

    /// Writes an instruction, and what comes after it: an end, and another one where it branches to.
    pub fn write_original(&mut self, at: u64, code: &[u8], branch: Option<u64>) {
        write(at, code);
        write_end(at + code.len() as u64, machine::fallen_through());
        if let Some(branch) = branch {
            write_end(branch, machine::branched());
        }
    }

    /// Writes one that was moved, and a jump back.
    pub fn write_moved(&mut self, at: u64, code: &[u8], back: u64) {
        write(at, code);
        let end = at + code.len() as u64;
        let distance = i32::try_from(back.wrapping_sub(end + 5).cast_signed()).unwrap();
        write(end, &[0xe9]);
        write(end + 1, &distance.to_le_bytes());
    }

    /// Has these bytes in the memory, and a return address on the stack.
    pub fn fill(&mut self, bytes: &[u8], stack: u64, returns_to: u64) {
        write(self.arena, bytes);
        write(stack, &returns_to.to_le_bytes());
    }

    pub fn memory(&self) -> &[u8] {
        // SAFETY: mapped for the whole test, and no other thread writes there.
        unsafe { core::slice::from_raw_parts(self.arena as *const u8, ARENA) }
    }
}

fn map(at: u64, len: usize, protection: i32) -> u64 {
    let fixed = if at == 0 { 0 } else { libc::MAP_FIXED };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: where an address is given it is within memory that was reserved for this.
    let mapped = unsafe { libc::mmap(at as *mut libc::c_void, len, protection, flags, -1, 0) };
    assert_ne!(mapped, libc::MAP_FAILED);
    mapped as u64
}

/// A jump that changes nothing, to anywhere.
fn write_end(at: u64, target: u64) {
    write(at, &[0xff, 0x25, 0, 0, 0, 0]);
    write(at + 6, &target.to_le_bytes());
}

fn write(at: u64, bytes: &[u8]) {
    // SAFETY: all callers write to memory of a place, which is mapped.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) }
}
