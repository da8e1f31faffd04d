/* Calls on files, streams, descriptors and terminals, besides those of calls.c. */
#define _GNU_SOURCE
#include "calls.h"
#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <unistd.h>
#include <utime.h>

char *__getcwd_chk(char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
int __ttyname_r_chk(int, char *, size_t, size_t);
int __ptsname_r_chk(int, char *, size_t, size_t);

static char buffer[8192];
static struct iovec vector = {buffer, 4};
static int file, ends[2], leader, terminal;
static DIR *directory;
static FILE *stream;

/* What the calls below need. */
__attribute__((constructor)) static void prepare(void)
{
	file = open("file", O_RDWR | O_CREAT, 0644);
	if (file < 0 || write(file, buffer, sizeof buffer) < 0 || pipe(ends))
		_exit(1);
}

static char *template(void)
{
	static char name[32];
	return strcpy(name, "made-XXXXXX");
}

IN_ORDER(mkstemp)
{
	INT(mkstemp, mkstemp(template()));
	INT(mkstemp, mkstemp64(template()));
	char bad[] = "bad";
	INT(mkstemp, mkstemp(bad));
}

IN_ORDER(mkostemp)
{
	INT(mkostemp, mkostemp(template(), O_CLOEXEC));
	INT(mkostemp, mkostemp64(template(), O_APPEND));
}

IN_ORDER(mkstemps)
{
	char name[] = "aXXXXXX.c";
	INT(mkstemps, mkstemps(name, 2));
	INT(mkstemps, mkstemps64(name, 2));
}

IN_ORDER(mkostemps)
{
	char name[] = "aXXXXXX.c", other[] = "bXXXXXX.c";
	INT(mkostemps, mkostemps(name, 2, 0));
	INT(mkostemps, mkostemps64(other, 2, 0));
}

IN_ORDER(mkdtemp)
{
	char name[] = "dXXXXXX", bad[] = "/nowhere/dXXXXXX";
	POINTER(mkdtemp, mkdtemp(name));
	POINTER(mkdtemp, mkdtemp(bad));
}

IN_ORDER(tmpfile)
{
	POINTER(tmpfile, tmpfile());
	POINTER(tmpfile, tmpfile64());
}

IN_ORDER(mknod)
{
	INT(mknod, mknod("node", S_IFREG | 0600, 0));
	INT(mknod, mknod("node", S_IFREG | 0600, 0));
}

IN_ORDER(mknodat)
{
	INT(mknodat, mknodat(AT_FDCWD, "node-at", S_IFREG | 0600, 0));
	INT(mknodat, mknodat(-1, "node-at", S_IFREG | 0600, 0));
}

IN_ORDER(mkfifo)
{
	INT(mkfifo, mkfifo("fifo", 0600));
	INT(mkfifo, mkfifo("fifo", 0600));
}

IN_ORDER(mkfifoat)
{
	INT(mkfifoat, mkfifoat(AT_FDCWD, "fifo-at", 0600));
}

IN_ORDER(fchown)
{
	INT(fchown, fchown(file, -1, -1));
	INT(fchown, fchown(-1, -1, -1));
}

IN_ORDER(lchown)
{
	INT(lchown, lchown("file", -1, -1));
	INT(lchown, lchown("missing", -1, -1));
}

IN_ORDER(fchownat)
{
	INT(fchownat, fchownat(AT_FDCWD, "file", -1, -1, AT_SYMLINK_NOFOLLOW));
}

IN_ORDER(fchmodat)
{
	INT(fchmodat, fchmodat(AT_FDCWD, "file", 0644, 0));
}

IN_ORDER(linkat)
{
	INT(linkat, linkat(AT_FDCWD, "file", AT_FDCWD, "linked", 0));
	INT(linkat, linkat(AT_FDCWD, "file", AT_FDCWD, "linked", 0));
}

IN_ORDER(symlinkat)
{
	INT(symlinkat, symlinkat("file", AT_FDCWD, "symbolic"));
}

IN_ORDER(renameat2)
{
	INT(renameat2, renameat2(AT_FDCWD, "linked", AT_FDCWD, "file", RENAME_NOREPLACE));
	INT(renameat2, renameat2(AT_FDCWD, "linked", AT_FDCWD, "renamed", 0));
}

IN_ORDER(remove)
{
	INT(remove, remove("renamed"));
	INT(remove, remove("missing"));
}

IN_ORDER(fchdir)
{
	INT(fchdir, fchdir(file));
}

IN_ORDER(chroot)
{
	INT(chroot, chroot("missing"));
}

IN_ORDER(getcwd)
{
	POINTER(getcwd, getcwd(buffer, sizeof buffer));
	POINTER(getcwd, __getcwd_chk(buffer, sizeof buffer, sizeof buffer));
	POINTER(getcwd, getcwd(buffer, 1));
}

IN_ORDER(realpath)
{
	POINTER(realpath, realpath("file", buffer));
	POINTER(realpath, __realpath_chk("symbolic", buffer, sizeof buffer));
	POINTER(realpath, realpath("missing", buffer));
}

IN_ORDER(statfs)
{
	INT(statfs, statfs("file", (struct statfs *)buffer));
	INT(statfs, statfs64("missing", (struct statfs64 *)buffer));
}

IN_ORDER(fstatfs)
{
	INT(fstatfs, fstatfs(file, (struct statfs *)buffer));
	INT(fstatfs, fstatfs64(-1, (struct statfs64 *)buffer));
}

IN_ORDER(statvfs)
{
	INT(statvfs, statvfs("file", (struct statvfs *)buffer));
	INT(statvfs, statvfs64("missing", (struct statvfs64 *)buffer));
}

IN_ORDER(fstatvfs)
{
	INT(fstatvfs, fstatvfs(file, (struct statvfs *)buffer));
	INT(fstatvfs, fstatvfs64(-1, (struct statvfs64 *)buffer));
}

IN_ORDER(utime)
{
	INT(utime, utime("file", NULL));
	INT(utime, utime("missing", NULL));
}

IN_ORDER(utimes)
{
	INT(utimes, utimes("file", NULL));
}

IN_ORDER(utimensat)
{
	INT(utimensat, utimensat(AT_FDCWD, "file", NULL, 0));
	INT(utimensat, utimensat(AT_FDCWD, "missing", NULL, 0));
}

IN_ORDER(futimens)
{
	INT(futimens, futimens(file, NULL));
}

IN_ORDER(fallocate)
{
	INT(fallocate, fallocate(file, 0, 0, 100));
	INT(fallocate, fallocate64(-1, 0, 0, 100));
}

IN_ORDER(posix_fadvise)
{
	TELL_NUMBER(posix_fadvise, posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL));
	TELL_NUMBER(posix_fadvise, posix_fadvise64(-1, 0, 0, POSIX_FADV_NORMAL));
}

