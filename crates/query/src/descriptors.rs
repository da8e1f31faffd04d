//! The names of descriptors: the paths of files, and whom sockets are connected to.
//!
//! Only open(2), connect(2) and accept(2) have them; other calls have the descriptor alone, and the program
//! is not asked. So descriptors are followed from their making to their end, through copies, forks and
//! programs.

mod channel;
mod connections;
mod lookup;
mod role;
mod state;

pub(crate) use channel::DescriptorChannel;
pub(crate) use connections::SocketPlace;

use crate::by_event::ByEvent;
use crate::event_ids::has_happened;
use channel::ChannelKind;
use connections::Connections;
use foldhash::HashMap;
use role::{CallOutcome, DescriptorAction, DescriptorField, DescriptorRole};
use state::{DescriptorState, DescriptorTable, copy, path_from};
use std::cell::RefCell;
use std::rc::Rc;
use trace_data::format::Format;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Follows the descriptors of a trace. Takes memory for each that is open.
#[derive(Debug)]
pub struct Descriptors {
    gaps: Gaps,
    /// By event id.
    roles: ByEvent<DescriptorRole>,
    /// Likewise, which fields have descriptors.
    fields: RefCell<ByEvent<Rc<[DescriptorField]>>>,
    /// The calls on descriptors that each thread is in, the innermost last: the entry's id, and arguments.
    calls: HashMap<i32, Vec<(u16, [i64; 3])>>,
    /// By process.
    tables: HashMap<i32, DescriptorTable>,
    /// What children have that have not started yet: by the thread that makes one, then by the child.
    made: HashMap<i32, DescriptorTable>,
    unborn: HashMap<i32, DescriptorTable>,
    /// Whether the ends of descriptors are recorded, and the making of sockets. Without either, a number may
    /// be used again without a word.
    knows: Option<(bool, bool)>,
    /// How many channels there have been.
    channels: u64,
    /// Sockets whose peers may come to be known.
    connections: Connections,
}

const EINPROGRESS: i64 = 115;
const EALREADY: i64 = 114;
const EISCONN: i64 = 106;
const EINTR: i64 = 4;

impl Descriptors {
    /// Events are missing from `gaps`: a descriptor from before one may be another one since.
    pub fn new(gaps: Gaps) -> Descriptors {
        Descriptors {
            gaps,
            roles: ByEvent::default(),
            fields: RefCell::default(),
            calls: HashMap::default(),
            tables: HashMap::default(),
            made: HashMap::default(),
            unborn: HashMap::default(),
            knows: None,
            channels: 0,
            connections: Connections::default(),
        }
    }

    /// Whether records of this format have descriptors.
    pub fn are_in(format: &Format) -> bool {
        role::descriptors(format).next().is_some()
    }

    /// Bytes are moved through a socket whose peer isn't known.
    pub(crate) fn used(&mut self, (process, number): SocketPlace) {
        if let Some(state) = self.tables.get_mut(&process).and_then(|table| table.get_mut(&number)) {
            state.is_fresh = false;
        }
    }

    /// The channel that a socket is an end of by now.
    pub(crate) fn channel_at(&self, (process, number): SocketPlace) -> Option<DescriptorChannel> {
        self.tables.get(&process)?.get(&number)?.channel
    }

    /// How many descriptors of a process are open, as far as that is known.
    pub(crate) fn open(&self, process: i32) -> usize {
        self.tables.get(&process).map_or(0, HashMap::len)
    }

    /// Whether anybody has an end of a channel.
    pub(crate) fn has(&self, end: DescriptorChannel) -> bool {
        let tables = self.tables.values().chain(self.unborn.values()).chain(self.made.values());
        tables.flat_map(HashMap::values).any(|state| state.channel == Some(end))
    }

