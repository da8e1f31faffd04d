//! Instructions of libraries and programs that would be moved.

use crate::place::BRANCH;
use function_sites::ObjectFile;
use iced_x86::{
    Code, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
};
use planner::{FunctionCode, probe_points};
use std::collections::{HashMap, HashSet};

/// An instruction.
#[derive(Debug, Clone)]
pub struct Candidate {
    code: Vec<u8>,
    /// Where a distance to memory lies in it, if it has one.
    displacement: Option<usize>,
    /// How many bytes the distance has that it jumps by, if it jumps: the last ones.
    branch: Option<usize>,
    /// The registers that say how much or which element, by their numbers.
    small: Vec<usize>,
}

/// The most of one kind.
const MOST: usize = 500;

/// Those of all functions of files that Debian's packages have put there, and of this test, by their kinds.
pub fn candidates() -> Vec<Vec<Candidate>> {
    let libraries = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libcrypto.so.3"];
    let libraries = libraries.map(|name| format!("/lib/x86_64-linux-gnu/{name}"));
    let programs = ["/usr/bin/python3", "/usr/sbin/nginx", "/usr/bin/redis-server", "/proc/self/exe"];
    let paths = libraries.into_iter().chain(programs.map(str::to_string));
    let (mut kinds, mut known) = (HashMap::<Code, Vec<Candidate>>::new(), HashSet::new());
    for bytes in paths.filter_map(|path| std::fs::read(path).ok()) {
        let file = ObjectFile::parse(&bytes).unwrap();
        for function in file.functions() {
            let code = file.function_code(function.start);
            add(code, &mut kinds, &mut known);
        }
    }
    let mut found: Vec<(Code, Vec<Candidate>)> = kinds.into_iter().collect();
    found.sort_by_key(|(code, _)| *code as usize);
    found.into_iter().map(|(_, candidates)| candidates).collect()
}

fn add(code: &[u8], kinds: &mut HashMap<Code, Vec<Candidate>>, known: &mut HashSet<Vec<u8>>) {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut infos = InstructionInfoFactory::new();
    while decoder.can_decode() {
        let at = decoder.position();
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            break;
        }
        let own = &code[at..at + instruction.len()];
        let kind = kinds.entry(instruction.code()).or_default();
        if kind.len() >= MOST || !known.insert(own.to_vec()) {
            continue;
        }
        // As if it were a function's first one, where no jump lies in two words.
        let function = FunctionCode { start: 0x1000, code: &code[at..] };
        let points = probe_points(&function, 0, core::iter::empty()).into_iter().flatten();
        if !points.into_iter().any(|point| point.offset == 0) || is_left_out(&instruction, &mut infos) {
            continue;
        }
        let constants = decoder.get_constant_offsets(&instruction);
        let is_branch = instruction.is_jcc_short_or_near() || instruction.is_jmp_short_or_near();
        kind.push(Candidate {
            code: own.to_vec(),
            displacement: instruction.is_ip_rel_memory_operand().then(|| constants.displacement_offset()),
            branch: is_branch.then(|| constants.immediate_size()),
            small: small_registers(&instruction),
        });
    }
    kinds.retain(|_, found| !found.is_empty());
}

/// Whether it doesn't do the same each time, or says where it is: what nobody could compare. And what the
/// process wouldn't survive.
fn is_left_out(instruction: &Instruction, infos: &mut InstructionInfoFactory) -> bool {
    use Mnemonic::{
        Cpuid, Fldenv, Fnsave, Fnstenv, Frstor, Fxrstor, Fxrstor64, Fxsave, Fxsave64, Popfq, Rdpid, Rdrand,
        Rdseed, Rdtsc, Rdtscp, Tpause, Umwait, Wrfsbase, Wrgsbase, Wrpkru, Xgetbv, Xrstor, Xrstor64, Xsave,
        Xsave64, Xsavec, Xsavec64, Xsaveopt, Xsaveopt64,
    };
    let left_out = [
        Cpuid, Fldenv, Fnsave, Fnstenv, Frstor, Fxrstor, Fxrstor64, Fxsave, Fxsave64, Popfq, Rdpid, Rdrand,
        Rdseed, Rdtsc, Rdtscp, Tpause, Umwait, Wrfsbase, Wrgsbase, Wrpkru, Xgetbv, Xrstor, Xrstor64, Xsave,
        Xsave64, Xsavec, Xsavec64, Xsaveopt, Xsaveopt64,
    ];
    let is_threads = |segment: Register| [Register::FS, Register::GS].contains(&segment);
    let writes =
        |access: OpAccess| ![OpAccess::Read, OpAccess::CondRead, OpAccess::NoMemAccess].contains(&access);
    let memory = infos.info(instruction).used_memory();
    left_out.contains(&instruction.mnemonic())
        || instruction.op0_register().is_segment_register()
        || memory.iter().any(|used| is_threads(used.segment()) && writes(used.access()))
}

fn small_registers(instruction: &Instruction) -> Vec<usize> {
    let index = instruction.memory_index().full_register();
    let is_repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let mut found: Vec<usize> = index.is_gpr64().then(|| index.number()).into_iter().collect();
    found.extend(is_repeated.then(|| Register::RCX.number()));
    found
}

impl Candidate {
    /// Its bytes at an address, with distances from there to memory that is there, and to where it branches.
    pub fn at(&self, address: u64, memory: u64) -> Vec<u8> {
        let mut code = self.code.clone();
        let end = address + code.len() as u64;
        if let Some(at) = self.displacement {
            let distance = i32::try_from(memory.wrapping_sub(end).cast_signed()).unwrap();
            code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        if let Some(size) = self.branch {
            let start = code.len() - size;
            code[start..].copy_from_slice(&BRANCH.to_le_bytes()[..size]);
        }
        code
    }

    /// Where it branches from an address.
    pub fn branch_target(&self, address: u64) -> Option<u64> {
        self.branch.map(|_| address + self.code.len() as u64 + BRANCH)
    }

    /// The registers that should have small numbers.
    pub fn small_registers(&self) -> impl Iterator<Item = usize> {
        self.small.iter().copied()
    }
}
