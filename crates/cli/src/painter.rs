//! Colours in lines of events, for a terminal: which thread it is, what has failed, how long it took, what
//! was lost.
//!
//! It knows lines by their form, so that all that print events need not know of colours. A line of another
//! form is left as it is.

use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const FAILED: Style = AnsiColor::Red.on_default().bold();
const LONG: Style = AnsiColor::Red.on_default();
const LENGTH: Style = AnsiColor::Cyan.on_default();
const LOST: Style = AnsiColor::Yellow.on_default().bold();
const ASIDE: Style = Style::new().dimmed();

/// Of threads, by their ids: none of what says that something is wrong.
const THREADS: [Style; 6] = [
    AnsiColor::Green.on_default(),
    AnsiColor::Blue.on_default(),
    AnsiColor::Magenta.on_default(),
    AnsiColor::BrightGreen.on_default(),
    AnsiColor::BrightBlue.on_default(),
    AnsiColor::BrightMagenta.on_default(),
];

/// Colours the lines that are written to what is below.
pub(crate) struct LinePainter<W> {
    out: W,
    /// The start of a line whose end has not come yet.
    rest: Vec<u8>,
}

impl<W: Write> LinePainter<W> {
    /// Writes to `out`.
    pub(crate) fn new(out: W) -> LinePainter<W> {
        LinePainter { out, rest: Vec::new() }
    }
}

impl<W: Write> Write for LinePainter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.rest.extend_from_slice(bytes);
            return Ok(bytes.len());
        };
        let (whole, rest) = bytes.split_at(end + 1);
        self.rest.extend_from_slice(whole);
        let mut painted = Vec::with_capacity(2 * self.rest.len());
        self.rest.split_inclusive(|byte| *byte == b'\n').for_each(|line| paint(line, &mut painted));
        self.rest.clear();
        self.rest.extend_from_slice(rest);
        self.out.write_all(&painted)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.rest)?;
        self.rest.clear();
        self.out.flush()
    }
}

/// A part of a line, from the first byte on to before the second, in a style.
type ColouredPart = (usize, usize, Style);

fn paint(line: &[u8], out: &mut Vec<u8>) {
    let Ok(text) = std::str::from_utf8(line) else { return out.extend_from_slice(line) };
    let text = text.trim_end_matches('\n');
    let mut done = 0;
    for (start, end, style) in parts(text) {
        out.extend_from_slice(&line[done..start]);
        // Writing into a vector can't fail.
        let _ = write!(out, "{style}{}{style:#}", &text[start..end]);
        done = end;
    }
    out.extend_from_slice(&line[done..]);
}

/// The parts of a line that have a colour, in their order.
fn parts(text: &str) -> Vec<ColouredPart> {
    let whole = |style| vec![(0, text.len(), style)];
    match text.trim_start() {
        "" => Vec::new(),
        start if start.starts_with('#') || start.starts_with("=> ") => whole(ASIDE),
        start if start.starts_with("CPU:") && start.contains("[LOST ") => whole(LOST),
        _ => match cpu(text) {
            Some(cpu) => thread(&text[..cpu]).into_iter().chain(result(text, cpu)).collect(),
            None => length_in_graph(text).into_iter().collect(),
        },
    }
}

