//! Kinds of arguments and results: what an event records of them.
//!
//! Arguments and results are words here, as the call's registers hold them; the field says how many bytes of
//! a word count. A new kind is one line. The agent reads what a [`Pointee`] says when the call returns.

use crate::{FieldKind, names};

/// A kind of argument.
pub trait Argument {
    /// Its field in the event at the call's entry.
    const ENTRY: FieldKind;
    /// What its field in the event at the call's exit has, if it has one there.
    const EXIT: Option<Pointee> = None;
}

/// A kind of result.
pub trait CallResult {
    /// The field `ret`, unless nothing is returned.
    const FIELD: Option<FieldKind>;
    /// Which results say that the call has failed.
    const FAILURE: FailureSign;
}

/// What an argument points to, as the exit event records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointee {
    /// A string that ends with a zero byte.
    Text,
    /// A `struct sockaddr`, in words; its length is the next argument.
    SocketAddress,
    /// A `struct sockaddr`, in words; its length is where the next argument points.
    PeerAddress,
    /// The value of a socket's option, if it has 4 bytes; its length is where the next argument points.
    OptionValue,
    /// What is ready of an array of `struct pollfd`, in words; the next argument is how many there are.
    Polled,
    /// What is in an `fd_set`, in words; the first argument is how many descriptors count.
    DescriptorSet,
    /// `struct epoll_event`s, in words; the result is how many they are.
    EpollEvents,
    /// Two descriptors.
    Descriptors,
    /// A wait status, which is filled only where a child has changed.
    Status,
    /// 4 bytes, as a field of this kind.
    Half(FieldKind),
    /// 8 bytes.
    Word,
    /// 8 bytes that another thread may have freed by now.
    FleetingWord,
    /// A `struct timespec`, in ns.
    Duration,
}

impl Pointee {
    /// The field that has it.
    pub const fn field(self) -> FieldKind {
        match self {
            Pointee::Text | Pointee::SocketAddress | Pointee::PeerAddress => FieldKind::Text,
            Pointee::Polled | Pointee::DescriptorSet | Pointee::EpollEvents => FieldKind::Text,
            Pointee::OptionValue => FieldKind::I32,
            Pointee::Descriptors => FieldKind::Descriptors,
            Pointee::Status => FieldKind::I32,
            Pointee::Half(kind) => kind,
            Pointee::Word | Pointee::FleetingWord => FieldKind::Pointer,
            Pointee::Duration => FieldKind::Duration,
        }
    }
}

/// Which results of a call are failures, and where the error is then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureSign {
    /// None.
    Never,
    /// -1, with the error in errno.
    MinusOne,
    /// 0, with the error in errno.
    Zero,
    /// `EAI_SYSTEM`, with the error in errno.
    Resolver,
    /// All but 0: the result is the error.
    Itself,
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident: $entry:expr $(, to $pointee:expr)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl Argument for $name {
                const ENTRY: FieldKind = $entry;
                $(const EXIT: Option<Pointee> = Some($pointee);)?
            }
        )*
    };
}

