//! Reading numbers, strings and blocks, every length checked.

use super::Error;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// The largest block of metadata taken into memory. The kernel's symbols are some 10 MiB; a file
/// that claims more than this is damaged.
pub(super) const MAX_BLOCK: u64 = 1 << 30;

/// A file, or a section of one, with its position and length.
#[derive(Debug)]
pub(super) struct Input<R> {
    file: BufReader<R>,
    position: u64,
    length: u64,
    /// Whether what follows the end of the file is left out, and not an error.
    is_truncated_allowed: bool,
    /// What was left out first.
    truncation: Option<Error>,
}

impl<R: Read + Seek> Input<R> {
    /// At the start of `file`.
    pub(super) fn new(file: R) -> Result<Input<R>, Error> {
        let mut file = BufReader::new(file);
        let io = |source| Error::Io { what: "the file", source };
        let length = file.seek(SeekFrom::End(0)).map_err(io)?;
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        Ok(Input { file, position: 0, length, is_truncated_allowed: false, truncation: None })
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Bytes after the position.
    pub(super) fn remaining(&self) -> u64 {
        self.length.saturating_sub(self.position)
    }

    pub(super) fn seek(&mut self, position: u64, what: &'static str) -> Result<(), Error> {
        if position == self.position {
            return Ok(());
        }
        let within = i64::try_from(position.wrapping_sub(self.position));
        // What the buffer holds needs no system call.
        match within {
            Ok(distance) if position > self.position => self.file.seek_relative(distance),
            _ => self.file.seek(SeekFrom::Start(position)).map(|_| ()),
        }
        .map_err(|source| Error::Io { what, source })?;
        self.position = position;
        Ok(())
    }

    /// Errors unless `size` bytes follow at `offset`.
    pub(super) fn check(&self, offset: u64, size: u64, what: &'static str) -> Result<(), Error> {
        let available = self.length.saturating_sub(offset);
        if size > available {
            return Err(Error::Truncated { what, offset, needed: size, available });
        }
        Ok(())
    }

    /// How much of `size` bytes at `offset` there is: all of it, unless a truncated file is read as far as it
    /// goes.
    pub(super) fn available(&mut self, offset: u64, size: u64, what: &'static str) -> Result<u64, Error> {
        match self.check(offset, size, what) {
            Err(error) if size > 0 && self.is_truncated_allowed => {
                self.truncation.get_or_insert(error);
                Ok(self.length.saturating_sub(offset))
            }
            Err(error) if size > 0 => Err(error),
            _ => Ok(size),
        }
    }

    /// From here on the data of CPUs may be truncated.
    pub(super) fn allow_truncation(&mut self) {
        self.is_truncated_allowed = true;
    }

    /// What is missing first, if anything is.
    pub(super) fn take_truncation(&mut self) -> Option<Error> {
        self.truncation.take()
    }

    /// Fills `bytes`.
    pub(super) fn fill(&mut self, bytes: &mut [u8], what: &'static str) -> Result<(), Error> {
        self.check(self.position, bytes.len() as u64, what)?;
        self.file.read_exact(bytes).map_err(|source| Error::Io { what, source })?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, Error> {
        self.array(what).map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, Error> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, Error> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// The next `size` bytes.
    pub(super) fn block(&mut self, size: u64, what: &'static str) -> Result<Vec<u8>, Error> {
        self.check(self.position, size, what)?;
        if size > MAX_BLOCK {
            return Err(Error::TooLarge { what, offset: self.position, size });
        }
        let mut bytes = vec![0; size as usize];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    /// The next `size` bytes as text. Characters that are none are replaced.
    pub(super) fn text(&mut self, size: u64, what: &'static str) -> Result<String, Error> {
        let bytes = self.block(size, what)?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Text up to a NUL.
    pub(super) fn string(&mut self, what: &'static str) -> Result<String, Error> {
        let mut bytes = Vec::new();
        loop {
            match self.u8(what)? {
                0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                byte => bytes.push(byte),
            }
        }
    }
}
