//! Sites become calls and nops again, at random, while threads, signal handlers and children run through
//! them.
//!
//! `LOOKBACK_SWITCHES` says how often; `cargo xtask prove` says 1,000,000.

mod crowd;
mod functions;
#[path = "../common/numbers.rs"]
mod numbers;
mod waits;

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use crowd::Stage;
use functions::Functions;
use numbers::Numbers;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use text_poke::plan::{Preparation, SiteState};
use text_poke::{Applied, NotApplied, Poke, STEPS, SiteFailure, Threads};
use waits::WAITS;

const THREADS: usize = 8;

/// How many switches of sites are to be made.
fn switches() -> usize {
    std::env::var("LOOKBACK_SWITCHES").map_or(20_000, |text| text.parse().unwrap())
}

fn apply(functions: &Functions, pokes: &[Poke], threads: Threads) -> Result<Applied, NotApplied> {
    // SAFETY: the functions are never unmapped, their plans are right, and each test has its own.
    unsafe { text_poke::apply(&functions.text, pokes.iter().copied(), threads) }
}

/// Brings all sites to a state.
fn apply_all(functions: &Functions, wanted: SiteState, threads: Threads) -> Result<Applied, NotApplied> {
    let poke = |function: &functions::Function| Poke { plan: function.plan, wanted };
    apply(functions, &functions.all.iter().map(poke).collect::<Vec<_>>(), threads)
}

/// A stage whose sites are all prepared and off.
fn prepared() -> Arc<Stage> {
    let stage = Stage::new();
    let applied = apply_all(&stage.functions, SiteState::Off, Threads::Alone).unwrap();
    assert_eq!(applied.failed, 0, "{applied:?}");
    stage
}

/// How much the threads of a stage are to have done before it is over, however busy the machine is.
const CHECKED: usize = 1000;
const SIGNALS: usize = 100;

/// Switches so many sites, a few at a time, or more until `enough`, and stops all threads at the end.
fn switch(stage: &Stage, switches: usize, enough: impl Fn(&Stage) -> bool) {
    let mut numbers = Numbers::new();
    let mut switched = 0;
    while switched < switches || stage.checked.load(Relaxed) < CHECKED || !enough(stage) {
        let chosen = 1 + numbers.below((1 << stage.functions.all.len()) - 1);
        let chosen: Vec<usize> =
            (0..stage.functions.all.len()).filter(|index| chosen >> index & 1 == 1).collect();
        let state = |on: bool| if on { SiteState::Off } else { SiteState::On };
        let poke = |index: &usize| {
            let plan = stage.functions.all[*index].plan;
            Poke { plan, wanted: state(stage.is_on(*index)) }
        };
        let pokes: Vec<Poke> = chosen.iter().map(poke).collect();
        chosen.iter().for_each(|index| stage.switching(*index));
        let applied = apply(&stage.functions, &pokes, Threads::Running).unwrap();
        chosen.iter().for_each(|index| stage.switching(*index));
        assert_eq!((applied.failed, applied.stores), (0, chosen.len()), "{applied:?}");
        assert_eq!(applied.synchronizations, 1);
        switched += chosen.len();
    }
    stage.stop.store(true, Relaxed);
}

fn start(stage: &Arc<Stage>, work: impl Fn(&Stage) + Send + Sync + 'static) -> JoinHandle<()> {
    let stage = Arc::clone(stage);
    thread::spawn(move || {
        while !stage.is_over() {
            work(&stage);
        }
    })
}

fn finish(stage: &Stage, threads: Vec<JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(!stage.functions.is_writable(), "text is never left writable");
}

#[test]
fn every_call_counts_when_on_and_none_when_off() {
    let stage = prepared();
    let threads = (0..THREADS).map(|_| start(&stage, Stage::call_all)).collect();
    let start = Instant::now();
    switch(&stage, switches(), |stage| stage.during.load(Relaxed) > 0);
    let each = start.elapsed().as_nanos() / switches() as u128;
    finish(&stage, threads);
    let (checked, during) = (stage.checked.load(Relaxed), stage.during.load(Relaxed));
    println!("{each} ns for each switch; {checked} calls checked, {during} while being switched");
}

