//! Functions whose code is not changed, as something depends on how they are called or what they are made of.

use crate::function_symbol::FunctionSymbol;

/// Names, sorted: without the underscores that they begin with.
const NAMES: [&str; 42] = [
    // Where they are called from, or the stack as it is there, is what they are for.
    "builtin_return_address",
    "clone",
    "clone3",
    "dl_iterate_phdr",
    "dladdr",
    "dladdr1",
    "dlclose",
    "dlerror",
    "dlinfo",
    "dlmopen",
    "dlopen",
    "dlsym",
    "dlvsym",
    "fentry__",
    "fini",
    "frame_state_for",
    "getcontext",
    "gcc_personality_v0",
    "gxx_personality_v0",
    "init",
    "longjmp",
    "longjmp_chk",
    "makecontext",
    "mcount",
    "restore_rt",
    "rseq_start",
    "rt_sigreturn",
    "setcontext",
    "setjmp",
    "sigaction",
    "siglongjmp",
    "sigreturn",
    "sigsetjmp",
    "start",
    "start_context",
    "start_main",
    "swapcontext",
    "syscall_cancel_arch",
    "tls_get_addr",
    "tlsdesc_dynamic",
    "vfork",
    "xray_entry",
];

/// Names of libc's own for what it also exports.
const INTERNAL: [&[u8]; 2] = [b"GI_", b"libc_"];

/// Whether the code of a function with this name may be changed, as far as the name says: not that of
/// setjmp(3) and vfork(2), which return twice, of those that look at where they are called from, of the
/// unwinder and the dynamic linker, and of what a process starts and handlers end with.
pub(crate) fn may_be_changed(name: &[u8]) -> bool {
    let mut bare = without_underscores(name);
    for prefix in INTERNAL {
        bare = bare.strip_prefix(prefix).map_or(bare, without_underscores);
    }
    let is_part = |prefix: &[u8]| name.starts_with(b"_") && bare.starts_with(prefix);
    let is_named = NAMES.iter().any(|known| known.as_bytes() == bare);
    !is_named
        && !is_part(b"Unwind_")
        && !is_part(b"dl_")
        && !is_part(b"morestack")
        && !is_part(b"register_frame")
}

/// What a file that isn't a runtime has of them: what a process, a program or a library begins and ends with.
const OF_ANY_FILE: [&[u8]; 3] = [b"start", b"init", b"fini"];

/// Whether a file that has a function of this name has code for it that depends on how it is called.
pub(crate) fn is_of_runtime(name: &[u8]) -> bool {
    !may_be_changed(name) && !OF_ANY_FILE.contains(&without_underscores(name))
}

/// Whether a name is of what a compiler has put elsewhere of a function, as it is seldom executed: it is
/// jumped to, and anything may be in flags and below the stack pointer.
pub(crate) fn is_cold_part(name: &[u8]) -> bool {
    const COLD: &[u8] = b".cold";
    name.ends_with(COLD) || name.windows(COLD.len() + 1).any(|part| part == b".cold.")
}

fn without_underscores(name: &[u8]) -> &[u8] {
    let underscores = name.iter().take_while(|byte| **byte == b'_').count();
    name.get(underscores..).unwrap_or_default()
}

/// So many functions of a file are left alone: where there are more, all are. A static program of glibc has
/// some 200.
const MOST: usize = 384;

/// The functions of a file that are left alone, by whichever of their names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeftAlone {
    /// The lower halves of their addresses: what is left alone beyond them because it has the same is in a
    /// file of more than 4 GB.
    starts: [u32; MOST],
    count: usize,
}

impl LeftAlone {
    /// Those among some functions.
    pub(crate) fn among<'a>(functions: impl Iterator<Item = FunctionSymbol<'a>>) -> LeftAlone {
        let mut found = LeftAlone { starts: [0; MOST], count: 0 };
        for function in functions.filter(|function| !may_be_changed(function.name)) {
            if let Some(place) = found.starts.get_mut(found.count) {
                *place = function.start as u32;
            }
            found.count += 1;
        }
        found
    }

    /// Whether the function that begins at an address is one.
    pub(crate) fn contains(&self, start: u64) -> bool {
        self.starts.get(..self.count).is_none_or(|starts| starts.contains(&(start as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_depend_on_their_caller_are_left_alone() {
        let left_alone = [
            "setjmp",
            "__sigsetjmp",
            "__GI__setjmp",
            "__libc_vfork",
            "vfork",
            "__vfork",
            "_Unwind_Resume",
            "dlsym",
            "_start",
        ];
        for name in left_alone.into_iter().chain([
            "__start_context",
            "__morestack",
            "_dl_runtime_resolve_xsave",
            "__tls_get_addr",
        ]) {
            assert!(!may_be_changed(name.as_bytes()), "{name}");
        }
        assert!(is_of_runtime(b"_Unwind_Resume") && !is_of_runtime(b"_init") && !is_of_runtime(b"main"));
        assert!(is_cold_part(b"pay.cold") && is_cold_part(b"pay.cold.1") && !is_cold_part(b"pay.colder"));
        for name in ["main", "malloc", "setjmp_wrapper", "dl_list_add", "Unwind_me", "__libc_malloc", ""] {
            assert!(may_be_changed(name.as_bytes()), "{name}");
        }
    }
}
