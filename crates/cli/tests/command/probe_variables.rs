//! Probes with variables of C by their names, and at lines: what is recorded is what a program prints.

use crate::common::*;
use crate::functions::{path, session};
use crate::probes::{probe, probed};
use std::path::PathBuf;

/// Prints what it is called with, and its variables at a line.
pub const SHOP: &str = r#"
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
enum color { RED, GREEN = 5 };
struct price { long net; int vat; };
struct item {
	int id;
	unsigned flags : 3, kind : 5;
	const char *name;
	char code[8];
	struct price prices[3];
	struct item *next;
	union { int a; unsigned short b; };
	enum color color;
	bool is_new;
	double weight;
};
struct pair { long first; int second; };
int total = 7;
unsigned long sold;
__attribute__((noinline, patchable_function_entry(5)))
long pay(int count, const struct item *item, unsigned char small, char letter, struct pair pair)
{
	asm volatile("" ::: "memory");
	printf("pay: count=%d id=%d n=\"%s\" net=%ld id_1=%d kind=%d flags=%d a=%d b=%d color=%d is_new=%d small=%d letter=%d "
		"code=\"%s\" total=%d first=%ld second=%d initial=%d\n", count, item->id, item->name,
		item->prices[1].net, item->next->id, item->kind, item->flags, item->a, item->b, item->color, item->is_new, small, letter,
		item->code, total, pair.first, pair.second, *item->name);
	long sum = 0;
	for (int i = 0; i < count; i++) {
		sum += item->prices[i % 3].net;
		sold++;
		printf("%s: i=%d sum=%ld sold=%lu net=%ld\n", "pay", i, sum, sold, item->prices[0].net);
		asm volatile(".p2align 3" ::: "memory");
		asm volatile(".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0" :: "r"(i), "r"(sum), "r"(item) : "memory"); // MARK
	}
	return sum;
}
int main(void)
{
	access("/nonexistent", 0);
	struct item next = { 8, 1, 1, "cap", "zz" };
	struct item item = { 7, 5, 19, "hat", "ab", { { 10, 1 }, { 20, 2 }, { 30, 3 } }, &next, { 3 }, GREEN, true, 1.5 };
	for (int count = 1; count <= 3; count++)
		total += pay(count, &item, 200 + count, 'x', (struct pair){ -5, -6 });
	return 0;
}
"#;

/// What it prints first.
pub const ARGUMENTS: &str = "count item->id n=item->name:string item->prices[1].net item->next->id \
                         item->kind item->flags item->a item->b item->color item->is_new small letter \
                         item->code:string total pair.first pair.second initial=*item->name";

pub fn build(scratch: &Scratch, compiler: &str, options: &[&str]) -> PathBuf {
    let (source, program) = (scratch.write("shop.c", SHOP), scratch.path("shop"));
    let mut compile = scratch.command(compiler);
    compile.args(["-g", "-Wl,--build-id", "-o"]).arg(&program).arg(&source).args(options);
    run(&mut compile).success();
    program
}

/// The number of the line that has a text, from 1 on.
pub fn line_of(source: &str, text: &str) -> usize {
    1 + source.lines().position(|line| line.contains(text)).unwrap()
}

/// Records a program with a probe: what it has printed, and the events.
#[track_caller]
pub fn recorded(scratch: &Scratch, definition: &str, program: &str) -> (String, Vec<String>) {
    let output = run(&mut scratch.record(&["--probe", definition], &[program])).success();
    let report = run(&mut scratch.report(&[])).success();
    (output.stdout, probed(&report.stdout))
}

pub fn lines<'a>(text: &'a str, part: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(part)).collect()
}

const COMPILERS: [(&str, &[&str]); 5] = [
    ("gcc", &["-O0"]),
    ("gcc", &["-O2"]),
    ("gcc", &["-O1", "-gdwarf-4", "-fno-omit-frame-pointer"]),
    ("clang", &["-O0"]),
    ("clang", &["-O2"]),
];

