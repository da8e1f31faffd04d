//! What is called with most vector registers not saved: code of the agent that uses no others, and calls
//! nothing that may.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Register};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

/// The agent before it is linked, where names are: that of glibc's processes, and that of musl's.
const ARCHIVES: [&str; 2] =
    [concat!(env!("OUT_DIR"), "/preload.a"), concat!(env!("OUT_DIR"), "/vector_of_threads.a")];

/// A function's name begins so.
const PREFIX: &str = "lookback_quick_";

/// A function: its name, its code, and where in that relocations are to what.
struct QuickFunction {
    name: String,
    code: Vec<u8>,
    relocations: Vec<(u64, String)>,
}

fn quick_functions(archive: &str) -> Vec<QuickFunction> {
    let bytes = std::fs::read(archive).unwrap();
    let archive = ArchiveFile::parse(&*bytes).unwrap();
    // Each by itself: within the archive they are not aligned as they are to be.
    let members = archive.members().map(|member| member.unwrap().data(&*bytes).unwrap().to_vec());
    members.flat_map(|member| functions_in(&member)).collect()
}

fn functions_in(member: &[u8]) -> Vec<QuickFunction> {
    let Ok(file) = object::File::parse(member) else { return Vec::new() };
    let quick = file
        .symbols()
        .filter(|symbol| symbol.is_definition() && symbol.name().is_ok_and(|name| name.starts_with(PREFIX)));
    quick
        .map(|symbol| {
            let section = file.section_by_index(symbol.section_index().unwrap()).unwrap();
            let (start, size) = (symbol.address(), symbol.size());
            let code = section.data_range(start, size).unwrap().unwrap().to_vec();
            let relocations = section.relocations().map(|(at, to)| {
                let name = match to.target() {
                    RelocationTarget::Symbol(index) => file.symbol_by_index(index).unwrap().name().unwrap(),
                    _ => "",
                };
                (at.wrapping_sub(start), name.to_owned())
            });
            let relocations = relocations.collect();
            QuickFunction { name: symbol.name().unwrap().to_owned(), code, relocations }
        })
        .collect()
}

impl QuickFunction {
    /// What it does that it may not.
    fn faults(&self) -> Vec<String> {
        let mut factory = InstructionInfoFactory::new();
        let decoder = Decoder::with_ip(64, &self.code, 0, DecoderOptions::NONE);
        let faulty = decoder.into_iter().filter(|instruction| {
            let used = factory.info(instruction).used_registers();
            used.iter().any(|used| is_not_saved(used.register())) || self.leaves(instruction)
        });
        faulty.map(|found| format!("{}+{:#x}: {:?}", self.name, found.ip(), found.code())).collect()
    }

    /// Whether an instruction goes on elsewhere than in another of these functions, and not back to who has
    /// called the function.
    fn leaves(&self, instruction: &Instruction) -> bool {
        let bytes = instruction.ip()..instruction.next_ip();
        let target = self.relocations.iter().find(|(at, _)| bytes.contains(at)).map(|(_, to)| to);
        match (instruction.flow_control(), target) {
            (FlowControl::Next | FlowControl::Return, _) => false,
            (FlowControl::UnconditionalBranch | FlowControl::IndirectBranch, Some(to)) => {
                !to.starts_with(PREFIX)
            }
            (FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch, None) => {
                instruction.near_branch_target() >= self.code.len() as u64
            }
            _ => instruction.code() != iced_x86::Code::Ud2,
        }
    }
}

fn is_not_saved(register: Register) -> bool {
    let is_saved = matches!(register, Register::XMM0 | Register::XMM1);
    register.is_vector_register() && !is_saved || register.is_st() || register.is_mm() || register.is_k()
}

#[test]
fn what_is_called_without_saving_them_uses_no_vector_registers() {
    let functions: Vec<QuickFunction> = ARCHIVES.into_iter().flat_map(quick_functions).collect();
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    for name in ["record", "record_call", "record_graph", "returned", "record_anywhere", "record_system_call"]
    {
        let found = names.iter().filter(|found| found.strip_prefix(PREFIX) == Some(name)).count();
        assert_eq!(found, ARCHIVES.len(), "{name}: {names:?}");
    }
    for function in functions {
        assert!(function.code.len() > 30, "{}: {}", function.name, function.code.len());
        assert_eq!(function.faults(), [""; 0]);
    }
}

#[test]
fn other_registers_calls_and_jumps_elsewhere_are_found() {
    let faults = |code: &[u8], relocations: &[(u64, &str)]| {
        let relocations = relocations.iter().map(|(at, to)| (*at, (*to).to_owned())).collect();
        let code = code.to_vec();
        QuickFunction { name: "f".to_owned(), code, relocations }.faults()
    };
    assert_eq!(faults(&[0x0f, 0x28, 0xc1, 0xc3], &[]), [""; 0], "movaps xmm0, xmm1; ret");
    assert_eq!(faults(&[0x0f, 0x28, 0xd1, 0xc3], &[]), ["f+0x0: Movaps_xmm_xmmm128"], "xmm2");
    assert_eq!(faults(&[0xc5, 0xf8, 0x77], &[]), ["f+0x0: VEX_Vzeroupper"]);
    assert_eq!(faults(&[0xe8, 0, 0, 0, 0, 0xc3], &[(1, "memcpy")]), ["f+0x0: Call_rel32_64"]);
    assert_eq!(faults(&[0xe9, 0, 0, 0, 0, 0xc3], &[(1, "memcpy")]), ["f+0x0: Jmp_rel32_64"], "a relocation");
    assert_eq!(faults(&[0xe9, 0, 0, 0, 0, 0xc3], &[(1, "lookback_quick_f")]), [""; 0], "one of them");
    assert_eq!(faults(&[0xeb, 0x00, 0xc3], &[]), [""; 0]);
    assert_eq!(faults(&[0xff, 0xe0], &[]), ["f+0x0: Jmp_rm64"]);
}
