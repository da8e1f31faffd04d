//! What is written to files: right, wrong, and neither.

/// Words and numbers.
const WORDS: &[&[u8]] = &[
    b"",
    b"\n",
    b" ",
    b"\0",
    b"0",
    b"1",
    b"0\n",
    b"1\n",
    b"2",
    b"-1",
    b"+1",
    b"++1",
    b"01",
    b" 1",
    b"1 ",
    b"1 \n",
    b"0x1",
    b"1x",
    b"1\n0\n",
    b"1\n\n",
    b"\n1",
    b"1\0",
    b"1\0x",
    b"\x001",
    b"X",
    b"x",
    b"on",
    b"off",
    b"100",
    b"101",
    b"50\n",
    b"4294967296",
    b"4294967297",
    b"99999999999999999999999",
    b"18446744073709551615",
    b"18446744073709551616",
    b"99999999999999999999999x",
    b"1.0",
    b"1e1",
    b"3",
    b"f",
    b"ffffffff",
    b"100000000",
    b"000000001",
    b"0,1",
    b"1,0",
    b",",
    b"1,",
    b",1",
    b"g",
    b"1g",
    b"00000000,00000001",
    b"0 1",
    b"3\n4",
    b"0x3",
    b"nop",
    b"NOP",
    b"nop\n",
    b" nop \n",
    b"nop extra",
    b"nop\0extra",
    b"no",
    b"function_",
    b"overwrite",
    b"nooverwrite",
    b"NOoverwrite",
    b"nonooverwrite",
    b"no overwrite",
    b" overwrite\n",
    b"overwrite annotate",
    b"annotate",
    b"noannotate\n",
    b"irq-info",
    b"irq_info",
    b"norecord-tgid",
    b"\xff\xfe\x80",
    b"\xc3\xa9",
    b"\x7fELF",
    b"\r\n",
    b"1\r\n",
    b"\t1",
    b"\xa01",
    b"mono_",
    b"MONO",
    b"mono mono",
];

/// Everything that is written to every file.
pub fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = WORDS.iter().map(|word| word.to_vec()).collect();
    for len in
        [63, 64, 65, 66, 67, 99, 100, 101, 126, 127, 128, 129, 200, 4053, 4054, 4055, 5000, 70_000, 1 << 20]
    {
        inputs.push(vec![b'x'; len]);
    }
    for zeros in [64, 65, 66, 70] {
        inputs.push([vec![b'0'; zeros], b"1".to_vec()].concat());
        inputs.push([vec![b'0'; zeros], b"x".to_vec()].concat());
    }
    inputs.push([b"nop".to_vec(), vec![b' '; 97], b"x".to_vec()].concat());
    inputs.push((0..=255).collect());
    inputs
}