#[test]
fn variables_of_c_are_recorded_by_their_names_where_a_function_starts() {
    for (compiler, options) in COMPILERS {
        let scratch = Scratch::new();
        let program = build(&scratch, compiler, options);
        let definition = format!("{}:pay {ARGUMENTS}", path(&program));
        // There, and not after the instructions that make the frame.
        let vars = run(&mut scratch.lookback(&["probe", "--vars", &format!("{}:pay", path(&program))]));
        let vars = vars.success().stdout.clone();
        assert!(vars.lines().nth(1).unwrap().ends_with("%di:s32"), "{compiler} {options:?}: {vars}");
        let (printed, events) = recorded(&scratch, &definition, path(&program));
        assert_eq!(events.len(), 3, "{compiler} {options:?}: {events:?}");
        assert_eq!(events, lines(&printed, "count="), "{compiler} {options:?}");
    }
}

#[test]
fn variables_of_c_are_recorded_by_their_names_at_a_line() {
    let line = line_of(SHOP, "MARK");
    for (compiler, options) in COMPILERS {
        let scratch = Scratch::new();
        let program = build(&scratch, compiler, options);
        for place in [format!("shop.c:{line}"), format!("{}/shop.c:{line}", path(program.parent().unwrap()))]
        {
            let definition = format!("{}:{place} i sum sold item->prices[0].net", path(&program));
            let (printed, events) = recorded(&scratch, &definition, path(&program));
            assert_eq!(events.len(), 6, "{compiler} {options:?}: {events:?}");
            assert_eq!(events, lines(&printed, "sold="), "{compiler} {options:?}");
        }
    }
}

