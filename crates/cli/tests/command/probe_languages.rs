//! Probes with variables of C++ and Rust by their names: what is recorded is what the program prints.

use crate::common::*;
use crate::functions::path;
use crate::probe_variables::{line_of, lines, recorded};

/// Prints what its methods are called with.
pub const CART: &str = r#"
#include <cstdio>
#include <string>
#include <vector>
namespace shop {
int sold = 3;
struct base { long id; virtual ~base() {} };
struct item : base { int count; std::string name; };
class cart {
	int total = 10;
	std::vector<long> prices { 5, 6, 7 };
public:
	__attribute__((noipa, patchable_function_entry(5))) int pay(const item &what, int &left, std::string copy)
	{
		std::printf("shop__cart__pay: total=%d count=%d id=%ld name=\"%s\" left=%d copy=\"%s\" price=%ld sold=%d\n", total,
			what.count, what.id, what.name.c_str(), left, copy.c_str(), prices[1], sold);
		total += what.count;
		left--;
		sold++;
		return total;
	}
};
}
int main()
{
	shop::cart cart;
	shop::item item;
	item.id = 77; item.count = 2; item.name = "hat";
	int left = 5;
	for (int i = 0; i < 2; i++) cart.pay(item, left, "copy");
	return 0;
}
"#;

#[test]
fn variables_of_cpp_are_recorded_by_their_names() {
    for optimization in ["-O0", "-O2"] {
        let scratch = Scratch::new();
        let (source, program) = (scratch.write("cart.cpp", CART), scratch.path("cart"));
        run(scratch.command("g++").args(["-g", optimization, "-o"]).arg(&program).arg(&source)).success();
        let definition = "./cart:shop::cart::pay this->total what.count what.id \
                          name=what.name._M_dataplus._M_p:string left copy=copy._M_dataplus._M_p:string \
                          price=this->prices._M_impl._M_start[1] sold";
        let (printed, events) = recorded(&scratch, definition, path(&program));
        assert_eq!(
            (events.len(), events),
            (2, lines(&printed, "pay:").iter().map(|l| l.to_string()).collect())
        );
    }
}

/// A class, and a file that has no more of it than its declaration: clang describes a class where its
/// constructor is.
const CLASS: &str = r#"
namespace shop { class till { int count; long sum; public: till(int count, long sum); }; }
"#;
const TILL: &str = r#"
#include "till.h"
shop::till::till(int count, long sum) : count(count), sum(sum) { }
"#;
const KEEPER: &str = r#"
#include "till.h"
class till { public: char other[100]; };
__attribute__((noinline)) int keep(shop::till &till, const ::till *other)
{
	asm volatile(".p2align 3" :: "r"(&till), "r"(other) : "memory");
	asm volatile(".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0" :: "r"(&till), "r"(other) : "memory"); // MARK
	return other ? other->other[0] : 0;
}
int main(void)
{
	shop::till till(3, 50);
	return keep(till, 0);
}
"#;

#[test]
fn types_are_found_where_they_are_defined() {
    let scratch = Scratch::new();
    scratch.write("till.h", CLASS);
    let (till, program) = (scratch.write("till.cpp", TILL), scratch.path("keeper"));
    let place = format!("keeper.cpp:{}", line_of(KEEPER, "MARK"));
    let record = |source: &str| {
        let keeper = scratch.write("keeper.cpp", source);
        let mut build = scratch.command("clang++");
        run(build.args(["-g", "-O1", "-o"]).arg(&program).args([&till, &keeper])).success();
        let definition = format!("{}:{place} till.count till.sum", path(&program));
        run(&mut scratch.record(&["--probe", &definition], &[path(&program)]))
    };
    // It could be the one or the other.
    record(KEEPER).failure(125, &["no member \"count\" in till"]);
    record(&KEEPER.replace("class till", "class drawer").replace("::till *other", "drawer *other")).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert!(report.contains(") count=3 sum=50\n"), "{report}");
}

/// Prints what a function is called with.
const SALE: &str = r#"
use std::ffi::{c_char, c_int};
use std::hint::black_box;
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Color { Red, Green = 5 }
pub struct Item { id: u32, name: &'static str, price: (i64, i64), color: Color }
unsafe extern "C" { fn printf(format: *const c_char, ...) -> c_int; fn fflush(file: *const u8) -> c_int; }
mod shop {
    #[inline(never)]
    pub fn pay(count: i32, item: &super::Item, limit: u64) -> i64 {
        let format = c"sold: count=%d id=%d price=%ld length=%ld color=%d limit=%ld\n";
        unsafe {
            super::printf(format.as_ptr(), count, item.id, item.price.1, item.name.len(), item.color as i32, limit);
            std::arch::asm!(".p2align 3");
            std::arch::asm!(".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0", in("r8") count, in("r9") item, in("r10") limit); // MARK
        }
        i64::from(count) * item.price.1
    }
}
fn main() {
    let item = Item { id: 7, name: "hat", price: (10, 20), color: Color::Green };
    for count in 1..=3 { black_box(shop::pay(black_box(count), black_box(&item), 1 << 40)); }
    black_box(Color::Red as u8);
    unsafe { fflush(std::ptr::null()) };
}
"#;

#[test]
fn variables_of_rust_are_recorded_by_their_names() {
    let line = format!("sale.rs:{}", line_of(SALE, "MARK"));
    for (optimization, place) in
        [("opt-level=0", "sale::shop::pay"), ("opt-level=0", &line), ("opt-level=2", &line)]
    {
        let scratch = Scratch::new();
        let (source, program) = (scratch.write("sale.rs", SALE), scratch.path("sale"));
        let options = ["--edition", "2021", "-g", "-C", optimization, "-o"];
        run(scratch.command("rustc").args(options).arg(&program).arg(&source)).success();
        let definition = format!(
            "p:rust/sold ./sale:{place} count item.id price=item.price.1 item.name.length item.color limit"
        );
        let (printed, events) = recorded(&scratch, &definition, path(&program));
        assert_eq!(events.len(), 3, "{optimization} {place}");
        assert_eq!(events, lines(&printed, "sold:"), "{optimization} {place}");
    }
}
