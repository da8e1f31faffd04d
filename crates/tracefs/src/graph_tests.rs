//! Texts where the current tracer is `function_graph`: the records are written here.

use crate::Tree;
use crate::top::tests::{read, tree, write};
use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID};
use ring_buffer::{RecordBuffer, Writer, WriterThread};
use rustix::fs::OFlags;
use session::{FUNCTION_GRAPH, Instance};
use tempfile::TempDir;

fn graph_tree() -> (TempDir, Tree) {
    let (directory, tree) = tree();
    tree.instance().prefer(|preferred| preferred.tracer = &FUNCTION_GRAPH).unwrap();
    (directory, tree)
}

/// Writes calls on one CPU: `count` times a function that calls another.
fn write_calls(tree: &Tree, count: u64) {
    let instance = tree.instance();
    let writer = Writer::new(Instance::open(instance.path()).unwrap().into_buffer());
    let write = |id, words: &[u64]| {
        let mut record = RecordBuffer::<8>::new();
        record.push(abi::common::word(id, 0, 0, 77));
        words.iter().for_each(|word| record.push(*word));
        let thread = WriterThread { area: rseq::Area::current(), identity: u64::from(std::process::id()) };
        writer.write(thread, record.event()).unwrap();
    };
    let here = rustix::thread::sched_getaffinity(None).unwrap();
    let mut one = rustix::thread::CpuSet::new();
    one.set((0..1024).find(|cpu| here.is_set(*cpu)).unwrap());
    rustix::thread::sched_setaffinity(None, &one).unwrap();
    for _ in 0..count {
        let now = || instance.buffer().now();
        write(FUNCGRAPH_ENTRY_ID, &[0x1000, 0]);
        write(FUNCGRAPH_ENTRY_ID, &[0x2000, 1]);
        write(FUNCGRAPH_EXIT_ID, &[0x2000, 0, 1, now(), now()]);
        write(FUNCGRAPH_EXIT_ID, &[0x1000, u64::MAX, 0, now(), now()]);
    }
    rustix::thread::sched_setaffinity(None, &here).unwrap();
}

/// What follows the durations.
fn calls(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once("|  ").unwrap().1).collect()
}

const CALL: [&str; 3] = ["0x1000() {", "  0x2000();", "}"];

#[test]
fn it_is_made_in_pieces() {
    let (_directory, tree) = graph_tree();
    write_calls(&tree, 400);
    let whole = read(&tree, "trace");
    let header = "# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n\
                  # |     |   |                     |   |   |   |\n";
    assert!(whole.starts_with(header));
    assert!(calls(&whole) == CALL.repeat(400), "more records than are in a piece");
}

#[test]
fn a_pipe_gives_it_in_pieces_of_any_size() {
    let (_directory, tree) = graph_tree();
    write_calls(&tree, 20);
    let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
    let mut text = Vec::new();
    while let Ok(piece) = pipe.read(1 + text.len() % 197) {
        text.extend(piece);
    }
    assert_eq!(calls(str::from_utf8(&text).unwrap()), CALL.repeat(20));
}

#[test]
fn a_pipe_does_not_wait_for_the_end_of_a_call() {
    let (_directory, tree) = graph_tree();
    write_calls(&tree, 1);
    write(&tree, "trace_marker", "hello").unwrap();
    let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
    let first = String::from_utf8(pipe.read(100).unwrap()).unwrap();
    assert!(first.ends_with("0x1000() {\n"), "{first}");
    let mut rest = String::new();
    while let Ok(piece) = pipe.read(100) {
        rest += str::from_utf8(&piece).unwrap();
    }
    let expected = ["  0x2000();", "}", "/* hello */"];
    let ends = rest.lines().filter(|line| line.contains('|'));
    assert_eq!(ends.map(|line| line.split_once("|  ").unwrap().1).collect::<Vec<_>>(), expected);
}

#[test]
fn its_options_are_there_while_it_is_current() {
    let (_directory, tree) = tree();
    let own = |tree: &Tree| {
        let options = read(tree, "trace_options");
        let own = options.lines().skip_while(|option| !option.ends_with("stacktrace")).skip(1);
        own.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(own(&tree), "");
    assert!(write(&tree, "trace_options", "funcgraph-tail").is_err());
    let (_directory, tree) = graph_tree();
    assert_eq!(
        own(&tree),
        "nofuncgraph-overrun funcgraph-cpu funcgraph-overhead nofuncgraph-proc funcgraph-duration \
         nofuncgraph-abstime funcgraph-irqs nofuncgraph-tail nofuncgraph-retval nofuncgraph-retval-hex \
         nofuncgraph-retaddr nofuncgraph-args sleep-time graph-time"
    );
    write_calls(&tree, 1);
    for option in ["funcgraph-tail", "funcgraph-retval", "nofuncgraph-duration", "nofuncgraph-cpu"] {
        write(&tree, "trace_options", option).unwrap();
    }
    let expected = "0x1000() {\n  0x2000(); /* ret=0x0 */\n} /* 0x1000 ret=-1 */\n";
    assert!(read(&tree, "trace").ends_with(expected));
}