IN_ORDER(lockf)
{
	INT(lockf, lockf(file, F_LOCK, 10));
	INT(lockf, lockf64(-1, F_ULOCK, 10));
}

IN_ORDER(preadv2)
{
	LONG(preadv2, preadv2(file, &vector, 1, 0, 0));
	LONG(preadv2, preadv64v2(-1, &vector, 1, 0, 0));
}

IN_ORDER(pwritev2)
{
	LONG(pwritev2, pwritev2(file, &vector, 1, 0, 0));
	LONG(pwritev2, pwritev64v2(-1, &vector, 1, 0, 0));
}

IN_ORDER(splice)
{
	LONG(splice, splice(file, NULL, ends[1], NULL, 4, 0));
	LONG(splice, splice(-1, NULL, ends[1], NULL, 4, 0));
}

IN_ORDER(tee)
{
	LONG(tee, tee(ends[0], -1, 4, 0));
}

IN_ORDER(vmsplice)
{
	LONG(vmsplice, vmsplice(ends[1], &vector, 1, 0));
}

IN_ORDER(sync)
{
	/* Of the whole machine: a child that is ended before it waits. */
	if (fork() == 0) {
		alarm(1);
		sync();
		_exit(0);
	}
	wait(NULL);
}

IN_ORDER(syncfs)
{
	INT(syncfs, syncfs(-1));
}

