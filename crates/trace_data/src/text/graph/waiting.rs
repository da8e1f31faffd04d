//! Records that wait for those after them.

use super::Call;
use crate::event::EventTable;
use crate::page::Missed;
use crate::record::{OwnedRecord, Record};
use std::collections::{BTreeMap, VecDeque};

/// The most records that wait for a call's end. A call that takes longer has two lines.
const MOST: usize = 1 << 16;

/// Records in their order, of which the first is a call that may be a leaf. It is one if the next record of
/// its CPU is its end.
#[derive(Debug, Clone, Default)]
pub(in crate::text) struct Waiting {
    records: VecDeque<Waiter>,
    /// How many have left.
    left: usize,
    /// The last call of each CPU that has had no record since, by how many records came before it.
    open: BTreeMap<u32, usize>,
}

/// A record that waits.
#[derive(Debug, Clone)]
pub(in crate::text) struct Waiter {
    pub(in crate::text) record: OwnedRecord,
    /// The time of the record after it.
    pub(in crate::text) next: Option<u64>,
    /// The payload of its end, if it is a leaf.
    pub(in crate::text) exit: Option<Vec<u8>>,
}

impl Waiting {
    /// Takes the next record.
    pub(in crate::text) fn add(&mut self, events: &EventTable, record: &Record<'_>, next: Option<u64>) {
        let call = Call::of(events, record.payload);
        let open = self.open.remove(&record.cpu).and_then(|number| self.records.get_mut(number - self.left));
        if let Some(entry) = open
            && record.lost == Missed::None
            && is_end(events, &entry.record, record, &call)
        {
            entry.exit = Some(record.payload.to_vec());
            return;
        }
        if matches!(call, Call::Entry(_)) {
            self.open.insert(record.cpu, self.left + self.records.len());
        }
        self.records.push_back(Waiter { record: record.to_owned(), next, exit: None });
        if self.records.len() > MOST
            && let Some(cpu) = self.open_cpu()
        {
            self.open.remove(&cpu);
        }
    }

    /// No record waits any longer.
    pub(in crate::text) fn settle(&mut self) {
        self.open.clear();
    }

    /// The first record, if it needn't wait.
    pub(in crate::text) fn next(&mut self) -> Option<Waiter> {
        if self.open_cpu().is_some() {
            return None;
        }
        let waiter = self.records.pop_front()?;
        self.left += 1;
        Some(waiter)
    }

    /// The CPU of the first record, if that has to wait.
    fn open_cpu(&self) -> Option<u32> {
        let cpu = self.records.front()?.record.cpu;
        (self.open.get(&cpu) == Some(&self.left)).then_some(cpu)
    }
}

/// Whether a call ends with the next record of its CPU.
fn is_end(events: &EventTable, entry: &OwnedRecord, record: &Record<'_>, call: &Call<'_>) -> bool {
    let entry = entry.borrowed();
    match (Call::of(events, entry.payload), call) {
        (Call::Entry(begun), Call::Exit(ended)) => {
            begun.function == ended.function && entry.pid() == record.pid()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::format::Format;
    use crate::print::Dialect;

    fn events() -> EventTable {
        let event = |name: &str, id: u16| {
            let text = format!(
                "name: {name}\nID: {id}\nformat:\n\n\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n\n\
                 print fmt: \"\"\n"
            );
            Event::new(Format::parse("ftrace", &text).unwrap(), Dialect::Kernel)
        };
        [event("funcgraph_entry", 11), event("funcgraph_exit", 10)].into_iter().collect()
    }

    const ENTRY: u16 = 11;
    const EXIT: u16 = 10;

    /// Which records are shown after each, as `ID/CPU`, leaves with a point.
    fn shown(records: &[(u16, u32, u64, Missed)]) -> Vec<String> {
        let (events, mut waiting) = (events(), Waiting::default());
        let mut steps: Vec<String> = records
            .iter()
            .map(|(id, cpu, function, lost)| {
                let mut payload = abi::common::word(*id, 0, 0, 77).to_le_bytes().to_vec();
                payload.extend(function.to_le_bytes());
                waiting.add(&events, &Record { cpu: *cpu, time: 0, payload: &payload, lost: *lost }, None);
                ready(&mut waiting)
            })
            .collect();
        waiting.settle();
        steps.push(ready(&mut waiting));
        assert!(waiting.records.is_empty() && waiting.open.is_empty());
        steps
    }

    fn ready(waiting: &mut Waiting) -> String {
        let ready = std::iter::from_fn(|| waiting.next());
        let label = |waiter: Waiter| {
            let point = if waiter.exit.is_some() { "." } else { "" };
            format!("{}/{}{point}", waiter.record.borrowed().id(), waiter.record.cpu)
        };
        ready.map(label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_call_waits_for_the_next_record_of_its_cpu() {
        let none = Missed::None;
        let records = [
            (ENTRY, 0, 1, none),
            (EXIT, 1, 7, none),
            (ENTRY, 1, 8, none),
            (EXIT, 0, 1, none),
            (ENTRY, 1, 9, none),
        ];
        assert_eq!(shown(&records), ["", "", "", "11/0. 10/1", "11/1", "11/1"]);
    }

    #[test]
    fn what_ends_something_else_makes_no_leaf() {
        let none = Missed::None;
        let other_cpu = [(ENTRY, 0, 1, none), (EXIT, 1, 1, none)];
        assert_eq!(shown(&other_cpu), ["", "", "11/0 10/1"]);
        let other_function = [(ENTRY, 0, 1, none), (EXIT, 0, 2, none)];
        assert_eq!(shown(&other_function), ["", "11/0 10/0", ""]);
        let after_a_loss = [(ENTRY, 0, 1, none), (EXIT, 0, 1, Missed::Unknown)];
        assert_eq!(shown(&after_a_loss), ["", "11/0 10/0", ""]);
    }

    #[test]
    fn no_call_waits_for_ever() {
        let none = Missed::None;
        let mut records = vec![(EXIT, 1, 7, none); MOST + 3];
        records[1] = (ENTRY, 0, 1, none);
        let steps = shown(&records);
        assert_eq!(steps.iter().position(|step| step.starts_with("11/0 10/1")), Some(MOST + 1));
        assert_eq!(steps.last().unwrap(), "");
    }
}
