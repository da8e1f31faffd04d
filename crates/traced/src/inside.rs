//! Which functions are meant: one, or those of an impl, a trait or a module.

use crate::function::{self, Body};
use syn::{Attribute, Error, ImplItem, Item, Meta, Result, Signature, TraitItem};

/// Adds sites to a function, or to all functions that an item has.
pub fn add_sites(item: &mut Item) -> Result<()> {
    match item {
        Item::Fn(function) => {
            if let Some(reason) = refusal(&function.attrs, &function.sig) {
                return Err(Error::new_spanned(&function.sig, reason));
            }
            let body = Body { attributes: &mut function.attrs, block: &mut function.block };
            function::add_sites(body, &function.sig);
            Ok(())
        }
        Item::Impl(_) | Item::Trait(_) => {
            add_to_all(item);
            Ok(())
        }
        Item::Mod(module) if module.content.is_some() => {
            add_to_all(item);
            Ok(())
        }
        Item::Verbatim(tokens) => {
            Err(Error::new_spanned(tokens, "a function without a body can't be traced"))
        }
        other => {
            let text = "`traced` is for functions, and for impls, traits and modules with functions";
            Err(Error::new_spanned(other, text))
        }
    }
}

/// Why a function can't have sites.
fn refusal(attributes: &[Attribute], signature: &Signature) -> Option<&'static str> {
    if signature.constness.is_some() {
        Some("a `const fn` can't be traced: the compiler may run it itself")
    } else if attributes.iter().any(is_naked) {
        Some("a naked function can't be traced: all its instructions are its own")
    } else {
        None
    }
}

/// Adds sites to all functions inside that can have them and have no attribute of ours.
fn add_to_all(item: &mut Item) {
    match item {
        Item::Fn(function) if is_meant(&function.attrs, &function.sig) => {
            let body = Body { attributes: &mut function.attrs, block: &mut function.block };
            function::add_sites(body, &function.sig);
        }
        Item::Impl(block) if !has_own(&block.attrs) => {
            for item in &mut block.items {
                if let ImplItem::Fn(method) = item
                    && is_meant(&method.attrs, &method.sig)
                {
                    let body = Body { attributes: &mut method.attrs, block: &mut method.block };
                    function::add_sites(body, &method.sig);
                }
            }
        }
        Item::Trait(block) if !has_own(&block.attrs) => {
            for item in &mut block.items {
                if let TraitItem::Fn(method) = item
                    && is_meant(&method.attrs, &method.sig)
                    && let Some(block) = &mut method.default
                {
                    function::add_sites(Body { attributes: &mut method.attrs, block }, &method.sig);
                }
            }
        }
        Item::Mod(module) if !has_own(&module.attrs) => {
            module.content.iter_mut().flat_map(|(_, items)| items).for_each(add_to_all);
        }
        _ => {}
    }
}

fn is_meant(attributes: &[Attribute], signature: &Signature) -> bool {
    !has_own(attributes) && refusal(attributes, signature).is_none()
}

/// Whether there is an attribute of this crate, which the compiler comes to later.
fn has_own(attributes: &[Attribute]) -> bool {
    let last = |attribute: &Attribute| attribute.path().segments.last().map(|last| last.ident.to_string());
    attributes.iter().filter_map(last).any(|name| name == "traced" || name == "notrace")
}

fn is_naked(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("unsafe") => list.tokens.to_string() == "naked",
        meta => meta.path().is_ident("naked"),
    }
}
