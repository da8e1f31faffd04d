//! The macro that records an event with a format of printf(3), as the C header's `DO_TRACE`.

/// Records the event `NAME` of the system `ktrace`, if it is on, as the C header's `DO_TRACE` does: the two
/// are the same event where name and format are.
///
/// ```text
/// do_trace!(NAME, "FORMAT", ARGUMENT, ...)
/// ```
///
/// The arguments are recorded as they are, and shown as printf(3) has them by this format. They are evaluated
/// only where the event is on. A name has one format in a session: another is refused, and reported.
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
