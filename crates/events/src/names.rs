//! Names of the values that arguments and errors have, as `format` texts list them. The values are libc's.

use libc::*;

/// What libc adds to the flags of every sigaction(2).
pub const SA_RESTORER: c_int = 0x0400_0000;

/// Values, each with its name.
pub(crate) type ValueNames = &'static [(i64, &'static str)];

macro_rules! names {
    ($($(#[$doc:meta])* $table:ident $([0 is $zero:literal])?: $($value:ident)*;)*) => {
        $(
            $(#[$doc])*
            pub(crate) const $table: ValueNames =
                &[$((0, $zero),)? $(($value as u32 as i64, stringify!($value))),*];
        )*
    };
}

/// The signal of a process of which it can't be known whether it was killed.
pub(crate) const UNKNOWN_SIGNAL: u32 = u32::MAX;

/// A signal's name.
pub fn signal_name(number: u32) -> Option<&'static str> {
    SIGNAL.iter().find(|(value, _)| *value == i64::from(number)).map(|(_, name)| *name)
}

/// An error's name.
pub fn error_name(number: u32) -> Option<&'static str> {
    ERROR.iter().find(|(value, _)| number != 0 && *value == i64::from(number)).map(|(_, name)| *name)
}

/// The name of a level of syslog(3).
pub fn log_level_name(level: u32) -> Option<&'static str> {
    LOG_LEVEL.iter().find(|(value, _)| *value == i64::from(level)).map(|(_, name)| *name)
}

/// What has killed a process: a signal, none, or nobody knows.
pub(crate) const DEATH: ValueNames = &{
    let mut names = [(0, "0"); SIGNAL.len() + 2];
    names[1] = (UNKNOWN_SIGNAL as i64, "unknown");
    let mut index = 0;
    while index < SIGNAL.len() {
        names[index + 2] = SIGNAL[index];
        index += 1;
    }
    names
};

