//! Laying out the arguments of a printf format as the fields of its event.
//!
//! A program may pass any address as a text: as much of it is read as can be read, see
//! `docs/decisions/007-memory.md`.

use super::argument_code::ArgumentCode;
use super::format_fields::aligned;
use super::program_text::Readable;
use super::recorded_text::{MARK, RecordedText};
use abi::site::{Arguments, RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

/// Bytes of an event.
const SIZE: usize = WORDS * 8;

/// An event that is being laid out. Words are built in registers: bytes that went through memory in other
/// sizes would make the recorder's loads wait for them. So is what is known of it: all that is done for each
/// argument is put together in one function.
struct ArgumentWriter<'a> {
    site: &'a RawFormatSite,
    payload: &'a mut [u64; WORDS],
    words: *const u64,
    /// Which word of the fixed part the next field is in.
    index: usize,
    /// That word, as far as it is filled.
    word: u64,
    /// Where the next text or dump goes.
    next: usize,
    /// Where the event ends.
    end: usize,
    /// How much there is of the next argument, where the one before it says so.
    length: Option<i32>,
    /// How much can be read where an address leads.
    readable: Readable,
}

/// Lays out the arguments of a site, and gives the bytes of the event.
///
/// # Safety
///
/// The site has been registered. There is a word for each argument; if its texts have lengths, there is as
/// much of texts and dumps as is said.
#[inline]
pub(super) unsafe fn lay_out(site: &RawFormatSite, arguments: &mut Arguments, readable: Readable) -> usize {
    let fixed_end = usize::from(site.fixed_end.load(Relaxed));
    let mut writer = ArgumentWriter {
        site,
        payload: &mut arguments.payload.words,
        words: arguments.words,
        index: 1,
        word: 0,
        next: aligned(fixed_end, 8),
        end: fixed_end,
        length: None,
        readable,
    };
    for code in &site.arguments {
        let Some(code) = ArgumentCode::of(code.load(Relaxed)) else { break };
        // SAFETY: the caller's promise.
        unsafe { writer.put(code) };
    }
    writer.end
}

impl ArgumentWriter<'_> {
    /// The next word.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let word = self.words.read();
            self.words = self.words.add(1);
            word
        }
    }

    /// Puts an argument.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put(&mut self, code: ArgumentCode) {
        // SAFETY: there is a word for each argument, and for the length of each text that has one; the
        // caller's promise.
        unsafe {
            if code.is_number() {
                let word = self.word();
                self.put_fixed(code.number(word), code);
            } else if code.is_text() {
                self.put_text(code);
            } else if code.is_length() {
                self.length = Some(self.word() as i32);
            } else {
                self.put_bytes(code);
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, index: usize, word: u64) {
        if let Some(to) = self.payload.get_mut(index) {
            *to = word;
        }
    }

    /// Puts what is no longer than its field into the fixed part.
    #[inline(always)]
    fn put_fixed(&mut self, value: u64, code: ArgumentCode) {
        let word = self.word | value.wrapping_shl(code.shift());
        self.store(self.index, word);
        let step = code.words_to_next();
        self.index += step;
        self.word = word & (step as u64).wrapping_sub(1);
    }

    /// Bytes that each text or dump can have.
    #[inline(always)]
    fn share(&self) -> usize {
        usize::from(self.site.share.load(Relaxed))
    }

    /// Puts a text.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put_text(&mut self, code: ArgumentCode) {
        // A negative precision is none.
        let most = self.length.take().and_then(|most| usize::try_from(most).ok()).unwrap_or(code.amount());
        let share = self.share();
        // SAFETY: the caller's promise.
        let text = unsafe {
            match self.site.site.texts_have_lengths {
                0 => RecordedText::read(self.word() as usize as *const u8, most, share, self.readable),
                _ => {
                    let (len, bytes) = (self.word() as usize, self.word() as usize as *const u8);
                    let len = len.min(most);
                    if len < share {
                        RecordedText { bytes, len, is_cut: false }
                    } else {
                        RecordedText::cut(bytes, share)
                    }
                }
            }
        };
        let mark = if text.is_cut { MARK.len() } else { 0 };
        // SAFETY: so much can be read, in the program or here.
        unsafe { self.append(code, text.bytes, text.len, mark + 1) };
        if text.is_cut {
            put_mark(self.payload, self.end - MARK.len() - 1);
        }
    }

    /// Puts so many bytes, as far as they can be read.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put_bytes(&mut self, code: ArgumentCode) {
        let count = self.length.take().map(|count| usize::try_from(count).unwrap_or(0));
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.word() } as usize as *const u8;
        let wanted = count.unwrap_or(code.amount()).min(self.share());
        let count = match self.site.site.texts_have_lengths {
            0 => (self.readable)(bytes, wanted),
            _ => wanted,
        };
        // SAFETY: they can be read.
        unsafe { self.append(code, bytes, count, 0) }
    }

    /// Appends so many bytes and zeros after the fixed part, and where they are to it.
    ///
    /// # Safety
    ///
    /// The bytes can be read.
    #[inline(always)]
    unsafe fn append(&mut self, code: ArgumentCode, bytes: *const u8, len: usize, zeros: usize) {
        let (start, end) = (self.next, self.next + len + zeros);
        self.put_fixed(((len + zeros) as u64) << 16 | start as u64, code);
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

/// Puts the mark of a text that was cut off at an offset.
#[inline(never)]
fn put_mark(payload: &mut [u64; WORDS], offset: usize) {
    // SAFETY: all of its bytes, which any value may have, and which have no alignment.
    let bytes: &mut [u8; SIZE] = unsafe { &mut *(&raw mut *payload).cast() };
    let mark = bytes.get_mut(offset..offset + MARK.len());
    mark.into_iter().flatten().zip(MARK).for_each(|(to, byte)| *to = *byte);
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
            arguments: fields.words().map(AtomicU16::new),
            fixed_end: AtomicU16::new(fields.fixed_end),
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
        let found =
            laid_out("%*ph%2phN%*ph", false, &[3, address(bytes), address(bytes), -1_i32 as u64, 8], all);
        let dumps = [8, 12, 16].map(|offset| located(&found, offset));
        assert_eq!(dumps, [&[1, 2, 3][..], &[1, 2], &[]]);
    }
}