arguments! {
    /// An integer, or a descriptor.
    Int: FieldKind::I32;
    /// A string that is there when the call is entered: a wrong pointer is a crash in libc, too.
    Name: FieldKind::Text;
    /// What a program is executed with, copied before it is. Without wrappers that are made from the table.
    Arguments: FieldKind::Text;
    /// A function of the program's.
    Function: FieldKind::Function;
    /// An unsigned integer.
    Unsigned: FieldKind::U32;
    /// An integer, or an offset in a file.
    Long: FieldKind::I64;
    /// Bytes, or a count.
    Size: FieldKind::U64;
    /// A pointer that is never followed.
    Pointer: FieldKind::Pointer;
    /// A string that the call reads.
    Path: FieldKind::Pointer, to Pointee::Text;
    /// A directory that a path starts from.
    Directory: FieldKind::Directory;
    /// What open(2) takes.
    OpenFlags: FieldKind::OpenFlags(names::OPEN);
    /// Permission bits.
    Mode: FieldKind::Mode;
    /// Where lseek(2) counts from.
    Whence: FieldKind::Named(names::WHENCE);
    /// How bad what a record of syslog(3) says is.
    LogLevel: FieldKind::Named(names::LOG_LEVEL);
    /// What kind of program a record of syslog(3) is of.
    LogFacility: FieldKind::Named(names::LOG_FACILITY);
    /// Flags of a new descriptor.
    DescriptorFlags: FieldKind::Flags(names::DESCRIPTOR);
    /// What fcntl(2) is to do.
    FcntlCommand: FieldKind::Named(names::FCNTL);
    /// What flock(2) is to do.
    LockOperation: FieldKind::Flags(names::LOCK);
    /// What access(2) asks for.
    AccessMode: FieldKind::Flags(names::ACCESS);
    /// Flags of faccessat(2).
    AccessFlags: FieldKind::Flags(names::ACCESS_AT);
    /// Flags of the other calls that start from a directory.
    AtFlags: FieldKind::Flags(names::AT);
    /// A socket's address family.
    AddressFamily: FieldKind::Named(names::FAMILY);
    /// A socket's type and flags.
    SocketType: FieldKind::Flags(names::SOCKET);
    /// How a message is sent or received.
    MessageFlags: FieldKind::Flags(names::MESSAGE);
    /// Which half of a connection ends.
    ShutdownHow: FieldKind::Named(names::SHUTDOWN);
    /// What epoll_ctl(2) is to do.
    EpollOperation: FieldKind::Named(names::EPOLL);
    /// A clock.
    ClockId: FieldKind::Named(names::CLOCK);
    /// How waitpid(2) waits.
    WaitOptions: FieldKind::Flags(names::WAIT);
    /// A signal.
    Signal: FieldKind::Named(names::SIGNAL);
    /// A process.
    Pid: FieldKind::Pid;
    /// A `struct sockaddr` that the call reads; its length is the next argument.
    SocketAddress: FieldKind::Pointer, to Pointee::SocketAddress;
    /// A `struct sockaddr` that the call fills; its length is where the next argument points.
    PeerAddress: FieldKind::Pointer, to Pointee::PeerAddress;
    /// The value of an option, which the call fills; its length is where the next argument points.
    OptionValue: FieldKind::Pointer, to Pointee::OptionValue;
    /// Descriptors to wait for, with what they are ready for; the next argument is how many there are.
    PollSet: FieldKind::Pointer, to Pointee::Polled;
    /// A set of descriptors that the call changes; the first argument is how many count.
    DescriptorSet: FieldKind::Pointer, to Pointee::DescriptorSet;
    /// Events that the call fills; the result is how many.
    EpollEvents: FieldKind::Pointer, to Pointee::EpollEvents;
    /// Two descriptors that the call fills.
    DescriptorPair: FieldKind::Pointer, to Pointee::Descriptors;
    /// A wait status that the call fills.
    Status: FieldKind::Pointer, to Pointee::Status;
    /// A PID that the call fills.
    ChildPid: FieldKind::Pointer, to Pointee::Half(FieldKind::Pid);
    /// A word that the call fills: a pointer, or a timer's id.
    Filled: FieldKind::Pointer, to Pointee::Word;
    /// A new thread's handle, which the call fills. The thread may have freed that memory by now.
    NewThread: FieldKind::Pointer, to Pointee::FleetingWord;
    /// A set of signals that the call reads or fills; its first word is all of it.
    SignalSet: FieldKind::Pointer, to Pointee::Word;
    /// A signal that the call fills.
    SignalNumber: FieldKind::Pointer, to Pointee::Half(FieldKind::Named(names::SIGNAL));
    /// How a set of blocked signals changes.
    MaskChange: FieldKind::Named(names::MASK);
    /// Which timer setitimer(2) means.
    Timer: FieldKind::Named(names::TIMER);
    /// What may be done with memory.
    Protection: FieldKind::Flags(names::PROTECTION);
    /// How memory is mapped.
    MapFlags: FieldKind::Flags(names::MAP);
    /// How memory is mapped elsewhere.
    RemapFlags: FieldKind::Flags(names::REMAP);
    /// How memory will be used.
    Advice: FieldKind::Named(names::ADVICE);
    /// How memory is written to its file.
    SyncFlags: FieldKind::Flags(names::SYNC);
    /// How an object is loaded.
    DlopenFlags: FieldKind::Flags(names::DLOPEN);
    /// What a process no longer shares.
    CloneFlags: FieldKind::Flags(names::CLONE);
    /// What is limited.
    Resource: FieldKind::Named(names::RESOURCE);
    /// How a process is scheduled.
    SchedPolicy: FieldKind::Named(names::SCHEDULING);
    /// When a terminal's attributes change.
    AttributeChange: FieldKind::Named(names::ATTRIBUTES);
    /// A `struct timespec` that the call reads or fills, recorded in ns.
    Duration: FieldKind::Pointer, to Pointee::Duration;
}

