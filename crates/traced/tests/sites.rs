//! Functions of this program, and their sites in its file.
#![forbid(unsafe_code)]

mod program;

use program::{Kind, Sites};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::future::Future;
use std::hint::black_box;
use std::panic::catch_unwind;
use std::pin::pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};

/// The name of a function of this program.
macro_rules! name {
    ($($path:tt)*) => { concat!("sites::", stringify!($($path)*)) };
}

#[lookback::traced]
#[inline(never)]
fn plain(value: u64) -> u64 {
    if value > 5 {
        return value;
    }
    value + 1
}

#[test]
fn a_function_has_an_entry_and_an_exit() {
    assert_eq!(plain(black_box(2)) + plain(black_box(7)), 10);
    let sites = Sites::of_this_program();
    assert!(sites.count(name!(plain), Kind::Entry) >= 1);
    assert!(sites.count(name!(plain), Kind::Exit) >= 1);
}

#[test]
fn each_site_is_one_nop_in_one_word() {
    let sites = Sites::of_this_program();
    assert!(sites.all.len() > 20);
    for site in &sites.all {
        assert_eq!(site.bytes, [0x0f, 0x1f, 0x44, 0, 0], "{site:?}");
        assert!(site.address % 8 <= 3, "{site:?}");
    }
}

#[lookback::traced]
fn generic<T: Display, const N: usize>(values: [T; N]) -> usize {
    values.iter().map(|value| value.to_string().len()).sum()
}

#[test]
fn each_copy_of_a_generic_function_has_sites() {
    assert_eq!(generic(["a", "bc"]) + generic([100, 20, 3]), 9);
    assert!(Sites::of_this_program().count(name!(generic), Kind::Entry) >= 2);
}

struct Basket<T>(Vec<T>);

#[lookback::traced]
impl<T: Clone + Into<u64>> Basket<T> {
    fn total(&self) -> u64 {
        self.0.iter().cloned().map(Into::into).sum()
    }

    #[lookback::notrace]
    #[inline(never)]
    fn len(&self) -> usize {
        self.0.len()
    }

    const fn constant() -> u64 {
        3
    }
}

#[lookback::traced]
impl<T> Display for Basket<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} in the basket", self.0.len())
    }
}

#[test]
fn methods_have_the_names_that_backtraces_have() {
    let basket = Basket(vec![1u8, 2]);
    assert_eq!((basket.total(), basket.len(), Basket::<u8>::constant()), (3, 2, 3));
    assert_eq!(basket.to_string(), "2 in the basket");
    let sites = Sites::of_this_program();
    assert_eq!(sites.count("sites::Basket<T>::total", Kind::Entry), 1);
    assert_eq!(sites.count("<sites::Basket<T> as core::fmt::Display>::fmt", Kind::Entry), 1);
    assert!(!sites.all.iter().any(|site| site.name.contains("len") || site.name.contains("constant")));
}

#[lookback::traced]
trait Shape {
    fn area(&self) -> u64;

    fn doubled(&self) -> u64 {
        2 * self.area()
    }
}

struct Square(u64);

impl Shape for Square {
    #[lookback::traced]
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

#[test]
fn traits_have_sites_where_they_have_bodies() {
    let shapes: [Box<dyn Shape>; 1] = [Box::new(Square(3))];
    assert_eq!(shapes[0].doubled(), 18);
    let sites = Sites::of_this_program();
    assert!(sites.count("sites::Shape::doubled", Kind::Entry) >= 1);
    assert!(sites.count("<sites::Square as sites::Shape>::area", Kind::Entry) >= 1);
}

#[lookback::traced]
mod inner {
    pub fn outer_function() -> u64 {
        fn nested() -> u64 {
            1
        }
        nested() + [1].iter().map(|value| value + 1).sum::<u64>()
    }

    pub mod deeper {
        pub extern "C" fn foreign(value: u64) -> u64 {
            value + 1
        }
    }

    #[lookback::notrace]
    pub mod left_out {
        pub fn silent() -> u64 {
            5
        }
    }

