//! Calls on files and directories.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! file_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            file {
                open(pathname: Path, flags: OpenFlags, mode: Mode = creation_mode(flags, mode)) -> Descriptor
                    as [open, open64, __open_2, __open64_2];
                openat(dirfd: Directory, pathname: Path, flags: OpenFlags, mode: Mode = creation_mode(flags, mode)) -> Descriptor
                    as [openat, openat64, __openat_2, __openat64_2];
                creat(pathname: Path, mode: Mode) -> Descriptor as [creat, creat64];
                close(fd: Int) -> Success as [close];
                read(fd: Int, buf: Pointer, count: Size) -> Count as [read]
                    or __read_chk(fd: Int, buf: Pointer, count: Size, capacity: Size);
                pread(fd: Int, buf: Pointer, count: Size, offset: Long) -> Count as [pread, pread64]
                    or __pread_chk(fd: Int, buf: Pointer, count: Size, offset: Long, capacity: Size)
                    or __pread64_chk(fd: Int, buf: Pointer, count: Size, offset: Long, capacity: Size);
                readv(fd: Int, iov: Pointer, iovcnt: Int) -> Count as [readv];
                preadv(fd: Int, iov: Pointer, iovcnt: Int, offset: Long) -> Count as [preadv, preadv64];
                write(fd: Int, buf: Pointer, count: Size) -> Count as [write];
                pwrite(fd: Int, buf: Pointer, count: Size, offset: Long) -> Count as [pwrite, pwrite64];
                writev(fd: Int, iov: Pointer, iovcnt: Int) -> Count as [writev];
                pwritev(fd: Int, iov: Pointer, iovcnt: Int, offset: Long) -> Count as [pwritev, pwritev64];
                sendfile(out_fd: Int, in_fd: Int, offset: Pointer, count: Size) -> Count as [sendfile, sendfile64];
                copy_file_range(fd_in: Int, off_in: Pointer, fd_out: Int, off_out: Pointer, len: Size, flags: Unsigned) -> Count
                    as [copy_file_range];
                lseek(fd: Int, offset: Long, whence: Whence) -> Offset as [lseek, lseek64];
                dup(oldfd: Int) -> Descriptor as [dup];
                dup2(oldfd: Int, newfd: Int) -> Descriptor as [dup2];
                dup3(oldfd: Int, newfd: Int, flags: DescriptorFlags) -> Descriptor as [dup3];
                fcntl(fd: Int, cmd: FcntlCommand, arg: Pointer) -> Descriptor as [fcntl, fcntl64];
                ioctl(fd: Int, request: Pointer, arg: Pointer) -> Descriptor as [ioctl];
                flock(fd: Int, operation: LockOperation) -> Success as [flock];
                fsync(fd: Int) -> Success as [fsync];
                fdatasync(fd: Int) -> Success as [fdatasync];
                truncate(path: Path, length: Long) -> Success as [truncate, truncate64];
                ftruncate(fd: Int, length: Long) -> Success as [ftruncate, ftruncate64];
                posix_fallocate(fd: Int, offset: Long, len: Long) -> ErrorNumber as [posix_fallocate, posix_fallocate64];
                stat(pathname: Path, statbuf: Pointer) -> Success as [stat, stat64]
                    or __xstat(version: Int, pathname: Path, statbuf: Pointer)
                    or __xstat64(version: Int, pathname: Path, statbuf: Pointer);
                lstat(pathname: Path, statbuf: Pointer) -> Success as [lstat, lstat64]
                    or __lxstat(version: Int, pathname: Path, statbuf: Pointer)
                    or __lxstat64(version: Int, pathname: Path, statbuf: Pointer);
                fstat(fd: Int, statbuf: Pointer) -> Success as [fstat, fstat64]
                    or __fxstat(version: Int, fd: Int, statbuf: Pointer)
                    or __fxstat64(version: Int, fd: Int, statbuf: Pointer);
                fstatat(dirfd: Directory, pathname: Path, statbuf: Pointer, flags: AtFlags) -> Success as [fstatat, fstatat64]
                    or __fxstatat(version: Int, dirfd: Directory, pathname: Path, statbuf: Pointer, flags: AtFlags)
                    or __fxstatat64(version: Int, dirfd: Directory, pathname: Path, statbuf: Pointer, flags: AtFlags);
                statx(dirfd: Directory, pathname: Path, flags: AtFlags, mask: Unsigned, statxbuf: Pointer) -> Success as [statx];
                access(pathname: Path, mode: AccessMode) -> Success as [access];
                faccessat(dirfd: Directory, pathname: Path, mode: AccessMode, flags: AccessFlags) -> Success as [faccessat];
                readlink(pathname: Path, buf: Pointer, bufsiz: Size) -> Count as [readlink]
                    or __readlink_chk(pathname: Path, buf: Pointer, bufsiz: Size, capacity: Size);
                readlinkat(dirfd: Directory, pathname: Path, buf: Pointer, bufsiz: Size) -> Count as [readlinkat]
                    or __readlinkat_chk(dirfd: Directory, pathname: Path, buf: Pointer, bufsiz: Size, capacity: Size);
                rename(oldpath: Path, newpath: Path) -> Success as [rename];
                renameat(olddirfd: Directory, oldpath: Path, newdirfd: Directory, newpath: Path) -> Success as [renameat];
                link(oldpath: Path, newpath: Path) -> Success as [link];
                symlink(target: Path, linkpath: Path) -> Success as [symlink];
                unlink(pathname: Path) -> Success as [unlink];
                unlinkat(dirfd: Directory, pathname: Path, flags: AtFlags) -> Success as [unlinkat];
                mkdir(pathname: Path, mode: Mode) -> Success as [mkdir];
                mkdirat(dirfd: Directory, pathname: Path, mode: Mode) -> Success as [mkdirat];
                rmdir(pathname: Path) -> Success as [rmdir];
                chdir(path: Path) -> Success as [chdir];
                chmod(pathname: Path, mode: Mode) -> Success as [chmod];
                fchmod(fd: Int, mode: Mode) -> Success as [fchmod];
                chown(pathname: Path, owner: Unsigned, group: Unsigned) -> Success as [chown];
                opendir(name: Path) -> Address as [opendir];
                fdopendir(fd: Int) -> Address as [fdopendir];
                readdir(dirp: Pointer) -> Entry as [readdir, readdir64];
                closedir(dirp: Pointer) -> Success as [closedir];
                mkstemp(template: Path) -> Descriptor as [mkstemp, mkstemp64];
                mkostemp(template: Path, flags: OpenFlags) -> Descriptor as [mkostemp, mkostemp64];
                mkstemps(template: Path, suffixlen: Int) -> Descriptor as [mkstemps, mkstemps64];
                mkostemps(template: Path, suffixlen: Int, flags: OpenFlags) -> Descriptor as [mkostemps, mkostemps64];
                mkdtemp(template: Path) -> Address as [mkdtemp];
                tmpfile() -> Address as [tmpfile, tmpfile64];
                mknod(pathname: Path, mode: Mode, dev: Size) -> Success as [mknod];
                mknodat(dirfd: Directory, pathname: Path, mode: Mode, dev: Size) -> Success as [mknodat];
                mkfifo(pathname: Path, mode: Mode) -> Success as [mkfifo];
                mkfifoat(dirfd: Directory, pathname: Path, mode: Mode) -> Success as [mkfifoat];
                fchown(fd: Int, owner: Unsigned, group: Unsigned) -> Success as [fchown];
                lchown(pathname: Path, owner: Unsigned, group: Unsigned) -> Success as [lchown];
                fchownat(dirfd: Directory, pathname: Path, owner: Unsigned, group: Unsigned, flags: AtFlags) -> Success as [fchownat];
                fchmodat(dirfd: Directory, pathname: Path, mode: Mode, flags: AtFlags) -> Success as [fchmodat];
                linkat(olddirfd: Directory, oldpath: Path, newdirfd: Directory, newpath: Path, flags: AtFlags) -> Success as [linkat];
                symlinkat(target: Path, newdirfd: Directory, linkpath: Path) -> Success as [symlinkat];
                renameat2(olddirfd: Directory, oldpath: Path, newdirfd: Directory, newpath: Path, flags: Unsigned) -> Success as [renameat2];
                remove(pathname: Path) -> Success as [remove];
                fchdir(fd: Int) -> Success as [fchdir];
                chroot(path: Path) -> Success as [chroot] around place::HOOKS;
                getcwd(buf: Pointer, size: Size) -> Address as [getcwd] or __getcwd_chk(buf: Pointer, size: Size, capacity: Size);
                realpath(path: Path, resolved_path: Pointer) -> Address as [realpath]
                    or __realpath_chk(path: Path, resolved_path: Pointer, capacity: Size);
                statfs(path: Path, buf: Pointer) -> Success as [statfs, statfs64];
                fstatfs(fd: Int, buf: Pointer) -> Success as [fstatfs, fstatfs64];
                statvfs(path: Path, buf: Pointer) -> Success as [statvfs, statvfs64];
                fstatvfs(fd: Int, buf: Pointer) -> Success as [fstatvfs, fstatvfs64];
                utime(filename: Path, times: Pointer) -> Success as [utime];
                utimes(filename: Path, times: Pointer) -> Success as [utimes];
                utimensat(dirfd: Directory, pathname: Path, times: Pointer, flags: AtFlags) -> Success as [utimensat];
                futimens(fd: Int, times: Pointer) -> Success as [futimens];
                fallocate(fd: Int, mode: Int, offset: Long, len: Long) -> Success as [fallocate, fallocate64];
                posix_fadvise(fd: Int, offset: Long, len: Long, advice: Int) -> ErrorNumber as [posix_fadvise, posix_fadvise64];
                lockf(fd: Int, cmd: Int, len: Long) -> Success as [lockf, lockf64];
                preadv2(fd: Int, iov: Pointer, iovcnt: Int, offset: Long, flags: Int) -> Count as [preadv2, preadv64v2];
                pwritev2(fd: Int, iov: Pointer, iovcnt: Int, offset: Long, flags: Int) -> Count as [pwritev2, pwritev64v2];
                splice(fd_in: Int, off_in: Pointer, fd_out: Int, off_out: Pointer, len: Size, flags: Unsigned) -> Count as [splice];
                tee(fd_in: Int, fd_out: Int, len: Size, flags: Unsigned) -> Count as [tee];
                vmsplice(fd: Int, iov: Pointer, nr_segs: Size, flags: Unsigned) -> Count as [vmsplice];
                sync() -> Nothing as [sync];
                syncfs(fd: Int) -> Success as [syncfs];
                umask(mask: Mode) -> Permissions as [umask];
                close_range(first: Unsigned, last: Unsigned, flags: Int) -> Success as [close_range];
                closefrom(lowfd: Int) -> Nothing as [closefrom];
                rewinddir(dirp: Pointer) -> Nothing as [rewinddir];
                seekdir(dirp: Pointer, loc: Long) -> Nothing as [seekdir];
                telldir(dirp: Pointer) -> Offset as [telldir];
                dirfd(dirp: Pointer) -> Descriptor as [dirfd];
                scandir(dirp: Path, namelist: Pointer, filter: Function, compar: Function) -> Descriptor as [scandir, scandir64];
                inotify_init1(flags: DescriptorFlags) -> Descriptor as [inotify_init1];
                inotify_add_watch(fd: Int, pathname: Path, mask: Unsigned) -> Descriptor as [inotify_add_watch];
                inotify_rm_watch(fd: Int, wd: Int) -> Success as [inotify_rm_watch];
            }
        }
    };
}
