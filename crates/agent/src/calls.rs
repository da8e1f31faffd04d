//! The table of libc calls that are traced. Adding one is one line.
//!
//! ```text
//! class {
//!     name(argument: Kind, argument: Kind = value to record) -> Result as [names, of, symbols]
//!         or other_symbol(its: Kind, own: Kind, parameters: Kind) around HOOKS;
//! }
//! ```
//!
//! Each call has two events: `libc:name` when it is entered, with its arguments and the address that it
//! was called from, and `libc:name_exit` when it returns, with its result, its error, and what the
//! arguments' kinds say can be read then. See [`crate::argument`] for the kinds.
//!
//! All symbols after `as` have the call's own parameters; one after `or` has others, among which the
//! call's arguments are found by name. A call whose symbols are wrapped by hand has none here. Hooks are
//! what is done before and after libc's function besides recording, whether the call's events are on or not.

/// Calls the macro `$with` with the table. Its lines are as long as a call is: rustfmt::skip.
macro_rules! calls {
    ($with:ident) => {
        $with! {
            file {
                open(pathname: Path, flags: OpenFlags, mode: Mode = creation_mode(flags, mode)) -> Descriptor
                    as [open, open64, __open_2, __open64_2];
                openat(dirfd: Directory, pathname: Path, flags: OpenFlags, mode: Mode = creation_mode(flags, mode)) -> Descriptor
                    as [openat, openat64, __openat_2, __openat64_2];
                creat(pathname: Path, mode: Mode) -> Descriptor as [creat, creat64];
                close(fd: Int) -> Success as [close];
                read(fd: Int, buf: Pointer, count: Size) -> Count as [read]
                    or __read_chk(fd: Int, buf: Pointer, count: Size, room: Size);
                pread(fd: Int, buf: Pointer, count: Size, offset: Long) -> Count as [pread, pread64]
                    or __pread_chk(fd: Int, buf: Pointer, count: Size, offset: Long, room: Size)
                    or __pread64_chk(fd: Int, buf: Pointer, count: Size, offset: Long, room: Size);
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
                    or __readlink_chk(pathname: Path, buf: Pointer, bufsiz: Size, room: Size);
                readlinkat(dirfd: Directory, pathname: Path, buf: Pointer, bufsiz: Size) -> Count as [readlinkat]
                    or __readlinkat_chk(dirfd: Directory, pathname: Path, buf: Pointer, bufsiz: Size, room: Size);
                rename(oldpath: Path, newpath: NewPath) -> Success as [rename];
                renameat(olddirfd: Directory, oldpath: Path, newdirfd: Directory, newpath: NewPath) -> Success as [renameat];
                link(oldpath: Path, newpath: NewPath) -> Success as [link];
                symlink(target: Path, linkpath: NewPath) -> Success as [symlink];
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
            }
            stdio {
                fopen(pathname: Path, mode: Path) -> Address as [fopen, fopen64];
                fdopen(fd: Int, mode: Path) -> Address as [fdopen];
                freopen(pathname: Path, mode: Path, stream: Pointer) -> Address as [freopen, freopen64];
                fclose(stream: Pointer) -> Success as [fclose];
                fread(ptr: Pointer, size: Size, nmemb: Size, stream: Pointer) -> Number as [fread, fread_unlocked]
                    or __fread_chk(ptr: Pointer, room: Size, size: Size, nmemb: Size, stream: Pointer)
                    or __fread_unlocked_chk(ptr: Pointer, room: Size, size: Size, nmemb: Size, stream: Pointer);
                fwrite(ptr: Pointer, size: Size, nmemb: Size, stream: Pointer) -> Number as [fwrite, fwrite_unlocked];
                fgets(s: Pointer, size: Int, stream: Pointer) -> Address as [fgets, fgets_unlocked]
                    or __fgets_chk(s: Pointer, room: Size, size: Int, stream: Pointer)
                    or __fgets_unlocked_chk(s: Pointer, room: Size, size: Int, stream: Pointer);
                getline(lineptr: Pointer, n: Pointer, stream: Pointer) -> Count as [getline];
                getdelim(lineptr: Pointer, n: Pointer, delim: Int, stream: Pointer) -> Count as [getdelim, __getdelim];
                fputs(s: Pointer, stream: Pointer) -> Success as [fputs, fputs_unlocked];
                puts(s: Pointer) -> Success as [puts];
                fflush(stream: Pointer) -> Success as [fflush, fflush_unlocked];
                fseek(stream: Pointer, offset: Long, whence: Whence) -> Success as [fseek, fseeko, fseeko64];
            }
            net {
                socket(domain: AddressFamily, kind: SocketType, protocol: Int) -> Descriptor as [socket];
                socketpair(domain: AddressFamily, kind: SocketType, protocol: Int, sv: DescriptorPair) -> Success as [socketpair];
                bind(sockfd: Int, addr: SocketAddress, addrlen: Unsigned) -> Success as [bind];
                listen(sockfd: Int, backlog: Int) -> Success as [listen];
                accept(sockfd: Int, addr: PeerAddress, addrlen: Pointer) -> Descriptor as [accept];
                accept4(sockfd: Int, addr: PeerAddress, addrlen: Pointer, flags: SocketType) -> Descriptor as [accept4];
                connect(sockfd: Int, addr: SocketAddress, addrlen: Unsigned) -> Success as [connect];
                send(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags) -> Count as [send];
                sendto(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags, addr: SocketAddress, addrlen: Unsigned) -> Count as [sendto];
                sendmsg(sockfd: Int, msg: Pointer, flags: MessageFlags) -> Count as [sendmsg];
                recv(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags) -> Count as [recv]
                    or __recv_chk(sockfd: Int, buf: Pointer, len: Size, room: Size, flags: MessageFlags);
                recvfrom(sockfd: Int, buf: Pointer, len: Size, flags: MessageFlags, addr: PeerAddress, addrlen: Pointer) -> Count as [recvfrom]
                    or __recvfrom_chk(sockfd: Int, buf: Pointer, len: Size, room: Size, flags: MessageFlags, addr: PeerAddress, addrlen: Pointer);
                recvmsg(sockfd: Int, msg: Pointer, flags: MessageFlags) -> Count as [recvmsg];
                shutdown(sockfd: Int, how: ShutdownHow) -> Success as [shutdown];
                getsockopt(sockfd: Int, level: Int, optname: Int, optval: Pointer, optlen: Pointer) -> Success as [getsockopt];
                setsockopt(sockfd: Int, level: Int, optname: Int, optval: Pointer, optlen: Unsigned) -> Success as [setsockopt];
            }
            poll {
                poll(fds: Pointer, nfds: Size, timeout: Int) -> Descriptor as [poll]
                    or __poll_chk(fds: Pointer, nfds: Size, timeout: Int, room: Size);
                ppoll(fds: Pointer, nfds: Size, tmo_p: Pointer, sigmask: Pointer) -> Descriptor as [ppoll]
                    or __ppoll_chk(fds: Pointer, nfds: Size, tmo_p: Pointer, sigmask: Pointer, room: Size);
                select(nfds: Int, readfds: Pointer, writefds: Pointer, exceptfds: Pointer, timeout: Pointer) -> Descriptor as [select];
                pselect(nfds: Int, readfds: Pointer, writefds: Pointer, exceptfds: Pointer, timeout: Pointer, sigmask: Pointer) -> Descriptor as [pselect];
                epoll_create(size: Int) -> Descriptor as [epoll_create];
                epoll_create1(flags: DescriptorFlags) -> Descriptor as [epoll_create1];
                epoll_ctl(epfd: Int, op: EpollOperation, fd: Int, event: Pointer) -> Success as [epoll_ctl];
                epoll_wait(epfd: Int, events: Pointer, maxevents: Int, timeout: Int) -> Descriptor as [epoll_wait];
                epoll_pwait(epfd: Int, events: Pointer, maxevents: Int, timeout: Int, sigmask: Pointer) -> Descriptor as [epoll_pwait];
            }
            pipe {
                pipe(pipefd: DescriptorPair) -> Success as [pipe];
                pipe2(pipefd: DescriptorPair, flags: DescriptorFlags) -> Success as [pipe2];
            }
            time {
                sleep(seconds: Unsigned) -> Remaining as [sleep];
                usleep(usec: Unsigned) -> Success as [usleep];
                nanosleep(req: Duration, rem: Pointer) -> Success as [nanosleep];
                clock_nanosleep(clockid: ClockId, flags: Int, req: Duration, rem: Pointer) -> ErrorNumber as [clock_nanosleep];
                pause() -> Success as [pause];
            }
            process {
                fork() -> Child as [fork, _Fork] around fork::HOOKS;
                vfork() -> Child as [];
                execve(pathname: Path, argv: Pointer, envp: Pointer) -> Success as [];
                fexecve(fd: Int, argv: Pointer, envp: Pointer) -> Success as [];
                posix_spawn(pid: ChildPid, path: Path, file_actions: Pointer, attrp: Pointer, argv: Pointer, envp: Pointer) -> ErrorNumber as [];
                system(command: Path) -> Descriptor as [system];
                popen(command: Path, kind: Path) -> Address as [popen];
                pclose(stream: Pointer) -> Descriptor as [pclose];
                wait(wstatus: Status) -> Child as [wait] around reap::WAIT;
                waitpid(pid: Pid, wstatus: Status, options: WaitOptions) -> Child as [waitpid] around reap::WAITPID;
                wait3(wstatus: Status, options: WaitOptions, rusage: Pointer) -> Child as [wait3] around reap::WAIT3;
                wait4(pid: Pid, wstatus: Status, options: WaitOptions, rusage: Pointer) -> Child as [wait4] around reap::WAITPID;
                waitid(idtype: Int, id: Pid, infop: Pointer, options: WaitOptions) -> Success as [waitid] around reap::WAITID;
                kill(pid: Pid, sig: Signal) -> Success as [kill];
                exit(status: Int) -> Never as [];
                _exit(status: Int) -> Never as [];
            }
        }
    };
}

pub(crate) use calls;
