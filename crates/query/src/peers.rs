//! The peers of sockets: whom a descriptor is connected to.
//!
//! Only connect(2) and accept(2) have the address; other calls have the descriptor alone, and the program is
//! not asked. So descriptors are followed from their making to their end, through copies, forks and programs.

mod role;

use role::{CallOutcome, DescriptorAction, DescriptorRole};
use std::collections::HashMap;
use std::rc::Rc;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Follows the sockets of a trace. Takes memory for each socket that is open.
#[derive(Debug)]
pub struct Peers {
    gaps: Gaps,
    /// By event id.
    roles: HashMap<u16, DescriptorRole>,
    /// The calls on descriptors that each thread is in, the innermost last: the entry's id, and arguments.
    calls: HashMap<i32, Vec<(u16, [i64; 3])>>,
    /// By process.
    tables: HashMap<i32, SocketTable>,
    /// What children have that have not started yet: by the thread that makes one, then by the child.
    made: HashMap<i32, SocketTable>,
    unborn: HashMap<i32, SocketTable>,
    /// Whether the ends of descriptors are recorded, and the making of sockets. Without either, a number may
    /// be used again without a word.
    knows: Option<(bool, bool)>,
}

/// By descriptor.
type SocketTable = HashMap<i32, SocketState>;

#[derive(Debug, Clone)]
struct SocketState {
    /// The address of the peer, if it is connected or about to be.
    peer: Option<Rc<str>>,
    /// Since when that is known.
    since: u64,
    /// Whether it stays open when a program is executed.
    stays: bool,
}

const EINPROGRESS: i64 = 115;
const EALREADY: i64 = 114;
const EISCONN: i64 = 106;
const EINTR: i64 = 4;

impl Peers {
    /// Events are missing from `gaps`: a descriptor from before one may be another one since.
    pub fn new(gaps: Gaps) -> Peers {
        Peers {
            gaps,
            roles: HashMap::new(),
            calls: HashMap::new(),
            tables: HashMap::new(),
            made: HashMap::new(),
            unborn: HashMap::new(),
            knows: None,
        }
    }

