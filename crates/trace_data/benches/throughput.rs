//! How fast events are decoded, merged and printed.
//!
//! `cargo bench -p lookback-trace-data`: best of several rounds each, on one core.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::merge::{Merge, Pages};
use trace_data::page::{Page, PageBuilder};
use trace_data::print::Dialect;
use trace_data::record::Records;
use trace_data::text::{GraphColumns, Layout, TextWriter};

const COMMON: &str = "\
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

";

/// Two numbers.
const SIMPLE: &str = "\
\tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;
\tfield:unsigned int count;\toffset:12;\tsize:4;\tsigned:0;

print fmt: \"fd=%d count=%u\", REC->fd, REC->count
";

/// A string in the record, flags, an octal number, an address.
const OPENAT: &str = "\
\tfield:int dfd;\toffset:8;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] path;\toffset:12;\tsize:4;\tsigned:0;
\tfield:int flags;\toffset:16;\tsize:4;\tsigned:1;
\tfield:unsigned int mode;\toffset:20;\tsize:4;\tsigned:0;
\tfield:unsigned long caller;\toffset:24;\tsize:8;\tsigned:0;

print fmt: \"dfd=%d path=%s flags=%s mode=0%o caller=%pS\", REC->dfd, __get_str(path), \
__print_flags(REC->flags, \"|\", { 1, \"O_WRONLY\" }, { 2, \"O_RDWR\" }, { 64, \"O_CREAT\" }, \
{ 512, \"O_TRUNC\" }), REC->mode, (void *)REC->caller
";

/// Pages that are handed out again and again.
struct Kept {
    pages: Vec<Vec<Vec<u8>>>,
    next: Vec<usize>,
}

impl Pages for Kept {
    type Error = Infallible;

    fn streams(&self) -> usize {
        self.pages.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        stream as u32
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Infallible> {
        let next = self.pages[stream].get(self.next[stream]);
        self.next[stream] += 1;
        if let Some(next) = next {
            page.clone_from(next);
        }
        Ok(next.is_some())
    }
}

fn pages(payload: &[u8], events: u64, step: u64) -> Vec<Vec<u8>> {
    pages_of(&[payload], events, step)
}

/// Pages with so many events, each payload in its turn.
fn pages_of(payloads: &[&[u8]], events: u64, step: u64) -> Vec<Vec<u8>> {
    let mut builder = PageBuilder::new(4096);
    let mut pages = Vec::new();
    for (number, payload) in (0..events).zip(payloads.iter().cycle()) {
        if !builder.push(number * step, payload) {
            pages.push(builder.finish(None).to_vec());
            builder.push(number * step, payload);
        }
    }
    pages.push(builder.finish(None).to_vec());
    pages
}

/// Runs `work`, which handles so many events, and prints the best of some rounds.
fn measure(name: &str, events: u64, mut work: impl FnMut() -> u64) {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        assert_eq!(black_box(work()), events, "{name}");
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = events as f64 / best / 1e6;
    println!("{name:<44} {rate:8.1} M/s {:8.1} ns each", best / events as f64 * 1e9);
}

fn decode(pages: &[Vec<u8>]) -> u64 {
    let mut count = 0;
    for page in pages {
        for event in Page::new(page).unwrap().events() {
            count += u64::from(!black_box(event).payload.is_empty());
        }
    }
    count
}

fn merge(pages: &[Vec<Vec<u8>>]) -> u64 {
    let source = Kept { pages: pages.to_vec(), next: vec![0; pages.len()] };
    let mut merge = Merge::new(source).unwrap();
    let mut count = 0;
    while let Ok(Some(record)) = merge.next() {
        count += u64::from(!black_box(record).payload.is_empty());
    }
    count
}

fn text(events: &EventTable, pages: &[Vec<u8>], layout: Layout) -> u64 {
    let pages = Kept { pages: vec![pages.to_vec()], next: vec![0] };
    let mut merge = Merge::new(pages).unwrap();
    let mut writer = TextWriter::new(std::io::sink(), events, &(), &(), layout);
    let mut count = 0;
    while let Ok(Some(record)) = merge.next() {
        writer.event(&record, None).unwrap();
        count += 1;
    }
    writer.settle().unwrap();
    count
}

/// The events of the tracers of functions.
fn tracers() -> EventTable {
    let own = events::all().filter(|event| event.system == events::ftrace::SYSTEM);
    let texts = own.map(|event| events::format_file(event.name, event.id, event.own_format()).to_string());
    texts.map(|text| Event::new(Format::parse("ftrace", &text).unwrap(), Dialect::Kernel)).collect()
}

/// Calls of a function that calls another, each with its end.
fn calls() -> [Vec<u8>; 4] {
    use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID};
    let words = |id, words: &[u64]| {
        let common = abi::common::word(id, 0, 0, 1234);
        std::iter::once(&common).chain(words).flat_map(|word| word.to_le_bytes()).collect()
    };
    [
        words(FUNCGRAPH_ENTRY_ID, &[0x1000, 0]),
        words(FUNCGRAPH_ENTRY_ID, &[0x2000, 1]),
        words(FUNCGRAPH_EXIT_ID, &[0x2000, 0, 1, 0, 1234]),
        words(FUNCGRAPH_EXIT_ID, &[0x1000, 0, 0, 0, 12_345]),
    ]
}

fn format(fields: &str) -> EventTable {
    let text = format!("name: openat\nID: 300\n{COMMON}{fields}");
    [Event::new(Format::parse("libc", &text).unwrap(), Dialect::Kernel)].into_iter().collect()
}

fn main() {
    const EVENTS: u64 = 1_000_000;
    let common = abi_word();
    for length in [4, 12, 28, 60] {
        let pages = pages(&vec![1; length], EVENTS, 700);
        measure(&format!("decode, {length} bytes of payload"), EVENTS, || decode(&pages));
    }
    for cpus in [1_usize, 2, 8, 64] {
        let each = EVENTS / cpus as u64;
        let pages = vec![pages(&[1; 12], each, 700 * cpus as u64); cpus];
        measure(&format!("merge, {cpus} CPUs"), each * cpus as u64, || merge(&pages));
    }
    let simple = [&common[..], &3_i32.to_le_bytes(), &4096_u32.to_le_bytes()].concat();
    let pages_simple = pages(&simple, EVENTS, 700);
    let plain = Layout::default();
    measure("text, two numbers", EVENTS, || text(&format(SIMPLE), &pages_simple, plain));
    let mut openat = common.to_vec();
    for word in [-100_i32, (16 << 16) | 32, 0x241, 0o644] {
        openat.extend(word.to_le_bytes());
    }
    openat.extend(0x5555_5555_1234_u64.to_le_bytes());
    openat.extend(b"/etc/nsswitch.c\0");
    let pages_openat = pages(&openat, EVENTS, 700);
    measure("text, string, flags, address", EVENTS, || text(&format(OPENAT), &pages_openat, plain));
    let calls = calls();
    let pages_calls = pages_of(&calls.each_ref().map(Vec::as_slice), EVENTS, 700);
    let graph = Layout { graph: Some(GraphColumns::default()), ..plain };
    measure("text, calls within calls", EVENTS, || text(&tracers(), &pages_calls, graph));
}

/// The common fields of event 300, recorded by thread 1234.
fn abi_word() -> [u8; 8] {
    abi::common::word(300, 0, 0, 1234).to_le_bytes()
}
