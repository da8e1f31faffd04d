//! Which calls can block, on what, and which ones end that.

use std::rc::Rc;

/// What a thread waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaitObject {
    /// What kind of thing it is.
    pub kind: WaitKind,
    /// The call, where it matters which one it is: of descriptors and streams.
    pub call: Option<Rc<str>>,
    /// Its address or its descriptor.
    pub number: Option<u64>,
    /// Its path, its peer, or what else it is called.
    pub name: Option<Rc<str>>,
}

/// What kind of thing a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitKind {
    /// A mutex.
    Mutex,
    /// A read-write lock.
    ReadWriteLock,
    /// A spin lock.
    SpinLock,
    /// A lock of which the trace has the waits, but not the calls.
    Lock,
    /// A condition variable.
    Condition,
    /// A barrier.
    Barrier,
    /// A semaphore.
    Semaphore,
    /// What is to be done once.
    Once,
    /// The end of a thread.
    Thread,
    /// A child process.
    Child,
    /// Time.
    Sleep,
    /// A descriptor.
    Descriptor,
    /// A stream of libc's.
    Stream,
    /// One of several descriptors.
    Poll,
    /// A signal.
    Signal,
    /// A name, which is looked up.
    Lookup,
}

impl WaitKind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            WaitKind::Mutex => "mutex",
            WaitKind::ReadWriteLock => "rwlock",
            WaitKind::SpinLock => "spin lock",
            WaitKind::Lock => "lock",
            WaitKind::Condition => "condition",
            WaitKind::Barrier => "barrier",
            WaitKind::Semaphore => "semaphore",
            WaitKind::Once => "once",
            WaitKind::Thread => "thread",
            WaitKind::Child => "child",
            WaitKind::Sleep => "sleep",
            WaitKind::Descriptor => "descriptor",
            WaitKind::Stream => "stream",
            WaitKind::Poll => "poll",
            WaitKind::Signal => "signal",
            WaitKind::Lookup => "lookup",
        }
    }

    /// What a call of this name waits for; None of one that doesn't block.
    pub fn of_call(call: &str) -> Option<WaitKind> {
        Some(waited_for(call)?.0)
    }

    /// Whether it is held by somebody.
    pub fn is_lock(self) -> bool {
        matches!(self, WaitKind::Mutex | WaitKind::ReadWriteLock | WaitKind::SpinLock | WaitKind::Lock)
    }

    /// Whether its waits are told apart by their calls.
    pub(super) fn needs_call(self) -> bool {
        matches!(self, WaitKind::Descriptor | WaitKind::Stream | WaitKind::Poll | WaitKind::Lookup)
    }
}

/// What a call of libc's waits for, and the field that says which one; none for those that don't block.
pub(super) fn waited_for(call: &str) -> Option<(WaitKind, &'static str)> {
    Some(match call {
        "pthread_mutex_lock" | "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => {
            (WaitKind::Mutex, "mutex")
        }
        "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockrdlock"
        | "pthread_rwlock_clockwrlock" => (WaitKind::ReadWriteLock, "rwlock"),
        "pthread_spin_lock" => (WaitKind::SpinLock, "lock"),
        "pthread_cond_wait" | "pthread_cond_timedwait" | "pthread_cond_clockwait" => {
            (WaitKind::Condition, "cond")
        }
        "pthread_barrier_wait" => (WaitKind::Barrier, "barrier"),
        "sem_wait" | "sem_timedwait" | "sem_clockwait" => (WaitKind::Semaphore, "sem"),
        "pthread_once" => (WaitKind::Once, "once_control"),
        "pthread_join" | "pthread_timedjoin_np" | "pthread_clockjoin_np" => (WaitKind::Thread, "thread"),
        "wait" | "waitpid" | "wait3" | "wait4" | "waitid" | "system" | "pclose" => (WaitKind::Child, ""),
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" => (WaitKind::Sleep, ""),
        "read" | "pread" | "readv" | "preadv" | "preadv2" | "write" | "pwrite" | "writev" | "pwritev"
        | "pwritev2" | "vmsplice" | "fsync" | "fdatasync" | "syncfs" | "flock" | "lockf" | "tcdrain"
        | "eventfd_read" | "eventfd_write" => (WaitKind::Descriptor, "fd"),
        "recv" | "recvfrom" | "recvmsg" | "recvmmsg" | "send" | "sendto" | "sendmsg" | "sendmmsg"
        | "accept" | "accept4" | "connect" => (WaitKind::Descriptor, "sockfd"),
        "splice" | "tee" | "copy_file_range" => (WaitKind::Descriptor, "fd_in"),
        "sendfile" => (WaitKind::Descriptor, "out_fd"),
        "fread" | "fgets" | "getline" | "getdelim" | "fwrite" | "fputs" | "fflush" | "fclose" => {
            (WaitKind::Stream, "stream")
        }
        "puts" => (WaitKind::Stream, ""),
        "poll" | "ppoll" | "select" | "pselect" => (WaitKind::Poll, ""),
        "epoll_wait" | "epoll_pwait" | "epoll_pwait2" => (WaitKind::Poll, "epfd"),
        "sigwait" | "sigwaitinfo" | "sigtimedwait" | "sigsuspend" | "pause" => (WaitKind::Signal, ""),
        "getaddrinfo" | "getnameinfo" | "gethostbyname" | "gethostbyname2" | "gethostbyname_r"
        | "gethostbyaddr" => (WaitKind::Lookup, ""),
        _ => return None,
    })
}

/// Whether bytes come from a descriptor.
pub(crate) fn reads(call: &str) -> bool {
    matches!(call, "read" | "readv" | "eventfd_read" | "recv" | "recvfrom" | "recvmsg" | "recvmmsg")
}

/// What a call of libc's wakes threads from, and the field that says which one.
pub(super) fn woken_from(call: &str) -> Option<(WaitKind, &'static str)> {
    Some(match call {
        "pthread_cond_signal" | "pthread_cond_broadcast" => (WaitKind::Condition, "cond"),
        "pthread_barrier_wait" => (WaitKind::Barrier, "barrier"),
        "sem_post" => (WaitKind::Semaphore, "sem"),
        "write" | "writev" | "eventfd_write" | "read" | "readv" | "eventfd_read" | "close" => {
            (WaitKind::Descriptor, "fd")
        }
        "send" | "sendto" | "sendmsg" | "sendmmsg" | "recv" | "recvfrom" | "recvmsg" | "recvmmsg"
        | "shutdown" => (WaitKind::Descriptor, "sockfd"),
        _ => return None,
    })
}
