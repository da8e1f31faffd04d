//! Where addresses of a file are in it.

use crate::object_file::ObjectFile;
use elf::ElfBytes;
use elf::abi::PT_LOAD;
use elf::endian::LittleEndian;
use elf::segment::ProgramHeader;

impl ObjectFile<'_> {
    /// Where in the file the byte is that is mapped at an address. None where none is.
    pub fn offset_of_address(&self, address: u64) -> Option<u64> {
        self.mapped(|segment| {
            let within = address.checked_sub(segment.p_vaddr).filter(|within| *within < segment.p_filesz)?;
            segment.p_offset.checked_add(within)
        })
    }

    /// What is found in a segment that is mapped: in an executable one, if it is in several.
    fn mapped(&self, find: impl Fn(&ProgramHeader) -> Option<u64>) -> Option<u64> {
        const EXECUTABLE: u32 = elf::abi::PF_X;
        let segments = ElfBytes::<LittleEndian>::minimal_parse(self.bytes()).ok()?.segments()?;
        let of = |is_executable: bool| {
            let fitting = move |segment: &ProgramHeader| {
                segment.p_type == PT_LOAD && (segment.p_flags & EXECUTABLE != 0) == is_executable
            };
            segments.iter().filter(fitting).find_map(|segment| find(&segment))
        };
        of(true).or_else(|| of(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_where_its_segment_says() {
        let bytes = std::fs::read("/proc/self/exe").unwrap();
        let file = ObjectFile::parse(&bytes).unwrap();
        let main = file.functions().find(|function| function.name == b"main").unwrap();
        let offset = file.offset_of_address(main.start).unwrap();
        assert_eq!(bytes.get(offset as usize..).unwrap().get(..8), file.code_at(main.start).get(..8));
        assert_eq!(file.address_at(offset), Some(main.start));
        assert_eq!((file.offset_of_address(u64::MAX), file.address_at(u64::MAX)), (None, None));
    }
}
