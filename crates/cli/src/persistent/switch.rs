//! `lookback stop`, `clear`, `reset` and `delete`: the tasks of one step.

use crate::arguments::InstanceArguments;
use crate::failure::{Done, Failure};
use crate::persistent::pending;
use crate::persistent::saving::save_and_say;
use crate::say::note;
use session::{Error, FunctionLists, Instance, Lock, Session};
use std::process::ExitCode;

/// Stops recording.
pub(crate) fn stop(arguments: &InstanceArguments) -> Done {
    arguments.open()?.buffer().set_tracing(false);
    Ok(ExitCode::SUCCESS)
}

/// Empties the buffers.
pub(crate) fn clear(arguments: &InstanceArguments) -> Done {
    arguments.open()?.buffer().clear();
    Ok(ExitCode::SUCCESS)
}

/// Brings a session to where `lookback start` without events would have made it; all are off. As trace-cmd
/// does, it leaves tracing on.
pub(crate) fn reset(arguments: &InstanceArguments) -> Done {
    let session = arguments.open()?;
    save_and_say(&session);
    session.set_all_off()?;
    session.change_functions(|lists| *lists = FunctionLists::default())?;
    session.set_graph_depth(0)?;
    session.set_threshold(0)?;
    session.buffer().clear();
    session.free_snapshots()?;
    session.buffer().set_tracing(true);
    Ok(ExitCode::SUCCESS)
}

/// Removes a session, or one of its instances.
pub(crate) fn delete(arguments: &InstanceArguments) -> Done {
    let path = arguments.which.path()?;
    if let Some(name) = &arguments.name {
        arguments.which.open()?.session().remove_instance(name)?;
        return Ok(ExitCode::SUCCESS);
    }
    match Instance::open(&path) {
        Ok(session) => {
            let _lock = Lock::reader(&path)?;
            save_and_say(&session);
            let settings = session.session().lock_settings()?;
            Session::remove(&path)?;
            session.retire(&settings)?;
            drop(settings);
            pending::leave(&session);
        }
        // One of another version, or a damaged one, can't be stopped; but it can be removed.
        Err(Error::Unusable { reason, .. }) => {
            Session::remove(&path)?;
            note!("lookback: {}: {reason}; removed all the same", path.display());
        }
        Err(Error::NoSession { path }) => {
            let path = path.display();
            return Err(Failure::failed(format_args!(
                "no session at {path}: `lookback list --sessions` shows those that exist"
            )));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}
