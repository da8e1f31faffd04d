//! What the tests share: a directory, running commands in it, reading recordings.

mod code;
mod run;
mod scratch;
mod system_call_text;
mod tools;
mod trace;

pub use code::{assert_code_is_of_files, is_code_changed};
pub use run::{Outcome, Running, run, start, times, within};
pub use scratch::{LOOKBACK, Scratch, assert_nothing_left, is_left};
pub use tools::{
    as_nobody, build_client_example, build_example, build_go, build_tokio_example, build_traced_example,
    build_traced_example_optimized, build_tracing_example, compile, compile_by, in_pid_namespace, install,
    install_c_library, is_missing, is_not_installed, is_without_tracefs, libraries, needs_root, with_mount,
};
pub use trace::{Event, Trace};
