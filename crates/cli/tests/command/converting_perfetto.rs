//! `lookback convert`: what Perfetto's own trace_processor makes of it.

use crate::common::*;
use crate::converting::{assert_slices, converted, sums};
use crate::converting_formats::recorded;
use std::path::{Path, PathBuf};

const RELEASE: &str = "v52.0-6b9586def";

/// The directory of Perfetto's interface, as `--fetch-ui` fetches it: once for all runs of the tests.
fn interface(scratch: &Scratch) -> PathBuf {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface");
    let release = data.join("lookback").join(format!("perfetto-{RELEASE}"));
    if !release.join("index.html").is_file() {
        run(scratch.lookback(&["view", "--fetch-ui"]).env("XDG_DATA_HOME", &data)).success();
    }
    match release.join(RELEASE) {
        nested if nested.is_dir() => nested,
        _ => release,
    }
}

/// What trace_processor answers to a question about a trace.
pub fn ask(scratch: &Scratch, trace: &str, query: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/converting/trace_processor.js");
    run(scratch.command("node").arg(script).arg(interface(scratch)).args([trace, query])).success().stdout
}

#[test]
fn trace_processor_has_each_call_with_its_arguments() {
    if is_missing(&["node", "python3"]) {
        return;
    }
    let scratch = recorded();
    converted(&scratch, "trace.pftrace", &[]);
    let query = "SELECT 'slice', name, COUNT(*), SUM(dur) FROM slice WHERE category = 'libc' GROUP BY name";
    let found = ask(&scratch, "trace.pftrace", query);
    assert_slices(&sums(&found, "slice\t"), &scratch);
    let errors = "SELECT name, value FROM stats WHERE severity != 'info' AND value > 0";
    assert_eq!(ask(&scratch, "trace.pftrace", errors), "");
    let query = "SELECT key, display_value FROM slice JOIN args USING (arg_set_id) WHERE slice.name = 'open'";
    let found = ask(&scratch, "trace.pftrace", query);
    for text in
        ["debug.flags\tO_RDWR|O_CLOEXEC", "debug.error\tENOENT", "debug.pathname\t/'; DROP TABLE slice"]
    {
        assert!(found.contains(text), "{text} is not in {found}");
    }
}

/// A program whose parts wait for each other in ways that are followed.
const TALKING: &str = r#"
import os, socket, threading
r, w = os.pipe()
if os.fork() == 0:
    os.close(w)
    while os.read(r, 100): pass
    os._exit(0)
os.close(r)
for round in range(5): os.write(w, b'x' * 300)
os.close(w)
os.wait()
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen(5)
port = server.getsockname()[1]
again = socket.socket()
again.bind(('127.0.0.1', port + 1 if port < 65000 else port - 1))
again.listen(5)
def serve():
    for round in range(3): again.accept()[0].close()
thread = threading.Thread(target=serve)
thread.start()
for round in range(3):
    client = socket.create_connection(again.getsockname())
    client.recv(1)
    client.close()
thread.join()
def answer():
    for known in range(2):
        peer = again.accept()[0]
        while peer.recv(100): peer.send(b'y' * 50)
        peer.close()
thread = threading.Thread(target=answer)
thread.start()
for known in range(2):
    client = socket.create_connection(again.getsockname())
    # Without its own address, nobody knows which of the accepted ones is its peer.
    if known: client.getsockname()
    for round in range(4):
        client.send(b'x' * 30)
        client.recv(10, socket.MSG_PEEK)
        client.recv(100)
    client.close()
thread.join()
"#;

