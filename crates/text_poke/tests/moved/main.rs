//! Instructions that were moved run next to the originals, from random registers and memory: all that they
//! leave is the same, faults included.
//!
//! `LOOKBACK_MOVED_RUNS` says how often; `cargo xtask prove` says 1,000,000.

mod candidates;
mod machine;
#[path = "../common/numbers.rs"]
mod numbers;
mod place;

use candidates::{Candidate, candidates};
use machine::{Left, Machine, Registers};
use numbers::Numbers;
use place::{ARENA, Place};
use planner::MovedInstruction;
use std::collections::BTreeSet;

/// How many runs are to be compared.
fn runs() -> usize {
    std::env::var("LOOKBACK_MOVED_RUNS").map_or(20_000, |text| text.parse().unwrap())
}

/// How often memory gets other bytes.
const REFILL: usize = 64;

#[test]
fn moved_instructions_do_what_the_originals_do() {
    let found = candidates();
    assert!(found.len() > 300, "{} kinds of instructions", found.len());
    let machine = Machine::new();
    let mut place = Place::new();
    let mut numbers = Numbers::new();
    let (mut compared, mut faults, mut unreachable, mut kinds) = (0, 0, 0, BTreeSet::new());
    let mut memory = vec![0; ARENA];
    while compared < runs() {
        if compared % REFILL == 0 {
            memory.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&numbers.any().to_le_bytes()));
        }
        // Each kind as often as the others.
        let kind = numbers.below(found.len());
        let candidate = &found[kind][numbers.below(found[kind].len())];
        let from = place.original_address(&mut numbers);
        let code = candidate.at(from, place.arena_near(&mut numbers));
        let to = place.moved_address(&mut numbers);
        let Some(moved) = MovedInstruction::new(&code, from, to) else {
            unreachable += 1;
            assert!(unreachable < runs() / 2 + 1000, "{candidate:x?}");
            continue;
        };
        let registers = registers(candidate, &place, &mut numbers);
        place.write_original(from, &code, candidate.branch_target(from));
        place.write_moved(to, moved.bytes(), from + code.len() as u64);
        let mut run = |start: u64, len: usize| {
            place.fill(&memory, registers.stack(), machine::returned());
            let mut left = machine.run(start, &registers);
            left.be_relative_to(start, len);
            (left, place.memory().to_vec())
        };
        let original = run(from, code.len());
        let other = run(to, moved.bytes().len());
        let what = || format!("{candidate:x?} at {from:#x} and {to:#x}, from {registers:x?}");
        assert_eq!(original.0, other.0, "{}", what());
        assert!(original.1 == other.1, "memory differs: {}", what());
        compared += 1;
        faults += usize::from(matches!(original.0, Left { exit: machine::FAULT.., .. }));
        kinds.insert(kind);
    }
    println!(
        "{compared} runs of {} kinds of instructions, 0 differences; {faults} ended with a fault; \
         {unreachable} were out of reach",
        kinds.len()
    );
    // What is compared is what instructions do, not that they fail.
    assert!(faults < compared / 2, "{faults} of {compared}");
}

/// Random registers: most of them are addresses of memory that is there.
fn registers(candidate: &Candidate, place: &Place, numbers: &mut Numbers) -> Registers {
    let mut found = Registers::random(numbers);
    for register in &mut found.general {
        *register = match numbers.below(8) {
            0 => numbers.any(),
            1 => numbers.below(256) as u64,
            2..=4 => place.arena_near(numbers),
            // Some instructions want aligned ones.
            _ => place.arena_near(numbers) & !63,
        };
    }
    found.general[machine::STACK] = place.arena_near(numbers) & !15;
    found.general[machine::FRAME] = place.arena_near(numbers) & !15;
    for small in candidate.small_registers() {
        found.general[small] = numbers.below(32) as u64;
    }
    found
}
