//! How long it took from one event to another.

mod samples;

use super::duration::{duration, seconds};
use super::{Recorded, View};
use crate::choice::Ids;
use crate::failure::{Done, Failure};
use crate::number::grouped;
use samples::Samples;
use session::Selection;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::str::FromStr;
use trace_data::event::EventTable;
use trace_data::format::Field;
use trace_data::record::Record;

/// `A..B`, or `A` for all of A up to their own `_exit`.
#[derive(Debug, Clone)]
pub(crate) struct PairOption {
    text: String,
    start: Selection,
    end: Option<Selection>,
}

impl FromStr for PairOption {
    type Err = String;

    fn from_str(text: &str) -> Result<PairOption, String> {
        let selection = |text: &str| text.parse::<Selection>().map_err(|error| error.to_string());
        let (start, end) = match text.split_once("..") {
            Some((start, end)) => (selection(start)?, Some(selection(end)?)),
            None => (selection(text)?, None),
        };
        Ok(PairOption { text: text.to_owned(), start, end })
    }
}

/// What an event does for pairs: which row it starts, and which one it ends.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    starts: Option<u16>,
    ends: Option<u16>,
}

/// Who shares a pair: the thread, or what a field says.
type Key = Vec<u8>;

/// Pairs events and measures the time between them.
pub(super) struct Pairs<'a, W> {
    out: W,
    recorded: &'a Recorded<'a>,
    /// By event id.
    roles: Vec<Role>,
    /// The field that pairs have in common, by event id; none of all for threads.
    keys: Option<Vec<Option<Field>>>,
    /// What has started: when, and by whom.
    open: HashMap<(u16, Key), (u64, i32)>,
    names: BTreeMap<u16, String>,
    samples: BTreeMap<u16, Samples>,
    /// Ends without a start, and starts that were followed by another one.
    unpaired: u64,
}

