//! The crew: processes with threads that write as fast as they can, are interrupted by signals whose
//! handlers write, are moved from CPU to CPU, and may be killed.

use crate::event::{self, Stamp, mix};
use ring_buffer::{Buffer, NotWritten, Writer, WriterThread};
use rseq::Area;
use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const PROCESSES: usize = 4;
const THREADS: usize = 3;

/// Bit of a writer that is a signal handler.
pub const HANDLER: i32 = 1 << 30;

/// By which way events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Under rseq.
    Cpus,
    /// As a thread that has no rseq.
    Lanes,
    /// With sections that the kernel doesn't know of, so nothing aborts them.
    Unarmed,
}

/// What the crew does.
#[derive(Debug, Clone, Copy)]
pub struct Crew {
    pub route: Route,
    pub overwrite: bool,
    /// How long it works at least.
    pub time: Duration,
    /// How many processes are killed and replaced meanwhile.
    pub kills: u64,
}

/// How long a process lives before it may be killed.
const LIFE: Duration = Duration::from_micros(1500);

/// How long a crew works for a test that doesn't get enough.
const MOST_TIME: Duration = Duration::from_secs(60);

impl Default for Crew {
    fn default() -> Crew {
        let time = Duration::from_millis(1500);
        Crew { route: Route::Cpus, overwrite: true, time, kills: 0 }
    }
}

/// What the writers say they did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written {
    /// Events they began.
    pub attempted: u64,
    /// Events that were reported to them as written.
    pub committed: u64,
}

/// Memory that the crew shares with the test: one pair of counters per writer, so that nothing is
/// lost when one is killed, a count of writers, and the signal to stop.
struct Board {
    counters: [(AtomicU64, AtomicU64); 1 << 16],
    writers: AtomicI32,
    stop: AtomicI32,
}

/// A crew at work.
pub struct Running<'a> {
    crew: &'a Crew,
    board: &'static Board,
    started: Instant,
    state: UnsafeCell<State<'a>>,
}

struct State<'a> {
    children: Vec<i32>,
    last_kill: Instant,
    kills: u64,
    open: Box<dyn Fn(Mapping) -> Buffer + 'a>,
}

impl Crew {
    /// Starts the processes. Each maps the buffer by itself.
    pub fn start<'a>(&'a self, open: impl Fn(Mapping) -> Buffer + 'a) -> Running<'a> {
        let size = size_of::<Board>();
        // SAFETY: fresh shared memory, zeroed, never unmapped: a board whose counters are all 0.
        let board = unsafe {
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
            let memory = libc::mmap(std::ptr::null_mut(), size, 3, flags, -1, 0);
            assert_ne!(memory, libc::MAP_FAILED);
            &*memory.cast::<Board>()
        };
        let now = Instant::now();
        let children = (0..PROCESSES).map(|_| fork_writer(self.route, board, &open)).collect();
        let state = State { children, last_kill: now, kills: 0, open: Box::new(open) };
        Running { crew: self, board, started: now, state: UnsafeCell::new(state) }
    }
}

impl Running<'_> {
    /// Kills what is to be killed. False when the crew is done and gone: after its kills and its time, and
    /// once the test has `enough`, which a busy machine makes it wait for, though not forever.
    pub fn tend(&self, enough: bool) -> bool {
        // SAFETY: only the test's one thread comes here, and nothing it calls comes back.
        let state = unsafe { &mut *self.state.get() };
        let enough_kills = state.kills >= self.crew.kills;
        let time = if enough { self.crew.time } else { MOST_TIME };
        if enough_kills && self.started.elapsed() >= time {
            self.board.stop.store(1, Relaxed);
            state.children.iter().for_each(|child| wait_for(*child));
            return false;
        }
        if !enough_kills && state.last_kill.elapsed() > LIFE {
            state.last_kill = Instant::now();
            state.kills += 1;
            let victim = mix(state.kills) as usize % state.children.len();
            // SAFETY: a child of ours that has not been waited for.
            unsafe { libc::kill(state.children[victim], libc::SIGKILL) };
            wait_for(state.children[victim]);
            state.children[victim] = fork_writer(self.crew.route, self.board, &state.open);
        }
        true
    }

    /// What the crew did, once it is done.
    pub fn written(&self) -> Written {
        let mut written = Written::default();
        for (attempted, committed) in &self.board.counters {
            written.attempted += attempted.load(Relaxed);
            written.committed += committed.load(Relaxed);
        }
        written
    }
}

/// Waits until a child has ended: it was killed, or is done.
pub fn wait_for(child: i32) {
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(child, &mut status, 0) };
    let killed = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
    assert!(killed || status == 0, "a child ended with status {status:#x}");
}

/// A writer's place: who it is and by which way it writes. One per thread.
struct Place {
    writer: Cell<i32>,
    route: Cell<Route>,
    unarmed: UnsafeCell<[u32; 8]>,
}

thread_local! {
    static PLACE: Place = const {
        Place {
            writer: Cell::new(0),
            route: Cell::new(Route::Cpus),
            unarmed: UnsafeCell::new([0; 8]),
        }
    };
}

/// How much of a buffer's file is mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// What is in use as long as the buffer has not grown.
    AsMade,
    /// All of it.
    All,
}