    pub static TABLE: fn() -> u64 = left_out::silent;
}

#[test]
fn modules_have_sites_in_all_that_they_contain() {
    let foreign = inner::deeper::foreign as *const ();
    assert!(!black_box(foreign).is_null());
    assert_eq!((inner::outer_function(), inner::TABLE()), (3, 5));
    let sites = Sites::of_this_program();
    assert!(sites.count(name!(inner::outer_function), Kind::Entry) >= 1);
    assert!(sites.count(name!(inner::deeper::foreign), Kind::Entry) >= 1);
    assert!(!sites.all.iter().any(|site| site.name.contains("nested") || site.name.contains("silent")));
}

#[lookback::traced]
async fn twice<'a>(text: &'a str, mut count: u32) -> Result<String, Box<dyn std::error::Error + 'a>> {
    count += text.parse::<u32>()?;
    YieldOnce(false).await;
    if count == 0 {
        return Err(text.into());
    }
    Ok((count * 2).to_string())
}

#[lookback::traced]
async fn opaque(text: &str) -> Result<impl Display, Box<dyn std::error::Error>> {
    Ok(text.parse::<u64>()? + 1)
}

struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.0, true) {
            false => Poll::Pending,
            true => Poll::Ready(()),
        }
    }
}

fn run<T>(future: impl Future<Output = T>) -> (T, u32) {
    let mut future = pin!(future);
    for polls in 1.. {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return (value, polls);
        }
    }
    unreachable!()
}

#[test]
fn async_functions_have_sites_where_they_are_polled() {
    fn is_send(future: impl Future + Send) -> impl Future + Send {
        future
    }
    drop(is_send(twice("1", 2)));
    let (value, polls) = run(twice("20", 1));
    assert_eq!((value.unwrap(), polls), ("42".to_string(), 2));
    assert!(run(twice("x", 1)).0.is_err() && run(twice("0", 0)).0.is_err());
    assert_eq!(run(opaque("4")).0.unwrap().to_string(), "5");
    let sites = Sites::of_this_program();
    for kind in [Kind::Entry, Kind::Exit] {
        assert!(sites.count("sites::twice::{{closure}}", kind) >= 1, "{kind:?}");
    }
}

#[lookback::traced]
#[track_caller]
#[inline(never)]
fn fails(text: String) -> String {
    let line = std::panic::Location::caller().line();
    assert!(line > 0 && !text.is_empty(), "no text");
    text
}

#[test]
fn panics_pass_through() {
    assert_eq!(fails("a".to_string()), "a");
    assert!(catch_unwind(|| fails(String::new())).is_err());
    assert!(Sites::of_this_program().count(name!(fails), Kind::Exit) >= 1);
}

/// Sites with a breakpoint of gdb at each: they are hit as often as the functions of the example are called.
#[test]
fn each_call_passes_an_entry_and_an_exit() {
    let program = std::env::current_exe().unwrap().with_file_name("../examples/functions");
    let sites = Sites::of(&program).all;
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-batch", "-nx", "-ex", "set startup-with-shell off", "-ex", "starti"]);
    for (index, site) in sites.iter().enumerate() {
        // Where position-independent programs are under gdb.
        let address = 0x5555_5555_4000 + site.address;
        gdb.args(["-ex", &format!("break *{address:#x}"), "-ex", &format!("ignore {} 100000", index + 1)]);
    }
    gdb.args(["-ex", "continue", "-ex", "info breakpoints", "--args"]).arg(&program).arg("20");
    let output = gdb.output().expect("gdb, which ./setup installs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("20 orders, 4 refused"), "{text}");
    let mut hits: BTreeMap<(&str, Kind), u32> = BTreeMap::new();
    let mut last = None;
    for line in text.lines() {
        let number = line.split_whitespace().next().and_then(|word| word.parse::<usize>().ok());
        if line.contains("breakpoint     keep y") {
            last = number.map(|number| &sites[number - 1]);
        } else if let (Some(site), Some((_, rest))) = (last, line.split_once("already hit ")) {
            let count: u32 = rest.split(' ').next().unwrap().parse().unwrap();
            *hits.entry((&site.name, site.kind)).or_default() += count;
        }
    }
    let names = ["functions::Cart::of", "functions::Cart::total", "functions::pay::{{closure}}"];
    let expected = names.into_iter().flat_map(|name| [((name, Kind::Entry), 20), ((name, Kind::Exit), 20)]);
    assert_eq!(hits, expected.collect(), "{text}");
}
