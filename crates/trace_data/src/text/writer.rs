//! Writing the lines.

use super::graph::{self, Call, Graph, GraphColumns, Lines};
use super::header::tracer_lines;
use super::thread_name::thread_name;
use super::time::time;
use super::{Form, Header, Layout, Tasks, flags, latency, message, numbers, print_date};
use crate::digits::{decimal, fill};
use crate::event::EventTable;
use crate::page::Missed;
use crate::record::Record;
use crate::symbols::Symbols;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Bytes collected before they are written.
const BUFFER: usize = 64 * 1024;

/// Writes events as text, one line each.
///
/// Collects some 64 KiB before it writes; [`TextWriter::flush`] and [`TextWriter::finish`] write the
/// rest. A line costs a few hundred nanoseconds and no allocation; with [`Layout::graph`] a copy of the
/// record.
pub struct TextWriter<'a, W> {
    out: W,
    lines: Vec<u8>,
    events: &'a EventTable,
    tasks: &'a dyn Tasks,
    symbols: &'a dyn Symbols,
    layout: Layout,
    /// What has been seen so far. To go on with a text, put there what its writer has seen.
    pub seen: Seen,
}

/// What a writer has seen so far, for one who goes on with its text.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// CPUs, for `annotate`.
    cpus: BTreeSet<u32>,
    /// How many events, for `verbose`.
    events: u64,
    /// What [`Layout::graph`] needs.
    graph: Graph,
}

impl Seen {
    /// What has been seen where a pipe is read: the kernel counts from 1 there.
    pub fn of_pipe() -> Seen {
        Seen::default().of_next_read()
    }

    /// What has been seen where a pipe is read again.
    #[must_use]
    pub fn of_next_read(self) -> Seen {
        Seen { events: 1, graph: self.graph, ..Seen::default() }
    }
}

