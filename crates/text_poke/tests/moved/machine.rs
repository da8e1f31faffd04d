//! Runs an instruction with all registers given, and says what it has left of them.

use crate::numbers::Numbers;
use core::arch::naked_asm;
use core::mem::offset_of;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

/// The numbers of registers.
pub const STACK: usize = 4;
pub const FRAME: usize = 5;

/// How an instruction was left: [`Left::exit`] is one of these, or this and the signal's number.
pub const FAULT: u64 = 0x100;

/// The bytes of vector registers and those of the x87, as xsave(1) has them.
const VECTORS: usize = 4096;

/// What is compared of them: all but where the last x87 instruction was, and which were in use.
const LEFT_OUT: [core::ops::Range<usize>; 2] = [8..24, 512..576];

/// The components of them: no keys of memory, no tiles.
const COMPONENTS: u64 = 0b1110_0111;

#[repr(C, align(64))]
struct Vectors([u8; VECTORS]);

/// What goes in and out. There is one, as code without registers has to find it.
#[repr(C, align(64))]
struct Exchange {
    vectors: Vectors,
    vectors_left: Vectors,
    /// Those of Rust.
    initial: Vectors,
    general: [u64; 16],
    flags: u64,
    start: u64,
    general_left: [u64; 16],
    flags_left: u64,
    exit: u64,
    own_stack: u64,
    components: u64,
    /// Of a fault: where, and the address.
    fault: [u64; 2],
}

static mut EXCHANGE: Exchange = {
    const NONE: Vectors = Vectors([0; VECTORS]);
    Exchange {
        vectors: NONE,
        vectors_left: NONE,
        initial: NONE,
        general: [0; 16],
        flags: 0,
        start: 0,
        general_left: [0; 16],
        flags_left: 0,
        exit: 0,
        own_stack: 0,
        components: 0,
        fault: [0; 2],
    }
};

/// Whether an instruction runs.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

/// Registers before an instruction.
#[derive(Debug, Clone)]
pub struct Registers {
    pub general: [u64; 16],
    flags: u64,
    vectors: Vec<u64>,
}

/// What an instruction has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    general: [u64; 16],
    flags: u64,
    pub exit: u64,
    fault: [u64; 2],
    vectors: Vec<u8>,
}

impl Registers {
    /// Flags and vectors at random.
    pub fn random(numbers: &mut Numbers) -> Registers {
        // Those of arithmetic, and one that is always set.
        let flags = numbers.any() & 0x8d5 | 2;
        let vectors = (0..32 + 32).map(|_| numbers.any()).collect();
        Registers { general: [0; 16], flags, vectors }
    }

    pub fn stack(&self) -> u64 {
        self.general[STACK]
    }
}

impl Left {
    /// Says where a fault was as bytes from the start of code that lies somewhere.
    pub fn be_relative_to(&mut self, start: u64, len: usize) {
        let [at, _] = &mut self.fault;
        if (start..start + len as u64).contains(at) {
            *at -= start;
        }
    }
}

/// The machine. Only one thread has it.
pub struct Machine(());

