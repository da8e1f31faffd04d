//! What single terms mean.

use event_filter::{Context, Error, ErrorKind, Filter, FilterField, Here, evaluate, verify};

const FIELDS: [FilterField<'static>; 10] = [
    FilterField { name: "small", type_name: "u8", offset: 0, size: 1, signed: false, names: &[] },
    FilterField { name: "signed", type_name: "int", offset: 4, size: 4, signed: true, names: &[] },
    FilterField { name: "comm", type_name: "char[4]", offset: 8, size: 4, signed: false, names: &[] },
    FilterField {
        name: "text",
        type_name: "__data_loc char[]",
        offset: 12,
        size: 4,
        signed: false,
        names: &[],
    },
    FilterField {
        name: "near",
        type_name: "__rel_loc char[]",
        offset: 16,
        size: 4,
        signed: false,
        names: &[],
    },
    FilterField {
        name: "mask",
        type_name: "__data_loc cpumask_t",
        offset: 20,
        size: 4,
        signed: false,
        names: &[],
    },
    FilterField {
        name: "pointer",
        type_name: "const char *",
        offset: 24,
        size: 8,
        signed: false,
        names: &[],
    },
    FilterField {
        name: "list",
        type_name: "__data_loc u32[]",
        offset: 20,
        size: 4,
        signed: false,
        names: &[],
    },
    FilterField { name: "rest", type_name: "char[]", offset: 32, size: 0, signed: false, names: &[] },
    FilterField { name: "array", type_name: "u8[6]", offset: 8, size: 6, signed: false, names: &[] },
];

fn record() -> Vec<u8> {
    let mut record = vec![200, 0, 0, 0];
    record.extend((-2i32).to_le_bytes());
    record.extend(b"abcd");
    record.extend((6u32 << 16 | 32).to_le_bytes());
    // From the end of the field, which is at 20.
    record.extend((4u32 << 16 | 18).to_le_bytes());
    record.extend((8u32 << 16 | 42).to_le_bytes());
    record.extend(0x5000u64.to_le_bytes());
    record.extend(b"hello\0");
    record.extend(b"yes\0");
    record.extend([0b1010, 0, 0, 0, 0, 0, 0, 0]);
    record
}

struct Strings;

impl Context for Strings {
    fn cpu(&self) -> u32 {
        3
    }

    fn comm(&self) -> &[u8] {
        b"worker\0\0\0"
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        (address == 0x5000).then_some(b"constant")
    }
}

#[track_caller]
fn check(expected: bool, texts: &[&str]) {
    for text in texts {
        let filter = Filter::compile(text, &FIELDS).unwrap_or_else(|error| panic!("{}", error.explain(text)));
        verify(filter.words()).unwrap();
        assert_eq!(evaluate(filter.words(), &record(), &Strings), expected, "{text}");
    }
}

#[test]
fn numbers() {
    check(
        true,
        &["small == 200", "small == 0xc8", "small == 0310", "small & 8", "signed < 0", "signed == -2"],
    );
    check(true, &["signed & 0x80000000", "small > 199 && small<201", "signed >= -0x2", "small != 5"]);
    // A constant is cut off to the field's size, as in the kernel.
    check(true, &["small == 456"]);
    check(false, &["small & 4", "signed > 0", "signed == 2", "array == 0", "array != 0"]);
}

#[test]
fn times() {
    let fields = [
        FilterField { name: "took", type_name: "ktime_t", offset: 0, size: 8, signed: true, names: &[] },
        FilterField { name: "count", type_name: "long", offset: 8, size: 8, signed: true, names: &[] },
    ];
    let record = [1_500_000i64.to_le_bytes(), 3i64.to_le_bytes()].concat();
    let passes = |text: &str| {
        let filter = Filter::compile(text, &fields).unwrap_or_else(|error| panic!("{}", error.explain(text)));
        evaluate(filter.words(), &record, &Strings)
    };
    for text in ["took > 1ms", "took == 1500us", "took<2ms&&count==3", "(took >= 1500000ns)", "took < 1s"] {
        assert!(passes(text), "{text}");
    }
    assert!(!passes("took > 1500us") && passes("took == 1500000"));
    for (text, kind) in [
        ("took > 2min", ErrorKind::IllegalTime),
        ("took > 1.5s", ErrorKind::IllegalTime),
        ("took > 9300000000s", ErrorKind::IllegalTime),
        ("count > 2s", ErrorKind::IllegalInteger),
    ] {
        let error = Filter::compile(text, &fields).unwrap_err();
        assert_eq!((error.kind, error.position), (kind, text.find(['1', '2', '9']).unwrap() + 1), "{text}");
    }
}

#[test]
fn strings() {
    check(
        true,
        &["comm == \"abcd\"", "comm ~ 'a*d'", "comm != \"abc\"", "text == \"hello\"", "text ~ \"*l?o\""],
    );
    check(true, &["rest == \"hello\"", "rest ~ \"h*\""]);
    check(true, &["near == 'yes'", "COMM == \"worker\"", "COMM ~ \"w*\"", "pointer == \"constant\""]);
    check(
        true,
        &["text ~ \"!bye*\"", "text ~ \"[g-i]ello\"", "pointer.ustring ~ \"con*\"", "text != \"hell\""],
    );
    check(
        false,
        &["comm == \"abc\"", "text ~ \"!h*\"", "near == \"yes!\"", "pointer == \"else\"", "text == \"\""],
    );
}

