//! `lookback snapshot`.

use crate::arguments::{Choice, Kept, Snapshot};
use crate::failure::Done;
use crate::number::count;
use crate::standing::show::show_kept;
use session::Session;
use std::process::ExitCode;
use std::sync::Arc;

/// Takes a snapshot, gives them up, or shows the newest.
pub(crate) fn snapshot(arguments: &Snapshot) -> Done {
    let session = Arc::new(arguments.instance.open(&arguments.which)?);
    let said = if arguments.take {
        take(&session)?
    } else if arguments.reset {
        count(session.discard_snapshots()? as u64, "snapshot", "snapshots") + " given up"
    } else if arguments.free {
        free(&session)?
    } else {
        return show_kept(&session, &Kept { snapshot: Some(None) }, Choice::default());
    };
    if !arguments.quiet {
        anstream::eprintln!("lookback: {said}");
    }
    Ok(ExitCode::SUCCESS)
}

fn take(session: &Session) -> Done<String> {
    let taken = session.take_snapshot()?;
    let kept = session.snapshots().len() as u64;
    Ok(format!("snapshot {} taken; {} kept", taken.generation(), count(kept, "is", "are")))
}

fn free(session: &Session) -> Done<String> {
    let freed = session.free_snapshots()?;
    let mut said = format!("the memory of {} was freed", count(freed.freed as u64, "snapshot", "snapshots"));
    if freed.retired > 0 {
        said += &format!(
            "; that of {} is kept, because some CPU may still write there: try again when it has run",
            count(freed.retired as u64, "more", "more")
        );
    }
    Ok(said)
}
