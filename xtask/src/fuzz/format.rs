//! Damaged `format` files, and records that don't fit them.

use super::damage::{damage, damaged_text};
use super::random::Random;
use super::sample::{FORMAT, PIECES, payload};
use std::hint::black_box;
use trace_data::event::Event;
use trace_data::format::Format;
use trace_data::print::Dialect;
use trace_data::symbols::SymbolTable;

const SYMBOLS: &str = "1000 T start\n2000 T middle\t[demo]\n3000 T end\n";

/// Parses a damaged format and prints a damaged record by it.
pub fn run(random: &mut Random) {
    let text = if random.one_in(4) { FORMAT.to_string() } else { damaged_text(FORMAT, PIECES, random) };
    let symbols = damaged_text(SYMBOLS, PIECES, random);
    let symbols = SymbolTable::parse(&symbols, &symbols);
    let Ok(format) = Format::parse("demo", &text) else { return };
    let dialect = if random.one_in(2) { Dialect::Report } else { Dialect::Kernel };
    let event = Event::new(format, dialect);
    for _ in 0..4 {
        let payload = damaged_payload(random);
        let mut out = Vec::new();
        event.print(&payload, &symbols, &mut out);
        event.print_fields(&payload, &mut out);
        for field in &event.format().fields {
            black_box((field.integer(&payload), field.string(&payload), field.element(&payload, 1)));
        }
    }
}

fn damaged_payload(random: &mut Random) -> Vec<u8> {
    let mut payload = if random.one_in(4) {
        let len = random.below(120);
        random.bytes(len)
    } else {
        payload()
    };
    for _ in 0..random.below(6) {
        let len = payload.len();
        damage(&mut payload, 0..len, random);
    }
    if random.one_in(6) {
        payload.truncate(random.below(payload.len()));
    }
    payload
}
