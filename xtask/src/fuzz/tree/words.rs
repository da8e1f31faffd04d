//! What is written: words of the tree's languages, put together right and wrong, and noise.

use crate::fuzz::random::Random;

/// Words that mean something somewhere.
const WORDS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "64",
    "100",
    "101",
    "4097",
    "18446744073709551615",
    "18446744073709551616",
    "0x",
    "ffffffff",
    "X",
    "\n",
    " ",
    "\t",
    "\0",
    "!",
    "*",
    ":",
    ",",
    "[",
    "no",
    "é",
    "nop",
    "function",
    "libc:read",
    "libc:",
    "sched",
    "sched_process_exec",
    "shop:",
    "*:*",
    "ftrace:print",
    ":mod:",
    "overwrite",
    "annotate",
    "irq-info",
    "record-tgid",
    "markers",
    "context-info",
    "latency-format",
    "disable_on_free",
    "stacktrace",
    "event-fork",
    "[mono]",
    "mono",
    "tai",
    "x86-tsc",
    "counter",
];

/// Names of instances: few, so that they meet.
const INSTANCES: &[&str] = &["a", "b", "c", "flight", "..", "x y", "é"];

/// What filters compare.
const FIELDS: &[&str] =
    &["fd", "ret", "pathname", "count", "common_pid", "CPU", "cpu", "COMM", "comm", "nothing", "1", ""];
const OPERATORS: &[&str] = &["==", "!=", "<", "<=", ">", ">=", "&", "~", "=", "!~", ""];
const VALUES: &[&str] = &[
    "0",
    "-1",
    "3",
    "0x10",
    "010",
    "18446744073709551616",
    "\"/etc/*\"",
    "'*.conf'",
    "\"\"",
    "\"",
    "a*b",
    "CPUS{0-1}",
    "CPUS{",
    "\"\\\"\"",
    "é",
    "[a-z]?*",
];

/// What triggers do.
const ACTIONS: &[&str] = &[
    "traceon",
    "traceoff",
    "snapshot",
    "stacktrace",
    "enable_event:libc:read",
    "disable_event:sched:sched_process_exec",
    "hist:keys=fd",
    "nothing",
    "",
];
const COUNTS: &[&str] = &["", "", ":1", ":3", ":0", ":", ":-1", ":x", ":unlimited"];

/// Bytes for the file at `path`: mostly what it might take.
pub fn input(path: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = match random.below(10) {
        0 => {
            let len = random.below(300);
            random.bytes(len)
        }
        1 => vec![random.next() as u8; random.below(9000)],
        2 | 3 => words(random).into_bytes(),
        _ if path.ends_with("filter") => filter(random, 0).into_bytes(),
        _ if path.ends_with("trigger") => trigger(random).into_bytes(),
        _ => words(random).into_bytes(),
    };
    if random.one_in(8) && !bytes.is_empty() {
        let place = random.below(bytes.len());
        bytes[place] = random.next() as u8;
    }
    if random.one_in(2) {
        bytes.push(b'\n');
    }
    bytes
}

/// The name of an instance.
pub fn instance(random: &mut Random) -> &'static str {
    random.choose::<&str>(INSTANCES)
}

/// Mostly one word.
fn words(random: &mut Random) -> String {
    let count = if random.one_in(3) { random.below(6) } else { 1 };
    (0..count).map(|_| *random.choose(WORDS)).collect()
}

/// A filter; what is in parentheses is `depth` deep.
fn filter(random: &mut Random, depth: usize) -> String {
    let (left, right) = match random.below(6) {
        _ if depth > 3 => return comparison(random),
        0 | 1 => (filter(random, depth + 1), filter(random, depth + 1)),
        2 => return format!("!({})", filter(random, depth + 1)),
        3 => return format!("({})", filter(random, depth + 1)),
        _ => return comparison(random),
    };
    format!("{left} {} {right}", random.choose::<&str>(&["&&", "||", "|", "&& !", ""]))
}

fn comparison(random: &mut Random) -> String {
    if random.one_in(20) {
        return random.choose(VALUES).to_string();
    }
    let (field, operator, value) = (random.choose(FIELDS), random.choose(OPERATORS), random.choose(VALUES));
    format!("{field} {operator} {value}")
}

fn trigger(random: &mut Random) -> String {
    let mut text = if random.one_in(4) { "!".to_string() } else { String::new() };
    text += random.choose::<&str>(ACTIONS);
    text += random.choose::<&str>(COUNTS);
    if random.one_in(3) {
        text += &format!(" if {}", filter(random, 2));
    }
    text
}