#[test]
fn variables_that_can_not_be_recorded_are_refused() {
    let scratch = Scratch::new();
    let program = build(&scratch, "gcc", &["-O0"]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    for (arguments, error) in [
        ("itm", "no variable \"itm\" in scope: item, "),
        ("item->nam", "no member \"nam\" in item: name, "),
        ("item->weight", "item->weight is a floating-point number"),
        ("item->prices[0]", "item->prices[0] is a structure, price: name a member: net, vat"),
        ("item->prices", "item->prices is an array of 3 elements: name an element"),
        ("item->prices[3].net", "item->prices has 3 elements"),
        ("count->id", "count is no pointer"),
        ("count.id", "count has no members"),
        ("count[1]", "count is neither an array nor a pointer"),
        ("count:string", "count is no string"),
        ("item->", "\"item->\" is no variable: expected NAME, NAME->MEMBER"),
        ("item->id:int", "Unknown type is specified"),
        ("i", "no variable \"i\" in scope"),
    ] {
        let said = probe(&scratch, &place, &[&format!("{}:pay {arguments}", path(&program))]);
        said.failure(125, &[error]);
    }
    for (definition, error) in [
        ("./shop:pay%return count", "at a function's return there are $retval, registers and memory"),
        ("./shop:shop.c:1", "is of shop.c:1"),
        ("./shop:nosuch.c:1", "neither a source file nor a function \"nosuch.c\""),
        ("./shop:pay:99", "no instruction of pay is of its line 99"),
        ("./shop:nosuch count", "has no function \"nosuch\""),
        ("./shop:pay+0x9999 count", "has no function \"pay\" of 0x9999 bytes or more"),
        ("./shop:0x999999 count", "nothing is mapped from 0x999999"),
    ] {
        probe(&scratch, &place, &[definition]).failure(125, &[error]);
    }
    assert!(probe(&scratch, &place, &["--list"]).success().stdout.starts_with("no probes"));
}

#[test]
fn variables_become_what_the_kernels_grammar_has() {
    let scratch = Scratch::new();
    let program = build(&scratch, "gcc", &["-O0"]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let define = |definition: &str| {
        let said = probe(&scratch, &place, &[definition]).success().stderr;
        let list = run(&mut scratch.lookback(&["get", "--session", &place, "uprobe_events"])).success();
        (said, list.stdout.lines().last().unwrap().to_string())
    };
    let (said, defined) = define("p:shop/paid ./shop:pay count n=item->id:x32 item->kind $arg2 item->code");
    assert!(!said.contains("is placed at"), "{said}");
    let expected = " count=%di:s32 n=+0(%si):x32 kind=+4(%si):b5@3/8 arg4=$arg2 code=+16(%si):s8[8]";
    assert!(defined.starts_with("p:shop/paid ") && defined.ends_with(expected), "{defined}");
    // Where the function starts its own variables have no value yet.
    let (said, defined) = define("./shop:pay sum count");
    assert!(said.contains("probe_shop:pay is placed at pay+0x") && said.contains(" (shop.c:"), "{said}");
    assert!(defined.contains("(%bp):s64 count=-") && defined.ends_with("(%bp):s32"), "{defined}");
    let (_, defined) = define("p:shop/all ./shop:pay $params");
    assert!(defined.contains(" count=%di:s32 item=%si:x64 small=%dx:u8 letter=%cx:s8"), "{defined}");
    let line = line_of(SHOP, "MARK");
    let (said, defined) = define(&format!("./shop:shop.c:{line} $vars"));
    assert!(said.contains(&format!("(shop.c:{line})")) && defined.starts_with("p:probe_shop/pay_"), "{said}");
    assert!(defined.contains(" i=-") && defined.contains(" sum=-"), "{defined}");
    let relative_line = line - line_of(SHOP, "long pay(");
    let (_, relative) = define(&format!("./shop:pay:{} i", relative_line));
    assert!(relative.starts_with(&format!("p:probe_shop/pay_L{} ", relative_line)), "{relative}");
    let at = |text: &str| text.split(' ').nth(1).unwrap().to_string();
    assert_eq!(at(&relative), at(&defined));
    drop(program);
}

#[test]
fn what_can_be_probed_is_listed() {
    let scratch = Scratch::new();
    let program = build(&scratch, "gcc", &["-O0"]);
    let pay = format!("{}:pay", path(&program));
    let vars = run(&mut scratch.lookback(&["probe", "--vars", &pay])).success().stdout;
    let declared = line_of(SHOP, "long pay(");
    let rows: Vec<Vec<&str>> = vars.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["pay", &format!("(shop.c:{})", declared + 1)], "{vars}");
    assert_eq!(rows[1], ["count", "int", "%di:s32"], "{vars}");
    assert_eq!(rows[2], ["item", "const", "struct", "item", "*", "%si:x64"], "{vars}");
    assert!(vars.contains("  sum     long int             (sum can't be fetched at"), "{vars}");
    assert!(vars.contains("(pair is a structure, pair: name a member: first, second)"), "{vars}");
    assert!(rows.iter().any(|row| row[0] == "sum" && row.last().unwrap().ends_with("(%bp):s64")), "{vars}");
    let lines = run(&mut scratch.lookback(&["probe", "--line", &pay])).success().stdout;
    assert!(lines.starts_with(&format!("pay ({}:{declared})\n", path(&scratch.path("shop.c")))), "{lines}");
    assert!(lines.contains("\n      8          for (int i = 0; i < count; i++) {\n"), "{lines}");
    assert!(lines.contains("\n                 }\n"), "{lines}");
    run(&mut scratch.lookback(&["probe", "--vars", "true:main"]))
        .failure(125, &["true has no debug information"]);
}

/// Has a function that is inlined twice.
const INLINED: &str = r#"
#include <stdio.h>
#define MARK(value) asm volatile(".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0" :: "r"(value) : "memory")
static inline __attribute__((always_inline)) long price(long net, int vat)
{
	MARK(net);
	MARK(vat);
	return net * vat;
}
__attribute__((noinline)) long first(long net) { asm volatile(".p2align 3" ::: "memory"); return price(net, 3); }
__attribute__((noinline)) long other(long net) { asm volatile(".p2align 3" ::: "memory"); return price(net, 4) + 1; }
int main(void)
{
	printf("%ld %ld\n", first(10), other(20));
	return 0;
}
"#;

#[test]
fn functions_that_were_inlined_are_probed_at_each_place() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("inlined.c", INLINED), scratch.path("inlined"));
    run(scratch.command("gcc").args(["-g", "-O2", "-o"]).arg(&program).arg(&source)).success();
    let (printed, mut events) = recorded(&scratch, "./inlined:price net vat", path(&program));
    assert_eq!(printed, "30 81\n");
    events.sort();
    assert_eq!(events, ["price: net=10 vat=3", "price: net=20 vat=4"]);
    let none = run(&mut scratch.record(&["--probe", "./inlined:cost net"], &[path(&program)]));
    none.failure(125, &["has no function \"cost\""]);
    let none = run(&mut scratch.record(&["--probe", "./inlined:cost"], &[path(&program)]));
    none.failure(125, &["Invalid probed address or symbol"]);
}
