//! Tests of `argument_writer`.

use super::super::format_fields::FormatFields;
use super::super::number_writer::{lay_out_numbers, numbers_in_words};
use super::super::text_writer::{lay_out_text, short_text};
use super::*;
use abi::site::{FORMAT_VERSION, RawSite};
use core::mem::transmute;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32};
use printf_format::FormatString;
use ring_buffer::Bytes;
use shm::PAGE;
use std::string::String;
use std::vec::Vec;

/// Words of the longest event here.
const LONGEST: usize = 508;

/// A registered site of a format.
fn site_of(format: &str, texts_have_lengths: bool) -> RawFormatSite {
    let fields = FormatFields::of(FormatString::new(format)).unwrap();
    RawFormatSite {
        site: RawSite {
            version: FORMAT_VERSION,
            id: AtomicU32::new(0),
            word: AtomicPtr::new(null_mut()),
            write: AtomicPtr::new(null_mut()),
            system: null(),
            name: null(),
            print: null(),
            fields: null(),
            field_count: 0,
            texts_have_lengths: texts_have_lengths.into(),
        },
        arguments: fields.words().map(AtomicU16::new),
        fixed_end: AtomicU16::new(fields.fixed_end),
        share: AtomicU16::new(fields.share),
    }
}

/// What a registered site of a format hands over, laid out.
fn laid_out(format: &str, texts_have_lengths: bool, words: &[u64], readable: Readable) -> Vec<u8> {
    laid_out_in::<WORDS>(format, texts_have_lengths, words, readable).0
}

/// The event of so many words, and whether something was cut off.
fn laid_out_in<const MOST: usize>(
    format: &str,
    texts_have_lengths: bool,
    words: &[u64],
    readable: Readable,
) -> (Vec<u8>, bool) {
    let site = site_of(format, texts_have_lengths);
    let mut payload = [u64::MAX; MOST];
    let given =
        GivenArguments { site: &site, words: words.as_ptr(), have_lengths: texts_have_lengths, readable };
    // SAFETY: the tests' words are those of their formats.
    let mut lay_out = |space| unsafe { lay_out(given, &mut payload, space) };
    // As sites do, and where a text doesn't fit as is done then.
    let first = if MOST == WORDS { TextSpace::Share } else { TextSpace::All };
    let before = lay_out(first);
    let laid_out = if before.is_cut { lay_out(TextSpace::Fair) } else { before };
    assert_eq!(laid_out.is_cut, before.is_cut);
    let bytes = payload.iter().flat_map(|word| word.to_le_bytes());
    (bytes.take(laid_out.len.next_multiple_of(8)).collect(), laid_out.is_cut)
}

fn all(_: *const u8, wanted: usize) -> usize {
    wanted
}

fn word(bytes: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(bytes[index * 8..][..8].try_into().unwrap())
}

fn address(text: &str) -> u64 {
    text.as_ptr().addr() as u64
}

/// The text or dump whose place is at `offset`.
fn located(bytes: &[u8], offset: usize) -> &[u8] {
    let location = u32::from_le_bytes(bytes[offset..][..4].try_into().unwrap()) as usize;
    &bytes[location & 0xffff..][..location >> 16]
}

#[test]
fn numbers_lie_as_in_a_c_struct() {
    let words = [0xff11, -2_i32 as u64, u64::MAX << 16 | 3, u64::MAX];
    let found = laid_out("%c%d%hd%ld", false, &words, all);
    assert_eq!([1, 2, 3].map(|at| word(&found, at)), [0xffff_fffe_0000_0011, 3, u64::MAX]);
    assert_eq!(found.len(), 32);
}

#[test]
fn numbers_alone_lie_as_others_do() {
    let words = [u64::MAX - 1, 0x1234_5678_9abc_def0, u64::MAX, 0x0fed_cba9_8765_4321];
    for format in ["%c%d%hd%ld", "%ld%ld%ld%ld", "%hhd%hhd%hhd%hhd", "%d%ld%hu%c", "%hd%d%c%hd"] {
        let site = site_of(format, false);
        let mut payload = [u64::MAX; WORDS];
        // SAFETY: a word for each.
        let len = unsafe { lay_out_numbers::<4>(&site, words.as_ptr(), &mut payload) };
        let bytes: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(bytes[8..len.next_multiple_of(8)], laid_out(format, false, &words, all)[8..], "{format}");
    }
    // SAFETY: there are none.
    assert_eq!(unsafe { lay_out_numbers::<0>(&site_of("none", false), null(), &mut [0; WORDS]) }, 8);
}

