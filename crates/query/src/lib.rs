//! Questions about a trace: which of its records are meant, how many there are, how long it took from one to
//! another.
//!
//! A [`TraceFile`] is a trace.dat file with everything that its records mean. A [`Choice`] says which records
//! are wanted, by event, filter, CPU, thread, process and time; it is compiled to a [`Chooser`]. A [`Query`]
//! hands the chosen records on, one by one and in the order of time, with strings hidden as its
//! [`Redaction`] says. What counts them ([`Counts`]) or pairs them ([`Pairs`]) takes them one by one, too, so
//! traces of any size are fine.
//!
//! What this crate is not: it prints nothing, knows no arguments of a command, and writes no files.
//!
//! ```
//! use query::{Choice, Chooser, Counts, EventRule, Query, TimeReference};
//! use trace_data::dat::Metadata;
//! use trace_data::event::{Event, EventTable};
//! use trace_data::format::Format;
//! use trace_data::info::TraceInfo;
//! use trace_data::record::Record;
//! use trace_data::page::Missed;
//! use trace_data::print::Dialect;
//!
//! let format = "name: read_exit\nID: 42\nformat:\n\
//!     \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
//!     \tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n\n\
//!     print fmt: \"ret=%d\", REC->ret\n";
//! let event = Event::new(Format::parse("libc", format)?, Dialect::Kernel);
//! let events: EventTable = [event].into_iter().collect();
//! let metadata = Metadata::new(4096);
//! let (tasks, symbols) = (&(), &());
//! let trace = TraceInfo { metadata: &metadata, events: &events, tasks, symbols, nanoseconds: true };
//!
//! let failed: EventRule = "*_exit: ret < 0".parse()?;
//! let choice = Choice { filters: vec![failed], ..Choice::default() };
//! let chooser = Chooser::new(&choice, &events, TimeReference::default())?;
//! let mut query = Query::new(chooser);
//!
//! let mut counts = Counts::default();
//! for (time, ret) in [(1000, 17), (2000, -1), (3000, -1)] {
//!     let payload = [[42, 0, 0, 0, 7, 0, 0, 0].as_slice(), &i32::to_le_bytes(ret)].concat();
//!     let record = Record { cpu: 0, time, payload: &payload, lost: Missed::None };
//!     query.choose(&record, &trace).iter().for_each(|record| counts.add(record));
//! }
//! assert_eq!((counts.all.events, counts.times), (2, Some((2000, 3000))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod async_tasks;
mod by_event;
mod call_events;
mod choice;
mod comparison;
mod counts;
mod descriptors;
mod error;
mod event_filter;
mod event_ids;
mod failed_calls;
mod findings;
mod finished_calls;
mod heap_sizes;
mod id_list;
mod lock_waits;
mod pairs;
mod process_tree;
mod profile;
mod query;
mod rank_test;
mod record_links;
mod redact;
mod slow_calls;
mod source_lines;
mod survey;
mod symbols;
#[cfg(test)]
mod test_event;
mod time;
mod trace_file;
mod waits;

pub use async_tasks::{AsyncTask, AsyncTaskNames, AsyncTaskState, AsyncTasks, TaskWaker, TimeSum};
pub use call_events::{
    ErrorField, are_ends_of_one_call, call_of, entry_of, exit_of, has_no_end, is_of_system_calls,
    number_of_call, system_call_field, system_call_number,
};
pub use choice::{Choice, Chooser};
pub use comparison::{CallDifference, CountDifference, RateUnit, TraceComparison};
pub use counts::{Counts, Sum};
pub use descriptors::Descriptors;
pub use error::Error;
pub use event_filter::EventRule;
pub use event_ids::has_happened;
pub use failed_calls::{FailedCalls, FailureKind, Failures, how_usual_error, is_unusual_error};
pub use findings::{Findings, SeenRecords};
pub use finished_calls::{FinishedCall, FinishedCalls};
pub use heap_sizes::HeapSizes;
pub use id_list::IdList;
pub use lock_waits::{LockHolder, LockWaits};
pub use pairs::{DurationSample, Durations, PairRule, Pairs};
pub use process_tree::{ProcessEnd, ProcessNode, ProcessOutcome, ProcessTree};
pub use profile::{CallProfile, FailureProfile, ProfileSums, ProgramProfile, TraceProfile};
pub use query::{Interruption, Query};
pub use record_links::{LinkedRecord, RecordLink, RecordLinks};
pub use redact::{RedactRule, Redaction};
pub use slow_calls::{SlowCall, SlowCalls};
pub use survey::{Survey, SurveyedLoss};
pub use symbols::{DemangledSymbols, SourceSymbols};
pub use time::{TimeBound, TimeRange, TimeReference};
pub use trace_file::{TraceBuffer, TraceContents, TraceFile, TraceRecords};
pub use waits::{
    ObjectWaits, OffCpu, PeerWaits, ThreadWaits, WaitCause, WaitKind, WaitObject, WaitPeer, Waits,
};
