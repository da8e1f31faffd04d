//! The control area of a session's file: what is wanted, and who is attached.
//!
//! ```text
//! +------------+ 0
//! | Header     |  identity, clocks at creation, use of the heap
//! | enabled    |  a word per event: whether there is anything to do when it happens
//! | hashes     |  a word per mapped file: what it is found by
//! | states     |  a word per process, then one per thread: who has the entry
//! | events     |  an EventEntry per event: where its description is
//! | tasks      |  a Task per thread, but for the first of each process
//! | processes  |  a Process per program that was started, with its first thread
//! | maps       |  a MapChunk where a process has more objects than fit its entry
//! | objects    |  an Object per mapped file
//! | heap       |  descriptions and paths; only grows
//! | rules      |  twice: which events are to be on when programs bring them
//! | instances  |  an InstanceSlot for each: its name
//! | switches   |  Switches per event: which instances want it
//! | counters   |  how often triggers may still act
//! | governor   |  what recording may cost, and what it has
//! | pid lists  |  four PidLists per instance: which pages have their bits
//! | filters    |  programs and texts of event filters, and triggers
//! | filtering  |  a word per event: where its filter in the first instance is
//! | triggering |  the same: where its triggers are
//! | pid pages  |  bits of TIDs
//! | waiters    |  which threads wait for what
//! | uses       |  which processes have which tracepoints
//! +------------+ CONTROL_SIZE
//! | buffer     |  the first instance's
//! +------------+ CONTROL_SIZE + Header::buffer_size
//! | functions  |  of each instance, twice: the lists of functions that it traces
//! | probes     |  twice: what probes are where
//! | hits       |  how often each was hit
//! +------------+
//! | extension  |  filtering and triggering of the other instances, one after the other
//! +------------+
//! | buffers    |  of the other instances
//! +------------+
//! | profile    |  how often and how long functions ran, see [`crate::profile`]
//! +------------+
//! ```
//!
//! A process maps the start of this, up to where the first buffer has [`ControlHeader::mapped_size`] bytes,
//! and the rest when it is first wanted there.
//!
//! What a starting process has to look at lies close together, apart from what it fills: the kernel maps the
//! 16 pages around a read fault at once, every other page that it touches costs it a fault of its own, and
//! there are programs that run for less than a millisecond.
//!
//! Entries are claimed, filled and published by words that a killed process can leave in any state:
//! see [`State`]. Tables are bounded. An entry of a thread or process that is gone is used again once
//! no event refers to it any more.

mod call;
mod conversion;
mod entry;
mod errors;
mod event;
mod functions_off;
mod governor;
mod heap;
mod maps;
mod obstacle;
mod pids;
mod placeholder;
mod probe_hits;
mod process_status;
mod sections;
mod state;
mod table;
mod tracepoint_use;
mod trigger;
pub mod waiter;

use crate::atomic::{AtomicU32, AtomicU64};
use crate::clock::ClockWords;
use crate::instance::{INSTANCE_WORDS, INSTANCES, InstanceSlot};
pub use call::{CallWords, call_of_word, call_word};
pub use conversion::{CONVERSION_OFF, CallConversion};
pub use entry::{PROCESS_MAPS, ProcessEntry, TaskEntry};
pub use errors::ErrorSet;
pub use event::{
    BY_SWITCHES, CALLING, EventEntry, FILTERS, FIRST_ALONE, FIRST_EVENT, OFF, Switches, WATCHED, event_id,
    event_index, filter_lengths, filter_offset, filter_word, is_filter_word, is_of_kernel, is_of_tracer,
};
pub use functions_off::{FunctionsOff, FunctionsOffReason};
pub use governor::{
    BACK, CLAIMED, DROPPED, GOVERNED_CPUS, GOVERNED_EVENTS, GovernedCpu, GovernedEvent, GovernorWords,
    governed_parts, governed_word,
};
pub use heap::{heap_range, heap_word};
pub use maps::{BUILD_ID, CHUNK_MAPS, MapChunk, Object, map_base, map_object, map_word};
pub use obstacle::Obstacle;
pub use pids::{
    OTHER_PIDS, PID_LISTS, PID_PAGES, PID_PARTS, PidList, TIDS, TIDS_IN_PART, pid_page, with_pid_page,
};
pub use placeholder::{FIRST_PLACEHOLDER, PLACEHOLDERS};
pub use probe_hits::{PROBE_HITS, PROBE_HITS_SHARDS, ProbeHits};
pub use process_status::ProcessStatus;
pub use sections::{AS_GRAPH, LOCKS_HELD, MeasuredSections, SECTIONS_ID, SIGNALS_BLOCKED, WAKEUPS};
pub use state::State;
pub use table::Table;
pub use tracepoint_use::{TRACEPOINT_USES, TracepointUse};
pub use trigger::{COUNTERS, Counter, CounterRef, MOST_TRIGGERS, TRIGGERING, TriggerHead};

