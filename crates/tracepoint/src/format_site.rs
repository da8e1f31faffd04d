//! The site of a tracepoint with a format of printf(3).

use crate::format_arguments::{FormatArguments, WORDS, check_arguments, check_format};
use abi::site::{self, ARGUMENTS, Arguments, FORMAT_SYSTEM, FORMAT_VERSION};
use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::mem::{MaybeUninit, transmute};
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

/// The recorder's function that records an event with these arguments, so many. Async-signal-safe.
type WriteFormat = unsafe extern "C" fn(*const site::RawSite, *mut Arguments, usize);

const SYSTEM: &CStr = c"ktrace";
const _: () = assert!(SYSTEM.count_bytes() == FORMAT_SYSTEM.len());

/// A format, which is text.
const fn text(format: &CStr) -> &str {
    match format.to_str() {
        Ok(text) => text,
        Err(_) => panic!("a format is text"),
    }
}

impl<T: Tracepoint> FormatSite<T> {
    /// The site of a tracepoint.
    #[allow(clippy::new_without_default, reason = "sites are static")]
    pub const fn new() -> FormatSite<T> {
        let site = site::RawFormatSite {
            site: site::RawSite {
                version: FORMAT_VERSION,
                id: AtomicU32::new(0),
                word: AtomicPtr::new(null_mut()),
                write: AtomicPtr::new(null_mut()),
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
        !word.is_null() && unsafe { (*word).load(Relaxed) } != 0
    }

    /// Records the event, if there is a recorder. That the arguments fit the format is checked when the
    /// program is compiled.
    ///
    /// Async-signal-safe. Cost: that of reading the clock, and some ns.
    #[cold]
    #[inline(never)]
    pub fn record<A: FormatArguments>(&self, arguments: A) {
        const { check_arguments(text(T::FORMAT), &A::CLASSES, A::COUNT) };
        if self.0.site.word.load(Acquire).is_null() {
            return;
        }
        let mut words = [const { MaybeUninit::uninit() }; WORDS];
        arguments.put(&mut words, 0);
        let mut space = MaybeUninit::<Arguments>::uninit();
        // SAFETY: a pointer into the space that is written; the payload is the recorder's to fill.
        unsafe { (&raw mut (*space.as_mut_ptr()).words).write(words.as_ptr().cast()) };
        // SAFETY: the recorder has put a function of this type there before it has set `word`.
        let write = unsafe { transmute::<*mut c_void, WriteFormat>(self.0.site.write.load(Relaxed)) };
        // SAFETY: the site is one of the recorder's, and there is a word for each argument of its format.
        unsafe { write((&raw const self.0).cast(), space.as_mut_ptr(), 0) }
    }
}