/// Where a line has its CPU, `[000]`.
fn cpu(text: &str) -> Option<usize> {
    let is_cpu = |(at, _): &(usize, &str)| {
        let inside = text[at + 2..].split_once(']').map_or("", |(inside, _)| inside);
        inside.len() >= 3 && inside.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.match_indices(" [").find(is_cpu).map(|(at, _)| at + 1)
}

/// The thread before the CPU, `NAME-ID`.
fn thread(before: &str) -> Option<ColouredPart> {
    let start = before.len() - before.trim_start().len();
    let dash = before.rfind('-')?;
    let digits = before[dash + 1..].bytes().take_while(u8::is_ascii_digit).count();
    let id: usize = before[dash + 1..dash + 1 + digits].parse().ok()?;
    Some((start, dash + 1 + digits, THREADS[id % THREADS.len()]))
}

/// What has come of a call, after the CPU: that it has failed, and how long it took.
fn result(text: &str, from: usize) -> Vec<ColouredPart> {
    let failed = failed_exit(text, from).or_else(|| failed_call(text, from));
    let length = field(text, from, " duration=").or_else(|| {
        let start = text.rfind(" <").filter(|start| *start > from && text.ends_with('>'))? + 1;
        (!text[start..].starts_with("<unfinished")).then_some((start, text.len()))
    });
    let mut found: Vec<ColouredPart> = failed.map(|(start, end)| (start, end, FAILED)).into_iter().collect();
    found.extend(length.map(|(start, end)| (start, end, LENGTH)));
    found.sort_by_key(|(start, ..)| *start);
    found
}

/// A field that starts so, with its name.
fn field(text: &str, from: usize, start: &str) -> Option<(usize, usize)> {
    let at = from + text[from..].find(start)? + 1;
    let end = text[at..].find(' ').map_or(text.len(), |space| at + space);
    Some((at, end))
}

/// `error=ENOENT` of an exit event, or what the kernel has returned, `-> 0xfffffffffffffffe`.
fn failed_exit(text: &str, from: usize) -> Option<(usize, usize)> {
    let (start, end) = field(text, from, " error=").or_else(|| {
        let (arrow, _) = field(text, from, " -> 0x")?;
        Some((arrow, text.len()))
    })?;
    let value = &text[start..end];
    let has_failed = match value.strip_prefix("-> 0x") {
        // The kernel's errors are -1 to -4095.
        Some(number) => u64::from_str_radix(number, 16).is_ok_and(|number| number > u64::MAX - 4095),
        None => value != "error=0",
    };
    has_failed.then_some((start, end))
}

/// `= -1 ENOENT` of a call on one line.
fn failed_call(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = text.rfind(") = ").filter(|start| *start > from)? + 2;
    let mut words = text[start..].split(' ');
    let (equals, value, error) = (words.next()?, words.next()?, words.next()?);
    let is_error =
        error.len() > 1 && error.starts_with('E') && error.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_error.then(|| (start, start + equals.len() + value.len() + error.len() + 2))
}

/// A duration of the function graph, with the mark that it has from 10 us on.
fn length_in_graph(text: &str) -> Option<ColouredPart> {
    let end = text.find(" us ")? + " us".len();
    let start = text[..end].rfind(['+', '!', '#', '*', '@', '$'])?;
    let is_length = text[start + 1..end].bytes().all(|byte| b" .0123456789us".contains(&byte));
    let style = if matches!(text.as_bytes()[start], b'+' | b'!') { LENGTH } else { LONG };
    is_length.then_some((start, end, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a line that have colours.
    fn coloured(text: &str) -> Vec<(&str, Style)> {
        parts(text).into_iter().map(|(start, end, style)| (&text[start..end], style)).collect()
    }

    #[test]
    fn what_has_failed_and_how_long_it_took_is_seen() {
        let line =
            "  my [app]-4711    [000] ..... 12.000001: open_exit: ret=-1 error=ENOENT duration=12 caller=f";
        let thread = THREADS[4711 % THREADS.len()];
        assert_eq!(
            coloured(line),
            [("my [app]-4711", thread), ("error=ENOENT", FAILED), ("duration=12", LENGTH)]
        );
        let line = "  a-b-6  [001]  12.000001: open(path=\"x = 1 E\") = -1 ENOENT <12 us>";
        assert_eq!(coloured(line), [("a-b-6", THREADS[0]), ("= -1 ENOENT", FAILED), ("<12 us>", LENGTH)]);
        let line = "  a-6  [001] ..... 12.000001: sys_openat -> 0xfffffffffffffffe";
        assert_eq!(coloured(line)[1..], [("-> 0xfffffffffffffffe", FAILED)]);
    }

    #[test]
    fn what_has_not_failed_has_no_such_colour() {
        for rest in [
            "open_exit: ret=3 error=0",
            "sys_openat -> 0x3",
            "open(path=\"a\") = 3",
            "wait(pid=1) <unfinished ...>",
            "function: a <-b",
        ] {
            assert_eq!(
                coloured(&format!("  a-6  [001] ..... 12.000001: {rest}")),
                [("a-6", THREADS[0])],
                "{rest}"
            );
        }
    }

    #[test]
    fn other_lines_are_known() {
        assert_eq!(coloured("# tracer: nop")[0].1, ASIDE);
        assert_eq!(coloured(" => main+0x12")[0].1, ASIDE);
        assert_eq!(coloured("CPU:1 [LOST 12 EVENTS]")[0].1, LOST);
        assert_eq!(coloured(" 0) # 1234.567 us |  slow();"), [("# 1234.567 us", LONG)]);
        assert_eq!(coloured(" 0) + 12.567 us   |  f();"), [("+ 12.567 us", LENGTH)]);
        assert_eq!(coloured(" 0)   0.567 us    |  f(); /* a + b */"), []);
        assert_eq!(coloured("plain text"), []);
    }

    #[test]
    fn lines_may_come_in_pieces_and_lose_nothing() {
        let text = "  a-6  [001] ..... 12.0: x: error=EIO\n\n# é\nno end";
        for size in [1, 7, 1000] {
            let mut painter = LinePainter::new(Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| painter.write_all(piece).unwrap());
            painter.flush().unwrap();
            let plain = anstream::adapter::strip_bytes(&painter.out).into_vec();
            assert_eq!(String::from_utf8(plain).unwrap(), text);
            assert!(painter.out.len() > text.len());
        }
    }
}
