//! The control tree as a mount: a small FUSE server, so that trace-cmd, libtracefs and shells use a session
//! as they use the kernel's tracefs.
//!
//! A [`Mount`] is a place in the file system, a [`Server`] answers what is asked there, in the thread that
//! runs it. A server keeps nothing of its own: any number of them, in any processes, can serve one session.
//! Whoever waits there can be killed, and killing a server leaves a mount that answers ENOTCONN.
//!
//! What this crate is not: it doesn't know what a control file means (`tracefs` does), and it recovers from
//! nothing: a server that is gone is started again.
//!
//! ```no_run
//! use session::Instance;
//! use std::path::Path;
//! use tracefs::Tree;
//! use tracefs_fuse::{Mount, MountOptions, Server};
//!
//! let tree = Tree::new(Instance::open(Path::new("/dev/shm/lookback-0/default")).unwrap());
//! let directory = Path::new("/mnt/tracing");
//! let server = Server::new(tree, Mount::new(directory, &MountOptions::default()).unwrap());
//! let serving = std::thread::spawn(|| server.run());
//! println!("{}", std::fs::read_to_string(directory.join("trace")).unwrap());
//! tracefs_fuse::unmount(directory).unwrap();
//! serving.join().unwrap().unwrap();
//! ```
#![forbid(unsafe_code)]

mod attributes;
mod channel;
mod error;
mod kept_texts;
mod mount;
mod mount_table;
mod nodes;
mod open_file;
mod pages;
mod readers;
mod request;
mod requester;
mod server;
mod splicing;

pub use error::Error;
pub use mount::{Mount, MountOptions, detach, unmount};
pub use server::Server;
