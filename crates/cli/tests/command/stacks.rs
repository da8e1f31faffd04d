//! Stacks, wherever events are shown. What they are is tested by `tests/laws/stacks.rs`.

use crate::common::*;

/// Calls open(2) from a function that main has called.
pub(crate) const PROGRAM: &str = "
#include <fcntl.h>
__attribute__((noinline)) static int look(const char *path)
{
	int found = open(path, O_RDONLY) >= 0;
	__asm__ volatile(\"\" ::: \"memory\");
	return found;
}
int main(int count, char **words)
{
	int found = look(count > 1 ? words[1] : \"/nowhere\");
	__asm__ volatile(\"\" ::: \"memory\");
	return found;
}
";

/// The stack of the first event that has this program's path.
#[track_caller]
pub(crate) fn stack(text: &str) -> Vec<&str> {
    let mut lines = text.lines().skip_while(|line| !line.contains("\"/nowhere\""));
    lines.by_ref().next().unwrap_or_else(|| panic!("{text}"));
    let head = lines.next().unwrap_or_default();
    assert!(head.ends_with(": <stack trace>"), "{head}");
    lines.take_while(|line| line.starts_with(" => ")).collect()
}

#[test]
fn stacks_are_shown_with_the_events_that_they_belong_to() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "looks", PROGRAM, &["-O2", "-fomit-frame-pointer"]);
    run(&mut scratch.record(&["-q", "-T", "-e", "libc:open*"], &[program.to_str().unwrap()]));
    let all = run(&mut scratch.report(&[])).success().stdout;
    assert!(all.contains(": open: "), "{all}");
    let expected = [" => look", " => main"];
    assert_eq!(stack(&all)[..2], expected);
    for options in [["-e", "open_exit"], ["-F", "open_exit: error != 0"]] {
        let chosen = run(&mut scratch.report(&options)).success().stdout;
        assert_eq!(stack(&chosen)[..2], expected);
        let count = |text: &str| chosen.matches(text).count();
        assert_eq!((count(": open: "), count(": <stack trace>")), (0, count(": open_exit: ")));
    }
    let json = run(&mut scratch.report(&["--json", "-e", "kernel_stack"])).success().stdout;
    assert!(json.lines().all(|line| line.contains("\"caller\":[\"look+0x")), "{json}");
    let mut theirs = scratch.command("trace-cmd");
    let theirs = run(theirs.args(["report", "-i"]).arg(scratch.outside("trace.dat"))).success().stdout;
    assert!(theirs.contains("\n=> look (") && theirs.contains("\n=> main ("), "{theirs}");
}

#[test]
fn frames_of_a_stripped_program_have_offsets() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    // A name that is a type's where C++ is demangled.
    let program = compile(&scratch, "m", PROGRAM, &["-O2", "-s"]);
    run(&mut scratch.record(&["-q", "-T", "-e", "libc:open*"], &[program.to_str().unwrap()]));
    let text = run(&mut scratch.report(&[])).success().stdout;
    assert!(stack(&text)[..2].iter().all(|frame| frame.starts_with(" => m+0x")), "{text}");
    let json = run(&mut scratch.report(&["--json", "-e", "kernel_stack"])).success().stdout;
    assert!(json.contains("<stack trace>\\n => m+0x"), "{json}");
    // A stack is no call, and ends none.
    let calls = run(&mut scratch.report(&["--calls"])).success().stdout;
    let mut lines = calls.lines().skip_while(|line| !line.contains(": open(pathname=\"/nowhere\""));
    assert!(lines.next().is_some_and(|line| line.contains(" = -1 ENOENT <")), "{calls}");
    assert!(lines.next().is_some_and(|line| line.contains(":   kernel_stack: m+0x")), "{calls}");
}

#[test]
fn sizes_that_no_stack_can_have_are_refused() {
    let scratch = Scratch::new();
    for bytes in ["0", "95", "3969", "4k"] {
        run(&mut scratch.record(&["--stack-bytes", bytes], &["true"])).failure(125, &["--stack-bytes"]);
    }
}
