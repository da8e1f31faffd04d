//! Random numbers: xorshift.

/// Where they are.
pub struct Numbers(u64);

impl Numbers {
    /// They are the same ones each time.
    pub fn new() -> Numbers {
        Numbers(0x9e37_79b9_7f4a_7c15)
    }

    /// One of all.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.any() % limit as u64) as usize
    }
}
