//! Names of systems, events and fields: letters, digits and underscores.

use std::ffi::{CStr, CString};
use tracing_core::Metadata;

/// A name made of `text`, for good.
pub(crate) fn kept(text: &str) -> &'static CStr {
    let name: String =
        text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    // No zero byte is left in it.
    Box::leak(CString::new(name.replace("__", "_")).unwrap_or_default().into_boxed_c_str())
}

/// The name of a callsite's event or span: its own, or its file and line.
pub(crate) fn of(metadata: &Metadata<'_>) -> String {
    if !metadata.name().starts_with("event ") {
        return metadata.name().to_string();
    }
    let file = metadata.file().unwrap_or("event");
    let stem = file.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or(file);
    format!("{stem}_{}", metadata.line().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_identifier_becomes_one() {
        assert_eq!(kept("shop::db"), c"shop_db");
        assert_eq!(kept("http.status-code \u{e9}"), c"http_status_code_");
    }
}
