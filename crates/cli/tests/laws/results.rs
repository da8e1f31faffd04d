//! What calls return.

use crate::support::Program;

#[test]
fn results_errors_and_masks_are_those_of_the_calls() {
    let trace = Program::c("errno", &[]).keeps_the_law();
    assert_eq!(trace.only("rename_exit", "newpath=\"c\"").number("ret"), 0);
    assert_eq!(trace.only("open_exit", "pathname=\"a\"").field("error"), Some("0"));
    assert_eq!(trace.only("truncate_exit", "ENOENT").number("ret"), -1);
}
