//! A request as the kernel has written it, and what is answered.

use polyfuse_kernel::fuse_in_header;
use rustix::io::Errno;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A request.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Who asks for what, of which node.
    pub(crate) header: fuse_in_header,
    body: &'a [u8],
}

impl<'a> Request<'a> {
    /// What was read from the kernel. None for what is no request.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Request<'a>> {
        let (header, body) = fuse_in_header::read_from_prefix(bytes).ok()?;
        Some(Request { header, body })
    }

    /// Its argument. A newer kernel's may be longer.
    pub(crate) fn argument<T: FromBytes>(&self) -> Result<T, Errno> {
        self.argument_and_rest().map(|(argument, _)| argument)
    }

    /// Its argument and what is after that.
    pub(crate) fn argument_and_rest<T: FromBytes>(&self) -> Result<(T, &'a [u8]), Errno> {
        T::read_from_prefix(self.body).map_err(|_| Errno::INVAL)
    }

    /// The name that it has alone.
    pub(crate) fn name(&self) -> Result<&'a str, Errno> {
        name(self.body)
    }

    /// The name that it has after its argument.
    pub(crate) fn name_after<T: FromBytes>(&self) -> Result<&'a str, Errno> {
        self.argument_and_rest::<T>().and_then(|(_, rest)| name(rest))
    }
}

/// A name, with a zero after it. No entry has one that is no text.
fn name(bytes: &[u8]) -> Result<&str, Errno> {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    std::str::from_utf8(text).map_err(|_| Errno::NOENT)
}

/// What a request is answered with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing: it wants no answer, or gets it later.
    Nothing,
}

impl Reply {
    /// That it is done.
    pub(crate) const DONE: Reply = Reply::Bytes(Vec::new());

    /// A structure.
    pub(crate) fn of(value: &(impl IntoBytes + Immutable)) -> Reply {
        Reply::Bytes(value.as_bytes().to_vec())
    }
}

/// What becomes of a request.
pub(crate) type Answer = Result<Reply, Errno>;

#[cfg(test)]
mod tests {
    use super::*;
    use polyfuse_kernel::{fuse_forget_in, fuse_mkdir_in};

    #[test]
    fn a_request_that_is_cut_off_is_none() {
        let mut bytes = [0_u8; 48];
        assert!(Request::parse(&bytes[..39]).is_none());
        bytes[40..43].copy_from_slice(b"ab\0");
        let request = Request::parse(&bytes).unwrap();
        assert_eq!(request.name(), Ok("ab"));
        assert!(request.argument::<fuse_forget_in>().is_ok());
        assert_eq!(request.name_after::<fuse_mkdir_in>(), Ok(""));
        let request = Request::parse(&bytes[..47]).unwrap();
        assert_eq!(request.argument::<fuse_forget_in>().map(drop), Err(Errno::INVAL));
    }

    #[test]
    fn a_name_that_is_no_text_is_nowhere() {
        assert_eq!(name(b"\xff\0"), Err(Errno::NOENT));
    }
}
