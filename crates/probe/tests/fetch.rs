//! What arguments record, of a processor and memory that are made for it.

use probe::{
    CompiledProbes, FetchArgument, FetchSource, FileIdentity, Machine, MachineRegister, Probe, ProbeKind,
    StoredForm, compile,
};
use proptest::prelude::*;

/// Memory that begins at this address.
const MEMORY: u64 = 0x1000;

/// Registers have their numbers; memory is what it says.
struct Made {
    memory: Vec<u8>,
}

impl Machine for Made {
    fn known_registers(&self) -> u32 {
        !MachineRegister::FLAGS.bit()
    }

    fn register(&self, register: MachineRegister) -> u64 {
        match register.name() {
            "di" => MEMORY,
            "sp" => MEMORY + 16,
            _ => register.number().into(),
        }
    }

    fn load(&self, address: u64, into: &mut [u8]) -> bool {
        let from = address.checked_sub(MEMORY).and_then(|at| self.memory.get(usize::try_from(at).ok()?..));
        let from = from.and_then(|from| from.get(..into.len()));
        from.inspect(|from| into.copy_from_slice(from)).is_some()
    }

    fn load_text(&self, address: u64, into: &mut [u8]) -> Option<usize> {
        let from = self.memory.get(usize::try_from(address.checked_sub(MEMORY)?).ok()?..)?;
        let text = from.split(|byte| *byte == 0).next()?;
        into.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        Some(text.len())
    }

    fn comm(&self) -> [u8; 16] {
        *b"shop\0\0\0\0\0\0\0\0\0\0\0\0"
    }

    fn file_address(&self, offset: u64) -> Option<u64> {
        Some(MEMORY + offset)
    }
}

fn argument(source: FetchSource, dereferences: &[i64], stored: StoredForm) -> FetchArgument {
    FetchArgument { source, dereferences: dereferences.to_vec(), stored, count: None }
}

fn register(name: &str) -> FetchSource {
    FetchSource::Register(MachineRegister::named(name).unwrap())
}

const fn integer(bytes: u8) -> StoredForm {
    StoredForm::Integer { bytes }
}

/// What is recorded of arguments after the fields that all probes have: the numbers, and the rest.
fn fetched(memory: &[u8], arguments: Vec<FetchArgument>) -> (Vec<u8>, Vec<u8>) {
    let file = FileIdentity::Inode { device: 1, inode: 2 };
    let kind = ProbeKind::Entry;
    let probe = Probe { event: 9, counter: 3, kind, file, offset: 4, reference_counter: 0, arguments };
    let fixed = probe.record_size();
    let words = compile(&[probe]);
    let probes = CompiledProbes::new(|index| words.get(index).copied());
    let mut record = [0xee; 256];
    let len = probes.at(0).unwrap().fetch(&Made { memory: memory.to_vec() }, &mut record).unwrap();
    (record[16..fixed].to_vec(), record[fixed..len].to_vec())
}

#[test]
fn registers_the_stack_and_numbers_are_stored_in_their_size() {
    let mut memory = vec![0; 16];
    memory.extend(0x1122_3344_5566_7788_u64.to_le_bytes());
    memory.extend(99_u64.to_le_bytes());
    let arguments = vec![
        argument(register("ax"), &[], integer(8)),
        argument(register("r15"), &[], integer(1)),
        argument(FetchSource::StackWord(1), &[], integer(2)),
        argument(FetchSource::Stack, &[], integer(4)),
        argument(FetchSource::Immediate(u64::MAX), &[], integer(4)),
        argument(FetchSource::FileOffset(24), &[0], integer(1)),
        argument(FetchSource::Address(MEMORY), &[16], StoredForm::BitField { bytes: 4, left: 16, right: 24 }),
    ];
    let expected: Vec<u8> = [
        &0_u64.to_le_bytes()[..],
        &[15, 99, 0],
        &0x1010_u32.to_le_bytes(),
        &[0xff; 4],
        &[99],
        // The second byte of 0x55667788.
        &0x77_u32.to_le_bytes(),
    ]
    .concat();
    assert_eq!(fetched(&memory, arguments), (expected, vec![]));
}

#[test]
fn pointers_are_followed_and_texts_come_after_the_numbers() {
    // A pointer to a text, and one to one that can't be read.
    let mut memory = (MEMORY + 16).to_le_bytes().to_vec();
    memory.extend(1_u64.to_le_bytes());
    memory.extend(b"even\0");
    let text = |source, dereferences: &[i64]| argument(source, dereferences, StoredForm::Text);
    let arguments = vec![
        text(register("di"), &[0, 0]),
        text(register("di"), &[8, 0]),
        text(FetchSource::Comm, &[]),
        text(FetchSource::Text("lit".into()), &[]),
        argument(register("cx"), &[0], integer(4)),
    ];
    let at = |offset: u32, len: u32| (len << 16 | offset).to_le_bytes();
    let expected = [&at(36, 5)[..], &at(41, 8), &at(49, 5), &at(54, 4), &[0; 4]].concat();
    assert_eq!(fetched(&memory, arguments), (expected, b"even\0(fault)\0shop\0lit\0".to_vec()));
}

#[test]
fn arrays_are_of_numbers_one_after_the_other_or_of_pointers_to_texts() {
    let mut memory = (MEMORY + 16).to_le_bytes().to_vec();
    memory.extend((MEMORY + 18).to_le_bytes());
    memory.extend(b"a\0b\0");
    let numbers = FetchArgument { count: Some(3), ..argument(register("di"), &[16], integer(1)) };
    let texts = FetchArgument { count: Some(2), ..argument(register("di"), &[0, 0], StoredForm::Text) };
    let at = |offset: u32, len: u32| (len << 16 | offset).to_le_bytes();
    let expected = [&b"a\0b"[..], &at(27, 2), &at(29, 2)].concat();
    assert_eq!(fetched(&memory, vec![numbers, texts]), (expected, b"a\0b\0".to_vec()));
}

#[test]
fn what_has_no_space_is_cut() {
    let memory = [vec![b'x'; 300], vec![0]].concat();
    let text = argument(register("di"), &[0], StoredForm::Text);
    let (_, texts) = fetched(&memory, vec![text.clone(), text.clone(), text]);
    // 128 bytes of the first, what is left for the second, nothing for the third.
    assert_eq!((texts.len(), texts[128], texts.last()), (256 - 28, 0, Some(&0)));
}

#[test]
fn nothing_is_recorded_of_a_register_that_nobody_knows() {
    let file = FileIdentity::Inode { device: 1, inode: 2 };
    let arguments =
        vec![argument(register("di"), &[], integer(8)), argument(register("flags"), &[], integer(8))];
    let kind = ProbeKind::Return;
    let words =
        compile(&[Probe { event: 9, counter: 3, kind, file, offset: 4, reference_counter: 0, arguments }]);
    let probe = CompiledProbes::new(|index| words.get(index).copied());
    assert_eq!(probe.at(0).unwrap().fetch(&Made { memory: vec![] }, &mut [0; 256]), None);
}

proptest! {
    /// Whatever others have written: it ends, within the record.
    #[test]
    fn any_words_are_read(
        words in prop::collection::vec(prop_oneof![any::<u64>(), 0..0x0200_0000_0040_u64], 0..40)
    ) {
        let probes = CompiledProbes::new(|index| words.get(index).copied());
        for probe in probes.iter() {
            let mut record = [0; 256];
            let len = probe.fetch(&Made { memory: vec![1; 64] }, &mut record);
            prop_assert!(len.is_none_or(|len| len <= 256));
        }
    }
}
