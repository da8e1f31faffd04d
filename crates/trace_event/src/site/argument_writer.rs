//! Laying out the arguments of a printf format as the fields of its event.
//!
//! A program may pass any address as a text: as much of it is read as can be read, see
//! `docs/decisions/007-memory.md`.

use super::format_fields::{LOCATION, aligned};
use super::program_text::{Readable, end_of_character, len_of_text};
use abi::common;
use abi::site::argument::{BYTES, LENGTH, NUMBER, TEXT, UNBOUNDED};
use abi::site::{Arguments, RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

/// Bytes of an event.
const SIZE: usize = WORDS * 8;

/// What stands at the end of a text that was cut off.
const MARK: &[u8] = b"...";

/// What stands for a text at null, as printf(3) has it.
const NULL: &[u8] = b"(null)";

/// What stands for a text that can't be read, as probes have it.
const FAULT: &[u8] = b"(fault)";

/// An event that is being laid out. Words are built in registers: bytes that went through memory in other
/// sizes would make the recorder's loads wait for them.
struct ArgumentWriter<'a> {
    payload: &'a mut [u64; WORDS],
    words: *const u64,
    /// The word that `fixed` is in, as far as it is filled.
    word: u64,
    /// Where the next number goes.
    fixed: usize,
    /// Where the next text or dump goes.
    next: usize,
    /// Bytes that each of them can have.
    share: usize,
    /// Where the event ends.
    end: usize,
    /// How much there is of the next argument, where the one before it says so.
    length: Option<i32>,
    /// How much can be read where an address leads. None where it leads to as much as is said.
    readable: Option<Readable>,
}

/// Lays out the arguments of a site, and gives the bytes of the event.
///
/// # Safety
///
/// The site has been registered. There is a word for each argument; if its texts have lengths, there is as
/// much of texts and dumps as is said.
pub(super) unsafe fn lay_out(site: &RawFormatSite, arguments: &mut Arguments, readable: Readable) -> usize {
    let mut writer = ArgumentWriter {
        payload: &mut arguments.payload.words,
        words: arguments.words,
        word: 0,
        fixed: common::SIZE,
        next: usize::from(site.start.load(Relaxed)),
        share: usize::from(site.share.load(Relaxed)),
        end: 0,
        length: None,
        readable: (site.site.texts_have_lengths == 0).then_some(readable),
    };
    for code in &site.arguments {
        match code.load(Relaxed) {
            0 => break,
            // SAFETY: the caller's promise.
            code => unsafe { writer.put(code) },
        }
    }
    writer.end.max(writer.fixed)
}

