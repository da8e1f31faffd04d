//! The control tree: every file of the kernel's tracefs, over a session.
//!
//! Names, texts, errno, what truncates and what appends, how much one write takes: as Linux 6.18 does it, so
//! that whatever knows the kernel's tree knows this one. A file whose feature doesn't exist is missing. What
//! each file means stands with its struct; `docs/control-tree.md` lists them, and where they differ from the
//! kernel's.
//!
//! A [`Tree`] finds and opens ([`Handle`]); a server that presents it to others asks [`Tree::find`] for modes
//! and names, and reads each [`Handle`] at offsets of its own. Nothing here waits: what would is
//! EAGAIN, and [`Handle::is_unblocked`] says when to come again.
//!
//! What this crate is not: it mounts nothing, and it doesn't know how events are recorded.
//!
//! ```
//! use rustix::fs::OFlags;
//! use rustix::io::Errno;
//! use session::{Author, Session, SessionOptions};
//! use tracefs::Tree;
//!
//! let directory = tempfile::tempdir().unwrap();
//! let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
//! let tree = Tree::new(Session::create(&directory.path().join("example"), &options).unwrap());
//!
//! let mut set_event = tree.open("set_event", OFlags::WRONLY | OFlags::TRUNC).unwrap();
//! let words = b"libc:openat sched";
//! assert_eq!(set_event.write(Author::current(), words), Ok(12), "one word, as in the kernel");
//! let mut enable = tree.open("events/libc/openat/enable", OFlags::RDWR).unwrap();
//! assert_eq!(enable.read(10).unwrap(), b"1\n");
//! assert_eq!(enable.write(Author::current(), b"2"), Err(Errno::INVAL));
//!
//! let mut marker = tree.open("trace_marker", OFlags::WRONLY).unwrap();
//! marker.write(Author::current(), b"here I am").unwrap();
//! let text = tree.open("trace", OFlags::RDONLY).unwrap().read_to_end().unwrap();
//! assert!(String::from_utf8(text).unwrap().ends_with(": tracing_mark_write: here I am\n"));
//! ```
#![forbid(unsafe_code)]

mod catalog;
mod control_file;
mod cpu;
mod errno;
mod event;
mod file_node;
mod follower;
#[cfg(test)]
mod graph_tests;
mod group;
mod handle;
mod instances;
mod ktrace;
mod listed;
mod node;
mod number;
mod options;
mod pause;
mod proc;
mod root;
mod sub_buffers;
mod text_file;
mod text_part;
mod token;
mod top;
mod trace_array;
mod trace_stat;
mod trace_text;
mod tree;

pub use errno::errno_of;
pub use file_node::FileNode;
pub use handle::Handle;
pub use node::{DirectoryNode, Node};
pub use tree::Tree;
