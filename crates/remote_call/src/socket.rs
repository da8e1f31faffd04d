//! What a thread waits for that sleeps in read(2) or accept(2).

use crate::interrupted::StopEffect;
use rustix::net::sockopt::{Timeout, socket_timeout};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::fs::{metadata, read_link};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Descriptors without a file that are known to be waited for as pipes are.
const KNOWN: [&str; 4] = ["eventfd", "timerfd", "signalfd", "inotify"];

/// What a stop does to a thread that waits for input of this file: a call of a socket with a limit of time
/// ends, as the kernel doesn't say how much of it is left. From a file of a driver, or of a file system in a
/// process, anything may come.
pub(crate) fn effect(pid: u32, file: i32) -> StopEffect {
    let is_known = match metadata(format!("/proc/{pid}/fd/{file}")) {
        Ok(found) if found.file_type().is_socket() => has_no_limit(pid, file),
        Ok(found) if found.file_type().is_char_device() => is_terminal(found.rdev()),
        Ok(found) if found.file_type().is_fifo() => true,
        _ => has_known_name(pid, file),
    };
    if is_known { StopEffect::Restarts } else { StopEffect::Shows }
}

fn has_no_limit(pid: u32, file: i32) -> bool {
    let limits = || {
        let process = pidfd_open(Pid::from_raw(pid.cast_signed())?, PidfdFlags::empty()).ok()?;
        let socket = pidfd_getfd(&process, file, PidfdGetfdFlags::empty()).ok()?;
        Some([Timeout::Recv, Timeout::Send].map(|which| socket_timeout(&socket, which)))
    };
    limits().is_some_and(|limits| limits.iter().all(|limit| matches!(limit, Ok(None))))
}

/// By the numbers of devices: `/dev/tty1`, `/dev/ttyS0`, `/dev/tty` and `/dev/pts/0`.
fn is_terminal(device: u64) -> bool {
    matches!(rustix::fs::major(device), 4 | 5 | 136..=143)
}

fn has_known_name(pid: u32, file: i32) -> bool {
    let name = read_link(format!("/proc/{pid}/fd/{file}")).unwrap_or_default();
    let name = name.to_string_lossy();
    name.starts_with("anon_inode:") && KNOWN.iter().any(|known| name.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    #[test]
    fn sockets_with_a_limit_show() {
        let own = std::process::id();
        let (socket, _other) = UnixStream::pair().unwrap();
        assert_eq!(effect(own, socket.as_raw_fd()), StopEffect::Restarts);
        socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        assert_eq!(effect(own, socket.as_raw_fd()), StopEffect::Shows);
    }

    #[test]
    fn files_show_and_pipes_do_not() {
        let own = std::process::id();
        let file = File::open("/proc/self/exe").unwrap();
        assert_eq!(effect(own, file.as_raw_fd()), StopEffect::Shows);
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(effect(own, reader.as_raw_fd()), StopEffect::Restarts);
        assert_eq!(effect(own, i32::MAX), StopEffect::Shows);
    }
}
