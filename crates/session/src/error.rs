//! What can go wrong, in words that say what to do.

mod advice;
mod constructors;

use crate::names::FLIGHT;
use abi::control::{FILTERS, MOST_TRIGGERS, OTHER_PIDS, PID_PAGES, TIDS_IN_PART};
use advice::{clocks, instances, list, suggestions, way_out};
use event_trigger::BadTrigger;
use std::path::PathBuf;

/// Why something could not be done with a session.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("no session at {path}: {}", way_out(.path))]
    NoSession {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Somebody else takes events out of the session.
    #[error("{path} is being recorded by another lookback: wait for it, or name another session")]
    Busy {
        /// The session.
        path: PathBuf,
    },
    /// The session was made without space for snapshots.
    #[error(
        "{path} has no snapshots: `lookback delete` it, and make one with `lookback start --snapshots N`"
    )]
    NoSnapshots {
        /// The session.
        path: PathBuf,
    },
    /// More snapshots than a session can keep.
    #[error("{snapshots} snapshots can't be kept: expected 0 to {most}")]
    TooManySnapshots {
        /// How many were wanted.
        snapshots: u32,
        /// The most.
        most: u32,
    },
    /// Recording was disabled by something else than who wants to enable it.
    #[error(
        "recording in {path} was not disabled by tracing_enabled: a reader with pause-on-trace has done so, or its buffer is damaged"
    )]
    NotEnabled {
        /// The session.
        path: PathBuf,
    },
    /// An option that can't be disabled.
    #[error("{option} can't be disabled: a program doesn't know how long its threads have slept")]
    AlwaysOn {
        /// Its name.
        option: &'static str,
    },
    /// Two options that can't be on at a time.
    #[error("{one} and {other} can't be on at a time: disable one of them")]
    OptionsExclude {
        /// The name of one.
        one: &'static str,
        /// The name of the other.
        other: &'static str,
    },
    /// A rule about errors of a call that doesn't exist, or that doesn't say when it has failed.
    #[error(transparent)]
    BadErrorRule(crate::BadErrorRule),
    /// There is no such CPU, or it has no buffer.
    #[error("there is no CPU {cpu} in {path}: expected {}", list(.cpus))]
    NoCpu {
        /// The session.
        path: PathBuf,
        /// What was asked for.
        cpu: u32,
        /// Those that there are.
        cpus: Vec<u32>,
    },
    /// Another instance has a latency tracer.
    #[error("another instance of the session at {path} has a latency tracer: there can be one at a time")]
    LatencyMeasured {
        /// The session.
        path: PathBuf,
    },
    /// As many snapshots of errors are kept as there can be.
    #[error(
        "{path} keeps as many snapshots as it can, of errors: `lookback snapshot --reset` drops them, and \
         `lookback start --snapshots N` makes a session that keeps more"
    )]
    NoSpare {
        /// The session.
        path: PathBuf,
    },
    /// No snapshot could be taken, or read.
    #[error("{path}: {reason}")]
    Snapshot {
        /// The session.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// There is no memory for a snapshot, or for larger buffers.
    #[error("{path}: {reason}: free some, or drop all snapshots by `lookback snapshot -f`")]
    NoMemory {
        /// The session.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The buffers were not resized.
    #[error("{path}: {reason}")]
    NotResized {
        /// The session.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// More patterns than a session can remember.
    #[error("{path} can't keep more patterns: `lookback reset` removes them")]
    TooManyRules {
        /// The session.
        path: PathBuf,
    },
    /// A group that files can't be given to.
    #[error("you are not a member of the group {group}: join it, or start the session as root")]
    NotAMember {
        /// Its number.
        group: u32,
    },
    /// A directory that should be a group's is not.
    #[error(
        "{path} is not a directory of the group {group} with mode 2770: remove it, or choose another directory by --session PATH"
    )]
    ForeignGroup {
        /// The directory.
        path: PathBuf,
        /// The number of the group.
        group: u32,
    },
    /// A session of somebody else's, in which no program of the user's may be run.
    #[error(
        "{path} belongs to the user {owner}, who could end programs that are recorded in it: start a session of your own, or by `lookback start --group` one for both"
    )]
    ForeignSession {
        /// The session.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Something of that name is there already.
    #[error("{path} exists already: choose another name, or remove it")]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The directory that a session is to be made in doesn't exist.
    #[error("{0}: its directory doesn't exist: make it, or name another session by --session")]
    NoDirectory(PathBuf),
    /// There is no such instance.
    #[error("{path} has no instance {name:?}{}", instances(.there))]
    NoInstance {
        /// The session.
        path: PathBuf,
        /// The name.
        name: String,
        /// Those that there are.
        there: Vec<String>,
    },
    /// The recording can't be removed.
    #[error("{FLIGHT} is the default instance of {path}, and stays with it: `lookback delete` removes both")]
    Protected {
        /// The session.
        path: PathBuf,
    },
    /// There is such an instance.
    #[error("{path} has an instance {name:?} already: choose another name, or remove it")]
    InstanceExists {
        /// The session.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// An instance more than a session can have.
    #[error("{path} has {most} instances at most: remove one, or use a session of `lookback start`")]
    TooManyInstances {
        /// The session.
        path: PathBuf,
        /// How many there can be.
        most: usize,
    },
    /// A name that no directory can have.
    #[error("{name:?} can't be an instance's name: expected 1 to 255 bytes without '/', and not '.' or '..'")]
    BadInstanceName {
        /// The name.
        name: String,
    },
    /// A name that can't be a file's.
    #[error(
        "{name:?} can't be a session's name: expected letters, digits, '-', '_' and '.', or a path with '/'"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// A path that traced programs have no space for.
    #[error("{0} is too long: expected a path of a session of at most {1} bytes")]
    LongPath(PathBuf, usize),
    /// A directory that should be the user's own is not.
    #[error(
        "{path} is not your own directory with mode 0700: remove it, or choose another directory by --session PATH"
    )]
    ForeignDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// Neither /dev/shm nor XDG_RUNTIME_DIR can be used.
    #[error(
        "no file system in memory for sessions: neither /dev/shm nor $XDG_RUNTIME_DIR can be written to; choose another directory by --session PATH"
    )]
    NoMemoryFileSystem,
    /// There is no directory that programs can load the agent from.
    #[error(
        "no place for the agent: neither the cache directory, $TMPDIR nor /dev/shm is a directory of your own, without blank, ':' and '$' in its path, from which programs may be executed; set XDG_CACHE_HOME to one"
    )]
    NoPlaceForObjects,
    /// The buffers don't fit.
    #[error(
        "{path} has {available_kb} KB free, but {wanted_kb} KB are needed: choose smaller buffers by -b KB, or another directory by --session PATH"
    )]
    NoSpace {
        /// Where.
        path: PathBuf,
        /// What is needed.
        wanted_kb: u64,
        /// What is there.
        available_kb: u64,
    },
    /// Buffers of no size, or of an absurd one.
    #[error("{kb} KB can't be a buffer's size: expected {least} to {most} KB for each CPU")]
    BadSize {
        /// The size.
        kb: u64,
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A file of the session can't be used: of another version, or damaged.
    #[error("{path}: {reason}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No event fits a selection.
    #[error("no event is called {selection}{}", suggestions(.similar))]
    NoSuchEvent {
        /// The selection.
        selection: String,
        /// Events with names like it.
        similar: Vec<String>,
    },
    /// A filter that none of the selected events can take.
    #[error("{explained}")]
    BadFilter {
        /// The kernel's words: the text, where it is wrong, and why; and what is expected.
        explained: String,
        /// What is wrong, where it is the text that is.
        error: Option<event_filter::Error>,
    },
    /// A filter or trigger for events that nobody knows yet.
    #[error(
        "no program has added events called {selection} yet, and filters and triggers need them: enable them without one, or run the program in this session before"
    )]
    NoEventToFilter {
        /// The selection.
        selection: String,
    },
    /// More filters than a session has space for.
    #[error(
        "{path} has no space for these filters: make them shorter, or remove others by `lookback set EVENT on`"
    )]
    TooManyFilters {
        /// The session.
        path: PathBuf,
    },
    /// A text that is no trigger.
    #[error("{text:?} is no trigger: {reason}")]
    BadTrigger {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: BadTrigger,
    },
    /// An event has a trigger of this kind already.
    #[error("there is a trigger like {text:?} already: remove it by '!' before its name")]
    TriggerExists {
        /// The text of the new one.
        text: String,
    },
    /// No function has a command of this kind.
    #[error("no function has a command like {text:?}")]
    NoSuchCommand {
        /// The text.
        text: String,
    },
    /// More triggers than an event, or a session, has space for.
    #[error(
        "{path} has no space for this trigger: an event has {MOST_TRIGGERS} at most, and all filters and triggers together take {} KB",
        FILTERS / 1024
    )]
    TooManyTriggers {
        /// The session.
        path: PathBuf,
    },
    /// More than PID filters have space for.
    #[error(
        "no space for these threads: a session's PID filters cover {PID_PAGES} ranges of {TIDS_IN_PART} ids, and each keeps {OTHER_PIDS} ids that no thread can have"
    )]
    TooManyPids,
    /// There is no such clock.
    #[error("no clock is called {name:?}: expected one of {}", clocks())]
    NoSuchClock {
        /// What was asked for.
        name: String,
    },
    /// What is wrong with a probe.
    #[error(transparent)]
    Probe(crate::ProbeFailure),
    /// Times are written in a way that can't be shown in a clock.
    #[error("{path} has no times of {name}: make a session with `lookback start -C {name}`")]
    OtherClock {
        /// The session.
        path: PathBuf,
        /// The clock.
        name: &'static str,
    },
    /// Somebody has made the session's file shorter.
    #[error("{0}: the session's file was truncated: `lookback delete` it, and make another")]
    Truncated(PathBuf),
    /// The system refuses something.
    #[error("{path}: {error}")]
    System {
        /// With what.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}
