//! The options by which a container's programs are attached to a session.

use crate::failure::Done;
use crate::stdout::print;
use std::path::Path;

/// Prints them, as podman and docker take them: for a shell that splits them at blanks.
pub(super) fn print_options(session: &Path, object: &Path) -> Done {
    let (session, object) = (session.display(), object.display());
    print(format_args!(
        "--env=LD_PRELOAD={object} --env=LOOKBACK_SESSION={session} --volume={object}:{object}:ro \
         --volume={session}:{session}"
    ))
}
