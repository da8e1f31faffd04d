//! Records, as a text shows them, and texts of them.

use crate::names::Names;
use events::ftrace::{
    FGRAPH_RETADDR_ENTRY_ID, FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID, KERNEL_STACK_ID, PRINT_ID, SYSTEM,
};
use std::collections::BTreeMap;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::page::Missed;
use trace_data::print::Dialect;
use trace_data::record::OwnedRecord;
use trace_data::text::{Form, GraphColumns, Header, Layout, TextWriter};
use trace_data::threads::ThreadTable;

/// Records and options.
#[derive(Default)]
pub struct Trace {
    names: Names,
    tasks: BTreeMap<i32, String>,
    records: Vec<OwnedRecord>,
    entries: u64,
    layout: Layout,
    columns: GraphColumns,
    /// By CPU: the thread, and the functions that have begun.
    cpus: BTreeMap<u32, (i32, Vec<String>)>,
    /// What every record has.
    flags: [u8; 2],
    time: u64,
    lost: Option<u64>,
}

impl Trace {
    /// The records that a text shows. The attributes are a thread, flags and a number of entries.
    pub fn parse(lines: &[&str], attributes: &str) -> Trace {
        let mut trace =
            Trace { columns: GraphColumns { cpus: 2, ..GraphColumns::default() }, ..Trace::default() };
        let mut first = 77;
        for attribute in attributes.split_whitespace() {
            match attribute.strip_prefix("entries=") {
                Some(entries) => trace.entries = entries.parse().unwrap(),
                None if attribute.starts_with('.') => trace.flags = flags(attribute),
                None => first = trace.thread(attribute),
            }
        }
        // A CPU begins with the thread that it changes from first.
        for line in lines.iter().rev() {
            if let Some((cpu, (from, _))) = cpu(line).and_then(|(cpu, rest)| Some((cpu, change(rest)?))) {
                let pid = trace.thread(from);
                trace.cpus.insert(cpu, (pid, Vec::new()));
            }
        }
        for cpu in [0, 1] {
            trace.cpus.entry(cpu).or_insert((first, Vec::new()));
        }
        lines.iter().for_each(|line| trace.line(line));
        trace
    }

    fn thread(&mut self, label: &str) -> i32 {
        let (comm, pid) = label.trim().rsplit_once('-').unwrap();
        let pid = pid.parse().unwrap();
        if pid != 0 {
            self.tasks.insert(pid, comm.to_owned());
        }
        pid
    }

    fn line(&mut self, line: &str) {
        if let Some(caller) = line.strip_prefix(" => ") {
            let address = self.names.address(caller);
            return self.records.last_mut().unwrap().payload.extend(address.to_le_bytes());
        }
        if let Some((context, _)) = line.split_once(": <stack trace>") {
            let words: Vec<&str> = context.split_whitespace().collect();
            let (seconds, microseconds) = words[3].split_once('.').unwrap();
            self.time =
                seconds.parse::<u64>().unwrap() * 1_000_000_000 + microseconds.parse::<u64>().unwrap() * 1000;
            let cpu = words[1].trim_matches(['[', ']']).parse().unwrap();
            let usual = std::mem::replace(&mut self.flags, flags(words[2]));
            self.push(cpu, KERNEL_STACK_ID, &[0]);
            self.flags = usual;
            return;
        }
        if let Some(lost) = line.strip_prefix("CPU:0 [LOST ") {
            self.lost = Some(lost.split(' ').next().unwrap().parse().unwrap());
            return;
        }
        let line = match line.split_once(" |   ") {
            Some((time, rest)) if time.contains('.') && !time.contains(')') => {
                let (seconds, microseconds) = time.trim().split_once('.').unwrap();
                self.time = seconds.parse::<u64>().unwrap() * 1_000_000_000
                    + microseconds.parse::<u64>().unwrap() * 1000;
                format!(" {rest}")
            }
            _ => line.to_owned(),
        };
        let Some((cpu, rest)) = cpu(&line) else { return };
        if let Some((_, to)) = change(rest) {
            let pid = self.thread(to);
            self.cpus.get_mut(&cpu).unwrap().0 = pid;
            return;
        }
        let (duration, call) = rest.split_once("|  ").unwrap();
        let text = call.trim_start_matches(' ');
        self.call(cpu, (call.len() - text.len()) as u64 / 2, nanoseconds(duration), text);
    }

