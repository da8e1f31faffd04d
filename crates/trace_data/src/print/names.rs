//! The names that a print format has for the values of fields.

use super::Dialect;
use super::expression::{Binary, Expression, NamedValue};
use super::parse::parse;
use crate::format::Format;

/// Of each field of `format`, the values that have names in its print format, with these: what lines show in
/// place of the number. Empty for a field without, and for all if the print format can't be parsed.
///
/// Parses the print format each time.
pub fn value_names(format: &Format) -> Vec<Vec<(u64, String)>> {
    let mut found = vec![Vec::new(); format.fields.len()];
    if let Ok(parsed) = parse(&format.print_fmt, &format.fields, Dialect::Kernel) {
        parsed.arguments.iter().for_each(|argument| collect(argument, &mut found));
    }
    found
}

/// Of each field of `format`, the names that its print format has for whole values of it: what an
/// enumeration would be. Empty where names are of bits, and for fields without names.
///
/// Parses the print format each time.
pub fn symbol_names(format: &Format) -> Vec<Vec<(u64, String)>> {
    let mut found = vec![Vec::new(); format.fields.len()];
    let parsed = parse(&format.print_fmt, &format.fields, Dialect::Kernel);
    for argument in parsed.iter().flat_map(|parsed| &parsed.arguments) {
        if let Expression::Symbolic { value, names } = argument
            && let Expression::Field(field) = value.uncast()
            && let Some(found) = found.get_mut(*field)
        {
            found.extend(names.iter().map(|NamedValue { value, text }| (*value, text.clone())));
        }
    }
    found
}

fn collect(expression: &Expression, found: &mut [Vec<(u64, String)>]) {
    match expression {
        Expression::Flags { value, names, .. } | Expression::Symbolic { value, names } => {
            if let Some(found) = field(value).and_then(|field| found.get_mut(field)) {
                found.extend(names.iter().map(|NamedValue { value, text }| (*value, text.clone())));
            }
        }
        Expression::Conditional(parts) => parts.iter().for_each(|part| collect(part, found)),
        Expression::Cast(_, value) => collect(value, found),
        _ => {}
    }
}

/// The field that a value is of: the field itself, or some bits of it at their place.
fn field(value: &Expression) -> Option<usize> {
    match value.uncast() {
        Expression::Field(field) => Some(*field),
        Expression::Binary(Binary::And, _, parts) => match &**parts {
            [value, Expression::Number(_)] => field(value),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{symbol_names, value_names};
    use crate::format::Format;

    #[test]
    fn names_are_those_of_the_field_whose_bits_are_shown() {
        let text = "name: demo\nID: 7\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\n\
                    \tfield:int b;\toffset:12;\tsize:4;\tsigned:0;\n\n\
                    print fmt: \"%s%s%s\", \
                    __print_symbolic(REC->b & 3, { 0, \"R\" }, { 1, \"W\" }), \
                    REC->b & ~3 ? __print_flags(REC->b & ~3, \"|\", { 0x40, \"C\" }) : \"\", \
                    __print_symbolic(REC->b >> 4, { 9, \"X\" })\n";
        let names = |text: &str| value_names(&Format::parse("demo", text).unwrap());
        let expected = [(0, "R"), (1, "W"), (0x40, "C")].map(|(value, name)| (value, name.to_string()));
        assert_eq!(names(text), [vec![], expected.to_vec()]);
        assert_eq!(names(&text.replace("REC->b >> 4", "REC->missing")), [vec![], vec![]]);
        let symbols = |text: &str| symbol_names(&Format::parse("demo", text).unwrap());
        assert_eq!(symbols(text), [vec![], vec![]], "each is of some bits");
        let whole = symbols(&text.replace("REC->b >> 4", "REC->a"));
        assert_eq!(whole, [vec![(9, "X".to_string())], vec![]]);
    }
}
