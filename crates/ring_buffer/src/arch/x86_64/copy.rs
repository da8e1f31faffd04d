//! Instructions that copy a payload into a page, for the sections that write events: from `event`, where its
//! head and payload are, to `position`, after the event's first word. They may use rcx, rdx, xmm0, xmm1 and
//! `scratch`.

/// A payload whose length is in the event's first word: four words at once, then one by one.
macro_rules! copy_small {
    () => {
        concat!(
            "mov rdx, [{event} + {PAYLOAD}]\n",
            "mov rcx, [{event} + {PAYLOAD} + 8]\n",
            "mov [{position} + 4], rdx\n",
            "mov [{position} + 12], rcx\n",
            "mov rdx, [{event} + {PAYLOAD} + 16]\n",
            "mov rcx, [{event} + {PAYLOAD} + 24]\n",
            "mov [{position} + 20], rdx\n",
            "mov [{position} + 28], rcx\n",
            "mov ecx, {UNROLLED}\n",
            "2:\n",
            "cmp rcx, [{event} + {WORDS}]\n",
            "jae 3f\n",
            "mov rdx, [{event} + {PAYLOAD} + 8 * rcx]\n",
            "mov [{position} + 4 + 8 * rcx], rdx\n",
            "inc rcx\n",
            "jmp 2b\n",
            "3:\n",
            "/* {LEN} */",
        )
    };
}

/// A payload whose length, plus the 4 bytes of the length itself, stands before it.
macro_rules! copy_large {
    () => {
        concat!(
            "mov rdx, [{event} + {LEN}]\n",
            "add edx, 7\n",
            "and edx, -4\n",
            "mov [{position} + 4], edx\n",
            // Two words at a time, then the odd one.
            "xor ecx, ecx\n",
            "mov rdx, [{event} + {WORDS}]\n",
            "dec rdx\n",
            "2:\n",
            "movups xmm0, [{event} + {PAYLOAD} + 8 * rcx]\n",
            "movups [{position} + 8 + 8 * rcx], xmm0\n",
            "add rcx, 2\n",
            "cmp rcx, rdx\n",
            "jb 2b\n",
            "ja 3f\n",
            "mov rdx, [{event} + {PAYLOAD} + 8 * rcx]\n",
            "mov [{position} + 8 + 8 * rcx], rdx\n",
            "3:\n",
            "/* {UNROLLED} */",
        )
    };
}

/// A payload of any length, and nothing after it: two words at a time, then the odd one and the odd half. A
/// large one has its length before it; where a small one has none, its first word is stored over that.
macro_rules! copy_exact {
    () => {
        concat!(
            "mov {scratch}, [{event} + {LEN}]\n",
            "add {scratch}, 3\n",
            "and {scratch}, -4\n",
            "lea rdx, [{scratch} + 4]\n",
            "mov [{position} + 4], edx\n",
            "cmp dword ptr [{event} + {TYPE_LEN}], 0\n",
            "jne 2f\n",
            "add {position}, 4\n",
            "2:\n",
            "mov rdx, {scratch}\n",
            "and rdx, -16\n",
            "xor ecx, ecx\n",
            "3:\n",
            "cmp rcx, rdx\n",
            "jae 4f\n",
            "movups xmm0, [{event} + {PAYLOAD} + rcx]\n",
            "movups [{position} + 4 + rcx], xmm0\n",
            "add rcx, 16\n",
            "jmp 3b\n",
            "4:\n",
            "test {scratch}, 8\n",
            "jz 5f\n",
            "mov rdx, [{event} + {PAYLOAD} + rcx]\n",
            "mov [{position} + 4 + rcx], rdx\n",
            "add rcx, 8\n",
            "5:\n",
            "test {scratch}, 4\n",
            "jz 6f\n",
            "mov edx, [{event} + {PAYLOAD} + rcx]\n",
            "mov [{position} + 4 + rcx], edx\n",
            "6:\n",
            "/* {WORDS} {UNROLLED} */",
        )
    };
}

/// A large payload whose end is a slice of memory, a multiple of two words.
macro_rules! copy_sliced {
    () => {
        concat!(
            "mov rdx, [{event} + {LEN}]\n",
            "add edx, 4\n",
            "mov [{position} + 4], edx\n",
            "movups xmm0, [{event} + {PAYLOAD}]\n",
            "movups xmm1, [{event} + {PAYLOAD} + 16]\n",
            "movups [{position} + 8], xmm0\n",
            "movups [{position} + 24], xmm1\n",
            "mov {scratch}, [{event} + {PAYLOAD} + 32]\n",
            "mov ecx, {UNROLLED}\n",
            "2:\n",
            "movups xmm0, [{scratch} + 8 * rcx - 32]\n",
            "movups [{position} + 8 + 8 * rcx], xmm0\n",
            "add rcx, 2\n",
            "cmp rcx, [{event} + {WORDS}]\n",
            "jb 2b\n",
        )
    };
}

pub(super) use {copy_exact, copy_large, copy_sliced, copy_small};
