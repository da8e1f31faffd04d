//! A session to record into, and this process's part in it.

use session::{Instance, Selection, Session, SessionOptions};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use tempfile::TempDir;
use trace_event::{Attachment, Hooks, Origin, OwnStack};

/// A session of this run, in memory. Its files go with it.
#[derive(Debug)]
pub struct Live {
    /// The session.
    pub session: Instance,
    directory: TempDir,
}

impl Live {
    /// A new session with the selected events on, as `lookback record` makes it by default.
    pub fn new(events: &[&str]) -> Result<Live, String> {
        let live = Live::with(&SessionOptions::default())?;
        live.enable(events)?;
        Ok(live)
    }

    /// Switches the selected events on.
    pub fn enable(&self, events: &[&str]) -> Result<(), String> {
        events.iter().try_for_each(|text| {
            let selection: Selection = text.parse().map_err(|_| format!("{text}: bad selection"))?;
            self.session.set(&selection, true).map_err(|error| error.to_string()).map(drop)
        })
    }

    /// A new session with these options, and nothing on.
    pub fn with(options: &SessionOptions) -> Result<Live, String> {
        let directory = tempfile::Builder::new().prefix("lookback-benches-").tempdir_in("/dev/shm");
        let directory = directory.map_err(|error| format!("/dev/shm: {error}"))?;
        let session = Session::create(&directory.path().join("session"), options);
        let session = session.map_err(|error| error.to_string())?;
        Ok(Live { session, directory })
    }

    /// Its directory.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("session")
    }

    /// Attaches this process, as one whose source has the events. Does so once.
    pub fn attach(&self) -> Result<(), String> {
        let file = self.path().join("session");
        let file = CString::new(file.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let attachment = Attachment {
            pid: None,
            pid_namespace: None,
            file: &file,
            agent: events::FINGERPRINT,
            comm: *b"lookback-bench\0\0",
            tid_offset: tid_offset().ok_or("the kernel doesn't tell where the TID is")?,
            hooks: Hooks {
                show_callers: |_, _| (),
                thread_started: || (),
                thread_replaced: || (),
                forked: |_| (),
                stack: first_stack,
                may_ask: || false,
                is_there: |_| false,
                readable: |_, wanted| wanted,
                pid: || None,
                origin: Origin::default,
                may_call: || true,
                may_map: || true,
            },
            stat: libc::fstat,
            most_addresses: usize::MAX,
            // SAFETY: always allowed.
            user: unsafe { libc::geteuid() },
        };
        // SAFETY: libc's fstat(2), and the kernel knows where libc keeps the TID.
        let attached = unsafe { trace_event::attach(&attachment) };
        attached.map(|_| ()).map_err(|error| format!("not attached: {error:?}"))
    }
}

/// Where libc keeps the calling thread's TID, counted from the thread pointer: the kernel clears it at the
/// thread's end.
fn tid_offset() -> Option<isize> {
    const PR_GET_TID_ADDRESS: i32 = 40;
    let mut place = 0_usize;
    // SAFETY: the kernel fills in the word.
    let result = unsafe { libc::prctl(PR_GET_TID_ADDRESS, &raw mut place) };
    // SAFETY: glibc's handle of a thread is its thread pointer.
    let thread = unsafe { libc::pthread_self() } as usize;
    (result == 0 && place != 0).then(|| place.wrapping_sub(thread).cast_signed())
}

/// The first thread's stack, as far as is needed: only its stacks are recorded.
fn first_stack() -> Option<OwnStack> {
    // SAFETY: always allowed. The path that was executed is at the stack's end.
    let end = unsafe { libc::getauxval(libc::AT_EXECFN) } as usize;
    Some(OwnStack { range: 1..end, is_sure: true })
}
