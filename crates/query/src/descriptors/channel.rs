//! What bytes go through from one descriptor to another.

/// An end of a channel, which all copies of a descriptor are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DescriptorChannel {
    /// Counted from the first one in the trace.
    pub(super) id: u64,
    pub(super) kind: ChannelKind,
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ChannelKind {
    Pipe,
    /// Two sockets.
    Sockets,
    /// The two sockets of a connection.
    Connection,
    /// An eventfd, whose one end is both.
    Counter,
}

impl DescriptorChannel {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self.kind {
            ChannelKind::Pipe => "pipe",
            ChannelKind::Sockets => "socket pair",
            ChannelKind::Connection => "connection",
            ChannelKind::Counter => "eventfd",
        }
    }

    /// Whether bytes go through, and not a number.
    pub(crate) fn has_bytes(self) -> bool {
        self.kind != ChannelKind::Counter
    }

    /// Whether what is on its way is nowhere but on this machine.
    pub(crate) fn is_local(self) -> bool {
        self.kind != ChannelKind::Connection
    }

    /// The end that gets what is written to this one, and is free again for what is read from it.
    pub(crate) fn other(self) -> DescriptorChannel {
        match self.kind {
            ChannelKind::Counter => self,
            _ => DescriptorChannel { end: 1 - self.end, ..self },
        }
    }
}