/// First word of the file: `lookctl` and a zero byte.
pub const MAGIC: u64 = u64::from_le_bytes(*b"lookctl\0");
/// Version of this layout. A file of another version is refused.
pub const VERSION: u32 = 32;

/// The most events a session can know.
pub const EVENTS: usize = 4096;
/// Entries for threads.
pub const TASKS: usize = 16384;
/// Entries for processes.
pub const PROCESSES: usize = 4096;
/// Chunks for processes with many objects.
pub const MAP_CHUNKS: usize = 1024;
/// Entries for mapped files.
pub const OBJECTS: usize = 1024;
/// Bytes for descriptions and paths.
pub const HEAP: usize = 1 << 19;
/// The most bytes of rules.
pub const RULES: usize = 4096;

/// Where the words that say what is on start: those of the agent's events are in the header's page.
pub const ENABLED_OFFSET: u64 = 512;
/// Where the hashes of mapped files start.
pub const HASHES_OFFSET: u64 = ENABLED_OFFSET + (EVENTS * 8) as u64;
/// Where the [`State`]s of processes start.
pub const PROCESS_STATES_OFFSET: u64 = HASHES_OFFSET + (OBJECTS * 8) as u64;
/// Where the [`State`]s of threads start.
pub const TASK_STATES_OFFSET: u64 = PROCESS_STATES_OFFSET + (PROCESSES * 4) as u64;
/// Where the table of events starts.
pub const EVENTS_OFFSET: u64 = TASK_STATES_OFFSET + (TASKS * 4) as u64;
/// Where the table of threads starts.
pub const TASKS_OFFSET: u64 = EVENTS_OFFSET + (EVENTS * size_of::<EventEntry>()) as u64;
/// Where the table of processes starts.
pub const PROCESSES_OFFSET: u64 = TASKS_OFFSET + (TASKS * size_of::<TaskEntry>()) as u64;
/// Where the chunks start.
pub const MAPS_OFFSET: u64 = PROCESSES_OFFSET + (PROCESSES * size_of::<ProcessEntry>()) as u64;
/// Where the table of mapped files starts.
pub const OBJECTS_OFFSET: u64 = MAPS_OFFSET + (MAP_CHUNKS * size_of::<MapChunk>()) as u64;
/// Where the heap starts.
pub const HEAP_OFFSET: u64 = OBJECTS_OFFSET + (OBJECTS * size_of::<Object>()) as u64;
/// Where the rules start: two areas, of which one is valid, see [`ControlHeader::rules`].
pub const RULES_OFFSET: u64 = HEAP_OFFSET + HEAP as u64;
/// Where the table of instances starts.
pub const INSTANCES_OFFSET: u64 = RULES_OFFSET + 2 * RULES as u64;
/// Where the table of switches starts.
pub const SWITCHES_OFFSET: u64 =
    (INSTANCES_OFFSET + (INSTANCES * size_of::<InstanceSlot>()) as u64).next_multiple_of(64);
