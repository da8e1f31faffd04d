//! The errors that take snapshots.

/// A set of errors, as a session's word has it.
///
/// ```text
/// bit 0  signal     a signal that ends the process, and for which it has no handler
/// bit 1  panic      a panic
/// bit 2  abort      abort(3)
/// bit 3  assert     a failed assertion
/// bit 4  terminate  std::terminate of C++
/// bit 5  exit       an exit with another status than 0
/// bit 6  kill       a process that was killed, as its parent sees it, or who looks at the session
/// bit 7  syslog     a record of syslog(3) of the level LOG_ERR or worse
/// bit 8  log        an error-level record of `log`, or event of `tracing`
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErrorSet(pub u32);

const SIGILL: u32 = 4;
const SIGTRAP: u32 = 5;
const SIGABRT: u32 = 6;
const SIGBUS: u32 = 7;
const SIGFPE: u32 = 8;
const SIGKILL: u32 = 9;
const SIGSEGV: u32 = 11;
const SIGSYS: u32 = 31;

impl ErrorSet {
    /// No error.
    pub const NONE: ErrorSet = ErrorSet(0);
    /// A signal that ends the process, and for which it has no handler.
    pub const SIGNAL: ErrorSet = ErrorSet(1);
    /// A panic.
    pub const PANIC: ErrorSet = ErrorSet(1 << 1);
    /// abort(3).
    pub const ABORT: ErrorSet = ErrorSet(1 << 2);
    /// A failed assertion.
    pub const ASSERT: ErrorSet = ErrorSet(1 << 3);
    /// `std::terminate` of C++.
    pub const TERMINATE: ErrorSet = ErrorSet(1 << 4);
    /// An exit with another status than 0.
    pub const EXIT: ErrorSet = ErrorSet(1 << 5);
    /// A process that was killed.
    pub const KILL: ErrorSet = ErrorSet(1 << 6);
    /// A record of syslog(3) of the level LOG_ERR or worse.
    pub const SYSLOG: ErrorSet = ErrorSet(1 << 7);
    /// An error-level record of `log`, or event of `tracing`.
    pub const LOG: ErrorSet = ErrorSet(1 << 8);

    /// The errors, by the names that they are chosen by.
    pub const NAMES: [(&str, ErrorSet); 9] = [
        ("signal", ErrorSet::SIGNAL),
        ("panic", ErrorSet::PANIC),
        ("abort", ErrorSet::ABORT),
        ("assert", ErrorSet::ASSERT),
        ("terminate", ErrorSet::TERMINATE),
        ("exit", ErrorSet::EXIT),
        ("kill", ErrorSet::KILL),
        ("syslog", ErrorSet::SYSLOG),
        ("log", ErrorSet::LOG),
    ];

    /// What an end by a signal counts as.
    pub const fn of_signal(number: u32) -> ErrorSet {
        match number {
            SIGABRT => ErrorSet::SIGNAL.with(ErrorSet::ABORT),
            SIGILL | SIGTRAP | SIGBUS | SIGFPE | SIGSEGV | SIGSYS => ErrorSet::SIGNAL,
            SIGKILL => ErrorSet::KILL,
            _ => ErrorSet::NONE,
        }
    }

    /// Those of either set.
    pub const fn with(self, other: ErrorSet) -> ErrorSet {
        ErrorSet(self.0 | other.0)
    }

    /// Whether any of `others` is in the set.
    pub const fn has_any(self, others: ErrorSet) -> bool {
        self.0 & others.0 != 0
    }
}