impl<'a, W: Write> Pairs<'a, W> {
    pub(super) fn new(
        out: W,
        recorded: &'a Recorded<'a>,
        option: &PairOption,
        key: Option<&str>,
    ) -> Done<Pairs<'a, W>> {
        let (roles, names) = roles(option, recorded.events)?;
        let keys = key.map(|name| key_fields(name, &roles, recorded.events)).transpose()?;
        let (open, samples) = (HashMap::new(), BTreeMap::new());
        Ok(Pairs { out, recorded, roles, keys, open, names, samples, unpaired: 0 })
    }

    /// What an event shares with its partner. None where it hasn't got the field.
    fn key(&self, id: u16, pid: i32, payload: &[u8]) -> Option<Key> {
        match &self.keys {
            None => Some(pid.to_le_bytes().to_vec()),
            Some(keys) => {
                let field = keys.get(usize::from(id))?.as_ref()?;
                match field.integer(payload) {
                    Some(number) => Some(number.to_le_bytes().to_vec()),
                    None => field.bytes(payload).map(<[u8]>::to_vec),
                }
            }
        }
    }

    fn end(&mut self, row: u16, key: Key, time: u64) {
        match self.open.remove(&(row, key)) {
            Some((start, pid)) => {
                self.samples.entry(row).or_default().add(time.saturating_sub(start), start, pid);
            }
            None => self.unpaired += 1,
        }
    }

    fn print_rows(&mut self) -> io::Result<()> {
        let bold = anstyle::Style::new().bold();
        let width = self.names.values().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
        write!(self.out, "{bold}{:<width$} {:>12}", "PAIR", "COUNT")?;
        for title in ["MIN", "AVG", "P50", "P99", "MAX", "TOTAL"] {
            write!(self.out, " {title:>9}")?;
        }
        writeln!(self.out, "{bold:#}")?;
        let mut rows: Vec<_> = self.samples.iter().collect();
        rows.sort_by_key(|(_, samples)| std::cmp::Reverse(samples.total()));
        for (row, samples) in rows {
            let name = self.names.get(row).map_or("", String::as_str);
            write!(self.out, "{name:<width$} {:>12}", grouped(samples.count()))?;
            for value in samples.summary() {
                write!(self.out, " {:>9}", duration(value))?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn print_longest(&mut self) -> io::Result<()> {
        let bold = anstyle::Style::new().bold();
        let named = |(row, samples): (&u16, &Samples)| {
            let name = self.names.get(row).cloned().unwrap_or_default();
            samples.longest().map(|sample| (sample, name.clone())).collect::<Vec<_>>()
        };
        let mut longest: Vec<_> = self.samples.iter().flat_map(named).collect();
        longest.sort_by_key(|(sample, _)| std::cmp::Reverse(*sample));
        longest.truncate(samples::LONGEST);
        writeln!(self.out, "\n{bold}{:>9}  {:>14}  {:<24} PAIR{bold:#}", "LONGEST", "START", "THREAD")?;
        for (sample, name) in longest {
            let (length, start) = (duration(sample.length), seconds(sample.start));
            let thread = self.recorded.threads.label(sample.pid);
            writeln!(self.out, "{length:>9}  {start:>14}  {thread:<24} {name}")?;
        }
        Ok(())
    }

    fn print_histogram(&mut self) -> io::Result<()> {
        // Of one kind alone: those of several say nothing together.
        let [samples] = self.samples.values().collect::<Vec<_>>()[..] else { return Ok(()) };
        let bold = anstyle::Style::new().bold();
        writeln!(self.out, "\n{bold}{:>9}  {:>12}{bold:#}", "FROM", "COUNT")?;
        let histogram = samples.histogram();
        let most = histogram.iter().map(|(_, count)| *count).max().unwrap_or(1);
        for (from, count) in histogram {
            let bar = "#".repeat((count * 40).div_ceil(most) as usize);
            writeln!(self.out, "{:>9}  {:>12}  {bar}", duration(from), grouped(count))?;
        }
        Ok(())
    }
}

impl<W: Write> View for Pairs<'_, W> {
    fn event(&mut self, record: &Record<'_>) -> io::Result<()> {
        let word = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let (id, pid) = (abi::common::event(word), abi::common::pid(word));
        let Some(role) = self.roles.get(usize::from(id)).copied() else { return Ok(()) };
        if role.ends.is_none() && role.starts.is_none() {
            return Ok(());
        }
        let Some(key) = self.key(id, pid, record.payload) else { return Ok(()) };
        if let Some(row) = role.ends {
            self.end(row, key.clone(), record.time);
        }
        if let Some(row) = role.starts
            && self.open.insert((row, key), (record.time, pid)).is_some()
        {
            self.unpaired += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.samples.values_mut().for_each(Samples::sort);
        if self.samples.is_empty() {
            writeln!(self.out, "no such pairs")?;
        } else {
            self.print_rows()?;
            self.print_longest()?;
            self.print_histogram()?;
        }
        let unpaired = self.unpaired + self.open.len() as u64;
        if unpaired > 0 {
            writeln!(self.out, "\n{} events have no partner", grouped(unpaired))?;
        }
        self.out.flush()
    }
}

/// What each event does, and the names of the rows.
fn roles(option: &PairOption, events: &EventTable) -> Done<(Vec<Role>, BTreeMap<u16, String>)> {
    let starts = Ids::select(std::slice::from_ref(&option.start), events)?;
    let ends = option.end.as_ref().map(|end| Ids::select(std::slice::from_ref(end), events)).transpose()?;
    let mut roles: Vec<Role> = Vec::new();
    let mut role = |id: u16| {
        let id = usize::from(id);
        roles.resize(roles.len().max(id + 1), Role::default());
        id
    };
    let last = events.iter().map(|event| event.format().id).max().unwrap_or(0);
    role(last);
    let mut names = BTreeMap::new();
    for format in events.iter().map(|event| event.format()).filter(|format| starts.contains(format.id)) {
        if ends.is_some() {
            roles[usize::from(format.id)].starts = Some(0);
            names.insert(0, option.text.clone());
            continue;
        }
        if let Some(exit) = events.named(&format.system, &format!("{}_exit", format.name)) {
            roles[usize::from(format.id)].starts = Some(format.id);
            roles[usize::from(exit.format().id)].ends = Some(format.id);
            names.insert(format.id, format!("{}:{}", format.system, format.name));
        }
    }
    if names.is_empty() {
        return Err(Failure::failed(format_args!(
            "--pair {}: no such event has an _exit: name the event that ends it, like --pair A..B",
            option.text
        )));
    }
    for format in events.iter().map(|event| event.format()) {
        if ends.as_ref().is_some_and(|ends| ends.contains(format.id)) {
            roles[usize::from(format.id)].ends = Some(0);
        }
    }
    Ok((roles, names))
}

/// The field `name` of each event that has a role.
fn key_fields(name: &str, roles: &[Role], events: &EventTable) -> Done<Vec<Option<Field>>> {
    let mut keys = vec![None; roles.len()];
    for format in events.iter().map(|event| event.format()) {
        let role = roles.get(usize::from(format.id)).copied().unwrap_or_default();
        if role.starts.is_none() && role.ends.is_none() {
            continue;
        }
        let field = format.field(name).ok_or_else(|| {
            let names: Vec<&str> = format.fields.iter().map(|field| field.name.as_str()).collect();
            let (system, event) = (&format.system, &format.name);
            Failure::failed(format_args!("--key {name}: {system}:{event} has {}", names.join(", ")))
        })?;
        keys[usize::from(format.id)] = Some(field.clone());
    }
    Ok(keys)
}
