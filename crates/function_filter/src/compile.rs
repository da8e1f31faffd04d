//! Lists as words for shared memory, see `compiled.rs`.

use crate::compiled::{IS_SET, LISTS, OTHER_OBJECTS, TAKES_IN};
use crate::list::{FunctionList, ListedRule};
use crate::name_hash::name_hash;
use std::vec::Vec;

/// A command: two words that whoever reads it knows the meaning of, and the functions that have it.
pub type CompiledCommand<'a> = ([u64; 2], &'a FunctionList);

/// The words of lists and of commands. The lists are what is traced and what is not; and for the tracer
/// `function_graph` what it begins with, and what it hides.
pub fn compile<'a>(
    lists: [&FunctionList; LISTS],
    commands: impl ExactSizeIterator<Item = CompiledCommand<'a>>,
) -> Vec<u64> {
    let mut words = Vec::new();
    lists.into_iter().for_each(|list| compile_list(list, &mut words));
    words.push(commands.len() as u64);
    for (own, list) in commands {
        words.extend(own);
        compile_list(list, &mut words);
    }
    words
}

fn compile_list(list: &FunctionList, words: &mut Vec<u64>) {
    let hashes = |wanted| {
        let names = list.rules.iter().filter(|listed| listed.takes_in == wanted && listed.is_final);
        let mut hashes: Vec<u64> = names.map(|listed| name_hash(listed.rule.pattern.as_bytes())).collect();
        hashes.sort_unstable();
        hashes
    };
    let (taken_in, left_out) = (hashes(true), hashes(false));
    let patterns: Vec<_> = list.rules.iter().filter(|listed| !listed.is_final).collect();
    words.push((patterns.len() as u64) << 32 | if list.is_empty() { 0 } else { IS_SET });
    words.push((left_out.len() as u64) << 32 | taken_in.len() as u64);
    words.extend(taken_in);
    words.extend(left_out);
    for ListedRule { takes_in, rule, .. } in patterns {
        let (object, is_other) = rule.object_pattern().unwrap_or_default();
        let lens = (rule.pattern.len() as u64) << 8 | (object.len() as u64) << 32;
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        words.push(lens | flag(TAKES_IN, *takes_in) | flag(OTHER_OBJECTS, is_other));
        words.extend(text_words(&rule.pattern));
        words.extend(text_words(object));
    }
}

/// A text, filled up to words with zeros.
fn text_words(text: &str) -> impl Iterator<Item = u64> + use<'_> {
    text.as_bytes().chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    })
}
