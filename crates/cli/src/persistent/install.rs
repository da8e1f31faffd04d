//! `lookback install`.

use crate::accounts;
use crate::arguments::InstallArguments;
use crate::failure::{Done, Failure};
use crate::object;
use crate::persistent::container::print_options;
use crate::persistent::dropin::{DropIn, runs_as_other, session_unit};
use crate::persistent::session_argument;
use crate::persistent::session_unit::SessionUnit;
use crate::persistent::unit::{Unit, Units};
use crate::say::note;
use crate::unseen::User;
use anstyle::Style;
use session::SessionsDirectory;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Has the processes of services attach to a session, or no longer.
pub(crate) fn install(arguments: &InstallArguments) -> Done {
    let session = session(arguments)?;
    if arguments.container {
        return print_options(&session, &object::install()?);
    }
    let root = arguments.root.as_deref().unwrap_or("/".as_ref());
    let units = if arguments.user { Units::of_user() } else { Some(Units::of_system(root)) };
    let units = units.ok_or_else(|| Failure::failed("no home directory: set HOME, or leave out --user"))?;
    let names: Vec<String> = arguments.services.iter().map(|name| unit_name(name)).collect::<Done<_>>()?;
    if arguments.remove {
        remove(&units, &names)?;
    } else {
        Installation { arguments, units: &units, session: &session, group: group(&session) }.write(&names)?;
    }
    tell_next(arguments, &names);
    Ok(ExitCode::SUCCESS)
}

/// The session's directory, as units and containers name it.
fn session(arguments: &InstallArguments) -> Done<PathBuf> {
    let session = arguments.which.path()?;
    let session = std::path::absolute(&session).unwrap_or(session);
    match session.to_str() {
        Some(_) => Ok(session),
        None => Err(Failure::failed(format_args!(
            "{}: a unit can't name a path that is not UTF-8",
            session.display()
        ))),
    }
}

/// What is to be written for a session.
struct Installation<'a> {
    arguments: &'a InstallArguments,
    units: &'a Units,
    session: &'a Path,
    group: Option<u32>,
}

impl Installation<'_> {
    /// Writes the drop-ins of services, and the unit that makes the session. Nothing where one of them isn't
    /// there.
    fn write(&self, names: &[String]) -> Done<()> {
        let found: Vec<Unit> =
            names.iter().map(|name| self.units.find(name).map_err(Failure::failed)).collect::<Done<_>>()?;
        let object = object::install()?;
        let session_unit = SessionUnit::name_of(self.session);
        self.write_session_unit(&session_unit)?;
        for (name, unit) in names.iter().zip(&found) {
            let removal = format!("lookback install --remove{} {name}", target(self.arguments));
            let (session, group) = (self.session, self.group);
            let session_unit = session_unit.as_str();
            let drop_in = DropIn { unit, removal: &removal, object: &object, session, session_unit, group };
            write(&self.units.drop_in(name), &drop_in.text())?;
            warn(unit, name, self.session, self.group);
        }
        Ok(())
    }

    /// What `lookback start` gets so that it makes the session there, also where its directory is gone.
    fn made_as(&self) -> &Path {
        let place = self.group.and_then(|group| SessionsDirectory::of_group(group).ok());
        let is_groups = place.is_some_and(|place| self.session.parent() == Some(place.path()));
        self.session
            .file_name()
            .map(Path::new)
            .filter(|_| is_groups)
            .unwrap_or(session_argument(self.session))
    }

    fn write_session_unit(&self, name: &str) -> Done<()> {
        let path = self.units.own(name);
        let command = std::env::current_exe().map_err(Failure::failed)?;
        let journal = self.arguments.persist.as_deref().map(std::path::absolute).transpose();
        let journal = journal.map_err(Failure::failed)?;
        let save_to = self.arguments.save_to.as_deref().map(std::path::absolute).transpose();
        let save_to = save_to.map_err(Failure::failed)?;
        let unit = SessionUnit {
            session: self.session,
            name: self.made_as(),
            command: &command,
            group: self.group,
            journal: journal.as_deref(),
            save_to: save_to.as_deref(),
            budget: self.arguments.budget,
        };
        if let Some(text) = std::fs::read_to_string(&path).ok().filter(|text| unit.is_of_other(text)) {
            let whose = text.lines().next().unwrap_or_default();
            return Err(Failure::failed(format_args!(
                "{} is of another session: {whose}: name the session otherwise",
                path.display()
            )));
        }
        write(&path, &unit.text())
    }
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
fn write(path: &Path, text: &str) -> Done<()> {
    let written = path.parent().ok_or(ErrorKind::InvalidInput.into()).and_then(|directory| {
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        file.persist(path)?;
        Ok(())
    });
    written.map_err(|error: std::io::Error| Failure::failed(format_args!("{}: {error}", path.display())))?;
    note!("{bold}lookback:{bold:#} wrote {}", path.display(), bold = Style::new().bold());
    Ok(())
}

/// Removes the drop-ins of services, and the units of sessions that no drop-in needs any more. Nothing where
/// one of them isn't there.
fn remove(units: &Units, names: &[String]) -> Done<()> {
    let paths: Vec<PathBuf> = names.iter().map(|name| units.drop_in(name)).collect();
    for (path, name) in paths.iter().zip(names) {
        if !path.exists() {
            let path = path.display();
            return Err(Failure::failed(format_args!("{name} is not attached: there is no {path}")));
        }
    }
    let mut session_units = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        session_units.extend(session_unit(&text).map(str::to_owned));
        remove_file(path)?;
        // Only where nobody else has anything in it.
        let _ = path.parent().map(std::fs::remove_dir);
    }
    session_units.sort();
    session_units.dedup();
    let left = units.own_drop_ins();
    for name in session_units {
        let path = units.own(&name);
        let is_needed = left.iter().any(|text| session_unit(text) == Some(&name));
        if !is_needed && path.exists() {
            remove_file(&path)?;
        }
    }
    Ok(())
}

fn remove_file(path: &Path) -> Done<()> {
    std::fs::remove_file(path)
        .map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))?;
    note!("{bold}lookback:{bold:#} removed {}", path.display(), bold = Style::new().bold());
    Ok(())
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
        note!("  the session doesn't exist yet: its unit makes it, or `lookback start{option}`");
    } else if runs_as_other(unit) && group.is_none() {
        let user = unit.value("User").unwrap_or("a user of its own");
        let may =
            accounts::user_id(user).is_some_and(|uid| User { uid, groups: Vec::new() }.may_attach(session));
        if !may {
            note!(
                "  {name} runs as {user}, which may not open {shown}: `lookback start --group GROUP` makes a session for a group; then install it again with --session"
            );
        }
    }
}

fn tell_next(arguments: &InstallArguments, names: &[String]) {
    let dim = Style::new().dimmed();
    let (user, names) = (if arguments.user { " --user" } else { "" }, names.join(" "));
    if arguments.root.is_none() {
        note!("  {dim}next{dim:#}  systemctl{user} daemon-reload && systemctl{user} restart {names}");
    }
}
