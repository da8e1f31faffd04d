//! Functions that lookback can trace, in programs that a plain `cargo build` makes on stable Rust.
//!
//! ```
//! #[lookback::traced]
//! fn pay(order: u64) -> Result<u64, String> {
//!     order.checked_mul(2).ok_or_else(|| "too much".to_string())
//! }
//!
//! struct Cart(Vec<u64>);
//!
//! #[lookback::traced]
//! impl Cart {
//!     fn total(&self) -> u64 {
//!         self.0.iter().sum()
//!     }
//!
//!     #[lookback::notrace]
//!     fn is_empty(&self) -> bool {
//!         self.0.is_empty()
//!     }
//! }
//!
//! # assert!(pay(2) == Ok(4) && Cart(vec![1, 2]).total() == 3 && Cart(vec![]).is_empty());
//! ```
//!
//! `docs/functions.md` says how whole programs are built for tracing, what the sites look like, and what each
//! way costs.

mod function;
mod inside;
mod site;

use proc_macro::TokenStream;
use quote::quote;
use syn::{Error, Item, parse};

/// Makes a function traceable, or all functions of an impl, a trait or a module.
///
/// The function gets a 5-byte nop where its body begins and one where it ends, by whatever way: `return`,
/// `?` or a panic. Nothing is called and nothing is allocated. The function may be generic, unsafe, a method
/// or `extern "C"`, may be inlined (each copy has sites of its own), and may be in a crate that forbids
/// `unsafe`. Of an `async fn` each poll is an entry and an exit. Arguments are dropped after the exit.
///
/// In an impl, a trait or a module, all functions with a body are meant, except `const` and naked ones, those
/// with [`macro@notrace`], and those that are within other functions. Modules in files of their own can't
/// have attributes of this kind on stable Rust: use it inside of them, or `cargo lookback build`.
///
/// In a program that `cargo lookback build` builds, all functions have sites at their entry. There, the
/// attribute only keeps the function from being inlined.
///
/// Elsewhere than on Linux and x86-64, and under Miri, the attribute changes nothing.
///
/// # Errors
///
/// The compiler refuses it on `const` functions, which it may run itself, on naked functions, on functions
/// without a body, and on items that have no functions.
#[proc_macro_attribute]
pub fn traced(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Err(error) = no_arguments("traced", arguments) {
        return error;
    }
    let expanded = parse::<Item>(item).and_then(|mut item| {
        inside::add_sites(&mut item)?;
        Ok(quote!(#item))
    });
    expanded.unwrap_or_else(Error::into_compile_error).into()
}

/// Leaves a function out of the impl, trait or module that is [`macro@traced`], or a module out of a module.
///
/// By itself it changes nothing.
#[proc_macro_attribute]
pub fn notrace(arguments: TokenStream, item: TokenStream) -> TokenStream {
    no_arguments("notrace", arguments).map_or_else(|error| error, |()| item)
}

fn no_arguments(attribute: &str, arguments: TokenStream) -> Result<(), TokenStream> {
    if arguments.is_empty() {
        return Ok(());
    }
    let text = format!("`{attribute}` has no arguments");
    Err(Error::new_spanned(proc_macro2::TokenStream::from(arguments), text).into_compile_error().into())
}
