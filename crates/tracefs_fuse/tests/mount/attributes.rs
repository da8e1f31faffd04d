//! What stat(2), statfs(2) and readdir(3) say, and what may be done with names.

use crate::mounted::*;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

fn mode(mounted: &Mounted, path: &str) -> u32 {
    mounted.path(path).metadata().unwrap_or_else(|error| panic!("{path}: {error}")).mode()
}

#[test]
fn modes_and_owners_are_the_kernels() {
    let mounted = Mounted::new();
    std::fs::create_dir(mounted.path("instances/one")).unwrap();
    for (path, expected) in [
        ("", 0o040700),
        ("events", 0o040755),
        ("events/libc", 0o040755),
        ("events/libc/open", 0o040755),
        ("options", 0o040750),
        ("per_cpu/cpu0", 0o040750),
        ("instances/one", 0o040750),
        ("tracing_on", 0o100640),
        ("trace_pipe", 0o100440),
        ("trace_marker", 0o100220),
        ("free_buffer", 0o100200),
        ("events/libc/open/enable", 0o100640),
        ("instances/one/events/libc/open/format", 0o100440),
    ] {
        assert_eq!(mode(&mounted, path), expected, "{path}: {:o}", mode(&mounted, path));
    }
    let found = mounted.path("trace").metadata().unwrap();
    let own = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    assert_eq!((found.uid(), found.gid(), found.size(), found.blocks()), (own.0, own.1, 0, 0));
    let found = rustix::fs::statfs(mounted.path("")).unwrap();
    assert_eq!((found.f_blocks, found.f_files, found.f_namelen), (0, 0, 255));
}

#[test]
fn a_group_can_be_given_and_modes_can_be_changed() {
    let mounted = Mounted::with_group(12345);
    assert_eq!(mounted.path("events/libc").metadata().unwrap().gid(), 12345);
    std::fs::set_permissions(mounted.path("trace_marker"), Permissions::from_mode(0o222)).unwrap();
    std::os::unix::fs::chown(mounted.path("trace_marker"), None, Some(54321)).unwrap();
    let found = mounted.path("trace_marker").metadata().unwrap();
    assert_eq!((found.mode(), found.gid()), (0o100222, 54321));
    assert_eq!(mode(&mounted, "trace_marker_raw"), 0o100220);
}

/// Row 18: a walk asks for each directory, not for each file; what was listed is known for a while.
#[test]
fn row_18_a_walk_asks_for_directories_alone() {
    let mounted = Mounted::new();
    let events = mounted.path("events");
    let listed = |before| {
        let text = output(Command::new("ls").arg("-lR").arg(&events));
        let directories = text.lines().filter(|line| line.ends_with(':')).count() as u64;
        (directories, mounted.answers() - before)
    };
    let (directories, asked) = listed(mounted.answers());
    assert!(directories > 400 && asked < 6 * directories, "{asked} for {directories} directories");
    let before = mounted.answers();
    for system in ["libc", "sched", "ftrace"] {
        for event in events_of(&mounted, system) {
            assert!(events.join(system).join(event).join("format").metadata().is_ok());
        }
    }
    // Directories that were listed may still be closing.
    assert!(mounted.answers() - before < 10, "what was listed is looked up");
    assert!(listed(mounted.answers()).1 <= asked);
}

/// The events of a system, without asking the mount.
fn events_of(mounted: &Mounted, system: &str) -> Vec<String> {
    let session = session::Instance::open(&mounted.session()).unwrap();
    session.events().filter(|event| event.system == system).map(|event| event.name).collect()
}

#[test]
fn a_directory_has_what_the_tree_has() {
    let mounted = Mounted::new();
    let tree = tracefs::Tree::new(session::Instance::open(&mounted.session()).unwrap());
    for path in ["", "events", "events/libc", "per_cpu"] {
        let tracefs::Node::Directory(directory) = tree.find(path).unwrap() else { panic!("{path}: a file") };
        assert_eq!(names(&mounted.path(path)), directory.names(), "{path}");
    }
    // With each kind of readdir and stat, and through a page of names.
    let listed = output(Command::new("ls").arg("-lR").arg(mounted.path("events")));
    let formats = listed.lines().filter(|line| line.ends_with(" format")).count();
    let events = output(Command::new("find").arg(mounted.path("events")).args(["-name", "format"]));
    assert_eq!(formats, events.lines().count());
    assert!(formats > 400, "{formats}");
}

#[test]
fn names_are_made_and_removed_as_in_the_kernel() {
    let mounted = Mounted::new();
    let path = |path: &str| mounted.path(path);
    let errno = |result: std::io::Result<()>| Errno::from_io_error(&result.unwrap_err()).unwrap();
    assert_eq!(errno(std::fs::create_dir(path("new"))), Errno::PERM);
    assert_eq!(errno(std::fs::create_dir(path("trace"))), Errno::EXIST);
    assert_eq!(errno(std::fs::remove_dir(path("events"))), Errno::PERM);
    assert_eq!(errno(std::fs::remove_file(path("trace"))), Errno::PERM);
    assert_eq!(errno(std::fs::rename(path("trace"), path("other"))), Errno::PERM);
    assert_eq!(errno(std::fs::hard_link(path("trace"), path("other"))), Errno::PERM);
    assert_eq!(errno(std::os::unix::fs::symlink("trace", path("other"))), Errno::PERM);
    assert_eq!(mounted.open("new", OFlags::WRONLY | OFlags::CREATE).map(drop), Err(Errno::ACCESS));
    assert_eq!(mounted.open("new", OFlags::WRONLY).map(drop), Err(Errno::NOENT));
    let exclusive = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    assert_eq!(mounted.open("trace", exclusive).map(drop), Err(Errno::EXIST));
    assert_eq!(mounted.open(&"x".repeat(256), OFlags::RDONLY).map(drop), Err(Errno::NAMETOOLONG));
    assert_eq!(mounted.open("trace", OFlags::RDONLY | OFlags::DIRECT).map(drop), Err(Errno::INVAL));
}

