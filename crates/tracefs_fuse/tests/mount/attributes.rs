//! What stat(2), statfs(2) and readdir(3) say, and what may be done with names.

use crate::mounted::*;
use rustix::fs::OFlags;
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

#[test]
fn a_directory_has_what_the_tree_has() {
    let mounted = Mounted::new();
    let tree = tracefs::Tree::new(session::Session::open(&mounted.session()).unwrap());
    for (path, directory) in [
        ("", tracefs::Directory::Top),
        ("events", tracefs::Directory::Events),
        ("events/libc", tracefs::Directory::System("libc".to_string())),
        ("per_cpu", tracefs::Directory::Cpus),
    ] {
        assert_eq!(names(&mounted.path(path)), directory.names(&tree), "{path}");
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

#[test]
fn instances_come_and_go() {
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
    let session = session::Session::open(&mounted.session()).unwrap();
    session.create_instance("two").unwrap();
    assert_eq!(mounted.read("instances/two/tracing_on"), "1\n");
    // The server may still be closing what was read.
    eventually(|| session.remove_instance("two").is_ok());
    assert!(!mounted.path("instances/two/tracing_on").exists());
    assert_eq!(names(&mounted.path("instances")), ["flight"]);
    // Another of the same name is another.
    std::fs::create_dir(&one).unwrap();
    assert_eq!(mounted.read("instances/one/set_event"), "");
}

#[test]
fn there_are_no_extended_attributes() {
    let mounted = Mounted::new();
    let mut value = [0_u8; 16];
    let name = "security.capability";
    for _ in 0..2 {
        let found = rustix::fs::getxattr(mounted.path("trace"), name, &mut value);
        assert_eq!(found, Err(Errno::OPNOTSUPP));
    }
}
