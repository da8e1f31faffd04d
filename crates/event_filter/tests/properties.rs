//! Random filters, programs and records.

use event_filter::word::MAX_WORDS;
use event_filter::{Filter, FilterField, Here, evaluate, verify};
use proptest::collection::vec;
use proptest::prelude::*;

const FIELDS: [FilterField<'static>; 6] = [
    FilterField { name: "common_pid", type_name: "int", offset: 4, size: 4, signed: true, names: &[] },
    FilterField { name: "byte", type_name: "u8", offset: 8, size: 1, signed: false, names: &[] },
    FilterField { name: "word", type_name: "short", offset: 10, size: 2, signed: true, names: &[] },
    FilterField { name: "name", type_name: "char[8]", offset: 12, size: 8, signed: false, names: &[] },
    FilterField {
        name: "path",
        type_name: "__data_loc char[]",
        offset: 20,
        size: 4,
        signed: false,
        names: &[],
    },
    FilterField { name: "long", type_name: "unsigned long", offset: 24, size: 8, signed: false, names: &[] },
];

/// A record in the layout of [`FIELDS`].
#[derive(Debug, Clone)]
struct Values {
    pid: i32,
    byte: u8,
    word: i16,
    long: u64,
    name: String,
    path: String,
    cpu: u32,
    comm: String,
}

impl Values {
    fn record(&self) -> Vec<u8> {
        let mut record = vec![0; 32];
        record[4..8].copy_from_slice(&self.pid.to_le_bytes());
        record[8] = self.byte;
        record[10..12].copy_from_slice(&self.word.to_le_bytes());
        record[12..12 + self.name.len()].copy_from_slice(self.name.as_bytes());
        let location = (self.path.len() as u32 + 1) << 16 | 32;
        record[20..24].copy_from_slice(&location.to_le_bytes());
        record[24..32].copy_from_slice(&self.long.to_le_bytes());
        record.extend(self.path.as_bytes());
        record.push(0);
        record
    }
}

fn values() -> impl Strategy<Value = Values> {
    let numbers = (-3..4i32, 0..5u8, -3..4i16, 0..6u64, 0..4u32);
    (numbers, "[ab/]{0,8}", "[ab/]{0,5}", "[ab]{0,3}").prop_map(
        |((pid, byte, word, long, cpu), name, path, comm)| Values {
            pid,
            byte,
            word,
            long,
            name,
            path,
            cpu,
            comm,
        },
    )
}

/// A filter as a tree, apart from the crate's own.
#[derive(Debug, Clone)]
enum Tree {
    Number(&'static str, &'static str, i64),
    Text(&'static str, &'static str, String),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
}

impl Tree {
    /// With all parentheses, or with those alone that are needed.
    fn text(&self, all: bool) -> String {
        let inner = |tree: &Tree, needed: bool| {
            let text = tree.text(all);
            if all || needed { format!("({text})") } else { text }
        };
        let is_joined = |tree: &Tree| matches!(tree, Tree::And(..) | Tree::Or(..));
        match self {
            Tree::Number(field, operator, value) => format!("{field} {operator} {value}"),
            Tree::Text(field, operator, value) => format!("{field}{operator}\"{value}\""),
            Tree::Not(tree) => format!("!{}", inner(tree, is_joined(tree))),
            Tree::And(one, two) => {
                let is_or = |tree: &Tree| matches!(tree, Tree::Or(..));
                format!("{} && {}", inner(one, is_or(one)), inner(two, is_or(two)))
            }
            Tree::Or(one, two) => format!("{} || {}", inner(one, false), inner(two, false)),
        }
    }

    fn is_true(&self, values: &Values) -> bool {
        match self {
            Tree::Number(field, operator, value) => {
                let found = match *field {
                    "common_pid" => i64::from(values.pid),
                    "byte" => i64::from(values.byte),
                    "word" => i64::from(values.word),
                    "CPU" => i64::from(values.cpu),
                    _ => values.long as i64,
                };
                match *operator {
                    "==" => found == *value,
                    "!=" => found != *value,
                    "<" => found < *value,
                    "<=" => found <= *value,
                    ">" => found > *value,
                    ">=" => found >= *value,
                    _ => *field != "CPU" && found & *value != 0,
                }
            }
            Tree::Text(field, operator, value) => {
                let found = match *field {
                    "name" => &values.name,
                    "path" => &values.path,
                    _ => &values.comm,
                };
                match *operator {
                    "==" => found == value,
                    "!=" => found != value,
                    _ => like(value.as_bytes(), found.as_bytes()),
                }
            }
            Tree::Not(tree) => !tree.is_true(values),
            Tree::And(one, two) => one.is_true(values) && two.is_true(values),
            Tree::Or(one, two) => one.is_true(values) || two.is_true(values),
        }
    }
}

