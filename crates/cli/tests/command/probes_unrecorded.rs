//! What is said of probes that are not recorded.

use crate::common::*;

/// A call, which can't be moved, and a register that is not known where functions begin.
const SOURCE: &str = "
volatile int seen;
__attribute__((noinline)) int other(int x) { seen += x; seen *= 3; return seen; }
__attribute__((noinline)) int work(int x) { __asm__ volatile(\"\"); return other(x) * 2; }
int main(void) {
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += work(i);
	return sum == 0;
}
";

#[test]
fn a_probe_without_a_place_or_a_register_is_said_to_lack_it() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "shop", SOURCE, &["-O1", "-no-pie", "-falign-functions=16"]);
    let program = program.to_str().unwrap();
    let listing = run(scratch.command("objdump").args(["-d", program])).success().stdout;
    let call = listing.lines().find(|line| line.contains("call") && line.contains("<other>")).unwrap();
    let address = u64::from_str_radix(call.trim().split_once(':').unwrap().0, 16).unwrap();
    let offset = address - 0x40_0000;
    let (at_call, at_start) =
        (format!("p:q/calls {program}:{offset:#x}"), format!("p:q/starts {program}:other b=%bx:u64"));
    let said = run(&mut scratch.record(&["--probe", &at_call, "--probe", &at_start], &[program])).success();
    let [calls, starts] = ["q:calls", "q:starts"].map(|name| {
        said.stderr.lines().find(|line| line.contains(&format!("missing  {name}, "))).unwrap_or("")
    });
    assert!(calls.ends_with(": not recorded in 1 process, whose code has no place for a jump"), "{said:?}");
    assert!(starts.contains(": 10 of 10 hits not recorded, "), "{said:?}");
}
