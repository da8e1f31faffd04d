//! `lookback mount` and `lookback umount`.

use crate::arguments::MountArguments;
use crate::failure::{Done, Failure};
use crate::object;
use crate::stdout::print;
use session::Instance;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;
use tracefs::Tree;
use tracefs_fuse::Server;

impl From<tracefs_fuse::Error> for Failure {
    fn from(error: tracefs_fuse::Error) -> Failure {
        Failure::failed(error)
    }
}

/// Mounts a session.
pub(crate) fn mount(arguments: &MountArguments) -> Done {
    let session = arguments.which.open()?;
    let directory = directory(&arguments.directory)?;
    match arguments.foreground || arguments.background {
        true => serve(session, &directory, arguments),
        false => start_server(&session, &directory, arguments),
    }
}

/// The directory as anybody finds it, wherever he is.
fn directory(path: &Path) -> Done<PathBuf> {
    let failed = |reason: String| {
        Failure::failed(format_args!("{}: {reason}expected a directory to mount on", path.display()))
    };
    let absolute = path.canonicalize().map_err(|error| failed(format!("{error}; ")))?;
    if absolute.is_dir() { Ok(absolute) } else { Err(failed(String::new())) }
}

/// Time between two looks at whether the session's file is in one piece.
const LOOKS: Duration = Duration::from_secs(1);

/// Why a server ends.
enum End {
    /// It is mounted nowhere any more.
    Unmounted(std::io::Result<()>),
    /// A signal has asked for it.
    Signal,
    /// The session's file has been made shorter.
    Truncated(session::Error),
}

/// Mounts, says so, and serves to the end.
fn serve(session: Instance, directory: &Path, arguments: &MountArguments) -> Done {
    if arguments.background {
        leave().map_err(Failure::failed)?;
    }
    let path = session.path().to_path_buf();
    // Before it is mounted: a signal must not leave a mount that nobody serves.
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(Failure::failed)?;
    let options = arguments.options.clone().unwrap_or_default();
    let watched = session.again()?;
    let mount = tracefs_fuse::Mount::new(directory, &options)?;
    let (sender, ends) = mpsc::channel();
    let server = Server::new(Tree::new(session), mount);
    let served = sender.clone();
    std::thread::spawn(move || served.send(End::Unmounted(server.run())));
    let failed = sender.clone();
    std::thread::spawn(move || wait_for_signal(signals, &sender));
    std::thread::spawn(move || wait_for_truncation(&watched, &failed));
    print(format_args!("lookback: {} is mounted on {}", path.display(), directory.display()))?;
    if arguments.background {
        be_silent().map_err(Failure::failed)?;
    }
    match ends.recv() {
        Ok(End::Unmounted(served)) => served.map_err(Failure::failed)?,
        Ok(End::Truncated(error)) => {
            tracefs_fuse::detach(directory)?;
            return Err(error.into());
        }
        // What is open there can't be read any more when this process has gone.
        _ => tracefs_fuse::detach(directory)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn wait_for_signal(mut signals: Signals, sender: &Sender<End>) {
    if signals.forever().next().is_some() {
        let _ = sender.send(End::Signal);
    }
}

fn wait_for_truncation(session: &Instance, sender: &Sender<End>) {
    loop {
        std::thread::sleep(LOOKS);
        if let Err(error) = session.session().check_whole() {
            let _ = sender.send(End::Truncated(error));
            return;
        }
    }
}

/// Leaves the session and the directory of who has started this process.
fn leave() -> std::io::Result<()> {
    rustix::process::setsid()?;
    std::env::set_current_dir("/")
}

/// Who has started this process waits for its output to end.
fn be_silent() -> std::io::Result<()> {
    std::io::stdout().flush()?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Starts another process that mounts and serves, and waits until it does.
fn start_server(session: &Instance, directory: &Path, arguments: &MountArguments) -> Done {
    let own = std::env::current_exe().map_err(Failure::failed)?;
    // It leaves the directory from which a path may start.
    let path = std::path::absolute(session.path()).map_err(Failure::failed)?;
    let mut server = Command::new(own);
    server.args(["mount", "--background", "--session"]).arg(path).arg(directory);
    if let Some(gid) = arguments.options.as_ref().and_then(|options| options.gid) {
        server.arg("-o").arg(format!("gid={gid}"));
    }
    set_untraced(&mut server);
    server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().map_err(Failure::failed)?;
    let (mut said, mut errors) = (String::new(), Vec::new());
    // Both end when it serves, or has failed.
    let read = server.stdout.take().map_or(Ok(0), |mut output| output.read_to_string(&mut said));
    read.map_err(Failure::failed)?;
    if let Some(mut output) = server.stderr.take() {
        output.read_to_end(&mut errors).map_err(Failure::failed)?;
    }
    if said.is_empty() {
        // It has said why itself.
        let _ = std::io::stderr().write_all(&errors);
        let status = server.wait().map_err(Failure::failed)?;
        return Ok(ExitCode::from(status.code().map_or(crate::failure::code::FAILED, |code| code as u8)));
    }
    print(said.trim_end())
}

/// Has a program start without our object, so that it is not traced.
pub(crate) fn set_untraced(command: &mut Command) {
    let Some(value) = std::env::var_os("LD_PRELOAD") else { return };
    match without_object(&value.to_string_lossy()) {
        kept if kept.is_empty() => command.env_remove("LD_PRELOAD"),
        kept => command.env("LD_PRELOAD", OsString::from(kept)),
    };
}

/// The objects to be loaded without ours. They are separated by colons or blanks.
fn without_object(preload: &str) -> String {
    let is_ours = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.starts_with(object::PREFIX));
    let paths = preload.split([':', ' ']).filter(|path| !path.is_empty() && !is_ours(path));
    paths.collect::<Vec<_>>().join(":")
}

/// Unmounts a session.
pub(crate) fn umount(directory: &Path) -> Done {
    tracefs_fuse::unmount(directory)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_objects_stay_preloaded() {
        let own = "/dev/shm/lookback-0/liblookback-0123.so";
        assert_eq!(without_object(own), "");
        assert_eq!(without_object(&format!("/lib/a.so {own}:/lib/b.so")), "/lib/a.so:/lib/b.so");
        assert_eq!(without_object("/lib/notliblookback-1.so"), "/lib/notliblookback-1.so");
    }
}
