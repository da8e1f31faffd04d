//! The program to run: where it is, and whether it can be recorded.

use crate::failure::code::{FAILED, NOT_EXECUTABLE, NOT_FOUND};
use crate::failure::{Done, Failure};
use abi::control::Obstacle;
use object::elf::{EM_X86_64, FileHeader64, PT_INTERP};
use object::endian::LittleEndian;
use object::read::elf::{FileHeader, ProgramHeader};
use rustix::fs::{Access, access};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a file that are looked at: its ELF header and program headers, or its first line.
const HEAD: u64 = 64 * 1024;

/// How many scripts may name each other as interpreters: what the kernel allows.
const SCRIPTS: usize = 4;

/// A program that can be run and recorded.
#[derive(Debug)]
pub(crate) struct Program {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// How it was called.
    pub(crate) name: OsString,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
}

impl Program {
    /// Finds what the command names, as a shell would, and checks that it can be recorded.
    pub(crate) fn find(command: &[OsString]) -> Done<Program> {
        let program = Program::locate(command)?;
        check(&program.path, SCRIPTS)?;
        Ok(program)
    }

    /// Finds what the command names, as a shell would.
    pub(crate) fn locate(command: &[OsString]) -> Done<Program> {
        let Some((name, arguments)) = command.split_first() else {
            return Err(Failure::failed("no program is given: expected one after --"));
        };
        Ok(Program { path: locate(name)?, name: name.clone(), arguments: arguments.to_vec() })
    }
}

/// Where the program of a name is, as a shell finds it.
pub(crate) fn locate(name: &OsStr) -> Done<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match executable(&path) {
            Ok(()) => Ok(path),
            Err(reason) => Err(Failure::new(code(&path), format_args!("{}: {reason}", path.display()))),
        };
    }
    let directories = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let candidates: Vec<PathBuf> = std::env::split_paths(&directories)
        // An empty one is the current directory.
        .map(|directory| if directory == Path::new("") { ".".into() } else { directory })
        .map(|directory| directory.join(name))
        .filter(|path| path.is_file())
        .collect();
    if let Some(path) = candidates.iter().find(|path| executable(path).is_ok()) {
        return Ok(path.clone());
    }
    let shown = name.display();
    Err(match candidates.first() {
        Some(path) => Failure::new(NOT_EXECUTABLE, format_args!("{}: not executable", path.display())),
        None => Failure::new(NOT_FOUND, format_args!("{shown}: command not found in $PATH")),
    })
}

/// The exit code for what can't be executed.
fn code(path: &Path) -> u8 {
    if path.exists() { NOT_EXECUTABLE } else { NOT_FOUND }
}

fn executable(path: &Path) -> Result<(), String> {
    let found = path.metadata().map_err(|error| error.to_string())?;
    if found.is_dir() {
        return Err("is a directory, expected a program".to_string());
    }
    access(path, Access::EXEC_OK).map_err(|error| std::io::Error::from(error).to_string())
}

/// Checks that the dynamic linker will load our object into what runs when `path` is executed.
fn check(path: &Path, scripts: usize) -> Done<()> {
    let cannot =
        |reason: &str| Failure::new(FAILED, format_args!("{} can't be recorded: {reason}", path.display()));
    if is_privileged(path) {
        return Err(cannot(
            "it is set-user-ID or has capabilities, and for such programs the dynamic linker ignores LD_PRELOAD; record it as the user whose privileges it gets",
        ));
    }
    let mut head = Vec::new();
    // What can be executed but not read is left to the kernel.
    let Ok(file) = File::open(path) else { return Ok(()) };
    if file.take(HEAD).read_to_end(&mut head).is_err() {
        return Ok(());
    }
    if let Some(interpreter) = script_interpreter(&head) {
        executable(&interpreter).map_err(|reason| {
            let (script, shown) = (path.display(), interpreter.display());
            Failure::new(code(&interpreter), format_args!("{script}: its interpreter {shown}: {reason}"))
        })?;
        return if scripts > 0 { check(&interpreter, scripts - 1) } else { Ok(()) };
    }
    if head.starts_with(b"\x7fELF") {
        return check_elf(&head).map_err(|(_, reason)| cannot(&reason));
    }
    // A script without a first line that names an interpreter is run by the shell.
    Ok(())
}