#[test]
fn two_numbers_in_registers_lie_as_others_do() {
    let words = [u64::MAX - 1, 0x1234_5678_9abc_def0];
    // SAFETY: a word for each.
    let cases = unsafe {
        [
            ("%d", numbers_in_words::<4, 0>(words.as_ptr())),
            ("%ld", numbers_in_words::<8, 0>(words.as_ptr())),
            ("%d%d", numbers_in_words::<4, 4>(words.as_ptr())),
            ("%d%ld", numbers_in_words::<4, 8>(words.as_ptr())),
            ("%ld%d", numbers_in_words::<8, 4>(words.as_ptr())),
            ("%ld%ld", numbers_in_words::<8, 8>(words.as_ptr())),
        ]
    };
    for (format, found) in cases {
        let bytes: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = laid_out(format, false, &words, all);
        assert_eq!(bytes[..expected.len() - 8], expected[8..], "{format}");
    }
}

/// Checks that a text after numbers of such sizes lies where it does in others' events.
fn check_text<const FIRST: usize, const SECOND: usize>(format: &str, text: &str) {
    // All of it in one page.
    let mut place = std::vec![0; 2 * PAGE];
    let start = place.as_ptr().align_offset(PAGE);
    place[start..][..text.len()].copy_from_slice(text.as_bytes());
    let numbers = [u64::MAX - 1, 0x1234_5678_9abc_def0].into_iter();
    let numbers: Vec<u64> = numbers.take(format.matches('%').count() - 1).collect();
    let mut payload = [u64::MAX; WORDS];
    let check = |words: &[u64], have_lengths: bool, end: Option<usize>, payload: &[u64; WORDS]| {
        let Some(end) = end else { return assert!(text.is_empty() && !have_lengths, "{text}") };
        let bytes: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = laid_out(format, have_lengths, words, all);
        assert_eq!(bytes[8..end.next_multiple_of(8)], expected[8..], "{format} {text:?}");
    };
    let words = [&numbers[..], &[place[start..].as_ptr().addr() as u64]].concat();
    // SAFETY: these are the format's words.
    let end = unsafe { lay_out_text::<FIRST, SECOND, false>(words.as_ptr(), &mut payload, all) };
    check(&words, false, end, &payload);
    let words = [&numbers[..], &[text.len() as u64, address(text)]].concat();
    // SAFETY: likewise.
    let end = unsafe { lay_out_text::<FIRST, SECOND, true>(words.as_ptr(), &mut payload, all) };
    check(&words, true, end, &payload);
}

#[test]
fn a_text_after_numbers_lies_as_others_do() {
    let long = "x".repeat(200);
    for text in ["", "a", "seven..", "eight...", "/etc/hosts.1", "sixteen letters.", &long] {
        check_text::<0, 0>("%s", text);
        check_text::<4, 0>("%d%s", text);
        check_text::<8, 0>("%ld%s", text);
        check_text::<4, 4>("%d%d%s", text);
        check_text::<4, 8>("%d%ld%s", text);
        check_text::<8, 4>("%ld%d%s", text);
        check_text::<8, 8>("%ld%ld%s", text);
    }
}

/// The event of a long number, a number and a text, made in registers: up to its last word.
fn in_registers<const HAVE_LENGTHS: bool>(words: &[u64], lasting: usize) -> Option<Vec<u8>> {
    // SAFETY: these are the words of such an event.
    let found = unsafe { short_text::<8, 4, 24, HAVE_LENGTHS>(7, words.as_ptr(), |_| lasting) };
    found.map(|found| {
        // SAFETY: any bits are bytes.
        let text = unsafe { transmute::<[Bytes; 2], [u8; 32]>(found.text) };
        let bytes = found.words.iter().flat_map(|word| word.to_le_bytes()).chain(text);
        bytes.take((24 + found.len + 1).next_multiple_of(8)).collect()
    })
}