impl Machine {
    pub fn new() -> Machine {
        // SAFETY: one test in one thread uses it; the handler is async-signal-safe.
        unsafe {
            let exchange = &raw mut EXCHANGE;
            (*exchange).components = COMPONENTS & core::arch::x86_64::__cpuid_count(0xd, 0).eax as u64;
            for vectors in [&raw mut (*exchange).vectors, &raw mut (*exchange).initial] {
                let bytes = &mut (*vectors).0;
                bytes[0..2].copy_from_slice(&0x37f_u16.to_le_bytes());
                bytes[24..28].copy_from_slice(&0x1f80_u32.to_le_bytes());
            }
            let stack = Box::leak(vec![0_u8; 64 << 10].into_boxed_slice());
            let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: stack.len() };
            assert_eq!(libc::sigaltstack(&stack, core::ptr::null_mut()), 0);
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::ucontext_t) = handle;
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
                assert_eq!(libc::sigaction(signal, &action, core::ptr::null_mut()), 0);
            }
        }
        Machine(())
    }

    /// Runs code until it comes to an end.
    pub fn run(&self, start: u64, registers: &Registers) -> Left {
        // SAFETY: nobody else uses it; the code changes memory of the test's only, and comes to an end.
        unsafe {
            let exchange = &raw mut EXCHANGE;
            let halves = registers.vectors.split_at(32);
            // The x87 is empty; of SSE and AVX all registers have something.
            let bytes = &mut (*exchange).vectors.0;
            for (at, words) in [(160, halves.0), (576, halves.1)] {
                for (place, word) in bytes[at..].chunks_exact_mut(8).zip(words) {
                    place.copy_from_slice(&word.to_le_bytes());
                }
            }
            let in_use = (*exchange).components & 0b110;
            bytes[512..520].copy_from_slice(&in_use.to_le_bytes());
            (*exchange).general = registers.general;
            (*exchange).flags = registers.flags;
            (*exchange).start = start;
            (*exchange).fault = [0; 2];
            (*exchange).vectors_left.0.fill(0);
            IS_RUNNING.store(true, Relaxed);
            enter();
            IS_RUNNING.store(false, Relaxed);
            let mut vectors = (*exchange).vectors_left.0.to_vec();
            LEFT_OUT.into_iter().for_each(|range| vectors[range].fill(0));
            Left {
                general: (*exchange).general_left,
                flags: (*exchange).flags_left,
                exit: (*exchange).exit,
                fault: (*exchange).fault,
                vectors,
            }
        }
    }
}

/// Where code comes to that goes on after its instruction.
pub fn fallen_through() -> u64 {
    fall_through as *const () as u64
}

/// Where it comes to if that branches.
pub fn branched() -> u64 {
    branch as *const () as u64
}

/// Where it comes to if that returns.
pub fn returned() -> u64 {
    return_ as *const () as u64
}

/// Sets all registers, and runs the code.
///
/// # Safety
///
/// The code comes to one of the ends, or to a fault.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
        "mov [rip + {x} + {own}], rsp",
        "mov eax, [rip + {x} + {components}]", "xor edx, edx", "xrstor64 [rip + {x} + {vectors}]",
        "push qword ptr [rip + {x} + {flags}]", "popfq",
        "mov rax, [rip + {x} + {general}]", "mov rcx, [rip + {x} + {general} + 8]",
        "mov rdx, [rip + {x} + {general} + 16]", "mov rbx, [rip + {x} + {general} + 24]",
        "mov rsp, [rip + {x} + {general} + 32]", "mov rbp, [rip + {x} + {general} + 40]",
        "mov rsi, [rip + {x} + {general} + 48]", "mov rdi, [rip + {x} + {general} + 56]",
        "mov r8, [rip + {x} + {general} + 64]", "mov r9, [rip + {x} + {general} + 72]",
        "mov r10, [rip + {x} + {general} + 80]", "mov r11, [rip + {x} + {general} + 88]",
        "mov r12, [rip + {x} + {general} + 96]", "mov r13, [rip + {x} + {general} + 104]",
        "mov r14, [rip + {x} + {general} + 112]", "mov r15, [rip + {x} + {general} + 120]",
        "jmp qword ptr [rip + {x} + {start}]",
        x = sym EXCHANGE,
        own = const offset_of!(Exchange, own_stack),
        components = const offset_of!(Exchange, components),
        vectors = const offset_of!(Exchange, vectors),
        flags = const offset_of!(Exchange, flags),
        general = const offset_of!(Exchange, general),
        start = const offset_of!(Exchange, start),
    )
}

/// Defines an end: it notes which one it is.
macro_rules! end {
    ($name:ident, $number:literal) => {
        /// An end of code that runs.
        ///
        /// # Safety
        ///
        /// Code that [`enter`] runs comes here.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "mov qword ptr [rip + {x} + {exit}], {number}",
                "jmp {leave}",
                x = sym EXCHANGE,
                exit = const offset_of!(Exchange, exit),
                number = const $number,
                leave = sym leave,
            )
        }
    };
}

