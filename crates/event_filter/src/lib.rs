//! Event filters: `prev_state & 1 && (prev_comm ~ "kworker*" || !(next_pid == 0))`.
//!
//! The grammar, its errors and their positions are those of the kernel's `events/SYSTEM/EVENT/filter`. A
//! text is parsed against the fields of one event and compiled to a [program](mod@word) of 64-bit words that
//! has no pointers and jumps forward only. So a program can lie in memory that several processes share, and
//! [`evaluate`] needs nobody's word for it: it ends, and neither panics nor reads outside of the record, on
//! *any* words and *any* bytes. It does not allocate and makes no system call: async-signal-safe.
//!
//! What this crate is not: it knows no format files (who has one makes [`FilterField`]s of it) and says
//! nothing about what happens to an event that passes.
//!
//! ```
//! # #[cfg(feature = "compile")] {
//! use event_filter::{FilterField, Filter, Here, evaluate};
//!
//! let fields = [
//!     FilterField { name: "fd", type_name: "int", offset: 8, size: 4, signed: true, names: &[] },
//!     FilterField {
//!         name: "path",
//!         type_name: "__data_loc char[]",
//!         offset: 12,
//!         size: 4,
//!         signed: false,
//!         names: &[],
//!     },
//! ];
//! let filter = Filter::compile(r#"fd < 0 && path ~ "/etc/*""#, &fields).unwrap();
//!
//! // Common fields, the descriptor, where the path is, and the path.
//! let mut record = vec![0; 8];
//! record.extend((-1i32).to_le_bytes());
//! record.extend((12u32 << 16 | 16).to_le_bytes());
//! record.extend(b"/etc/passwd\0");
//! let here = Here { cpu: 0, comm: b"cat" };
//! assert!(evaluate(filter.words(), &record, &here));
//!
//! let error = Filter::compile("fd == 1 || foo == 2", &fields).unwrap_err();
//! assert_eq!(
//!     error.explain("fd == 1 || foo == 2"),
//!     "fd == 1 || foo == 2\n               ^\nparse_error: Field not found\n"
//! );
//! # }
//! ```
//!
//! # Where it differs from Linux 6.18
//!
//! | text | Linux | here |
//! |---|---|---|
//! | `a == 1 \|\| b == 1 &&` | a warning in the kernel's log, `EINVAL` | the last operator is passed over, as in `a == 1 &&` |
//! | `comm ~ "*sh"` on `char comm[16]` | matches names of 15 characters alone | matches names that end so |
//! | `comm ~ "5*"` | matches the text `5*` alone | a pattern as any other |
//! | `comm == "abcdef"` on `char comm[4]` with `abcd` | matches | doesn't |
//! | `CPUS{0-8191}` | an error above the highest CPU | the machine that recorded may have more: an error above 8191 |
//! | `CPUS{0-7:1/2}` | every other CPU | `Invalid cpulist` |
//! | `error == ENOENT`, `flags & O_CREAT\|O_TRUNC` | `Invalid value` | the values that the print format shows under these names; in quotes, if a name has other characters than letters, digits and `_` |
//! | `t > 5ms` on `ktime_t t` | `Illegal integer value` | nanoseconds, with the units `ns`, `us`, `ms` and `s` |
//! | `ip.function == vfs_read` | a function of the kernel | `Function not found` |
//! | `name.ustring == "x"` | the string is read from the process | as without `.ustring` |
//!
//! Source: `kernel/trace/trace_events_filter.c` for the grammar; the errors and their positions are compared
//! with the kernel that this crate's tests run on.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "compile", test))]
extern crate alloc;

#[cfg(feature = "compile")]
mod bracket;
#[cfg(feature = "compile")]
mod code;
#[cfg(feature = "compile")]
mod cpus;
#[cfg(feature = "compile")]
mod error;
mod evaluate;
#[cfg(feature = "compile")]
mod expression;
#[cfg(feature = "compile")]
mod field;
#[cfg(feature = "compile")]
mod filter;
mod glob;
#[cfg(feature = "compile")]
mod number;
#[cfg(feature = "compile")]
mod predicate;
mod text;
mod verify;
pub mod word;

#[cfg(feature = "compile")]
pub use error::{Error, ErrorKind};
pub use evaluate::{Context, Here, Words, evaluate, evaluate_single};
#[cfg(feature = "compile")]
pub use field::{FilterField, FilterType};
#[cfg(feature = "compile")]
pub use filter::Filter;
pub use glob::{glob, glob_words};
pub use verify::{Defect, verify};
pub use word::MAX_TEXT;