#[test]
fn a_text_in_registers_lies_as_others_do() {
    // Its end, and what is after it, can be read.
    let texts =
        std::format!("{:_<128}", "\0a\0seven..\0sixteen letters.\0thirty and one letters no more.\0x");
    for (start, len) in [(0, 0), (1, 1), (3, 7), (11, 16), (28, 31), (60, 32)] {
        let text = address(&texts[start..]);
        let (alone, with_length) = ([5, u64::MAX - 1, text], [5, u64::MAX - 1, len as u64, text]);
        let found = [in_registers::<false>(&alone, 32), in_registers::<true>(&with_length, 32)];
        assert_eq!(found.each_ref().map(Option::is_some), [(1..32).contains(&len), len < 32], "{len}");
        for found in found.into_iter().flatten() {
            assert_eq!(found[8..], laid_out("%ld%d%s", true, &with_length, all)[8..], "{len}");
        }
        assert_eq!(in_registers::<false>(&alone, 31), None, "it may not be there");
    }
}

#[test]
fn a_text_that_does_not_fit_is_left_to_others() {
    let text = "x".repeat(239);
    for (len, is_laid_out) in [(238, true), (239, true), (240, false)] {
        let words = [len, address(&text)];
        // SAFETY: what doesn't fit isn't read.
        let end = unsafe { lay_out_text::<0, 0, true>(words.as_ptr(), &mut [0; WORDS], all) };
        assert_eq!(end.is_some(), is_laid_out, "{len}");
    }
}

#[test]
fn a_text_is_left_to_others_where_its_page_ends() {
    let mut pages = std::vec![b'x'; 3 * PAGE];
    let next = PAGE + pages.as_ptr().align_offset(PAGE);
    let words = [pages[next - 40..].as_ptr().addr() as u64];
    for (zero, is_laid_out) in [(next, false), (next - 1, true)] {
        pages[zero] = 0;
        // SAFETY: as much is read as can be.
        let end = unsafe { lay_out_text::<0, 0, false>(words.as_ptr(), &mut [0; WORDS], all) };
        assert_eq!(end, is_laid_out.then_some(16 + 40));
    }
}

#[test]
fn places_of_texts_lie_among_numbers() {
    let (a, b) = ("first\0", "second\0");
    let words = [7, address(a), 0x41, 0x1_0002, address(b), u64::MAX];
    let found = laid_out("%d%s%c%hd%s%ld", false, &words, all);
    let numbers = [word(&found, 1) as u32, word(&found, 2) as u32].map(u64::from);
    assert_eq!((numbers, word(&found, 3)), ([7, 0x2_0041], u64::MAX));
    assert_eq!([12, 20].map(|offset| located(&found, offset)), [&b"first\0"[..], b"second\0"]);
}

#[test]
fn texts_follow_and_are_cut_to_their_precision() {
    let (a, b) = ("first\0", "second\0");
    let words = [address(a), 3, address(b), -1_i32 as u64, address(b), address(b)];
    let found = laid_out("%s%.*s%.*s%.2s", false, &words, all);
    let texts = [8, 12, 16, 20].map(|offset| located(&found, offset));
    assert_eq!(texts, [b"first\0".as_slice(), b"sec\0", b"second\0", b"se\0"]);
}

