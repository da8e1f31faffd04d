//! Kinds of arguments and results: what an event records of them.
//!
//! Arguments and results are words here, as the call's registers hold them; the field says how many bytes of
//! a word count.
//!
//! What an argument points to is read when the call returns: if it has succeeded, which shows that the
//! kernel or libc has read or written it, or else as much as can be read for sure. A wrong pointer that is
//! answered with an error must not become a crash here, whoever answers.
//!
//! # Safety
//!
//! As in `argument/read.rs`.

mod read;

use crate::names;
use trace_event::Kind;

/// A kind of argument.
pub trait Argument {
    /// Its field in the event at the call's entry.
    const ENTRY: Kind;
    /// Its field in the event at the call's exit, if it has one there.
    const EXIT: Option<Kind> = None;

    /// What the entry records of the argument `word`. Text is read only where libc itself reads it at once,
    /// without a way to answer that it can't.
    #[inline(always)]
    fn at_entry(word: u64) -> Value {
        match Self::ENTRY {
            Kind::Text => Value::text(word as usize as *const u8),
            kind if kind.size() == 8 => Value::Word(word),
            _ => Value::Half(word as u32),
        }
    }

    /// What the exit records of the argument `index` of a call with these arguments.
    ///
    /// # Safety
    ///
    /// The words are the arguments of a call that has just returned, as `returned` says.
    #[inline(always)]
    unsafe fn at_exit(_words: &[u64], _index: usize, _returned: Returned) -> Value {
        Value::Nothing
    }
}

/// A kind of result.
pub trait Outcome {
    /// The field `ret`, unless nothing is returned.
    const FIELD: Option<Kind>;

    /// Whether a call with this result has failed, and where its error is found.
    fn failure(word: u64) -> Failure;
}

/// Whether a call has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It has not.
    None,
    /// It has, and errno says why.
    Errno,
    /// It has, and this says why.
    Number(i32),
}

/// How a call has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned {
    /// Its result.
    pub result: u64,
    /// Its error, or 0.
    pub error: i32,
}

impl Returned {
    /// Whether what the call was to read or to fill has been read, or is filled.
    fn has_succeeded(self) -> bool {
        self.error == 0
    }
}

/// What an exit event records of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It has no field there.
    Nothing,
    /// 4 bytes.
    Half(u32),
    /// 8 bytes.
    Word(u64),
    /// Text up to a zero byte, or so many bytes of it, all of which can be read; null when it can't be.
    Text(*const u8, u32),
    /// A `struct sockaddr` of so many bytes; null when it can't be read.
    Socket(*const u8, u32),
}

impl Value {
    /// Text that ends with a zero byte, and can be read up to it.
    pub const fn text(text: *const u8) -> Value {
        Value::Text(text, u32::MAX)
    }

    /// Text that nobody has read, as far as it can be read for sure.
    pub fn readable_text(text: *const u8) -> Value {
        /// The most bytes of text that an event has.
        const MOST: usize = 256;
        match readable(text, MOST) {
            0 => Value::text(core::ptr::null()),
            len => Value::Text(text, len as u32),
        }
    }
}

/// How many bytes from an address on can be read, up to `wanted`: see `preload/readable.rs`.
#[cfg(feature = "preload")]
fn readable(address: *const u8, wanted: usize) -> usize {
    crate::preload::readable(address, wanted)
}

/// Outside of a traced process no call returns.
#[cfg(not(feature = "preload"))]
fn readable(_address: *const u8, _wanted: usize) -> usize {
    0
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident: $entry:expr $(, at exit $exit:expr, $read:expr)?;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl Argument for $name {
                const ENTRY: Kind = $entry;
                $(
                    const EXIT: Option<Kind> = Some($exit);

                    #[inline(always)]
                    unsafe fn at_exit(words: &[u64], index: usize, returned: Returned) -> Value {
                        let read: unsafe fn(&[u64], usize, Returned) -> Value = $read;
                        // SAFETY: the caller's promise, handed on.
                        unsafe { read(words, index, returned) }
                    }
                )?
            }
        )*
    };
}

