//! What leads from one record to another: a fork to what the child does, bytes from where they are written to
//! where they are read, a connection to where it is accepted, a span to where it is entered.

mod channel_queue;
mod link_role;

use crate::async_tasks::WakerAction;
use crate::by_event::ByEvent;
use crate::descriptors::{DescriptorChannel, Descriptors, SocketPlace};
use channel_queue::ChannelQueue;
use foldhash::{HashMap, HashSet};
use link_role::LinkRole;
use std::collections::VecDeque;
use std::rc::Rc;
use trace_data::format::Field;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// A link that a record is at. All records with the same number are linked, one to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLink {
    /// Its number: small ones are counted, those of spans are large.
    pub id: u64,
    /// The time of the record at which it begins; of a span, that of this record.
    pub begun: u64,
    /// Whether it ends there.
    pub is_end: bool,
}

impl RecordLink {
    /// Its end.
    fn end(self) -> RecordLink {
        RecordLink { is_end: true, ..self }
    }
}

/// What a record does to links, and to what goes through descriptors.
#[derive(Debug)]
pub struct LinkedRecord<'a> {
    /// The links that it is at.
    pub links: &'a [RecordLink],
    /// Whether descriptors may have been opened or closed by it, or bytes written or read.
    pub counts: bool,
}

/// Finds links between records. Takes memory for each descriptor that is open, and for what is under way.
#[derive(Debug)]
pub struct RecordLinks {
    descriptors: Descriptors,
    /// By event id.
    roles: ByEvent<Rc<LinkRole>>,
    /// How many links there have been.
    count: u64,
    /// The links of children that have done nothing yet.
    born: HashMap<i32, RecordLink>,
    /// What is on its way to the ends of channels.
    queues: HashMap<DescriptorChannel, ChannelQueue>,
    /// Channels through which something has gone that nobody knows of.
    doubted: HashSet<DescriptorChannel>,
    /// The calls on channels that threads are in.
    calls: HashMap<i32, ChannelCall>,
    /// The sockets that threads read from since before it was known where that comes from, and whether they
    /// take what they read.
    early: HashMap<i32, (SocketPlace, bool)>,
    /// The descriptors of sockets in calls that threads are in, with the process.
    sockets: HashMap<i32, (i32, i64)>,
    /// The addresses that sockets are bound to, by process and descriptor.
    bound: HashMap<(i32, i64), String>,
    /// The links of connections that are being made, by thread; where they are not yet accepted.
    connecting: HashMap<i32, Option<RecordLink>>,
    /// Those of connections that are made and not accepted yet, by address; None for those accepted before.
    connections: HashMap<String, VecDeque<Option<RecordLink>>>,
    found: Vec<RecordLink>,
}

/// A call that reads from an end of a channel, or writes so that it comes there.
#[derive(Debug, Clone, Copy)]
struct ChannelCall {
    end: DescriptorChannel,
    /// The number of the write in its queue.
    write: Option<u64>,
}

impl RecordLinks {
    /// Events are missing from `gaps`.
    pub fn new(gaps: Gaps) -> RecordLinks {
        RecordLinks {
            descriptors: Descriptors::new(gaps),
            roles: ByEvent::default(),
            count: 0,
            born: HashMap::default(),
            queues: HashMap::default(),
            doubted: HashSet::default(),
            calls: HashMap::default(),
            early: HashMap::default(),
            sockets: HashMap::default(),
            bound: HashMap::default(),
            connecting: HashMap::default(),
            connections: HashMap::default(),
            found: Vec::new(),
        }
    }