IN_ORDER(umask)
{
	TELL_ONLY(umask, "%04o", umask(027));
	TELL_ONLY(umask, "%04o", umask(022));
}

IN_ORDER(close_range)
{
	INT(close_range, close_range(900, 901, 0));
	INT(close_range, close_range(901, 900, 0));
}

IN_ORDER(closefrom)
{
	closefrom(900);
}

IN_ORDER(rewinddir)
{
	directory = opendir(".");
	rewinddir(directory);
}

IN_ORDER(telldir)
{
	LONG(telldir, telldir(directory));
}

IN_ORDER(seekdir)
{
	seekdir(directory, 0);
}

IN_ORDER(dirfd)
{
	INT(dirfd, dirfd(directory));
}

IN_ORDER(scandir)
{
	struct dirent **names;
	INT(scandir, scandir(".", &names, NULL, alphasort));
	INT(scandir, scandir64("missing", (struct dirent64 ***)&names, NULL, NULL));
}

IN_ORDER(inotify_init1)
{
	INT(inotify_init1, inotify_init1(IN_CLOEXEC));
	INT(inotify_init1, inotify_init1(-1));
}

IN_ORDER(inotify_add_watch)
{
	int watch = inotify_init1(0);
	INT(inotify_add_watch, inotify_add_watch(watch, "file", IN_MODIFY));
	INT(inotify_add_watch, inotify_add_watch(watch, "missing", IN_MODIFY));
}

IN_ORDER(inotify_rm_watch)
{
	INT(inotify_rm_watch, inotify_rm_watch(-1, 1));
}

IN_ORDER(fmemopen)
{
	POINTER(fmemopen, stream = fmemopen(buffer, sizeof buffer, "r+"));
	POINTER(fmemopen, fmemopen(buffer, sizeof buffer, "x"));
}

IN_ORDER(open_memstream)
{
	static char *memory;
	static size_t size;
	POINTER(open_memstream, open_memstream(&memory, &size));
}

IN_ORDER(setvbuf)
{
	TELL_ONLY(setvbuf, "%d", setvbuf(stream, NULL, _IOFBF, 100));
	TELL_ONLY(setvbuf, "%d", setvbuf(stream, NULL, 99, 100));
}

IN_ORDER(setbuf)
{
	setbuf(stream, NULL);
}

IN_ORDER(setlinebuf)
{
	setlinebuf(stream);
}

IN_ORDER(ftell)
{
	LONG(ftell, ftell(stream));
	LONG(ftell, ftello(stream));
	LONG(ftell, ftello64(stream));
	LONG(ftell, ftell(stdin));
}

IN_ORDER(rewind)
{
	rewind(stream);
}

IN_ORDER(fgetpos)
{
	fpos_t position;
	INT(fgetpos, fgetpos(stream, &position));
	INT(fgetpos, fgetpos64(stream, (fpos64_t *)&position));
}

IN_ORDER(fsetpos)
{
	fpos_t position;
	fgetpos(stream, &position);
	INT(fsetpos, fsetpos(stream, &position));
	INT(fsetpos, fsetpos64(stream, (fpos64_t *)&position));
}

IN_ORDER(perror)
{
	if (fork() == 0) {
		dup2(open("/dev/null", O_WRONLY), 2);
		perror("what went wrong");
		_exit(0);
	}
	wait(NULL);
}

