//! Calls on streams, pipes and terminals.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! stream_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            stdio {
                fopen(pathname: Path, mode: Path) -> Address as [fopen, fopen64];
                fdopen(fd: Int, mode: Path) -> Address as [fdopen];
                freopen(pathname: Path, mode: Path, stream: Pointer) -> Address as [freopen, freopen64];
                fclose(stream: Pointer) -> Success as [fclose];
                fread(ptr: Pointer, size: Size, nmemb: Size, stream: Pointer) -> Number as [fread, fread_unlocked]
                    or __fread_chk(ptr: Pointer, capacity: Size, size: Size, nmemb: Size, stream: Pointer)
                    or __fread_unlocked_chk(ptr: Pointer, capacity: Size, size: Size, nmemb: Size, stream: Pointer);
                fwrite(ptr: Pointer, size: Size, nmemb: Size, stream: Pointer) -> Number as [fwrite, fwrite_unlocked];
                fgets(s: Pointer, size: Int, stream: Pointer) -> Line as [fgets, fgets_unlocked]
                    or __fgets_chk(s: Pointer, capacity: Size, size: Int, stream: Pointer)
                    or __fgets_unlocked_chk(s: Pointer, capacity: Size, size: Int, stream: Pointer);
                getline(lineptr: Pointer, n: Pointer, stream: Pointer) -> LineLength as [getline];
                getdelim(lineptr: Pointer, n: Pointer, delim: Int, stream: Pointer) -> LineLength as [getdelim, __getdelim];
                fputs(s: Pointer, stream: Pointer) -> Success as [fputs, fputs_unlocked];
                puts(s: Pointer) -> Success as [puts];
                fflush(stream: Pointer) -> Success as [fflush, fflush_unlocked];
                fseek(stream: Pointer, offset: Long, whence: Whence) -> Success as [fseek, fseeko, fseeko64];
                fmemopen(buf: Pointer, size: Size, mode: Path) -> Address as [fmemopen];
                open_memstream(ptr: Pointer, sizeloc: Pointer) -> Address as [open_memstream];
                setvbuf(stream: Pointer, buf: Pointer, mode: Int, size: Size) -> Unexplained as [setvbuf];
                setbuf(stream: Pointer, buf: Pointer) -> Nothing as [setbuf];
                setlinebuf(stream: Pointer) -> Nothing as [setlinebuf];
                ftell(stream: Pointer) -> Offset as [ftell, ftello, ftello64];
                rewind(stream: Pointer) -> Nothing as [rewind];
                fgetpos(stream: Pointer, pos: Pointer) -> Success as [fgetpos, fgetpos64];
                fsetpos(stream: Pointer, pos: Pointer) -> Success as [fsetpos, fsetpos64];
                perror(s: Name) -> Nothing as [perror];
                syslog(level: LogLevel = priority & 0x7, facility: LogFacility = priority & 0x3f8, format: Name) -> Nothing as []
                    or syslog(priority: Int, format: Name)
                    or vsyslog(priority: Int, format: Name, list: Pointer)
                    or __syslog_chk(priority: Int, flag: Int, format: Name)
                    or __vsyslog_chk(priority: Int, flag: Int, format: Name, list: Pointer) around syslog::HOOKS;
            }
            pipe {
                pipe(pipefd: DescriptorPair) -> Success as [pipe];
                pipe2(pipefd: DescriptorPair, flags: DescriptorFlags) -> Success as [pipe2];
                eventfd(initval: Unsigned, flags: DescriptorFlags) -> Descriptor as [eventfd];
                eventfd_read(fd: Int, value: Pointer) -> Success as [eventfd_read];
                eventfd_write(fd: Int, value: Size) -> Success as [eventfd_write];
            }
            terminal {
                isatty(fd: Int) -> Answer as [isatty];
                ttyname(fd: Int) -> Address as [ttyname];
                ttyname_r(fd: Int, buf: Pointer, buflen: Size) -> ErrorNumber as [ttyname_r] or __ttyname_r_chk(fd: Int, buf: Pointer, buflen: Size, capacity: Size);
                tcgetattr(fd: Int, termios_p: Pointer) -> Success as [tcgetattr];
                tcsetattr(fd: Int, optional_actions: AttributeChange, termios_p: Pointer) -> Success as [tcsetattr];
                tcsendbreak(fd: Int, duration: Int) -> Success as [tcsendbreak];
                tcdrain(fd: Int) -> Success as [tcdrain];
                tcflush(fd: Int, queue_selector: Int) -> Success as [tcflush];
                tcflow(fd: Int, action: Int) -> Success as [tcflow];
                tcgetpgrp(fd: Int) -> Child as [tcgetpgrp];
                tcsetpgrp(fd: Int, pgrp: Pid) -> Success as [tcsetpgrp];
                tcgetsid(fd: Int) -> Child as [tcgetsid];
                posix_openpt(flags: OpenFlags) -> Descriptor as [posix_openpt];
                grantpt(fd: Int) -> Success as [grantpt];
                unlockpt(fd: Int) -> Success as [unlockpt];
                ptsname(fd: Int) -> Address as [ptsname];
                ptsname_r(fd: Int, buf: Pointer, buflen: Size) -> ErrorNumber as [ptsname_r] or __ptsname_r_chk(fd: Int, buf: Pointer, buflen: Size, capacity: Size);
                openpty(amaster: Pointer, aslave: Pointer, name: Pointer, termp: Pointer, winp: Pointer) -> Success as [openpty];
            }
        }
    };
}
