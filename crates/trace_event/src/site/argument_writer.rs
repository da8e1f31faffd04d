//! Laying out the arguments of a printf format as the fields of its event.
//!
//! A program may pass any address as a text: as much of it is read as can be read, see
//! `docs/decisions/007-memory.md`.

use super::argument_code::ArgumentCode;
use super::format_fields::aligned;
use super::program_text::{Readable, len_of_text};
use super::recorded_text::{MARK, RecordedText};
use abi::site::{RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

/// An event of up to so many words that is being laid out. Words are built in registers: bytes that went
/// through memory in other sizes would make the recorder's loads wait for them. So is what is known of it:
/// all that is done for each argument is put together in one function.
struct ArgumentWriter<'a, const MOST: usize> {
    site: &'a RawFormatSite,
    payload: &'a mut [u64; MOST],
    space: TextSpace,
    words: *const u64,
    /// Which word of the fixed part the next field is in.
    index: usize,
    /// That word, as far as it is filled.
    word: u64,
    /// Where the next text or dump goes.
    next: usize,
    /// Where the event ends.
    end: usize,
    /// How much there is of the next text, where the argument before it says so.
    length: Option<i32>,
    /// Whether a text or dump was cut off for want of space.
    is_cut: bool,
    have_lengths: bool,
    readable: Readable,
}

/// An event that was laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaidOutEvent {
    /// Its bytes.
    pub(super) len: usize,
    /// Whether a text or dump was cut off for want of space.
    pub(super) is_cut: bool,
}

/// How much of an event's space a text or dump can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextSpace {
    /// What the site says: the same for each, of the space that sites themselves have. The first that doesn't
    /// fit ends it all.
    Share,
    /// All that those before it have left.
    All,
    /// Of that what leaves as much for each of those after it.
    Fair,
}

/// What is to be laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenArguments<'a> {
    /// Whose arguments.
    pub(super) site: &'a RawFormatSite,
    /// A word for each, and where texts have lengths one for each of these.
    pub(super) words: *const u64,
    /// Whether they have: what the site says.
    pub(super) have_lengths: bool,
    /// How much can be read where an address leads.
    pub(super) readable: Readable,
}

/// Lays out arguments in an event of up to `MOST` words. Compiled for each kind of them that its callers
/// know: of those with lengths nothing is called.
///
/// # Safety
///
/// The site has been registered. There is a word for each argument; if its texts have lengths, there is as
/// much of texts and dumps as is said.
#[inline(always)]
pub(super) unsafe fn lay_out<const MOST: usize>(
    given: GivenArguments<'_>,
    payload: &mut [u64; MOST],
    space: TextSpace,
) -> LaidOutEvent {
    const { assert!(MOST >= WORDS, "the fixed part fits") };
    let GivenArguments { site, words, have_lengths, readable } = given;
    let fixed_end = usize::from(site.fixed_end.load(Relaxed));
    let mut writer = ArgumentWriter {
        site,
        payload,
        space,
        words,
        index: 1,
        word: 0,
        next: aligned(fixed_end, 8),
        end: fixed_end,
        length: None,
        is_cut: false,
        have_lengths,
        readable,
    };
    for (at, code) in site.arguments.iter().enumerate() {
        let Some(code) = ArgumentCode::of(code.load(Relaxed)) else { break };
        // SAFETY: the caller's promise.
        unsafe { writer.put(code, at) };
        if writer.is_cut && space == TextSpace::Share {
            break;
        }
    }
    LaidOutEvent { len: writer.end, is_cut: writer.is_cut }
}

