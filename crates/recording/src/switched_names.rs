//! Names of threads that no traced process has entered: of those that have woken traced ones, or run instead.

use events::switch::{SWITCH, SWITCH_ID};
use kernel_events::KernelDescription;
use std::collections::BTreeMap;
use trace_data::bytes::u32_at;
use trace_data::format::Format;
use trace_data::record::Record;

/// The last name of each thread that was switched to or from.
#[derive(Debug)]
pub(crate) struct SwitchedNames {
    /// Of each event that has such names, by its id: where.
    places: Vec<(u16, [ThreadPlaces; 2])>,
    names: BTreeMap<i32, String>,
}

/// Where a record has the name of a thread, and its TID.
type ThreadPlaces = (usize, usize);

/// Where ours has them.
const OWN: [ThreadPlaces; 2] = [(SWITCH.offset(0), SWITCH.offset(1)), (SWITCH.offset(4), SWITCH.offset(5))];

/// Bytes of a name.
const NAME: usize = 16;

impl SwitchedNames {
    /// Knows our event, and that of the kernel's where it was recorded.
    pub(crate) fn new(kernel: Option<&KernelDescription>) -> SwitchedNames {
        let systems = kernel.into_iter().flat_map(|kernel| &kernel.systems);
        let formats = systems.flat_map(|system| system.formats.iter().map(|text| (&system.name, text)));
        let formats = formats.filter_map(|(system, text)| Format::parse(system, text).ok());
        let of_kernel = formats.filter_map(|format| Some((format.id, places(&format)?)));
        SwitchedNames {
            places: [(SWITCH_ID, OWN)].into_iter().chain(of_kernel).collect(),
            names: BTreeMap::new(),
        }
    }

    /// Looks at a record.
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        let Some((_, threads)) = self.places.iter().find(|(id, _)| *id == record.id()) else { return };
        for (comm, pid) in threads {
            let comm = record.payload.get(*comm..comm + NAME);
            let Some((comm, pid)) = comm.zip(u32_at(record.payload, *pid)) else { continue };
            let pid = pid as i32;
            let name = comm.split(|byte| *byte == 0).next().unwrap_or_default();
            // The idle thread is one on each CPU.
            if pid != 0 && self.names.get(&pid).is_none_or(|known| known.as_bytes() != name) {
                self.names.insert(pid, String::from_utf8_lossy(name).into_owned());
            }
        }
    }

    /// What is known, and where that is nothing, what was seen here; by thread.
    pub(crate) fn and(mut self, known: Vec<(i32, String)>) -> Vec<(i32, String)> {
        self.names.extend(known);
        self.names.into_iter().collect()
    }
}

/// Where an event of the kernel's has them, if it has any.
fn places(format: &Format) -> Option<[ThreadPlaces; 2]> {
    if !format.is("sched", "sched_switch") {
        return None;
    }
    let place = |name, size| format.field(name).filter(|field| field.size == size).map(|field| field.offset);
    let threads = [("prev_comm", "prev_pid"), ("next_comm", "next_pid")];
    let [previous, next] = threads.map(|(comm, pid)| Some((place(comm, NAME)?, place(pid, 4)?)));
    Some([previous?, next?])
}
