//! Events of system calls, whose text the kernel doesn't make by their print format.
//!
//! Source: `print_syscall_enter` and `print_syscall_exit` in `kernel/trace/trace_syscalls.c` of Linux 6.18.

use crate::format::Format;
use std::io::Write;

/// The index of the first argument: the call's number and the common fields precede it.
const FIRST: usize = 5;

/// Appends the text of a call's own event. False, and nothing appended, for any other event.
pub(super) fn print(format: &Format, payload: &[u8], with_types: bool, out: &mut Vec<u8>) -> bool {
    if format.system != "syscalls" {
        return false;
    }
    let value = |index: usize| {
        let field = format.fields.get(index);
        field.and_then(|field| field.integer(payload)).unwrap_or(0).cast_unsigned()
    };
    // Writing into a vector can't fail.
    if let Some(name) = format.name.strip_prefix("sys_exit_") {
        let _ = write!(out, "sys_{name} -> {:#x}", value(FIRST));
        return true;
    }
    let Some(name) = format.name.strip_prefix("sys_enter_") else { return false };
    let _ = write!(out, "sys_{name}(");
    for (index, field) in format.fields.iter().enumerate().skip(FIRST) {
        let comma = if index == FIRST { "" } else { ", " };
        let (type_name, space) = if with_types { (field.type_name.as_str(), " ") } else { ("", "") };
        let _ = match value(index) {
            digit @ ..10 => write!(out, "{comma}{type_name}{space}{}: {digit}", field.name),
            number => write!(out, "{comma}{type_name}{space}{}: {number:#x}", field.name),
        };
    }
    out.push(b')');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> Format {
        let event = events::all().find(|event| event.name == name).unwrap();
        let text = events::format_file(event.name, event.id, event.own_format()).to_string();
        Format::parse(event.system, &text).unwrap()
    }

    fn printed(name: &str, words: &[u64], with_types: bool) -> String {
        let payload: Vec<u8> = [7, 257].iter().chain(words).flat_map(|word| word.to_le_bytes()).collect();
        let mut out = Vec::new();
        assert!(print(&format(name), &payload, with_types, &mut out));
        String::from_utf8(out).unwrap()
    }

    /// As Linux 6.18 has printed these.
    #[test]
    fn text_is_the_kernels() {
        let openat = [0xffff_ff9c, 0x55a7_d630_1ee0, 0x241, 0x1b6];
        assert_eq!(
            printed("sys_enter_openat", &openat, false),
            "sys_openat(dfd: 0xffffff9c, filename: 0x55a7d6301ee0, flags: 0x241, mode: 0x1b6)"
        );
        assert_eq!(
            printed("sys_enter_openat", &openat, true),
            "sys_openat(int dfd: 0xffffff9c, const char * filename: 0x55a7d6301ee0, int flags: 0x241, \
             umode_t mode: 0x1b6)"
        );
        assert_eq!(printed("sys_exit_openat", &[-2_i64 as u64], false), "sys_openat -> 0xfffffffffffffffe");
        assert_eq!(printed("sys_exit_openat", &[3], true), "sys_openat -> 0x3");
        assert_eq!(printed("sys_enter_close", &[0xff], false), "sys_close(fd: 0xff)");
        assert_eq!(printed("sys_enter_close", &[9], true), "sys_close(unsigned int fd: 9)");
        assert_eq!(printed("sys_enter_close", &[10], false), "sys_close(fd: 0xa)");
        assert_eq!(printed("sys_enter_getpid", &[], false), "sys_getpid()");
        assert_eq!(printed("sys_exit_execve", &[0], false), "sys_execve -> 0x0");
    }

    #[test]
    fn other_events_are_left_alone() {
        let mut out = Vec::new();
        assert!(!print(&format("sys_enter"), &[0; 64], false, &mut out));
        assert!(!print(&format("read"), &[0; 64], false, &mut out) && out.is_empty());
    }

    #[test]
    fn a_record_that_is_cut_off_is_printed() {
        let mut out = Vec::new();
        assert!(print(&format("sys_enter_close"), &[0; 12], false, &mut out));
        assert_eq!(out, b"sys_close(fd: 0)");
    }
}
