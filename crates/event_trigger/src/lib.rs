//! Triggers: `snapshot:3 if ret < 0`, what a traced process does when an event happens.
//!
//! [`ACTIONS`] has one row for each action: its name, its code in shared memory, when it acts, which others
//! it excludes, and its [`Effect`]. A further action is one row there, and what its effect does in
//! `trigger_effect/src/lib.rs`. The text of a trigger is parsed by [`Command`]; the triggers of an event
//! lie in shared memory as a list of words that is read by [`Trigger`], of which [`Due`] chooses those that
//! act for a record.
//!
//! What this crate is not: it does nothing that an action says, and compiles no filters (`event_filter`
//! does).
//!
//! ```
//! use event_trigger::{Action, Command, Effect};
//!
//! let command = Command::parse("traceoff:3 if ret < 0").unwrap();
//! assert_eq!(command.action.effect, Effect::SetTracing(false));
//! assert_eq!((command.count, command.filter), (Ok(Some(3)), Ok(Some("ret < 0"))));
//! assert!(command.action.excludes(Action::named("traceon").unwrap()));
//! ```
//!
//! Async-signal-safe: all of it. No allocation anywhere.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod action;
mod command;
mod due;
mod integer;
mod list;
mod rate;

pub use action::{ACTIONS, Action, ERROR_RATE, Effect, Order};
pub use command::{BadTrigger, Command};
pub use due::{Due, DueAction};
pub use integer::{BadInteger, parse_integer};
pub use list::Trigger;
pub use rate::{ErrorRate, RatePeriod};
