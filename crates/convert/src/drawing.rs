//! What a timeline hands on to whatever draws it.

use crate::arguments::SliceArguments;
use export::Error;
use query::{ProcessTree, RecordLink};
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;

/// Draws a timeline. The slices of a thread nest: what begins last ends first.
pub trait Drawing {
    /// A slice begins.
    ///
    /// # Errors
    ///
    /// When the output can't be written, here and below.
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (slice, trace);
        Ok(())
    }

    /// The slice of a thread that has begun last ends.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error>;

    /// Something happens.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (instant, trace);
        Ok(())
    }

    /// A thread begins to run or stops.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn state(&mut self, change: &RunChange<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (change, trace);
        Ok(())
    }

    /// A CPU goes on with another thread, as the kernel says. What that is to both threads is handed on as
    /// well.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn switch(&mut self, switch: &CpuSwitch<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (switch, trace);
        Ok(())
    }

    /// A thread wakes another one, which can run from then on.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn wake(&mut self, wakeup: &Wakeup<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (wakeup, trace);
        Ok(())
    }

    /// Whether links and counters are drawn: finding them takes time.
    fn has_links(&self) -> bool {
        false
    }

    /// What is drawn next, of a thread, is at these links.
    fn link(&mut self, links: &[RecordLink]) {
        let _ = links;
    }

    /// A number changes.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn counter(&mut self, change: &CounterChange, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (change, trace);
        Ok(())
    }

    /// Events of a CPU were lost before this time.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn lost(&mut self, cpu: u32, time: u64, count: Missed, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (cpu, time, count, trace);
        Ok(())
    }

    /// The timeline ends. These are the processes that it has seen start and end.
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::begin`].
    fn finish(&mut self, processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (processes, trace);
        Ok(())
    }
}

/// Both are drawn.
impl<A: Drawing, B: Drawing> Drawing for (A, B) {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.begin(slice, trace)?;
        self.1.begin(slice, trace)
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.end(slice, trace)?;
        self.1.end(slice, trace)
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.instant(instant, trace)?;
        self.1.instant(instant, trace)
    }

    fn state(&mut self, change: &RunChange<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.state(change, trace)?;
        self.1.state(change, trace)
    }

    fn switch(&mut self, switch: &CpuSwitch<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.switch(switch, trace)?;
        self.1.switch(switch, trace)
    }

    fn wake(&mut self, wakeup: &Wakeup<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.wake(wakeup, trace)?;
        self.1.wake(wakeup, trace)
    }

    fn has_links(&self) -> bool {
        self.0.has_links() || self.1.has_links()
    }

    fn link(&mut self, links: &[RecordLink]) {
        self.0.link(links);
        self.1.link(links);
    }

    fn counter(&mut self, change: &CounterChange, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.counter(change, trace)?;
        self.1.counter(change, trace)
    }

    fn lost(&mut self, cpu: u32, time: u64, count: Missed, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.lost(cpu, time, count, trace)?;
        self.1.lost(cpu, time, count, trace)
    }

    fn finish(&mut self, processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.finish(processes, trace)?;
        self.1.finish(processes, trace)
    }
}

/// What slices and instants are called.
#[derive(Debug, PartialEq, Eq)]
pub struct SliceName {
    /// Counted from 0, in the order of their first use.
    pub place: usize,
    /// The call, the function or the event.
    pub name: Rc<str>,
    /// Its system, `libc`.
    pub category: Rc<str>,
}

/// A thread, as long as it lives: another one that gets its TID later is another track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Track {
    /// Counted from 1.
    pub number: u64,
    /// Its TID.
    pub tid: i32,
}

/// A slice begins.
#[derive(Debug)]
pub struct SliceStart<'a> {
    /// The thread.
    pub track: Track,
    /// When, in nanoseconds of the trace's clock.
    pub time: u64,
    /// What it is.
    pub name: &'a Rc<SliceName>,
    /// What the event at its start says; nothing where that is not recorded.
    pub arguments: Option<SliceArguments<'a>>,
}

/// A slice ends.
#[derive(Debug)]
pub struct SliceEnd<'a> {
    /// The thread.
    pub track: Track,
    /// When it has begun.
    pub start: u64,
    /// When it ends.
    pub time: u64,
    /// How much of it was in no slice within it, in nanoseconds.
    pub own: u64,
    /// What it is.
    pub name: &'a Rc<SliceName>,
    /// The slices that it is in, outermost first.
    pub within: &'a [Rc<SliceName>],
    /// The stack that was recorded where it began, innermost first.
    pub stack: Option<&'a [u64]>,
    /// What the event at its end says; nothing where there was none.
    pub arguments: Option<SliceArguments<'a>>,
    /// How it ends.
    pub ending: SliceEnding,
}

/// How a slice ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceEnding {
    /// The call has returned.
    Returned,
    /// The thread has left it by other ways than its end: by a jump, or as it ended itself.
    Left,
    /// The trace doesn't have its end: it was lost, or it goes on.
    Unfinished,
}

impl SliceEnding {
    /// What it is called in pictures; nothing of what is as usual.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            SliceEnding::Returned => None,
            SliceEnding::Left => Some("did not return"),
            SliceEnding::Unfinished => Some("unfinished"),
        }
    }
}

/// Something happens.
#[derive(Debug)]
pub struct Instant<'a> {
    /// The thread.
    pub track: Track,
    /// When.
    pub time: u64,
    /// What.
    pub name: &'a Rc<SliceName>,
    /// The slices that the thread is in, outermost first.
    pub within: &'a [Rc<SliceName>],
    /// What the event says.
    pub arguments: Option<SliceArguments<'a>>,
}

/// A thread begins to run or stops.
#[derive(Debug)]
pub struct RunChange<'a> {
    /// The thread.
    pub tid: i32,
    /// Where.
    pub cpu: u32,
    /// When.
    pub time: u64,
    /// What it does from then on.
    pub state: RunState,
    /// Whether it is one side of a [`CpuSwitch`].
    pub is_of_switch: bool,
    /// The slices that the thread is in, outermost first.
    pub within: &'a [Rc<SliceName>],
}

/// A CPU goes on with another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuSwitch<'a> {
    /// The CPU.
    pub cpu: u32,
    /// When.
    pub time: u64,
    /// The thread that it has run.
    pub previous: i32,
    /// The state of that, by the kernel's numbers.
    pub previous_state: i64,
    /// The thread that it runs from then on, which may be the idle one: 0.
    pub next: i32,
    /// The priority of that.
    pub next_priority: i32,
    /// Its name.
    pub next_comm: &'a str,
}

/// A thread wakes another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wakeup<'a> {
    /// The one that is woken.
    pub woken: i32,
    /// Its priority.
    pub priority: i32,
    /// Its name.
    pub comm: &'a str,
    /// The CPU that it is to run on.
    pub target_cpu: i32,
    /// Where the one that wakes runs.
    pub cpu: u32,
    /// When.
    pub time: u64,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It runs.
    Running,
    /// It could run, and others do.
    Runnable,
    /// It waits, and signals end that.
    Sleeping,
    /// It waits, and nothing else ends that: for a disk.
    Blocked,
}

/// A number changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterChange {
    /// What is counted.
    pub kind: CounterKind,
    /// Of which process; 0 of all.
    pub process: i32,
    /// When.
    pub time: u64,
    /// How many there are from then on.
    pub value: u64,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CounterKind {
    /// Open descriptors that were opened, or inherited, in the trace.
    OpenDescriptors,
    /// Bytes that were allocated in the trace and not freed.
    Heap,
    /// Bytes in pipes and socket pairs.
    BytesInFlight,
}
