//! What an event says of links.

use crate::async_tasks::WakerFields;
use crate::waits::reads;
use events::{LIBC, sched};
use trace_data::format::{Field, Format};

/// What an event says of links.
#[derive(Debug, Clone)]
pub(super) enum LinkRole {
    /// A process or thread is made.
    Fork(Field),
    /// A span is made or entered.
    Span(Field),
    /// In a span something is done with what wakes the task of another span.
    Waker {
        span: Field,
        fields: WakerFields,
    },
    /// A call writes so many bytes to the descriptor in a field.
    Write {
        field: &'static str,
        count: Option<Field>,
    },
    /// A call reads; or has a look at what could be read, by its flags.
    Read {
        field: &'static str,
        flags: Option<Field>,
    },
    /// A call moves bytes to or from the descriptors in these fields, and says not how many of which.
    Moves(Vec<&'static str>),
    /// It has written or read so many bytes.
    Moved(Field),
    /// A call on a socket begins: bind(2), accept(2).
    Socket(Field),
    /// A socket is bound.
    Bound {
        result: Field,
        address: Field,
    },
    /// A socket is about to be connected.
    Connect,
    /// A socket is connected.
    Connected {
        result: Field,
        error: Option<Field>,
        address: Field,
    },
    /// A connection is accepted.
    Accepted(Field),
    /// Descriptors may be closed.
    Close,
    Other,
}

/// Calls that write to a descriptor.
fn writes(call: &str) -> bool {
    matches!(call, "write" | "writev" | "eventfd_write" | "send" | "sendto" | "sendmsg")
}

/// Calls that move bytes, and return something else than how many of a descriptor's these are.
fn moves_otherwise(call: &str) -> bool {
    matches!(
        call,
        "sendmmsg"
            | "recvmmsg"
            | "sendfile"
            | "splice"
            | "tee"
            | "vmsplice"
            | "copy_file_range"
            | "dprintf"
            | "vdprintf"
    )
}

impl LinkRole {
    pub(super) fn of(format: &Format) -> LinkRole {
        let field = |name: &str| format.field(name).cloned();
        let is = |event: events::EventType| format.is(event.system, event.name);
        if let Some((fields, span)) = WakerFields::of(format).zip(field("span")) {
            return LinkRole::Waker { span, fields };
        }
        let found = match format.name.as_str() {
            _ if is(sched::FORK) => field("child_pid").map(LinkRole::Fork),
            _ if is(sched::EXIT) || is(sched::EXEC) => Some(LinkRole::Close),
            name if format.system == LIBC => LinkRole::of_call(name, format),
            name if !name.ends_with("_exit") && !name.ends_with("_close") => {
                field("span").filter(|span| span.size == 8).map(LinkRole::Span)
            }
            _ => None,
        };
        found.unwrap_or(LinkRole::Other)
    }

    fn of_call(name: &str, format: &Format) -> Option<LinkRole> {
        let field = |name: &str| format.field(name).cloned();
        let descriptor = ["fd", "sockfd"].into_iter().find(|name| format.field(name).is_some());
        Some(match name {
            "close" | "close_range" | "closefrom" => LinkRole::Close,
            "bind" | "accept" | "accept4" => LinkRole::Socket(field("sockfd")?),
            "connect" => LinkRole::Connect,
            "bind_exit" => LinkRole::Bound { result: field("ret")?, address: field("addr")? },
            "connect_exit" => {
                LinkRole::Connected { result: field("ret")?, error: field("error"), address: field("addr")? }
            }
            "accept_exit" | "accept4_exit" => LinkRole::Accepted(field("ret")?),
            name if writes(name) => {
                LinkRole::Write { field: descriptor?, count: field("count").or_else(|| field("len")) }
            }
            name if moves_otherwise(name) => {
                let fields = ["fd", "sockfd", "in_fd", "out_fd", "fd_in", "fd_out"];
                LinkRole::Moves(fields.into_iter().filter(|name| format.field(name).is_some()).collect())
            }
            name if reads(name) => LinkRole::Read { field: descriptor?, flags: field("flags") },
            name => {
                let call = name.strip_suffix("_exit")?;
                LinkRole::Moved(field("ret").filter(|_| writes(call) || reads(call))?)
            }
        })
    }
}