/// What the handler of signals calls.
static STAGE: AtomicPtr<Stage> = AtomicPtr::new(core::ptr::null_mut());

extern "C" fn handle(_signal: i32) {
    // SAFETY: the stage is never freed.
    if let Some(stage) = unsafe { STAGE.load(Acquire).as_ref() } {
        stage.call_all();
        stage.signals.fetch_add(1, Relaxed);
    }
}

#[test]
fn handlers_and_children_may_come_at_any_instruction() {
    let stage = prepared();
    STAGE.store(Arc::into_raw(Arc::clone(&stage)).cast_mut(), Release);
    let handler: extern "C" fn(i32) = handle;
    // SAFETY: the handler is async-signal-safe.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    let mut threads: Vec<_> = (0..THREADS - 2).map(|_| start(&stage, Stage::call_all)).collect();
    threads.push(start(&stage, |stage| {
        stage.call_all();
        fork(stage);
    }));
    let process = std::process::id() as i32;
    threads.push(start(&stage, move |_| {
        // SAFETY: to this process, which has a handler.
        unsafe { libc::kill(process, libc::SIGUSR1) };
        thread::sleep(Duration::from_micros(20));
    }));
    switch(&stage, switches() / 4, |stage| {
        stage.children.load(Relaxed) > 0 && stage.signals.load(Relaxed) > SIGNALS
    });
    finish(&stage, threads);
    // SAFETY: no handler from now on.
    unsafe { libc::signal(libc::SIGUSR1, libc::SIG_IGN) };
}

/// Makes a child that calls everything. Its sites stay as they were in the middle of a switch.
fn fork(stage: &Stage) {
    // SAFETY: the child calls only what is async-signal-safe.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::signal(libc::SIGUSR1, libc::SIG_IGN);
            for _ in 0..100 {
                for function in &stage.functions.all {
                    let mut counter = 0;
                    function.call(&mut counter);
                    if counter > 1 {
                        libc::_exit(1);
                    }
                }
            }
            libc::_exit(0);
        }
        let mut status = 0;
        while libc::waitpid(child, &mut status, 0) < 0 {}
        assert_eq!(status, 0, "a child crashed or counted wrongly");
    }
    stage.children.fetch_add(1, Relaxed);
}

#[test]
fn nothing_that_waits_is_interrupted() {
    let stage = prepared();
    let ended = Arc::new([const { AtomicUsize::new(0) }; WAITS.len()]);
    let wait = |(at, wait): (usize, fn())| {
        let ended = Arc::clone(&ended);
        start(&stage, move |_| {
            waits::block_signals();
            wait();
            ended[at].fetch_add(1, Relaxed);
        })
    };
    let mut threads: Vec<_> = WAITS.into_iter().enumerate().map(wait).collect();
    threads.push(start(&stage, Stage::call_all));
    switch(&stage, switches() / 4, |_| ended.iter().all(|ended| ended.load(Relaxed) > 0));
    finish(&stage, threads);
    println!("waits of each kind: {ended:?}");
}

#[test]
fn what_needs_no_preparation_alone_is_prepared_next_to_threads() {
    let rounds = switches() / 200;
    let mut steps = 0;
    let stage = Stage::new();
    let threads: Vec<_> = (0..THREADS).map(|_| start_calls_of_live(&stage)).collect();
    for round in 0..rounds {
        let wanted = [SiteState::On, SiteState::Found, SiteState::Off][round % 3];
        let applied = apply_live(&stage.functions, wanted);
        assert_eq!(applied.failed, 0, "{applied:?}");
        steps = steps.max(applied.synchronizations);
    }
    stage.stop.store(true, Relaxed);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(steps, STEPS);
}

