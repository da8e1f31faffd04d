//! The control area of a session file: what is wanted, and who is attached.
//!
//! The file says which events are on, which of their records are written, what each event looks like, and
//! which threads, processes and mapped files the events in the buffers refer to. Traced processes enter
//! themselves; the command reads it. Nobody locks but who changes what is wanted: an entry is claimed by one
//! compare-exchange and published by one store, so a process that is killed half-way leaves at worst an entry
//! that nobody uses.
//!
//! What this crate is not: it records nothing and decides nothing about what should be on.
//!
//! ```
//! use control::{Clocks, ControlArea, FileLayout, Identity, NewTask};
//!
//! let path = std::ffi::CString::new(format!("/tmp/control-example-{}", std::process::id())).unwrap();
//! let segment = shm::create(&path, abi::control::CONTROL_SIZE).unwrap();
//! let (number, agent, creator) = (7, 1, std::process::id());
//! let identity = Identity { number, agent, creator, pid_namespace: 0, created: Clocks::now(),
//!     trace_clock: abi::clock::TraceClock::Mono };
//! let layout = FileLayout::new(1, 4096, 4096, 1).unwrap();
//! let file = ControlArea::create(segment, &identity, &layout).unwrap();
//! let event = file.add_event("app", "request", "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n").unwrap();
//! file.enable(event, 0, true);
//!
//! let (name, type_name) = ("n", "int");
//! let n = event_filter::FilterField { name, type_name, offset: 8, size: 4, signed: true, names: &[] };
//! let filter = event_filter::Filter::compile("n > 5", &[n]).unwrap();
//! let stored = file.filter_space().store(filter.words(), "n > 5").unwrap();
//! file.set_filter(event, 0, Some(stored));
//! let mut record = abi::common::word(event, 0, 0, 12).to_le_bytes().to_vec();
//! record.extend(5i32.to_le_bytes());
//! assert!(!file.passes(0, &record, &control::Here { cpu: 0, comm: b"server" }));
//!
//! let comm = *b"server\0\0\0\0\0\0\0\0\0\0";
//! let task = NewTask { tid: 12, tgid: 11, process: None, comm, time: 100 };
//! let entry = file.add_task(&task).unwrap();
//! file.end_task(entry, 900);
//!
//! let same = ControlArea::new(shm::open(&path).unwrap()).unwrap();
//! assert!(same.is_enabled(event, 0));
//! let found = same.tasks().next().unwrap();
//! assert_eq!((found.tid, found.name(), found.end_time), (12, "server", 900));
//! # std::fs::remove_file(path.to_str().unwrap()).unwrap();
//! ```
//!
//! Async-signal-safe: all of it. No allocation anywhere.
#![no_std]

#[cfg(test)]
extern crate std;

mod area;
mod claim;
mod clocks;
mod comm;
mod conversion;
mod counters;
mod current_call;
mod error_rates;
mod errors;
mod events;
mod extension;
mod file_layout;
mod filters;
mod functions;
mod functions_off;
mod governor;
mod heap;
mod instance_set;
mod instances;
mod maps;
mod objects;
mod pattern;
mod pids;
mod placeholders;
mod probes;
mod processes;
mod profile;
mod readiness;
mod refusals;
mod resolved;
mod rules;
mod sections;
mod switched;
mod switches;
mod system_calls;
mod tasks;
mod tick_rate;
mod tracepoints;
mod triggers;
mod unusable;
mod waiters;

pub use abi::control::ProcessStatus;
pub use area::{ControlArea, Identity};
pub use clocks::Clocks;
pub use conversion::ConversionState;
pub use current_call::{CurrentCall, begin_call, end_call, store_current_call, stored_call};
pub use event_filter::{Context, Here};
pub use events::{Description, NotAdded};
pub use file_layout::{FileLayout, NoLayout};
pub use filters::{FilterSpace, StoredFilter};
pub use functions::FunctionWords;
pub use governor::{Budget, DroppedEvent, EVENT_NAME, Spending};
pub use instance_set::InstanceSet;
pub use maps::Map;
pub use objects::{BuildId, NewObject, ObjectInfo};
pub use pattern::{glob, selects};
pub use pids::{Filtered, NoPages, PidFilter};
pub use placeholders::is_placeholder;
pub use processes::{NewProcess, ProcessInfo};
pub use profile::{CountedCall, ProfiledFunction};
pub use readiness::{AwaitedData, BegunEntries, NotedData};
pub use rules::Rule;
pub use switches::Switched;
pub use system_calls::WantedSystemCall;
pub use tasks::{NewTask, TaskInfo};
pub use tick_rate::TickRate;
pub use unusable::Unusable;
pub use waiters::{Wake, WakingCall, Woken};
