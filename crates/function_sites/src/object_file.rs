//! An ELF file.

use crate::frame_program::{FrameBase, ReturnAddress};
use crate::function_frames::{FrameIndexEntry, FunctionFrames};
use crate::left_alone::{LeftAlone, is_cold_part};
use crate::profiled_calls::{McountTargets, kind_of};
use crate::site::{FunctionSite, SiteKind};
use crate::sled::entry_sleds;
use crate::traced_section::{TracedEntry, traced_entries};
use core::ops::Range;
use elf::ElfBytes;
use elf::abi::{
    EM_X86_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE,
    SHT_DYNSYM, SHT_NOBITS, SHT_RELA,
};
use elf::endian::LittleEndian;
use elf::file::Class;
use elf::parse::ParsingTable;
use elf::relocation::Rela;
use elf::section::{SectionHeader, SectionHeaderTable};
use elf::string_table::StringTable;
use elf::symbol::Symbol;

/// An ELF file for x86-64: its bytes.
#[derive(Debug, Clone, Copy)]
pub struct ObjectFile<'a> {
    bytes: &'a [u8],
    pub(crate) sections: SectionHeaderTable<'a, LittleEndian>,
    section_names: StringTable<'a>,
    /// Where its functions are, if it doesn't say so itself.
    pub(crate) frame_index: &'a [FrameIndexEntry],
    /// Which of its functions have no name, see [`ObjectFile::mark_unnamed`].
    pub(crate) unnamed: &'a [u64],
}

/// Entries of one kind in a section.
pub(crate) type Entries<'a, T> = ParsingTable<'a, LittleEndian, T>;

impl<'a> ObjectFile<'a> {
    /// The file with these bytes. None for bytes that are none.
    pub fn parse(bytes: &'a [u8]) -> Option<ObjectFile<'a>> {
        let elf = ElfBytes::<LittleEndian>::minimal_parse(bytes).ok()?;
        let is_ours = elf.ehdr.class == Class::ELF64 && elf.ehdr.e_machine == EM_X86_64;
        let (sections, names) = elf.section_headers_with_strtab().ok().filter(|_| is_ours)?;
        Some(ObjectFile { bytes, sections: sections?, section_names: names?, frame_index: &[], unnamed: &[] })
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its sites, in the order of its sections; those of one section are nearly always in the order of their
    /// addresses.
    pub fn sites(&self) -> impl Iterator<Item = FunctionSite<'a>> + use<'a> {
        let patchable = self.listed("__patchable_function_entries", SiteKind::PatchableEntry);
        let calls = self.listed("__mcount_loc", SiteKind::McountCall);
        patchable.chain(calls).chain(self.unlisted()).chain(self.sleds()).chain(self.traced())
    }

    /// Whether it has sites that are known only once they were called, see [`SiteKind::is_unlisted`].
    pub fn has_unlisted_calls(&self) -> bool {
        self.unlisted().next().is_some()
    }

    /// Its functions that `symbols` names, for a file without sites that a compiler has left: those of which
    /// `.eh_frame` says where they end, in the order of that table of symbols; then those without a name that
    /// were found. Not those that must be left alone, like setjmp(3), nor parts of functions that only these
    /// jump to; none of the dynamic linker. Of Go those of a program that has nothing of a C library, but for
    /// what its runtime has.
    ///
    /// Cost: a search in the table of frames for each.
    pub fn unbuilt_sites<'s>(
        &self,
        symbols: &ObjectFile<'s>,
    ) -> impl Iterator<Item = FunctionSite<'a>> + use<'a, 's> {
        let (file, symbols) = (*self, *symbols);
        let is_left_alone = self.is_of_go() || self.is_dynamic_linker();
        let frames = self.function_frames().filter(|_| !is_left_alone);
        let framed = frames.into_iter().flat_map(move |frames| {
            let left_alone = LeftAlone::among(symbols.functions());
            let functions = symbols.functions().filter(|function| !is_cold_part(function.name));
            let functions = functions.filter(move |function| !left_alone.contains(function.start));
            let begun = functions.filter(move |function| span(frames, function.start).is_some());
            let starts = begun.map(|function| function.start).chain(file.unnamed_functions());
            starts.map(|start| unnamed(start, SiteKind::Instruction))
        });
        let go_functions = self.go_functions().into_iter().flat_map(move |of_go| {
            let functions = symbols.functions();
            let functions = functions.filter(move |one| of_go.may_be_traced(one.start, one.name));
            functions.map(|function| unnamed(function.start, SiteKind::Instruction))
        });
        framed.chain(go_functions)
    }

