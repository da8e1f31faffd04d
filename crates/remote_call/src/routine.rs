//! Where the agent's routine is in a process.

use crate::refusal::CallRefusal;
use crate::target::{Mapping, TargetProcess};
use abi::OBJECT_PREFIX;
use abi::attach::{ATTACH_SYMBOL, DETACH_SYMBOL};
use abi::remote::{AREA_SYMBOL, ENTRY_SYMBOL, RemoteArea, TIME_LIMITS};
use object::elf::{PF_X, PT_LOAD};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Object, ObjectSection, ObjectSymbol};
use std::mem::offset_of;
use std::ops::Range;

/// The routine, and what it works with.
#[derive(Debug)]
pub(crate) struct RemoteRoutine {
    /// Its first instruction.
    pub(crate) entry: u64,
    /// All code of the agent.
    pub(crate) code: Range<u64>,
    /// A [`RemoteArea`].
    area: u64,
}

impl RemoteRoutine {
    /// Finds it in a process whose agent has the very code of `agent`: so it is known what is called,
    /// whatever the process says of itself.
    pub(crate) fn find(target: &TargetProcess, agent: &[u8]) -> Result<RemoteRoutine, CallRefusal> {
        // Where its structures are aligned.
        let agent = agent.to_vec();
        let layout = RoutineLayout::of(&agent).ok_or(CallRefusal::OtherAgent)?;
        let mapped = target.mappings().filter(|mapping| {
            mapping.is_code && mapping.name.starts_with(OBJECT_PREFIX) && mapping.offset == layout.offset
        });
        for mapping in mapped {
            let base = mapping.addresses.start.wrapping_sub(layout.start);
            let mut code = vec![0; layout.code.len()];
            if target.read(mapping.addresses.start, &mut code).is_ok() && code == layout.code {
                return Ok(RemoteRoutine {
                    entry: base.wrapping_add(layout.entry),
                    code: mapping.addresses.clone(),
                    area: base.wrapping_add(layout.area),
                });
            }
        }
        Err(CallRefusal::OtherAgent)
    }

    /// The word that says who calls it.
    pub(crate) fn owner(&self) -> u64 {
        self.area + offset_of!(RemoteArea, owner) as u64
    }

    /// Where the time that is left to a thread's call is put.
    pub(crate) fn time_limit(&self, tid: u32) -> u64 {
        let index = u64::from(tid) % TIME_LIMITS as u64;
        self.area + offset_of!(RemoteArea, time_limits) as u64 + 16 * index
    }

    /// The stack, with the frame at its end.
    pub(crate) fn space(&self) -> Range<u64> {
        let start = self.area + offset_of!(RemoteArea, space) as u64;
        start..self.area + size_of::<RemoteArea>() as u64
    }
}

/// What the agent of a process is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttachStep {
    /// It is loaded, unless it is there, and attaches the process.
    Attach,
    /// It detaches the process.
    Detach,
}

/// Where the agent's file has what it does then.
#[derive(Debug)]
pub(crate) struct AttachRoutine {
    name: String,
    offset: u64,
    /// From where its code is mapped to the routine.
    distance: u64,
    /// Where its code rests.
    resting: Vec<RestingPlace>,
}

/// Where the agent's code uses nothing of a session while what it has called runs.
#[derive(Debug, Clone)]
struct RestingPlace {
    /// From the start of its code.
    code: Range<u64>,
    /// Bytes of the stack that are the agent's own, after the address of such code.
    own_stack: usize,
}

/// The agent's code in a process.
#[derive(Debug)]
pub(crate) struct AgentCode {
    /// All of it.
    code: Range<u64>,
    resting: Vec<RestingPlace>,
}

impl AgentCode {
    /// Where it is.
    pub(crate) fn addresses(&self) -> Range<u64> {
        self.code.clone()
    }

    /// Whether an address is in it.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.code.contains(&address)
    }

    /// Whether a thread that is at an address, or returns there, may be using a session.
    pub(crate) fn may_use_session_at(&self, address: u64) -> bool {
        self.code.contains(&address) && self.resting_at(address).is_none()
    }

    /// Where its code rests at an address: how many bytes of the stack after that address are its own, in
    /// which anything may have been left.
    pub(crate) fn resting_at(&self, address: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.code.start);
        Some(self.resting.iter().find(|place| place.code.contains(&offset))?.own_stack)
    }
}

