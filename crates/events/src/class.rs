//! Classes of events, which `@class` selects.

use crate::libc_call::ON_REQUEST;
use crate::{switch, system_call};

/// Whether a class is recorded only where someone asks for it: programs make such calls all the time, or the
/// machine pays for it.
pub const fn is_on_request(class: &str) -> bool {
    let (whole, _) = class.as_bytes().split_at(whole_class(class));
    is_among(&[switch::CLASS, system_call::CLASS, system_call::RAW_CLASS], whole)
        || is_among(ON_REQUEST, whole)
}

/// Bytes of the first part of a class's name, before a colon: that of the class which it is a part of.
const fn whole_class(class: &str) -> usize {
    let mut at = 0;
    while at < class.len() && class.as_bytes()[at] != b':' {
        at += 1;
    }
    at
}

const fn is_among(classes: &[&str], class: &[u8]) -> bool {
    let mut at = 0;
    while at < classes.len() {
        if is_equal(classes[at].as_bytes(), class) {
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
