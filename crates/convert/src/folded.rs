//! Folded stacks: a line for each stack, with how much was spent there; and nothing within it counts.

use crate::drawing::{Drawing, Instant, RunChange, RunState, SliceEnd, SliceName};
use crate::function_labels::FunctionLabels;
use crate::moved_bytes::moved_bytes;
use export::Error;
use foldhash::HashMap;
use query::ProcessTree;
use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::text::printable;

/// What is summed up of each stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackWeight {
    /// Nanoseconds in the innermost slice, and in none within it.
    Time,
    /// How often.
    Count,
    /// Bytes that calls have read, written, sent and received.
    Bytes,
    /// Nanoseconds in which the thread didn't run.
    OffCpu,
}

/// Sums up what was spent in each stack. Takes memory for each stack that differs.
#[derive(Debug)]
pub struct FoldedStacks<W> {
    out: W,
    weight: StackWeight,
    sums: HashMap<String, u64>,
    /// Since when threads don't run.
    stopped: HashMap<i32, u64>,
    functions: FunctionLabels,
    /// The stack of a slice.
    line: String,
    /// Stacks off CPU whose threads are named in the end.
    off: BTreeMap<i32, HashMap<String, u64>>,
}

impl<W: Write> FoldedStacks<W> {
    /// Writes to `out` in the end.
    pub fn new(out: W, weight: StackWeight) -> FoldedStacks<W> {
        FoldedStacks {
            out,
            weight,
            sums: HashMap::default(),
            stopped: HashMap::default(),
            functions: FunctionLabels::default(),
            line: String::new(),
            off: BTreeMap::new(),
        }
    }

    /// What it writes to.
    pub fn out(&self) -> &W {
        &self.out
    }

    fn add(&mut self, sum: u64) {
        if sum == 0 {
            return;
        }
        match self.sums.get_mut(&self.line) {
            Some(known) => *known = known.saturating_add(sum),
            None => drop(self.sums.insert(self.line.clone(), sum)),
        }
    }

    /// Starts a line by the thread's name.
    fn start(&mut self, tid: i32, trace: &TraceInfo<'_>) {
        self.line.clear();
        frame(trace.tasks.comm(tid).unwrap_or("?"), &mut self.line);
    }

    fn push_all(&mut self, names: &[Rc<SliceName>]) {
        names.iter().for_each(|name| frame(&name.name, &mut self.line));
    }

    fn push_stack(&mut self, stack: &[u64], trace: &TraceInfo<'_>) {
        for address in stack.iter().rev() {
            frame(self.functions.of(*address, trace.symbols), &mut self.line);
        }
    }

    /// What a slice weighs.
    fn weigh(&self, slice: &SliceEnd<'_>) -> u64 {
        match self.weight {
            StackWeight::Time => slice.own,
            StackWeight::Count => 1,
            StackWeight::Bytes => moved_bytes(slice),
            StackWeight::OffCpu => 0,
        }
    }
}

impl<W: Write> Drawing for FoldedStacks<W> {
    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let sum = self.weigh(slice);
        if sum > 0 {
            self.start(slice.track.tid, trace);
            match slice.stack {
                Some(stack) => self.push_stack(stack, trace),
                None => self.push_all(slice.within),
            }
            frame(&slice.name.name, &mut self.line);
            self.add(sum);
        }
        Ok(())
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if self.weight == StackWeight::Count {
            self.start(instant.track.tid, trace);
            self.push_all(instant.within);
            frame(&instant.name.name, &mut self.line);
            self.add(1);
        }
        Ok(())
    }

    fn state(&mut self, change: &RunChange<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let RunChange { tid, time, state, within, .. } = *change;
        if self.weight != StackWeight::OffCpu {
            return Ok(());
        }
        if state != RunState::Running {
            self.stopped.insert(tid, time);
        } else if let Some(since) = self.stopped.remove(&tid) {
            self.line.clear();
            self.push_all(within);
            let stacks = self.off.entry(tid).or_default();
            *stacks.entry(self.line.clone()).or_default() += time.saturating_sub(since);
        }
        Ok(())
    }

    fn finish(&mut self, _processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        for (tid, stacks) in std::mem::take(&mut self.off) {
            for (stack, sum) in stacks {
                self.start(tid, trace);
                if !stack.is_empty() {
                    self.line.push(';');
                    self.line.push_str(&stack);
                }
                self.add(sum);
            }
        }
        let mut lines: Vec<(&String, &u64)> = self.sums.iter().collect();
        lines.sort_unstable();
        for (stack, sum) in lines {
            writeln!(self.out, "{stack} {sum}")?;
        }
        Ok(self.out.flush()?)
    }
}

/// Appends a frame to a line. The characters that separate frames are others in names.
fn frame(name: &str, line: &mut String) {
    if !line.is_empty() {
        line.push(';');
    }
    let name = printable(name);
    line.extend(name.chars().map(|letter| if letter == ';' { ':' } else { letter }));
}
