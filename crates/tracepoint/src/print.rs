//! The message of an event: text with fields in braces.

/// Checks that every `{FIELD}` of a message names one of the fields. Made for constants: what is wrong is an
/// error of the compiler's.
pub const fn check_print(print: &str, names: &[&str]) {
    let bytes = print.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_double = at + 1 < bytes.len() && bytes[at + 1] == bytes[at];
        match bytes[at] {
            b'{' | b'}' if is_double => at += 1,
            b'}' => panic!("the message has a }} without a {{: a brace itself is written twice"),
            b'{' => at = check_field(bytes, at + 1, names),
            0 => panic!("the message has a zero byte"),
            _ => {}
        }
        at += 1;
    }
}

/// Checks the field whose name starts at `start`, and gives where its brace is closed.
const fn check_field(bytes: &[u8], start: usize, names: &[&str]) -> usize {
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'}' {
        end += 1;
    }
    assert!(end < bytes.len(), "the message has a {{ without a }}: a brace itself is written twice");
    let mut index = 0;
    while index < names.len() {
        if is_name(bytes, start, end, names[index].as_bytes()) {
            return end;
        }
        index += 1;
    }
    panic!("the message has a {{FIELD}} that is no field: between the braces is a name, and nothing else")
}

const fn is_name(bytes: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() && start + at < end && bytes[start + at] == name[at] {
        at += 1;
    }
    at == name.len() && start + at == end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_fields_and_may_have_braces() {
        check_print("{id} of {name}, {{literally}} {id}", &["id", "name"]);
        for bad in ["{id", "id}", "{other}", "{}", "{i}", "{id:x}", "zero\0"] {
            let refused = std::panic::catch_unwind(|| check_print(bad, &["id", "name"])).is_err();
            assert!(refused, "{bad:?}");
        }
    }
}
