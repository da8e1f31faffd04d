//! Why a process traces no functions.

/// What has made a process trace none any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum FunctionsOffReason {
    /// The bytes of a site are not what they should be: somebody else has changed them.
    Differs = 1,
    /// The system doesn't let code be written.
    Forbidden = 2,
    /// Other threads can't be made to see what was stored.
    Unsynchronized = 3,
    /// Code could not be protected again.
    LeftWritable = 4,
    /// No memory is free that is near enough to the code.
    NoSpace = 5,
    /// A function of the agent's own was not traced as it should be.
    SelfTest = 6,
}

/// Bytes of code that are kept.
pub const CODE: usize = 11;

/// Why, and where that was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionsOff {
    /// What it was.
    pub reason: FunctionsOffReason,
    /// What the system has said, or 0.
    pub errno: i32,
    /// The index of the [`Object`](super::Object) whose code it was.
    pub object: Option<u32>,
    /// Where it was: in the file's own addresses, if it was in one.
    pub address: u64,
    /// The bytes that were expected at a site, and those that were there; how many of them count.
    pub code: [([u8; CODE], u8); 2],
}

impl FunctionsOff {
    /// Bytes of it in the heap.
    pub const LEN: usize = 48;

    /// For this reason, without anything more.
    pub const fn of(reason: FunctionsOffReason) -> FunctionsOff {
        FunctionsOff { reason, errno: 0, object: None, address: 0, code: [([0; CODE], 0); 2] }
    }

    /// It as bytes.
    pub fn encode(&self) -> [u8; FunctionsOff::LEN] {
        let mut bytes = [0; FunctionsOff::LEN];
        let object = self.object.map_or(0, |object| object + 1);
        let [(expected, expected_len), (found, found_len)] = self.code;
        let words = (self.reason as u32).to_le_bytes().into_iter().chain(self.errno.to_le_bytes());
        let words = words.chain(object.to_le_bytes()).chain([expected_len, found_len, 0, 0]);
        let words = words.chain(self.address.to_le_bytes()).chain(expected).chain(found);
        bytes.iter_mut().zip(words).for_each(|(to, from)| *to = from);
        bytes
    }

    /// It from bytes. None for what a damaged file may have.
    pub fn decode(bytes: &[u8; FunctionsOff::LEN]) -> Option<FunctionsOff> {
        let (words, _) = bytes.as_chunks::<4>();
        let word = |index: usize| words.get(index).map(|word| u32::from_le_bytes(*word));
        let reason = match word(0)? {
            1 => FunctionsOffReason::Differs,
            2 => FunctionsOffReason::Forbidden,
            3 => FunctionsOffReason::Unsynchronized,
            4 => FunctionsOffReason::LeftWritable,
            5 => FunctionsOffReason::NoSpace,
            6 => FunctionsOffReason::SelfTest,
            _ => return None,
        };
        let code = |at: usize, len: u8| Some((*bytes.get(at..)?.first_chunk()?, len.min(CODE as u8)));
        let [expected, found, ..] = *words.get(3)?;
        Some(FunctionsOff {
            reason,
            errno: word(1)?.cast_signed(),
            object: word(2)?.checked_sub(1),
            address: u64::from(word(4)?) | u64::from(word(5)?) << 32,
            code: [code(24, expected)?, code(24 + CODE, found)?],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_all_of_it() {
        let off = FunctionsOff {
            reason: FunctionsOffReason::Differs,
            errno: -13,
            object: Some(0),
            address: 0x1234_5678_9abc,
            code: [([1; CODE], 5), ([2; CODE], 11)],
        };
        assert_eq!(FunctionsOff::decode(&off.encode()), Some(off));
        let none = FunctionsOff { object: None, reason: FunctionsOffReason::SelfTest, ..off };
        assert_eq!(FunctionsOff::decode(&none.encode()), Some(none));
        assert_eq!(FunctionsOff::decode(&[0; FunctionsOff::LEN]), None);
    }
}
