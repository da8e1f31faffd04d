//! What data in a descriptor comes from: who waits for it and who writes it have to know it by the same
//! number.
//!
//! An eventfd has no number of its own but the descriptor; both ends of a pipe are one inode; a TCP socket's
//! peer is the one in the same namespace with both addresses the other way round. A connected UNIX socket's
//! is known by the kernel, see `unix_peer.rs`.

use super::kernel::{self, FileStatus, address, asked, call, int};
use super::unix_peer;
use core::mem::{MaybeUninit, size_of};
use trace_event::{DataSource, mixed};

/// `SIOCOUTQ`: what of that which was sent hasn't been read; of TCP, hasn't been acknowledged.
const NOT_TAKEN: u64 = libc::TIOCOUTQ;
/// `SIOCOUTQNSD`: what of that hasn't been sent.
const NOT_SENT: u64 = 0x894b;
/// `SO_NETNS_COOKIE`.
const NAMESPACE: i32 = 71;

/// What a call is about to write to.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenTo {
    /// What that makes readable.
    pub(super) source: DataSource,
    fd: i32,
    kind: WrittenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrittenKind {
    Event,
    Pipe,
    Unix,
    Tcp,
}

/// One end of a TCP connection. An IPv4 address is written as an IPv6 one: its peer may do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TcpEnd {
    address: u128,
    port: u16,
}

impl WrittenTo {
    /// What somebody may wait for one that is seen.
    pub(super) fn to(fd: i32) -> Option<WrittenTo> {
        let status = kernel::status(fd)?;
        let (kind, source) = match status.kind {
            0 => (WrittenKind::Event, event(fd)),
            libc::S_IFIFO => (WrittenKind::Pipe, inode(status)),
            libc::S_IFSOCK => match socket(fd)? {
                Socket::Unix => {
                    let peer = unix_peer::of(status.inode)?;
                    (WrittenKind::Unix, inode(FileStatus { inode: peer.into(), ..status }))
                }
                Socket::Tcp { own, peer } => (WrittenKind::Tcp, tcp(fd, own, peer)?),
            },
            _ => return None,
        };
        Some(WrittenTo { source, fd, kind })
    }

    /// Whether there is something to read already, if that can be seen from here.
    pub(super) fn is_readable(&self) -> Option<bool> {
        match self.kind {
            WrittenKind::Event => Some(kernel::is_readable(self.fd)),
            WrittenKind::Pipe => asked(self.fd, libc::FIONREAD).map(|count| count > 0),
            WrittenKind::Unix => asked(self.fd, NOT_TAKEN).map(|count| count > 0),
            WrittenKind::Tcp => None,
        }
    }

    /// Whether what was written is there at once.
    pub(super) fn is_sent(&self) -> bool {
        self.kind != WrittenKind::Tcp || asked(self.fd, NOT_SENT) == Some(0)
    }
}

/// What makes a descriptor readable, as far as that can be seen.
pub(super) fn awaited(fd: i32) -> Option<DataSource> {
    let status = kernel::status(fd)?;
    match status.kind {
        0 => kernel::is_eventfd(fd).then(|| event(fd)),
        libc::S_IFIFO => Some(inode(status)),
        libc::S_IFSOCK if option(fd, libc::SO_RCVLOWAT) == Some(1_i32) => match socket(fd) {
            Some(Socket::Unix) => Some(inode(status)),
            Some(Socket::Tcp { own, peer }) => tcp(fd, peer, own),
            None => None,
        },
        _ => None,
    }
}

fn event(fd: i32) -> DataSource {
    DataSource::Own(int(fd))
}

fn inode(status: FileStatus) -> DataSource {
    DataSource::Shared(mixed(mixed(status.device).wrapping_add(status.inode)))
}

/// What goes over a connection in one direction.
fn tcp(fd: i32, from: TcpEnd, to: TcpEnd) -> Option<DataSource> {
    let namespace: u64 = option(fd, NAMESPACE)?;
    let words =
        [from, to].map(|TcpEnd { address, port }| [(address >> 64) as u64, address as u64, port.into()]);
    let number = words.into_iter().flatten().fold(namespace, |number, word| mixed(number.wrapping_add(word)));
    Some(DataSource::Shared(number))
}

/// A socket whose peer can be known.
enum Socket {
    Unix,
    Tcp { own: TcpEnd, peer: TcpEnd },
}

fn socket(fd: i32) -> Option<Socket> {
    let own = name(libc::SYS_getsockname, fd)?;
    if i32::from(own.ss_family) == libc::AF_UNIX {
        let is_connected =
            matches!(option(fd, libc::SO_TYPE), Some(libc::SOCK_STREAM | libc::SOCK_SEQPACKET));
        return is_connected.then_some(Socket::Unix);
    }
    let own = end(&own)?;
    let is_tcp = option(fd, libc::SO_PROTOCOL) == Some(libc::IPPROTO_TCP);
    let peer = is_tcp.then(|| name(libc::SYS_getpeername, fd)).flatten()?;
    Some(Socket::Tcp { own, peer: end(&peer)? })
}

/// An option of the socket itself.
fn option<T: Copy>(fd: i32, name: i32) -> Option<T> {
    let (mut found, mut len) = (MaybeUninit::<T>::zeroed(), size_of::<T>() as u32);
    let arguments = [int(fd), int(libc::SOL_SOCKET), int(name), address(&mut found), address(&mut len)];
    // SAFETY: there is space for integers, which it is asked for only.
    unsafe {
        call(libc::SYS_getsockopt, arguments)?;
        (len as usize == size_of::<T>()).then(|| found.assume_init())
    }
}

/// The address of a socket's own end, or of the other.
fn name(which: i64, fd: i32) -> Option<libc::sockaddr_storage> {
    let mut found = MaybeUninit::<libc::sockaddr_storage>::zeroed();
    let mut len = size_of::<libc::sockaddr_storage>() as u32;
    // SAFETY: there is space. Zeros are a value.
    unsafe {
        call(which, [int(fd), address(&mut found), address(&mut len)])?;
        Some(found.assume_init())
    }
}

fn end(name: &libc::sockaddr_storage) -> Option<TcpEnd> {
    let name = core::ptr::from_ref(name);
    // SAFETY: it has space for each family's address, and the kernel has stored one.
    unsafe {
        match i32::from((*name).ss_family) {
            libc::AF_INET => {
                let name = &*name.cast::<libc::sockaddr_in>();
                let mapped = 0xffff << 32 | u128::from(u32::from_be(name.sin_addr.s_addr));
                Some(TcpEnd { address: mapped, port: name.sin_port })
            }
            libc::AF_INET6 => {
                let name = &*name.cast::<libc::sockaddr_in6>();
                Some(TcpEnd { address: u128::from_be_bytes(name.sin6_addr.s6_addr), port: name.sin6_port })
            }
            _ => None,
        }
    }
}
