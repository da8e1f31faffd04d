//! Calls that make, change and end processes and threads.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! process_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            process {
                fork() -> Child as [fork, _Fork] around fork::HOOKS;
                vfork() -> Child as [];
                execve(pathname: Path, argv: Arguments, envp: Pointer) -> Success as [];
                fexecve(fd: Int, argv: Arguments, envp: Pointer) -> Success as [];
                posix_spawn(pid: ChildPid, path: Path, file_actions: Pointer, attrp: Pointer, argv: Arguments, envp: Pointer) -> ErrorNumber as [];
                system(command: Path) -> Descriptor as [system];
                popen(command: Path, kind: Path) -> Address as [popen];
                pclose(stream: Pointer) -> Descriptor as [pclose];
                wait(wstatus: Status) -> Child as [wait] around reap::WAIT;
                waitpid(pid: Pid, wstatus: Status, options: WaitOptions) -> Child as [waitpid] around reap::WAITPID;
                wait3(wstatus: Status, options: WaitOptions, rusage: Pointer) -> Child as [wait3] around reap::WAIT3;
                wait4(pid: Pid, wstatus: Status, options: WaitOptions, rusage: Pointer) -> Child as [wait4] around reap::WAITPID;
                waitid(idtype: Int, id: Pid, infop: Pointer, options: WaitOptions) -> Success as [waitid] around reap::WAITID;
                exit(status: Int) -> Nothing as [];
                _exit(status: Int) -> Nothing as [];
                pthread_create(thread: NewThread, attr: Pointer, start_routine: Function, arg: Pointer) -> ErrorNumber as [pthread_create] around create::CREATE;
                pthread_join(thread: Pointer, retval: Pointer) -> ErrorNumber as [pthread_join];
                pthread_tryjoin_np(thread: Pointer, retval: Pointer) -> ErrorNumber as [pthread_tryjoin_np];
                pthread_timedjoin_np(thread: Pointer, retval: Pointer, abstime: Pointer) -> ErrorNumber as [pthread_timedjoin_np];
                pthread_clockjoin_np(thread: Pointer, retval: Pointer, clockid: ClockId, abstime: Pointer) -> ErrorNumber as [pthread_clockjoin_np];
                pthread_detach(thread: Pointer) -> ErrorNumber as [pthread_detach];
                pthread_cancel(thread: Pointer) -> ErrorNumber as [pthread_cancel];
                pthread_exit(retval: Pointer) -> Nothing as [pthread_exit];
                abort() -> Nothing as [abort] around abort::ABORT;
                __assert_fail(assertion: Name, file: Name, line: Unsigned, function: Name) -> Nothing as [__assert_fail] around abort::ASSERT;
                __assert_perror_fail(errnum: Int, file: Name, line: Unsigned, function: Name) -> Nothing as [__assert_perror_fail] around abort::ASSERT_ERROR;
                dlopen(filename: Name, flags: DlopenFlags) -> Nothing as [dlopen] around library::OPEN;
                dlmopen(lmid: Long, filename: Name, flags: DlopenFlags) -> Nothing as [dlmopen] around library::OPEN;
                dlclose(handle: Pointer) -> Unexplained as [dlclose] around library::CLOSE;
                setuid(uid: Unsigned) -> Success as [setuid];
                seteuid(euid: Unsigned) -> Success as [seteuid];
                setreuid(ruid: Unsigned, euid: Unsigned) -> Success as [setreuid];
                setresuid(ruid: Unsigned, euid: Unsigned, suid: Unsigned) -> Success as [setresuid];
                setgid(gid: Unsigned) -> Success as [setgid];
                setegid(egid: Unsigned) -> Success as [setegid];
                setregid(rgid: Unsigned, egid: Unsigned) -> Success as [setregid];
                setresgid(rgid: Unsigned, egid: Unsigned, sgid: Unsigned) -> Success as [setresgid];
                setgroups(size: Size, list: Pointer) -> Success as [setgroups];
                initgroups(user: Path, group: Unsigned) -> Success as [initgroups];
                setsid() -> Child as [setsid];
                setpgid(pid: Pid, pgid: Pid) -> Success as [setpgid];
                unshare(flags: CloneFlags) -> Success as [unshare] around place::UNSHARE;
                setns(fd: Int, nstype: CloneFlags) -> Success as [setns] around place::SETNS;
                getrlimit(resource: Resource, rlim: Pointer) -> Success as [getrlimit, getrlimit64] around limits::GETRLIMIT;
                setrlimit(resource: Resource, rlim: Pointer) -> Success as [setrlimit, setrlimit64] around limits::SETRLIMIT;
                prlimit(pid: Pid, resource: Resource, new_limit: Pointer, old_limit: Pointer) -> Success as [prlimit, prlimit64] around limits::PRLIMIT;
                getrusage(who: Int, usage: Pointer) -> Success as [getrusage];
                getpriority(which: Int, who: Unsigned) -> Unexplained as [getpriority];
                setpriority(which: Int, who: Unsigned, prio: Int) -> Success as [setpriority];
                nice(inc: Int) -> Unexplained as [nice];
                sched_setscheduler(pid: Pid, policy: SchedPolicy, param: Pointer) -> Descriptor as [sched_setscheduler];
                sched_getscheduler(pid: Pid) -> Descriptor as [sched_getscheduler];
                sched_setparam(pid: Pid, param: Pointer) -> Success as [sched_setparam];
                sched_getparam(pid: Pid, param: Pointer) -> Success as [sched_getparam];
                sched_setaffinity(pid: Pid, cpusetsize: Size, mask: Pointer) -> Success as [sched_setaffinity];
                sched_getaffinity(pid: Pid, cpusetsize: Size, mask: Pointer) -> Success as [sched_getaffinity];
            }
            env {
                getenv(name: Path) -> Entry as [getenv];
                secure_getenv(name: Path) -> Entry as [secure_getenv];
                setenv(name: Path, value: Pointer, overwrite: Int) -> Success as [setenv];
                unsetenv(name: Path) -> Success as [unsetenv];
                putenv(string: Pointer) -> Success as [putenv];
                clearenv() -> Success as [clearenv];
            }
        }
    };
}
