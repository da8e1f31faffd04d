//! What debug information (DWARF) says of a program's functions: what they are called with, where their
//! variables are, and which lines of source they were compiled from.
//!
//! Variables are said in the grammar of the kernel's probes: what is to be fetched at an instruction, and as
//! which type. This doesn't need the program to run.
//!
//! ```no_run
//! use debug_info::{CanonicalFrames, DebugInfo};
//! use object::{Object, ObjectSymbol};
//!
//! // Built with -g: void pay(int count, const struct item *item)
//! let bytes = std::fs::read("shop").unwrap();
//! let file = object::File::parse(bytes.as_slice()).unwrap();
//! let pay = file.symbols().find(|symbol| symbol.name() == Ok("pay")).unwrap();
//! let frames = CanonicalFrames::of(&file);
//! let info = DebugInfo::of(&file, "shop".as_ref(), "shop".as_ref()).unwrap();
//!
//! let scope = info.scope(&frames, pay.address()).unwrap();
//! assert_eq!(scope.fetch("count").unwrap().fetch, "%di:s32");
//! assert_eq!(scope.fetch("item->name:string").unwrap().fetch, "+0(+8(%si)):string");
//! assert!(scope.fetch("itme").unwrap_err().to_string().contains("in scope: item, count"));
//! ```
//!
//! What this crate is not: it places no probe, and it opens no files but those that have the rest of a unit
//! (`-gsplit-dwarf`) and those that have what several files share (`dwz`). What it reads may be damaged: then
//! it finds less.
//!
//! Sources: the DWARF standard, version 5; System V ABI, AMD64 supplement; `tools/perf/util/probe-finder.c`
//! of Linux 6.18 for what a variable is called and which type it has.
#![forbid(unsafe_code)]

mod alternate_file;
mod canonical_frames;
mod debug_file;
mod debug_info;
mod debug_units;
mod die;
mod location;
mod no_variable;
mod parameter;
mod parameter_type;
mod passed_type;
mod placed_unit;
mod recent_files;
mod sections;
mod source_lines;
mod split_files;
mod storage;
mod type_name;
mod unit_functions;
mod value;
mod variable_path;
mod variable_scope;
mod variable_type;

pub use alternate_file::AlternateFile;
pub use canonical_frames::CanonicalFrames;
pub use debug_info::DebugInfo;
pub use no_variable::NoVariable;
pub use parameter::{NumberForm, Parameter, ParameterValue, REGISTERS};
pub use source_lines::{FunctionLines, SourceLine};
pub use variable_scope::{NamedFetch, ScopedVariable, VariableScope};
