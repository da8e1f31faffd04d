//! Kinds of calls, each of a colour in pictures.

use convert::SliceName;
use foldhash::HashMap;
use std::sync::LazyLock;

/// What the kinds are called, by their numbers; the names of their colours in the style are `k0` and so on.
pub(super) const KINDS: [(&str, &str); 9] = [
    ("k0", "files"),
    ("k1", "sockets, pipes"),
    ("k2", "processes"),
    ("k3", "waiting: poll, sleep"),
    ("k4", "locks"),
    ("k5", "memory"),
    ("k6", "signals"),
    ("k7", "other calls"),
    ("k8", "functions, spans"),
];

const OTHER_CALLS: u8 = 7;
const FUNCTIONS: u8 = 8;

/// Calls that wait for time or for others, though their classes have calls that don't.
const WAITING: [&str; 10] = [
    "nanosleep",
    "clock_nanosleep",
    "usleep",
    "sleep",
    "wait",
    "wait3",
    "wait4",
    "waitpid",
    "waitid",
    "pthread_join",
];

/// By the name of the call.
static CALLS: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let kind = |event: events::EventType| Some((event.name, kind_of_class(event.class?)));
    events::all().filter_map(kind).collect()
});

fn kind_of_class(class: &str) -> u8 {
    match class.rsplit(':').next().unwrap_or(class) {
        "file" => 0,
        "net" | "pipe" | "message" => 1,
        "process" => 2,
        "poll" | "time" => 3,
        "lock" => 4,
        "mem" => 5,
        "signal" => 6,
        _ => OTHER_CALLS,
    }
}

/// The kind of slices of a name.
pub(super) fn kind(name: &SliceName) -> u8 {
    let call: &str = &name.name;
    let call = call.strip_prefix("sys_").unwrap_or(call);
    match (call, &*name.category) {
        (call, _) if WAITING.contains(&call) => 3,
        (call, "libc" | "syscalls" | "raw_syscalls") => CALLS.get(call).copied().unwrap_or(OTHER_CALLS),
        _ => FUNCTIONS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_of_the_kind_of_their_class() {
        let of = |name: &str, category: &str| {
            kind(&SliceName { place: 0, name: name.into(), category: category.into() })
        };
        let found = ["openat", "connect", "poll", "pthread_mutex_lock", "malloc", "nanosleep", "nosuch"];
        assert_eq!(found.map(|call| of(call, "libc")), [0, 1, 3, 4, 5, 3, OTHER_CALLS]);
        assert_eq!((of("sys_read", "syscalls"), of("read", "shop"), of("main", "?")), (0, 8, 8));
        for (place, (class, _)) in KINDS.iter().enumerate() {
            assert_eq!(*class, format!("k{place}"));
        }
    }
}