macro_rules! outcomes {
    ($($(#[$doc:meta])* $name:ident: $field:expr, fails $failure:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl CallResult for $name {
                const FIELD: Option<FieldKind> = $field;
                const FAILURE: FailureSign = $failure;
            }
        )*
    };
}

outcomes! {
    /// A descriptor or an integer, or -1.
    Descriptor: Some(FieldKind::I32), fails FailureSign::MinusOne;
    /// 0, or -1.
    Success: Some(FieldKind::I32), fails FailureSign::MinusOne;
    /// Bytes, or -1.
    Count: Some(FieldKind::I64), fails FailureSign::MinusOne;
    /// An offset in a file, or -1.
    Offset: Some(FieldKind::I64), fails FailureSign::MinusOne;
    /// A count of items; fewer than asked for is no error by itself.
    Number: Some(FieldKind::U64), fails FailureSign::Never;
    /// A pointer, or null.
    Address: Some(FieldKind::Pointer), fails FailureSign::Zero;
    /// A directory entry, or null at the end.
    Entry: Some(FieldKind::Pointer), fails FailureSign::Never;
    /// A line, or null at the end of the stream or for an error: errno is another call's at the end.
    Line: Some(FieldKind::Pointer), fails FailureSign::Never;
    /// Bytes of a line, or -1 likewise.
    LineLength: Some(FieldKind::I64), fails FailureSign::Never;
    /// A process, or -1.
    Child: Some(FieldKind::Pid), fails FailureSign::MinusOne;
    /// Seconds not slept.
    Remaining: Some(FieldKind::U32), fails FailureSign::Never;
    /// 0, or the error itself.
    ErrorNumber: Some(FieldKind::I32), fails FailureSign::Itself;
    /// An integer that is not 0 where errno may say why, or may not.
    Unexplained: Some(FieldKind::I32), fails FailureSign::Never;
    /// 1, or 0 and errno.
    Answer: Some(FieldKind::I32), fails FailureSign::Zero;
    /// 0, or an error of getaddrinfo's own, one of which refers to errno.
    Resolved: Some(FieldKind::I32), fails FailureSign::Resolver;
    /// Permission bits.
    Permissions: Some(FieldKind::Mode), fails FailureSign::Never;
    /// The function that has handled a signal, or -1.
    Handler: Some(FieldKind::Pointer), fails FailureSign::MinusOne;
    /// The address of memory, or -1.
    Mapping: Some(FieldKind::Pointer), fails FailureSign::MinusOne;
    /// Nothing, or nobody sees it: there is no exit event.
    Nothing: None, fails FailureSign::Never;
}
