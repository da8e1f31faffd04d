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
