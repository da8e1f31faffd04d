//! Probes as words for shared memory, see `compiled.rs`.

use crate::argument::{FetchArgument, FetchSource};
use crate::compiled::{IS_BUILD_ID, IS_RETURN, ProbeKind};
use crate::compiled_argument::{SourceKind, StoredKind, word_of};
use crate::file_identity::FileIdentity;
use crate::machine_register::MachineRegister;
use crate::stored_form::StoredForm;
use std::vec::Vec;

/// A probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The id of its event.
    pub event: u16,
    /// The number of what counts how often it was hit.
    pub counter: u16,
    /// When it is hit.
    pub kind: ProbeKind,
    /// The file that it is in.
    pub file: FileIdentity,
    /// Where it is in that.
    pub offset: u64,
    /// Where the file has a word that says how many trace there; 0 for none.
    pub reference_counter: u64,
    /// What its event records.
    pub arguments: Vec<FetchArgument>,
}

impl Probe {
    /// Bytes of the fixed part of its record, the common fields included.
    pub fn record_size(&self) -> usize {
        let of_one =
            |argument: &FetchArgument| argument.stored.size() * usize::from(argument.count.unwrap_or(1));
        self.kind.record_start() + self.arguments.iter().map(of_one).sum::<usize>()
    }
}

/// The words of probes.
pub fn compile(probes: &[Probe]) -> Vec<u64> {
    let mut words = Vec::new();
    for probe in probes {
        let start = words.len();
        words.push(0);
        words.push(u64::from(probe.event) | u64::from(probe.counter) << 16);
        words.push(probe.offset);
        words.push(probe.reference_counter);
        let (is_build_id, identity) = probe.file.words();
        words.extend(identity);
        let needed = probe.arguments.iter().fold(0, |needed, argument| needed | needed_by(&argument.source));
        words.push(probe.record_size() as u64 | u64::from(needed) << 32);
        probe.arguments.iter().for_each(|argument| compile_argument(argument, &mut words));
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        let flags = flag(IS_RETURN, probe.kind == ProbeKind::Return) | flag(IS_BUILD_ID, is_build_id);
        let len = (words.len() - start) as u64;
        if let Some(word) = words.get_mut(start) {
            *word = len | flags | (probe.arguments.len() as u64) << 48;
        }
    }
    words
}

/// The register that a source needs.
fn needed_by(source: &FetchSource) -> u32 {
    match source {
        FetchSource::Register(register) => register.bit(),
        FetchSource::ReturnValue => MachineRegister::RESULT.bit(),
        FetchSource::Stack | FetchSource::StackWord(_) => MachineRegister::STACK_POINTER.bit(),
        _ => 0,
    }
}

fn compile_argument(argument: &FetchArgument, words: &mut Vec<u64>) {
    let mut text: &[u8] = &[];
    let mut register = 0;
    let (source, value) = match &argument.source {
        FetchSource::Register(known) => {
            register = known.number();
            (SourceKind::Register, 0)
        }
        FetchSource::ReturnValue => {
            register = MachineRegister::RESULT.number();
            (SourceKind::Register, 0)
        }
        FetchSource::Stack => {
            register = MachineRegister::STACK_POINTER.number();
            (SourceKind::Register, 0)
        }
        FetchSource::StackWord(number) => (SourceKind::StackWord, u64::from(*number)),
        FetchSource::Immediate(value) | FetchSource::Address(value) => (SourceKind::Immediate, *value),
        FetchSource::FileOffset(offset) => (SourceKind::FileOffset, *offset),
        FetchSource::Comm => (SourceKind::Comm, 0),
        FetchSource::Text(literal) => {
            text = literal.as_bytes();
            (SourceKind::Text, text.len() as u64)
        }
    };
    let (stored, bytes, left, right) = match argument.stored {
        StoredForm::Integer { bytes } => (StoredKind::Integer, bytes, 0, 0),
        StoredForm::BitField { bytes, left, right } => (StoredKind::BitField, bytes, left, right),
        StoredForm::Text => (StoredKind::Text, 0, 0, 0),
    };
    let dereferences = argument.dereferences.len() as u8;
    let count = argument.count.unwrap_or(0);
    let sizes = bytes | (stored as u8) << 4;
    let head = [source as u8, register, dereferences, sizes, count, left, right, 0];
    words.push(u64::from_le_bytes(head));
    words.push(value);
    words.extend(text.chunks(8).map(word_of));
    words.extend(argument.dereferences.iter().map(|distance| distance.cast_unsigned()));
}