    /// Calls of `mcount` and `__fentry__`, in a file without a section that lists them.
    ///
    /// Cost: in a file that has some, to look at each byte of its code.
    fn unlisted(&self) -> impl Iterator<Item = FunctionSite<'a>> + use<'a> {
        let file = *self;
        let is_listed = self.section("__mcount_loc").is_some();
        let targets =
            if is_listed { None } else { McountTargets::new(self.imports(), self.linkage_tables()) };
        targets.into_iter().flat_map(move |targets| {
            let calls = file.code_sections().flat_map(move |(address, code)| targets.calls(address, code));
            calls.map(|(address, kind)| unnamed(address, kind))
        })
    }

    /// Its sections with code: where they lie, and their bytes.
    pub(crate) fn code_sections(&self) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let file = *self;
        let is_code = |section: &SectionHeader| section.sh_flags & u64::from(SHF_EXECINSTR) != 0;
        file.sections.iter().filter(is_code).map(move |section| (section.sh_addr, file.data(&section)))
    }

    /// Whether it is a program of Go.
    pub(crate) fn is_of_go(&self) -> bool {
        self.section(".gopclntab").is_some()
    }

    /// The words that the dynamic linker stores the addresses of `mcount` and `__fentry__` into.
    fn imports(&self) -> impl Iterator<Item = (u64, SiteKind)> + use<'a> {
        let file = *self;
        let tables = file.sections.iter().filter(|section| section.sh_type == SHT_RELA);
        tables.flat_map(move |table| {
            let symbols = file.sections.get(table.sh_link as usize).ok();
            let symbols = symbols.filter(|symbols| symbols.sh_type == SHT_DYNSYM);
            let of_functions = file
                .table::<Rela>(&table)
                .iter()
                .filter(|found| matches!(found.r_type, R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT));
            of_functions.filter_map(move |found| {
                let symbols = symbols.as_ref()?;
                let symbol = file.table::<Symbol>(symbols).get(found.r_sym as usize).ok()?;
                let name = file.names_of(symbols).get_raw(symbol.st_name as usize).ok()?;
                Some((found.r_offset, kind_of(name)?))
            })
        })
    }

    /// The tables by which functions of other files are called: their addresses, the bytes of an entry, and
    /// their code.
    fn linkage_tables(&self) -> impl Iterator<Item = (u64, u64, &'a [u8])> + use<'a> {
        let file = *self;
        [".plt", ".plt.sec", ".plt.got"].into_iter().filter_map(move |name| {
            let section = file.section(name)?;
            let entry = if section.sh_entsize == 8 { 8 } else { 16 };
            Some((section.sh_addr, entry, file.data(&section)))
        })
    }

    /// Sites whose addresses a section lists.
    fn listed(&self, section: &str, kind: SiteKind) -> impl Iterator<Item = FunctionSite<'a>> + use<'a> {
        let file = *self;
        let addresses = file.section(section).into_iter().flat_map(move |section| file.addresses(&section));
        addresses.filter(|address| *address != 0).map(move |address| unnamed(address, kind))
    }

    /// Sleds of XRay.
    fn sleds(&self) -> impl Iterator<Item = FunctionSite<'a>> + use<'a> {
        let file = *self;
        let sections = file.section("xray_instr_map").into_iter();
        let addresses = sections.flat_map(move |section| entry_sleds(section.sh_addr, file.data(&section)));
        addresses.filter(|address| *address != 0).map(|address| unnamed(address, SiteKind::Sled))
    }

    /// Sites of `#[lookback::traced]`.
    fn traced(&self) -> impl Iterator<Item = FunctionSite<'a>> + use<'a> {
        let file = *self;
        let sections = file.section("lookback_functions").into_iter();
        let entries = sections.flat_map(move |section| traced_entries(section.sh_addr, file.data(&section)));
        entries.map(move |TracedEntry { address, name, is_exit }| {
            let kind = if is_exit { SiteKind::TracedExit } else { SiteKind::TracedEntry };
            FunctionSite { address, kind, name: file.string_at(name) }
        })
    }

    /// The addresses of the function that begins at one, as `.eh_frame` says, or Go's own table: its caller's
    /// return address is on top of the stack there. None where nothing says so.
    ///
    /// Cost: a search in the table of frames.
    pub fn function_span(&self, start: u64) -> Option<Range<u64>> {
        match self.go_functions() {
            Some(of_go) => of_go.span(start),
            None => span(self.function_frames()?, start),
        }
    }

    /// The addresses of the function that an address is in, of which `symbols` has the names. None where
    /// nothing says where it begins and ends, and for those that [`ObjectFile::unbuilt_sites`] leaves out.
    ///
    /// Cost: that of looking at all names.
    pub fn span_around(&self, symbols: &ObjectFile<'_>, address: u64) -> Option<Range<u64>> {
        if self.is_of_go() || self.is_dynamic_linker() {
            return None;
        }
        let span = self.function_frames()?.at(address)?.span;
        let is_left_alone = LeftAlone::among(symbols.functions()).contains(span.start);
        (!is_left_alone).then_some(span)
    }

    /// The code of the function that begins at an address; nothing where its end isn't known.
    pub fn function_code(&self, start: u64) -> &'a [u8] {
        self.function_span(start).and_then(|span| self.code_in(&span)).unwrap_or_default()
    }

    /// Whether it is the dynamic linker, by what it has to have.
    pub(crate) fn is_dynamic_linker(&self) -> bool {
        self.functions().any(|function| function.name == b"__tls_get_addr")
    }

    /// The string at an address, without the zero byte at its end.
    fn string_at(&self, address: u64) -> &'a [u8] {
        self.bytes_at(address, |_| true).split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Its build id; empty when it has none.
    pub fn build_id(&self) -> &'a [u8] {
        const NAME: usize = 16;
        let section = self.section(".note.gnu.build-id");
        section.and_then(|section| self.data(&section).get(NAME..)).unwrap_or_default()
    }

    /// The name of the file that has what was stripped from this one; empty where it names none.
    pub fn debug_link(&self) -> &'a [u8] {
        let link = self.section(".gnu_debuglink").map(|section| self.data(&section)).unwrap_or_default();
        link.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// The address at which this place of the file is mapped. None for one that isn't in a section that is.
    pub fn address_at(&self, offset: u64) -> Option<u64> {
        let contains = |section: &SectionHeader| {
            section.sh_flags & u64::from(SHF_ALLOC) != 0
                && section.sh_type != SHT_NOBITS
                && offset.wrapping_sub(section.sh_offset) < section.sh_size
        };
        let section = self.sections.iter().find(contains)?;
        Some(section.sh_addr.wrapping_add(offset.wrapping_sub(section.sh_offset)))
    }

    /// As [`ObjectFile::address_at`], for a place that the program can write to.
    pub fn writable_address_at(&self, offset: u64) -> Option<u64> {
        let address = self.address_at(offset)?;
        let is_there = |section: &SectionHeader| address.wrapping_sub(section.sh_addr) < section.sh_size;
        let is_writable = |section: &SectionHeader| section.sh_flags & u64::from(SHF_WRITE) != 0;
        self.sections.iter().any(|section| is_writable(&section) && is_there(&section)).then_some(address)
    }

    /// The bytes from an address of its code on, up to the end of the section. None where it has no section.
    pub fn code_at(&self, address: u64) -> &'a [u8] {
        self.bytes_at(address, |section| section.sh_flags & u64::from(SHF_EXECINSTR) != 0)
    }

    /// The bytes from an address on, up to the end of its section, if that is such a one.
    fn bytes_at(&self, address: u64, is_one: impl Fn(&SectionHeader) -> bool) -> &'a [u8] {
        let contains = |section: &SectionHeader| {
            section.sh_flags & u64::from(SHF_ALLOC) != 0
                && address.wrapping_sub(section.sh_addr) < section.sh_size
        };
        let section = self.sections.iter().find(|section| is_one(section) && contains(section));
        let bytes = section
            .and_then(|section| self.data(&section).get(address.wrapping_sub(section.sh_addr) as usize..));
        bytes.unwrap_or_default()
    }

    /// The address of a section.
    pub(crate) fn section_address(&self, name: &str) -> Option<u64> {
        self.section(name).map(|section| section.sh_addr)
    }

    /// The bytes of a section; none where it isn't there.
    pub(crate) fn section_data(&self, name: &str) -> &'a [u8] {
        self.section(name).map(|section| self.data(&section)).unwrap_or_default()
    }

    pub(crate) fn section(&self, name: &str) -> Option<SectionHeader> {
        let is_named = |section: &SectionHeader| {
            self.section_names.get_raw(section.sh_name as usize).is_ok_and(|found| found == name.as_bytes())
        };
        self.sections.iter().find(is_named)
    }

    /// The bytes of a section; none of one that has none in the file.
    pub(crate) fn data(&self, section: &SectionHeader) -> &'a [u8] {
        let start = section.sh_offset as usize;
        let end = start.saturating_add(section.sh_size as usize);
        let is_there = section.sh_type != SHT_NOBITS;
        self.bytes.get(start..end).filter(|_| is_there).unwrap_or_default()
    }

    pub(crate) fn table<T: elf::parse::ParseAt>(&self, section: &SectionHeader) -> Entries<'a, T> {
        Entries::new(LittleEndian, Class::ELF64, self.data(section))
    }

    /// The addresses that a section lists: what its relocations make of them in a file that may be mapped
    /// anywhere, else what it has.
    fn addresses(self, section: &SectionHeader) -> impl Iterator<Item = u64> + use<'a> {
        let (words, _) = self.data(section).as_chunks::<8>();
        let range = section.sh_addr..section.sh_addr.wrapping_add(section.sh_size);
        let is_relocated = self.relative_addends(range.clone()).next().is_some();
        let in_place = words.iter().map(|word| u64::from_le_bytes(*word)).filter(move |_| !is_relocated);
        self.relative_addends(range).chain(in_place)
    }

    /// What the dynamic linker stores into the words in `range`, before the load bias is added. Nothing of
    /// packed relocations (`DT_RELR`): their words have these addresses already.
    pub(crate) fn relative_addends(self, range: Range<u64>) -> impl Iterator<Item = u64> + use<'a> {
        let tables = self.sections.iter().filter(|section| section.sh_type == SHT_RELA);
        let relocations = tables.flat_map(move |section| self.table::<Rela>(&section).iter());
        relocations
            .filter(move |found| found.r_type == R_X86_64_RELATIVE && range.contains(&found.r_offset))
            .map(|found| found.r_addend.cast_unsigned())
    }
}

/// See [`ObjectFile::function_span`].
pub(crate) fn span(frames: FunctionFrames<'_>, start: u64) -> Option<Range<u64>> {
    let frame = frames.at(start).filter(|frame| frame.span.start == start)?;
    let first = ReturnAddress { base: FrameBase::StackPointer, offset: 0 };
    (frame.return_address(start) == Some(first)).then_some(frame.span)
}

/// A site in the function that contains it.
fn unnamed<'a>(address: u64, kind: SiteKind) -> FunctionSite<'a> {
    FunctionSite { address, kind, name: b"" }
}
