//! The lines.

use super::GraphColumns;
use super::call::{Entry, Exit};
use crate::digits::{decimal, fill};
use crate::record::Record;
use crate::symbols::Symbols;
use crate::text::escape::escape;
use crate::text::ftrace::{arguments, symbol};
use crate::text::mark::mark;
use crate::text::thread_name::thread_name;
use crate::text::{Layout, Tasks, flags, print_date, print_duration};
use std::io::Write;

/// The deepest calls whose functions are remembered.
const MOST_ENTERED: usize = 50;

/// How far a call's lines are to the right of its caller's.
const INDENT: i64 = 2;

/// The width of a thread.
const THREAD: usize = 14;

/// What is known of a CPU's lines.
#[derive(Debug, Clone, Default)]
pub(in crate::text) struct OnCpu {
    /// The thread of the last one.
    pid: Option<i32>,
    /// How deeply a comment would be nested.
    depth: i64,
    /// The functions that have begun, by their depth; 0 where none has.
    entered: Vec<u64>,
}

impl OnCpu {
    /// Notes which function is at this depth from now on, and says which was.
    fn enter(&mut self, depth: u64, function: u64) -> Option<u64> {
        let depth = usize::try_from(depth).ok().filter(|depth| *depth < MOST_ENTERED)?;
        self.entered.resize(self.entered.len().max(depth + 1), 0);
        Some(std::mem::replace(self.entered.get_mut(depth)?, function))
    }
}

/// What writes lines of one CPU.
pub(in crate::text) struct Lines<'a> {
    pub(in crate::text) columns: GraphColumns,
    pub(in crate::text) layout: Layout,
    pub(in crate::text) tasks: &'a dyn Tasks,
    pub(in crate::text) symbols: &'a dyn Symbols,
    pub(in crate::text) cpu: &'a mut OnCpu,
    pub(in crate::text) out: &'a mut Vec<u8>,
}

