//! The macro that defines events.

/// Defines events, as the kernel's `TRACE_EVENT`: each is a function that records it.
///
/// ```text
/// trace_event! {
///     [pub] fn SYSTEM:NAME(FIELD: TYPE [as hex | symbolic {..} | flags {..}], ...) [=> "MESSAGE"];
///     ...
/// }
/// ```
///
/// `NAME(...)` records the event if it is on; the arguments are evaluated in any case, so what is expensive
/// is asked for after `NAME::is_enabled()`. The types are in the [crate's documentation](crate#fields).
///
/// The message is what readers print: text in which `{FIELD}` stands for a field, printed as its type asks
/// for. Without one it is `FIELD=value` for each field. Programs that know the kernel's formats print the
/// same (`trace-cmd report`).
///
/// Systems and names are those by which events are enabled: letters, digits and underscores.
///
/// ```
/// tracepoint::trace_event! {
///     /// A request was answered.
///     pub fn web:answered(id: u64, status: u16, path: &str, time_ns: u64) => "{path}: {status}";
/// }
/// answered(1, 404, "/favicon.ico", 1500);
/// ```
///
/// What can't be a field is an error of the compiler's:
///
/// ```compile_fail
/// tracepoint::trace_event! { fn web:answered(body: String); }
/// ```
/// ```compile_fail
/// tracepoint::trace_event! { fn web:answered(id: u64) => "{number}"; }
/// ```
#[macro_export]
macro_rules! trace_event {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $system:ident : $name:ident (
            $(
                $field:ident : $type:ty
                    $(as $how:ident $({ $($value:expr => $label:literal),* $(,)? })?)?
            ),* $(,)?
        ) $(=> $print:literal)?;
    )*) => {$(
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments, reason = "an event has the fields that it has")]
        #[inline(always)]
        $visibility fn $name($($field: $type),*) {
            if $name::is_enabled() {
                $name::record($($field),*);
            }
        }

        $(#[$attribute])*
        #[allow(non_camel_case_types, reason = "the event's name")]
        $visibility enum $name {}

        const _: () = {
            use $crate::{SitePointer, SiteField, RecordLayout, ValueName, EventBuilder, Site, Recordable};

            static SITE: Site = Site::new(
                $crate::trace_event!(@text $system),
                $crate::trace_event!(@text $name),
                $crate::trace_event!(@print [$($print)?] $($field)*),
                const { &[$(SiteField::new(
                    $crate::trace_event!(@text $field),
                    <$crate::trace_event!(@type [$type] $($how)?) as Recordable>::KIND,
                    const { &[$($(
                        $(ValueName::new($value as i64, $crate::trace_event!(@label $label)),)*
                    )?)?] },
                )),*] },
            );

            #[used]
            #[cfg_attr(target_os = "linux", unsafe(link_section = "lookback_sites"))]
            static ENTRY: SitePointer = SitePointer::new(&SITE);

            impl $name {
                /// Whether the event is on: for what is only done to record it.
                #[allow(dead_code, reason = "not everybody asks")]
                #[inline(always)]
                $visibility fn is_enabled() -> bool {
                    SITE.is_enabled()
                }

                #[doc(hidden)]
                #[allow(clippy::too_many_arguments, reason = "an event has the fields that it has")]
                #[cold]
                #[inline(never)]
                fn record($($field: $type),*) {
                    const LAYOUT: RecordLayout = RecordLayout::of(&[
                        $(<$crate::trace_event!(@type [$type] $($how)?) as Recordable>::KIND),*
                    ]);
                    $(let $field = $crate::trace_event!(@value $field $($how)?);)*
                    let mut record = EventBuilder::new(LAYOUT);
                    $(Recordable::fix($field, &mut record);)*
                    $(Recordable::append($field, &mut record);)*
                    SITE.write(&mut record);
                }
            }
        };
    )*};

    (@text $name:ident) => { $crate::trace_event!(@label ::core::stringify!($name)) };
    (@label $text:expr) => {
        match ::core::ffi::CStr::from_bytes_with_nul(::core::concat!($text, "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("a name with a zero byte"),
        }
    };

    (@print [] $($field:ident)*) => { None };
    (@print [$print:literal] $($field:ident)*) => {{
        $crate::check_print($print, &[$(::core::stringify!($field)),*]);
        Some($crate::trace_event!(@label $print))
    }};

    (@type [$type:ty]) => { $type };
    (@type [$type:ty] hex) => { $crate::Hex<$type> };
    (@type [$type:ty] symbolic) => { $crate::Symbolic };
    (@type [$type:ty] flags) => { $crate::Flags };
    (@type [$type:ty] $how:ident) => {
        ::core::compile_error!(::core::concat!(
            "a field can't be `as ", ::core::stringify!($how), "`: expected `as hex`, ",
            "`as symbolic { VALUE => \"NAME\", ... }` or `as flags { BIT => \"NAME\", ... }`"
        ))
    };

    (@value $field:ident) => { $field };
    (@value $field:ident hex) => { $crate::Hex($field) };
    (@value $field:ident symbolic) => { $crate::Symbolic($field as i64) };
    (@value $field:ident flags) => { $crate::Flags($field as u64) };
    (@value $field:ident $how:ident) => { $field };
}