end!(fall_through, 1);
end!(branch, 2);
end!(return_, 3);

/// Keeps all registers.
///
/// # Safety
///
/// As the ends.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!(
        "mov [rip + {x} + {left}], rax", "mov [rip + {x} + {left} + 8], rcx",
        "mov [rip + {x} + {left} + 16], rdx", "mov [rip + {x} + {left} + 24], rbx",
        "mov [rip + {x} + {left} + 32], rsp", "mov [rip + {x} + {left} + 40], rbp",
        "mov [rip + {x} + {left} + 48], rsi", "mov [rip + {x} + {left} + 56], rdi",
        "mov [rip + {x} + {left} + 64], r8", "mov [rip + {x} + {left} + 72], r9",
        "mov [rip + {x} + {left} + 80], r10", "mov [rip + {x} + {left} + 88], r11",
        "mov [rip + {x} + {left} + 96], r12", "mov [rip + {x} + {left} + 104], r13",
        "mov [rip + {x} + {left} + 112], r14", "mov [rip + {x} + {left} + 120], r15",
        "mov rsp, [rip + {x} + {own}]",
        "pushfq", "pop qword ptr [rip + {x} + {flags_left}]",
        "mov eax, [rip + {x} + {components}]", "xor edx, edx", "xsave64 [rip + {x} + {vectors_left}]",
        "jmp {resume}",
        x = sym EXCHANGE,
        left = const offset_of!(Exchange, general_left),
        own = const offset_of!(Exchange, own_stack),
        flags_left = const offset_of!(Exchange, flags_left),
        components = const offset_of!(Exchange, components),
        vectors_left = const offset_of!(Exchange, vectors_left),
        resume = sym resume,
    )
}

/// Goes on as if [`enter`] had returned.
///
/// # Safety
///
/// The stack is the one that it has left.
#[unsafe(naked)]
unsafe extern "C" fn resume() {
    naked_asm!(
        "cld",
        "mov eax, [rip + {x} + {components}]", "xor edx, edx", "xrstor64 [rip + {x} + {initial}]",
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx", "ret",
        x = sym EXCHANGE,
        components = const offset_of!(Exchange, components),
        initial = const offset_of!(Exchange, initial),
    )
}

/// Keeps what a fault has left, and goes on.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: as the kernel gives them; the code that was interrupted is what `enter` runs.
    unsafe {
        if !IS_RUNNING.load(Relaxed) {
            libc::signal(signal, libc::SIG_DFL);
            return;
        }
        let exchange = &raw mut EXCHANGE;
        let registers = &mut (*context).uc_mcontext.gregs;
        let order = [
            libc::REG_RAX,
            libc::REG_RCX,
            libc::REG_RDX,
            libc::REG_RBX,
            libc::REG_RSP,
            libc::REG_RBP,
            libc::REG_RSI,
            libc::REG_RDI,
            libc::REG_R8,
            libc::REG_R9,
            libc::REG_R10,
            libc::REG_R11,
            libc::REG_R12,
            libc::REG_R13,
            libc::REG_R14,
            libc::REG_R15,
        ];
        (*exchange).general_left = order.map(|register| registers[register as usize] as u64);
        (*exchange).flags_left = registers[libc::REG_EFL as usize] as u64;
        (*exchange).exit = FAULT + signal as u64;
        let address = if signal == libc::SIGSEGV { (*info).si_addr() as u64 } else { 0 };
        (*exchange).fault = [registers[libc::REG_RIP as usize] as u64, address];
        registers[libc::REG_RSP as usize] = (*exchange).own_stack.cast_signed();
        registers[libc::REG_RIP as usize] = resume as *const () as i64;
        registers[libc::REG_EFL as usize] = 0x202;
    }
}
