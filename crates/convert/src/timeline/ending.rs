//! How slices end.

use super::SliceTimeline;
use super::role::TimelineEvent;
use super::thread_slices::{OpenSlice, SliceKey, ThreadSlices};
use crate::arguments::SliceArguments;
use crate::drawing::{Drawing, SliceEnd, SliceEnding, SliceStart};
use export::Error;
use query::are_ends_of_one_call;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

impl<D: Drawing> SliceTimeline<D> {
    /// A record ends the slice that has this key, and took so long if it says so.
    pub(super) fn end(
        &mut self,
        record: &Record<'_>,
        key: SliceKey,
        event: &TimelineEvent,
        length: Option<u64>,
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let (tid, time) = (record.pid(), record.time);
        let found = self.thread(tid).find(key).map(|(inner, slice)| (inner, slice.start));
        let is_its_own = |start: u64| are_ends_of_one_call((start, time), length, &self.gaps);
        match found {
            Some((inner, start)) if is_its_own(start) => {
                self.close_innermost(inner, tid, time, SliceEnding::Left, trace)?;
                // Where recording the entry took long, the call began before that was stamped: more than up
                // to the exit's record would overlap with what follows.
                let end = length.map_or(time, |length| start.saturating_add(length).min(time));
                let arguments =
                    is_chosen.then_some(SliceArguments { shape: &event.shape, payload: record.payload });
                self.link();
                return self.close(tid, end, arguments, SliceEnding::Returned, trace);
            }
            // What goes on now has begun in the gap.
            Some((inner, _)) => {
                let end = length.map_or(time, |length| time.saturating_sub(length));
                self.close_innermost(inner + 1, tid, end, SliceEnding::Unfinished, trace)?;
            }
            None => {}
        }
        match length {
            Some(length) if is_chosen => {
                let start = time.saturating_sub(length);
                let track = self.thread(tid).track;
                let slice = SliceStart { track, time: start, name: &event.name, arguments: None };
                self.open(key, &slice, true, trace)?;
                let arguments = Some(SliceArguments { shape: &event.shape, payload: record.payload });
                self.close(tid, start.saturating_add(length), arguments, SliceEnding::Returned, trace)
            }
            _ if found.is_none() => self.instant(record, event, is_chosen, trace),
            _ => Ok(()),
        }
    }

    /// A call of which the trace has no end has ended before its thread makes the same one again.
    pub(super) fn leave(
        &mut self,
        record: &Record<'_>,
        key: SliceKey,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let tid = record.pid();
        let count = self.thread(tid).find(key).map_or(0, |(inner, _)| inner + 1);
        self.close_innermost(count, tid, record.time, SliceEnding::Left, trace)
    }

    /// So many of the innermost slices of a thread end.
    fn close_innermost(
        &mut self,
        count: usize,
        tid: i32,
        end: u64,
        ending: SliceEnding,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        (0..count).try_for_each(|_| self.close(tid, end, None, ending, trace))
    }

    /// The innermost slice of a thread ends.
    pub(super) fn close(
        &mut self,
        tid: i32,
        end: u64,
        arguments: Option<SliceArguments<'_>>,
        ending: SliceEnding,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let thread = self.thread(tid);
        let Some(slice) = thread.pop() else { return Ok(()) };
        let OpenSlice { name, start, inner, is_drawn, is_endless, stack, .. } = slice;
        // It is known when it began, and that it has ended since then.
        let is_unknown = is_endless && ending == SliceEnding::Left;
        let (end, ending) = if is_unknown { (start, SliceEnding::Unfinished) } else { (end, ending) };
        let length = end.saturating_sub(start);
        if !is_drawn {
            thread.add_inner(inner);
            // Its end alone is chosen, and its start is known all the same.
            if arguments.is_none() {
                return Ok(());
            }
        }
        thread.add_inner(if is_drawn { length } else { length.saturating_sub(inner) });
        let (track, own) = (thread.track, length.saturating_sub(inner));
        let Some(thread) = self.threads.known(tid) else { return Ok(()) };
        if !is_drawn {
            let begin = SliceStart { track, time: start, name: &name, arguments: None };
            self.drawing.begin(&begin, trace)?;
        }
        let (within, stack) = (thread.names(), stack.as_deref());
        let time = start + length;
        let end = SliceEnd { track, start, time, own, name: &name, within, stack, arguments, ending };
        self.drawing.end(&end, trace)
    }

    pub(super) fn leave_all(
        &mut self,
        tid: i32,
        time: u64,
        ending: SliceEnding,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let depth = self.threads.known(tid).map_or(0, ThreadSlices::depth);
        self.close_innermost(depth, tid, time, ending, trace)
    }
}
