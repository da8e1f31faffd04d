//! Words that each thread has of its own.
//!
//! They are thread-local in the initial-exec model, declared in assembly because stable Rust has no other way
//! to that model: reaching them is one instruction, never a call that might allocate. They are part of the
//! static TLS block, so they are there from a thread's first instruction to its last.
//!
//! musl refuses an object of that model to dlopen(3), but gives the words of any to each thread before
//! dlopen(3), or the thread's maker, returns. So with the feature `vector_of_threads` they are reached by the
//! thread's vector of blocks, in the local-dynamic model, again without a call.
//!
//! A static program gives them to nobody: it has no dynamic linker. With the feature `table_of_threads` they
//! are in a table of the object's own, see `thread_table.rs`.

/// The instructions that put into the register `REGISTER` how many bytes after the thread pointer the words
/// `SYMBOL` are. They change the flags.
#[cfg(not(any(feature = "vector_of_threads", feature = "table_of_threads")))]
#[macro_export]
macro_rules! thread_words_offset {
    ($register:literal, $symbol:literal) => {
        concat!("mov ", $register, ", qword ptr [rip + ", $symbol, "@GOTTPOFF]")
    };
}

/// As above. The vector is at the thread pointer + 8; a block's address is at the index of its object.
#[cfg(feature = "vector_of_threads")]
#[macro_export]
macro_rules! thread_words_offset {
    ($register:literal, $symbol:literal) => {
        concat!(
            "mov ",
            $register,
            ", qword ptr [rip + ",
            $symbol,
            "@TLSLD]\n",
            "shl ",
            $register,
            ", 3\n",
            "add ",
            $register,
            ", qword ptr fs:[8]\n",
            "mov ",
            $register,
            ", qword ptr [",
            $register,
            "]\n",
            $crate::thread_words_in_block!($register, $symbol),
        )
    };
}

/// As above, of the thread's block in the table. They use 40 bytes of the stack.
#[cfg(feature = "table_of_threads")]
#[macro_export]
macro_rules! thread_words_offset {
    ($register:literal, $symbol:literal) => {
        concat!(
            "push rax\n",
            "call lookback_thread_block\n",
            "pop ",
            $register,
            "\n",
            $crate::thread_words_in_block!($register, $symbol),
        )
    };
}

/// The instructions from the address of a thread's block, in `REGISTER`, to how many bytes after the thread
/// pointer the words `SYMBOL` are.
#[cfg(any(feature = "vector_of_threads", feature = "table_of_threads"))]
#[macro_export]
#[doc(hidden)]
macro_rules! thread_words_in_block {
    ($register:literal, $symbol:literal) => {
        concat!(
            "lea ",
            $register,
            ", [",
            $register,
            " + ",
            $symbol,
            "@DTPOFF]\n",
            "sub ",
            $register,
            ", qword ptr fs:[0]",
        )
    };
}

/// Puts the address of the words `SYMBOL` into `ADDRESS`.
#[cfg(not(feature = "table_of_threads"))]
#[macro_export]
macro_rules! thread_words_address {
    ($address:ident, $symbol:literal) => {
        core::arch::asm!(
            $crate::thread_words_offset!("{0}", $symbol),
            "add {0}, fs:[0]",
            out(reg) $address,
            options(pure, readonly, nostack),
        )
    };
}

/// As above, by a call, which stores the thread's key at its first look.
#[cfg(feature = "table_of_threads")]
#[macro_export]
macro_rules! thread_words_address {
    ($address:ident, $symbol:literal) => {
        core::arch::asm!(
            $crate::thread_words_offset!("{0}", $symbol),
            "add {0}, fs:[0]",
            out(reg) $address,
        )
    };
}

/// The calling thread's 8 bytes at `FIRST` in the words `SYMBOL`, and its 4 at `SECOND`.
#[cfg(not(feature = "table_of_threads"))]
#[macro_export]
macro_rules! two_thread_words {
    ($symbol:literal, $first:ident, $second:ident) => {{
        let (first, second): (u64, u64);
        // SAFETY: loads from the thread's own copy of the words.
        unsafe {
            core::arch::asm!(
                $crate::thread_words_offset!("{second}", $symbol),
                "mov {first}, qword ptr fs:[{second} + {FIRST}]",
                "mov {second:e}, dword ptr fs:[{second} + {SECOND}]",
                first = out(reg) first,
                second = out(reg) second,
                FIRST = const $first,
                SECOND = const $second,
                options(readonly, nostack),
            );
        }
        (first, second)
    }};
}

/// As above, by a call, see [`thread_words_address!`].
#[cfg(feature = "table_of_threads")]
#[macro_export]
macro_rules! two_thread_words {
    ($symbol:literal, $first:ident, $second:ident) => {{
        let words: *const u8;
        // SAFETY: loads from the thread's own copy of the words.
        unsafe {
            $crate::thread_words_address!(words, $symbol);
            let second = words.add($second).cast::<u32>().read_volatile();
            (words.add($first).cast::<u64>().read_volatile(), u64::from(second))
        }
    }};
}

/// Defines `fn NAME() -> *mut TYPE`, which gives the calling thread's own `TYPE` under the linker's name
/// `SYMBOL`: all zero in a new thread, aligned to 16 bytes. Async-signal-safe.
#[macro_export]
macro_rules! thread_words {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident() -> *mut $type:ty, $symbol:literal) => {
        core::arch::global_asm!(
            ".pushsection .tbss, \"awT\", @nobits",
            ".balign 16",
            concat!(".hidden ", $symbol),
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ", @object"),
            concat!($symbol, ": .zero {size}"),
            concat!(".size ", $symbol, ", {size}"),
            ".popsection",
            size = const size_of::<$type>(),
        );

        $(#[$attribute])*
        $visibility fn $name() -> *mut $type {
            let address: *mut $type;
            // SAFETY: computes the address of the thread's own copy of the words above.
            unsafe { $crate::thread_words_address!(address, $symbol) };
            address
        }
    };
}