#[test]
fn long_texts_are_marked() {
    let (long, fits) = ("x".repeat(1000), "y".repeat(239));
    for has_lengths in [false, true] {
        let text = |text: &str, len| {
            let words = if has_lengths { [len, address(text)] } else { [address(text), 0] };
            let found = laid_out("%s", has_lengths, &words, all);
            String::from_utf8(located(&found, 8).to_vec()).unwrap()
        };
        assert_eq!(text(&std::format!("{long}\0"), 1000), "x".repeat(236) + "...\0");
        assert_eq!(text(&std::format!("{fits}\0"), 239), fits.clone() + "\0");
        let wide = text(&("\u{20ac}".repeat(100) + "\0"), 300);
        assert_eq!(wide, "\u{20ac}".repeat(78) + "...\0", "whole characters");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_not_touched() {
    fn nothing(_: *const u8, _: usize) -> usize {
        0
    }
    fn three(_: *const u8, wanted: usize) -> usize {
        wanted.min(3)
    }
    let text = |format, words: &[u64], readable| {
        let found = laid_out(format, false, words, readable);
        String::from_utf8(located(&found, 8).to_vec()).unwrap()
    };
    assert_eq!(text("%s", &[8], nothing), "(fault)\0");
    assert_eq!(text("%s", &[0], nothing), "(null)\0");
    assert_eq!(text("%.0s", &[8], nothing), "\0");
    assert_eq!(text("%s", &[address("abcdef")], three), "abc\0");
    assert_eq!(text("%s", &[address("\0")], all), "\0");
    assert_eq!(laid_out("%8ph", false, &[8], nothing).len(), 16);
}

#[test]
fn dumps_have_as_many_bytes_as_is_said() {
    let bytes = "\u{1}\u{2}\u{3}\u{4}";
    let found = laid_out("%*ph%2phN%*ph", false, &[3, address(bytes), address(bytes), -1_i32 as u64, 8], all);
    let dumps = [12, 16, 24].map(|offset| located(&found, offset));
    assert_eq!(dumps, [&[1, 2, 3][..], &[1, 2], &[]]);
    assert_eq!([word(&found, 1) as i32, (word(&found, 2) >> 32) as i32], [3, -1], "what was said");
}

/// What is recorded of texts with these lengths in an event of so many words, and whether one was cut off.
fn texts<const MOST: usize>(format: &str, has_lengths: bool, lens: &[usize]) -> (Vec<String>, bool) {
    let texts: Vec<String> = lens.iter().map(|len| "x".repeat(*len) + "\0").collect();
    let of = |text: &String| match has_lengths {
        true => std::vec![text.len() as u64 - 1, address(text)],
        false => std::vec![address(text)],
    };
    let words: Vec<u64> = texts.iter().flat_map(of).collect();
    let (found, is_cut) = laid_out_in::<MOST>(format, has_lengths, &words, all);
    let text = |at| String::from_utf8(located(&found, 8 + 4 * at).to_vec()).unwrap();
    ((0..lens.len()).map(text).collect(), is_cut)
}

#[test]
fn a_long_event_has_texts_up_to_what_it_has_space_for() {
    let whole = |len: usize| "x".repeat(len) + "\0";
    let cut = |len: usize| "x".repeat(len) + "...\0";
    for has_lengths in [false, true] {
        for len in [0, 1, 239] {
            assert_eq!(texts::<WORDS>("%s", has_lengths, &[len]), (std::vec![whole(len)], false));
        }
        assert_eq!(texts::<WORDS>("%s", has_lengths, &[240]), (std::vec![cut(236)], true));
        let most = 8 * LONGEST - 17;
        for len in [0, 1, 239, 240, 255, 256, 1000, most] {
            assert_eq!(texts::<LONGEST>("%s", has_lengths, &[len]), (std::vec![whole(len)], false));
        }
        for len in [most + 1, 9000] {
            assert_eq!(texts::<LONGEST>("%s", has_lengths, &[len]), (std::vec![cut(most - 3)], true));
        }
    }
}

#[test]
fn texts_of_a_long_event_leave_others_what_they_do_not_need() {
    let lens = |lens| {
        let (texts, is_cut) = texts::<LONGEST>("%s%s", false, lens);
        (texts.iter().map(|text| text.len() - 1).collect::<Vec<_>>(), is_cut)
    };
    assert_eq!(lens(&[7, 3000]), (std::vec![7, 3000], false));
    assert_eq!(lens(&[3000, 7]), (std::vec![3000, 7], false));
    assert_eq!(lens(&[7, 4047]), (std::vec![7, 4039], true), "a word for the first");
    assert_eq!(lens(&[4047, 0]), (std::vec![2023, 0], true), "no byte for the second");
    assert_eq!(lens(&[4000, 4000]), (std::vec![2023, 2023], true));
}

#[test]
fn precisions_and_dumps_may_be_longer_than_a_short_event() {
    let (text, dump) = ("x".repeat(4000), "y".repeat(4000));
    let (found, is_cut) =
        laid_out_in::<LONGEST>("%.300s%1000ph", false, &[address(&text), address(&dump)], all);
    assert_eq!(located(&found, 8), ("x".repeat(300) + "\0").as_bytes());
    assert_eq!((located(&found, 12), is_cut), (&dump.as_bytes()[..1000], false));
    let (found, is_cut) = laid_out_in::<LONGEST>("%*ph", false, &[5000, address(&dump)], all);
    assert_eq!((located(&found, 12).len(), is_cut), (8 * LONGEST - 16, true));
    assert_eq!(word(&found, 1) as u32, 5000, "what was wanted");
    assert!(laid_out_in::<WORDS>("%*ph", false, &[241, address(&dump)], all).1);
    assert!(!laid_out_in::<WORDS>("%*ph", false, &[240, address(&dump)], all).1);
}