/// Row 11: what was removed is gone at once, whichever way that went; so is what another of its name had.
#[test]
fn row_11_removed_instances_are_gone_at_once() {
    let mounted = Mounted::new();
    let other = mounted.again();
    let session = session::Instance::open(&mounted.session()).unwrap();
    let [one, same] = [&mounted, &other].map(|mounted| mounted.path("instances/one"));
    for round in 0..20 {
        std::fs::create_dir(&one).unwrap();
        for path in [&one, &same] {
            assert!(path.join("events/libc/open/enable").exists(), "round {round}");
        }
        mounted.write("instances/one/events/libc/open/enable", "1").unwrap();
        assert_eq!(other.read("instances/one/set_event"), "libc:open\n");
        std::fs::set_permissions(one.join("trace"), Permissions::from_mode(0o644)).unwrap();
        // The server of the other mount may still be closing what was read.
        match round % 3 {
            0 => eventually(|| std::fs::remove_dir(&one).is_ok()),
            1 => eventually(|| std::fs::remove_dir(&same).is_ok()),
            _ => eventually(|| session.session().remove_instance("one").is_ok()),
        }
        for path in [&one, &same] {
            assert!(!path.exists() && !path.join("trace").exists(), "round {round}");
            assert!(std::fs::read_dir(path).is_err());
        }
        assert_eq!(names(&mounted.path("instances")), ["flight"]);
        std::fs::create_dir(&same).unwrap();
        assert_eq!(mode(&mounted, "instances/one/trace"), 0o100640, "round {round}: of the one before");
        assert_eq!(mounted.read("instances/one/set_event"), "");
        eventually(|| std::fs::remove_dir(&same).is_ok());
    }
}

/// Row 16: a directory with files in it is made, and removed if none of them is open.
#[test]
fn row_16_instances_come_and_go() {
    let mounted = Mounted::new();
    let one = mounted.path("instances/one");
    let errno = |result: std::io::Result<()>| Errno::from_io_error(&result.unwrap_err()).unwrap();
    std::fs::create_dir(&one).unwrap();
    assert_eq!(errno(std::fs::create_dir(&one)), Errno::EXIST);
    mounted.write("instances/one/events/libc/open/enable", "1").unwrap();
    assert_eq!(mounted.read("instances/one/set_event"), "libc:open\n");
    let open = mounted.open("instances/one/trace", OFlags::RDONLY).unwrap();
    assert_eq!(errno(std::fs::remove_dir(&one)), Errno::BUSY);
    drop(open);
    std::fs::remove_dir(&one).unwrap();
    assert!(!one.exists() && !one.join("trace").exists());
    assert_eq!(errno(std::fs::remove_dir(&one)), Errno::NOENT);
    // By another way than the mount, as `lookback` goes.
    let session = session::Instance::open(&mounted.session()).unwrap();
    session.session().create_instance("two").unwrap();
    assert_eq!(mounted.read("instances/two/tracing_on"), "1\n");
    // The server may still be closing what was read.
    eventually(|| session.session().remove_instance("two").is_ok());
    assert!(!mounted.path("instances/two/tracing_on").exists());
    assert_eq!(names(&mounted.path("instances")), ["flight"]);
    // Another of the same name is another.
    std::fs::create_dir(&one).unwrap();
    assert_eq!(mounted.read("instances/one/set_event"), "");
}

/// An instance that gets the name of a removed one has all its files, while a directory and a file of the
/// removed one are held; these find nothing any more.
#[test]
fn an_instance_made_again_is_another() {
    let mounted = Mounted::new();
    let one = mounted.path("instances/one");
    let open = |path: &str| mounted.open(path, OFlags::RDONLY).unwrap();
    std::fs::create_dir(&one).unwrap();
    let complete = names(&one).len();
    let held = ["instances/one", "instances/one/events", "instances/one/events/libc/read/format"].map(open);
    std::fs::remove_dir(&one).unwrap();
    std::fs::create_dir(&one).unwrap();
    assert_eq!(names(&one).len(), complete);
    assert!(!names(&one.join("events")).is_empty());
    mounted.write("instances/one/events/libc/read/enable", "1").unwrap();
    for directory in &held[..2] {
        let found = rustix::fs::openat(directory, "enable", OFlags::RDONLY, Mode::empty());
        assert_eq!(found.map(drop), Err(Errno::NOENT));
    }
}

/// Row 10: that there are no extended attributes is asked once, and not again before each write.
#[test]
fn row_10_extended_attributes_are_asked_for_once() {
    let mounted = Mounted::new();
    let (trace, name) = (mounted.path("trace"), "security.capability");
    let marker = mounted.open("trace_marker", OFlags::WRONLY).unwrap();
    rustix::io::write(&marker, b"the first").unwrap();
    let mut value = [0_u8; 16];
    assert_eq!(rustix::fs::getxattr(&trace, name, &mut value), Err(Errno::OPNOTSUPP));
    assert_eq!(
        rustix::fs::setxattr(&trace, name, b"", rustix::fs::XattrFlags::empty()),
        Err(Errno::OPNOTSUPP)
    );
    let before = mounted.answers();
    for _ in 0..100 {
        rustix::io::write(&marker, b"another").unwrap();
        assert_eq!(rustix::fs::fgetxattr(&marker, name, &mut value), Err(Errno::OPNOTSUPP));
    }
    assert_eq!(mounted.answers() - before, 100, "one for each write, none for attributes");
}
