//! Events of probes, whose text the kernel doesn't make by their print format.
//!
//! Source: `print_uprobe_event` in `kernel/trace/trace_uprobe.c` and `print_type_string` in `trace_probe.c`
//! of Linux 6.18.

use crate::format::Format;
use std::io::Write;

/// The index of the first field that is not common.
const FIRST: usize = 4;

/// What is recorded instead of a string that can't be read, as a print format shows it, and as the kernel
/// does.
const FAULT: (&[u8], &[u8]) = (b"=\"(fault)\"", b"=(fault)");

/// Whether an event is a probe's.
pub(super) fn is_probe(format: &Format) -> bool {
    format.fields.get(FIRST).is_some_and(|field| {
        field.offset == 8 && matches!(field.name.as_str(), "__probe_ip" | "__probe_func")
    })
}

/// Makes what the print format gave, which begins at `start` of `out`, what the kernel prints: addresses in
/// another form, and no quotes where there is no string.
pub(super) fn mend(format: &Format, payload: &[u8], start: usize, out: &mut Vec<u8>) {
    let printed = out.split_off(start);
    let Some(end) = printed.iter().position(|byte| *byte == b')') else { return out.extend(printed) };
    let address = |index: usize| {
        let field = format.fields.get(index);
        field.and_then(|field| field.integer(payload)).unwrap_or(0)
    };
    // Writing into a vector can't fail.
    let _ = match format.fields.get(FIRST).map(|field| field.name.as_str()) {
        Some("__probe_func") => write!(out, "({:#x} <- {:#x})", address(FIRST + 1), address(FIRST)),
        _ => write!(out, "({:#x})", address(FIRST)),
    };
    let mut rest = printed.get(end + 1..).unwrap_or_default();
    while let Some(at) = rest.windows(FAULT.0.len()).position(|part| part == FAULT.0) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(FAULT.1);
        rest = rest.get(at + FAULT.0.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::print::Dialect;

    const COMMON: &str = "\
name: w
ID: 7
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

";

    fn printed(own: &str, payload: &[u8]) -> String {
        let event = Event::new(Format::parse("uprobes", &format!("{COMMON}{own}")).unwrap(), Dialect::Kernel);
        assert!(is_probe(event.format()) && event.print_error().is_none(), "{:?}", event.print_error());
        let mut out = b"w: ".to_vec();
        event.print(payload, &(), &mut out);
        mend(event.format(), payload, 3, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As Linux 6.18 has printed these.
    #[test]
    fn text_is_the_kernels() {
        let fields = "\
\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:s32 a;\toffset:16;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] s;\toffset:20;\tsize:4;\tsigned:1;
\tfield:s64 v[];\toffset:24;\tsize:16;\tsigned:1;
\tfield:u8 by[];\toffset:40;\tsize:2;\tsigned:0;
\tfield:__data_loc char[] bad;\toffset:42;\tsize:4;\tsigned:1;
\tfield:__data_loc char[][2] names;\toffset:46;\tsize:8;\tsigned:1;

print fmt: \"(%lx) a=%d s=\\\"%s\\\" v={%Ld,%Ld} by={0x%x,0x%x} bad=\\\"%s\\\" names={\\\"%s\\\",\\\"%s\\\"}\", \
REC->__probe_ip, REC->a, __get_str(s), REC->v[0], REC->v[1], REC->by[0], REC->by[1], __get_str(bad), \
__get_str(names[0]), __get_str(names[1])
";
        let mut payload = vec![7, 0, 0, 0, 1, 0, 0, 0];
        payload.extend(0x40113e_u64.to_le_bytes());
        payload.extend((-1_i32).to_le_bytes());
        payload.extend((5_u32 << 16 | 54).to_le_bytes());
        payload.extend(10_i64.to_le_bytes());
        payload.extend((-20_i64).to_le_bytes());
        payload.extend([1, 0xfd]);
        payload.extend((8_u32 << 16 | 59).to_le_bytes());
        payload.extend((4_u32 << 16 | 67).to_le_bytes());
        payload.extend((4_u32 << 16 | 71).to_le_bytes());
        payload.extend(b"even\0(fault)\0one\0two\0");
        let expected =
            "w: (0x40113e) a=-1 s=\"even\" v={10,-20} by={0x1,0xfd} bad=(fault) names={\"one\",\"two\"}";
        assert_eq!(printed(fields, &payload), expected);
    }

    #[test]
    fn a_return_has_where_it_leads_in_front() {
        let fields = "\
\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;
\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;
\tfield:s64 ret;\toffset:24;\tsize:8;\tsigned:1;

print fmt: \"(%lx <- %lx) ret=%Ld\", REC->__probe_func, REC->__probe_ret_ip, REC->ret
";
        let mut payload = vec![7, 0, 0, 0, 1, 0, 0, 0];
        for value in [0x40113e_u64, 0x40126e, 3] {
            payload.extend(value.to_le_bytes());
        }
        assert_eq!(printed(fields, &payload), "w: (0x40126e <- 0x40113e) ret=3");
    }
}
