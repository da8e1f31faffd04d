//! The file of a program that is to be executed, and the rights that its process gets.

use super::elf::START;
use abi::control::Obstacle;
use core::ffi::CStr;
use core::ops::ControlFlow;
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, Stat, StatVfsMountFlags, fgetxattr, fstat, fstatvfs, getxattr, stat, statvfs};
use rustix::io::pread;
use rustix::process::{getegid, geteuid, getgid, getuid};
use rustix::thread::no_new_privs;

/// A file that is to be executed: where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExecFile<'a> {
    Path(&'a CStr),
    Descriptor(BorrowedFd<'a>),
}

/// The bits of a mode by which a program gets the rights of its file's owner, or of its group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2010;

impl ExecFile<'_> {
    /// Its status, if one is there.
    pub(super) fn status(&self) -> Option<Stat> {
        match self {
            ExecFile::Path(path) => stat(*path),
            ExecFile::Descriptor(fd) => fstat(fd),
        }
        .ok()
    }

    /// Whether a file is there that can be executed by somebody.
    pub(super) fn is_program(&self) -> bool {
        self.status().is_some_and(|status| is_file(&status) && status.st_mode & 0o111 != 0)
    }

    /// Whether it is called as a dynamic linker is.
    pub(super) fn is_linker(&self) -> bool {
        let ExecFile::Path(path) = self else { return false };
        let path = path.to_bytes();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        name.starts_with(b"ld") && name.windows(3).any(|part| part == b".so")
    }

    /// Reads the start of a file; zeros where there is none: no other kind is opened, which may do something.
    pub(super) fn read(&self, start: &mut [u8; START]) {
        *start = [0; START];
        if !self.status().is_some_and(|status| is_file(&status)) {
            return;
        }
        match self {
            ExecFile::Path(path) => {
                let _ = shm::read_pieces(path, |piece| {
                    for (to, from) in start.iter_mut().zip(piece) {
                        *to = *from;
                    }
                    ControlFlow::Break(())
                });
            }
            ExecFile::Descriptor(fd) => {
                let _ = pread(fd, &mut start[..], 0);
            }
        }
    }

    /// What the rights of the process that executes it speak against it: the kernel has the dynamic linker
    /// be careful if the effective user or group is not the real one, or capabilities come with the file.
    pub(super) fn rights(&self, status: &Stat) -> Option<Obstacle> {
        let (user, group) = (getuid(), getgid());
        let is_set = |bits| status.st_mode & bits == bits;
        let is_capable = !user.is_root() && self.is_capable();
        let may_gain = (is_set(SET_USER) || is_set(SET_GROUP) || is_capable) && self.may_gain();
        if may_gain && is_set(SET_USER) && status.st_uid != user.as_raw() {
            return Some(Obstacle::SetUser);
        }
        if may_gain && is_set(SET_GROUP) && status.st_gid != group.as_raw() {
            return Some(Obstacle::SetGroup);
        }
        if may_gain && is_capable {
            return Some(Obstacle::Capabilities);
        }
        let is_other_user = !(may_gain && is_set(SET_USER)) && geteuid() != user;
        let is_other_group = !(may_gain && is_set(SET_GROUP)) && getegid() != group;
        (is_other_user || is_other_group).then_some(Obstacle::OtherRights)
    }

    fn is_capable(&self) -> bool {
        const NAME: &CStr = c"security.capability";
        let mut value = [0_u8; 32];
        match self {
            ExecFile::Path(path) => getxattr(*path, NAME, &mut value[..]),
            ExecFile::Descriptor(fd) => fgetxattr(fd, NAME, &mut value[..]),
        }
        .is_ok()
    }

    /// Whether the process, and the mount that the file is in, allow a program to give rights.
    fn may_gain(&self) -> bool {
        let mount = match self {
            ExecFile::Path(path) => statvfs(*path),
            ExecFile::Descriptor(fd) => fstatvfs(fd),
        };
        !mount.is_ok_and(|mount| mount.f_flag.contains(StatVfsMountFlags::NOSUID))
            && !no_new_privs().is_ok_and(|is_set| is_set)
    }
}

fn is_file(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
}
