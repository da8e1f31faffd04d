//! `lookback snapshot`.

use crate::arguments::{SnapshotArguments, SnapshotOption};
use crate::failure::Done;
use crate::number::count;
use crate::persistent::saving::save_and_say;
use crate::persistent::show::show_kept;
use crate::say::note;
use query::{Choice, IdList};
use session::Instance;
use std::process::ExitCode;
use std::sync::Arc;

/// Takes a snapshot, gives them up, or shows the newest.
pub(crate) fn snapshot(arguments: &SnapshotArguments) -> Done {
    let session = Arc::new(arguments.instance.open()?);
    if let Some(cpu) = arguments.only_cpu {
        session.check_cpu(cpu)?;
    }
    save_and_say(&session);
    let said = if arguments.take {
        take(&session, arguments.only_cpu)?
    } else if arguments.reset {
        count(session.discard_snapshots()? as u64, "snapshot", "snapshots") + " dropped"
    } else if arguments.free {
        free(&session)?
    } else {
        let choice = Choice { cpus: arguments.only_cpu.map(IdList::of), ..Choice::default() };
        return show_kept(
            &session,
            &SnapshotOption { snapshot: Some(None), ..SnapshotOption::default() },
            &choice,
            &arguments.only_cpu.map(|cpu| format!("-c {cpu}")).into_iter().collect::<Vec<_>>(),
        );
    };
    note!("lookback: {said}");
    save_and_say(&session);
    Ok(ExitCode::SUCCESS)
}

fn take(session: &Instance, cpu: Option<u32>) -> Done<String> {
    let taken = cpu.map_or_else(|| session.take_snapshot(), |cpu| session.take_snapshot_of(cpu))?;
    let number = session.snapshot_number(&taken);
    let of = cpu.map_or_else(String::new, |cpu| format!(" of CPU {cpu}"));
    let kept = session.snapshots().len() as u64;
    Ok(format!("snapshot {number}{of} taken; {} kept", count(kept, "is", "are")))
}

fn free(session: &Instance) -> Done<String> {
    let freed = session.free_snapshots()?;
    let mut said = format!("the memory of {} was freed", count(freed.freed as u64, "snapshot", "snapshots"));
    if freed.retired > 0 {
        said += &format!(
            "; that of {} is kept, because a CPU may still write to it: try again when it has run",
            count(freed.retired as u64, "more", "more")
        );
    }
    Ok(said)
}