/// One that has mapped the buffer as it was made, and one for when it has grown.
static WRITER: OnceLock<Writer> = OnceLock::new();
static WRITER_OF_ALL: OnceLock<Writer> = OnceLock::new();
static BOARD: OnceLock<&'static Board> = OnceLock::new();

fn fork_writer(route: Route, board: &'static Board, open: &dyn Fn(Mapping) -> Buffer) -> i32 {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let _ = WRITER.set(Writer::new(open(Mapping::AsMade)));
        let _ = WRITER_OF_ALL.set(Writer::new(open(Mapping::All)));
        let _ = BOARD.set(board);
        start_signals(route);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| work(route, board));
            }
            leave_signals_to_the_others();
        });
        // SAFETY: ends the child at once, as it should: nothing of the test's is its business.
        unsafe { libc::_exit(0) };
    }
    child
}

/// A signal every 100 us, to whichever thread the kernel chooses. Handlers that write to lanes are
/// interrupted by others: the order of their numbers is not looked at.
fn start_signals(route: Route) {
    let interval = libc::timeval { tv_sec: 0, tv_usec: 100 };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: the handler does only what is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART | if route == Route::Lanes { libc::SA_NODEFER } else { 0 };
        libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut());
        libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut());
    }
}

/// The kernel gives a process's signals to its first thread, as long as that takes them.
fn leave_signals_to_the_others() {
    // SAFETY: changes the calling thread's mask only.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&mut set, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
    }
}

extern "C" fn handler(_: i32) {
    PLACE.with(|place| {
        if place.writer.get() != 0 {
            write(place, place.writer.get() | HANDLER);
        }
    });
}

fn work(route: Route, board: &Board) {
    PLACE.with(|place| {
        place.route.set(route);
        place.writer.set(board.writers.fetch_add(1, Relaxed) + 1);
        let mut random = place.writer.get() as u64;
        while board.stop.load(Relaxed) == 0 {
            write(place, place.writer.get());
            random = mix(random + 1);
            if random.is_multiple_of(2048) {
                migrate(random >> 32);
            }
        }
        place.writer.set(0);
    });
}

/// Moves the thread to some CPU.
fn migrate(random: u64) {
    let cpus = std::thread::available_parallelism().map_or(2, usize::from);
    // SAFETY: plain system calls on the thread itself.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(random as usize % cpus, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &set);
        (0..cpus).for_each(|cpu| libc::CPU_SET(cpu, &mut set));
        libc::sched_setaffinity(0, size_of_val(&set), &set);
    }
}

/// Writes the next event of `writer`. The handler of a thread counts apart from the thread.
fn write(place: &Place, writer: i32) {
    let (Some(buffer), Some(board)) = (WRITER.get(), BOARD.get()) else { return };
    let counter = (writer & !HANDLER) as usize * 2 + usize::from(writer & HANDLER != 0);
    let (attempted, committed) = &board.counters[counter];
    let number = attempted.fetch_add(1, Relaxed) + 1;
    let stamp = Stamp { writer, number };
    let mut event = event::build(stamp);
    let is_written =
        event::short(stamp).is_some_and(|event| buffer.try_write_short(thread(place).area, event, None));
    let mut written = if is_written { Ok(()) } else { buffer.write(thread(place), event.event()) };
    if written == Err(NotWritten::NotMapped)
        && let Some(all) = WRITER_OF_ALL.get()
    {
        written = all.write(thread(place), event.event());
    }
    match written {
        Ok(()) => {
            committed.fetch_add(1, Relaxed);
        }
        Err(NotWritten::Dropped(_)) => {}
        Err(NotWritten::Off) => panic!("nobody has turned recording off"),
        Err(NotWritten::NotMapped) => panic!("all of the buffer is mapped"),
    }
}

/// What the calling thread is called.
pub fn identity() -> u64 {
    /// The pid namespace of all of them.
    const NAMESPACE: u64 = 1 << 32;
    // SAFETY: always allowed.
    unsafe { libc::gettid() as u64 | NAMESPACE }
}

/// How the calling thread writes.
fn thread(place: &Place) -> WriterThread {
    let area = match place.route.get() {
        Route::Cpus => Some(Area::current().expect("glibc 2.35 or newer")),
        Route::Lanes => None,
        Route::Unarmed => Some(unarmed_area(place)),
    };
    WriterThread { area, identity: identity() }
}

/// An area that looks like the thread's own and that the kernel has never heard of. It says that the thread
/// is on CPU 0, as it does of one that was moved away without being reported: so writers meet often.
fn unarmed_area(place: &Place) -> Area {
    let words = place.unarmed.get();
    // SAFETY: the words are the thread's own and outlive the area, which is used at once.
    unsafe {
        (*words)[1] = 0;
        let thread_pointer = Area::at(0).address() as isize;
        Area::at(words as isize - thread_pointer)
    }
}

/// Writes one event to a lane, whoever owned it before.
pub fn write_one_to_a_lane(buffer: Buffer) -> bool {
    let thread = WriterThread { area: None, identity: identity() };
    let stamp = Stamp { writer: 1, number: 1 };
    Writer::new(buffer).write(thread, event::build(stamp).event()).is_ok()
}
