//! What lies between two functions.

use crate::object_file::ObjectFile;
use core::ops::Range;

/// What lies between the end of a function and the start of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionGap<'a> {
    /// The code of the function before it.
    pub before: &'a [u8],
    /// Its addresses.
    pub addresses: Range<u64>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl<'a> ObjectFile<'a> {
    /// The gaps between functions that are not farther than so much from an address, as far as `.eh_frame`
    /// says where functions begin and end.
    ///
    /// Cost: a search in the table of frames.
    pub fn gaps_near(
        &self,
        address: u64,
        distance: u64,
    ) -> impl Iterator<Item = FunctionGap<'a>> + Clone + use<'a> {
        let file = *self;
        let near = address.saturating_sub(distance)..address.saturating_add(distance);
        // Only once somebody asks: most don't need any.
        let start = near.start;
        let frames = core::iter::once(file).filter_map(|file| file.function_frames());
        let framed = frames.flat_map(move |frames| frames.from(start).zip(frames.from(start).skip(1)));
        let of_go = core::iter::once(file).filter_map(|file| file.go_functions());
        let of_go = of_go.flat_map(move |of_go| of_go.from(start).zip(of_go.from(start).skip(1)));
        let spans = framed.chain(of_go);
        let is_near =
            move |before: &Option<Range<u64>>| before.as_ref().is_none_or(|span| span.end < near.end);
        let gaps = spans.take_while(move |(before, _)| is_near(before)).filter_map(move |(before, next)| {
            let (before, next) = (before?, next?);
            let addresses = before.end..next.start;
            let (before, bytes) = (file.code_in(&before)?, file.code_in(&addresses)?);
            Some(FunctionGap { before, bytes, addresses })
        });
        gaps.filter(|gap| !gap.bytes.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lie_between_functions_and_nowhere_else() {
        let this_program = std::fs::read("/proc/self/exe").unwrap();
        let file = ObjectFile::parse(&this_program).unwrap();
        let (mut found, mut near_all) = (0, 0);
        for function in file.functions() {
            let Some(span) = file.function_span(function.start) else { continue };
            for gap in file.gaps_near(function.start, 128) {
                assert!(gap.addresses.end <= span.start || gap.addresses.start >= span.end);
                assert!(gap.addresses.start < function.start + 128);
                assert_eq!(gap.addresses.end - gap.addresses.start, gap.bytes.len() as u64);
                assert_eq!(file.span_of_frame(gap.addresses.start), None);
                let before = file.span_of_frame(gap.addresses.start - 1).unwrap();
                assert_eq!(before.end - before.start, gap.before.len() as u64);
                found += 1;
            }
            near_all += usize::from(file.gaps_near(span.end, 16).any(|gap| gap.addresses.start == span.end));
        }
        assert!(found > 1000 && near_all > 500, "{found} {near_all}");
    }
}
