//! Functions of C++ and Rust, chosen by their names.

use crate::common::*;
use crate::functions::{NOPS, calls, path, session};

/// Overloads, a template, a lambda, a namespace without name.
const CART: &str = "
#include <cstdio>
#define KEEP __attribute__((noinline))
namespace { KEEP int helper(int x) { asm(\"\"); return x + 1; } }
namespace shop {
struct Cart {
	int sum = 0;
	KEEP void add(int price) { asm(\"\"); sum += helper(price); }
	KEEP void add(double price) { asm(\"\"); sum += (int)price; }
	KEEP int total() const { asm(\"\"); return sum; }
	KEEP bool operator==(const Cart &other) const { asm(\"\"); return sum == other.sum; }
};
template <class T> struct Bag { KEEP T put(T x) { asm(\"\"); return x; } };
}
int main()
{
	shop::Cart cart;
	cart.add(1);
	cart.add(2.0);
	shop::Bag<shop::Cart *> bag;
	auto last = [](int x) __attribute__((noinline)) { asm(\"\"); return x; };
	printf(\"%d %d\\n\", last(bag.put(&cart)->total()), cart == cart);
}
";

#[test]
fn names_are_those_of_the_source_or_of_the_file() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("cart.cpp", CART), scratch.path("cart"));
    run(scratch.command("g++").args(["-O1", NOPS, "-o"]).arg(&program).arg(&source)).success();
    let traced = |options: &[&str]| {
        run(&mut scratch.record(&[&["-p", "function"], options].concat(), &[path(&program)])).success();
        let report = run(&mut scratch.report(&["--no-demangle"])).success().stdout;
        let names = calls(&report).into_iter().map(|call| call.split_once(" <-").unwrap().0.to_string());
        names.collect::<Vec<_>>()
    };
    let [int, double] = ["_ZN4shop4Cart3addEi", "_ZN4shop4Cart3addEd"];
    assert_eq!(traced(&["-l", "shop::Cart::add"]), [int, double]);
    assert_eq!(traced(&["-l", int]), [int]);
    assert_eq!(
        traced(&["-l", "*Cart*", "-n", double, "-n", "*operator==", "-n", "*Bag*"])[1..],
        ["_ZNK4shop4Cart5totalEv"]
    );
    assert_eq!(traced(&["-l", "{anonymous}*"]), ["_ZN12_GLOBAL__N_16helperEi"]);
    assert_eq!(traced(&["-l", "shop::Bag::put"]), ["_ZN4shop3BagIPNS_4CartEE3putES2_"]);
    assert_eq!(traced(&["-l", "main::*"]), ["_ZZ4mainENKUliE_clEi"]);
    assert_eq!(traced(&["-l", "*:mod:cart", "-n", "*::*"]), ["main"]);

    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let listed =
        |of: &str| run(&mut scratch.lookback(&["list", "--session", &place, "-f", of])).success().stdout;
    let all = listed("*");
    for name in ["main", "shop::Cart::total", "shop::Cart::operator==", "main::{lambda#1}::operator()"] {
        assert!(all.lines().any(|line| line == format!("{name} [cart]")), "{all}");
    }
    assert_eq!(listed("shop::Cart::add"), "shop::Cart::add [cart]\n".repeat(2));
    assert_eq!(listed(int), "shop::Cart::add [cart]\n");
    let get = |file: &str| run(&mut scratch.lookback(&["get", "--session", &place, file])).success().stdout;
    assert_eq!(get("available_filter_functions"), all);
    // Each line that is shown is a name.
    for line in all.lines() {
        let (name, _) = line.split_once(' ').unwrap();
        let set = ["set", "-q", "--session", &place, "set_ftrace_filter", name];
        run(&mut scratch.lookback(&set)).success();
        assert!(get("set_ftrace_filter").lines().any(|shown| shown == line), "{name}");
    }
    // A line number means one of those that share a name.
    let number = 1 + all.lines().position(|line| line.starts_with("shop::Cart::add")).unwrap();
    let set = ["set", "-q", "--session", &place, "set_ftrace_filter", &number.to_string()];
    run(&mut scratch.lookback(&set)).success();
    assert_eq!(get("set_ftrace_filter"), "shop::Cart::add [cart]\n");
}

const RUST: &str = "
mod shop {
    pub struct Cart<T>(pub T);
    pub trait Shape {
        fn area(&self) -> u32;
    }
    impl<T> Cart<T> {
        #[inline(never)]
        pub fn total(&self) -> &T { std::hint::black_box(&self.0) }
    }
    impl Shape for Cart<u32> {
        #[inline(never)]
        fn area(&self) -> u32 { *std::hint::black_box(self.total()) }
    }
    #[inline(never)]
    pub fn pay(x: u32) -> u32 {
        let step = |y| std::hint::black_box(y) + x;
        let step: &dyn Fn(u32) -> u32 = std::hint::black_box(&step);
        step(1)
    }
}
fn main() {
    use shop::Shape;
    println!(\"{}\", shop::pay(shop::Cart(5).area()));
}
";

#[test]
fn names_of_rust_are_those_of_the_source() {
    let scratch = Scratch::new();
    let (source, list, ir) = (scratch.write("sales.rs", RUST), scratch.path("list"), scratch.path("ir"));
    for mangling in [None, Some("-Csymbol-mangling-version=v0")] {
        let rustc = |options: &[&str]| {
            let mut command = scratch.command("rustc");
            command.args(["--edition=2024", "-Copt-level=1", "-Ccodegen-units=1"]).args(mangling);
            run(command.args(options).arg(&source)).success();
        };
        rustc(&["--emit=llvm-ir", "-o", path(&ir)]);
        let module = std::fs::read_to_string(&ir).unwrap();
        let defined = module.lines().filter(|line| line.starts_with("define "));
        let symbols = defined.map(|line| line.split_once('@').unwrap().1.split_once('(').unwrap().0);
        let symbols = symbols.filter(|symbol| symbol.contains("shop"));
        let lines =
            symbols.map(|symbol| format!("{},patchable-function-entry=5\n", symbol.trim_matches('"')));
        std::fs::write(&list, lines.collect::<String>()).unwrap();
        let program = scratch.path("sales");
        let attributes = format!("-Cllvm-args=-forceattrs-csv-path={}", path(&list));
        rustc(&[&attributes, "-o", path(&program)]);
        for (pattern, expected) in [
            ("shop::pay", &[][..]),
            ("sales::shop::pay", &["pay"]),
            ("sales::shop::pay::*", &["closure"]),
            ("*shop::Cart::*", &["area", "total"]),
            ("*", &["area", "total", "pay", "closure"]),
        ] {
            run(&mut scratch.record(&["-p", "function", "-l", pattern], &[path(&program)])).success();
            let found = calls(&run(&mut scratch.report(&[])).success().stdout);
            let last = |call: &'_ String| {
                let name = call.split_once(" <-").unwrap().0.rsplit_once("::").unwrap().1;
                name.trim_matches(['{', '}']).trim_end_matches("#0").to_string()
            };
            assert_eq!(found.iter().map(last).collect::<Vec<_>>(), expected, "{pattern} {mangling:?}");
        }
    }
}

#[test]
fn names_may_be_in_a_file_of_their_own() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("cart.cpp", CART), scratch.path("cart"));
    run(scratch.command("g++").args(["-O1", "-g", NOPS, "-o"]).arg(&program).arg(&source)).success();
    let place = scratch.path(".debug");
    std::fs::create_dir(&place).unwrap();
    let debug = place.join("cart.debug");
    run(scratch.command("objcopy").arg("--only-keep-debug").arg(&program).arg(&debug)).success();
    let link = format!("--add-gnu-debuglink={}", path(&debug));
    run(scratch.command("objcopy").args(["--strip-all", &link]).arg(&program)).success();
    // What is executed is a link from elsewhere.
    let name = scratch.outside("shop");
    std::os::unix::fs::symlink(&program, &name).unwrap();
    let traced = || {
        run(&mut scratch.record(&["-p", "function", "-l", "shop::Cart::total"], &[path(&name)])).success();
        calls(&run(&mut scratch.report(&["--lines"])).success().stdout)
    };
    let found = traced();
    assert!(found.len() == 1 && found[0].starts_with("shop::Cart::total() const <-main"), "{found:?}");
    let listed = |number: &str| {
        let place = session(&scratch, &["-e", "sched_process_exit"]);
        run(&mut scratch.lookback(&["run", "--session", &place, path(&name)])).success();
        let list = ["list", "--session", &place, "-f", "shop::Cart::total"];
        let outcome = run(&mut scratch.lookback(&list));
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
        assert_eq!(outcome.stdout, number);
    };
    listed("shop::Cart::total [cart]\n");
    // That of another program doesn't count.
    run(scratch
        .command("gcc")
        .args(["-g", "-xc", "-o"])
        .arg(&debug)
        .arg(scratch.write("m.c", "int main(){}")))
    .success();
    assert_eq!(traced(), [""; 0]);
    listed("");
}
