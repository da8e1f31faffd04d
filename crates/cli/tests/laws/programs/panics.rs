//! Panics and backtraces go through functions that run in call slots.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

const DEPTH: u32 = 1000;

struct Guard<'a>(&'a Cell<u32>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[no_mangle]
#[inline(never)]
fn panics(depth: u32, dropped: &Cell<u32>) -> u32 {
    let _guard = Guard(dropped);
    assert!(depth > 0, "at the bottom");
    black_box(panics(black_box(depth - 1), dropped)) + 1
}

#[no_mangle]
#[inline(never)]
fn shows_callers(depth: u32) -> String {
    if depth == 0 {
        return Backtrace::force_capture().to_string();
    }
    black_box(shows_callers(black_box(depth - 1)))
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..20 {
        let dropped = Cell::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| panics(DEPTH, &dropped)));
        let said = result.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!((*said, dropped.get()), ("at the bottom", DEPTH + 1));
    }
    let callers = shows_callers(DEPTH);
    let frames = |name| callers.matches(name).count() as u32;
    assert_eq!((frames("shows_callers"), frames("::main")), (DEPTH + 1, 1), "{callers}");
    println!("ok");
}
