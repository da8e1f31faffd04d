//! What traced functions are called with.

use crate::common::*;
use crate::functions::{NOPS, calls, path, session};
use std::path::PathBuf;

/// Functions with parameters of all kinds.
const KINDS: &str = "
#include <stdio.h>
#include <stdbool.h>
#include <stdint.h>
enum state { NEW, PAID = 7, LOST = -2 };
enum color { RED, BLUE = 5 };
struct point { long x, y; };
struct mixed { double d; int i; };
struct large { long v[8]; };
#define N __attribute__((noinline))
N int ints(int a, unsigned b, long c, unsigned char d, short e, int8_t f, int g) { asm volatile(\"\"); return a + b + c + d + e + f + g; }
N void pointers(const char *name, void *nothing, int (*call)(void)) { asm volatile(\"\" :: \"r\"(name), \"r\"(nothing), \"r\"(call)); }
N void others(bool yes, char letter, enum state s, enum color c, double x, float y, int after) { asm volatile(\"\" :: \"r\"(yes), \"r\"(letter), \"r\"(s), \"r\"(c), \"r\"(after)); }
N void structs(struct point p, struct mixed m, int after) { asm volatile(\"\" :: \"r\"(p.x), \"r\"(p.y), \"r\"(m.i), \"r\"(after)); }
N struct large returns(int first, struct large by_stack, int second) { by_stack.v[0] = first + second; return by_stack; }
N void nothing(void) { asm volatile(\"\"); }
N int variadic(const char *format, ...) { asm volatile(\"\"); return !!format; }
static int zero(void) { return 0; }
int main(void)
{
	struct large l = {{ 1 }};
	ints(-1, 0xfffffff0u, -3000000000L, 200, -5, -6, 7);
	pointers(\"text\", 0, zero);
	others(true, 'A', LOST, BLUE, 1.5, 2.5f, 42);
	structs((struct point){ 3, 4 }, (struct mixed){ 0.5, 6 }, 9);
	l = returns(11, l, 12);
	nothing();
	return variadic(\"%d\", 1) + (int)l.v[0] - 24;
}
";

fn build(scratch: &Scratch, compiler: &str, flags: &[&str], name: &str, source: &str) -> PathBuf {
    let (source, program) = (scratch.write(name, source), scratch.path("kinds"));
    run(scratch.command(compiler).args(["-g", NOPS, "-o"]).arg(&program).args(flags).arg(&source)).success();
    program
}

/// The calls that a program makes, without their callers and addresses.
fn recorded(scratch: &Scratch, program: &std::path::Path, options: &[&str]) -> Vec<String> {
    let options = [&["-p", "function", "--func-args", "-n", "main"], options].concat();
    run(&mut scratch.record(&options, &[path(program)])).success();
    let calls = calls(&run(&mut scratch.report(&[])).success().stdout);
    calls.into_iter().map(|call| call.split_once(" <-").unwrap().0.to_string()).collect()
}

/// Replaces addresses, which are longer than other numbers here.
fn without_addresses(call: &str) -> String {
    let mut words = call.split("0x");
    let first = words.next().unwrap().to_string();
    words.fold(first, |text, word| {
        let digits = word.chars().take_while(char::is_ascii_hexdigit).count();
        text + &if digits > 8 { format!("ADDRESS{}", &word[digits..]) } else { format!("0x{word}") }
    })
}

#[test]
fn arguments_have_names_and_values() {
    let scratch = Scratch::new();
    for (compiler, flag) in [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")] {
        let program = build(&scratch, compiler, &[flag], "kinds.c", KINDS);
        let found = recorded(&scratch, &program, &[]);
        let kind = format!("{compiler} {flag}: {found:#?}");
        let found: Vec<String> = found.iter().map(|call| without_addresses(call)).collect();
        let ints = "ints(a=-1, b=0xfffffff0, c=-3000000000, d=0xc8, e=-5, f=-6, ...)";
        assert_eq!(found[0], ints, "{kind}");
        assert_eq!(found[1], "pointers(name=ADDRESS, nothing=0x0, call=ADDRESS)", "{kind}");
        assert_eq!(found[5..], ["nothing()", "variadic(format=ADDRESS)"], "{kind}");
        // Of what optimized code has moved it says nothing, or what is so.
        let is_sure = (compiler, flag) != ("clang", "-O2");
        for (found, expected) in found[2..5].iter().zip([
            "others(yes=0x1, letter=65, s=-2, c=5, x=?, y=?, after=42)",
            "structs(p=(STRUCT)[0x3:0x4], m=(STRUCT)[?:0x6], after=9)",
            "returns(first=11, by_stack=?, second=12)",
        ]) {
            let is_same = |(found, expected): (&str, &str)| {
                // Four bytes of the register are not of the structure.
                let is_padded = found.starts_with("m=(STRUCT)[?:")
                    && (found.ends_with("00000006]") || found.contains("ADDRESS"));
                found == expected || is_padded || !is_sure && found.trim_end_matches(')').ends_with("=?")
            };
            let (found, expected) = (found.split(", "), expected.split(", "));
            assert_eq!(found.clone().count(), expected.clone().count(), "{kind}");
            assert!(found.zip(expected).all(is_same), "{kind}");
        }
    }
}

/// A method, and an object that can't be copied into registers.
const OBJECTS: &str = "
struct Cart {
	int sum;
	Cart(int first) : sum(first) { asm volatile(\"\"); }
	Cart(const Cart &other) : sum(other.sum) { asm volatile(\"\"); }
	__attribute__((noinline)) void add(int price) { asm volatile(\"\"); sum += price; }
};
__attribute__((noinline)) Cart copy(Cart from, unsigned flags) { asm volatile(\"\"); return Cart(from.sum + (int)flags); }
int main()
{
	Cart cart(1);
	cart.add(2);
	return copy(cart, 4).sum - 7;
}
";

#[test]
fn methods_have_this() {
    let scratch = Scratch::new();
    for flag in ["-O0", "-O2"] {
        let program = build(&scratch, "g++", &[flag], "objects.cpp", OBJECTS);
        let found = recorded(&scratch, &program, &["-l", "Cart::add", "-l", "copy"]);
        let found: Vec<String> = found.iter().map(|call| without_addresses(call)).collect();
        assert_eq!(found, ["Cart::add(this=ADDRESS, price=2)", "copy(from=ADDRESS, flags=0x4)"], "{flag}");
    }
}

#[test]
fn each_instance_says_whether_arguments_are_recorded() {
    let scratch = Scratch::new();
    let program = build(&scratch, "gcc", &["-O1"], "kinds.c", KINDS);
    let place = session(&scratch, &["-p", "function", "-l", "nothing", "-l", "others"]);
    let other =
        ["start", "-q", "--session", &place, "-B", "other", "-p", "function", "-l", "others", "--func-args"];
    run(&mut scratch.lookback(&other)).success();
    let get = |file: &str| run(&mut scratch.lookback(&["get", "--session", &place, file])).success().stdout;
    let set = |file: &str, value: &str| {
        run(&mut scratch.lookback(&["set", "-q", "--session", &place, file, value])).success();
    };
    let go = || run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    go();
    let with = "others(yes=0x1, letter=65, s=-2, c=5, x=?, y=?, after=42) <-main";
    assert_eq!(calls(&get("trace")), ["others <-main", "nothing <-main"]);
    assert_eq!(calls(&get("instances/other/trace")), [with]);
    assert!(get("trace_options").ends_with("nofunc-args\n"));
    set("options/func-args", "1");
    assert!(get("trace_options").ends_with("\nfunc-args\n"));
    set("instances/other/options/func-args", "0");
    go();
    assert_eq!(calls(&get("trace")), ["others <-main", "nothing <-main", with, "nothing() <-main"]);
    assert_eq!(calls(&get("instances/other/trace")), [with, "others <-main"]);
}
