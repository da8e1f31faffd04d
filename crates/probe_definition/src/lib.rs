//! Definitions of probes, in the grammar of the kernel's `uprobe_events`: what they mean, how they are shown,
//! what is wrong with one, and the format of the events that they make.
//!
//! ```text
//! p[:[GRP/]EVENT] PATH:OFFSET[(REF)] [ARG]...          at an instruction
//! p[:[GRP/]EVENT] PATH:SYMBOL[+OFFSET] [ARG]...        at an instruction of a function
//! r[:[GRP/]EVENT] PATH:PLACE [ARG]...                  at a function's return; also PLACE%return
//! -:[GRP/]EVENT                                        removes it
//!
//! ARG: [NAME=]FETCH[:TYPE]
//! FETCH: %REG $stack $stackN $argN $retval $comm @ADDRESS @+OFFSET \VALUE \"TEXT" +|-[u]OFFSET(FETCH)
//! TYPE: u8 to u64, s8 to s64, x8 to x64, char, string, ustring, bWIDTH@OFFSET/SIZE; and [COUNT] after it
//! ```
//!
//! What this crate is not: it opens no file ([`ProbedFiles`] does), keeps no definition, and evaluates
//! nothing.
//!
//! Source: `kernel/trace/trace_uprobe.c`, `trace_probe.c` and `trace_dynevent.c` of Linux 6.18.
#![forbid(unsafe_code)]

mod argument;
mod bad_probe;
mod definition;
mod event_name;
mod fetch;
mod format;
mod integer;
mod place;
mod probed_files;
mod removal;
mod usdt_argument;
mod value_type;
mod words;

pub use argument::ProbeArgument;
pub use bad_probe::{BadProbe, ProbeError};
pub use definition::ProbeDefinition;
pub use format::is_probe_format;
pub use place::DefinedPlace;
pub use probed_files::{NoFile, NoSymbol, ProbedFiles};
pub use removal::Removal;
pub use usdt_argument::usdt_arguments;
pub use value_type::{TypeName, ValueType};
