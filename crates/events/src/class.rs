//! Classes of events, which `@class` selects.

use crate::libc_call::ON_REQUEST;
use crate::switch;

/// Whether a class is recorded only where someone asks for it: programs make such calls all the time, or the
/// machine pays for it.
pub const fn is_on_request(class: &str) -> bool {
    if is_equal(switch::CLASS.as_bytes(), class.as_bytes()) {
        return true;
    }
    let mut at = 0;
    while at < ON_REQUEST.len() {
        if is_equal(ON_REQUEST[at].as_bytes(), class.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
