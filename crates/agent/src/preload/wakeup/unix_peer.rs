//! Which UNIX socket one is connected with: the kernel says so by sock_diag(7).

use super::kernel::{address, call, int};
use core::mem::size_of;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// What a netlink message begins with: `struct nlmsghdr`.
#[repr(C)]
#[derive(Default)]
struct NetlinkHead {
    len: u32,
    kind: u16,
    flags: u16,
    sequence: u32,
    port: u32,
}

/// The question: the header of a netlink message, and `struct unix_diag_req`.
#[repr(C)]
struct PeerQuestion {
    head: NetlinkHead,
    family: u8,
    protocol: u8,
    _pad: u16,
    states: u32,
    inode: u32,
    show: u32,
    cookie: [u32; 2],
}

/// The answer: the header, `struct unix_diag_msg`, and one attribute.
#[repr(C)]
#[derive(Default)]
struct PeerAnswer {
    head: NetlinkHead,
    family: u8,
    socket_kind: u8,
    state: u8,
    _pad: u8,
    inode: u32,
    cookie: [u32; 2],
    attribute_len: u16,
    attribute: u16,
    peer: u32,
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SHOW_PEER: u32 = 4;
const PEER: u16 = 2;

/// Those that the kernel was asked for: the inode and its peer's. An inode is another socket's only after
/// four thousand million others, and a connected socket stays connected with the same one.
static KNOWN: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];

/// The inode of the other end. A descriptor is open meanwhile where it isn't known yet.
// Relaxed: each word says all by itself.
pub(super) fn of(inode: u64) -> Option<u32> {
    let inode = u32::try_from(inode).ok()?;
    let known = KNOWN.get(inode as usize % KNOWN.len())?;
    let word = known.load(Relaxed);
    if (word >> 32) as u32 == inode {
        return Some(word as u32);
    }
    let peer = ask(inode)?;
    known.store(u64::from(inode) << 32 | u64::from(peer), Relaxed);
    Some(peer)
}

fn ask(inode: u32) -> Option<u32> {
    let kind = int(libc::SOCK_RAW | libc::SOCK_CLOEXEC);
    super::kernel::with_descriptor(
        // SAFETY: it stores nothing.
        || unsafe { call(libc::SYS_socket, [int(libc::AF_NETLINK), kind, int(libc::NETLINK_SOCK_DIAG)]) },
        |socket| answer(socket, inode),
    )
}

fn answer(socket: u64, inode: u32) -> Option<u32> {
    let mut question = PeerQuestion {
        head: NetlinkHead {
            len: size_of::<PeerQuestion>() as u32,
            kind: SOCK_DIAG_BY_FAMILY,
            flags: libc::NLM_F_REQUEST as u16,
            sequence: 1,
            port: 0,
        },
        family: libc::AF_UNIX as u8,
        protocol: 0,
        _pad: 0,
        states: u32::MAX,
        inode,
        show: SHOW_PEER,
        cookie: [u32::MAX; 2],
    };
    let mut answer = PeerAnswer::default();
    let sent = [socket, address(&mut question), size_of::<PeerQuestion>() as u64, 0, 0, 0];
    let flags = int(libc::MSG_DONTWAIT);
    let received = [socket, address(&mut answer), size_of::<PeerAnswer>() as u64, flags, 0, 0];
    // SAFETY: the question is there, and space for the answer.
    unsafe {
        call(libc::SYS_sendto, sent)?;
        call(libc::SYS_recvfrom, received)?;
    }
    let is_answer =
        answer.head.kind == SOCK_DIAG_BY_FAMILY && answer.inode == inode && answer.attribute == PEER;
    (is_answer && answer.attribute_len == 8 && answer.peer != 0).then_some(answer.peer)
}
