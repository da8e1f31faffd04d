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

/// Those, the flags and what lies below the stack pointer: code in the middle of a function counts on all.
#[test]
fn probes_change_no_register() {
    let program = Program::c("probed_registers", &["-O1"]);
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    let file = program.path();
    let places = ["7_xmm", "4_xmm", "3_xmm", "2_xmm", "1_xmm", "7_ymm", "4_ymm", "3_ymm", "2_ymm", "1_ymm"];
    // What is nothing but numbers in registers is recorded with fewer registers saved.
    for arguments in ["a=%ax sp=%sp b=+0(%bx)", "a=%ax b=%bx:u32 flags=%flags"] {
        let probe = |place: &str| format!("p:place_{place} {file}:place_{place} {arguments}");
        let probes: Vec<String> = places.map(probe).to_vec();
        let options = probes.iter().flat_map(|probe| ["--probe", probe]);
        let options: Vec<&str> = ["-q", "-b", "64M"].into_iter().chain(options).collect();
        let (traced, trace) = program.traced_with(&options);
        assert_eq!(untraced, traced, "{arguments}: {traced}");
        for place in ["place_7_xmm", "place_7_ymm"] {
            assert_eq!(trace.named(place).count(), 20_000, "{arguments}, {place}");
        }
    }
}

/// As for probes, around system calls: after one the kernel has changed three registers, and nobody else any.
#[test]
fn system_calls_that_are_seen_change_no_register() {
    let program = Program::c("system_call_registers", &["-O1", "-falign-functions=64"]);
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    let options = ["-q", "-b", "64M", "-e", "syscalls:sys_*_getppid"];
    let (traced, trace) = program.traced_with(&options);
    assert_eq!(untraced, traced, "{traced}");
    // Each of them calls getppid(2) itself, and has it compared with what libc's function says.
    let rounds = if trace.named("sys_enter_getppid").count() > 120_000 { 160_000 } else { 80_000 };
    for name in ["sys_enter_getppid", "sys_exit_getppid"] {
        // Of two places in sixteen the instruction after the call begins with the last byte of a word.
        let seen = trace.named(name).count();
        assert!(seen >= rounds * 7 / 8 && seen <= rounds, "{name}: {seen} of {rounds}");
    }
}