/// Where the [`Counter`]s of triggers start.
pub const COUNTERS_OFFSET: u64 = SWITCHES_OFFSET + (EVENTS * size_of::<Switches>()) as u64;
/// Where the [`GovernorWords`] are.
pub const GOVERNOR_OFFSET: u64 = (COUNTERS_OFFSET + (COUNTERS * 8) as u64).next_multiple_of(64);
/// Where the [`PidList`]s start.
pub const PID_LISTS_OFFSET: u64 = GOVERNOR_OFFSET + size_of::<GovernorWords>() as u64;
/// Where the filters start: places, as [`filter_word`] says.
pub const FILTERS_OFFSET: u64 = PID_LISTS_OFFSET + (INSTANCES * PID_LISTS * size_of::<PidList>()) as u64;
/// Where the [`filter_word`]s of events in the first instance start.
pub const FILTERING_OFFSET: u64 = (FILTERS_OFFSET + FILTERS as u64).next_multiple_of(4096);
/// Bytes of one instance's.
pub const FILTERING: usize = EVENTS * 8;
/// Where the words start that say where an event's triggers in the first instance are. From here on each page
/// takes memory when it is first needed.
pub const TRIGGERING_OFFSET: u64 = FILTERING_OFFSET + FILTERING as u64;
/// Where the pages with bits of TIDs start.
pub const PID_PAGES_OFFSET: u64 = TRIGGERING_OFFSET + TRIGGERING as u64;
/// Where the words start that say which processes have which tracepoints.
pub const TRACEPOINT_USES_OFFSET: u64 = (waiter::OFFSET + waiter::SIZE as u64).next_multiple_of(4096);
/// Bytes of all that: what every process maps of it.
pub const CONTROL_SIZE: usize = TRACEPOINT_USES_OFFSET as usize + TRACEPOINT_USES * 8;

/// Bytes of the extension: filtering and triggering of the instances after the first. Each page takes
/// memory when it is first needed.
pub const EXTENSION_SIZE: usize = (INSTANCES - 1) * (FILTERING + TRIGGERING);

/// The most bytes of an instance's lists of functions.
pub const FUNCTION_LISTS: usize = 1 << 20;
/// Bytes that an instance has for them: two areas, of which one is valid, see
/// [`InstanceSlot::functions`]. Each page takes memory when it is first needed.
pub const FUNCTIONS_SIZE: usize = 2 * FUNCTION_LISTS;

/// The most bytes of what probes are compiled to.
pub const PROBE_WORDS: usize = 1 << 18;
/// Bytes for them: two areas, of which one is valid, see [`ControlHeader::probes`]; and what is counted. Each
/// page takes memory when it is first needed.
pub const PROBES_SIZE: usize = 2 * PROBE_WORDS + PROBE_COUNTS_SIZE;
/// Bytes of what is counted of probes, in whole pages: hits, and then a word each for the processes that have
/// no place for it.
pub const PROBE_COUNTS_SIZE: usize = (PROBE_HITS
    * (size_of::<ProbeHits>() * PROBE_HITS_SHARDS + size_of::<AtomicU64>()))
.next_multiple_of(4096);

/// The file in a session's directory: a control area, and the [buffer](crate::buffer) of each instance, all
/// of one size. One file, because every process that starts has to open and map it; what no instance uses
/// takes offsets in the file and no memory.
pub const SESSION_FILE: &str = "session";

/// Bytes of the longest path of a session's file, with the zero after it, that programs can attach to.
pub const LONGEST_PATH: usize = 1024;

