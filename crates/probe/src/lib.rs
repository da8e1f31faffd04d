//! Probes: events that are recorded where a program comes to an instruction that somebody has named, with
//! what is then in registers and memory.
//!
//! A probe's arguments are what the kernel's uprobes take: a register, a word of the stack, a number, a place
//! in memory; followed through pointers; stored as a number, a part of one, or text. They are compiled to
//! 64-bit words without pointers, which may lie in memory that several processes share: [`CompiledProbes`]
//! ends on *any* words, reads none outside of them, and doesn't allocate. Async-signal-safe, as far as
//! the [`Machine`] is.
//!
//! ```
//! # #[cfg(feature = "compile")] {
//! use probe::*;
//!
//! let first = FetchArgument {
//!     source: FetchSource::Register(MachineRegister::named("di").unwrap()),
//!     dereferences: vec![],
//!     stored: StoredForm::Integer { bytes: 4 },
//!     count: None,
//! };
//! let file = FileIdentity::BuildId([7; 20]);
//! let probe = Probe {
//!     event: 300, counter: 0, kind: ProbeKind::Entry, file, offset: 0x1139, reference_counter: 0,
//!     arguments: vec![first],
//! };
//! let words = compile(&[probe]);
//! let probes = CompiledProbes::new(|index| words.get(index).copied());
//! let compiled = probes.iter().next().unwrap();
//! assert_eq!((compiled.event, compiled.offset, compiled.file()), (300, 0x1139, Some(file)));
//! # }
//! ```
//!
//! What this crate is not: it finds no place for a probe, patches nothing, and writes to no buffer.
//!
//! Source: `kernel/trace/trace_probe.c`, `trace_probe_tmpl.h` and `trace_uprobe.c` of Linux 6.18.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "compile"))]
extern crate std;

#[cfg(any(test, feature = "compile"))]
mod argument;
#[cfg(any(test, feature = "compile"))]
mod compile;
mod compiled;
mod compiled_argument;
mod fetch;
mod file_identity;
mod machine;
mod machine_register;
mod stored_form;

#[cfg(any(test, feature = "compile"))]
pub use argument::{FetchArgument, FetchSource};
#[cfg(any(test, feature = "compile"))]
pub use compile::{Probe, compile};
pub use compiled::{CompiledProbe, CompiledProbes, ProbeKind};
pub use fetch::FAULT;
pub use file_identity::FileIdentity;
pub use machine::Machine;
pub use machine_register::MachineRegister;
pub use stored_form::StoredForm;

/// The most probes that a session has.
pub const MOST_PROBES: usize = 256;

/// The most bytes of an event's record, its text included: what is taken from the program's stack.
pub const MOST_RECORD: usize = 256;
