//! What an epoll instance waits for: the kernel lists it in `/proc`, with what the program knows each by.

use super::kernel::{self, DescriptorPath, address, call, int, with_descriptor};
use super::source;
use trace_event::{DataSource, DataWait};

/// A line has less, also with the largest numbers.
const MOST_IN_LINE: usize = 160;

/// Adds all that is in an epoll instance to what a call waits for. `None` if they are too many, or can't be
/// known.
pub(super) fn add_all(epoll: i32, wait: &mut DataWait) -> Option<()> {
    let mut path = DescriptorPath::new(b"fdinfo", epoll);
    let flags = int(libc::O_RDONLY | libc::O_CLOEXEC);
    let arguments = [int(libc::AT_FDCWD), path.argument(), flags];
    with_descriptor(
        // SAFETY: the path ends with a zero byte.
        || unsafe { call(libc::SYS_openat, arguments) },
        |listing| {
            let mut line = ListedLine { bytes: [0; MOST_IN_LINE], len: 0 };
            let mut piece = [0_u8; 512];
            loop {
                let arguments = [listing, address(&mut piece), piece.len() as u64];
                // SAFETY: there is space.
                let len = unsafe { call(libc::SYS_read, arguments) }? as usize;
                let read = piece.get(..len).filter(|read| !read.is_empty());
                let Some(read) = read else { return Some(()) };
                read.iter().try_for_each(|byte| line.push(*byte, wait))?;
            }
        },
    )
}

/// The line that is being read.
struct ListedLine {
    bytes: [u8; MOST_IN_LINE],
    len: usize,
}

impl ListedLine {
    fn push(&mut self, byte: u8, wait: &mut DataWait) -> Option<()> {
        if byte != b'\n' {
            *self.bytes.get_mut(self.len)? = byte;
            self.len += 1;
            return Some(());
        }
        let line = self.bytes.get(..self.len)?;
        self.len = 0;
        let Some(registered) = Registered::parse(line) else { return Some(()) };
        wait.add(registered.source(), registered.data).then_some(())
    }
}

/// A descriptor in an epoll instance.
struct Registered {
    fd: i32,
    events: u64,
    data: u64,
    inode: u64,
    device: u64,
}

impl Registered {
    /// From `tfd: 5 events: 19 data: 5 pos:0 ino:2a sdev:e`, with spaces anywhere; nothing from other lines.
    fn parse(line: &[u8]) -> Option<Registered> {
        let fd = number(line, b"tfd:", 10)?;
        let [events, data, inode, device] = [&b"events:"[..], b"data:", b"ino:", b"sdev:"];
        Some(Registered {
            fd: fd as i32,
            events: number(line, events, 16)?,
            data: number(line, data, 16)?,
            inode: number(line, inode, 16)?,
            device: number(line, device, 16)?,
        })
    }

    /// What makes it ready, if the descriptor is still the one that was registered.
    fn source(&self) -> Option<DataSource> {
        let [major, minor] = [(self.device >> 20) as u32, self.device as u32 & 0xf_ffff];
        let is_same = |status: kernel::FileStatus| {
            status.inode == self.inode && status.device == libc::makedev(major, minor)
        };
        let is_read = self.events as i32 & libc::EPOLLIN != 0;
        if is_read && kernel::status(self.fd).is_some_and(is_same) { source::awaited(self.fd) } else { None }
    }
}

/// The number after a name.
fn number(line: &[u8], name: &[u8], radix: u32) -> Option<u64> {
    let place = line.windows(name.len()).position(|window| window == name)?;
    let rest = line.get(place + name.len()..)?.trim_ascii_start();
    let digits = rest.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    let mut count = 0;
    let value = digits.fold(0_u64, |value, digit| {
        count += 1;
        value.wrapping_mul(radix.into()).wrapping_add(digit.into())
    });
    (count > 0).then_some(value)
}