impl<'a, W: Write> TextWriter<'a, W> {
    /// A writer to `out`. For the kernel's text, `events` are of
    /// [`Dialect::Kernel`](crate::print::Dialect::Kernel).
    pub fn new(
        out: W,
        events: &'a EventTable,
        tasks: &'a dyn Tasks,
        symbols: &'a dyn Symbols,
        layout: Layout,
    ) -> TextWriter<'a, W> {
        let lines = Vec::with_capacity(BUFFER + BUFFER / 4);
        TextWriter { out, lines, events, tasks, symbols, layout, seen: Seen::default() }
    }

    /// Writes the header. `trace_pipe` has none.
    ///
    /// # Errors
    ///
    /// Those of the writer below, here and in the other methods.
    pub fn header(&mut self, header: &Header<'_>) -> io::Result<()> {
        let out = &mut self.lines;
        out.extend_from_slice(tracer_lines(header.tracer).as_bytes());
        match self.layout {
            Layout { context_info: false, .. } => {}
            Layout { graph: Some(columns), .. } => {
                graph::header(header, columns, self.symbols, self.layout, out)
            }
            Layout { latency: true, .. } => latency::header(header, self.symbols, self.layout, out),
            Layout { verbose: true, .. } => {}
            layout => header.print(layout, out),
        }
        self.write_full()
    }

    /// Writes one event, and before it what was lost. [`Layout::latency`] shows what passes until the time of
    /// the next one. With [`Layout::graph`] it may wait for what comes after it: [`TextWriter::settle`].
    ///
    /// # Errors
    ///
    /// Those of the writer below.
    pub fn event(&mut self, record: &Record<'_>, next: Option<u64>) -> io::Result<()> {
        match self.layout.graph {
            Some(columns) => {
                self.seen.graph.waiting.add(self.events, record, next);
                self.in_graph(columns);
            }
            None => self.line(record, next),
        }
        self.write_full()
    }

    /// Writes the events that wait for what comes after them, as if nothing did: at the end, or where a
    /// reader has to wait for more.
    ///
    /// # Errors
    ///
    /// Those of the writer below.
    pub fn settle(&mut self) -> io::Result<()> {
        if let Some(columns) = self.layout.graph {
            self.seen.graph.waiting.settle();
            self.in_graph(columns);
        }
        self.write_full()
    }

    /// Writes the events that needn't wait.
    fn in_graph(&mut self, columns: GraphColumns) {
        let mut graph = std::mem::take(&mut self.seen.graph);
        while let Some(waiter) = graph.waiting.next() {
            let record = waiter.record.borrowed();
            let call = Call::of(self.events, record.payload);
            if let Call::Apart = call {
                self.line(&record, waiter.next);
                continue;
            }
            lost(record.cpu, record.lost, &mut self.lines);
            let (events, symbols, layout) =
                (self.events, self.symbols, Layout { fields: false, ..self.layout });
            let cpu = graph.cpus.entry(record.cpu).or_default();
            let mut lines = Lines { columns, layout, tasks: self.tasks, symbols, cpu, out: &mut self.lines };
            match (call, waiter.exit.as_deref().map(|payload| Call::of(events, payload))) {
                (Call::Entry(entry), Some(Call::Exit(exit))) => lines.leaf(&record, &entry, &exit),
                (Call::Entry(entry), _) => lines.entry(&record, &entry),
                (Call::Exit(exit), _) => lines.exit(&record, &exit),
                (Call::Comment | Call::Apart, _) => lines.comment(&record, |out| {
                    if !message::print_alone(events, record.payload, out) {
                        message::print(events, &record, symbols, layout, out);
                    }
                }),
            }
            self.seen.events += 1;
        }
        self.seen.graph = graph;
    }

    /// A line, and before it what was lost.
    fn line(&mut self, record: &Record<'_>, next: Option<u64>) {
        lost(record.cpu, record.lost, &mut self.lines);
        let is_done =
            self.layout.message_only && message::print_alone(self.events, record.payload, &mut self.lines);
        match self.layout.form {
            _ if is_done => {}
            Form::Text => {
                self.annotate(record.cpu);
                if self.layout.context_info {
                    self.context(record, next);
                }
                message::print(self.events, record, self.symbols, self.layout, &mut self.lines);
            }
            _ => numbers::print(self.events, record, self.layout, &mut self.lines),
        }
        self.seen.events += 1;
    }

    /// Writes what has been collected.
    ///
    /// # Errors
    ///
    /// Those of the writer below.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()
    }

    /// Writes what has been collected, and returns the writer below.
    ///
    /// # Errors
    ///
    /// Those of the writer below.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    fn write_full(&mut self) -> io::Result<()> {
        if self.lines.len() >= BUFFER {
            self.out.write_all(&self.lines)?;
            self.lines.clear();
        }
        Ok(())
    }

    /// Says where a CPU starts, unless the text starts there.
    fn annotate(&mut self, cpu: u32) {
        if !self.layout.annotate || !self.seen.cpus.insert(cpu) || self.seen.events == 0 {
            return;
        }
        // Writing into a vector can't fail.
        let _ = writeln!(self.lines, "##### CPU {cpu} buffer started ####");
    }

    /// Thread, CPU, flags and time.
    fn context(&mut self, record: &Record<'_>, next: Option<u64>) {
        let pid = record.pid();
        let out = &mut self.lines;
        let comm = &*thread_name(self.tasks, pid, self.layout);
        let (layout, nanoseconds) = (self.layout, self.layout.nanoseconds);
        match (self.layout.latency, self.layout.verbose) {
            (true, false) => return latency::context(comm, record, next, layout, out),
            (true, true) => return latency::verbose(comm, record, next, layout, self.seen.events, out),
            (false, _) => {}
        }
        fill(b' ', 16_usize.saturating_sub(comm.len()), out);
        out.extend_from_slice(comm.as_bytes());
        out.push(b'-');
        let start = out.len();
        signed(pid, out);
        fill(b' ', (start + 8).saturating_sub(out.len()).max(1), out);
        if self.layout.tgid {
            match self.tasks.tgid(pid).filter(|&tgid| tgid > 0) {
                Some(tgid) => {
                    out.push(b'(');
                    decimal(tgid as u64, 7, b' ', out);
                    out.extend_from_slice(b") ");
                }
                None => out.extend_from_slice(b"(-------) "),
            }
        }
        out.push(b'[');
        decimal(u64::from(record.cpu), 3, b'0', out);
        out.extend_from_slice(b"] ");
        if self.layout.irq_info {
            out.extend_from_slice(&flags::characters(record));
        }
        out.push(b' ');
        match self.layout.date {
            true => print_date(record.time, out),
            false => time(record.time, nanoseconds, out),
        }
        out.extend_from_slice(b": ");
    }
}

