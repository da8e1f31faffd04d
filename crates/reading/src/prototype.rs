//! What a function is called with, and how it is printed.

use debug_info::{NumberForm, Parameter, ParameterValue, REGISTERS};
use std::io::Write;

/// Appends `NAME=VALUE, NAME=VALUE`.
///
/// As the kernel has it: signed numbers and enumerators are decimal, all others hexadecimal, structures the
/// words that they are made of; `...` stands for what is not in registers.
///
/// Source: `print_function_args` in `kernel/trace/trace_output.c` of Linux 6.18.
pub(crate) fn print(parameters: &[Parameter], registers: &[u64; REGISTERS], out: &mut Vec<u8>) {
    for (index, parameter) in parameters.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        if parameter.value == ParameterValue::OnStack {
            return out.extend_from_slice(b"...");
        }
        if !parameter.name.is_empty() {
            out.extend_from_slice(parameter.name.as_bytes());
            out.push(b'=');
        }
        print_value(&parameter.value, registers, out);
    }
}

fn print_value(value: &ParameterValue, registers: &[u64; REGISTERS], out: &mut Vec<u8>) {
    let get = |register: usize| registers.get(register).copied().unwrap_or(0);
    // Writing into a vector can't fail.
    let _ = match value {
        ParameterValue::Number { register, bytes, form } => {
            let unused = 64 - 8 * (*bytes).clamp(1, 8) as u32;
            let (signed, unsigned) =
                ((get(*register) << unused).cast_signed() >> unused, get(*register) << unused >> unused);
            match form {
                NumberForm::Signed => write!(out, "{signed}"),
                NumberForm::Unsigned => write!(out, "{unsigned}"),
                NumberForm::Hex => write!(out, "0x{unsigned:x}"),
            }
        }
        ParameterValue::Words { kind, registers: words } => {
            let words = words.iter().map(|word| word.map_or("?".into(), |word| format!("0x{:x}", get(word))));
            write!(out, "({kind})[{}]", words.collect::<Vec<_>>().join(":"))
        }
        ParameterValue::Unknown | ParameterValue::OnStack => write!(out, "?"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_size_of_their_type() {
        let number = |name: &str, register, bytes, form| Parameter {
            name: name.to_string(),
            value: ParameterValue::Number { register, bytes, form },
        };
        let words = ParameterValue::Words { kind: "STRUCT", registers: vec![Some(4), None] };
        let parameters = [
            number("count", 0, 4, NumberForm::Signed),
            number("flags", 1, 2, NumberForm::Hex),
            number("", 2, 8, NumberForm::Hex),
            number("state", 3, 1, NumberForm::Unsigned),
            Parameter { name: "point".into(), value: words },
            Parameter { name: "x".into(), value: ParameterValue::Unknown },
            Parameter { name: "y".into(), value: ParameterValue::OnStack },
            Parameter { name: "z".into(), value: ParameterValue::OnStack },
        ];
        let registers = [0x1234_5678_ffff_ffff, 0xffff_0123, 0x7fff_0000_1000, 0x1ff, 5, 6];
        let mut out = Vec::new();
        print(&parameters, &registers, &mut out);
        let expected = "count=-1, flags=0x123, 0x7fff00001000, state=255, point=(STRUCT)[0x5:?], x=?, ...";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
