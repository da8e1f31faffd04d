//! Running a scenario in many orders.

use crate::actor::{Actor, give_way};
use crate::every::EveryOrder;
use crate::mistake::Mistake;
use crate::scenarios::Scenario;
use crate::world::World;
use abi::atomic::{schedule_by, tear};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Orders of each scenario, by either way to choose them at random; `LOOKBACK_SHUTTLE_ORDERS` says otherwise.
const ORDERS: usize = 5000;
/// How many times someone else goes on than the one who should, where that is chosen rarely.
const DEPTH: usize = 4;
/// Where the choice begins: so a failure comes again.
const SEED: u64 = 1;

/// Every law holds in many orders chosen at each step, and in as many where one goes on as long as it can but
/// for a few moments.
pub fn assert_often_holds(scenario: &'static Scenario) {
    let orders = std::env::var("LOOKBACK_SHUTTLE_ORDERS").map(|orders| orders.parse().expect("a number"));
    let orders = orders.unwrap_or(ORDERS);
    run(RandomScheduler::new_from_seed(SEED, orders), scenario, None);
    // Which knows no choices of one thread alone.
    if scenario.acts.len() > 1 {
        run(PctScheduler::new_from_seed(SEED, DEPTH, orders), scenario, None);
    }
}

/// Every law holds in every order in which at most so much comes in between.
pub fn assert_always_holds(scenario: &'static Scenario, most: usize) {
    let orders = run(EveryOrder::new(most, scenario.handlers.kinds().len()), scenario, None);
    println!("{orders} orders");
}

/// With a mistake some order breaks a law, of those in which one thing comes in between.
pub fn assert_found(scenario: &'static Scenario, mistake: Mistake) {
    let orders = EveryOrder::new(1, scenario.handlers.kinds().len());
    let found = catch_unwind(AssertUnwindSafe(|| run(orders, scenario, Some(mistake))));
    assert!(found.is_err(), "{mistake:?} is not found");
}

/// Runs a scenario in the orders that a scheduler chooses: how many.
fn run(scheduler: impl Scheduler + 'static, scenario: &'static Scenario, mistake: Option<Mistake>) -> usize {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.failure_persistence = FailurePersistence::None;
    Runner::new(scheduler, config).run(move || {
        let world = Arc::new(World::new(scenario.slots, scenario.acts.len(), mistake));
        tear(world.torn());
        schedule_by(Some(give_way));
        let start = |(index, act): (usize, &fn(&Actor))| {
            let (world, act) = (Arc::clone(&world), *act);
            thread::spawn(move || Actor::act(&world, index, scenario.handlers, act))
        };
        let threads: Vec<_> = scenario.acts.iter().enumerate().map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        schedule_by(None);
        tear(Default::default());
        world.check(scenario.lost);
    })
}
