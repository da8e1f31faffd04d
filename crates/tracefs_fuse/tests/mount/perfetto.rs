//! What perfetto's `traced_probes` does with a tracefs, call by call. It aborts where a write is short, or a
//! read isn't as it expects.

use crate::mounted::*;
use rustix::fs::OFlags;
use rustix::io::Errno;

const PAGE: usize = 4096;

/// Writes as it does: appends, and takes nothing but all of it for an answer.
fn append(mounted: &Mounted, path: &str, text: &str) {
    let file = mounted.open(path, OFlags::WRONLY | OFlags::APPEND).unwrap();
    assert_eq!(rustix::io::write(&file, text.as_bytes()), Ok(text.len()), "{path}");
}

/// A tracefs is where `trace` can be read.
#[test]
fn it_finds_the_tree_and_what_is_in_it() {
    let mounted = Mounted::new();
    mounted.open("trace", OFlags::RDONLY).unwrap();
    for path in ["events/header_page", "available_events", "trace_clock", "per_cpu/cpu0/stats"] {
        assert!(!mounted.read(path).is_empty(), "{path}");
    }
    assert_eq!(mounted.read("printk_formats"), "");
    // That the buffer is a page of more bytes it reads from here.
    assert!(mounted.read("events/header_page").contains("field: char data;\toffset:16;\tsize:4080;"));
    for name in ["format", "id", "enable"] {
        assert!(!mounted.read(&format!("events/libc/open/{name}")).is_empty(), "{name}");
    }
}

#[test]
fn it_sets_up_a_recording() {
    let mounted = Mounted::new();
    let on = mounted.open("tracing_on", OFlags::RDONLY).unwrap();
    assert_eq!(read(&on, 1), Ok(b"1".to_vec()), "one byte");
    mounted.write("tracing_on", "0").unwrap();
    mounted.write("trace_clock", "boot").unwrap();
    assert!(mounted.read("trace_clock").contains("[boot]"));
    mounted.write("buffer_size_kb", "512").unwrap();
    let size: u64 = mounted.read("buffer_size_kb").trim_end().parse().unwrap();
    assert!(size >= 512, "{size}");
    mounted.write("buffer_percent", "50").unwrap();
    append(&mounted, "set_event", "libc:open");
    append(&mounted, "set_event", "libc:close");
    assert_eq!(mounted.read("set_event"), "libc:open\nlibc:close\n");
    append(&mounted, "set_event", "!libc:open");
    mounted.write("events/libc/open_exit/enable", "1").unwrap();
    assert_eq!(mounted.read("set_event"), "libc:open_exit\nlibc:close\n");
    mounted.write("tracing_on", "1").unwrap();
    assert_eq!(read(&mounted.open("tracing_on", OFlags::RDONLY).unwrap(), 1), Ok(b"1".to_vec()));
    mounted.write("events/enable", "0").unwrap();
    assert_eq!(mounted.read("set_event"), "");
}

/// Without waiting, a page with each read: full, or filled up with zeros.
#[test]
fn it_reads_whole_pages() {
    let mounted = Mounted::new();
    let raw = mounted.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
    assert_eq!(read(&raw, PAGE), Err(Errno::AGAIN));
    mark_on(&mounted, 0, 300);
    let mut found = 0;
    loop {
        let page = match read(&raw, PAGE) {
            Ok(page) => page,
            Err(error) => break assert_eq!(error, Errno::AGAIN),
        };
        assert_eq!(page.len(), PAGE);
        let commit = u64::from_le_bytes(page[8..16].try_into().unwrap());
        let end = 16 + (commit & 0xf_ffff) as usize;
        assert!(end > 16 && end <= PAGE, "{end}");
        assert!(page[end..].iter().all(|byte| *byte == 0));
        found += String::from_utf8_lossy(&page[16..end]).matches("number ").count();
    }
    assert_eq!(found, 300);
    let stats = mounted.read("per_cpu/cpu0/stats");
    assert!(stats.contains("overrun: 0\n") && stats.contains("read events: 300\n"), "{stats}");
}

/// It clears all, and of single CPUs.
#[test]
fn it_clears_the_buffer_of_one_cpu() {
    let mounted = Mounted::new();
    let events = |path: &str| mounted.read(path).lines().filter(|line| !line.starts_with('#')).count();
    mounted.open("trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
    let cpus = std::thread::available_parallelism().unwrap().get().min(2);
    (0..cpus).for_each(|cpu| mark_on(&mounted, cpu, 3));
    assert_eq!(events("trace"), 3 * cpus);
    mounted.open("per_cpu/cpu0/trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
    assert_eq!((events("per_cpu/cpu0/trace"), events("trace")), (0, 3 * (cpus - 1)));
    mounted.open("trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
    assert_eq!(events("trace"), 0);
}
