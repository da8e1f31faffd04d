//! Instances: the buffers of a session, each with its own events, filters, triggers, options, tracer and
//! snapshots.

mod author;
mod budget;
mod calls_in_progress;
mod clock;
mod command_text;
mod description;
mod error_log;
mod error_rates;
mod errors;
mod events;
mod filters;
mod function_command;
mod function_commands;
mod function_lists;
mod functions;
mod graph_limits;
mod latency;
mod locks;
mod marker;
mod memory;
mod options_before;
mod pids;
mod preferences;
mod profile;
mod recording;
mod resize;
mod rules;
mod saving;
mod settings;
mod snapshot_number;
mod snapshots;
mod stack;
mod top_level;
mod trace_option;
mod tracepoints;
mod tracer;
mod triggers;

pub use author::Author;
pub use budget::{BUDGETS, LeftOutEvent};
pub use calls_in_progress::{CallInProgress, CallsInProgress};
pub use command_text::CommandText;
pub use events::{EventInfo, is_built_in};
pub use filters::{EnabledEvents, explain_filter, filter_for};
pub use function_command::FunctionCommand;
pub use function_lists::{FunctionFilter, FunctionLists};
pub use latency::LongestSection;
pub use marker::{MARKER_IP, MARKER_SYMBOL, MOST_RAW, Marker};
pub use preferences::Preferences;
pub use saving::Saving;
pub use settings::Settings;
pub use snapshot_number::SnapshotNumber;
pub use snapshots::Freed;
pub use stack::{LEAST_STACK_BYTES, MOST_STACK_BYTES};
pub use trace_option::TraceOption;
pub use tracer::{FUNCTION, FUNCTION_GRAPH, TRACERS, Tracer};
pub use triggers::TriggerInfo;

use crate::{Error, Lock, Session, Timeline};
use abi::control::CONTROL_SIZE;
use abi::instance::{FIRST_MADE, INSTANCES, InstanceState, RECORDING};
use control::{Clocks, ControlArea};
use ring_buffer::Buffer;
use std::path::{Path, PathBuf};

/// An instance of a session, with its buffer, that this process has mapped.
#[derive(Debug)]
pub struct Instance {
    session: Session,
    buffer: Buffer,
    index: usize,
    /// The state of its slot when it was opened.
    state: Option<InstanceState>,
}

impl Instance {
    /// Opens the default instance of the session at `path`, and checks that the session's file is of this
    /// version and in one piece.
    pub fn open(path: &Path) -> Result<Instance, Error> {
        Instance::open_at(path, RECORDING)
    }

    /// Opens the instance at an index, which has a buffer.
    pub(crate) fn open_at(path: &Path, index: usize) -> Result<Instance, Error> {
        let (session, buffer) = Session::open_with_buffer(path, index)?;
        let buffer = Buffer::new(buffer).map_err(|error| Error::unusable(session.file(), error))?;
        if buffer.geometry().identity != session.control().identity().number {
            return Err(Error::unusable(session.file(), "put together from two sessions"));
        }
        Ok(Instance::new(session, buffer, index))
    }

    /// The instance at an index, of a session that this process has mapped, with its buffer.
    pub(crate) fn new(session: Session, buffer: Buffer, index: usize) -> Instance {
        let state = session.control().instance_state(index);
        Instance { session, buffer, index, state }
    }

    /// Maps it once more.
    pub fn again(&self) -> Result<Instance, Error> {
        Instance::open_at(self.path(), self.index)
    }

    /// The session that it belongs to.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The directory of its session.
    pub fn path(&self) -> &Path {
        self.session.path()
    }

    /// The file of its session.
    pub fn file(&self) -> PathBuf {
        self.session.file()
    }

    /// The control area of its session.
    pub fn control(&self) -> &ControlArea {
        self.session.control()
    }

    /// Its index in the session: 0 for the default instance.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its name; None for the default instance, and for that of the control tree's top level.
    pub fn name(&self) -> Option<String> {
        if self.index < FIRST_MADE { None } else { self.session.name_of(self.index) }
    }

    /// Whether this is the instance of that name now.
    pub fn is_named(&self, name: &str) -> bool {
        self.is_there() && self.session.index_of(name).is_ok_and(|index| index == self.index)
    }

    /// Whether it still exists.
    pub fn is_there(&self) -> bool {
        self.state.is_some() && self.control().instance_state(self.index) == self.state
    }

    /// Its buffer alone, for one who only writes.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// The buffer of its instance.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// From the times in its buffer to those that are shown, by moments during its life.
    pub fn timeline(&self, moments: &[Clocks]) -> Timeline {
        Timeline::new(self.buffer.geometry().clock, self.trace_clock(), moments)
    }

    /// The CPUs that have buffers.
    pub fn cpus(&self) -> impl Iterator<Item = u32> {
        (0..self.buffer().geometry().cpus).filter(|cpu| self.buffer().capacity(*cpu) > 0)
    }

    /// An error where a CPU has no buffer.
    pub fn check_cpu(&self, cpu: u32) -> Result<(), Error> {
        if self.cpus().any(|known| known == cpu) {
            return Ok(());
        }
        Err(Error::NoCpu { path: self.path().to_path_buf(), cpu, cpus: self.cpus().collect() })
    }

    /// Bytes of addresses that a process takes which attaches to it: for the control area and the buffer of
    /// the default instance, as large as that was made.
    pub fn attached_bytes(&self) -> u64 {
        CONTROL_SIZE as u64 + self.buffer.geometry().growth
    }

    /// Switches all events off in all instances, for one who removes the session and has
    /// [`Session::lock_settings`]: what is attached has it still, and is to pay nothing more. Its code is as
    /// it was before once it has followed, see [`Session::await_functions`].
    pub fn retire(&self, lock: &Lock) -> Result<(), Error> {
        // Who had the lock has forgotten what was wanted in those that are gone.
        let is_there = |index: &usize| self.control().instance_state(*index).is_some();
        (0..INSTANCES).filter(is_there).try_for_each(|index| self.session.set_instance_off(index))?;
        self.control().switch_profile(false);
        self.buffer().set_recording(false);
        self.control().allow_functions(false);
        self.session.call_for_functions(lock);
        Ok(())
    }
}
