//! The agent's file, as a dynamic linker would map it: its segments, and the words of them that depend on
//! where they are.

use crate::mapper::MapRequest;
use abi::static_program::{AUXILIARY, BLOCK, PROGRAM_SYMBOL, StaticProgram};
use object::elf::{
    PF_X, PT_LOAD, PT_TLS, R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE, Rela64,
};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SymbolIndex};
use std::mem::offset_of;

const PAGE: u64 = 4096;

/// An object that needs no library, and has one segment of code and one of data.
#[derive(Debug)]
pub(crate) struct AgentImage {
    /// Where its data is, without what is added to its addresses, and what the file has of it.
    data: u64,
    bytes: Vec<u8>,
    /// Where words are in it to which the address of the object is added.
    relative: Vec<u64>,
    request: MapRequest,
    /// Where it has its [`StaticProgram`].
    program: u64,
}

impl AgentImage {
    /// That of a file. None for one that it takes a dynamic linker to map.
    pub(crate) fn of(file: &[u8]) -> Option<AgentImage> {
        // Where its structures are aligned.
        let file = file.to_vec();
        let elf = ElfFile64::<Endianness>::parse(file.as_slice()).ok()?;
        let endian = elf.endian();
        let of_kind = |kind| elf.elf_program_headers().iter().filter(move |one| one.p_type(endian) == kind);
        let [code, data] = of_kind(PT_LOAD).collect::<Vec<_>>().try_into().ok()?;
        let is_code = code.p_flags(endian) & PF_X != 0 && code.p_vaddr(endian) == 0;
        let has_space =
            of_kind(PT_TLS).all(|words| words.p_memsz(endian) <= BLOCK as u64 && words.p_filesz(endian) == 0);
        let (address, len) = (data.p_vaddr(endian), data.p_filesz(endian));
        let end = (address + data.p_memsz(endian)).next_multiple_of(PAGE);
        let pages = address & !(PAGE - 1);
        let zeros = (address + len).next_multiple_of(PAGE);
        let at = usize::try_from(data.p_offset(endian)).ok()?;
        let mut bytes = file.get(at..at + usize::try_from(len).ok()?)?.to_vec();
        // What follows in the file is not the segment's.
        bytes.resize((zeros.min(end) - address) as usize, 0);
        let program = elf.dynamic_symbols().find(|symbol| symbol.name() == Ok(PROGRAM_SYMBOL))?;
        let is_whole = program.size() == size_of::<StaticProgram>() as u64;
        let request = MapRequest {
            path: 0,
            span: end,
            data: pages,
            data_len: zeros - pages,
            data_offset: data.p_offset(endian) - (address - pages),
            zeros,
            zeros_len: end.saturating_sub(zeros),
        };
        let mut image =
            AgentImage { data: address, bytes, relative: Vec::new(), request, program: program.address() };
        image.relocate(&elf)?;
        (is_code && has_space && is_whole && request.zeros_len > 0).then_some(image)
    }

    /// Stores what doesn't depend on where it is mapped, and notes what does.
    fn relocate(&mut self, elf: &ElfFile64<'_, Endianness>) -> Option<()> {
        const WORD: u64 = 8;
        let endian = elf.endian();
        let table = elf.section_by_name(".rela.dyn")?.data().ok()?;
        let entries = object::pod::slice_from_all_bytes::<Rela64<Endianness>>(table).ok()?;
        let symbols = elf.dynamic_symbol_table()?;
        for entry in entries {
            let (place, addend) = (entry.r_offset.get(endian), entry.r_addend.get(endian));
            let value = match entry.r_type(endian, false) {
                R_X86_64_RELATIVE => Some(addend.cast_unsigned()),
                R_X86_64_64 | R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT => {
                    let index = SymbolIndex(entry.r_sym(endian, false) as usize);
                    let symbol = symbols.symbol_by_index(index).ok()?;
                    // What nobody has it does without.
                    symbol.is_definition().then(|| symbol.address().wrapping_add_signed(addend))
                }
                _ => return None,
            };
            let at = usize::try_from(place.checked_sub(self.data)?).ok()?;
            let word = self.bytes.get_mut(at..at + WORD as usize)?;
            word.copy_from_slice(&value.unwrap_or(0).to_le_bytes());
            if value.is_some() {
                self.relative.push(place - self.data);
            }
        }
        Some(())
    }

    /// What is to be mapped of the file with this path, which is an address.
    pub(crate) fn request(&self, path: u64) -> MapRequest {
        MapRequest { path, ..self.request }
    }

    /// The word that says whether the object at this address is ready.
    pub(crate) fn is_ready(&self, base: u64) -> u64 {
        base + self.program + offset_of!(StaticProgram, is_ready) as u64
    }

    /// What is to be stored where, before it is ready: its data, what the kernel has passed to the
    /// process when that started, and whether it is one of Go.
    pub(crate) fn contents(&self, base: u64, auxiliary: &[u8], is_of_go: bool) -> [(u64, Vec<u8>); 3] {
        let mut bytes = self.bytes.clone();
        for place in &self.relative {
            let place = *place as usize;
            if let Some(word) = bytes.get_mut(place..).and_then(|rest| rest.first_chunk_mut::<8>()) {
                *word = u64::from_le_bytes(*word).wrapping_add(base).to_le_bytes();
            }
        }
        let at = base + self.program + offset_of!(StaticProgram, auxiliary) as u64;
        // An entry of zeros stays at its end.
        let most = 16 * (AUXILIARY - 1);
        let go_at = base + self.program + offset_of!(StaticProgram, is_of_go) as u64;
        let auxiliary = auxiliary[..auxiliary.len().min(most)].to_vec();
        [(base + self.data, bytes), (at, auxiliary), (go_at, u64::from(is_of_go).to_le_bytes().to_vec())]
    }
}
