//! Laying out the arguments of a printf format as the fields of its event.
//!
//! A program may pass any address as a text: as much of it is read as can be read, see
//! `docs/decisions/007-memory.md`.

use super::format_fields::{LOCATION, aligned};
use abi::common;
use abi::site::argument::{BYTES, LENGTH, NUMBER, TEXT, UNBOUNDED};
use abi::site::{Arguments, RawFormatSite, WORDS};
use core::ptr::copy_nonoverlapping;
use core::sync::atomic::Ordering::Relaxed;
use shm::PAGE;

/// Bytes of an event.
const SIZE: usize = WORDS * 8;

/// What stands at the end of a text that was cut off.
const MARK: &[u8] = b"...";

/// What stands for a text at null, as printf(3) has it.
const NULL: &[u8] = b"(null)";

/// What stands for a text that can't be read, as probes have it.
const FAULT: &[u8] = b"(fault)";

/// How many bytes from an address on can be read, up to so many.
type Readable = fn(*const u8, usize) -> usize;

/// An event that is being laid out.
struct ArgumentWriter<'a> {
    bytes: &'a mut [u8; SIZE],
    words: *const u64,
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
    let start = usize::from(site.start.load(Relaxed));
    let payload = &mut arguments.payload.words;
    payload.iter_mut().take(start / 8).for_each(|word| *word = 0);
    let mut writer = ArgumentWriter {
        // SAFETY: all of its bytes, which any value may have, and which have no alignment.
        bytes: unsafe { &mut *(&raw mut *payload).cast() },
        words: arguments.words,
        fixed: common::SIZE,
        next: start,
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

    /// Puts the lower bytes of a word into the fixed part.
    fn put_number(&mut self, word: u64, size: usize) {
        let at = aligned(self.fixed, size);
        let to = self.bytes.get_mut(at..at + size);
        to.into_iter().flatten().zip(word.to_le_bytes()).for_each(|(to, byte)| *to = byte);
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
                let mark = self.bytes.get_mut(self.end - MARK.len() - 1..self.end - 1);
                mark.into_iter().flatten().zip(MARK).for_each(|(to, byte)| *to = *byte);
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

    /// Appends so many bytes and zeros after the fixed part, and where they are to it.
    ///
    /// # Safety
    ///
    /// The bytes can be read.
    unsafe fn append(&mut self, bytes: *const u8, len: usize, zeros: usize) {
        let (start, end) = (self.next, self.next + len + zeros);
        self.put_number(((len + zeros) as u64) << 16 | start as u64, LOCATION);
        if let Some(to) = self.bytes.get_mut(start..start + len) {
            // SAFETY: the caller's promise; so many bytes of the payload, which no program's text is in.
            unsafe { copy_nonoverlapping(bytes, to.as_mut_ptr(), len) };
        }
        let next = aligned(end, 8);
        self.bytes.get_mut(start + len..next).into_iter().flatten().for_each(|byte| *byte = 0);
        (self.next, self.end) = (next, end);
    }
}

/// How long a text is that ends with a zero byte, or where it can't be read any more, or after `most` bytes.
///
/// # Safety
///
/// What `readable` says holds.
unsafe fn len_of_text(text: *const u8, most: usize, readable: Readable) -> usize {
    let mut len = 0;
    while len < most {
        let rest = text.wrapping_add(len);
        let in_page = (PAGE - (rest.addr() & (PAGE - 1))).min(most - len);
        let there = readable(rest, in_page);
        for at in 0..there {
            // SAFETY: it can be read. Volatile: the program may change it.
            if unsafe { rest.add(at).read_volatile() } == 0 {
                return len + at;
            }
        }
        len += there;
        if there < in_page {
            break;
        }
    }
    len
}

/// The last place up to `end` at which no character of UTF-8 is in the middle.
///
/// # Safety
///
/// A byte more than `end` can be read.
unsafe fn end_of_character(text: *const u8, end: usize) -> usize {
    /// What all bytes of a character but its first are in their upper bits.
    const CONTINUES: u8 = 0b10;
    // SAFETY: the caller's promise.
    let continues = |at: &usize| unsafe { text.add(*at).read_volatile() } >> 6 == CONTINUES;
    (end.saturating_sub(3)..=end).rev().find(|at| !continues(at)).unwrap_or(end)
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
