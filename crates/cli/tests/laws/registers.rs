//! Registers and the stack: what the ABI promises, and nothing taken that it doesn't give.

use crate::support::Program;

#[test]
fn registers_and_arguments_arrive() {
    let trace = Program::c("registers", &[]).keeps_the_law();
    let open = trace.named("open").find(|event| event.text.contains("O_EXCL")).unwrap();
    assert_eq!(open.field("mode"), Some("0600"));
    Program::c("registers", &["-O3", "-march=native", "-fno-plt"]).keeps_the_law();
}

#[test]
fn nothing_above_the_return_address_is_touched() {
    Program::c("registers", &[]).arg("edge").keeps_the_law();
}

#[test]
fn an_address_that_was_cut_off_is_not_read_to_its_end() {
    Program::c("registers", &[]).arg("short").keeps_the_law();
}

/// Those for vectors, too: callers that know a function keep values in whatever it doesn't change.
#[test]
fn functions_that_are_traced_change_no_register() {
    let xray = ["-fxray-instrument", "-fxray-instruction-threshold=1", "-fnoxray-link-deps"];
    let nops = ["-fpatchable-function-entry=5"];
    for (compiler, flags) in [("gcc", &nops[..]), ("clang", &nops), ("clang", &xray)] {
        let program = Program::c_by(compiler, "function_registers", flags);
        let untraced = program.untraced();
        assert!(untraced.is_ok(), "without lookback: {untraced}");
        for tracer in ["function", "function_graph"] {
            let options = ["-q", "-b", "64", "-p", tracer, "-l", "traced_*"];
            let (traced, file) = program.recorded_with(&options);
            assert_eq!(untraced, traced, "{compiler} {flags:?}, {tracer}: {traced}");
            assert!(std::fs::metadata(file).unwrap().len() > 100_000, "{compiler} {flags:?}, {tracer}");
        }
    }
}
