//! Sites of every kind, wherever they are in their functions: each call is recorded with who makes it.

use crate::common::*;
use crate::functions::{calls, path, session};

/// The functions that `examples/functions` calls for two orders, with the attribute.
const ORDERS: [&str; 6] = [
    "functions::pay::{{closure}}",
    "functions::Cart::of",
    "functions::Cart::total",
    "functions::pay::{{closure}}",
    "functions::Cart::of",
    "functions::Cart::total",
];

/// The function of a line `FUNCTION <-CALLER`.
fn called(call: &str) -> &str {
    call.split(" <-").next().unwrap()
}

#[test]
fn functions_with_the_attribute_are_listed_and_traced_by_their_names() {
    let scratch = Scratch::new();
    let program = build_traced_example();
    run(&mut scratch.record(&["-p", "function"], &[&program, "2"])).success();
    let found = calls(&run(&mut scratch.report(&[])).success().stdout);
    assert_eq!(found.iter().map(|call| called(call)).collect::<Vec<_>>(), ORDERS);
    // The body of an async function is a closure there, which another one polls.
    let callers = ["PollFn<F> as core::future::future::Future>::poll", "pay::{{closure}}::{{closure}}"];
    for (call, caller) in found.iter().zip([callers[0], callers[1], callers[1]].into_iter().cycle()) {
        assert!(call.ends_with(caller), "{call}");
    }
    run(&mut scratch.record(&["-p", "function", "-l", "*Cart::of"], &[&program, "2"])).success();
    let expected = vec!["functions::Cart::of <-functions::pay::{{closure}}::{{closure}}"; 2];
    assert_eq!(calls(&run(&mut scratch.report(&[])).success().stdout), expected);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, &program, "2"])).success();
    let listed = run(&mut scratch.lookback(&["list", "--session", &place, "-f", "*"])).success().stdout;
    let mut listed: Vec<&str> = listed.lines().collect();
    listed.sort_unstable();
    let expected = [
        "functions::Cart::of [functions]",
        "functions::Cart::total [functions]",
        "functions::pay::{{closure}} [functions]",
    ];
    assert_eq!(listed, expected);
}

#[test]
fn inlined_copies_have_their_own_names() {
    let scratch = Scratch::new();
    let program = build_traced_example_optimized(&scratch);
    run(&mut scratch.record(&["-p", "function"], &[path(&program), "2"])).success();
    let found = calls(&run(&mut scratch.report(&[])).success().stdout);
    assert_eq!(found.iter().map(|call| called(call)).collect::<Vec<_>>(), ORDERS);
    // All are in `main`, which the standard library calls.
    assert!(found.iter().all(|call| !call.contains("<-functions::pay")), "{found:?}");
}
