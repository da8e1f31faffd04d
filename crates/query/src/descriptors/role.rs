//! What events say of descriptors.

use super::channel::ChannelKind;
use trace_data::event::Event;
use trace_data::format::{Field, Format};
use trace_data::info::TraceInfo;

/// The fields of entries that have descriptors.
const DESCRIPTORS: [&str; 10] =
    ["fd", "sockfd", "oldfd", "in_fd", "out_fd", "fd_in", "fd_out", "dirfd", "olddirfd", "newdirfd"];

/// A field that has a descriptor: its name, and where it is.
pub(super) type DescriptorField = (&'static str, Field);

/// The fields of a format that have descriptors.
pub(super) fn descriptors(format: &Format) -> impl Iterator<Item = DescriptorField> {
    DESCRIPTORS.iter().filter_map(|name| Some((*name, format.field(name)?.clone())))
}

/// What an event says of descriptors.
#[derive(Debug)]
pub(super) enum DescriptorRole {
    /// A call starts, with these arguments.
    Entry(DescriptorAction, [Option<Field>; 3]),
    /// The call with this id ends.
    Exit(u16, DescriptorAction, Box<ReturnFields>),
    /// A process has made this child.
    Fork(Option<Field>),
    /// A process executes a program.
    Exec,
    /// A thread ends: the last one of its process, as the field says.
    End(Option<Field>),
    Other,
}

/// What a call does to descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DescriptorAction {
    /// Opens a file by its path.
    Open,
    Accept,
    Socket,
    /// Gives a socket its own address, or asks for it.
    Address,
    Connect,
    Option,
    Duplicate,
    Control,
    /// Makes the ends of a channel.
    Channel(ChannelKind),
    /// Makes a descriptor that has no name.
    New,
    Close,
    CloseFrom,
    CloseRange,
    Fork,
    Spawn,
}

/// The fields of an exit.
#[derive(Debug)]
pub(super) struct ReturnFields {
    result: Option<Field>,
    error: Option<Field>,
    address: Option<Field>,
    path: Option<Field>,
    value: Option<Field>,
    pair: Option<Field>,
    child: Option<Field>,
}

/// What a call has returned.
#[derive(Debug)]
pub(super) struct CallOutcome {
    pub(super) result: i64,
    pub(super) error: i64,
    pub(super) address: Option<String>,
    pub(super) path: Option<String>,
    /// That of an option.
    pub(super) value: i64,
    /// Two new descriptors.
    pub(super) pair: Vec<i32>,
    /// The child that was spawned, 0 where that isn't known.
    pub(super) child: i64,
}

impl DescriptorRole {
    /// What the records of an event say.
    pub(super) fn of(event: &Event, trace: &TraceInfo<'_>) -> DescriptorRole {
        let format = event.format();
        let field = |name: &str| format.field(name).cloned();
        match (format.system.as_str(), format.name.as_str()) {
            ("sched", "sched_process_fork") => return DescriptorRole::Fork(field("child_pid")),
            ("sched", "sched_process_exec") => return DescriptorRole::Exec,
            ("sched", "sched_process_exit") => return DescriptorRole::End(field("group_dead")),
            (events::LIBC, _) => {}
            _ => return DescriptorRole::Other,
        }
        if let Some((action, names)) = action(&format.name) {
            return DescriptorRole::Entry(action, names.map(field));
        }
        let entry = format.name.strip_suffix("_exit");
        let id = entry.and_then(|entry| trace.events.named(events::LIBC, entry));
        match (id, entry.and_then(action)) {
            (Some(entry), Some((action, _))) => {
                DescriptorRole::Exit(entry.format().id, action, Box::new(ReturnFields::of(format)))
            }
            _ => DescriptorRole::Other,
        }
    }
}

/// What a call does, and which arguments matter.
fn action(call: &str) -> Option<(DescriptorAction, [&'static str; 3])> {
    Some(match call {
        "accept" => (DescriptorAction::Accept, ["", "sockfd", ""]),
        "accept4" => (DescriptorAction::Accept, ["flags", "sockfd", ""]),
        "bind" | "getsockname" => (DescriptorAction::Address, ["sockfd", "", ""]),
        "socket" => (DescriptorAction::Socket, ["kind", "", ""]),
        "connect" => (DescriptorAction::Connect, ["sockfd", "", ""]),
        "getsockopt" => (DescriptorAction::Option, ["sockfd", "level", "optname"]),
        "dup" => (DescriptorAction::Duplicate, ["oldfd", "", ""]),
        "dup2" | "dup3" => (DescriptorAction::Duplicate, ["oldfd", "newfd", "flags"]),
        "fcntl" => (DescriptorAction::Control, ["fd", "cmd", "arg"]),
        // fclose(3) and closedir(3) close what a stream is made of, which they don't say.
        "close" | "fdopen" | "fdopendir" => (DescriptorAction::Close, ["fd", "", ""]),
        "closefrom" => (DescriptorAction::CloseFrom, ["lowfd", "", ""]),
        "close_range" => (DescriptorAction::CloseRange, ["first", "last", "flags"]),
        "fork" | "vfork" => (DescriptorAction::Fork, [""; 3]),
        "posix_spawn" | "posix_spawnp" => (DescriptorAction::Spawn, [""; 3]),
        "open" => (DescriptorAction::Open, ["flags", "", ""]),
        "openat" => (DescriptorAction::Open, ["flags", "dirfd", ""]),
        "creat" => (DescriptorAction::Open, [""; 3]),
        "pipe" => (DescriptorAction::Channel(ChannelKind::Pipe), [""; 3]),
        "pipe2" => (DescriptorAction::Channel(ChannelKind::Pipe), ["flags", "", ""]),
        "socketpair" => (DescriptorAction::Channel(ChannelKind::Sockets), ["", "kind", ""]),
        "eventfd" => (DescriptorAction::Channel(ChannelKind::Counter), ["flags", "", ""]),
        "memfd_create" | "epoll_create" | "epoll_create1" | "timerfd_create" | "signalfd"
        | "inotify_init" | "inotify_init1" | "mkstemp" | "mkostemp" | "mkstemps" | "mkostemps"
        | "shm_open" | "posix_openpt" => (DescriptorAction::New, [""; 3]),
        _ => return None,
    })
}

impl ReturnFields {
    fn of(format: &Format) -> ReturnFields {
        let field = |name: &str| format.field(name).cloned();
        ReturnFields {
            result: field("ret"),
            error: field("error"),
            address: field("addr"),
            path: field("pathname"),
            value: field("optval"),
            pair: field("pipefd").or_else(|| field("sv")),
            child: field("pid"),
        }
    }

    /// Their values in a record.
    pub(super) fn read(&self, payload: &[u8]) -> CallOutcome {
        let pair = |field: &Field| {
            (0..2).filter_map(|index| field.element(payload, index)).map(|fd| fd as i32).collect()
        };
        let text = |field: &Option<Field>| {
            field.as_ref().and_then(|field| field.string(payload)).map(|text| text.into_owned())
        };
        CallOutcome {
            result: integer(&self.result, payload).unwrap_or(-1),
            error: integer(&self.error, payload).unwrap_or(0),
            address: text(&self.address),
            path: text(&self.path),
            value: integer(&self.value, payload).unwrap_or(0),
            pair: self.pair.as_ref().map_or_else(Vec::new, pair),
            child: integer(&self.child, payload).unwrap_or(0),
        }
    }
}

/// The number in a field, if there is one.
pub(super) fn integer(field: &Option<Field>, payload: &[u8]) -> Option<i64> {
    field.as_ref()?.integer(payload)
}