fn like(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|skip| like(rest, &text[skip..])),
        [b'?', rest @ ..] => !text.is_empty() && like(rest, &text[1..]),
        [letter, rest @ ..] => text.first() == Some(letter) && like(rest, &text[1..]),
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">=", "&"]);
    let signed = (prop::sample::select(vec!["common_pid", "word", "CPU"]), operator.clone(), -3..4i64);
    let unsigned = (prop::sample::select(vec!["byte", "long"]), operator, 0..6i64);
    let place = prop::sample::select(vec!["name", "path", "COMM", "comm"]);
    let text = (place, prop::sample::select(vec!["==", "!=", "~"]), "[ab/*?]{0,6}");
    let leaf = prop_oneof![
        signed.prop_map(|(field, operator, value)| Tree::Number(field, operator, value)),
        unsigned.prop_map(|(field, operator, value)| Tree::Number(field, operator, value)),
        text.prop_map(|(field, operator, value)| Tree::Text(field, operator, value)),
    ];
    leaf.prop_recursive(6, 64, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|tree| Tree::Not(tree.into())),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| Tree::And(one.into(), two.into())),
            (inner.clone(), inner).prop_map(|(one, two)| Tree::Or(one.into(), two.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_program_says_what_its_text_says(tree in tree(), records in vec(values(), 1..20), all: bool) {
        let text = tree.text(all);
        let filter = Filter::compile(&text, &FIELDS);
        let filter = filter.map_err(|error| TestCaseError::fail(error.explain(&text)))?;
        prop_assert_eq!(verify(filter.words()), Ok(()));
        for values in &records {
            let here = Here { cpu: values.cpu, comm: values.comm.as_bytes() };
            let passes = evaluate(filter.words(), &values.record(), &here);
            prop_assert_eq!(passes, tree.is_true(values), "{} on {:?}", text, values);
        }
    }

    #[test]
    fn any_words_and_any_bytes_have_a_result(
        words in vec(prop_oneof![
            any::<u64>(),
            (0..10u64, any::<u8>(), 0..40u64, 0..40u64, 0..4u64)
                .prop_map(|(test, variant, offset, target, operands)| {
                    test | u64::from(variant) << 8 | offset << 16 | target << 32 | operands << 48
                }),
            0..40u64,
        ], 0..64),
        record in vec(any::<u8>(), 0..80),
    ) {
        evaluate(words.as_slice(), &record, &Here { cpu: 1, comm: b"comm" });
        let _ = verify(&words);
    }

    #[test]
    fn any_bytes_pass_or_don_t(tree in tree(), record in vec(any::<u8>(), 0..60)) {
        let filter = Filter::compile(&tree.text(false), &FIELDS).unwrap();
        evaluate(filter.words(), &record, &Here { cpu: 0, comm: b"" });
    }

    #[test]
    fn a_program_with_a_changed_word_has_a_result(
        tree in tree(),
        index: prop::sample::Index,
        word: u64,
        values in values(),
    ) {
        let mut words = Filter::compile(&tree.text(false), &FIELDS).unwrap().words().to_vec();
        let index = index.index(words.len());
        words[index] = word;
        evaluate(words.as_slice(), &values.record(), &Here { cpu: 0, comm: b"" });
        let _ = verify(&words);
    }

    #[test]
    fn any_text_is_compiled_or_refused(text in "[a-z_ 0-9()&|!=<>~\"'{},.*-]{0,40}|\\PC{0,30}") {
        match Filter::compile(&text, &FIELDS) {
            Ok(filter) => prop_assert_eq!(verify(filter.words()), Ok(())),
            Err(error) => prop_assert!(error.explain(&text).starts_with(text.trim_ascii_end())),
        }
    }
}

#[test]
fn the_longest_texts_are_compiled() {
    let names = ["byte>1||", "name~\"\"&&", "(byte>1)&&!", "long&CPUS{1,3,5}||"];
    let mut texts: Vec<String> = names.iter().map(|part| part.repeat(4000 / part.len())).collect();
    texts.push(format!("{}byte==1{}", "(".repeat(2000), ")".repeat(2000)));
    texts.push(format!("{}byte==1{}", "byte==1||(".repeat(370), ")".repeat(370)));
    texts.push(format!("{}byte==1{}", "byte==1||(byte==1&&(".repeat(180), "))".repeat(180)));
    let list: Vec<String> = (0..800).map(|cpu| (cpu * 2).to_string()).collect();
    texts.push(format!("long & CPUS{{{}}}", list.join(",")));
    for text in texts {
        let text = text.trim_end_matches(['&', '|', '!']);
        let filter = Filter::compile(text, &FIELDS).unwrap();
        assert_eq!(verify(filter.words()), Ok(()));
        assert!(filter.words().len() <= MAX_WORDS);
    }
    assert!(Filter::compile(&" byte==1||".repeat(500), &FIELDS).is_err());
}
