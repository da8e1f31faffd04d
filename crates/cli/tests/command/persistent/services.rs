//! Debian's own services under load, which a signal ends: there is the right snapshot each time, with what
//! the service did before, and the service does what it does without lookback.

use super::errors::reasons_in;
use super::*;
use std::os::unix::fs::PermissionsExt;

/// What scripts include.
const SHARED: [(&str, &str); 3] = [
    ("common.sh", include_str!("../programs/services/common.sh")),
    ("nginx.sh", include_str!("../../services/nginx.sh")),
    ("postgres.sh", include_str!("../../services/postgres.sh")),
];
const REDIS: &str = include_str!("../programs/services/redis.sh");
const NGINX: &str = include_str!("../programs/services/nginx.sh");
const POSTGRES: &str = include_str!("../programs/services/postgres.sh");
const PYTHON: &str = include_str!("../programs/services/python.sh");

/// Snapshots of the ends that are made here, not of the exits of tools that scripts use.
const OPTIONS: &[&str] = &["-q", "-b", "4096", "--snapshots", "2", "--snapshot-on", "signal,abort,kill"];

/// A directory for a service, which anybody may write to, with its script in it.
fn directory(script: &str) -> Scratch {
    let scratch = Scratch::new();
    for (name, shared) in SHARED {
        scratch.write(name, shared);
    }
    scratch.write("service.sh", script);
    std::fs::set_permissions(scratch.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    scratch
}

/// Runs a service with and without lookback, each time in a directory of its own: it says the same. Its end
/// took one snapshot, for this reason, in which such an event is seen.
#[track_caller]
fn ends(script: &str, way: &str, reason: &str, event: &str) {
    let service = ["./service.sh", way];
    let without = run(directory(script).command("sh").args(service));
    let scratch = directory(script);
    let session = Persistent { path: scratch.outside("session"), scratch };
    session.done("start", OPTIONS);
    let with = run(&mut session.running(&[&["sh"], &service[..]].concat()));
    assert_eq!(with.visible(), without.visible(), "{way}");
    let (list, kept) = (&["--json"][..], &["show", "0"][..]);
    let [list, kept] = [list, kept].map(|options| session.done("snapshots", options).stdout);
    assert_eq!(reasons_in(&list), [reason], "{way}");
    assert!(kept.contains(&format!(" {event}: ")), "{way}: no {event} in the snapshot");
}

#[test]
fn redis_ends_by_each_signal_as_without() {
    if is_missing(&["redis-server", "redis-cli", "redis-benchmark"]) {
        return;
    }
    ends(REDIS, "KILL", "killed SIGKILL", "epoll_wait");
    ends(REDIS, "ABRT", "signal SIGABRT", "epoll_wait");
    // Its own handler writes a report, and lets the signal end it.
    ends(REDIS, "SEGV", "signal SIGSEGV", "epoll_wait");
}

#[test]
fn a_worker_of_nginx_ends_as_without_and_the_master_starts_another() {
    if is_missing(&["nginx", "curl"]) {
        return;
    }
    ends(NGINX, "SEGV", "signal SIGSEGV", "epoll_wait");
    ends(NGINX, "KILL", "killed SIGKILL", "epoll_wait");
}

#[test]
fn python_ends_as_without() {
    if is_missing(&["/usr/bin/python3"]) {
        return;
    }
    ends(PYTHON, "abort", "abort", "open");
    ends(PYTHON, "fault", "signal SIGSEGV", "open");
    ends(PYTHON, "faulthandler", "signal SIGSEGV", "open");
}

/// The kernel kills what takes more memory than its group may have.
#[test]
fn python_without_memory_is_killed() {
    if is_missing(&["/usr/bin/python3"]) || needs_root("make a group of memory") {
        return;
    }
    ends(PYTHON, "memory", "killed SIGKILL", "open");
}

/// It doesn't run as root, so its session is another user's.
#[test]
fn a_backend_of_postgres_ends_as_without_and_the_database_recovers() {
    if is_missing(&["psql", "setpriv"]) || needs_root("become somebody else") {
        return;
    }
    for (way, reason) in [("ABRT", "signal SIGABRT"), ("KILL", "killed SIGKILL")] {
        let [without, with] = [directory(POSTGRES), directory(POSTGRES)];
        let service = ["./service.sh", way];
        let mut plain = without.command("setpriv");
        plain.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "sh"]);
        let without = run(plain.args(service));
        std::fs::set_permissions(with.outside(""), std::fs::Permissions::from_mode(0o777)).unwrap();
        let done = |task: &str, options: &[&str]| {
            let mut lookback = as_nobody(&with).expect("what it needs is there");
            run(lookback.arg(task).arg("--session").arg(with.outside("session")).args(options))
        };
        done("start", OPTIONS).success();
        let traced = done("run", &[&["--", "sh"], &service[..]].concat());
        assert_eq!(traced.visible(), without.visible(), "{way}");
        assert_eq!(reasons_in(&done("snapshots", &["--json"]).success().stdout), [reason], "{way}");
    }
}
