//! Messages, as `printf` makes them.

use crate::{EventBuilder, FieldType, RecordLayout, Site, SitePointer};
use abi::site::WORDS;
use core::fmt::{Arguments, Result, Write};

/// The event of all messages: `ftrace:print`, as in the kernel.
pub static MESSAGES: Site = Site::new(c"ftrace", c"print", None, &[]);

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = "lookback_sites"))]
static ENTRY: SitePointer = SitePointer::new(&MESSAGES);

/// Records a message: an event `ftrace:print`, shown with the function that it comes from. The arguments are
/// those of [`format_args!`](core::format_args), and are looked at only when messages are on. 238 bytes are
/// kept.
///
/// As the kernel's `trace_printk`. Whatever the arguments' own formatting does happens in the program:
/// numbers and texts allocate nothing. Cost: that of formatting. An event of its own
/// ([`trace_event!`](crate::trace_event)) is quicker, and can be filtered by its fields.
///
/// ```
/// tracepoint::trace_printk!("{} of {} done", 3, 7);
/// ```
#[macro_export]
macro_rules! trace_printk {
    ($($argument:tt)*) => {
        if $crate::MESSAGES.is_enabled() {
            $crate::print($crate::here(), ::core::format_args!($($argument)*));
        }
    };
}

/// The address of the code that this is in.
#[inline(always)]
pub fn here() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let address: usize;
        // SAFETY: computes an address.
        unsafe {
            core::arch::asm!("lea {}, [rip]", out(reg) address, options(nomem, nostack, preserves_flags))
        };
        address
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Records a message that comes from the code at `address`.
#[cold]
#[inline(never)]
pub fn print(address: usize, message: Arguments<'_>) {
    let mut text = PrintedText { bytes: [0; MOST], len: 0 };
    // What is too long is cut off.
    let _ = text.write_fmt(message);
    if let Some(end) = text.bytes.get_mut(text.len) {
        *end = b'\n';
    }
    let mut record = EventBuilder::new(const { RecordLayout::of(&[FieldType::unsigned(8)]) });
    record.push::<8>(address as u64);
    record.append_text(text.bytes.get(..text.len + 1).unwrap_or_default());
    MESSAGES.write(&mut record);
}

/// Bytes of a message with the end of its line: what an event has after the address, but the zero byte.
const MOST: usize = WORDS * 8 - 17;

/// A message that is made.
struct PrintedText {
    bytes: [u8; MOST],
    /// Bytes so far, without the end of the line: less than there are.
    len: usize,
}

impl Write for PrintedText {
    fn write_str(&mut self, more: &str) -> Result {
        let space = MOST - 1 - self.len;
        let fits = (0..=more.len().min(space)).rev().find(|at| more.is_char_boundary(*at)).unwrap_or(0);
        for (to, from) in self.bytes.iter_mut().skip(self.len).zip(more.bytes().take(fits)) {
            *to = from;
        }
        self.len += fits;
        if fits == more.len() { Ok(()) } else { Err(core::fmt::Error) }
    }
}
