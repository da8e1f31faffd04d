//! The text of the tracer `function`, against what a kernel that has it shows of the same records.

use events::EventType;
use events::ftrace::{FUNC_REPEATS, FUNC_REPEATS_ID, FUNCTION, FUNCTION_ID};
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::page::Missed;
use trace_data::print::Dialect;
use trace_data::record::Record;
use trace_data::symbols::{Symbol, SymbolTable, Symbols};
use trace_data::text::{Form, Layout, TextWriter};
use trace_data::threads::ThreadTable;

/// Functions of a kernel, and their arguments.
struct Names(SymbolTable);

impl Symbols for Names {
    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        self.0.symbol(address)
    }

    fn arguments(&self, _function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        let [path, file, ..] = registers;
        out.extend(format!("path={path:#x}, file={file:#x}").bytes());
    }
}

/// A call of `vfs_open` by `path_openat`.
const CALL: [u64; 2] = [0xffff_ffff_8174_a4c4, 0xffff_ffff_8176_6191];

fn shown(layout: Layout, id: u16, time: u64, words: &[u64]) -> Vec<u8> {
    let kallsyms = "ffffffff8174a4c0 T vfs_open\nffffffff8174a5b0 T after\n\
                    ffffffff81765e80 t path_openat\nffffffff81767070 T end\n";
    let event = |event: EventType| {
        let text = events::format_file(event.name, event.id, event.own_format()).to_string();
        Event::new(Format::parse(event.system, &text).unwrap(), Dialect::Kernel)
    };
    let events: EventTable = [event(FUNCTION), event(FUNC_REPEATS)].into_iter().collect();
    let threads = ThreadTable::new(vec![(1419, "cat".to_owned())], Vec::new());
    let names = Names(SymbolTable::parse(kallsyms, ""));
    let mut writer = TextWriter::new(Vec::new(), &events, &threads, &names, layout);
    let common = abi::common::word(id, 0, 0, 1419);
    let payload: Vec<u8> =
        std::iter::once(&common).chain(words).flat_map(|word| word.to_le_bytes()).collect();
    writer.event(&Record { cpu: 0, time, payload: &payload, lost: Missed::None }, None).unwrap();
    writer.finish().unwrap()
}

fn line(layout: Layout, id: u16, time: u64, words: &[u64]) -> String {
    String::from_utf8(shown(layout, id, time, words)).unwrap()
}

#[test]
fn a_call_is_shown_as_the_options_say() {
    let plain = Layout::default();
    let before = "             cat-1419    [000] .....   295.011747: ";
    for (layout, expected) in [
        (plain, format!("{before}vfs_open <-path_openat\n")),
        (
            Layout { symbol_offset: true, ..plain },
            format!("{before}vfs_open+0x4/0xf0 <-path_openat+0x311/0x11f0\n"),
        ),
        (
            Layout { symbol_address: true, ..plain },
            format!("{before}vfs_open <ffffffff8174a4c4> <-path_openat <ffffffff81766191>\n"),
        ),
        (Layout { parent: false, ..plain }, format!("{before}vfs_open\n")),
        (Layout { fields: true, ..plain }, format!("{before}UNKNOWN TYPE 1\n")),
        (Layout { context_info: false, ..plain }, "vfs_open <-path_openat\n".to_owned()),
        (
            Layout { form: Form::Raw, ..plain },
            "1419 0 295011746799 ffffffff8174a4c4 ffffffff81766191\n".to_owned(),
        ),
        (
            Layout { form: Form::Hex, ..plain },
            "0000058b 00000000 00000044b01203ef ffffffff8174a4c4 ffffffff81766191 \n".to_owned(),
        ),
    ] {
        assert_eq!(line(layout, FUNCTION_ID, 295_011_746_799, &CALL), expected, "{layout:?}");
    }
    let bytes = shown(Layout { form: Form::Bin, ..plain }, FUNCTION_ID, 295_011_746_799, &CALL);
    let expected = [
        [0x8b, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
        [0xef, 0x03, 0x12, 0xb0, 0x44, 0x00, 0x00, 0x00],
        [0xc4, 0xa4, 0x74, 0x81, 0xff, 0xff, 0xff, 0xff],
        [0x91, 0x61, 0x76, 0x81, 0xff, 0xff, 0xff, 0xff],
    ];
    assert_eq!(bytes, expected.concat());
}

#[test]
fn arguments_are_shown_where_they_are_recorded() {
    let words = [&CALL[..], &[0xffa0_0000_0066_f9f0, 0xff11_0000_0706_6900, 0, 0, 0, 0]].concat();
    let bare = Layout { context_info: false, ..Layout::default() };
    let found = line(bare, FUNCTION_ID, 1, &words);
    assert_eq!(found, "vfs_open(path=0xffa000000066f9f0, file=0xff11000007066900) <-path_openat\n");
    assert_eq!(line(bare, FUNCTION_ID, 1, &words[..4]), "vfs_open <-path_openat\n");
}

#[test]
fn repeated_calls_are_counted() {
    // 4 of them, the last 786.815048 ms before.
    let delta = 786_815_048_u64;
    let words = [&CALL[..], &[4 | (delta >> 32) << 16 | delta << 32]].concat();
    let time = 670_930_247_000;
    let found = line(Layout::default(), FUNC_REPEATS_ID, time, &words);
    let expected = "             cat-1419    [000] .....   670.930247: \
                    vfs_open <-path_openat (repeats: 4, last_ts:   670.143432)\n";
    assert_eq!(found, expected);
    let raw = Layout { form: Form::Raw, ..Layout::default() };
    let expected = "1419 0 670930247000 18446744071586489540 18446744071586603409 4 786815048\n";
    assert_eq!(line(raw, FUNC_REPEATS_ID, time, &words), expected);
}
