//! Tracepoints with a format of printf(3), as the C header's `DO_TRACE`.

use crate::format_arguments::{FormatArguments, WORDS, check_arguments, check_format};
use abi::site::{self, ARGUMENTS, Arguments, FORMAT_SYSTEM, FORMAT_VERSION};
use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::mem::{MaybeUninit, transmute};
use core::ptr::{null, null_mut};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32};

/// Records the event `NAME` of the system `ktrace`, if it is on, as the C header's `DO_TRACE` does: the two are
/// the same event where name and format are.
///
/// ```text
/// do_trace!(NAME, "FORMAT", ARGUMENT, ...)
/// ```
///
/// The arguments are recorded as they are, and shown as printf(3) has them by this format. They are evaluated
/// only where the event is on. A name has one format in a session: another is refused, and told.
///
/// | conversion | argument |
/// |---|---|
/// | `%d %u %x %X %o`, with `h` or `hh` or not; `*` | an integer of up to 32 bits, or a `bool` |
/// | the same with `l`, `ll`, `z`, `j` or `t` | `i64`, `u64`, `isize`, `usize` |
/// | `%c` | `u8` |
/// | `%s`, also `%.*s` | `&str` or `&CStr` |
/// | `%p` | `*const T` or `*mut T` |
/// | `%*ph`, `%*phN`: a dump | `&[u8]` |
///
/// ```
/// let (id, customer) = (7, "Ada");
/// tracepoint::do_trace!(order_done, "order %d of %s is done", id, customer);
/// ```
///
/// What doesn't fit the format is an error of the compiler's:
///
/// ```compile_fail
/// tracepoint::do_trace!(order_done, "order %d is done", "seven");
/// ```
/// ```compile_fail
/// tracepoint::do_trace!(order_done, "order %ld is done", 7i32);
/// ```
/// ```compile_fail
/// tracepoint::do_trace!(order_done, "order %d of %s is done", 7);
/// ```
/// ```compile_fail
/// tracepoint::do_trace!(order_done, "%f is done", 7);
/// ```
#[macro_export]
macro_rules! do_trace {
    ($name:ident, $format:literal $(, $argument:expr)* $(,)?) => {{
        enum Declared {}

        impl $crate::Tracepoint for Declared {
            const NAME: &'static ::core::ffi::CStr = $crate::trace_event!(@text $name);
            const FORMAT: &'static ::core::ffi::CStr = $crate::trace_event!(@label $format);
        }

        static SITE: $crate::FormatSite<Declared> = $crate::FormatSite::new();

        #[used]
        #[cfg_attr(target_os = "linux", unsafe(link_section = "lookback_sites"))]
        static ENTRY: $crate::SitePointer = $crate::SitePointer::with_format(&SITE);

        if SITE.is_enabled() {
            SITE.record($crate::do_trace!(@list $($argument,)*));
        }
    }};

    (@list) => { () };
    (@list $first:expr, $($argument:expr,)*) => { ($first, $crate::do_trace!(@list $($argument,)*)) };
}

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
type Write = unsafe extern "C" fn(*const site::RawSite, *mut Arguments, usize);

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
            start: AtomicU16::new(0),
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
        let write = unsafe { transmute::<*mut c_void, Write>(self.0.site.write.load(Relaxed)) };
        // SAFETY: the site is one of the recorder's, and there is a word for each argument of its format.
        unsafe { write((&raw const self.0).cast(), space.as_mut_ptr(), 0) }
    }
}
