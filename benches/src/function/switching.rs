//! How long it takes to switch the sites of 10,000 functions, next to a thread that runs through them.

use super::written::{MappedText, WrittenText};
use crate::clock::{thread_cpu_ns, wall_ns};
use crate::report::Report;
use crate::samples::Samples;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;
use text_poke::plan::SiteState;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::{Poke, Threads};

const FUNCTIONS: usize = 10_000;
const ROUNDS: usize = 31;
/// Bytes of a function: some like to be larger, but this makes them lie on 157 pages.
const STRIDE: usize = 64;
/// The first function is what all sites call.
const RETURN: u8 = 0xc3;

/// What the sites of a program are like.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// `nop5` at the start of a line.
    OneWord,
    /// `nop5` in two words.
    TwoWords,
    /// Five nops of one byte.
    Nops,
}

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let one = switches(Shape::OneWord, Threads::Running)?;
    report.add("switch_10k_sites_ms", Ok(one.again / 1e6));
    report.add("switch_10k_first_ms", Ok(one.first / 1e6));
    let two = switches(Shape::TwoWords, Threads::Running)?;
    report.add("switch_10k_two_words_ms", Ok(two.again / 1e6));
    report.add("switch_10k_two_words_first_ms", Ok(two.first / 1e6));
    report.add("switch_1_site_us", Ok(one.single / 1e3));
    let nops = switches(Shape::Nops, Threads::Alone)?;
    report.add("prepare_10k_sites_us", Ok(nops.prepared / 1e3));
    Ok(())
}

/// Times in ns.
#[derive(Debug, Default)]
struct SwitchTimes {
    /// All sites to off for the first time: of the processor.
    prepared: f64,
    /// All sites to on for the first time.
    first: f64,
    /// All sites to on or off.
    again: f64,
    /// One of them.
    single: f64,
}

fn switches(shape: Shape, threads: Threads) -> Result<SwitchTimes, String> {
    let text = WrittenText::new(&functions(shape))?;
    let mut samples = [const { Samples::new() }; 4];
    for _ in 0..ROUNDS {
        let text = text.map()?;
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            if threads == Threads::Running {
                scope.spawn(|| run_through(&text, shape, &stop));
            }
            let result = round(&text, shape, threads, &mut samples);
            stop.store(true, Relaxed);
            result
        })?;
    }
    let [prepared, first, again, single] = samples.map(|samples| samples.median());
    Ok(SwitchTimes { prepared, first, again, single })
}

fn round(
    text: &MappedText,
    shape: Shape,
    threads: Threads,
    samples: &mut [Samples; 4],
) -> Result<(), String> {
    let pokes = |wanted: SiteState| (1..FUNCTIONS).map(move |index| poke(text, shape, index, wanted));
    let [prepared, first, again, single] = samples;
    let all = |wanted| timed(text, pokes(wanted), threads);
    let start = thread_cpu_ns();
    all(SiteState::Off)?;
    prepared.push(thread_cpu_ns() - start);
    first.push(all(SiteState::On)?);
    again.push(all(SiteState::Off)?);
    again.push(all(SiteState::On)?);
    single.push(timed(text, pokes(SiteState::Off).take(1), threads)?);
    Ok(())
}

fn timed(
    text: &MappedText,
    pokes: impl Iterator<Item = Poke> + Clone,
    threads: Threads,
) -> Result<f64, String> {
    let start = wall_ns();
    // SAFETY: the text stays mapped, nobody else changes it, and what is called returns at once.
    let applied = unsafe { text_poke::apply(&text.text, pokes, threads) };
    let time = wall_ns() - start;
    match applied {
        Ok(applied) if applied.failed == 0 => Ok(time),
        Ok(applied) => Err(format!("{} sites: {:?}", applied.failed, applied.failure)),
        Err(error) => Err(error.to_string()),
    }
}

fn poke(text: &MappedText, shape: Shape, index: usize, wanted: SiteState) -> Poke {
    let (offset, bytes) = site(shape);
    let address = text.address() + (index * STRIDE + offset) as u64;
    let plan = entry::plan(address, bytes, CallTarget::At(text.address()));
    Poke { plan: plan.expect("nops can be planned"), wanted }
}

/// Where in a function its site is, and its bytes.
fn site(shape: Shape) -> (usize, &'static [u8]) {
    match shape {
        Shape::OneWord => (0, &[0x0f, 0x1f, 0x44, 0, 0]),
        Shape::TwoWords => (5, &[0x0f, 0x1f, 0x44, 0, 0]),
        Shape::Nops => (0, &[0x90; 5]),
    }
}

fn functions(shape: Shape) -> Vec<u8> {
    let (offset, site) = site(shape);
    let mut code = vec![RETURN; FUNCTIONS * STRIDE];
    for function in code.chunks_exact_mut(STRIDE).skip(1) {
        function[offset..offset + site.len()].copy_from_slice(site);
    }
    code
}

/// Calls one function after the other.
fn run_through(text: &MappedText, shape: Shape, stop: &AtomicBool) {
    let (offset, _) = site(shape);
    while !stop.load(Relaxed) {
        for index in 1..FUNCTIONS {
            // SAFETY: a function that does nothing, whatever is stored there.
            unsafe { text.call(index * STRIDE + offset, 0) };
        }
    }
}
