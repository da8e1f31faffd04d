//! Sites: places in a program's code that its compiler has left for tracing, and the functions that they
//! belong to.
//!
//! They are read from the bytes of an ELF file, by commands that list them and by traced processes that patch
//! them: so the two agree on the functions and their names.
//!
//! | built with | section | what lies at the site |
//! |---|---|---|
//! | `-fpatchable-function-entry=N[,M]` | `__patchable_function_entries` | N bytes of nops |
//! | `-pg -mrecord-mcount` | `__mcount_loc` | a call of `mcount` or `__fentry__`, or with `-mnop-mcount` a nop |
//! | `-pg` | none: by what they call | a call of `mcount` or `__fentry__` |
//! | clang `-fxray-instrument` | `xray_instr_map` | a jump over nine bytes |
//! | `#[lookback::traced]` | `lookback_functions` | a nop where a body begins, and one where it ends |
//!
//! ```
//! use function_sites::ObjectFile;
//!
//! let this_program = std::fs::read("/proc/self/exe").unwrap();
//! let file = ObjectFile::parse(&this_program).unwrap();
//! // It was built without any.
//! assert_eq!(file.sites().count(), 0);
//! assert!(file.functions().any(|function| function.name == b"main"));
//! assert!(ObjectFile::parse(b"no ELF file").is_none());
//! ```
//!
//! What this crate is not: it patches nothing (that is `text_poke`), it says nothing of which functions are
//! wanted, and it opens no file. It allocates nothing and makes no system call. What
//! it reads may be damaged: then it finds less.
//!
//! Sources: GCC's and clang's manuals for the options; `kernel/trace/ftrace.c` of Linux 6.18 for the
//! sections' use.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod address_name;
mod byte_reader;
mod debug_file;
mod file_offset;
mod frame_index;
mod frame_program;
mod function_frames;
mod function_gap;
mod function_symbol;
mod go_functions;
mod heap_sort;
mod left_alone;
mod location;
mod name_oddness;
mod near;
mod object_file;
mod profiled_calls;
mod site;
mod sled;
mod source_path;
mod symbol_table;
mod system_calls;
mod traced_section;
mod unnamed_functions;
mod usdt_site;

pub use address_name::AddressName;
pub use debug_file::find_debug_file;
pub use frame_program::{FrameBase, ReturnAddress};
pub use function_frames::{FrameIndexEntry, sort_frames};
pub use function_gap::FunctionGap;
pub use function_symbol::FunctionSymbol;
pub use heap_sort::{exchange, heap_sort};
pub use location::{SiteLocation, SiteLocator, SitePlace, Unlocated};
pub use name_oddness::oddness;
pub use near::partition_point_near;
pub use object_file::ObjectFile;
pub use site::{FunctionSite, SiteKind};
pub use source_path::SourcePath;
pub use usdt_site::UsdtSite;
