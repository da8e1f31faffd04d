//! The table of libc calls that are traced. Adding one is one line.
//!
//! ```text
//! class {
//!     name(argument: Kind, argument: Kind = value to record) -> Result as [names, of, symbols]
//!         or other_symbol(its: Kind, own: Kind, parameters: Kind) around HOOKS;
//! }
//! ```
//!
//! Each call has two events: `libc:name` when it is entered, with its arguments and the address that it
//! was called from, and `libc:name_exit` when it returns, with its result, its error, and what the
//! arguments' kinds say can be read then. See [`crate::argument`] for the kinds. A call that returns
//! [`Nothing`](crate::argument::Nothing) has the first only; it is jumped to, so libc's function sees who
//! calls it. What depends on that, like dlopen(3), is such a call here.
//!
//! Symbols, values and hooks are for the agent, which makes its wrappers from the same lines. All symbols
//! after `as` have the call's own parameters; one after `or` has others, among which the call's arguments are
//! found by name. A call whose symbols are wrapped by hand has none here. Hooks are functions of the agent
//! that run before and after libc's function, whether the call's events are enabled or not. A symbol that
//! libc has in several versions with different behaviour is listed in `agent/preload.map`.
//!
//! A class `on request` has calls that a program makes all the time. They are recorded where someone asks
//! for them: by default they would push everything else out of the buffer.

mod files;
mod memory;
mod processes;
mod signals;
mod sockets;
mod streams;

/// Calls the macro `$with` with the table of libc calls: [`crate::Call`] and the agent's wrappers are made
/// from it.
#[macro_export]
macro_rules! calls {
    ($with:ident) => {
        $crate::file_calls! {
            $with [stream_calls socket_calls process_calls signal_calls memory_calls whole_table]
        }
    };
}

/// The end of the table.
#[doc(hidden)]
#[macro_export]
macro_rules! whole_table {
    ($with:ident [] $($table:tt)*) => {
        $with! { $($table)* }
    };
}
