//! Where the agent's own code uses nothing of a session, although a thread may be in it for long: while what
//! it has called runs, which is the program's code or libc's.
//!
//! A list of these places is in the object's file, in a section of its own: for whoever looks at a thread's
//! stack from outside, and wants to know whether the thread may be using a session that the process has been
//! detached from. Each is three 32-bit words: how far from the first one code begins; how many bytes it has,
//! one for an address that is returned to; and how many bytes of the stack after that address are the agent's
//! own, in which anything may have been left.
//!
//! Whoever returns there looks for the session again.

/// Puts the address of the label 77 that stands before it into the list, and how many bytes of its own there
/// are on the stack above that.
macro_rules! rests_at_77 {
    ($own:literal) => {
        concat!(
            ".pushsection lookback_resting, \"aR\", @progbits\n",
            ".long 77b - .\n",
            ".long 1\n",
            ".long ",
            $own,
            "\n.popsection"
        )
    };
}

pub(crate) use rests_at_77;