fn is_live(function: &functions::Function) -> bool {
    function.plan.preparation() != Preparation::Alone
}

fn apply_live(functions: &Functions, wanted: SiteState) -> Applied {
    let live = functions.all.iter().filter(|function| is_live(function));
    let pokes: Vec<Poke> = live.map(|function| Poke { plan: function.plan, wanted }).collect();
    apply(functions, &pokes, Threads::Running).unwrap()
}

/// Calls that count once, or not at all.
fn start_calls_of_live(stage: &Arc<Stage>) -> JoinHandle<()> {
    start(stage, |stage| {
        for function in stage.functions.all.iter().filter(|function| is_live(function)) {
            let mut counter = 0;
            function.call(&mut counter);
            assert!(counter <= 1);
        }
    })
}

#[test]
fn what_has_to_be_prepared_alone_is_refused_next_to_threads() {
    let functions = Functions::new();
    let alone = functions.all.iter().filter(|function| !is_live(function));
    let applied = apply_all(&functions, SiteState::On, Threads::Running).unwrap();
    assert_eq!(applied.failed, alone.clone().count());
    let address = alone.clone().next().unwrap().plan.address();
    assert_eq!(applied.failure, Some(SiteFailure::TooLate { address }));
    for function in &functions.all {
        let mut counter = 0;
        function.call(&mut counter);
        assert_eq!(counter, u64::from(is_live(function)), "{function:?}");
    }
}

#[test]
fn a_site_that_somebody_else_has_changed_is_left_alone() {
    let functions = Functions::new();
    apply_all(&functions, SiteState::Off, Threads::Alone).unwrap();
    // A breakpoint of a debugger, by a plan that knows other bytes.
    let broken = functions.all[0].plan;
    let trap = broken.code(SiteState::Off).with_byte(0, 0xcc);
    write_by_kernel(broken.address(), trap.bytes());
    let applied = apply_all(&functions, SiteState::On, Threads::Running).unwrap();
    let expected = broken.code(SiteState::Found);
    let failure = SiteFailure::Differs { address: broken.address(), expected, found: trap };
    assert_eq!((applied.failed, applied.failure), (1, Some(failure)));
    let text = failure.to_string();
    assert!(text.contains("cc 1f 44 00 00, expected 0f 1f 44 00 00"), "{text}");
    for function in &functions.all[1..] {
        let mut counter = 0;
        function.call(&mut counter);
        assert_eq!(counter, 1);
    }
    let missing = text_poke::Text { pages: 0x1000..0x2000, is_writable: false };
    // SAFETY: nothing is mapped there, and nothing is stored.
    let refused = unsafe { text_poke::apply(&[missing], core::iter::empty(), Threads::Running) };
    assert!(matches!(refused, Err(NotApplied::Forbidden { text: 0x1000, .. })), "{refused:?}");
}

/// Writes code as a debugger does.
fn write_by_kernel(address: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let memory = std::fs::OpenOptions::new().write(true).open("/proc/self/mem").unwrap();
    memory.write_all_at(bytes, address).unwrap();
}

#[test]
fn where_code_must_not_be_written_it_says_so() {
    const PR_SET_MDWE: i32 = 65;
    let functions = Functions::new();
    // SAFETY: the child does nothing that takes a lock.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            if libc::prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0 {
                libc::_exit(77);
            }
            let result = apply_all(&functions, SiteState::Off, Threads::Alone);
            let is_refused = matches!(result, Err(NotApplied::Forbidden { .. }));
            libc::_exit(i32::from(!is_refused));
        }
        let mut status = 0;
        while libc::waitpid(child, &mut status, 0) < 0 {}
        let code = libc::WEXITSTATUS(status);
        // Linux before 6.3 has no such policy.
        assert!(libc::WIFEXITED(status) && [0, 77].contains(&code), "{status:x}");
    }
}
