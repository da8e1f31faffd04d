//! Tracepoints with formats: what one costs, next to LTTng's, and how fast a consumer gets their records.

use crate::attach::Live;
use crate::author::{AuthorOptions, repeat, worker};
use crate::clock::{pinned, wall_ns};
use crate::mount::MountPlace;
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use crate::{lttng, python};
use ktrace::Consumer;
use rustix::ioctl::{Getter, Setter, ioctl, opcode};
use session::{Instance, SessionOptions};
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Tracepoints in a round: some milliseconds.
const TRACEPOINTS: u64 = 50_000;

const ROUNDS: usize = 51;

/// Records that a consumer takes in a round: they fill most of a buffer of 64 MB.
const RECORDS: u64 = 1_000_000;

/// Rounds of a consumer.
const CONSUMED_ROUNDS: usize = 7;

/// Records after which a consumer says how far it has come.
const BATCH: usize = 4096;

/// What the worker of a session in which all is on repeats.
const ON: [&str; 3] = ["rdtsc", "format", "format_text"];

/// What the worker of one in which nothing is on does.
const OFF: [&str; 2] = ["nothing", "format"];

/// What LTTng's worker repeats: a tracepoint with the arguments, and a text with them.
const PEER: [&str; 2] = ["two", "tracef"];

/// Measures everything.
pub fn measure(options: &AuthorOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    let agent = options.agent()?;
    let mut report = Report::default();
    progress.say("tracepoints");
    measure_tracepoints(&mut report, agent)?;
    progress.say("consumers");
    report.add("consumer_mmap_GBps", in_place(agent));
    report.add("consumer_read_over_mount_GBps", over_mount(agent));
    progress.say("the Python package");
    python::measure(&mut report);
    Ok(report)
}

fn measure_tracepoints(report: &mut Report, agent: &Path) -> Result<(), String> {
    let (on, off) = (Live::new(&["ktrace:*"])?, Live::new(&[])?);
    let (mut with, mut idle) = (worker(agent, Some(&on.path()))?, worker(agent, Some(&off.path()))?);
    let programs = ProgramDirectory::new()?;
    let mut peer = lttng::start(&programs);
    let (mut ours, mut disabled) = (ON.map(|_| Samples::new()), OFF.map(|_| Samples::new()));
    let mut theirs = PEER.map(|_| Samples::new());
    for _ in 0..ROUNDS {
        repeat(&mut with, &ON, TRACEPOINTS, &mut ours)?;
        repeat(&mut idle, &OFF, TRACEPOINTS, &mut disabled)?;
        peer = peer.and_then(|worker| repeat_by(worker, &mut theirs));
    }
    let [tsc, format, text] = ours;
    let [nothing, format_off] = disabled;
    let [two, tracef] = theirs;
    for (name, value) in [
        ("rdtsc_ns", tsc.median()),
        ("do_trace_two_args_ns", format.median()),
        ("do_trace_two_args_vs_rdtsc", format.ratio_to(&tsc)),
        ("do_trace_string_vs_rdtsc", text.ratio_to(&tsc)),
        ("do_trace_disabled_ns", format_off.more_than(&nothing)),
    ] {
        report.add(name, Ok(value));
    }
    let peer = peer.map(drop);
    for (name, value) in [
        ("lttng_tracef_ns", tracef.median()),
        ("lttng_tracef_vs_ours", tracef.ratio_to(&format)),
        ("lttng_tracepoint_vs_ours", two.ratio_to(&format)),
    ] {
        report.add(name, peer.clone().map(|()| value));
    }
    Ok(())
}

fn repeat_by(mut worker: Worker, samples: &mut [Samples]) -> Result<Worker, String> {
    repeat(&mut worker, &PEER, TRACEPOINTS, samples)?;
    Ok(worker)
}

/// A program that traces on CPU 0, in a session whose buffers are large.
fn producer(agent: &Path, session: &Path) -> Result<Worker, String> {
    pinned(&[0], || worker(agent, Some(session)))
}

/// GB/s of events whose every word is looked at where they lie, and which are consumed then.
fn in_place(agent: &Path) -> Result<f64, String> {
    let live = Live::with(&SessionOptions { buffer_kb: 65_536, ..SessionOptions::default() })?;
    live.enable(&["ktrace:*"])?;
    let mut producer = producer(agent, &live.path())?;
    let instance = Instance::open(&live.path()).map_err(|error| error.to_string())?;
    let mut consumer = Consumer::open(Arc::new(instance), 0).map_err(|error| error.to_string())?;
    let mut samples = Samples::new();
    for _ in 0..CONSUMED_ROUNDS {
        producer.repeat("format_text", RECORDS)?;
        let before = wall_ns();
        let bytes = consume(&mut consumer)?;
        samples.push(bytes as f64 / (wall_ns() - before));
    }
    Ok(samples.median())
}

/// Bytes of events, with their headers.
fn consume(consumer: &mut Consumer) -> Result<usize, String> {
    let (mut words, mut records, mut sum) = (0, 0, 0_u32);
    while let Some(record) = consumer.next_record() {
        sum = (0..record.payload.len()).fold(sum, |sum, index| sum.wrapping_add(record.word(index)));
        words += record.payload.len() + 1;
        records += 1;
        if records % BATCH == 0 {
            consumer.put_consumed(consumer.position()).map_err(|error| error.to_string())?;
        }
    }
    consumer.put_consumed(consumer.position()).map_err(|error| error.to_string())?;
    black_box(sum);
    match records as u64 {
        RECORDS => Ok(4 * words),
        found => Err(format!("{found} of {RECORDS} records")),
    }
}

/// GB/s of records that are read through a mount and consumed.
fn over_mount(agent: &Path) -> Result<f64, String> {
    let place = MountPlace::new(0)?;
    place.enable("ktrace:*")?;
    let mut producer = producer(agent, &place.session_path())?;
    let path = place.path("ktrace/buffers/cpu0");
    let mut file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut samples, mut buffer) = (Samples::new(), vec![0; 1 << 18]);
    for _ in 0..CONSUMED_ROUNDS {
        producer.repeat("format_text", RECORDS)?;
        let before = wall_ns();
        let bytes = read_and_consume(&mut file, &mut buffer).map_err(|error| error.to_string())?;
        samples.push(bytes as f64 / (wall_ns() - before));
    }
    Ok(samples.median())
}

/// Reads all records that were produced, piece by piece, and consumes them: how many bytes they have.
fn read_and_consume(file: &mut File, buffer: &mut [u8]) -> io::Result<u32> {
    // SAFETY: these requests of the tracer give 32 bits.
    let (get_produced, get_consumed) =
        unsafe { (Getter::<GET_PRODUCED, u32>::new(), Getter::<GET_CONSUMED, u32>::new()) };
    // SAFETY: they are this file's.
    let (produced, consumed) = unsafe { (ioctl(&*file, get_produced)?, ioctl(&*file, get_consumed)?) };
    let len = produced.wrapping_sub(consumed);
    let mut left = len as usize;
    while left > 0 {
        let most = left.min(buffer.len());
        left -= file.read(buffer.get_mut(..most).unwrap_or_default())?;
    }
    // SAFETY: this request takes 32 bits, and is this file's.
    unsafe { ioctl(&*file, Setter::<PUT_CONSUMED, u32>::new(produced))? };
    Ok(len)
}

const GET_PRODUCED: u32 = opcode::read::<u32>(0xf5, 1);
const GET_CONSUMED: u32 = opcode::read::<u32>(0xf5, 2);
const PUT_CONSUMED: u32 = opcode::write::<u32>(0xf5, 4);