/// Why a program that runs could not be recorded, as far as its file shows.
pub(crate) fn obstacle(path: &Path) -> Option<Obstacle> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let obstacle = check_elf(&head).err().map(|(obstacle, _)| obstacle);
    // It has no dynamic linker, being that itself.
    obstacle.filter(|obstacle| *obstacle != Obstacle::Static || !is_linker(path))
}

/// Whether a program, which may be a link to it, is called as a dynamic linker is.
fn is_linker(path: &Path) -> bool {
    let program = path.canonicalize().unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("ld") && name.contains(".so")
}

/// What the first line of a script names.
fn script_interpreter(head: &[u8]) -> Option<PathBuf> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.trim_ascii().split(u8::is_ascii_whitespace).next()?;
    (!word.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(word)))
}

/// Whether the dynamic linker will load our object: if not, why, and what to do.
fn check_elf(head: &[u8]) -> Result<(), (Obstacle, String)> {
    let foreign = || {
        let is_narrow = head.starts_with(b"\x7fELF\x01");
        let obstacle = if is_narrow { Obstacle::Narrow } else { Obstacle::OtherMachine };
        (obstacle, "it is built for another machine; expected x86-64, 64 bit".to_string())
    };
    let header = FileHeader64::<LittleEndian>::parse(head).map_err(|_| foreign())?;
    let endian = header.endian().map_err(|_| foreign())?;
    if header.e_machine(endian) != EM_X86_64 {
        return Err(foreign());
    }
    let segments = header
        .program_headers(endian, head)
        .map_err(|_| (Obstacle::OtherMachine, "its ELF header is damaged".to_string()))?;
    let interpreter = segments.iter().find(|segment| segment.p_type(endian) == PT_INTERP);
    let Some(interpreter) = interpreter else {
        let reason = "it is statically linked, so the agent can't be preloaded; \
                      link it dynamically, or record the program that starts or serves it";
        return Err((Obstacle::Static, reason.to_string()));
    };
    let linker = interpreter.data(endian, head).unwrap_or_default();
    let linker = linker.split(|byte| *byte == 0).next().unwrap_or_default();
    if linker.ends_with(b"/ld-linux-x86-64.so.2") || linker.ends_with(b"/ld-musl-x86_64.so.1") {
        return Ok(());
    }
    let linker = String::from_utf8_lossy(linker);
    let expected = "expected that of glibc, ld-linux-x86-64.so.2, or of musl, ld-musl-x86_64.so.1";
    Err((Obstacle::OtherLibc, format!("its dynamic linker is {linker}; {expected}")))
}

/// Whether executing it gives rights that its caller doesn't have.
fn is_privileged(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    let mode = found.permissions().mode();
    let user = mode & 0o4000 != 0 && found.uid() != rustix::process::geteuid().as_raw();
    let group = mode & 0o2010 == 0o2010 && found.gid() != rustix::process::getegid().as_raw();
    let mut value = [0u8; 64];
    let capable = rustix::fs::getxattr(path, "security.capability", &mut value).is_ok();
    user || group || (capable && !rustix::process::geteuid().is_root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_found_in_first_lines() {
        let interpreter = |head: &[u8]| script_interpreter(head);
        assert_eq!(interpreter(b"#!/bin/sh\necho"), Some("/bin/sh".into()));
        assert_eq!(interpreter(b"#! /usr/bin/env python3\n"), Some("/usr/bin/env".into()));
        assert_eq!(interpreter(b"echo"), None);
        assert_eq!(interpreter(b"#!\n"), None);
    }

    #[test]
    fn this_test_can_be_recorded_and_garbage_cannot() {
        let own = std::env::current_exe().unwrap();
        assert!(check(&own, SCRIPTS).is_ok());
        assert!(check_elf(b"\x7fELF\x01 something of 32 bits").is_err());
    }
}