impl ArgumentWriter<'_> {
    /// The next word.
    ///
    /// # Safety
    ///
    /// There is one.
    unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let word = self.words.read();
            self.words = self.words.add(1);
            word
        }
    }

    /// Puts an argument of this kind.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    unsafe fn put(&mut self, code: u16) {
        let (kind, amount) = (code & !UNBOUNDED, usize::from(code & UNBOUNDED));
        let has_length = kind == TEXT && self.readable.is_none();
        // SAFETY: there is a word for each argument, and for the length of each text that has one.
        let (len, word) = unsafe { (if has_length { self.word() } else { u64::MAX }, self.word()) };
        let address = word as usize as *const u8;
        let length = self.length.take();
        match kind {
            NUMBER => self.put_number(word, amount),
            LENGTH => self.length = Some(word as i32),
            TEXT => {
                // A negative precision is none.
                let most = length.and_then(|most| usize::try_from(most).ok()).unwrap_or(amount);
                // SAFETY: the caller's promise.
                unsafe { self.put_text(address, len as usize, most) }
            }
            BYTES => {
                let count = length.map_or(amount, |count| usize::try_from(count).unwrap_or(0));
                // SAFETY: the caller's promise.
                unsafe { self.put_bytes(address, count) }
            }
            _ => {}
        }
    }

    fn store(&mut self, index: usize, word: u64) {
        if let Some(to) = self.payload.get_mut(index) {
            *to = word;
        }
    }

    /// Puts the lower bytes of a word into the fixed part.
    fn put_number(&mut self, word: u64, size: usize) {
        let at = aligned(self.fixed, size);
        let value = word & u64::MAX.wrapping_shr(64 - 8 * size as u32);
        let before = if at & 7 == 0 { 0 } else { self.word };
        self.word = before | value.wrapping_shl(8 * (at as u32 & 7));
        self.store(at / 8, self.word);
        self.fixed = at + size;
    }

    /// Puts a text of at most so many bytes that can be read, and at most `most`.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    unsafe fn put_text(&mut self, text: *const u8, len: usize, most: usize) {
        let space = self.share.saturating_sub(1);
        let wanted = most.min(space + 1).min(len);
        let len = match self.readable {
            // SAFETY: the caller's promise.
            Some(readable) => unsafe { len_of_text(text, wanted, readable) },
            None => wanted,
        };
        let stands_for = match len {
            0 if wanted == 0 => b"",
            0 if text.is_null() => NULL,
            0 if self.readable.is_some_and(|readable| readable(text, 1) == 0) => FAULT,
            _ => b"",
        };
        // SAFETY: so much can be read, in the program or here.
        unsafe {
            if !stands_for.is_empty() {
                self.append(stands_for.as_ptr(), stands_for.len().min(most), 1);
            } else if len <= space {
                self.append(text, len, 1);
            } else {
                let kept = end_of_character(text, space - MARK.len().min(space));
                self.append(text, kept, MARK.len() + 1);
                self.put_mark(self.end - MARK.len() - 1);
            }
        }
    }

    /// Puts so many bytes, as far as they can be read.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    unsafe fn put_bytes(&mut self, bytes: *const u8, count: usize) {
        let wanted = count.min(self.share);
        let count = self.readable.map_or(wanted, |readable| readable(bytes, wanted));
        // SAFETY: they can be read.
        unsafe { self.append(bytes, count, 0) }
    }

    /// Puts the mark of a text that was cut off at an offset.
    fn put_mark(&mut self, offset: usize) {
        // SAFETY: all of its bytes, which any value may have, and which have no alignment.
        let bytes: &mut [u8; SIZE] = unsafe { &mut *(&raw mut *self.payload).cast() };
        let mark = bytes.get_mut(offset..offset + MARK.len());
        mark.into_iter().flatten().zip(MARK).for_each(|(to, byte)| *to = *byte);
    }

    /// Appends so many bytes and zeros after the fixed part, and where they are to it.
    ///
    /// # Safety
    ///
    /// The bytes can be read.
    unsafe fn append(&mut self, bytes: *const u8, len: usize, zeros: usize) {
        let (start, end) = (self.next, self.next + len + zeros);
        self.put_number(((len + zeros) as u64) << 16 | start as u64, LOCATION);
        // SAFETY: the caller's promise; what `at` leaves of the bytes are 8 at least.
        let word_at = |at: usize| unsafe { bytes.add(at).cast::<u64>().read_unaligned() };
        let (whole, rest) = (len / 8, len & 7);
        (0..whole).for_each(|index| self.store(start / 8 + index, word_at(index * 8)));
        let last = match rest {
            0 => 0,
            // One load that ends where the bytes end, shifted to where the rest starts.
            _ if whole > 0 => word_at(len - 8) >> (64 - 8 * rest as u32),
            // SAFETY: the caller's promise.
            _ => (0..rest).rev().fold(0, |word, at| word << 8 | u64::from(unsafe { bytes.add(at).read() })),
        };
        self.store(start / 8 + whole, last);
        if rest + zeros > 8 {
            self.store(start / 8 + whole + 1, 0);
        }
        let next = aligned(end, 8);
        (self.next, self.end) = (next, end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::format_fields::FormatFields;
    use super::*;
    use abi::site::{FORMAT_VERSION, HEAD_WORDS, Payload, RawSite};
    use core::ptr::{null, null_mut};
    use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32};
    use printf_format::FormatString;
    use std::string::String;
    use std::vec::Vec;

    /// What a registered site of a format hands over, laid out.
    fn laid_out(format: &str, texts_have_lengths: bool, words: &[u64], readable: Readable) -> Vec<u8> {
        let fields = FormatFields::of(FormatString::new(format)).unwrap();
        let site = RawFormatSite {
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
            arguments: fields.arguments.map(AtomicU16::new),
            start: AtomicU16::new(fields.start),
            share: AtomicU16::new(fields.share),
        };
        let payload = Payload { head: [0; HEAD_WORDS], words: [u64::MAX; WORDS] };
        let mut arguments = Arguments { payload, words: words.as_ptr() };
        // SAFETY: the tests' words are those of their formats.
        let len = unsafe { lay_out(&site, &mut arguments, readable) };
        let bytes = arguments.payload.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(len.next_multiple_of(8)).collect()
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
        let found = laid_out("%c%d%hd%ld", false, &[0x11, -2_i32 as u64, 3, u64::MAX], all);
        assert_eq!([1, 2, 3].map(|at| word(&found, at)), [0xffff_fffe_0000_0011, 3, u64::MAX]);
        assert_eq!(found.len(), 32);
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
        let found =
            laid_out("%*ph%2phN%*ph", false, &[3, address(bytes), address(bytes), -1_i32 as u64, 8], all);
        let dumps = [8, 12, 16].map(|offset| located(&found, offset));
        assert_eq!(dumps, [&[1, 2, 3][..], &[1, 2], &[]]);
    }
}
