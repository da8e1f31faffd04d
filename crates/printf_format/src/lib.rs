//! Formats of printf(3), as tracepoints have them: what they convert, and what they can't.
//!
//! Of the conversions there are those that events have fields for: `%d %i %u %x %X %o %c %s %p`, each with
//! flags, width, precision and length as in C; and the kernel's `%*ph` and `%*phN`, a dump of as many bytes.
//! Not floating-point numbers, wide characters, `%n`, `%m`, and arguments by their position.
//!
//! Everything here can be computed by the compiler, and none of it can panic: the recorder uses it in traced
//! programs.
//!
//! ```
//! use printf_format::{FormatString, Converted, FormatPiece};
//!
//! let mut pieces = FormatString::new("order %08lx of %s").pieces();
//! assert!(matches!(pieces.next(), Some(FormatPiece::Text("order "))));
//! let Some(FormatPiece::Conversion(found)) = pieces.next() else { unreachable!() };
//! assert_eq!((found.kind, found.size), (Converted::Hex, 8));
//! assert_eq!(pieces.count(), 2);
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod conversion;
mod format;
mod unsupported;

pub use conversion::{ArgumentRole, Converted, FormatAmount, FormatConversion};
pub use format::{FormatPiece, FormatPieces, FormatString};
pub use unsupported::Unsupported;
