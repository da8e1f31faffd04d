//! Where sites are in their functions.

use crate::frame_program::{FrameBase, ReturnAddress};
use crate::function_frames::FunctionFrames;
use crate::object_file::ObjectFile;
use crate::site::{FunctionSite, SiteKind};
use core::fmt::{Display, Formatter, Result as Formatted};

/// Where a site is in its function: by that, whoever is called there knows what is on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitePlace {
    /// At the first instruction, or after the `endbr64` that is the first: the function's return address is
    /// on top of the stack, and its arguments are where its caller has put them.
    FirstInstruction,
    /// After the function has set up its frame: `rbp` leads to the caller's `rbp` and, above that, to the
    /// return address. Arguments are still where its caller has put them.
    AfterPrologue,
    /// Where the body begins, anywhere in a function, which may be another one that this one was inlined
    /// into. Arguments may be anywhere.
    InsideEntry,
    /// Where the body ends.
    InsideExit,
}

/// Where a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteLocation {
    /// Where the bytes are that can be patched, in the file's own addresses.
    pub address: u64,
    /// Where that is in its function.
    pub place: SitePlace,
    /// Where the function's return address is when a thread is there. None where the file doesn't say.
    pub return_address: Option<ReturnAddress>,
}

/// Why a site that a section lists is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlocated {
    /// There are no nops after the function's entry: nobody executes those before it.
    BeforeEntry,
    /// Nothing in the file says where its function begins.
    NoFunction,
    /// It is in the middle of a function, where only calls of `mcount` are.
    NotAtEntry,
}

impl Display for Unlocated {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        f.write_str(match self {
            Unlocated::BeforeEntry => "all of its nops are before its entry",
            Unlocated::NoFunction => "nothing says where its function begins",
            Unlocated::NotAtEntry => "its nops are not at its entry",
        })
    }
}

/// Bytes of `endbr64`.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// The most nops before a function's entry that are looked for.
const MOST_BEFORE: u64 = 128;

/// Finds out where sites are in their functions.
#[derive(Debug, Clone, Copy)]
pub struct SiteLocator<'a> {
    file: ObjectFile<'a>,
    frames: Option<FunctionFrames<'a>>,
}

impl<'a> SiteLocator<'a> {
    /// For those of a file.
    pub fn new(file: ObjectFile<'a>) -> SiteLocator<'a> {
        SiteLocator { file, frames: file.function_frames() }
    }

    /// Where a site of the file is.
    ///
    /// Cost: a search in the table of frames. In a file without one, one pass over its symbols.
    pub fn locate(&self, site: &FunctionSite<'a>) -> Result<SiteLocation, Unlocated> {
        match site.kind {
            SiteKind::Sled => Ok(first_instruction(site.address)),
            SiteKind::TracedEntry => Ok(self.inside(site.address, SitePlace::InsideEntry)),
            SiteKind::TracedExit => Ok(self.inside(site.address, SitePlace::InsideExit)),
            SiteKind::UnlistedFentry | SiteKind::Instruction => Ok(first_instruction(site.address)),
            SiteKind::UnlistedMcount => Ok(after_prologue(site.address)),
            SiteKind::McountCall | SiteKind::PatchableEntry => self.by_function(site),
        }
    }

    fn inside(&self, address: u64, place: SitePlace) -> SiteLocation {
        let frame = self.frames.and_then(|frames| frames.at(address));
        let return_address = frame.and_then(|frame| frame.return_address(address));
        SiteLocation { address, place, return_address }
    }

    fn by_function(&self, site: &FunctionSite<'a>) -> Result<SiteLocation, Unlocated> {
        let frames = self.frames.and_then(|frames| {
            let begun = frames.at(site.address).map(|frame| frame.span.start);
            self.by_starts(site, begun, frames.next(site.address))
        });
        // Functions without an entry there: written in assembly, or compiled without.
        frames.or_else(|| self.by_symbols(site)).unwrap_or(Err(Unlocated::NoFunction))
    }

    fn by_symbols(&self, site: &FunctionSite<'a>) -> Option<Result<SiteLocation, Unlocated>> {
        let mut functions = self.file.functions();
        let begun = functions.find(|function| function.contains(site.address)).map(|found| found.start);
        let starts = self.file.functions().map(|found| found.start);
        self.by_starts(site, begun, starts.filter(|start| *start > site.address).min())
    }

    /// Where a site is by the starts of the function that it is in, and of the next one. None where these
    /// are not known.
    fn by_starts(
        &self,
        site: &FunctionSite<'a>,
        begun: Option<u64>,
        next: Option<u64>,
    ) -> Option<Result<SiteLocation, Unlocated>> {
        let address = site.address;
        match begun {
            Some(start) if self.is_entry(start, address) => Some(Ok(first_instruction(address))),
            Some(_) if site.kind == SiteKind::McountCall => Some(Ok(after_prologue(address))),
            Some(_) => Some(Err(Unlocated::NotAtEntry)),
            None => self.before(address, next.filter(|next| next - address <= MOST_BEFORE)?),
        }
    }

    /// The site of a function that begins after nops. None where there is something else before it.
    fn before(&self, address: u64, start: u64) -> Option<Result<SiteLocation, Unlocated>> {
        let before = self.file.code_at(address).get(..(start - address) as usize)?;
        let is_nops = !before.is_empty() && before.iter().all(|byte| *byte == 0x90);
        let code = self.file.code_at(start);
        let code = code.strip_prefix(&ENDBR64).unwrap_or(code);
        let prefixes = code.iter().take_while(|byte| matches!(**byte, 0x66 | 0x2e)).count();
        let found = match code.get(prefixes..)? {
            [0x90, ..] | [0x0f, 0x1f, ..] => Ok(first_instruction(start)),
            _ => Err(Unlocated::BeforeEntry),
        };
        is_nops.then_some(found)
    }

    /// Whether a function that begins at `start` has executed nothing yet at an address.
    fn is_entry(&self, start: u64, address: u64) -> bool {
        let skipped = ENDBR64.len() as u64;
        start == address || start + skipped == address && self.file.code_at(start).starts_with(&ENDBR64)
    }
}

fn first_instruction(address: u64) -> SiteLocation {
    let return_address = Some(ReturnAddress { base: FrameBase::StackPointer, offset: 0 });
    SiteLocation { address, place: SitePlace::FirstInstruction, return_address }
}

fn after_prologue(address: u64) -> SiteLocation {
    let return_address = Some(ReturnAddress { base: FrameBase::FramePointer, offset: 8 });
    SiteLocation { address, place: SitePlace::AfterPrologue, return_address }
}
