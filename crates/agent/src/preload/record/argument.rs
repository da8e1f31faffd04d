//! What an event records of an argument or a result.
//!
//! What an argument points to is read when the call returns: if it has succeeded, which shows that the
//! kernel or libc has read or written it, or else as much as can be read for sure. A wrong pointer that is
//! answered with an error must not become a crash here, whoever answers.
//!
//! # Safety
//!
//! As in `read.rs`.

use crate::preload::record::read;
use crate::preload::record::value::{FieldValue, Returned};
use events::FieldKind;
use events::argument::{Argument, Pointee};

impl FieldValue {
    /// What the entry records of the argument `word`. A string is read only where libc itself reads it at
    /// once, without a way to answer that it can't.
    #[inline(always)]
    pub(crate) fn at_entry<T: Argument>(word: u64) -> FieldValue {
        match T::ENTRY {
            FieldKind::Text => FieldValue::text(word as usize as *const u8),
            kind if kind.size() == 8 => FieldValue::Word(word),
            _ => FieldValue::Half(word as u32),
        }
    }

    /// What the exit records of the argument `index` of a call with these arguments.
    ///
    /// # Safety
    ///
    /// The words are the arguments of a call that has just returned, as `returned` says.
    #[inline(always)]
    pub(crate) unsafe fn at_exit<T: Argument>(words: &[u64], index: usize, returned: Returned) -> FieldValue {
        let Some(pointee) = T::EXIT else { return FieldValue::Nothing };
        // SAFETY: the caller's promise, handed on.
        unsafe {
            match pointee {
                Pointee::Text => read::text(words, index, returned),
                Pointee::SocketAddress => read::socket_address(words, index, returned),
                Pointee::PeerAddress => read::peer_address(words, index, returned),
                Pointee::OptionValue => read::option_value(words, index, returned),
                Pointee::Polled => read::polled(words, index, returned),
                Pointee::DescriptorSet => read::descriptor_set(words, index, returned),
                Pointee::EpollEvents => read::epoll_events(words, index, returned),
                Pointee::Descriptors => read::pair(words, index, returned),
                Pointee::Status => read::status(words, index, returned),
                Pointee::Half(_) => read::half(words, index, returned),
                Pointee::Word => read::word(words, index, returned),
                Pointee::FleetingWord => read::fleeting_word(words, index, returned),
                Pointee::Duration => read::duration(words, index, returned),
            }
        }
    }
}

/// What is recorded as the mode of an open(2): the argument is only there when a file may be made.
pub(crate) fn creation_mode(flags: u64, mode: u64) -> u64 {
    let flags = flags as i32;
    let creates = flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE;
    if creates { mode } else { 0 }
}

/// What is recorded as where mremap(2) is to map: the argument is only there when it says so.
pub(crate) fn remap_target(flags: u64, address: u64) -> u64 {
    if flags as i32 & libc::MREMAP_FIXED != 0 { address } else { 0 }
}
