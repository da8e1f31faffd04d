//! Function filters: which functions of which programs are traced.
//!
//! A list of functions is what `set_ftrace_filter`, `set_ftrace_notrace`, `set_graph_function` and
//! `set_graph_notrace` take: names and patterns, added
//! one after the other, or removed again with a `!`. A command has such a list, too: what is done when one of
//! its functions is called. Lists are compiled to 64-bit words without pointers, which may lie in memory that
//! several processes share: [`CompiledLists::wants`] ends on *any* words, reads none outside of them, and
//! doesn't allocate. Async-signal-safe.
//!
//! ```
//! # #[cfg(feature = "compile")] {
//! use function_filter::{CompiledLists, FunctionList, compile};
//!
//! let mut traced = FunctionList::default();
//! traced.add(&"lookup*".parse().unwrap());
//! traced.add(&"commit:mod:libstore*".parse().unwrap());
//! traced.remove(&"lookup_slow".parse().unwrap());
//! let none = FunctionList::default();
//! let words = compile([&traced, &none, &none, &none], [].into_iter());
//!
//! let lists = CompiledLists::new(|index| words.get(index).copied());
//! let wants = |name: &str, object: &str| lists.wants(name.as_bytes().into(), object.as_bytes());
//! assert!(wants("lookup_fast", "shop") && !wants("lookup_slow", "shop"));
//! assert!(wants("commit", "libstore.so.2") && !wants("commit", "shop"));
//! assert_eq!(traced.to_string(), "lookup*\ncommit:mod:libstore*\n!lookup_slow\n");
//! # }
//! ```
//!
//! What this crate is not: it knows no program, and so not which functions there are; it doesn't trace.
//!
//! Source: `ftrace_match` and `ftrace_process_regex` in `kernel/trace/ftrace.c` of Linux 6.18, where a list
//! is of functions instead: the kernel's are all there when somebody writes a pattern.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "compile"))]
extern crate std;

#[cfg(any(test, feature = "compile"))]
mod compile;
mod compiled;
mod function_name;
#[cfg(any(test, feature = "compile"))]
mod list;
mod name_hash;
#[cfg(any(test, feature = "compile"))]
mod rule;

#[cfg(any(test, feature = "compile"))]
pub use compile::{CompiledCommand, compile};
pub use compiled::{CompiledLists, GraphRole, LISTS};
pub use function_name::FunctionName;
#[cfg(any(test, feature = "compile"))]
pub use list::FunctionList;
#[cfg(any(test, feature = "compile"))]
pub use rule::{BadRule, FunctionRule};
