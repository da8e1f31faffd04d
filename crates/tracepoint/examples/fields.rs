//! An event with every type of field, and 20 more: `lookback record -e fields:* -- fields` shows them.
#![forbid(unsafe_code)]

use tracepoint::{trace_event, trace_printk};

#[derive(Clone, Copy)]
enum Status {
    New = 1,
    Paid = -2,
}

trace_event! {
    /// Numbers of all sizes.
    pub fn fields:numbers(a: u8, b: i8, c: u16, d: i16, e: u32, f: i32, g: u64, h: i64, i: usize, j: isize);

    fn fields:others(
        yes: bool,
        no: bool,
        letter: char,
        wide: char,
        null: *const u8,
        byte: u8 as hex,
        long: i64 as hex,
    );

    fn fields:names(
        status: Status as symbolic { Status::New => "new", Status::Paid => "paid" },
        other: u8 as symbolic { 1 => "one" },
        flags: u32 as flags { 1 => "GIFT", 2 => "EXPRESS", 4 => "FRAGILE" },
    );

    fn fields:arrays(mac: [u8; 6], ports: [u16; 3], bytes: &[u8], words: &[u32], none: &[u64]);

    fn fields:texts(name: &str, empty: &str, c: &core::ffi::CStr, after: u16);

    fn fields:message(id: u64, who: &str, ok: bool) => "100% of {id}: \"{who}\" said {{{ok}}} \\ {id}";

    fn fields:quotes(
        mark: u8 as symbolic { 1 => "paid \"twice\"", 2 => "C:\\temp", 3 => "it's \"\u{e9}\"", 4 => "\\" },
        marks: u8 as flags { 1 => "a\"b", 2 => "c\\" },
    ) => "\u{e9}t\u{e9}: \"{mark}\" {marks} \\";

    fn fields:nothing();
}

macro_rules! many {
    ($($name:ident)*) => {
        trace_event! { $(fn fields:$name(value: u32);)* }

        fn record_many() {
            $($name(line!());)*
        }
    };
}

many!(e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14 e15 e16 e17 e18 e19 e20);

/// Never called: its event may be there or not.
#[allow(dead_code)]
fn unused() {
    trace_event! { fn fields:inside(value: u32); }
    inside(1);
}

fn say_hello() {
    trace_printk!("hello {} {:?}", 42, "world");
}

fn main() {
    numbers(255, -128, 65535, -32768, u32::MAX, i32::MIN, u64::MAX, i64::MIN, 7, -7);
    others(true, false, 'x', '\u{20ac}', std::ptr::null(), 0xab, -1);
    names(Status::Paid, 1, 5);
    names(Status::New, 9, 8);
    arrays([0, 1, 2, 0xfd, 0xfe, 0xff], [1, 443, 65535], b"\x00abc", &[1, u32::MAX], &[]);
    arrays([9; 6], [0; 3], &[], &[], &[u64::MAX]);
    texts("Ada L.", "", c"from C", 77);
    message(3, "Grace", true);
    (1..5).for_each(|mark| quotes(mark, mark - 1));
    if nothing::is_enabled() {
        nothing();
    }
    record_many();
    say_hello();
    println!("{}", if numbers::is_enabled() { "recorded" } else { "not recorded" });
}