    /// The records of a line.
    fn call(&mut self, cpu: u32, depth: u64, duration: u64, text: &str) {
        self.time += 1;
        if let Some(comment) = text.strip_prefix("/* ") {
            let comment = comment.strip_suffix(" */").unwrap();
            return match comment.split_once(": ") {
                Some((event, text)) => {
                    let id = if event == "sched_switch" { 1001 } else { 1000 };
                    self.push(cpu, id, &[]);
                    self.append(text);
                }
                None => {
                    self.push(cpu, PRINT_ID, &[0]);
                    self.append(&format!("{comment}\n"));
                }
            };
        }
        let note = text.split_once("/* ").map_or("", |(_, note)| note.strip_suffix(" */").unwrap());
        let mut words = note.split(' ').filter(|word| !word.is_empty());
        if text.starts_with('}') {
            let function = match words.next() {
                Some(function) => function.to_owned(),
                None => self.cpus[&cpu].1.get(depth as usize).unwrap().clone(),
            };
            let value = words.find_map(|word| word.strip_prefix("ret="));
            return self.exit(cpu, &function, depth, duration, value);
        }
        let (function, rest) = text.split_once('(').unwrap();
        let (arguments, rest) = rest.split_once(')').unwrap();
        let address = self.names.address(function);
        let caller = note.split(' ').find_map(|word| word.strip_prefix("<-"));
        match caller {
            Some(caller) => {
                let caller = self.names.address(caller);
                self.push(cpu, FGRAPH_RETADDR_ENTRY_ID, &[address, depth | caller << 32, caller >> 32]);
                // It isn't aligned.
                let payload = &mut self.records.last_mut().unwrap().payload;
                payload.truncate(28);
            }
            None if arguments.is_empty() => self.push(cpu, FUNCGRAPH_ENTRY_ID, &[address, depth]),
            None => {
                let arguments = self.names.address(arguments);
                self.push(cpu, FUNCGRAPH_ENTRY_ID, &[address, depth, arguments, 0, 0, 0, 0, 0]);
            }
        }
        if rest.starts_with(';') {
            let value = note.split(' ').find_map(|word| word.strip_prefix("ret="));
            self.exit(cpu, function, depth, duration, value);
        } else {
            let functions = &mut self.cpus.get_mut(&cpu).unwrap().1;
            functions.resize(depth as usize, String::new());
            functions.push(function.to_owned());
        }
    }

    fn exit(&mut self, cpu: u32, function: &str, depth: u64, duration: u64, value: Option<&str>) {
        let value = value.map_or(0, |value| u64::from_str_radix(value.trim_start_matches("0x"), 16).unwrap());
        let function = self.names.address(function);
        self.push(cpu, FUNCGRAPH_EXIT_ID, &[function, value, depth, 7, 7 + duration]);
    }

    fn push(&mut self, cpu: u32, id: u16, words: &[u64]) {
        let [flags, count] = self.flags;
        let common = abi::common::word(id, flags, count, self.cpus[&cpu].0);
        let payload = std::iter::once(&common).chain(words).flat_map(|word| word.to_le_bytes()).collect();
        let lost = self.lost.take().map_or(Missed::None, Missed::Count);
        self.records.push(OwnedRecord { cpu, time: self.time, payload, lost });
    }

    fn append(&mut self, text: &str) {
        let payload = &mut self.records.last_mut().unwrap().payload;
        payload.extend(text.bytes().chain([0]));
    }

    /// Sets options, or compares what is shown. Whether it has compared.
    pub fn play(&mut self, command: &str, expected: &[&str], place: &str) -> bool {
        let Some((view, count)) = command.split_once(' ').filter(|_| !expected.is_empty()) else {
            command.split(' ').for_each(|option| self.switch(option));
            return false;
        };
        let count: usize = count.parse().unwrap();
        let text = self.text(view == "head");
        let lines: Vec<&str> = text.lines().collect();
        let shown = match view {
            "tail" => &lines[lines.len() - count..],
            _ => &lines[..count.min(lines.len())],
        };
        let expected: Vec<String> =
            expected.iter().map(|line| line.replace("M:PREEMPT(lazy)", "M:preempt")).collect();
        assert_eq!(shown.join("\n"), expected.join("\n"), "{place}");
        true
    }

