//! What owners of lanes and holders are called: threads that live, and one that is dead.

use std::process::Command;
use std::sync::OnceLock;
use std::sync::mpsc::channel;

/// The most who do something at a time, and one more who looks.
const ALIVE: usize = 5;

/// The pid namespace of all who write and hold, as their identities have it.
const NAMESPACE: u64 = 1 << 32;

/// The identity of someone who lives as long as the test.
pub fn alive(who: usize) -> u64 {
    static ALIVE_ONES: OnceLock<[u64; ALIVE]> = OnceLock::new();
    ALIVE_ONES.get_or_init(|| std::array::from_fn(|_| start_thread()))[who]
}

/// The identity of someone who has died.
pub fn dead() -> u64 {
    static DEAD: OnceLock<u64> = OnceLock::new();
    *DEAD.get_or_init(|| {
        let mut child = Command::new("true").spawn().expect("true(1)");
        child.wait().expect("a child of ours");
        u64::from(child.id()) | NAMESPACE
    })
}

/// Starts a thread that does nothing and says how it is called.
fn start_thread() -> u64 {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // SAFETY: always allowed.
        sender.send(unsafe { libc::gettid() } as u64 | NAMESPACE).expect("somebody waits for it");
        loop {
            std::thread::park();
        }
    });
    receiver.recv().expect("the thread sends it")
}