names! {
    /// open(2), without the access mode.
    OPEN: O_CREAT O_EXCL O_NOCTTY O_TRUNC O_APPEND O_NONBLOCK O_DSYNC O_DIRECT O_TMPFILE O_DIRECTORY
        O_NOFOLLOW O_NOATIME O_CLOEXEC O_PATH;
    /// lseek(2).
    WHENCE: SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE;
    /// The level of a record of syslog(3).
    LOG_LEVEL: LOG_EMERG LOG_ALERT LOG_CRIT LOG_ERR LOG_WARNING LOG_NOTICE LOG_INFO LOG_DEBUG;
    /// The facility of a record of syslog(3); 0 is that of openlog(3).
    LOG_FACILITY [0 is "0"]: LOG_USER LOG_MAIL LOG_DAEMON LOG_AUTH LOG_SYSLOG LOG_LPR LOG_NEWS LOG_UUCP
        LOG_CRON LOG_AUTHPRIV LOG_FTP LOG_LOCAL0 LOG_LOCAL1 LOG_LOCAL2 LOG_LOCAL3 LOG_LOCAL4 LOG_LOCAL5
        LOG_LOCAL6 LOG_LOCAL7;
    /// dup3(2), pipe2(2), epoll_create1(2).
    DESCRIPTOR: O_NONBLOCK O_DIRECT O_CLOEXEC;
    /// fcntl(2).
    FCNTL: F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_GETLK F_SETLK F_SETLKW F_SETOWN F_GETOWN F_OFD_GETLK
        F_OFD_SETLK F_OFD_SETLKW F_DUPFD_CLOEXEC F_SETPIPE_SZ F_GETPIPE_SZ F_ADD_SEALS F_GET_SEALS;
    /// flock(2).
    LOCK: LOCK_SH LOCK_EX LOCK_NB LOCK_UN;
    /// access(2); F_OK is 0.
    ACCESS: X_OK W_OK R_OK;
    /// faccessat(2): another meaning for the bit that is AT_REMOVEDIR elsewhere.
    ACCESS_AT: AT_SYMLINK_NOFOLLOW AT_EACCESS AT_EMPTY_PATH;
    /// The calls that end in "at".
    AT: AT_SYMLINK_NOFOLLOW AT_REMOVEDIR AT_SYMLINK_FOLLOW AT_NO_AUTOMOUNT AT_EMPTY_PATH;
    /// socket(2).
    FAMILY: AF_UNSPEC AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET AF_VSOCK;
    /// socket(2), accept4(2).
    SOCKET: SOCK_STREAM SOCK_DGRAM SOCK_RAW SOCK_SEQPACKET SOCK_NONBLOCK SOCK_CLOEXEC;
    /// send(2), recv(2).
    MESSAGE: MSG_OOB MSG_PEEK MSG_DONTROUTE MSG_TRUNC MSG_DONTWAIT MSG_EOR MSG_WAITALL MSG_NOSIGNAL MSG_MORE
        MSG_CMSG_CLOEXEC;
    /// shutdown(2).
    SHUTDOWN: SHUT_RD SHUT_WR SHUT_RDWR;
    /// epoll_ctl(2).
    EPOLL: EPOLL_CTL_ADD EPOLL_CTL_DEL EPOLL_CTL_MOD;
    /// clock_nanosleep(2).
    CLOCK: CLOCK_REALTIME CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID CLOCK_THREAD_CPUTIME_ID CLOCK_BOOTTIME
        CLOCK_TAI;
    /// waitpid(2), waitid(2).
    WAIT: WNOHANG WUNTRACED WEXITED WCONTINUED WNOWAIT;
    /// signal(7).
    SIGNAL: SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE
        SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ
        SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS;
    /// sigaction(2).
    ACTION: SA_NOCLDSTOP SA_NOCLDWAIT SA_SIGINFO SA_RESTORER SA_ONSTACK SA_RESTART SA_NODEFER SA_RESETHAND;
    /// sigprocmask(2).
    MASK: SIG_BLOCK SIG_UNBLOCK SIG_SETMASK;
    /// setitimer(2).
    TIMER: ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF;
    /// mmap(2), mprotect(2); PROT_NONE is 0.
    PROTECTION: PROT_READ PROT_WRITE PROT_EXEC;
    /// mmap(2).
    MAP: MAP_SHARED MAP_PRIVATE MAP_FIXED MAP_ANONYMOUS MAP_GROWSDOWN MAP_LOCKED MAP_NORESERVE MAP_POPULATE
        MAP_NONBLOCK MAP_STACK MAP_HUGETLB MAP_FIXED_NOREPLACE;
    /// mremap(2).
    REMAP: MREMAP_MAYMOVE MREMAP_FIXED MREMAP_DONTUNMAP;
    /// madvise(2).
    ADVICE: MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL MADV_WILLNEED MADV_DONTNEED MADV_FREE MADV_REMOVE
        MADV_DONTFORK MADV_DOFORK MADV_MERGEABLE MADV_UNMERGEABLE MADV_HUGEPAGE MADV_NOHUGEPAGE
        MADV_DONTDUMP MADV_DODUMP MADV_WIPEONFORK MADV_KEEPONFORK MADV_COLD MADV_PAGEOUT
        MADV_POPULATE_READ MADV_POPULATE_WRITE;
    /// msync(2).
    SYNC: MS_ASYNC MS_INVALIDATE MS_SYNC;
    /// dlopen(3); RTLD_LOCAL is 0.
    DLOPEN: RTLD_LAZY RTLD_NOW RTLD_NOLOAD RTLD_DEEPBIND RTLD_GLOBAL RTLD_NODELETE;
    /// unshare(2), setns(2).
    CLONE: CLONE_FS CLONE_FILES CLONE_NEWNS CLONE_SYSVSEM CLONE_NEWCGROUP CLONE_NEWUTS CLONE_NEWIPC
        CLONE_NEWUSER CLONE_NEWPID CLONE_NEWNET;
    /// getrlimit(2).
    RESOURCE: RLIMIT_CPU RLIMIT_FSIZE RLIMIT_DATA RLIMIT_STACK RLIMIT_CORE RLIMIT_RSS RLIMIT_NPROC
        RLIMIT_NOFILE RLIMIT_MEMLOCK RLIMIT_AS RLIMIT_LOCKS RLIMIT_SIGPENDING RLIMIT_MSGQUEUE RLIMIT_NICE
        RLIMIT_RTPRIO RLIMIT_RTTIME;
    /// sched_setscheduler(2).
    SCHEDULING: SCHED_OTHER SCHED_FIFO SCHED_RR SCHED_BATCH SCHED_IDLE;
    /// tcsetattr(3).
    ATTRIBUTES: TCSANOW TCSADRAIN TCSAFLUSH;
    /// errno(3): what these calls set it to.
    ERROR [0 is "0"]: EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES
        EFAULT EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC
        ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOSYS ENOTEMPTY ELOOP EOVERFLOW
        ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT EOPNOTSUPP EAFNOSUPPORT
        EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN
        ETIMEDOUT ECONNREFUSED EHOSTUNREACH EALREADY EINPROGRESS EDQUOT;
}