    /// The peers of the descriptors that a record of a call's entry has, with the names of their fields. Ask
    /// before the record is added.
    pub fn peers(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Vec<(&'static str, Rc<str>)> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        let (knows_ends, knows_sockets) = *self.knows.get_or_insert_with(|| {
            let has = |event: &str| has_happened(trace, event);
            (has("close"), has("socket"))
        });
        let Some(format) = trace.events.get(record.id()).map(|event| event.format()) else {
            return Vec::new();
        };
        let tid = record.pid();
        let Some(table) = self.tables.get(&trace.tasks.tgid(tid).unwrap_or(tid)) else { return Vec::new() };
        let peer = |name: &&'static str| {
            let number = format.field(name)?.integer(record.payload)? as i32;
            let socket = table.get(&number)?;
            let is_known = knows_ends || (*name == "sockfd" && knows_sockets);
            let is_certain = is_known && !self.gaps.lie_between(socket.since, record.time);
            Some((*name, socket.peer.clone().filter(|_| is_certain)?))
        };
        role::DESCRIPTORS.iter().filter_map(peer).collect()
    }

    /// Looks at a record. All have to come, in the order of time.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) {
        let find = || {
            trace
                .events
                .get(record.id())
                .map_or(DescriptorRole::Other, |event| DescriptorRole::of(event, trace))
        };
        let (tid, payload) = (record.pid(), record.payload);
        let process = |tid: i32| trace.tasks.tgid(tid).unwrap_or(tid);
        match self.roles.entry(record.id()).or_insert_with(find) {
            DescriptorRole::Entry(action, fields) => {
                let action = *action;
                let argument = |field: &Option<_>| role::integer(field, payload).unwrap_or(-1);
                let arguments = fields.each_ref().map(argument);
                self.start(process(tid), tid, action, arguments);
                self.calls.entry(tid).or_default().push((record.id(), arguments));
            }
            DescriptorRole::Exit(id, action, fields) => {
                let (id, action, returned) = (*id, *action, fields.read(payload));
                let arguments = self.take(tid, id);
                self.end(process(tid), tid, action, arguments, &returned, record.time);
            }
            DescriptorRole::Fork(child) => {
                if let Some(child) = role::integer(child, payload).map(|child| child as i32)
                    && process(child) == child
                {
                    self.fork(process(tid), tid, child);
                }
            }
            DescriptorRole::Exec => {
                self.calls.remove(&tid);
                if let Some(table) = self.tables.get_mut(&process(tid)) {
                    table.retain(|_, socket| socket.stays);
                }
            }
            DescriptorRole::End(is_last) => {
                self.calls.remove(&tid);
                if role::integer(is_last, payload) == Some(1) {
                    self.tables.remove(&process(tid));
                }
            }
            DescriptorRole::Other => {}
        }
    }

    /// The arguments of the innermost call of this kind that a thread is in. Those in it were left by a jump.
    fn take(&mut self, tid: i32, id: u16) -> Option<[i64; 3]> {
        let calls = self.calls.get_mut(&tid)?;
        let place = calls.iter().rposition(|(call, _)| *call == id)?;
        calls.truncate(place + 1);
        calls.pop().map(|(_, arguments)| arguments)
    }

    fn start(&mut self, process: i32, tid: i32, action: DescriptorAction, [first, last, flags]: [i64; 3]) {
        const CLOSE_RANGE_CLOEXEC: i64 = 4;
        let Some(table) = self.tables.get_mut(&process) else { return };
        match action {
            DescriptorAction::Close => drop(table.remove(&(first as i32))),
            DescriptorAction::CloseFrom => table.retain(|number, _| i64::from(*number) < first),
            DescriptorAction::CloseRange => table.retain(|number, socket| {
                let is_meant = (first..=last).contains(&i64::from(*number));
                socket.stays &= !is_meant;
                !is_meant || flags & CLOSE_RANGE_CLOEXEC != 0
            }),
            DescriptorAction::Fork => drop(self.made.insert(tid, table.clone())),
            _ => {}
        }
    }

    fn end(
        &mut self,
        process: i32,
        tid: i32,
        action: DescriptorAction,
        arguments: Option<[i64; 3]>,
        returned: &CallOutcome,
        time: u64,
    ) {
        let result = returned.result;
        let [first, second, third] = arguments.unwrap_or([-1; 3]);
        if let DescriptorAction::Fork = action {
            let made = self.made.remove(&tid).filter(|_| result > 0);
            let child = result as i32;
            if let Some(made) = made.filter(|_| !self.tables.contains_key(&child)) {
                self.unborn.insert(child, made);
            }
            return;
        }
        let table = self.tables.entry(process).or_default();
        let stays = |flags: i64| arguments.is_some() && flags & O_CLOEXEC == 0;
        const O_CLOEXEC: i64 = 0o2_000_000;
        let peer = returned.address.as_deref().filter(|address| !address.is_empty()).map(Rc::from);
        match action {
            DescriptorAction::Accept if result >= 0 => {
                let socket = SocketState { peer, since: time, stays: stays(first.max(0)) };
                table.insert(result as i32, socket);
            }
            DescriptorAction::Socket if result >= 0 => {
                table.insert(result as i32, SocketState { peer: None, since: time, stays: stays(first) });
            }
            DescriptorAction::Connect if first >= 0 => {
                let socket = table.entry(first as i32);
                let socket = socket.or_insert(SocketState { peer: None, since: time, stays: false });
                match returned.error {
                    // A peer of no family dissolves the association.
                    0 | EINPROGRESS | EINTR => {
                        socket.peer = peer.filter(|peer: &Rc<str>| &**peer != "family 0")
                    }
                    EALREADY | EISCONN => {}
                    _ => socket.peer = None,
                }
                socket.since = time;
            }
            // The connection could not be made: SO_ERROR says so.
            DescriptorAction::Option if (second, third) == (SOL_SOCKET, SO_ERROR) && returned.value != 0 => {
                table.entry(first as i32).and_modify(|socket| socket.peer = None);
            }
            DescriptorAction::Duplicate if result >= 0 => copy(table, first, result, stays(third.max(0))),
            DescriptorAction::Control if result >= 0 => match second {
                F_DUPFD | F_DUPFD_CLOEXEC => copy(table, first, result, second == F_DUPFD),
                F_SETFD => {
                    table.entry(first as i32).and_modify(|socket| socket.stays = third & 1 == 0);
                }
                _ => {}
            },
            DescriptorAction::New => {
                table.remove(&(result as i32));
                returned.pair.iter().for_each(|number| drop(table.remove(number)));
            }
            _ => {}
        }
    }

    fn fork(&mut self, parent: i32, tid: i32, child: i32) {
        let unborn = self.unborn.remove(&child);
        let table =
            unborn.or_else(|| self.made.get(&tid).cloned()).or_else(|| self.tables.get(&parent).cloned());
        if let Some(table) = table {
            self.tables.insert(child, table);
        }
    }
}

const SOL_SOCKET: i64 = 1;
const SO_ERROR: i64 = 4;
const F_DUPFD: i64 = 0;
const F_SETFD: i64 = 2;
const F_DUPFD_CLOEXEC: i64 = 1030;

/// Makes `to` what `from` is.
fn copy(table: &mut SocketTable, from: i64, to: i64, stays: bool) {
    match table.get(&(from as i32)).cloned() {
        Some(_) if from == to => {}
        Some(socket) => drop(table.insert(to as i32, SocketState { stays, ..socket })),
        None => drop(table.remove(&(to as i32))),
    }
}

/// Whether a trace has an event of libc's: it describes those that have happened.
fn has_happened(trace: &TraceInfo<'_>, event: &str) -> bool {
    let libc = trace.metadata.systems.iter().filter(|system| system.name == events::LIBC);
    let name = format!("name: {event}\n");
    libc.flat_map(|system| &system.formats).any(|format| format.starts_with(&name))
}
