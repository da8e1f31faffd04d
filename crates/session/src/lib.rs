//! Sessions and their instances: where they are, how they are made and found, which events are enabled.
//!
//! A [`Session`] is a directory of shared files; nothing has to run for it. It is in memory, in a directory
//! of its user's ([`SessionsDirectory`]), and is found by its name or by its path. An [`Instance`] of it has
//! a buffer, and its own events, filters, triggers, options, tracer and snapshots; each session has a default
//! one. Traced processes attach to the session by themselves; the command makes it, enables events
//! ([`Selection`]), and reads.
//!
//! What this crate is not: it records nothing, and it doesn't know how events are printed.
//!
//! ```
//! use session::{Instance, Selection, Session, SessionOptions};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("example");
//! let instance = Session::create(&path, &SessionOptions::default()).unwrap();
//! let selection: Selection = "libc:open*".parse().unwrap();
//! assert!(instance.set(&selection, true).unwrap() >= 4, "open and openat, entry and exit");
//!
//! let same = Instance::open(&path).unwrap();
//! assert_eq!(same.events().filter(|event| event.enabled).count(), instance.set(&selection, true).unwrap());
//!
//! instance.enable(&"libc:open_exit if ret < 0".parse().unwrap()).unwrap();
//! let filtered = same.events().find(|event| event.filter.is_some()).unwrap();
//! assert_eq!((filtered.name.as_str(), same.filter(filtered.id).as_deref()), ("open_exit", Some("ret < 0")));
//! ```
#![forbid(unsafe_code)]

mod clock;
mod error;
mod error_list;
mod error_rule;
mod filtered;
mod instance;
mod lasting;
mod names;
mod object_path;
mod options;
mod own_pid;
mod pace;
mod probe_failure;
mod selection;
mod session;
mod sessions_directory;
mod size;
mod this_process;
mod timeline;
mod usdt_place;

pub use abi::clock::TraceClock;
pub use abi::control::ErrorSet;
pub use clock::{Tsc, trace_clock};
pub use control::{Filtered, PidFilter, ProfiledFunction};
pub use error::Error;
pub use error_list::ErrorList;
pub use error_rule::{BadErrorRule, ErrorRule};
pub use event_trigger::{ACTIONS, Action, BadTrigger, Command, parse_integer};
pub use filtered::{BadFilteredSelection, FilteredSelection};
pub use function_filter::{BadRule, FunctionList, FunctionRule};
pub use instance::{
    Author, BUDGETS, CallInProgress, CallsInProgress, CommandText, EnabledEvents, EventInfo, FUNCTION,
    FUNCTION_GRAPH, Freed, FunctionCommand, FunctionFilter, FunctionLists, Instance, LEAST_STACK_BYTES,
    LeftOutEvent, LongestSection, MARKER_IP, MARKER_SYMBOL, MOST_RAW, MOST_STACK_BYTES, Marker, Preferences,
    Saving, Settings, SnapshotNumber, TRACERS, TraceOption, Tracer, TriggerInfo, explain_filter, filter_for,
    is_built_in,
};
pub use lasting::{Lasting, lasting};
pub use names::FLIGHT;
pub use object_path::object_path;
pub use options::SessionOptions;
pub use own_pid::{OwnPid, ProcessesHere, innermost};
pub use pace::Pace;
pub use probe_definition::{BadProbe, NoSymbol, ProbeError, Removal};
pub use probe_failure::ProbeFailure;
pub use selection::{BadSelection, Selection};
pub use session::{
    ConversionCounts, CpuProfile, EnabledFunction, Lock, MOST_INSTANCES, ProbeCounts, ProbedFile, Session,
    SessionProbe, SiteObstacle, SystemCallPlace, SystemCallSight, TraceableFunction, TraceableName, TracedBy,
    is_named, unnamed_functions,
};
pub use sessions_directory::{SessionsDirectory, session_path};
pub use size::{DEFAULT_KB, MOST_SNAPSHOTS, addressable_kb, fitting_kb, most_addresses};
pub use this_process::pid_namespace;
pub use timeline::Timeline;
pub use usdt_place::UsdtPlace;
