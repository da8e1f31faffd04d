//! Events of a program's own.
//!
//! [`trace_event!`] defines an event, and a function that records it; [`do_trace!`] is an event with a format
//! of printf(3), where it happens; [`trace_printk!`] records a message.
//! While the program is not recorded, or the event is off, that costs a load and a branch. There is nothing
//! to set up: `lookback record -e shop -- PROGRAM` finds the events, and switches them on and off by name.
//!
//! ```
//! use tracepoint::{trace_event, trace_printk};
//!
//! #[derive(Clone, Copy)]
//! enum Status {
//!     New = 1,
//!     Paid = 2,
//! }
//!
//! trace_event! {
//!     /// A customer has ordered something.
//!     pub fn shop:order_taken(
//!         id: u64,
//!         status: Status as symbolic { Status::New => "new", Status::Paid => "paid" },
//!         flags: u32 as flags { 1 => "GIFT", 2 => "EXPRESS" },
//!         customer: &str,
//!         items: &[u16],
//!     ) => "order {id} of {customer} is {status}";
//!
//!     /// Somebody waits for a lock.
//!     pub fn shop:lock_waits(lock: u64 as hex, readers: u8);
//! }
//!
//! order_taken(7, Status::Paid, 2, "Ada", &[1, 5]);
//! if lock_waits::is_enabled() {
//!     lock_waits(0xffc0, 2);
//! }
//! trace_printk!("order {} is done", 7);
//! ```
//!
//! # Fields
//!
//! | type | in the record | printed |
//! |---|---|---|
//! | `u8` ... `u64`, `usize`, `i8` ... `i64`, `isize` | the number | decimal; with `as hex` hexadecimal |
//! | `bool` | a byte | `true` or `false` |
//! | `char` | its UTF-8 text | `'c'` |
//! | `*const T`, `*mut T` | the address | hexadecimal |
//! | `[T; N]` of numbers | the elements | `{0x1,0x2}`; bytes as `01 02` |
//! | `&[T]` of numbers | the elements, as many as there is space for | the same |
//! | `&str`, `&CStr` | the text, as much as there is space for | in quotes |
//! | a number or an enum, `as symbolic { VALUE => "NAME", ... }` | 8 bytes | the name, else the value in hexadecimal |
//! | a number, `as flags { BIT => "NAME", ... }` | 8 bytes | the names, with `\|` between them |
//!
//! An event has 256 bytes, 8 of which are the common fields; texts and slices share what fixed fields leave.
//!
//! # Snapshots
//!
//! [`snapshot!`] keeps what was recorded up to here, and says why: `snapshot!("the queue is full")`. With a
//! [`CriticalSection`] a program says that it is in one.
//!
//! # What it promises
//!
//! Recording makes no system call, takes no lock, allocates nothing and may be done in a signal handler. The
//! functions may be used in crates that forbid `unsafe`, and in libraries that are loaded and unloaded while
//! the program runs. The crate has no recorder of its own: that is in the object which `lookback` preloads,
//! so a process has one, whoever in it has events. A program that is started without `lookback` records
//! nothing. See `docs/decisions/002-author-events.md`.
#![no_std]

#[cfg(test)]
extern crate std;

mod critical_section;
mod do_trace;
mod field;
mod format_arguments;
mod format_site;
mod print;
mod printk;
mod record;
mod registration;
mod site;
mod snapshot;
mod trace_event;
mod value;

pub use critical_section::CriticalSection;
pub use field::{FieldType, SiteField, ValueName};
pub use format_arguments::{ArgumentClass, FormatArgument, FormatArguments, FormatWords};
pub use format_site::{FormatSite, Tracepoint};
#[doc(hidden)]
pub use print::check_print;
pub use printk::{MESSAGES, here, print};
pub use record::{EventBuilder, RecordLayout};
pub use registration::{
    SitePointer, is_wanted, register, switched, take_snapshot_of_log, take_snapshot_of_panic,
    wants_snapshots_of_log,
};
pub use site::Site;
pub use snapshot::take_snapshot;
pub use value::{Flags, Hex, Number, Recordable, Symbolic};
