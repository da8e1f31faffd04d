//! `lookback install`.

use crate::arguments::InstallArguments;
use crate::failure::{Done, Failure};
use crate::object;
use crate::persistent::dropin::{DropIn, runs_as_other};
use crate::persistent::unit::{Unit, Units};
use crate::say::note;
use crate::unseen::User;
use anstyle::Style;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;

/// Has the processes of a unit attach to a session, or no longer.
pub(crate) fn install(arguments: &InstallArguments) -> Done {
    let root = arguments.root.as_deref().unwrap_or("/".as_ref());
    let units = if arguments.user { Units::of_user() } else { Some(Units::of_system(root)) };
    let units = units.ok_or_else(|| Failure::failed("no home directory: set HOME, or leave out --user"))?;
    let name = unit_name(&arguments.unit)?;
    let path = units.drop_in(&name);
    if arguments.remove {
        return remove(&path, arguments, &name);
    }
    let unit = units.find(&name).map_err(Failure::failed)?;
    let session = arguments.which.path()?;
    let session = std::path::absolute(&session).unwrap_or(session);
    if session.to_str().is_none() {
        let shown = session.display();
        return Err(Failure::failed(format_args!("{shown}: a unit can't name a path that is not UTF-8")));
    }
    let object = object::install()?;
    let removal = format!("lookback install{} --unit {name} --remove", target(arguments));
    let group = group(&session);
    let text = DropIn { unit: &unit, removal: &removal, object: &object, session: &session, group }.text();
    write(&path, &text).map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))?;
    note!("{bold}lookback:{bold:#} wrote {}", path.display(), bold = Style::new().bold());
    warn(&unit, &name, &session, group);
    tell_next(arguments, &name);
    Ok(ExitCode::SUCCESS)
}

/// A unit's whole name. It becomes a part of a path.
fn unit_name(name: &str) -> Done<String> {
    let name = if name.ends_with(".service") { name.to_string() } else { format!("{name}.service") };
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || ":-_.\\@".contains(letter);
    if name.starts_with('.') || !name.chars().all(is_good) {
        return Err(Failure::failed(format_args!("{name:?} is not the name of a service's unit")));
    }
    Ok(name)
}

/// The options that say where the unit is.
fn target(arguments: &InstallArguments) -> String {
    match &arguments.root {
        Some(root) => format!(" --root {}", root.display()),
        None if arguments.user => " --user".to_string(),
        None => String::new(),
    }
}

/// Writes a file, complete or not at all.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    let directory = path.parent().ok_or(ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}

fn remove(path: &Path, arguments: &InstallArguments, name: &str) -> Done {
    std::fs::remove_file(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Failure::failed(format_args!("{name} is not attached: there is no {}", path.display()))
        }
        _ => Failure::failed(format_args!("{}: {error}", path.display())),
    })?;
    // Only where nobody else has anything in it.
    let _ = path.parent().map(std::fs::remove_dir);
    note!("{bold}lookback:{bold:#} removed {}", path.display(), bold = Style::new().bold());
    tell_next(arguments, name);
    Ok(ExitCode::SUCCESS)
}

/// The group that a session is for.
fn group(session: &Path) -> Option<u32> {
    let found = session.metadata().ok()?;
    (found.mode() & 0o070 == 0o070).then(|| found.gid())
}

/// Says what keeps the service from being attached.
fn warn(unit: &Unit, name: &str, session: &Path, group: Option<u32>) {
    let shown = session.display();
    if !session.exists() {
        let option = super::option(session);
        note!("  the session doesn't exist: `lookback start{option}` makes it, again after each boot");
    } else if runs_as_other(unit) && group.is_none() {
        let user = unit.value("User").unwrap_or("a user of its own");
        let may = user_id(user).is_some_and(|uid| User { uid, groups: Vec::new() }.may_attach(session));
        if !may {
            note!(
                "  {name} runs as {user}, which may not open {shown}: `lookback start --group GROUP` makes a session for a group; then install it again with --session"
            );
        }
    }
}

fn user_id(name: &str) -> Option<u32> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let number = |line: &str| {
        let mut fields = line.split(':');
        (fields.next() == Some(name)).then(|| fields.nth(1)?.parse().ok())?
    };
    name.parse().ok().or_else(|| users.lines().find_map(number))
}

fn tell_next(arguments: &InstallArguments, name: &str) {
    let dim = Style::new().dimmed();
    let user = if arguments.user { " --user" } else { "" };
    if arguments.root.is_none() {
        note!("  {dim}next{dim:#}  systemctl{user} daemon-reload && systemctl{user} restart {name}");
    }
}