/// The start of the file. The first group is fixed before the file gets its name.
#[derive(Debug)]
#[repr(C)]
pub struct ControlHeader {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// The CPUs that there can be: the profile has a table for each.
    pub cpus: AtomicU32,
    /// [`CONTROL_SIZE`].
    pub control_size: AtomicU64,
    /// A number that no other session has. Buffers of the session have it, too.
    pub identity: AtomicU64,
    /// What the events of the agent are: an agent with others stays out.
    pub agent: AtomicU64,
    /// The process that made the session.
    pub creator: AtomicU64,
    /// The inode of the pid namespace that it counts in.
    pub pid_namespace: AtomicU64,
    /// The clocks when the session was made.
    pub created: ClockWords,
    /// Nanoseconds in a tick of the time stamp counter, times 2^32, by which durations are counted; 0 where
    /// that is done by `CLOCK_MONOTONIC`.
    pub tick_rate: AtomicU64,
    /// The clock of times of the recording that are shown, see [`crate::clock::TraceClock`].
    pub trace_clock: AtomicU32,
    /// How many buffers the file has: 1 to [`INSTANCES`].
    pub buffers: AtomicU32,
    /// Bytes of each, as large as it can become.
    pub buffer_size: AtomicU64,
    /// Bytes of each that are in use as long as it has not grown.
    pub mapped_size: AtomicU64,
    /// KB that each CPU of a new instance has.
    pub buffer_kb: AtomicU64,
    /// The instances whose [flags](InstanceSlot::flags) have to be looked at: a bit for each, which is there
    /// before the flags and goes after them.
    pub flagged: [AtomicU64; INSTANCE_WORDS],
    /// Bytes of the heap in use.
    pub heap_used: AtomicU64,
    /// Who reads the tables has seen everything that ended before this time. `u64::MAX` when nobody does.
    pub collected: AtomicU64,
    /// What found no space in a [`Table`], or had to make some while it was needed.
    pub refused: [AtomicU64; 5],
    /// Version << 32 | bytes of the rules; they are in the area that is the version's lowest bit. Published
    /// by one store, after the other area was filled.
    pub rules: AtomicU64,
    /// The time of the oldest event in a snapshot, whose entries are used again last. Else `u64::MAX`.
    pub kept_since: AtomicU64,
    /// When the last snapshot was taken: entries that started later are not of it. `u64::MAX` meanwhile.
    pub kept_until: AtomicU64,
    /// Goes up when events were enabled or disabled. Who waits for that waits on this word (futex).
    pub switched: AtomicU32,
    /// How many filters were stored.
    pub filters: AtomicU32,
    /// A bit for each instance whose PID filters of events follow forks and exits; then for each whose PID
    /// filters of functions do.
    pub following: [[AtomicU64; INSTANCE_WORDS]; 2],
    /// How many [placeholders](FIRST_PLACEHOLDER) were given out.
    pub placeholders: AtomicU64,
    /// Goes up when other functions are to be traced than before. Who has brought a process's code up to date
    /// says so in [`ProcessEntry::functions`].
    pub functions: AtomicU32,
    /// 1 while processes are called to look at it: then every event's word is other than [`OFF`].
    pub calling: AtomicU32,
    /// Whether calls of `mcount` become nops, see [`CONVERSION_OFF`], and how often it was asked for.
    pub conversion: AtomicU32,
    /// 1 where no function is to be traced, whatever instances say: the kernel's sysctl `ftrace_enabled`, the
    /// other way round.
    pub functions_forbidden: AtomicU32,
    /// Goes up when the profile of functions is enabled or disabled: odd while it is enabled.
    pub profile: AtomicU32,
    /// The errors that take snapshots: an [`ErrorSet`].
    pub errors: AtomicU32,
    /// When the last error took one, by the clock that durations are counted by; 0 before the first.
    pub error_time: AtomicU64,
    /// Errors that took none, as another had taken one just before.
    pub errors_within: AtomicU64,
    /// What has become of calls of `mcount`, by [`CallConversion`].
    pub conversions: [AtomicU64; 3],
    /// So many entries from its place on have to be looked at to find a process's, if it is more than 64.
    pub processes_reach: AtomicU32,
    /// Goes up when system calls are wanted, or no longer: odd while they are.
    pub system_calls: AtomicU32,
    /// Which sections of programs are measured: a [`MeasuredSections`].
    pub sections: AtomicU64,
    /// Version << 32 | words of probes; they are in the area that is the version's lowest bit.
    pub probes: AtomicU64,
    /// What programs have brought and the session has refused: texts in the heap that say so.
    pub refusals: [AtomicU64; 4],
    /// 1 while tracepoints with formats are stopped, whatever instances say: `ktrace/enabled`, the other way
    /// round.
    pub tracepoints_stopped: AtomicU32,
    /// So many of the [`TracepointUse`]s were in use at the same time, at most.
    pub tracepoint_uses: AtomicU32,
}

const _: () = {
    assert!(size_of::<ControlHeader>() <= ENABLED_OFFSET as usize);
    assert!(size_of::<TaskEntry>() == 64);
    assert!(size_of::<ProcessEntry>() == 256);
    assert!(size_of::<MapChunk>() == 256);
    assert!(size_of::<Object>() == 64 && OBJECTS < 0xffff);
    // What a starting process looks at is within what the kernel maps by one read fault.
    assert!(TASK_STATES_OFFSET <= 64 * 1024);
    assert!(TASKS_OFFSET.is_multiple_of(64) && HEAP_OFFSET.is_multiple_of(64));
    assert!(FILTERING.is_multiple_of(4096) && TRIGGERING.is_multiple_of(4096));
    assert!(CONTROL_SIZE.is_multiple_of(4096));
};
