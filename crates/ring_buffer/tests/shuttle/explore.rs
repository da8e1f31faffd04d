//! Running a scenario in many orders.

use crate::scenarios::Scenario;
use crate::stage::{Stage, Word};
use abi::atomic::{schedule_by, tear};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Orders of each scenario, by either way to choose them; `LOOKBACK_SHUTTLE_ORDERS` says otherwise.
const ORDERS: usize = 500;
/// How many times someone else goes on than the one who should, where that is chosen rarely.
const DEPTH: usize = 3;
/// Where the choice begins: so a failure comes again.
const SEED: u64 = 1;

/// In many orders every law holds.
pub fn assert_holds(scenario: &'static Scenario) {
    let orders =
        std::env::var("LOOKBACK_SHUTTLE_ORDERS").ok().map(|orders| orders.parse().expect("a number"));
    run(scenario, None, orders.unwrap_or(ORDERS));
}

/// When changes of a word are torn, some order breaks a law.
pub fn assert_found(scenario: &'static Scenario, word: Word) {
    let run = catch_unwind(AssertUnwindSafe(|| run(scenario, Some(word), ORDERS)));
    assert!(run.is_err(), "{word:?} can be torn, and nothing is found");
}

/// Runs a scenario in so many orders chosen at each step, and in as many where one goes on as long as it can
/// but for a few moments.
fn run(scenario: &'static Scenario, torn: Option<Word>, orders: usize) {
    let stage = Arc::new(Stage::new());
    (scenario.before)(&stage);
    stage.keep();
    run_by(RandomScheduler::new_from_seed(SEED, orders), scenario, torn, &stage);
    run_by(PctScheduler::new_from_seed(SEED, DEPTH, orders), scenario, torn, &stage);
}

fn run_by(
    scheduler: impl Scheduler + 'static,
    scenario: &'static Scenario,
    torn: Option<Word>,
    stage: &Arc<Stage>,
) {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.failure_persistence = FailurePersistence::None;
    let stage = Arc::clone(stage);
    Runner::new(scheduler, config).run(move || {
        stage.restore();
        tear(torn.map(|word| stage.addresses(word)).unwrap_or_default());
        schedule_by(Some(give_way));
        let start = |(index, act): (usize, &fn(&Stage, usize))| {
            let (stage, act) = (Arc::clone(&stage), *act);
            thread::spawn(move || act(&stage, index))
        };
        let threads: Vec<_> = scenario.acts.iter().enumerate().map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        schedule_by(None);
        tear(Default::default());
        (scenario.after)(&stage);
        stage.check();
    });
}

/// Lets the scheduler choose who goes on. It knows no time: this is a choice and nothing else.
fn give_way() {
    if !std::thread::panicking() {
        thread::sleep(Duration::ZERO);
    }
}
