//! The section that writes an event, and what its forms differ in: how much space they need, and
//! where the time comes from.

/// Defines a section that writes one event. They differ in where the event is, in the space that they need,
/// in where the time comes from and in how the payload is copied. Every way out but the last instruction
/// leaves the tail as it was (R2).
macro_rules! append_section {
    (
        $(#[$doc:meta])* $name:ident$(<$len:ident>)?($($time:ident)?) of $event:ident: $type:ty,
        space: $space:expr, clock: $clock:expr, type_len: $type_len:expr, copy: $copy:expr, step: $step:expr,
        $($operands:tt)*
    ) => {
        $(#[$doc])*
        #[inline(always)]
        unsafe fn $name$(<const $len: usize>)?(
            area: Area,
            cpu: u32,
            block: *const Block,
            target: &Target,
            $event: $type,
            $($time: u64,)?
        ) -> Outcome {
            // SAFETY: the caller answers for `block`, `target` and `event`. The position is checked
            // against the segment and the page before anything is stored, so whatever the shared
            // words say, no byte outside the segment is touched (R12).
            unsafe {
                asm!(
                    // The register with the CPU that it is for has the position, from here on.
                    rseq::begin!("position"),
                    // rax: the time. First: a processor that reads its counter waits for what comes before.
                    $clock,
                    // The word by which everybody asks writers for a change (R3).
                    "mov {scratch}, [{target} + {CONTROL}]",
                    "mov {scratch}, [{scratch}]",
                    "cmp {scratch}, [{block} + {SEEN}]",
                    "jne {look_again}",
                    // Inside the segment, and not more than the page holds (R12)?
                    "mov {position}, [{block} + {TAIL}]",
                    "shr {position}, 16",
                    "cmp {position}, [{target} + {LIMIT}]",
                    "ja {look_again}",
                    "mov {scratch}, {position}",
                    "and {scratch}, [{target} + {PAGE_MASK}]",
                    $space,
                    "cmp {scratch}, [{target} + {CAPACITY}]",
                    "ja {look_again}",
                    // A delta below 0 is a huge one here.
                    "mov rdx, rax",
                    "sub rdx, [{block} + {LAST_TIME}]",
                    "cmp rdx, {DELTA_MAX}",
                    "ja {look_again}",
                    "shl edx, 5",
                    $type_len,
                    "add {position}, [{target} + {BASE}]",
                    "mov [{position}], edx",
                    $copy,
                    // As it was: who else stores to it has this section begin again.
                    "mov {scratch}, [{block} + {TAIL}]",
                    $step,
                    "movq xmm0, {scratch}",
                    "movq xmm1, rax",
                    "punpcklqdq xmm0, xmm1",
                    // The commit: tail and last time together (R2).
                    "movaps [{block} + {TAIL}], xmm0",
                    rseq::end!(),
                    area = in(reg) area.address(),
                    block = in(reg) block,
                    target = in(reg) target,
                    $($time = in(reg) $time,)?
                    position = inout(reg) u64::from(cpu) => _,
                    scratch = out(reg) _,
                    out("rax") _,
                    out("rdx") _,
                    out("xmm0") _,
                    out("xmm1") _,
                    TAIL = const offset_of!(Block, tail),
                    LAST_TIME = const offset_of!(Block, last_time),
                    SEEN = const offset_of!(Block, seen),
                    CONTROL = const offset_of!(Target, control),
                    BASE = const offset_of!(Target, base),
                    LIMIT = const offset_of!(Target, limit),
                    PAGE_MASK = const offset_of!(Target, page_mask),
                    CAPACITY = const offset_of!(Target, capacity),
                    DELTA_MAX = const DELTA_LIMIT - 1,
                    $($operands)*
                    aborted = label { return Outcome::Aborted },
                    look_again = label { area.leave(); return Outcome::Refused },
                    options(nostack),
                );
            }
            Outcome::Committed
        }
    };
}

/// Defines a section that writes an event whose head and payload lie in memory.
macro_rules! append_record {
    (
        $(#[$doc:meta])* $name:ident($($time:ident)?) of $type:ty,
        space: $space:expr, clock: $clock:expr, copy: $copy:expr
    ) => {
        append_section! {
            $(#[$doc])*
            $name($($time)?) of event: $type,
            space: $space, clock: $clock,
            type_len: "or edx, [{event} + {TYPE_LEN}]", copy: $copy,
            step: "add {scratch}, [{event} + {STEP}]",
            event = in(reg) event.address(),
            out("rcx") _,
            STEP = const offset_of!(EventHead, step),
            FOOTPRINT = const offset_of!(EventHead, footprint),
            TYPE_LEN = const offset_of!(EventHead, type_len),
            WORDS = const offset_of!(EventHead, words),
            LEN = const offset_of!(EventHead, len),
            PAYLOAD = const size_of::<EventHead>(),
            UNROLLED = const UNROLLED,
        }
    };
}

/// Needs the bytes that the copy touches, which may be more than the event's own.
macro_rules! footprint {
    () => {
        "add {scratch}, [{event} + {FOOTPRINT}]"
    };
}

/// Needs the event's own bytes, and no more: what the tail is moved by.
macro_rules! exact {
    () => {
        "mov rdx, [{event} + {STEP}]\nshr rdx, 16\nadd {scratch}, rdx\n/* {FOOTPRINT} */"
    };
}

/// Time from the processor's counter. It is read inside the section: a writer that loses the CPU reads it
/// again, so times in a page never decrease.
macro_rules! read_counter {
    () => {
        "rdtsc\nshl rdx, 32\nor rax, rdx"
    };
}

/// Time that was read before the section. Where an event of the CPU has a later one the delta is below 0, and
/// the section refuses: times in a page never decrease here either.
macro_rules! read_time {
    () => {
        "mov rax, {time}"
    };
}

/// Time that was read before, or the last event's where that is later.
macro_rules! given_time {
    () => {
        "mov rax, [{block} + {LAST_TIME}]\ncmp {time}, rax\ncmova rax, {time}"
    };
}

pub(super) use {append_record, append_section, exact, footprint, given_time, read_counter, read_time};