impl<const MOST: usize> ArgumentWriter<'_, MOST> {
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

    /// Puts an argument, which is the one at this index.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put(&mut self, code: ArgumentCode, at: usize) {
        // SAFETY: there is a word for each argument, and for the length of each text that has one; the
        // caller's promise.
        unsafe {
            if code.is_number() {
                let word = self.word();
                self.put_fixed(code.number(word).wrapping_shl(code.shift_of_number()), code);
            } else if code.is_text() {
                self.put_text(code, at);
            } else if code.is_length() {
                self.length = Some(self.word() as i32);
            } else {
                self.put_bytes(code, at);
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, index: usize, word: u64) {
        if let Some(to) = self.payload.get_mut(index) {
            *to = word;
        }
    }

    /// Puts a field, where it is in its word, into the fixed part.
    #[inline(always)]
    fn put_fixed(&mut self, shifted: u64, code: ArgumentCode) {
        let word = self.word | shifted;
        self.store(self.index, word);
        let step = code.words_to_next();
        self.index += step;
        self.word = word & (step as u64).wrapping_sub(1);
    }

    /// Bytes that a text or dump can have, which is the argument at this index.
    #[inline(always)]
    fn share(&mut self, at: usize) -> usize {
        let left = (MOST * 8).saturating_sub(self.next);
        // Not even for a zero byte.
        self.is_cut |= self.space == TextSpace::All && left == 0;
        match self.space {
            TextSpace::Share => usize::from(self.site.share.load(Relaxed)),
            TextSpace::All => left,
            TextSpace::Fair => left.checked_div(1 + self.texts_after(at)).unwrap_or(0) & !7,
        }
    }

    /// How many texts and dumps there are after the argument at this index.
    fn texts_after(&self, at: usize) -> usize {
        let after = self.site.arguments.iter().skip(at + 1);
        let after = after.map_while(|code| ArgumentCode::of(code.load(Relaxed)));
        after.filter(|code| !code.is_number() && !code.is_length()).count()
    }

    /// Puts a text.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put_text(&mut self, code: ArgumentCode, at: usize) {
        // A negative precision is none.
        let most = self.length.take().and_then(|most| usize::try_from(most).ok()).unwrap_or(code.amount());
        let share = self.share(at);
        // SAFETY: the caller's promise.
        let mut text = unsafe { self.text(most, share) };
        let mark = if text.is_cut { MARK.len() } else { 0 };
        self.is_cut |= text.is_cut;
        if text.is_cut {
            if self.space == TextSpace::Share {
                return;
            }
            // SAFETY: a text that is cut off can be read as far as there is space for it.
            text = unsafe { RecordedText::cut(text.bytes, share) };
        }
        // SAFETY: so much can be read, in the program or here.
        unsafe { self.append(code, text.bytes, text.len, mark + 1) };
        if text.is_cut {
            put_mark(self.payload, self.end - MARK.len() - 1);
        }
    }

    /// The next text, of at most so many bytes, of which there is space for `share` with a zero byte. One
    /// that is cut off as it is in the program.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn text(&mut self, most: usize, share: usize) -> RecordedText {
        // SAFETY: the caller's promise.
        unsafe {
            if self.have_lengths {
                let (len, bytes) = (self.word() as usize, self.word() as usize as *const u8);
                let len = len.min(most);
                return RecordedText { bytes, len, is_cut: len >= share };
            }
            let bytes = self.word() as usize as *const u8;
            let wanted = most.min(share);
            match len_of_text(bytes, wanted, self.readable) {
                0 => RecordedText::of_empty(bytes, wanted, self.readable),
                len => RecordedText { bytes, len, is_cut: len >= share },
            }
        }
    }

    /// Puts so many bytes, as far as they can be read.
    ///
    /// # Safety
    ///
    /// As for [`lay_out`].
    #[inline(always)]
    unsafe fn put_bytes(&mut self, code: ArgumentCode, at: usize) {
        let count = match code.is_counted() {
            // SAFETY: the argument before it is a number, which says so.
            true => usize::try_from(unsafe { self.words.sub(1).read() } as i32).unwrap_or(0),
            false => code.amount(),
        };
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.word() } as usize as *const u8;
        let share = self.share(at);
        let wanted = count.min(share);
        self.is_cut |= count > share;
        let count = if self.have_lengths { wanted } else { (self.readable)(bytes, wanted) };
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
        self.put_fixed(place_of(code, start, len + zeros), code);
        // SAFETY: the caller's promise.
        unsafe { copy_bytes(self.payload, start, bytes, (len, zeros)) };
        let next = aligned(end, 8);
        (self.next, self.end) = (next, end);
    }
}

/// The field that says where a text or dump is, and how long, where it is in its word.
#[inline(always)]
pub(super) fn place_of(code: ArgumentCode, start: usize, len: usize) -> u64 {
    ((len as u64) << 16 | start as u64).wrapping_shl(code.shift_of_place())
}

/// Copies so many bytes, and zeros after them, to the word that starts at an offset, as far as it is there.
///
/// # Safety
///
/// The bytes can be read.
#[inline(always)]
pub(super) unsafe fn copy_bytes(
    payload: &mut [u64],
    start: usize,
    bytes: *const u8,
    (len, zeros): (usize, usize),
) {
    let mut store = |index: usize, word: u64| {
        if let Some(to) = payload.get_mut(start / 8 + index) {
            *to = word;
        }
    };
    // SAFETY: the caller's promise; what `at` leaves of the bytes are 8 at least.
    let word_at = |at: usize| unsafe { bytes.add(at).cast::<u64>().read_unaligned() };
    let (whole, rest) = (len / 8, len & 7);
    (0..whole).for_each(|index| store(index, word_at(index * 8)));
    let last = match rest {
        0 => 0,
        // One load that ends where the bytes end, shifted to where the rest starts.
        _ if whole > 0 => word_at(len - 8) >> (64 - 8 * rest as u32),
        // SAFETY: the caller's promise.
        _ => (0..rest).rev().fold(0, |word, at| word << 8 | u64::from(unsafe { bytes.add(at).read() })),
    };
    store(whole, last);
    if rest + zeros > 8 {
        store(whole + 1, 0);
    }
}

/// Puts the mark of a text that was cut off at an offset.
#[inline(never)]
fn put_mark(payload: &mut [u64], offset: usize) {
    let (start, len) = (payload.as_mut_ptr().cast::<u8>(), size_of_val(payload));
    // SAFETY: all of its bytes, which any value may have, and which have no alignment.
    let bytes = unsafe { core::slice::from_raw_parts_mut(start, len) };
    let mark = bytes.get_mut(offset..offset + MARK.len());
    mark.into_iter().flatten().zip(MARK).for_each(|(to, byte)| *to = *byte);
}

#[cfg(test)]
#[path = "argument_writer_tests.rs"]
mod tests;