#[test]
fn cpus() {
    check(
        true,
        &["CPU == 3", "cpu > 2", "CPU & CPUS{1-3}", "CPU == CPUS{3}", "CPU != CPUS{3,4}", "CPU!=CPUS{4}"],
    );
    check(true, &["mask & CPUS{0-1}", "mask == CPUS{1,3}", "mask != CPUS{1}", "small & CPUS{all}"]);
    check(true, &["small & CPUS{199-201}", "mask == CPUS{3,1,1}", "small != CPUS{199-201}"]);
    check(
        false,
        &["CPU & CPUS{0-2}", "CPU & 3", "mask & CPUS{0,2}", "mask == CPUS{1,3,70}", "CPU == CPUS{3-4}"],
    );
}

#[test]
fn logic() {
    check(true, &["small == 1 && small == 2 || signed == -2", "!(small == 1 || signed == 5)"]);
    check(true, &["small == 200 || small == 1 && small == 2", "!!(small == 200)", "! small == 1"]);
    check(true, &["!(!(small == 200) || !(signed == -2 && comm ~ \"a*\"))", "small == 200 &&"]);
    check(false, &["(small == 200 || small == 1) && small == 2", "!small == 200", "stacktrace == 0"]);
}

#[test]
fn what_is_not_in_the_record_is_false() {
    let passes = |text: &str, record: &[u8]| {
        evaluate(Filter::compile(text, &FIELDS).unwrap().words(), record, &Here { cpu: 0, comm: b"" })
    };
    assert!(!passes("signed != 5", &record()[..6]));
    assert!(passes("!(signed != 5)", &record()[..6]));
    assert!(!passes("text == \"hello\"", &record()[..34]));
    assert!(!passes("pointer == \"constant\"", &record()), "nobody knows the string");
}

#[test]
fn an_own_field_comes_before_what_every_event_has() {
    let filter = Filter::compile("comm == \"abcd\"", &FIELDS).unwrap();
    assert!(evaluate(filter.words(), &record(), &Here { cpu: 0, comm: b"other" }));
}

#[test]
fn errors_have_the_kernels_number() {
    let error = |text: &str| Filter::compile(text, &FIELDS).unwrap_err();
    let numbers = ["foo == 1", "(small == 1", "small == 1)", "text == \"a", "small == 1 2", "== 1", " "];
    assert_eq!(numbers.map(|text| error(text).errno()), [22, 2, 1, 3, 1, 1, 22]);
    assert!(matches!(error("foo == 1"), Error { kind: ErrorKind::FieldNotFound, position: 4, .. }));
    assert_eq!(error("foo == 1").to_string(), "Field not found");
    assert_eq!(error("== 1").explain("== 1"), "== 1\nError: (0)\n");
}

#[test]
fn values_have_names() {
    let names = [(200, "BIG"), (8, "_8"), (1, "ONE"), (u64::MAX, "MINUS"), (7, "two words, or 3")];
    let names = names.map(|(value, name)| (value, name.to_string()));
    let fields = FIELDS.map(|field| match field.name {
        "small" | "signed" | "text" => FilterField { names: &names, ..field },
        _ => field,
    });
    let passes = |text: &str| {
        let filter = Filter::compile(text, &fields).unwrap_or_else(|error| panic!("{}", error.explain(text)));
        verify(filter.words()).unwrap();
        let same = text.replace("BIG", "200").replace("_8|ONE", "9").replace("_8", "8").replace("ONE", "1");
        let same = same.replace("MINUS", "-1").replace("'two words, or 3'", "7").replace('"', "");
        assert_eq!(filter, Filter::compile(&same, &FIELDS).unwrap(), "{text}");
        evaluate(filter.words(), &record(), &Strings)
    };
    for text in ["small == BIG", "small==BIG&&signed<MINUS", "small & _8", "small & _8|ONE||small == ONE"] {
        assert!(passes(text), "{text}");
    }
    for text in ["small == _8|ONE", "!(small == BIG)", "signed == MINUS", "small == 'two words, or 3'"] {
        assert!(!passes(text), "{text}");
    }
    assert!(passes("small == \"BIG\"") && passes("small == 0xc8 && signed == -2"));
    let filter = Filter::compile("text == \"hello\"", &fields).unwrap();
    assert!(evaluate(filter.words(), &record(), &Strings), "a string is compared as one");

    let error = |text: &str| Filter::compile(text, &fields).unwrap_err();
    let unknown = error("signed == 3 && small != BUG");
    assert_eq!((unknown.kind, unknown.position, unknown.errno()), (ErrorKind::NameNotFound, 24, 22));
    let expected = "Name not found, expected one of BIG, _8, ONE, MINUS, two words, or 3";
    assert_eq!(unknown.to_string(), expected);
    for (text, position) in
        [("small & _8|", 11), ("small == _8|1", 12), ("small == ''", 9), ("small == \"", 9)]
    {
        assert!(matches!(error(text).kind, ErrorKind::NameNotFound | ErrorKind::MissingQuote), "{text}");
        assert_eq!(error(text).position, position, "{text}");
    }
    assert_eq!(error("small ~ BIG").kind, ErrorKind::IllegalFieldOperation);
    assert_eq!(error("small == BIG ONE").kind, ErrorKind::TooManyPredicates);
    assert_eq!(error("array == BIG").kind, ErrorKind::InvalidValue, "of a field without names");
}