impl Lines<'_> {
    /// A call with something within: it ends on another line.
    pub(in crate::text) fn entry(&mut self, record: &Record<'_>, call: &Entry<'_>) {
        self.before(record);
        self.cpu.depth = call.depth as i64;
        self.cpu.enter(call.depth, call.function);
        self.no_duration();
        let start = self.indent(call.depth as i64);
        self.call(call);
        self.out.extend_from_slice(b" {");
        if let Some(address) = call.return_address.filter(|_| self.columns.return_address) {
            self.out.extend_from_slice(b" /*");
            self.return_address(address);
            self.out.extend_from_slice(b" */");
        }
        self.end(start);
    }

    /// A call with nothing within.
    pub(in crate::text) fn leaf(&mut self, record: &Record<'_>, call: &Entry<'_>, exit: &Exit) {
        self.before(record);
        self.cpu.depth = call.depth as i64 - 1;
        self.cpu.enter(call.depth, 0);
        self.duration(exit.duration);
        let start = self.indent(call.depth as i64);
        self.call(call);
        self.out.push(b';');
        let address = call.return_address.filter(|_| self.columns.return_address);
        let value = exit.value.filter(|_| self.columns.return_value);
        if address.is_some() || value.is_some() {
            self.out.extend_from_slice(b" /*");
            address.into_iter().for_each(|address| self.return_address(address));
            value.into_iter().for_each(|value| self.value(value));
            self.out.extend_from_slice(b" */");
        }
        self.end(start);
    }

    /// The end of a call that began on another line. It names the function where the other line may not be
    /// there.
    pub(in crate::text) fn exit(&mut self, record: &Record<'_>, exit: &Exit) {
        self.cpu.depth = exit.depth as i64 - 1;
        let entered = self.cpu.enter(exit.depth, 0);
        self.before(record);
        self.duration(exit.duration);
        let start = self.indent(exit.depth as i64);
        self.out.push(b'}');
        let value = exit.value.filter(|_| self.columns.return_value);
        if value.is_some() || self.columns.tail || entered.is_some_and(|entered| entered != exit.function) {
            self.out.extend_from_slice(b" /* ");
            self.function(exit.function);
            value.into_iter().for_each(|value| self.value(value));
            self.out.extend_from_slice(b" */");
        }
        self.end(start);
        if self.columns.overrun {
            // Writing into a vector can't fail.
            let _ = writeln!(self.out, " (Overruns: {})", exit.overrun);
        }
    }

    /// Another event, whose text `print` appends, with its line end or not.
    pub(in crate::text) fn comment(&mut self, record: &Record<'_>, print: impl FnOnce(&mut Vec<u8>)) {
        self.before(record);
        self.no_duration();
        let depth = self.cpu.depth;
        self.indent(if depth > 0 { depth + 1 } else { 0 });
        self.out.extend_from_slice(b"/* ");
        print(self.out);
        if self.out.last() == Some(&b'\n') {
            self.out.pop();
        }
        self.out.extend_from_slice(b" */\n");
    }

    /// The columns before the duration, and a change of threads.
    fn before(&mut self, record: &Record<'_>) {
        let pid = record.pid();
        if let Some(last) = self.cpu.pid.replace(pid).filter(|last| *last != pid) {
            self.change(record.cpu, last, pid);
        }
        let GraphColumns { time, relative_time, cpu, thread, .. } = self.columns;
        if !self.layout.context_info {
            return;
        }
        if time {
            self.time(record.time);
        }
        if relative_time {
            decimal(record.time.saturating_sub(self.layout.latency_start) / 1000, 10, b' ', self.out);
            self.out.extend_from_slice(b" us |  ");
        }
        if cpu {
            self.cpu(record.cpu);
        }
        if thread {
            self.thread(pid);
            self.out.extend_from_slice(b" | ");
        }
        if self.layout.latency {
            self.out.push(b' ');
            self.out.extend_from_slice(&flags::characters(record));
            self.out.extend_from_slice(b" | ");
        }
    }

    /// The time. The kernel doesn't round it here.
    fn time(&mut self, time: u64) {
        let microseconds = time / 1000;
        if self.layout.date {
            print_date(microseconds * 1000, self.out);
        } else {
            decimal(microseconds / 1_000_000, 5, b' ', self.out);
            self.out.push(b'.');
            decimal(microseconds % 1_000_000, 6, b'0', self.out);
        }
        self.out.extend_from_slice(b" |  ");
    }

    /// Says that a CPU goes on with another thread.
    fn change(&mut self, cpu: u32, last: i32, pid: i32) {
        const LINE: &[u8] = b" ------------------------------------------\n";
        self.out.extend_from_slice(LINE);
        self.cpu(cpu);
        self.thread(last);
        self.out.extend_from_slice(b" => ");
        self.thread(pid);
        self.out.push(b'\n');
        self.out.extend_from_slice(LINE);
        self.out.push(b'\n');
    }

    fn cpu(&mut self, cpu: u32) {
        let width = self.columns.cpus.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1;
        self.out.push(b' ');
        decimal(u64::from(cpu), width as usize, b' ', self.out);
        self.out.extend_from_slice(b") ");
    }

    /// A thread, in the middle of its column.
    fn thread(&mut self, pid: i32) {
        let comm = thread_name(self.tasks, pid, self.layout);
        // The first 7 bytes of it, as far as they are whole letters.
        let end = (0..=comm.len().min(7)).rev().find(|end| comm.is_char_boundary(*end)).unwrap_or(0);
        let label = format!("{}-{pid}", comm.get(..end).unwrap_or_default());
        let _ = write!(self.out, "{label:^THREAD$}");
    }

    fn no_duration(&mut self) {
        if self.columns.duration && self.layout.context_info {
            self.out.extend_from_slice(b"              |  ");
        }
    }

    fn duration(&mut self, nanoseconds: u64) {
        if !self.columns.duration || !self.layout.context_info {
            return;
        }
        self.out.push(if self.columns.overhead { mark(nanoseconds) as u8 } else { b' ' });
        self.out.push(b' ');
        print_duration(nanoseconds, self.out);
        self.out.extend_from_slice(b"|  ");
    }

    /// Indents what follows, and says where that starts. A damaged depth leads no further than a real one.
    fn indent(&mut self, depth: i64) -> usize {
        const DEEPEST: i64 = 4096;
        fill(b' ', (depth.clamp(0, DEEPEST) * INDENT) as usize, self.out);
        self.out.len()
    }

    /// Ends the line whose own part starts there.
    fn end(&mut self, start: usize) {
        if self.layout.escape {
            escape(self.out, start);
        }
        self.out.push(b'\n');
    }

    /// A function and its arguments.
    fn call(&mut self, call: &Entry<'_>) {
        self.function(call.function);
        self.out.push(b'(');
        arguments(call.function, call.registers, self.symbols, self.out);
        self.out.push(b')');
    }

    /// A function and its object, if that isn't the program.
    fn function(&mut self, address: u64) {
        let _ = match self.symbols.symbol(address) {
            Some(symbol) => {
                self.out.extend_from_slice(symbol.name.as_bytes());
                symbol.module.map_or(Ok(()), |module| write!(self.out, " [{module}]"))
            }
            None => write!(self.out, "{address:#x}"),
        };
    }

    fn return_address(&mut self, address: u64) {
        self.out.extend_from_slice(b" <-");
        symbol(address, self.symbols, Layout { symbol_offset: true, ..self.layout }, self.out);
    }

    /// What a function returns: the number of an error in decimal.
    fn value(&mut self, value: u64) {
        let wide = match value >> 31 {
            // An integer of 4 bytes that is negative.
            1 => value as u32 as i32 as i64,
            _ => value as i64,
        };
        let is_error = (-4095..0).contains(&wide) && !self.columns.return_value_hex;
        let _ = match is_error {
            true => write!(self.out, " ret={wide}"),
            false => write!(self.out, " ret={value:#x}"),
        };
    }
}