IN_ORDER(syslog)
{
	/* A level that nobody writes anywhere. */
	setlogmask(LOG_MASK(LOG_ERR));
	syslog(LOG_DEBUG, "%s %d %f", "said to nobody", 1, 0.5);
}

IN_ORDER(eventfd)
{
	INT(eventfd, eventfd(3, EFD_CLOEXEC));
	INT(eventfd, eventfd(0, -1));
}

IN_ORDER(eventfd_write)
{
	INT(eventfd_write, eventfd_write(-1, 5));
}

IN_ORDER(eventfd_read)
{
	eventfd_t value;
	INT(eventfd_read, eventfd_read(eventfd(3, 0), &value));
	INT(eventfd_read, eventfd_read(-1, &value));
}

IN_ORDER(epoll_pwait2)
{
	struct timespec none = {0, 0};
	struct epoll_event events[1];
	INT(epoll_pwait2, epoll_pwait2(epoll_create1(0), events, 1, &none, NULL));
	INT(epoll_pwait2, epoll_pwait2(-1, events, 1, &none, NULL));
}

IN_ORDER(openpty)
{
	INT(openpty, openpty(&leader, &terminal, NULL, NULL, NULL));
}

IN_ORDER(isatty)
{
	TELL(isatty, "%d", 0, isatty(terminal));
	TELL(isatty, "%d", 0, isatty(file));
}

IN_ORDER(ttyname)
{
	POINTER(ttyname, ttyname(terminal));
	POINTER(ttyname, ttyname(file));
}

IN_ORDER(ttyname_r)
{
	TELL_NUMBER(ttyname_r, ttyname_r(terminal, buffer, sizeof buffer));
	TELL_NUMBER(ttyname_r, __ttyname_r_chk(file, buffer, 100, sizeof buffer));
}

IN_ORDER(tcgetattr)
{
	INT(tcgetattr, tcgetattr(terminal, (struct termios *)buffer));
	INT(tcgetattr, tcgetattr(file, (struct termios *)buffer));
}

IN_ORDER(tcsetattr)
{
	struct termios attributes;
	tcgetattr(terminal, &attributes);
	INT(tcsetattr, tcsetattr(terminal, TCSAFLUSH, &attributes));
	INT(tcsetattr, tcsetattr(terminal, 77, &attributes));
}

IN_ORDER(tcsendbreak)
{
	INT(tcsendbreak, tcsendbreak(terminal, 0));
}

IN_ORDER(tcdrain)
{
	INT(tcdrain, tcdrain(terminal));
	INT(tcdrain, tcdrain(file));
}

IN_ORDER(tcflush)
{
	INT(tcflush, tcflush(terminal, TCIOFLUSH));
}

IN_ORDER(tcflow)
{
	INT(tcflow, tcflow(terminal, TCOON));
}

IN_ORDER(tcgetpgrp)
{
	INT(tcgetpgrp, tcgetpgrp(file));
}

IN_ORDER(tcsetpgrp)
{
	INT(tcsetpgrp, tcsetpgrp(file, getpid()));
}

IN_ORDER(tcgetsid)
{
	INT(tcgetsid, tcgetsid(file));
}

IN_ORDER(posix_openpt)
{
	INT(posix_openpt, leader = posix_openpt(O_RDWR | O_NOCTTY));
}

IN_ORDER(grantpt)
{
	INT(grantpt, grantpt(leader));
	INT(grantpt, grantpt(file));
}

IN_ORDER(unlockpt)
{
	INT(unlockpt, unlockpt(leader));
	INT(unlockpt, unlockpt(file));
}

IN_ORDER(ptsname)
{
	POINTER(ptsname, ptsname(leader));
	POINTER(ptsname, ptsname(file));
}

IN_ORDER(ptsname_r)
{
	TELL_NUMBER(ptsname_r, ptsname_r(leader, buffer, sizeof buffer));
	TELL_NUMBER(ptsname_r, __ptsname_r_chk(file, buffer, 100, sizeof buffer));
}

MAIN
