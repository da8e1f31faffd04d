//! How a value is stored.

/// How an argument's value is stored in the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredForm {
    /// A number of 1, 2, 4 or 8 bytes.
    Integer {
        /// How many.
        bytes: u8,
    },
    /// Some bits of one: it is shifted to the left, what doesn't fit is lost, and then to the right.
    BitField {
        /// Bytes of the number.
        bytes: u8,
        /// By how many bits to the left.
        left: u8,
        /// And to the right.
        right: u8,
    },
    /// Text, up to a zero byte.
    Text,
}

impl StoredForm {
    /// Bytes in the fixed part of a record.
    pub fn size(self) -> usize {
        match self {
            StoredForm::Integer { bytes } | StoredForm::BitField { bytes, .. } => bytes.min(8).into(),
            StoredForm::Text => 4,
        }
    }

    /// What is stored of a value.
    pub(crate) fn of(self, value: u64) -> u64 {
        let StoredForm::BitField { bytes, left, right } = self else { return value };
        let bits = 8 * u32::from(bytes.min(8));
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        let shifted = value.checked_shl(left.into()).unwrap_or(0) & mask;
        shifted.checked_shr(right.into()).unwrap_or(0)
    }
}