arguments! {
    /// A number, or a descriptor.
    Int: Kind::I32;
    /// Text that is there when the call is entered: a wrong pointer is a crash in libc, too.
    Name: Kind::Text;
    /// A function of the program's.
    Function: Kind::Function;
    /// A number.
    Unsigned: Kind::U32;
    /// A number, or an offset in a file.
    Long: Kind::I64;
    /// Bytes, or a count.
    Size: Kind::U64;
    /// A pointer that is never followed.
    Pointer: Kind::Pointer;
    /// Text that the call reads.
    Path: Kind::Pointer, at exit Kind::Text, read::text;
    /// A directory that a path starts from.
    Directory: Kind::Directory;
    /// What open(2) takes.
    OpenFlags: Kind::OpenFlags(names::OPEN);
    /// Permission bits.
    Mode: Kind::Mode;
    /// Where lseek(2) counts from.
    Whence: Kind::Named(names::WHENCE);
    /// Flags of a new descriptor.
    DescriptorFlags: Kind::Flags(names::DESCRIPTOR);
    /// What fcntl(2) is to do.
    FcntlCommand: Kind::Named(names::FCNTL);
    /// What flock(2) is to do.
    LockOperation: Kind::Flags(names::LOCK);
    /// What access(2) asks for.
    AccessMode: Kind::Flags(names::ACCESS);
    /// Flags of faccessat(2).
    AccessFlags: Kind::Flags(names::ACCESS_AT);
    /// Flags of the other calls that start from a directory.
    AtFlags: Kind::Flags(names::AT);
    /// A socket's address family.
    AddressFamily: Kind::Named(names::FAMILY);
    /// A socket's type and flags.
    SocketType: Kind::Flags(names::SOCKET);
    /// How a message is sent or received.
    MessageFlags: Kind::Flags(names::MESSAGE);
    /// Which half of a connection ends.
    ShutdownHow: Kind::Named(names::SHUTDOWN);
    /// What epoll_ctl(2) is to do.
    EpollOperation: Kind::Named(names::EPOLL);
    /// A clock.
    ClockId: Kind::Named(names::CLOCK);
    /// How waitpid(2) waits.
    WaitOptions: Kind::Flags(names::WAIT);
    /// A signal.
    Signal: Kind::Named(names::SIGNAL);
    /// A process.
    Pid: Kind::Pid;
    /// A `struct sockaddr` that the call reads; its length is the argument behind it.
    SocketAddress: Kind::Pointer, at exit Kind::Text, read::socket_address;
    /// A `struct sockaddr` that the call fills; its length is where the argument behind it points.
    PeerAddress: Kind::Pointer, at exit Kind::Text, read::peer_address;
    /// Two descriptors that the call fills.
    DescriptorPair: Kind::Pointer, at exit Kind::Descriptors, read::pair;
    /// A wait status that the call fills.
    Status: Kind::Pointer, at exit Kind::I32, read::status;
    /// A PID that the call fills.
    ChildPid: Kind::Pointer, at exit Kind::Pid, read::half;
    /// A word that the call fills: a pointer, or what a timer goes by.
    Filled: Kind::Pointer, at exit Kind::Pointer, read::word;
    /// What a new thread goes by, which the call fills. The thread may have freed it by now.
    NewThread: Kind::Pointer, at exit Kind::Pointer, read::fleeting_word;
    /// A set of signals that the call reads or fills; its first word is all of it.
    SignalSet: Kind::Pointer, at exit Kind::Pointer, read::word;
    /// A signal that the call fills.
    SignalNumber: Kind::Pointer, at exit Kind::Named(names::SIGNAL), read::half;
    /// How a set of blocked signals changes.
    MaskChange: Kind::Named(names::MASK);
    /// Which timer setitimer(2) means.
    Timer: Kind::Named(names::TIMER);
    /// What may be done with memory.
    Protection: Kind::Flags(names::PROTECTION);
    /// How memory is mapped.
    MapFlags: Kind::Flags(names::MAP);
    /// How memory is mapped elsewhere.
    RemapFlags: Kind::Flags(names::REMAP);
    /// How memory will be used.
    Advice: Kind::Named(names::ADVICE);
    /// How memory is written to its file.
    SyncFlags: Kind::Flags(names::SYNC);
    /// How an object is loaded.
    DlopenFlags: Kind::Flags(names::DLOPEN);
    /// What a process no longer shares.
    CloneFlags: Kind::Flags(names::CLONE);
    /// What is limited.
    Resource: Kind::Named(names::RESOURCE);
    /// How a process is scheduled.
    SchedPolicy: Kind::Named(names::SCHEDULING);
    /// When a terminal's attributes change.
    AttributeChange: Kind::Named(names::ATTRIBUTES);
    /// A `struct timespec` that the call reads or fills, recorded in ns.
    Duration: Kind::Pointer, at exit Kind::U64, read::duration;
}

