//! The places in a file that call the kernel.

use super::padding::FilePadding;
use super::probed_file::ProbedFile;
use events::system_call::events_of;
use function_sites::ObjectFile;
use planner::{FunctionCode, JUMP_LEN, JumpSpace, ProbePoint, SYSTEM_CALL, SystemCallCode};
use std::collections::HashSet;
use std::path::Path;

/// Whether something of a call is seen, as far as its file says: in a process, no memory may be free where a
/// jump would lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemCallSight {
    /// In each program.
    Seen,
    /// In programs that start while it is wanted: its instruction lies in two words.
    SeenFromStart,
    /// Nowhere.
    Unseen,
}

/// A place that calls the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCallPlace {
    /// The number of the call; None where only the running program knows it.
    pub number: Option<u32>,
    /// What the kernel calls it, if it has such a call.
    pub name: Option<&'static str>,
    /// Where the instruction is in the file.
    pub offset: u64,
    /// The function that it is in, and where there, if a symbol says that.
    pub function: Option<(String, u64)>,
    /// Whether its begin is seen.
    pub enter: SystemCallSight,
    /// Whether its end is.
    pub exit: SystemCallSight,
    /// Why neither is, if that is not because there is no space for jumps.
    pub obstacle: Option<&'static str>,
}

impl SystemCallPlace {
    /// Those of a file, in the order of their addresses. None where it can't be read, or is no ELF file.
    ///
    /// Cost: that of looking at all of its code, and decoding functions.
    pub fn all(path: &Path) -> Option<Vec<SystemCallPlace>> {
        ProbedFile::read(path)?.with(|file, symbols| {
            let mut taken = HashSet::new();
            let padding = FilePadding::of(file);
            let addresses = file.occurrences(SYSTEM_CALL);
            let place = |address| SystemCallPlace::of((file, padding), symbols, address, &mut taken);
            addresses.filter_map(place).collect()
        })
    }

    /// That with the instruction at an address. None where none begins there.
    fn of(
        (file, padding): (&ObjectFile<'_>, FilePadding<'_>),
        symbols: &ObjectFile<'_>,
        address: u64,
        taken: &mut HashSet<u64>,
    ) -> Option<SystemCallPlace> {
        let mut place = SystemCallPlace {
            number: None,
            name: None,
            offset: file.offset_of_address(address)?,
            function: function(symbols, address),
            enter: SystemCallSight::Unseen,
            exit: SystemCallSight::Unseen,
            obstacle: None,
        };
        let Some(span) = file.span_of_frame(address) else {
            place.obstacle = Some("nothing says where its function begins and ends");
            return Some(place);
        };
        let code = file.code_in(&span)?;
        let call =
            SystemCallCode::at(&FunctionCode { start: span.start, code }, (address - span.start) as usize)?;
        place.number = call.number();
        place.name = call.number().and_then(name);
        if call.is_left_alone() {
            place.obstacle = Some("it is left alone");
            return Some(place);
        }
        let paddings = padding.near(address);
        place.enter = sight(call.enter_points(paddings.clone()), span.start, taken);
        place.exit = sight(call.exit_points(paddings), span.start, taken);
        Some(place)
    }
}

/// Takes the first space that nobody has for a jump, as traced processes do.
fn sight(
    points: impl Iterator<Item = ProbePoint>,
    function: u64,
    taken: &mut HashSet<u64>,
) -> SystemCallSight {
    for point in points {
        let own = function + point.offset as u64;
        let (start, sight) = match point.space {
            JumpSpace::Beforehand => (own, SystemCallSight::SeenFromStart),
            JumpSpace::InPlace | JumpSpace::WithPadding => (own, SystemCallSight::Seen),
            JumpSpace::Apart(apart) => (apart, SystemCallSight::Seen),
        };
        let bytes = start..start + JUMP_LEN as u64;
        if bytes.clone().all(|byte| !taken.contains(&byte)) {
            taken.extend(bytes);
            return sight;
        }
    }
    SystemCallSight::Unseen
}

/// What the kernel calls the call of a number.
fn name(number: u32) -> Option<&'static str> {
    let own = events_of(number)?;
    let enter = events::all().find(|event| event.id == own.enter)?;
    enter.name.strip_prefix("sys_enter_")
}

/// The function that an address is in, and how far from its start.
fn function(symbols: &ObjectFile<'_>, address: u64) -> Option<(String, u64)> {
    let found = symbols.functions().find(|function| function.contains(address))?;
    Some((String::from_utf8_lossy(found.name).into_owned(), address - found.start))
}
