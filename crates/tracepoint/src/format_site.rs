//! The site of a tracepoint with a format of printf(3).

use crate::format_arguments::{FormatArguments, check_arguments, check_format};
use abi::site::{self, ARGUMENTS, FORMAT_SYSTEM, FORMAT_VERSION};
use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::{null, null_mut};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32};

/// What [`do_trace!`](crate::do_trace) declares.
pub trait Tracepoint {
    /// Its name.
    const NAME: &'static CStr;
    /// Its format.
    const FORMAT: &'static CStr;
}

/// A tracepoint with a format, in the program's source.
#[derive(Debug)]
#[repr(transparent)]
pub struct FormatSite<T>(site::RawFormatSite, PhantomData<T>);

// SAFETY: what is written after it was made is atomic; its pointers are those of `&'static` constants.
unsafe impl<T> Send for FormatSite<T> {}
// SAFETY: what is written after it was made is atomic; what its pointers go to is static.
unsafe impl<T> Sync for FormatSite<T> {}

/// The recorder's function that records an event with these arguments, a word for each. Async-signal-safe.
type WriteFormat = unsafe extern "C" fn(*const site::RawSite, *const u64);

/// What is in the place of that as long as there is no recorder.
///
/// # Safety
///
/// Whatever it is given: it does nothing.
unsafe extern "C" fn nobody(_site: *const site::RawSite, _words: *const u64) {}

const SYSTEM: &CStr = c"ktrace";
const _: () = assert!(SYSTEM.count_bytes() == FORMAT_SYSTEM.len());

/// A format, which is text.
const fn text(format: &CStr) -> &str {
    match format.to_str() {
        Ok(text) => text,
        Err(_) => panic!("a format is text"),
    }
}

/// Says to the compiler that what follows is done seldom: it goes out of the way of what is done otherwise.
#[cold]
#[inline]
const fn recording() {}

impl<T: Tracepoint> FormatSite<T> {
    /// The site of a tracepoint.
    #[allow(clippy::new_without_default, reason = "sites are static")]
    pub const fn new() -> FormatSite<T> {
        let site = site::RawFormatSite {
            site: site::RawSite {
                version: FORMAT_VERSION,
                id: AtomicU32::new(0),
                word: AtomicPtr::new(null_mut()),
                write: AtomicPtr::new(nobody as *const () as *mut c_void),
                system: SYSTEM.as_ptr(),
                name: T::NAME.as_ptr(),
                print: T::FORMAT.as_ptr(),
                fields: null(),
                field_count: check_format(text(T::FORMAT)) as u32,
                texts_have_lengths: 1,
            },
            arguments: [const { AtomicU16::new(0) }; ARGUMENTS],
            fixed_end: AtomicU16::new(0),
            share: AtomicU16::new(0),
        };
        FormatSite(site, PhantomData)
    }

    /// Whether the event is on. A load and a branch in a program that is not recorded, else another load.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        let word = self.0.site.word.load(Acquire);
        // SAFETY: the recorder's word, which is never unmapped.
        let is_enabled = !word.is_null() && unsafe { (*word).load(Relaxed) } != 0;
        if is_enabled {
            recording();
        }
        is_enabled
    }

    /// Records the event, if there is a recorder. That the arguments fit the format is checked when the
    /// program is compiled.
    ///
    /// Async-signal-safe. Cost: that of reading the clock, and some ns.
    // Inlined: the words are where the recorder finds them at once, and take no more of the stack.
    #[inline(always)]
    pub fn record<A: FormatArguments>(&self, arguments: A) {
        const { check_arguments(text(T::FORMAT), &A::CLASSES, A::COUNT) };
        let words = arguments.words();
        // SAFETY: there is a word for each argument of the format, and for each length.
        unsafe { self.write((&raw const words).cast()) }
    }

    /// Hands words over to the recorder, if there is one.
    ///
    /// # Safety
    ///
    /// There is a word for each argument of the format, and one before that of each text, for its length.
    #[cold]
    #[inline(never)]
    unsafe fn write(&self, words: *const u64) {
        // SAFETY: a function of this type is there, from the start or by the recorder.
        let write = unsafe { transmute::<*mut c_void, WriteFormat>(self.0.site.write.load(Acquire)) };
        // SAFETY: the site is one of the recorder's; the words are as the caller promises.
        unsafe { write((&raw const self.0).cast(), words) }
    }
}