/// `CPU:1 [LOST 1160 EVENTS]`.
fn lost(cpu: u32, lost: Missed, out: &mut Vec<u8>) {
    // Writing into a vector can't fail.
    let _ = match lost {
        Missed::None => Ok(()),
        Missed::Unknown => writeln!(out, "CPU:{cpu} [LOST EVENTS]"),
        Missed::Count(count) => writeln!(out, "CPU:{cpu} [LOST {count} EVENTS]"),
    };
}

fn signed(value: i32, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    decimal(u64::from(value.unsigned_abs()), 0, b' ', out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::format::Format;
    use crate::print::Dialect;
    use crate::threads::ThreadTable;

    const FORMAT: &str = "\
name: close
ID: 300
format:

\tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;

print fmt: \"fd=%d\", REC->fd
";

    fn written(layout: Layout, records: &[(u32, u64, i32, Missed)]) -> String {
        let event = Event::new(Format::parse("libc", FORMAT).unwrap(), Dialect::Kernel);
        let events = [event].into_iter().collect();
        let threads = ThreadTable::new(vec![(77, "a program".to_string())], vec![(77, 70)]);
        let mut writer = TextWriter::new(Vec::new(), &events, &threads, &(), layout);
        for (cpu, time, pid, lost) in records {
            let id = if *pid == 5 { 301 } else { 300 };
            let mut payload = abi::common::word(id, 1, 0x12, *pid).to_le_bytes().to_vec();
            payload.extend(3_i32.to_le_bytes());
            let record = Record { cpu: *cpu, time: *time, payload: &payload, lost: *lost };
            writer.event(&record, None).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn lines_have_the_kernels_columns() {
        let records = [
            (1, 12_345_678_901_499, 77, Missed::None),
            (0, 1_500, 1_234_567, Missed::Count(1160)),
            (12, 499, 0, Missed::Unknown),
            (0, 0, 5, Missed::None),
        ];
        let expected = [
            "       a program-77      [001] d..21 12345.678901: close: fd=3\n",
            "CPU:0 [LOST 1160 EVENTS]\n",
            "           <...>-1234567 [000] d..21     0.000002: close: fd=3\n",
            "CPU:12 [LOST EVENTS]\n",
            "          <idle>-0       [012] d..21     0.000000: close: fd=3\n",
            "           <...>-5       [000] d..21     0.000000: Unknown type 301\n",
        ];
        assert_eq!(written(Layout::default(), &records), expected.concat());
    }

    #[test]
    fn columns_can_be_left_out_and_added() {
        let record = [(1, 1_000_000_000, 77, Missed::None), (0, 2_000_000_000, 78, Missed::None)];
        let tgid = Layout { tgid: true, irq_info: false, ..Layout::default() };
        let expected = [
            "       a program-77      (     70) [001]      1.000000: close: fd=3\n",
            "           <...>-78      (-------) [000]      2.000000: close: fd=3\n",
        ];
        assert_eq!(written(tgid, &record), expected.concat());
        let bare = Layout { context_info: false, annotate: true, ..Layout::default() };
        let expected = "close: fd=3\n##### CPU 0 buffer started ####\nclose: fd=3\n";
        assert_eq!(written(bare, &record), expected);
        let date = Layout { date: true, irq_info: false, ..Layout::default() };
        assert!(written(date, &record).contains(" [001]  1970-01-01T00:00:01.000000Z: close: fd=3\n"));
        let counter = Layout { nanoseconds: false, ..Layout::default() };
        assert!(written(counter, &record).contains(" d..21   1000000000: close"));
    }
}
