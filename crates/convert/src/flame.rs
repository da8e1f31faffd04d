//! Flame graphs: folded stacks as a picture.

use crate::StackWeight;
use inferno::flamegraph::{Options, from_lines};
use std::io::{self, Write};

/// What a flame graph is called, and what its widths are.
fn options(title: &str, weight: StackWeight) -> Options<'static> {
    let mut options = Options::default();
    options.title = title.to_owned();
    options.count_name = match weight {
        StackWeight::Time | StackWeight::OffCpu => "ns",
        StackWeight::Count => "times",
        StackWeight::Bytes => "bytes",
    }
    .to_owned();
    options.font_type = "ui-monospace, monospace".to_owned();
    options.image_width = Some(1200);
    options
}

/// Draws folded stacks as SVG.
///
/// # Errors
///
/// When there are no stacks, or `out` can't be written.
pub fn draw(folded: &str, title: &str, weight: StackWeight, out: &mut dyn Write) -> io::Result<()> {
    from_lines(&mut options(title, weight), folded.lines(), out).map_err(io::Error::other)
}

/// Draws the stacks of `after`, coloured by how they differ from those of `before`: red is more, blue less.
/// What has vanished is in `before` only, so swap both for the other half of the picture.
///
/// # Errors
///
/// Those of [`draw`].
pub fn draw_difference(
    before: &str,
    after: &str,
    title: &str,
    weight: StackWeight,
    out: &mut dyn Write,
) -> io::Result<()> {
    draw(&difference(before, after)?, title, weight, out)
}

/// Both as one: a line for each stack, with two numbers.
///
/// # Errors
///
/// When one is not folded.
pub fn difference(before: &str, after: &str) -> io::Result<String> {
    let mut lines = Vec::new();
    let options = inferno::differential::Options::default();
    inferno::differential::from_readers(options, before.as_bytes(), after.as_bytes(), &mut lines)?;
    String::from_utf8(lines).map_err(io::Error::other)
}
