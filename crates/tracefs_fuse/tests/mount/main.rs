//! The tree over a real mount, by the system calls that clients make.
//!
//! Mounting needs root, or `fusermount3`.
//!
//! What goes wrong with tracefs over a plain FUSE server has a test each, whose name starts with the number
//! here (`cargo test -p lookback-tracefs-fuse --test mount row_09`):
//!
//! | row | what goes wrong elsewhere |
//! |---|---|
//! | 1 | splice(2) of `trace_pipe_raw`, the way of recorders, gives nothing and asks nobody |
//! | 2 | splice(2) and sendfile(2) of `trace_pipe` hang |
//! | 3 | sendfile(2) of short texts gives nothing |
//! | 4 | poll(2) and select(2) say that pipes are always ready |
//! | 5 | `O_TRUNC` comes as truncate(2), which means something else |
//! | 6 | `O_NONBLOCK` counts as it was when the file was opened |
//! | 7 | ioctl(2) with 0 wakes nobody |
//! | 8 | mapping succeeds, and ends the client by SIGBUS |
//! | 9 | pipes have positions |
//! | 10 | extended attributes are asked for before each write |
//! | 11 | what was removed is still there for a while |
//! | 12 | markers are of the server's thread and CPU |
//! | 13 | markers are taken while nothing is recorded |
//! | 14 | a text is longer when it is read again |
//! | 15 | `trace` never ends while events come |
//! | 16 | directories can't be removed as long as there is something in them |
//! | 17 | `O_CREAT` makes files |
//! | 18 | a walk over all events asks for every file |
//! | 19 | who streams is not woken before the buffer is half full |
//! | 20 | files that are watched can't be removed, or unmounted |
//! | 21 | the longest write has no space in the server's buffer |

mod attributes;
mod control;
mod crowd;
mod kernel;
mod mounted;
mod pages;
mod perfetto;
mod pipes;
mod settling;
mod splice;
mod stream;