    /// Looks at a record. All have to come, in the order of time. Whether it is about descriptors.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> bool {
        self.knows.get_or_insert_with(|| {
            let has = |event: &str| has_happened(trace, events::LIBC, event);
            (has("close"), has("socket"))
        });
        let find = || {
            trace
                .events
                .get(record.id())
                .map_or(DescriptorRole::Other, |event| DescriptorRole::of(event, trace))
        };
        let (tid, payload) = (record.pid(), record.payload);
        let process = |tid: i32| trace.tasks.tgid(tid).unwrap_or(tid);
        match self.roles.of(record.id(), find) {
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
            DescriptorRole::Other => return false,
        }
        true
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
            DescriptorAction::Fork => {
                table.values_mut().for_each(|state| state.is_fresh = false);
                drop(self.made.insert(tid, table.clone()));
            }
            // What it changes in the child's descriptors is not recorded.
            DescriptorAction::Spawn => drop(self.made.insert(tid, DescriptorTable::default())),
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
        match (action, result) {
            (DescriptorAction::Fork, _) => return self.make_child(tid, result),
            // Without its number it is the next child of this thread.
            (DescriptorAction::Spawn, 0) if returned.child == 0 => return,
            (DescriptorAction::Spawn, 0) => return self.make_child(tid, returned.child),
            (DescriptorAction::Spawn, _) => return self.make_child(tid, -1),
            _ => {}
        }
        let channel = self.channels;
        let table = self.tables.entry(process).or_default();
        let stays = |flags: i64| arguments.is_some() && flags & O_CLOEXEC == 0;
        const O_CLOEXEC: i64 = 0o2_000_000;
        let peer = returned.address.as_deref().filter(|address| !address.is_empty()).map(Rc::from);
        let new = DescriptorState { since: time, ..DescriptorState::default() };
        let socket = |name, stays| DescriptorState { name, is_socket: true, stays, ..new.clone() };
        let mut changed = None;
        match action {
            DescriptorAction::Open if result >= 0 => {
                let path = returned.path.as_deref().filter(|path| !path.is_empty());
                let name = path.and_then(|path| path_from(path, second, table));
                let state = DescriptorState { name, stays: stays(first.max(0)), ..new };
                table.insert(result as i32, state);
            }
            DescriptorAction::Accept if result >= 0 => {
                let listener = table.get(&(second as i32)).and_then(|state| state.own.clone());
                let accepted = socket(peer, stays(first.max(0)));
                table.insert(result as i32, DescriptorState { listener, is_fresh: true, ..accepted });
                changed = Some(result as i32);
            }
            DescriptorAction::Address if result == 0 => {
                if let Some(state) = table.get_mut(&(first as i32)) {
                    state.own = peer;
                    changed = Some(first as i32);
                }
            }
            DescriptorAction::Socket if result >= 0 => {
                table.insert(result as i32, socket(None, stays(first)));
            }
            DescriptorAction::Connect if first >= 0 => {
                let socket = table.entry(first as i32).or_insert(socket(None, false));
                match returned.error {
                    // A peer of no family dissolves the association.
                    0 | EINPROGRESS | EINTR => {
                        socket.name = peer.filter(|peer: &Rc<str>| &**peer != "family 0");
                        (socket.channel, socket.is_fresh) = (None, true);
                    }
                    EALREADY | EISCONN => {}
                    _ => socket.name = None,
                }
                socket.since = time;
                changed = Some(first as i32);
            }
            // The connection could not be made: SO_ERROR says so.
            DescriptorAction::Option if (second, third) == (SOL_SOCKET, SO_ERROR) && returned.value != 0 => {
                table.entry(first as i32).and_modify(|socket| socket.name = None);
            }
            DescriptorAction::Duplicate if result >= 0 => copy(table, first, result, stays(third.max(0))),
            DescriptorAction::Control if result >= 0 => match second {
                F_DUPFD | F_DUPFD_CLOEXEC => copy(table, first, result, second == F_DUPFD),
                F_SETFD => {
                    table.entry(first as i32).and_modify(|socket| socket.stays = third & 1 == 0);
                }
                _ => {}
            },
            DescriptorAction::Channel(kind) if result >= 0 => {
                let stays = stays(if kind == ChannelKind::Sockets { second } else { first }.max(0));
                let ends = match kind {
                    ChannelKind::Counter => vec![result as i32],
                    _ => returned.pair.clone(),
                };
                for (end, number) in ends.into_iter().enumerate() {
                    let channel = Some(DescriptorChannel { id: channel, kind, end });
                    let is_socket = kind == ChannelKind::Sockets;
                    table.insert(number, DescriptorState { is_socket, channel, stays, ..new.clone() });
                }
                self.channels += 1;
            }
            DescriptorAction::New => {
                table.remove(&(result as i32));
            }
            _ => {}
        }
        if let Some(number) = changed
            && self.connections.look((process, number), &mut self.tables, channel)
        {
            self.channels += 1;
        }
    }

    /// A thread has made a child, which has not started yet, or else its start was seen.
    fn make_child(&mut self, tid: i32, child: i64) {
        let made = self.made.remove(&tid).filter(|_| child > 0);
        let child = child as i32;
        if let Some(made) = made.filter(|_| !self.tables.contains_key(&child)) {
            self.unborn.insert(child, made);
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
