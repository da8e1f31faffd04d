//! Texts that C keeps pointers to.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::hash::Hash;

/// Texts by what they belong to: each stays where it is until another is asked for in its place.
#[derive(Debug)]
pub(crate) struct TextCache<K>(HashMap<K, CString>);

impl<K> Default for TextCache<K> {
    fn default() -> TextCache<K> {
        TextCache(HashMap::new())
    }
}

impl<K: Hash + Eq> TextCache<K> {
    /// The text as C has it, up to its first zero byte.
    pub(crate) fn keep(&mut self, key: K, text: &[u8]) -> &CStr {
        let kept = self.0.entry(key).or_default();
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        if kept.as_bytes() != text {
            *kept = CString::new(text).unwrap_or_default();
        }
        kept
    }
}
