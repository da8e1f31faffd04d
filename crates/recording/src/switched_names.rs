//! Names of threads that no traced process has entered: of those that have woken traced ones, or run instead.

use events::switch::{SWITCH, SWITCH_ID};
use std::collections::BTreeMap;
use trace_data::bytes::u32_at;
use trace_data::record::Record;

/// The last name of each thread that was switched to or from.
#[derive(Debug, Default)]
pub(crate) struct SwitchedNames {
    names: BTreeMap<i32, String>,
}

/// Where names and threads are.
const THREADS: [(usize, usize); 2] =
    [(SWITCH.offset(0), SWITCH.offset(1)), (SWITCH.offset(4), SWITCH.offset(5))];

impl SwitchedNames {
    /// Looks at a record.
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        if record.id() != SWITCH_ID {
            return;
        }
        for (comm, pid) in THREADS {
            let comm = record.payload.get(comm..comm + 16);
            let Some((comm, pid)) = comm.zip(u32_at(record.payload, pid)) else { continue };
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
