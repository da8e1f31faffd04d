//! What a file is known by, whatever its path.

/// What a file is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileIdentity {
    /// Its build id: the same in a copy, as in a container's. Zeros follow a short one.
    BuildId([u8; 20]),
    /// Where it has none, its place in a file system.
    Inode {
        /// The device, as stat(2) says.
        device: u64,
        /// The inode.
        inode: u64,
    },
}

/// Words that one takes.
pub(crate) const WORDS: usize = 3;

impl FileIdentity {
    /// Whether it is a build id, and its words.
    #[cfg(any(test, feature = "compile"))]
    pub(crate) fn words(self) -> (bool, [u64; WORDS]) {
        match self {
            FileIdentity::Inode { device, inode } => (false, [device, inode, 0]),
            FileIdentity::BuildId(id) => {
                let mut words = [0; WORDS];
                for (word, bytes) in words.iter_mut().zip(id.chunks(8)) {
                    *word = crate::compiled_argument::word_of(bytes);
                }
                (true, words)
            }
        }
    }

    pub(crate) fn of_words(is_build_id: bool, words: [u64; WORDS]) -> FileIdentity {
        let [device, inode, _] = words;
        if !is_build_id {
            return FileIdentity::Inode { device, inode };
        }
        let mut id = [0; 20];
        for (to, from) in id.iter_mut().zip(words.into_iter().flat_map(u64::to_le_bytes)) {
            *to = from;
        }
        FileIdentity::BuildId(id)
    }
}
