//! Calls of `mcount` and `__fentry__` that no section lists (`-pg`): they are found by where they lead.
//!
//! Position-independent code calls through a word of the global offset table, other code calls an entry of
//! the procedure linkage table, which jumps through such a word. Relocations say which words are of which
//! function. So a call is found by four bytes that are just the distance to one of a few addresses. Four
//! bytes of something else can be that by accident: whoever changes code has to have seen that the call is
//! made.

use crate::site::SiteKind;

/// What is called, and by which instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct McountTarget {
    /// The word of the global offset table, or the entry of the procedure linkage table.
    pub(crate) address: u64,
    /// Whether it is the former: calls go through it.
    pub(crate) is_pointer: bool,
    /// What a call of it is.
    pub(crate) kind: SiteKind,
}

/// The most of them that a file has: two names of `mcount`, and `__fentry__`, each in both tables, once by
/// each linker that has a table of its own for some of them.
const MOST: usize = 12;

/// What calls in a file lead to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct McountTargets {
    targets: [Option<McountTarget>; MOST],
}

/// `call [rip + disp32]`, `jmp [rip + disp32]`, and `call rel32`.
const CALL_INDIRECT: [u8; 2] = [0xff, 0x15];
const JUMP_INDIRECT: [u8; 2] = [0xff, 0x25];
const CALL: u8 = 0xe8;

/// What a call of the function with this name is.
pub(crate) fn kind_of(name: &[u8]) -> Option<SiteKind> {
    match name {
        b"mcount" | b"_mcount" => Some(SiteKind::UnlistedMcount),
        b"__fentry__" => Some(SiteKind::UnlistedFentry),
        _ => None,
    }
}

impl McountTargets {
    /// Those of a file with these words for addresses of functions, and with these procedure linkage tables:
    /// their addresses, the bytes of an entry, and their code. None where it calls none of them.
    pub(crate) fn new<'a>(
        imports: impl Iterator<Item = (u64, SiteKind)>,
        tables: impl Iterator<Item = (u64, u64, &'a [u8])>,
    ) -> Option<McountTargets> {
        let mut found = McountTargets { targets: [None; MOST] };
        for (address, kind) in imports {
            found.add(McountTarget { address, is_pointer: true, kind });
        }
        found.targets.first()?.as_ref()?;
        let pointers = found;
        for (start, entry, code) in tables {
            for (index, _) in code.windows(2).enumerate().filter(|(_, pair)| *pair == JUMP_INDIRECT) {
                let at = start.wrapping_add(index as u64);
                if let Some(kind) = pointers.find(distant(at, code, index, JUMP_INDIRECT.len()), true) {
                    let address = start.wrapping_add(index as u64 / entry * entry);
                    found.add(McountTarget { address, is_pointer: false, kind });
                }
            }
        }
        Some(found)
    }

    fn add(&mut self, target: McountTarget) {
        if let Some(free) = self.targets.iter_mut().find(|known| known.is_none_or(|known| known == target)) {
            *free = Some(target);
        }
    }

    fn find(&self, address: Option<u64>, is_pointer: bool) -> Option<SiteKind> {
        let targets = self.targets.iter().flatten();
        let mut fitting = targets.filter(|target| target.is_pointer == is_pointer);
        fitting.find(|target| Some(target.address) == address).map(|target| target.kind)
    }

    /// The calls in code that lies at `start`.
    pub(crate) fn calls(self, start: u64, code: &[u8]) -> impl Iterator<Item = (u64, SiteKind)> {
        let opcodes = code.iter().enumerate().filter(|(_, byte)| matches!(**byte, CALL | 0xff));
        opcodes.filter_map(move |(index, byte)| {
            let at = start.wrapping_add(index as u64);
            let kind = match *byte {
                CALL => self.find(distant(at, code, index, 1), false),
                _ if code.get(index..)?.starts_with(&CALL_INDIRECT) => {
                    self.find(distant(at, code, index, CALL_INDIRECT.len()), true)
                }
                _ => None,
            };
            kind.map(|kind| (at, kind))
        })
    }
}

/// The address that the instruction at `at` refers to, whose code is at `index` and has its distance after
/// `opcode` bytes, at its end.
fn distant(at: u64, code: &[u8], index: usize, opcode: usize) -> Option<u64> {
    let distance = code.get(index.checked_add(opcode)?..)?.first_chunk()?;
    let end = at.wrapping_add(opcode as u64 + 4);
    Some(end.wrapping_add_signed(i32::from_le_bytes(*distance).into()))
}
