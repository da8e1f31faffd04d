//! What becomes of one function.

use crate::site;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, ReturnType, Signature, Type, parse_quote};

/// What of a function changes.
pub struct Body<'a> {
    pub attributes: &'a mut Vec<Attribute>,
    pub block: &'a mut Block,
}

/// What `cargo lookback` says to the compiler it runs: that it adds the sites itself.
const SITES_AT_ENTRIES: &str = "LOOKBACK_SITES_AT_ENTRIES";

/// Gives a function its sites.
pub fn add_sites(function: Body<'_>, signature: &Signature) {
    if std::env::var_os(SITES_AT_ENTRIES).is_some() {
        function.attributes.retain(|attribute| !attribute.path().is_ident("inline"));
        function.attributes.push(parse_quote!(#[inline(never)]));
    } else if signature.asyncness.is_some() {
        *function.block = polls(function.block, signature);
    } else {
        let (name, guard) = (site::name(), site::guard());
        function.block.stmts.insert(0, parse_quote!(let __lookback_exit = { #name #guard };));
    }
}

/// The body of an async function, each poll of which has an entry and an exit.
fn polls(block: &Block, signature: &Signature) -> Block {
    let (hint, name, guard) = (return_hint(&signature.output), site::name(), site::guard());
    parse_quote!({
        let mut __lookback_body = ::core::pin::pin!(async move {
            #hint
            #block
        });
        {
            // Out of the closure, so that the name is that of the function's own polls.
            #name
            ::core::future::poll_fn(move |__lookback_context| {
                let __lookback_exit = #guard;
                ::core::future::Future::poll(__lookback_body.as_mut(), __lookback_context)
            })
        }
        .await
    })
}

/// A return that is never reached: by it the compiler knows the type of an async block, as it does of a
/// function.
fn return_hint(output: &ReturnType) -> TokenStream {
    let ReturnType::Type(_, output) = output else { return TokenStream::new() };
    let mut output = output.clone();
    if matches!(*output, Type::Never(_)) {
        return TokenStream::new();
    }
    Inferred.visit_type_mut(&mut output);
    quote!(
        #[allow(unreachable_code, clippy::all)]
        if false {
            let __lookback_output: #output = loop {};
            return __lookback_output;
        }
    )
}

/// Leaves types to be inferred that have no name: `impl Trait`.
struct Inferred;

impl VisitMut for Inferred {
    fn visit_type_mut(&mut self, found: &mut Type) {
        if matches!(found, Type::ImplTrait(_)) {
            *found = parse_quote!(_);
        }
        visit_mut::visit_type_mut(self, found);
    }
}