#[test]
fn perfetto_shows_what_leads_where_and_how_many_there_are() {
    if is_missing(&["node"]) {
        return;
    }
    let scratch = Scratch::new();
    scratch.recorded(&["/usr/bin/python3", "-S", "-c", TALKING]).0.success();
    converted(&scratch, "trace.pftrace", &[]);
    let flows = "SELECT o.name, i.name, COUNT(*), MIN(i.ts - o.ts) >= 0 FROM flow f JOIN slice o \
                 ON f.slice_out = o.id JOIN slice i ON f.slice_in = i.id GROUP BY 1, 2";
    let found = ask(&scratch, "trace.pftrace", flows);
    let count = |from: &str, to: &[&str]| {
        let of = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[0] == from && to.contains(&cells[1]))
                .then(|| (cells[2].parse::<u64>().unwrap(), cells[3] == "1"))
        };
        let all: Vec<(u64, bool)> = found.lines().filter_map(of).collect();
        assert!(all.iter().all(|(_, is_forward)| *is_forward), "{found}");
        all.iter().map(|(count, _)| count).sum::<u64>()
    };
    assert_eq!(count("write", &["read", "arrived"]), 5, "{found}");
    assert_eq!(count("connect", &["accept", "accept4", "arrived"]), 5, "{found}");
    // Four questions and four answers of the connection whose ends are both known.
    assert_eq!(count("send", &["recv", "arrived"]), 8, "{found}");
    assert!(found.lines().filter(|line| line.starts_with("sched_process_fork\t")).count() >= 2, "{found}");
    let counters = "SELECT t.name, MAX(value), (SELECT value FROM counter l WHERE l.track_id = t.id \
                    ORDER BY ts DESC LIMIT 1) FROM counter c JOIN counter_track t ON c.track_id = t.id GROUP BY t.id";
    let found = ask(&scratch, "trace.pftrace", counters);
    assert!(found.contains("Bytes in pipes and socket pairs\t1500\t0\n"), "{found}");
    assert!(found.contains("Open descriptors\t"), "{found}");
    let errors = "SELECT name, value FROM stats WHERE severity != 'info' AND value > 0";
    assert_eq!(ask(&scratch, "trace.pftrace", errors), "");

    let script = "a = [bytearray(1 << 20) for round in range(4)]; del a";
    let program = ["/usr/bin/python3", "-S", "-c", script];
    let events = ["-q", "-e", "malloc*", "-e", "free", "-e", "calloc*", "-e", "realloc*"];
    run(&mut scratch.record(&events, &program)).success();
    converted(&scratch, "heap.pftrace", &[]);
    let found = ask(&scratch, "heap.pftrace", counters);
    let most = found
        .lines()
        .find_map(|line| line.strip_prefix("Allocated bytes\t")?.split('.').next()?.split('\t').next());
    assert!(most.is_some_and(|most| most.parse::<u64>().unwrap() > 4 << 20), "{found}");
}

/// A span that is made by one thread and entered by three others, one after the other.
#[test]
fn perfetto_shows_where_spans_are_entered() {
    if is_missing(&["node"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    run(&mut scratch.record(&["-q", "-e", "spans:"], &[&program])).success();
    converted(&scratch, "trace.pftrace", &[]);
    let flows = "SELECT o.name, i.name, COUNT(*), MIN(i.ts - o.ts) >= 0, COUNT(DISTINCT t.utid) FROM flow f \
                 JOIN slice o ON f.slice_out = o.id JOIN slice i ON f.slice_in = i.id \
                 JOIN thread_track t ON i.track_id = t.id GROUP BY 1, 2 ORDER BY 1, 2";
    let found = ask(&scratch, "trace.pftrace", flows);
    // From where a span is made to where it is entered, and on to each of its events, on whatever thread.
    let outer = "generic\tgeneric\t2\t1\t1\nouter\touter\t1\t1\t1\nouter\tvalues\t1\t1\t1\n";
    let task = "step\ttask\t2\t1\t2\ntask\tstep\t3\t1\t3\ntask\ttask\t1\t1\t1\nvalues\tgeneric\t1\t1\t1\n";
    assert_eq!(found, [outer, task].concat());
}

#[test]
fn perfetto_shows_when_threads_run_and_who_wakes_them() {
    if is_missing(&["node"]) || is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-e", "@default", "-e", "@switch"], &["sleep", "0.05"])).success();
    converted(&scratch, "trace.pftrace", &[]);
    // Others sleep, too, and run before it and after it.
    let pid = scratch.trace().named("nanosleep").next().unwrap().pid;
    let states = format!(
        "SELECT state, SUM(dur), COUNT(waker_utid) FROM thread_state s JOIN thread t USING (utid) \
         WHERE t.tid = {pid} GROUP BY state"
    );
    let found = ask(&scratch, "trace.pftrace", &states);
    let time = |state: &str| {
        let cells = found.lines().find_map(|line| line.strip_prefix(&format!("{state}\t")));
        let (time, wakers) = cells.unwrap_or("0\t0").split_once('\t').unwrap();
        (time.parse::<i64>().unwrap(), wakers.parse::<u64>().unwrap())
    };
    assert!((40_000_000..1_000_000_000).contains(&time("S").0), "{found}");
    assert!(time("Running").0 > 100_000 && time("R").1 > 0, "{found}");
    // As the kernel's own events say.
    let switches = scratch.trace().named("sched_switch").count();
    let slices = ask(&scratch, "trace.pftrace", "SELECT COUNT(*) FROM sched_slice");
    assert!(slices.trim().parse::<usize>().unwrap() >= switches, "{slices} {switches}");
    let errors = "SELECT name, value FROM stats WHERE severity != 'info' AND value > 0";
    assert_eq!(ask(&scratch, "trace.pftrace", errors), "");
}
