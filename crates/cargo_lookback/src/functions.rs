//! Which functions a crate has, from LLVM's form of it.

use std::collections::BTreeSet;

/// The crates whose functions get no site: they are compiled into a program where they are generic, and are
/// so many and so small that one would see nothing else. The maps of `std` are those of the last one.
const STANDARD: &[&str] = &["core", "alloc", "std", "hashbrown"];

/// The symbols of functions in a module of LLVM's text that get a site.
pub fn with_site(module: &str) -> BTreeSet<&str> {
    let definitions = module.lines().filter(|line| line.starts_with("define "));
    let own = definitions.filter(|line| !line.contains(" available_externally "));
    own.filter_map(symbol).filter(|symbol| is_wanted(symbol)).collect()
}

/// The name in a line `define TYPE @NAME(` or `define TYPE @"NAME"(`.
fn symbol(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('@')?;
    match rest.strip_prefix('"') {
        Some(rest) => rest.split('"').next(),
        None => rest.split('(').next(),
    }
}

fn is_wanted(symbol: &str) -> bool {
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => !is_standard(&format!("{name:#}")),
        // What the compiler makes itself: C's main, and the way to the allocator.
        Err(_) => symbol != "main" && !symbol.starts_with("__rust") && !symbol.starts_with("rust_eh_"),
    }
}

/// Whether the standard library defines a function with this demangled name: by its path, or because it
/// implements a trait of its own for its own types or for all.
fn is_standard(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('<') else {
        return is_in_standard(name) || name.starts_with("__rustc");
    };
    match rest.split_once(" as ") {
        Some((implementor, of)) => is_in_standard(of) && !is_of_other_crate(implementor),
        None => !is_of_other_crate(rest.split(">::").next().unwrap_or(rest)),
    }
}

fn is_in_standard(path: &str) -> bool {
    let root = path.split("::").next().unwrap_or_default();
    STANDARD.contains(&root.trim_start_matches('<'))
}

/// Whether a type is one of another crate: not a parameter, a primitive or the standard library's.
fn is_of_other_crate(implementor: &str) -> bool {
    let start = implementor.trim_start_matches(['&', '*', '[', '(', '<', ' ']);
    let start = ["mut ", "const ", "dyn "].iter().fold(start, |text, word| text.trim_start_matches(word));
    let path: String = start.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
    path.contains("::") && !is_in_standard(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_and_declarations_are_not() {
        let module = "define internal i32 @_ZN4shop3pay17h0123456789abcdefE(i32 %a) {\n\
                      define hidden void @\"_ZN4shop4sellE\"() {\n\
                      define available_externally void @_ZN4shop5otherE() {\n\
                      declare void @_ZN4shop8declaredE()\n\
                      define i32 @main(i32 %0) {\ndefine void @plugin_start() {\n";
        let expected = ["_ZN4shop3pay17h0123456789abcdefE", "_ZN4shop4sellE", "plugin_start"];
        assert_eq!(with_site(module).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn functions_of_the_standard_library_are_told_from_others() {
        for own in [
            "shop::pay",
            "shop::main::{{closure}}",
            "<shop::Cart as core::fmt::Display>::fmt",
            "<&mut shop::Cart as core::iter::Iterator>::next",
            "<alloc::vec::Vec<T> as shop::Total>::total",
            "<T as shop::Total>::total",
            "<shop::Cart<u8>>::total",
            "corey::f",
        ] {
            assert!(!is_standard(own), "{own}");
        }
        for standard in [
            "core::ptr::drop_in_place<shop::Cart>",
            "alloc::vec::Vec<T,A>::push",
            "<alloc::vec::Vec<u8>>::push",
            "<T as core::convert::Into<U>>::into",
            "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
            "<[T] as core::fmt::Debug>::fmt",
            "core::slice::<impl [T]>::iter",
            "<I as core::iter::traits::collect::IntoIterator>::into_iter",
        ] {
            assert!(is_standard(standard), "{standard}");
        }
    }
}
