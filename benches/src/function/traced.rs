//! What `#[lookback::traced]` costs while nothing is traced: functions with it, over the same without.

use crate::clock::cpu_ns_each;
use crate::report::Report;
use crate::samples::Samples;
use std::hint::black_box;

/// Calls in a round: some milliseconds.
const CALLS: u64 = 1_000_000;
const ROUNDS: usize = 51;

/// The functions, in a module that has the attributes.
macro_rules! functions {
    ($(#[$attribute:meta])* $module:ident) => {
        $(#[$attribute])*
        mod $module {
            /// Calls nothing, so that the sites are all that needs a stack.
            #[inline(never)]
            pub fn leaf(value: u64) -> u64 {
                value ^ 3
            }

            #[inline(never)]
            pub fn caller(value: u64) -> u64 {
                super::callee(value) + 1
            }

            #[inline(always)]
            pub fn inlined(value: u64) -> u64 {
                value.wrapping_mul(7)
            }
        }
    };
}

functions!(plain);
functions!(
    #[lookback::traced]
    with_sites
);

#[inline(never)]
fn callee(value: u64) -> u64 {
    value.rotate_left(7)
}

/// Measures it.
pub fn measure(report: &mut Report) {
    add(report, "traced_leaf_off_ns", plain::leaf, with_sites::leaf);
    add(report, "traced_caller_off_ns", plain::caller, with_sites::caller);
    add(report, "traced_inlined_off_ns", plain::inlined, with_sites::inlined);
}

fn add(report: &mut Report, name: &'static str, plain: impl Fn(u64) -> u64, traced: impl Fn(u64) -> u64) {
    let (mut without, mut with) = (Samples::new(), Samples::new());
    for _ in 0..ROUNDS {
        without.push(round(&plain));
        with.push(round(&traced));
    }
    report.add(name, Ok(with.more_than(&without)));
}

fn round(function: impl Fn(u64) -> u64) -> f64 {
    cpu_ns_each(CALLS, |calls| {
        for value in 0..calls {
            black_box(function(black_box(value)));
        }
    })
}
