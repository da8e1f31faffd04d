//! The step model of the ring buffer: every order of steps of a few actors on a small block.
//!
//! ```text
//! setting, scenarios, pool_scenarios, exchange_scenarios, placed_scenarios
//!                       what is gone through
//! explore, walk         every order, breadth first; or some, by seeds
//! counterexample        how it comes that a law does not hold
//! state                 what can happen next: a step, a preemption, a kill, a tick, a late store
//! actor, log, steps     how an actor's code is run one access at a time
//! prepare, section, writer, lane, view, copy, reader, consumer, placed, placed_consumer, statistics,
//! controller, parts, pool, spare, exchange, resize, keeper, taker
//!                       the actors: the code of `src/`, function by function
//! layout, event, memory the words, made small
//! ghost, moment         what is true
//! checker               the laws (R1 to R18 of docs/decisions/001-ring.md)
//! bug, seeded           mistakes that can be enabled, and where each must be found
//! ```
//!
//! **One step is one access** of shared memory, in the order of the real code: a load, a store (of 8 or
//! 16 bytes), a locked instruction. Reading the clock is one, too. What an actor keeps for itself is
//! done together with the access before.
//!
//! **Between any two steps** anybody else may go on. A writer inside a section can lose the CPU: the
//! section is over with whatever it has stored, and the writer goes on as after an abort. It does lose
//! it when another writer starts a section: there is one CPU. That stands for a preemption as well as for a
//! signal whose handler writes. A writer outside of a section may go on next to one that is
//! inside, as if it had been moved to another CPU for that time; when it starts a section, it is back.
//! So a stale look is as stale as it can be. How many sections are restarted is limited, because
//! each reads the clock again.
//!
//! **Kills.** In every state every law is checked for someone who comes when all others are gone: the
//! accounts are right, a reader finds every event, a writer gets its event in within a bounded number
//! of steps. So every state counts as one in which everybody was killed, and kills are moves of
//! their own only where somebody can tell: owners of lanes are replaced when they are known to be dead, and
//! where a consumer that looks first was killed another one begins.
//!
//! **Memory** is sequentially consistent, which is enough: x86-64 shows the stores of a CPU in order, and
//! loads are done in order. What it does besides is to delay a CPU's stores past its own later loads.
//! A writer loads two words that others change: the control word and the readers' position. For both an
//! old value is what a writer has that was preempted after loading it. A reader stores
//! nothing but by locked instructions, and so do those who change the control word. The `queued`
//! scenarios have a queue of stores and check it.
//!
//! **Time** passes when a scenario says so, and not by itself: what differs only in how late it is would be
//! a different state each time.
//!
//! Pages are two or three, with one to three events in each; an event is two or three words that name
//! it. The blocks of different CPUs share nothing but the control word, so there is one block.
//!
//! **Running it.** `cargo test --test model` goes through the short scenarios, some walks and every
//! mistake. With `--release`, `-- --include-ignored` adds the long scenarios and more walks: four to seven
//! minutes on two processors, and up to 1.3 GB for each of the threads that test. `cargo xtask prove` does
//! it with one thread.

mod actor;
mod bug;
mod checker;
mod consumer;
mod controller;
mod copy;
mod counterexample;
mod display;
mod event;
mod exchange;
mod exchange_scenarios;
mod explore;
mod ghost;
mod keeper;
mod lane;
mod layout;
mod log;
mod memory;
mod moment;
mod parts;
mod placed;
mod placed_consumer;
mod placed_scenarios;
mod pool;
mod pool_scenarios;
mod prepare;
mod reader;
mod resize;
mod scenario;
mod scenarios;
mod section;
mod seeded;
mod setting;
mod spare;
mod state;
mod statistics;
mod steps;
mod taker;
mod view;
mod walk;
mod world;
mod writer;

use actor::Role;
use bug::Bug;
use explore::{Explored, explore};
use scenario::Scenario;
use setting::Setting;
use std::time::Instant;
use walk::walk;

/// Walks through each of the larger scenarios.
const WALKS: u64 = 300;
/// Walks through each of the larger scenarios in the ignored test.
const MORE_WALKS: u64 = 50_000;

/// In every order of steps every law holds.
fn assert_holds(table: &[Scenario], name: &str) {
    let scenario = named(table, name);
    let start = Instant::now();
    let explored = explore(scenario, &scenario.setting);
    let Explored { states, memories, reached, counterexample } = explored;
    eprintln!("{name}: {states} states, {memories} memories, {:.1?}", start.elapsed());
    if let Some(counterexample) = counterexample {
        panic!("{name}\n{counterexample}");
    }
    // Laws hold easily where nothing happens.
    let state = scenario.start(&scenario.setting);
    let (commits, consumed) = (state.ghost.commits.into(), state.ghost.consumed.count_ones());
    let is_consumer = |role: &Role| matches!(role, Role::Consumer(_) | Role::PlacedConsumer(_));
    let consumes = scenario.actors.iter().any(is_consumer);
    assert!(reached.ends > 0, "{name} has no end");
    let writes = scenario.actors.iter().any(Role::is_writer);
    assert!(!writes || reached.commits > commits, "nothing is ever written in {name}");
    assert!(!consumes || reached.consumed > consumed, "nothing is ever consumed in {name}");
}

/// In some orders of steps, chosen by seeds, every law holds.
fn assert_walks_hold(table: &[Scenario], name: &str) {
    walk_often(named(table, name), WALKS);
}

#[test]
#[ignore = "takes long"]
fn more_walks() {
    let walks = scenarios::WALKS.iter().chain(pool_scenarios::POOL_WALKS);
    let walks = walks.chain(exchange_scenarios::EXCHANGE_WALKS).chain(placed_scenarios::PLACED_WALKS);
    walks.for_each(|scenario| walk_often(scenario, MORE_WALKS));
}

fn walk_often(scenario: &Scenario, walks: u64) {
    let (name, start) = (scenario.name, Instant::now());
    let mut moves = 0;
    for seed in 0..walks {
        match walk(scenario, &scenario.setting, seed) {
            Ok(made) => moves += made,
            Err(counterexample) => panic!("{name}, seed {seed}\n{counterexample}"),
        }
    }
    eprintln!("{name}: {walks} walks, {moves} moves, {:.1?}", start.elapsed());
}

/// With a mistake, some order of steps breaks this law.
fn assert_found(bug: Bug, name: &str, law: &str) {
    let has_name = |scenario: &&Scenario| scenario.name == name;
    let short = scenarios::SHORT.iter().chain(pool_scenarios::POOL);
    let short = short.chain(exchange_scenarios::EXCHANGE).chain(exchange_scenarios::RESIZE);
    let short = short.chain(placed_scenarios::PLACED);
    let scenario = short.into_iter().find(has_name).expect("it has a name");
    let explored = explore(scenario, &Setting { bug, ..scenario.setting });
    let Some(counterexample) = explored.counterexample else {
        panic!("{bug:?} is not found in {name}");
    };
    let (states, lines) = (explored.states, counterexample.lines.len());
    eprintln!("{bug:?} in {name}: {lines} lines, found after {states} states");
    eprintln!("      {}: {}", counterexample.violation.law, counterexample.violation.what);
    assert_eq!(counterexample.violation.law, law, "{bug:?}\n{counterexample}");
}

fn named<'a>(table: &'a [Scenario], name: &str) -> &'a Scenario {
    table.iter().find(|scenario| scenario.name == name).expect("it has a name")
}
