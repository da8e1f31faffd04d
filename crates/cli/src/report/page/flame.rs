//! A flame graph, from the top down: time in calls, functions and spans, by the name of the thread.

use super::markup::Markup;
use crate::duration::duration;
use std::collections::BTreeMap;

/// A frame narrower than this, in percent, isn't drawn.
const NARROWEST: f64 = 0.15;

/// A frame narrower than this has no text.
const TEXT: f64 = 2.0;

/// The height of a frame, in pixels.
const HEIGHT: usize = 18;

/// The most frames one over the other.
const DEEPEST: usize = 64;

/// A frame, with all that is in it.
#[derive(Debug, Default)]
struct FlameFrame {
    /// Nanoseconds, with those within.
    total: u64,
    inner: BTreeMap<String, FlameFrame>,
}

/// Where a frame is drawn: its left edge and width in percent, and how deep it is.
#[derive(Debug, Clone, Copy)]
struct FramePlace {
    left: f64,
    width: f64,
    depth: usize,
}

/// Writes the flame graph of folded stacks.
pub(super) fn write(folded: &str, page: &mut Markup) {
    let root = tree(folded);
    if root.total == 0 {
        return;
    }
    let whole = FramePlace { left: 0.0, width: 100.0, depth: 0 };
    let height = (depth(&root, whole.width).min(DEEPEST) * HEIGHT).to_string();
    page.section("Flame graph", |section| {
        section.with("svg", &[("class", "flame"), ("width", "100%"), ("height", &height)], |svg| {
            draw(&root, whole, root.total, svg);
        });
        let note = "Widths are times in calls, functions and spans of all threads of a name together.";
        section.say("p", "note", note);
    });
}

fn tree(folded: &str) -> FlameFrame {
    let mut root = FlameFrame::default();
    for (stack, time) in folded.lines().filter_map(|line| line.rsplit_once(' ')) {
        let time = time.parse().unwrap_or(0);
        let mut frame = &mut root;
        frame.total += time;
        for name in stack.split(';') {
            frame = frame.inner.entry(name.to_owned()).or_default();
            frame.total += time;
        }
    }
    root
}

/// How many frames are one over the other that are wide enough.
fn depth(frame: &FlameFrame, width: f64) -> usize {
    let inner = frame.inner.values().map(|inner| (inner, width * share(inner.total, frame.total)));
    let wide = inner.filter(|(_, width)| *width >= NARROWEST);
    wide.map(|(inner, width)| 1 + depth(inner, width)).max().unwrap_or(0)
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Draws what is in a frame, next to each other.
fn draw(frame: &FlameFrame, place: FramePlace, all: u64, svg: &mut Markup) {
    let mut left = place.left;
    for (name, inner) in &frame.inner {
        let width = place.width * share(inner.total, frame.total);
        let at = FramePlace { left, width, depth: place.depth };
        left += width;
        if width < NARROWEST || place.depth >= DEEPEST {
            continue;
        }
        let text = format!("{name}: {}, {:.1} %", duration(inner.total), 100.0 * share(inner.total, all));
        let (x, y) = (format!("{:.3}%", at.left), (at.depth * HEIGHT).to_string());
        let (width_text, height) = (format!("{width:.3}%"), (HEIGHT - 1).to_string());
        let attributes = [("x", x.as_str()), ("y", &y), ("width", &width_text), ("height", &height)];
        svg.with("svg", &attributes, |svg| {
            let colour = ["f0", "f1", "f2", "f3"][name.bytes().map(usize::from).sum::<usize>() % 4];
            let whole = [("class", colour), ("width", "100%"), ("height", "100%")];
            svg.with("rect", &whole, |rect| rect.say("title", "", &text));
            if width >= TEXT {
                svg.with("text", &[("x", "3"), ("y", "13")], |label| label.text(name));
            }
        });
        draw(inner, FramePlace { depth: place.depth + 1, ..at }, all, svg);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_as_wide_as_what_is_in_them() {
        let root = tree("sh;read 30\nsh;wait;read 60\ncat <x>;read 10\n");
        assert_eq!((root.total, root.inner["sh"].total, depth(&root, 100.0)), (100, 90, 3));
        let mut page = Markup::default();
        write("sh;read 30\nsh;wait;read 60\ncat <x>;read 10\n", &mut page);
        let page = page.document("", "");
        for part in [
            "x=\"10.000%\" y=\"0\" width=\"90.000%\"",
            ">cat &lt;x&gt;<",
            "wait: 60 ns, 60.0 %",
            "height=\"54\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn what_is_too_narrow_is_left_out() {
        let root = tree("a;b 1000000\nc;d 1\n");
        let mut svg = Markup::default();
        draw(&root, FramePlace { left: 0.0, width: 100.0, depth: 0 }, root.total, &mut svg);
        let svg = svg.document("", "");
        assert!(svg.contains("<title>a: ") && !svg.contains("<title>c: "), "{svg}");
    }
}