macro_rules! outcomes {
    ($($(#[$doc:meta])* $name:ident: $field:expr, |$word:ident| $failure:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl Outcome for $name {
                const FIELD: Option<Kind> = $field;

                #[inline(always)]
                fn failure($word: u64) -> Failure {
                    $failure
                }
            }
        )*
    };
}

outcomes! {
    /// A descriptor or a number, or -1.
    Descriptor: Some(Kind::I32), |word| errno_if(word as i32 == -1);
    /// 0, or -1.
    Success: Some(Kind::I32), |word| errno_if(word as i32 == -1);
    /// Bytes, or -1.
    Count: Some(Kind::I64), |word| errno_if(word as i64 == -1);
    /// An offset in a file, or -1.
    Offset: Some(Kind::I64), |word| errno_if(word as i64 == -1);
    /// A number of items; fewer than asked for is no error by itself.
    Number: Some(Kind::U64), |_word| Failure::None;
    /// A pointer, or null.
    Address: Some(Kind::Pointer), |word| errno_if(word == 0);
    /// A directory entry, or null at the end.
    Entry: Some(Kind::Pointer), |_word| Failure::None;
    /// A process, or -1.
    Child: Some(Kind::Pid), |word| errno_if(word as i32 == -1);
    /// Seconds not slept.
    Remaining: Some(Kind::U32), |_word| Failure::None;
    /// 0, or the error itself.
    ErrorNumber: Some(Kind::I32), |word| match word as i32 {
        0 => Failure::None,
        error => Failure::Number(error),
    };
    /// A number that is not 0 where errno may say why, or may not.
    Unexplained: Some(Kind::I32), |_word| Failure::None;
    /// 1, or 0 and errno.
    Answer: Some(Kind::I32), |word| errno_if(word as i32 == 0);
    /// 0, or a number of getaddrinfo's own, one of which sends to errno.
    Resolved: Some(Kind::I32), |word| errno_if(word as i32 == libc::EAI_SYSTEM);
    /// Permission bits.
    Permissions: Some(Kind::Mode), |_word| Failure::None;
    /// The function that has handled a signal, or -1.
    Handler: Some(Kind::Pointer), |word| errno_if(word as i64 == -1);
    /// The address of memory, or -1.
    Mapping: Some(Kind::Pointer), |word| errno_if(word as i64 == -1);
    /// Nothing, or nobody sees it: there is no event for it.
    Nothing: None, |_word| Failure::None;
}

fn errno_if(failed: bool) -> Failure {
    if failed { Failure::Errno } else { Failure::None }
}

/// What is recorded as the mode of an open(2): the argument is only there when a file may be made.
pub fn creation_mode(flags: u64, mode: u64) -> u64 {
    let flags = flags as i32;
    let creates = flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE;
    if creates { mode } else { 0 }
}

/// What is recorded as where mremap(2) is to map: the argument is only there when it says so.
pub fn remap_target(flags: u64, address: u64) -> u64 {
    if flags as i32 & libc::MREMAP_FIXED != 0 { address } else { 0 }
}
