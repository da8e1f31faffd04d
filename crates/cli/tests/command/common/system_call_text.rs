//! The text of system calls' events.

/// The name and the text of a system call's own event, which the kernel prints in a form of its own: the text
/// as trace-cmd prints it, by the print format.
pub(crate) fn system_call(message: &str) -> Option<(String, String)> {
    let message = message.strip_prefix("sys_")?;
    let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if let Some((name, result)) = message.split_once(" -> ").filter(|(name, _)| is_name(name)) {
        return Some((format!("sys_exit_{name}"), result.to_owned()));
    }
    let (name, arguments) = message.strip_suffix(')')?.split_once('(').filter(|(name, _)| is_name(name))?;
    let argument = |argument: &str| {
        let (name, value) = argument.split_once(": ")?;
        let value = u64::from_str_radix(value.trim_start_matches("0x"), 16).ok()?;
        Some(format!("{name}: {value:#010x}"))
    };
    let arguments = arguments.split(", ").filter(|text| !text.is_empty()).map(argument);
    let arguments: Option<Vec<String>> = arguments.collect();
    Some((format!("sys_enter_{name}"), arguments?.join(", ")))
}
