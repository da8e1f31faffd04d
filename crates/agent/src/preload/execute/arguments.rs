//! What programs are executed with, as one text that a shell would take apart again: `ls -l 'two words'`.

use crate::preload::execute::environment;
use crate::preload::execute::vector::KnownRange;
use crate::preload::memory::stack;
use crate::preload::object::symbols;
use crate::preload::object::tables::SymbolName;
use core::ffi::c_char;

/// The most bytes of it: what the event with the most other fields has space for.
pub(crate) const MOST: usize = 184;

/// What stands at the end where something is left out.
const MORE: &[u8] = b"...";

/// Arguments, copied while they are there: a program that is executed takes the place of this one.
#[derive(Debug)]
pub(crate) struct ArgumentsText {
    bytes: [u8; MOST],
    len: usize,
    most: usize,
    is_cut: bool,
}

impl ArgumentsText {
    /// Copies the arguments that are listed at `array`, as far as they can be read and `most` bytes have
    /// space for them. Null is an empty list.
    pub(crate) fn copy(array: usize, most: usize) -> ArgumentsText {
        ArgumentsText::copy_known(array, most, [KnownRange::default(), KnownRange::default()])
    }

    /// Copies this process's own arguments.
    ///
    /// # Safety
    ///
    /// `array` is what the kernel has put on the stack.
    pub(crate) unsafe fn copy_own(array: usize, most: usize) -> ArgumentsText {
        ArgumentsText::copy_known(array, most, [KnownRange::all(), KnownRange::all()])
    }

    fn copy_known(array: usize, most: usize, [mut places, mut texts]: [KnownRange; 2]) -> ArgumentsText {
        let mut text = ArgumentsText { bytes: [0; MOST], len: 0, most: most.min(MOST), is_cut: false };
        let mut next = array;
        while next != 0 && !text.is_cut {
            if places.reach(next) < size_of::<usize>() {
                text.is_cut = true;
                break;
            }
            // SAFETY: it can be read.
            let argument = unsafe { (next as *const usize).read_unaligned() };
            if argument == 0 {
                break;
            }
            if next != array {
                text.push(b' ');
            }
            text.argument(argument, &mut texts);
            next = next.wrapping_add(size_of::<usize>());
        }
        text.end();
        text
    }

    /// Appends an argument, in quotes if it has anything that means something to a shell.
    fn argument(&mut self, address: usize, known: &mut KnownRange) {
        let mut bytes = TextBytes { address, known: &mut *known, is_unreadable: false };
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte) || byte >= 0x80;
        let mut most = bytes.by_ref().take(self.most).peekable();
        let is_quoted = most.peek().is_none() || !most.all(is_plain);
        if is_quoted {
            self.push(b'\'');
        }
        let mut bytes = TextBytes { address, known, is_unreadable: false };
        for byte in bytes.by_ref().take(self.most + 1) {
            match byte {
                b'\'' => b"'\\''".iter().for_each(|byte| self.push(*byte)),
                byte => self.push(byte),
            }
        }
        self.is_cut |= bytes.is_unreadable;
        if is_quoted {
            self.push(b'\'');
        }
    }

    fn push(&mut self, byte: u8) {
        match self.bytes.get_mut(..self.most).and_then(|bytes| bytes.get_mut(self.len)) {
            Some(to) => {
                *to = byte;
                self.len += 1;
            }
            None => self.is_cut = true,
        }
    }

    fn end(&mut self) {
        if self.is_cut {
            self.len = self.len.min(self.most.saturating_sub(MORE.len()));
            MORE.iter().for_each(|byte| self.push(*byte));
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// The bytes of a text up to its zero byte, or to where it can't be read.
struct TextBytes<'a> {
    address: usize,
    known: &'a mut KnownRange,
    is_unreadable: bool,
}

impl Iterator for TextBytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.is_unreadable = self.known.reach(self.address) == 0;
        if self.is_unreadable {
            return None;
        }
        // SAFETY: it can be read.
        let byte = unsafe { (self.address as *const u8).read() };
        self.address = self.address.wrapping_add(1);
        (byte != 0).then_some(byte)
    }
}

/// This process's arguments, as it starts: where the dynamic linker has them, or where the kernel has put
/// them; null where neither is known.
pub(crate) fn own() -> *const *const c_char {
    const NAME: SymbolName<'_> = SymbolName::new(b"_dl_argv\0");
    match symbols::find_object(NAME) {
        // SAFETY: glibc's variable, of this type.
        Some(found) => unsafe { (found as *const *const *const c_char).read() },
        None => on_first_stack().unwrap_or(core::ptr::null()),
    }
}

/// The arguments before the environment that the process has started with: the kernel has put a null between
/// them, and their number before them. None where the environment is not the kernel's any more.
fn on_first_stack() -> Option<*const *const c_char> {
    let stack = stack::of_first_thread()?;
    let environment = environment::current();
    let word = |before: usize| {
        let place = environment.cast::<usize>().wrapping_sub(before);
        let is_there =
            place.is_aligned() && (&raw const stack).addr() < place.addr() && place.addr() < stack.end;
        // SAFETY: on the first thread's stack, which the caller is on, and before its end.
        is_there.then(|| unsafe { place.read() })
    };
    if word(1)? != 0 {
        return None;
    }
    let mut count = 0;
    while word(count + 2)? != count {
        count += 1;
    }
    Some(environment.wrapping_sub(count + 1))
}
