//! `lookback stop`, `clear`, `reset` and `delete`: the tasks of one step.

use crate::arguments::{Clear, Delete, Reset, Stop};
use crate::failure::Done;
use session::{Error, Lock, Session};
use std::process::ExitCode;

/// Stops recording.
pub(crate) fn stop(arguments: &Stop) -> Done {
    arguments.which.open()?.buffer().set_tracing(false);
    Ok(ExitCode::SUCCESS)
}

/// Empties the buffers.
pub(crate) fn clear(arguments: &Clear) -> Done {
    arguments.which.open()?.buffer().clear();
    Ok(ExitCode::SUCCESS)
}

/// Brings a session to where `lookback start` without events would have made it; all are off. As trace-cmd
/// does, it leaves tracing on.
pub(crate) fn reset(arguments: &Reset) -> Done {
    let session = arguments.which.open()?;
    session.set_all_off()?;
    session.buffer().clear();
    session.free_snapshots()?;
    session.buffer().set_tracing(true);
    Ok(ExitCode::SUCCESS)
}

/// Removes a session.
pub(crate) fn delete(arguments: &Delete) -> Done {
    let path = arguments.which.path()?;
    match Session::open(&path) {
        Ok(session) => {
            let _lock = Lock::reader(&path)?;
            let settings = session.lock_settings()?;
            Session::remove(&path)?;
            // What is attached has it still, and is to pay nothing more.
            session.set_all_off_locked(&settings)?;
            session.buffer().set_recording(false);
        }
        // One of another version, or damaged, can't be told to stop; but it can go.
        Err(Error::Unusable { reason, .. }) => {
            Session::remove(&path)?;
            anstream::eprintln!("lookback: {}: {reason}; removed all the same", path.display());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}
