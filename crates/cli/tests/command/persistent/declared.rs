//! Critical sections that a program declares itself.

use super::latency::{FLIGHT, Measured};
use crate::common::*;

#[test]
fn a_program_declares_sections_of_its_own() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    let source = include_str!("../programs/declared.c");
    let include = format!("-I{}/../tracepoint/include", env!("CARGO_MANIFEST_DIR"));
    let program = compile(&measured.session.scratch, "declared", source, &["-O1", &include]);
    measured.set("current_tracer", "preemptoff");
    let printed = measured.session.run(&[program.to_str().unwrap()]).stdout;
    let numbers: Vec<u64> = printed.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let longest: u64 = measured.get("tracing_max_latency").trim().parse().unwrap();
    assert!((numbers[0] / 1001..=numbers[1] / 999).contains(&longest), "{longest} us, {printed}");
    let trace = measured.get("trace");
    assert!(trace.contains("\n#  => started at: serve\n#  => ended at:   serve\n"), "{trace}");
    assert!(trace.contains(": lookback_critical_section <-serve\n"), "{trace}");
}