impl AttachRoutine {
    /// That of `agent`, which is loaded from a file of this name.
    pub(crate) fn of(agent: &[u8], name: &str, step: AttachStep) -> Option<AttachRoutine> {
        let agent = agent.to_vec();
        let layout = RoutineLayout::of(&agent)?;
        let routine = if step == AttachStep::Attach { layout.attach } else { layout.detach };
        let distance = routine.wrapping_sub(layout.start);
        let resting = layout.resting();
        Some(AttachRoutine { name: name.to_owned(), offset: layout.offset, distance, resting })
    }

    /// Where it is in a process, if that has loaded the agent.
    pub(crate) fn find(&self, target: &TargetProcess) -> Option<u64> {
        Some(self.mapping(target)?.addresses.start + self.distance)
    }

    /// Where the agent's object starts in a process that has loaded it.
    pub(crate) fn start(&self, target: &TargetProcess) -> Option<u64> {
        Some(self.mapping(target)?.addresses.start)
    }

    /// Where the agent's code is in a process that has loaded it.
    pub(crate) fn agent_code(&self, target: &TargetProcess) -> Option<AgentCode> {
        Some(AgentCode { code: self.mapping(target)?.addresses.clone(), resting: self.resting.clone() })
    }

    fn mapping<'a>(&self, target: &'a TargetProcess) -> Option<&'a Mapping> {
        let is_it = |mapping: &&Mapping| {
            mapping.is_code && mapping.name == self.name && mapping.offset == self.offset
        };
        target.mappings().find(is_it)
    }
}

/// The agent's list of places where its code rests.
const RESTING_SECTION: &str = "lookback_resting";

/// Where all that is in the agent's file.
struct RoutineLayout<'a> {
    entry: u64,
    attach: u64,
    detach: u64,
    area: u64,
    /// The address of its code, on a whole page, and where in the file that is.
    start: u64,
    offset: u64,
    code: &'a [u8],
    /// The section that lists where its code rests, and its address.
    resting: (&'a [u8], u64),
}

impl RoutineLayout<'_> {
    fn of(agent: &[u8]) -> Option<RoutineLayout<'_>> {
        const PAGE: u64 = 4096;
        let file = ElfFile64::<object::Endianness>::parse(agent).ok()?;
        let symbol = |name: &str| {
            let found = file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name))?;
            Some((found.address(), found.size()))
        };
        let (entry, _) = symbol(ENTRY_SYMBOL)?;
        let (attach, _) = symbol(ATTACH_SYMBOL)?;
        let (detach, _) = symbol(DETACH_SYMBOL)?;
        let (area, size) = symbol(AREA_SYMBOL)?;
        let endian = file.endian();
        let is_code = |header: &&object::elf::ProgramHeader64<object::Endianness>| {
            header.p_type(endian) == PT_LOAD && header.p_flags(endian) & PF_X != 0
        };
        let header = file.elf_program_headers().iter().find(is_code)?;
        let ahead = header.p_vaddr(endian) % PAGE;
        let offset = header.p_offset(endian) - ahead;
        let end = header.p_offset(endian) + header.p_filesz(endian);
        let code = agent.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)?;
        let resting = file.section_by_name(RESTING_SECTION)?;
        let resting = (resting.data().ok()?, resting.address());
        let is_whole = size == size_of::<RemoteArea>() as u64;
        is_whole.then_some(RoutineLayout {
            entry,
            attach,
            detach,
            area,
            start: header.p_vaddr(endian) - ahead,
            offset,
            code,
            resting,
        })
    }

    /// Where its code rests, from its start on.
    fn resting(&self) -> Vec<RestingPlace> {
        const ENTRY: usize = 12;
        let (bytes, address) = self.resting;
        let (halves, _) = bytes.as_chunks::<4>();
        let entries = (address..).step_by(ENTRY).zip(halves.chunks_exact(ENTRY / 4));
        let place = |(address, entry): (u64, &[[u8; 4]])| {
            let [distance, length, own] = [entry[0], entry[1], entry[2]].map(u32::from_le_bytes);
            let distance = i64::from(distance.cast_signed());
            let start = address.wrapping_add_signed(distance).wrapping_sub(self.start);
            RestingPlace { code: start..start + u64::from(length), own_stack: own as usize }
        };
        entries.map(place).collect()
    }
}