    /// Looks at a record. All have to come, in the order of time. Of one that is not chosen no link begins.
    pub fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) -> LinkedRecord<'_> {
        self.found.clear();
        let tid = record.pid();
        if is_chosen
            && !self.born.is_empty()
            && let Some(link) = self.born.remove(&tid)
        {
            self.found.push(link.end());
        }
        let find = || {
            let event = trace.events.get(record.id());
            Rc::new(event.map_or(LinkRole::Other, |event| LinkRole::of(event.format())))
        };
        let role = Rc::clone(self.roles.of(record.id(), find));
        // What a descriptor refers to is to be known before the call changes that.
        self.apply(&role, record, is_chosen, trace);
        let is_of_descriptors = self.descriptors.add(record, trace);
        let moves = matches!(*role, LinkRole::Write { .. } | LinkRole::Moved(_));
        if matches!(*role, LinkRole::Close) {
            self.forget_closed();
        }
        LinkedRecord { links: &self.found, counts: is_of_descriptors || moves }
    }

    /// How many descriptors of a process are open that were opened, or inherited, in the trace.
    pub fn open_descriptors(&self, process: i32) -> usize {
        self.descriptors.open(process)
    }

    /// Bytes that are written to pipes and socket pairs and not read yet.
    pub fn bytes_in_flight(&self) -> u64 {
        let local = self.queues.iter().filter(|(end, _)| end.is_local());
        local.map(|(_, queue)| queue.bytes()).sum()
    }

    /// The channel that the descriptor in a field of a call's entry is an end of, if all that goes through it
    /// is known.
    fn channel(
        &mut self,
        field: &str,
        record: &Record<'_>,
        trace: &TraceInfo<'_>,
    ) -> Option<DescriptorChannel> {
        let channel = self.descriptors.channel(field, record, trace)?;
        (!self.doubted.contains(&channel)).then_some(channel)
    }

    /// The call on a channel that a thread is in, which ends with this result.
    fn call(&mut self, tid: i32, result: i64) -> Option<ChannelCall> {
        if let Some((socket, takes)) = self.early.remove(&tid) {
            let end = self.descriptors.channel_at(socket);
            if end.is_none() && result > 0 {
                self.descriptors.used(socket);
            }
            return end
                .filter(|end| takes && !self.doubted.contains(end))
                .map(|end| ChannelCall { end, write: None });
        }
        self.calls.remove(&tid)
    }

    /// Something has gone through a channel that nobody knows of: what is read there can be anybody's.
    fn doubt(&mut self, channel: DescriptorChannel) {
        for end in [channel, channel.other()] {
            self.queues.remove(&end);
            self.doubted.insert(end);
        }
    }

    fn apply(&mut self, role: &LinkRole, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        let (tid, payload) = (record.pid(), record.payload);
        let process = trace.tasks.tgid(tid).unwrap_or(tid);
        match role {
            LinkRole::Fork(child) => {
                if let Some(child) = child.integer(payload).filter(|_| is_chosen) {
                    let link = self.begin(record.time);
                    self.born.insert(child as i32, link);
                }
            }
            LinkRole::Span(span) => {
                self.found.extend(span_link(span, process, record).filter(|_| is_chosen));
            }
            LinkRole::Waker { span, fields } => {
                let is_woken = fields.action(payload).is_some_and(WakerAction::wakes);
                let spans = [Some(span), Some(&fields.task).filter(|_| is_woken)];
                let links = spans.into_iter().flatten().filter_map(|span| span_link(span, process, record));
                self.found.extend(links.filter(|_| is_chosen));
            }
            LinkRole::Write { field, count } => {
                let Some(channel) = self.channel(field, record, trace) else {
                    let socket = self.descriptors.fresh(field, record, trace);
                    return socket.into_iter().for_each(|socket| self.descriptors.used(socket));
                };
                let size = count.as_ref().and_then(|count| count.integer(payload)).map(|count| count as u64);
                let link = is_chosen.then(|| self.begin(record.time));
                let end = channel.other();
                let queue = self.queues.entry(end).or_default();
                let write = queue.push(link, size);
                if !end.is_local() && queue.len() > UNREAD {
                    return self.doubt(channel);
                }
                self.calls.insert(tid, ChannelCall { end, write: Some(write) });
            }
            LinkRole::Moves(fields) => {
                for field in fields {
                    if let Some(channel) = self.channel(field, record, trace).filter(|it| it.has_bytes()) {
                        self.doubt(channel);
                    }
                }
            }
            LinkRole::Read { field, flags } => {
                let flags = flags.as_ref().and_then(|flags| flags.integer(payload)).unwrap_or(0);
                if let Some(end) = self.channel(field, record, trace).filter(|_| flags & MSG_PEEK == 0) {
                    self.calls.insert(tid, ChannelCall { end, write: None });
                } else if let Some(socket) = self.descriptors.fresh(field, record, trace) {
                    self.early.insert(tid, (socket, flags & MSG_PEEK == 0));
                }
            }
            LinkRole::Moved(result) => {
                let result = result.integer(payload).unwrap_or(-1);
                let Some(ChannelCall { end, write }) = self.call(tid, result) else { return };
                let queue = self.queues.entry(end).or_default();
                match write {
                    Some(write) => queue.written(write, result.max(0) as u64),
                    None if result > 0 && end.has_bytes() && !queue.may_have(result as u64) => {
                        self.doubt(end)
                    }
                    None if result > 0 => {
                        let size = if end.has_bytes() { result as u64 } else { u64::MAX };
                        let links = queue.read(size);
                        let ends = links.map(RecordLink::end);
                        self.found.extend(ends.filter(|_| is_chosen));
                    }
                    None => {}
                }
            }
            LinkRole::Socket(socket) => {
                if let Some(socket) = socket.integer(payload) {
                    self.sockets.insert(tid, (process, socket));
                }
            }
            LinkRole::Bound { result, address } => {
                let socket = self.sockets.remove(&tid).filter(|_| result.integer(payload) == Some(0));
                if let Some((socket, address)) = socket.zip(address.string(payload)) {
                    self.bound.insert(socket, address.into_owned());
                }
            }
            LinkRole::Connect => {
                let link = is_chosen.then(|| self.begin(record.time));
                self.connecting.insert(tid, link);
            }
            LinkRole::Connected { result, error, address } => {
                let link = self.connecting.remove(&tid).flatten();
                let error = error.as_ref().and_then(|error| error.integer(payload)).unwrap_or_default();
                let is_made = result.integer(payload) == Some(0) || error == EINPROGRESS;
                if let Some((link, address)) = link.zip(address.string(payload).filter(|_| is_made)) {
                    self.connect(link, &address);
                }
            }
            LinkRole::Accepted(result) => {
                let socket = self.sockets.remove(&tid).filter(|_| result.integer(payload) >= Some(0));
                if let Some(address) = socket.and_then(|socket| self.bound.get(&socket)) {
                    let key = listening(address).to_owned();
                    let link = self.accept(key).filter(|_| is_chosen);
                    self.found.extend(link.map(RecordLink::end));
                }
            }
            LinkRole::Close | LinkRole::Other => {}
        }
    }

    /// A link begins at the record, which is of this time.
    fn begin(&mut self, time: u64) -> RecordLink {
        self.count += 1;
        let link = RecordLink { id: self.count, begun: time, is_end: false };
        self.found.push(link);
        link
    }

    /// A socket is connected to an address: it waits for whoever listens there.
    fn connect(&mut self, link: RecordLink, address: &str) {
        let any = listening(address);
        if self.bound.values().any(|bound| listening(bound) == any) {
            let waiting = self.connections.entry(any.to_owned()).or_default();
            match waiting.front() {
                Some(None) => drop(waiting.pop_front()),
                _ => waiting.push_back(Some(link)),
            }
        }
    }

    /// A connection is accepted. Its link: that it is made is often recorded later, and then the link is
    /// known where a single one is being made.
    fn accept(&mut self, key: String) -> Option<RecordLink> {
        let waiting = self.connections.entry(key).or_default();
        if let Some(Some(_)) = waiting.front() {
            return waiting.pop_front().flatten();
        }
        let mut being_made = self.connecting.values_mut().filter(|link| link.is_some());
        match (being_made.next(), being_made.next()) {
            (Some(link), None) => link.take(),
            _ => {
                waiting.push_back(None);
                None
            }
        }
    }

    /// Bytes whose reader has closed its end are on their way no more.
    fn forget_closed(&mut self) {
        if self.queues.len() + self.doubted.len() < MANY && self.bytes_in_flight() == 0 {
            return;
        }
        let descriptors = &self.descriptors;
        self.queues.retain(|end, _| descriptors.has(*end));
        self.doubted.retain(|end| descriptors.has(*end));
    }
}

/// The numbers of links between spans have this bit.
const SPANS: u64 = 1 << 63;

/// The link of the span whose number is in a field.
fn span_link(span: &Field, process: i32, record: &Record<'_>) -> Option<RecordLink> {
    let span = span.integer(record.payload).filter(|span| *span != 0)?;
    let id = SPANS | (process as u64) << 40 ^ span as u64 & !SPANS;
    Some(RecordLink { id, begun: record.time, is_end: false })
}

/// Channels that are looked through for those that are closed even if nothing is on its way.
const MANY: usize = 256;

/// Writes to a connection that are not read in the trace: whoever reads them may not be in it.
const UNREAD: usize = 1024;

const EINPROGRESS: i64 = 115;
const MSG_PEEK: i64 = 2;

/// What those that listen at an address are found by: the port, or the path.
fn listening(address: &str) -> &str {
    match address.rsplit_once(':') {
        Some((_, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => port,
        _ => address,
    }
}
