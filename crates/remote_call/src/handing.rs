//! How a process is handed directories that it doesn't find: one in a container, or with another root.
//!
//! They come to it through a pair of sockets: the process makes that, one end is taken from it
//! (pidfd_getfd(2)), and descriptors that are sent there are received at the other.
//!
//! ```text
//! the thread              outside
//!   socketpair: A, B
//!                         takes A, sends the directories
//!   recvmsg at B
//!   closes A and B        ... loads the agent, attaches ...
//!   closes the directories
//! ```

use crate::handed::{HandedDirectories, ReceivedDirectories};
use crate::loading::Loading;
use crate::refusal::CallRefusal;
use crate::stopped::ThreadFailure;

/// Where things are in the memory that the thread works with, from where it has space for them on: the two
/// sockets, a byte, a part of a message, the message, and what comes with it.
const SOCKETS: u64 = 0;
const BYTE: u64 = 8;
const PART: u64 = 16;
const MESSAGE: u64 = 32;
const CONTROL: u64 = 96;

/// Bytes of a control message's head, and of one that has two descriptors.
const CONTROL_HEAD: u64 = 16;
const CONTROL_BYTES: u64 = CONTROL_HEAD + 8;

const _: () = assert!(size_of::<libc::iovec>() == 16 && size_of::<libc::cmsghdr>() == 16);
const _: () = assert!(size_of::<libc::msghdr>() == 56 && MESSAGE + 56 <= CONTROL);

impl Loading<'_> {
    /// Has the thread receive directories; `space` is where it has memory for that.
    pub(crate) fn receive(
        &self,
        handed: &HandedDirectories,
        space: u64,
    ) -> Result<ReceivedDirectories, ThreadFailure> {
        let kind = (libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC) as u64;
        let made =
            self.system_call(libc::SYS_socketpair, [libc::AF_UNIX as u64, kind, 0, space + SOCKETS, 0, 0])?;
        if made.cast_signed() < 0 {
            return Err(refused());
        }
        let [taken, own] = halves(self.target().read_word(space + SOCKETS)?);
        let received = match handed.send(self.target().pid, taken) {
            Ok(()) => self.receive_at(own, space),
            Err(_) => Err(refused()),
        };
        self.close([taken, own])?;
        received
    }

    fn receive_at(&self, socket: i32, space: u64) -> Result<ReceivedDirectories, ThreadFailure> {
        let part = [space + BYTE, 1];
        // The name, none; the parts; what comes with it; flags.
        let message = [0, 0, space + PART, 1, space + CONTROL, CONTROL_BYTES, 0];
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        self.target().write(space + PART, &bytes(&part))?;
        self.target().write(space + MESSAGE, &bytes(&message))?;
        let flags = (libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT) as u64;
        let received =
            self.system_call(libc::SYS_recvmsg, [socket as u64, space + MESSAGE, flags, 0, 0, 0])?;
        // Where it may have one more descriptor, and no other, it has that.
        match (received, self.target().read_word(space + CONTROL)?) {
            (1, CONTROL_BYTES) => {
                let [agent, session] = halves(self.target().read_word(space + CONTROL + CONTROL_HEAD)?);
                Ok(ReceivedDirectories { agent, session })
            }
            (1, len) if len == CONTROL_BYTES - 4 => {
                let [only, _] = halves(self.target().read_word(space + CONTROL + CONTROL_HEAD)?);
                self.close([only])?;
                Err(refused())
            }
            _ => Err(refused()),
        }
    }

    /// Has the thread close what it has received.
    pub(crate) fn drop_received(&self, received: ReceivedDirectories) -> Result<(), ThreadFailure> {
        self.close([received.agent, received.session])
    }

    fn close<const COUNT: usize>(&self, descriptors: [i32; COUNT]) -> Result<(), ThreadFailure> {
        descriptors
            .into_iter()
            .try_for_each(|one| self.system_call(libc::SYS_close, [one as u64, 0, 0, 0, 0, 0]).map(drop))
    }
}

fn halves(word: u64) -> [i32; 2] {
    [word as i32, (word >> 32) as i32]
}

fn refused() -> ThreadFailure {
    CallRefusal::System(
        "it can't be handed the session: it may have no more descriptors (ulimit -n)".to_owned(),
    )
    .into()
}
