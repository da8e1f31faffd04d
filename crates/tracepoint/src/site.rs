//! An event in the program's source.

use crate::{EventBuilder, SiteField};
use abi::site::{self, Payload, VERSION};
use core::ffi::CStr;
use core::mem::transmute;
use core::ptr::{null, null_mut};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU32};

/// An event that the program can record. [`trace_event!`](crate::trace_event) makes them; who learns of
/// events only while the program runs makes them by hand, and [registers](crate::register) them.
#[derive(Debug)]
#[repr(transparent)]
pub struct Site(site::RawSite);

// SAFETY: what is written after it was made is atomic; its pointers are those of `&'static` arguments.
unsafe impl Send for Site {}
// SAFETY: what is written after it was made is atomic; what its pointers go to is static.
unsafe impl Sync for Site {}

/// The recorder's function that records an event of so many bytes, the common fields included. It fills in
/// the first word. Async-signal-safe.
type Write = unsafe extern "C" fn(*const site::RawSite, *mut Payload, usize);

impl Site {
    /// A site of the event `system`:`name`. `print` is its message, see [`trace_event!`](crate::trace_event).
    pub const fn new(
        system: &'static CStr,
        name: &'static CStr,
        print: Option<&'static CStr>,
        fields: &'static [SiteField],
    ) -> Site {
        assert!(fields.len() <= site::FIELDS, "an event can have 32 fields");
        Site(site::RawSite {
            version: VERSION,
            id: AtomicU32::new(0),
            word: AtomicPtr::new(null_mut()),
            write: AtomicPtr::new(null_mut()),
            system: system.as_ptr(),
            name: name.as_ptr(),
            print: match print {
                Some(print) => print.as_ptr(),
                None => null(),
            },
            fields: fields.as_ptr().cast(),
            field_count: fields.len() as u32,
            texts_have_lengths: 0,
        })
    }

    /// Whether the event is on. A load and a branch in a program that is not recorded, else another load.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        let word = self.0.word.load(Acquire);
        // SAFETY: the recorder's word, which is never unmapped.
        !word.is_null() && unsafe { (*word).load(Relaxed) } != 0
    }

    /// Whether the site is registered: whether there is a recorder that knows it.
    pub fn is_registered(&self) -> bool {
        !self.0.word.load(Acquire).is_null()
    }

    /// Records the event, if there is a recorder. The fields are those of `record`, in the site's order.
    ///
    /// Async-signal-safe. Cost: that of reading the clock, and some ns.
    #[inline(always)]
    pub fn write(&self, record: &mut EventBuilder) {
        if !self.is_registered() {
            return;
        }
        // SAFETY: the recorder has put a function of this type there before it has set `word`.
        let write = unsafe { transmute::<*mut core::ffi::c_void, Write>(self.0.write.load(Relaxed)) };
        let (payload, len) = record.finish();
        // SAFETY: the site is one of the recorder's, and the record keeps to the layout.
        unsafe { write(&raw const self.0, payload, len) }
    }
}