    fn switch(&mut self, option: &str) {
        let (option, is_on) = option.strip_prefix("no").map_or((option, true), |option| (option, false));
        let (layout, columns) = (&mut self.layout, &mut self.columns);
        let numbers = |form| if is_on { form } else { Form::Text };
        match option {
            "raw" => layout.form = numbers(Form::Raw),
            "hex" => layout.form = numbers(Form::Hex),
            "bin" => layout.form = numbers(Form::Bin),
            _ => {
                *match option {
                    "funcgraph-cpu" => &mut columns.cpu,
                    "funcgraph-overhead" => &mut columns.overhead,
                    "funcgraph-proc" => &mut columns.thread,
                    "funcgraph-duration" => &mut columns.duration,
                    "funcgraph-abstime" => &mut columns.time,
                    "funcgraph-tail" => &mut columns.tail,
                    "funcgraph-overrun" => &mut columns.overrun,
                    "funcgraph-retval" => &mut columns.return_value,
                    "funcgraph-retval-hex" => &mut columns.return_value_hex,
                    "funcgraph-retaddr" => &mut columns.return_address,
                    "context-info" => &mut layout.context_info,
                    "irq-info" => &mut layout.irq_info,
                    "latency-format" => &mut layout.latency,
                    "verbose" => &mut layout.verbose,
                    "fields" => &mut layout.fields,
                    "sym-offset" => &mut layout.symbol_offset,
                    "sym-addr" => &mut layout.symbol_address,
                    "record-tgid" => &mut layout.tgid,
                    "print-parent" => &mut layout.parent,
                    "annotate" => &mut layout.annotate,
                    other => panic!("{other}"),
                } = is_on;
            }
        }
    }

    fn text(&self, with_header: bool) -> String {
        let events = table();
        let threads = ThreadTable::new(self.tasks.clone().into_iter().collect(), Vec::new());
        let layout = Layout { graph: Some(self.columns), ..self.layout };
        let mut writer = TextWriter::new(Vec::new(), &events, &threads, &self.names, layout);
        if with_header {
            let (entries, release) = (self.entries, "6.18.15+deb13-amd64");
            let tracer = "function_graph";
            writer
                .header(&Header {
                    tracer,
                    entries,
                    written: entries,
                    cpus: 2,
                    notes: &[],
                    release,
                    longest: None,
                })
                .unwrap();
        }
        self.records.iter().for_each(|record| writer.event(&record.borrowed(), None).unwrap());
        writer.settle().unwrap();
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }
}

/// The CPU of a line, and what is after it.
fn cpu(line: &str) -> Option<(u32, &str)> {
    let (cpu, rest) = line.split_once(") ")?;
    Some((cpu.trim().parse().ok()?, rest))
}

/// The two threads of a line that says that one follows the other.
fn change(rest: &str) -> Option<(&str, &str)> {
    rest.split_once("=>").filter(|_| !rest.contains('|'))
}

fn nanoseconds(duration: &str) -> u64 {
    let Some(number) =
        duration.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return 0;
    };
    let (micro, nano) = number.split_once('.').unwrap_or((number, ""));
    format!("{micro}{nano:0<3}").parse().unwrap()
}

/// Those in five characters.
fn flags(text: &str) -> [u8; 2] {
    let bit = |letter| match letter {
        'd' => 0x01,
        'N' => 0x24,
        's' => 0x10,
        _ => 0,
    };
    [text.chars().take(3).map(bit).sum(), text[3..4].parse().unwrap_or(0)]
}

fn table() -> EventTable {
    let text = |id: u16, name: &str| {
        let field = "\tfield:char text[];\toffset:8;\tsize:0;\tsigned:0;";
        format!("name: {name}\nID: {id}\nformat:\n\n{field}\n\nprint fmt: \"%s\", REC->text\n")
    };
    let sched = [(1000, "sched_waking"), (1001, "sched_switch")];
    let sched = sched.map(|(id, name)| ("sched", text(id, name)));
    let own = events::all().filter(|event| event.system == SYSTEM);
    let own =
        own.map(|event| (SYSTEM, events::format_file(event.name, event.id, event.own_format()).to_string()));
    let formats = sched.into_iter().chain(own);
    formats.map(|(system, text)| Event::new(Format::parse(system, &text).unwrap(), Dialect::Kernel)).collect()
}
