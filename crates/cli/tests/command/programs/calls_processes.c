/* Calls that make, change and end processes and threads, and calls on the environment. */
#define _GNU_SOURCE
#include "calls.h"
#include <assert.h>
#include <dlfcn.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_t thread;
static struct timespec far = {1L << 40, 0};
static void *library;

/* Ends in some way that is not seen here. */
static int in_child(void)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		close(2);
		return 1;
	}
	waitpid(child, &status, 0);
	return 0;
}

static void *routine(void *argument)
{
	return argument;
}

static pthread_t started(void)
{
	pthread_t other;
	pthread_create(&other, NULL, routine, NULL);
	return other;
}

IN_ORDER(pthread_create)
{
	TELL_NUMBER(pthread_create, pthread_create(&thread, NULL, routine, NULL));
}

IN_ORDER(pthread_join)
{
	TELL_NUMBER(pthread_join, pthread_join(thread, NULL));
	TELL_NUMBER(pthread_join, pthread_join(pthread_self(), NULL));
}

IN_ORDER(pthread_tryjoin_np)
{
	TELL_NUMBER(pthread_tryjoin_np, pthread_tryjoin_np(pthread_self(), NULL));
}

IN_ORDER(pthread_timedjoin_np)
{
	TELL_NUMBER(pthread_timedjoin_np, pthread_timedjoin_np(started(), NULL, &far));
}

IN_ORDER(pthread_clockjoin_np)
{
	TELL_NUMBER(pthread_clockjoin_np, pthread_clockjoin_np(started(), NULL, CLOCK_MONOTONIC, &far));
}

IN_ORDER(pthread_detach)
{
	TELL_NUMBER(pthread_detach, pthread_detach(started()));
}

static void *sleeping(void *argument)
{
	for (;;)
		pause();
}

IN_ORDER(pthread_cancel)
{
	pthread_create(&thread, NULL, sleeping, NULL);
	TELL_NUMBER(pthread_cancel, pthread_cancel(thread));
	pthread_join(thread, NULL);
}

IN_ORDER(pthread_exit)
{
	if (in_child())
		pthread_exit(NULL);
}

IN_ORDER(abort)
{
	if (in_child())
		abort();
}

IN_ORDER(__assert_fail)
{
	if (in_child())
		assert(!"reached");
}

IN_ORDER(__assert_perror_fail)
{
	if (in_child())
		assert_perror(EINVAL);
}

IN_ORDER(dlopen)
{
	library = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
}

IN_ORDER(dlmopen)
{
	dlmopen(LM_ID_BASE, "libm.so.6", RTLD_LAZY);
}

IN_ORDER(dlclose)
{
	TELL_ONLY(dlclose, "%d", dlclose(library));
}

IN_ORDER(setuid)
{
	INT(setuid, setuid(getuid()));
}

IN_ORDER(seteuid)
{
	INT(seteuid, seteuid(getuid()));
	INT(seteuid, seteuid(-1));
}

IN_ORDER(setreuid)
{
	INT(setreuid, setreuid(-1, -1));
}

IN_ORDER(setresuid)
{
	INT(setresuid, setresuid(-1, -1, -1));
}

IN_ORDER(setgid)
{
	INT(setgid, setgid(getgid()));
}

IN_ORDER(setegid)
{
	INT(setegid, setegid(getgid()));
}

IN_ORDER(setregid)
{
	INT(setregid, setregid(-1, -1));
}

IN_ORDER(setresgid)
{
	INT(setresgid, setresgid(-1, -1, -1));
}

IN_ORDER(setgroups)
{
	INT(setgroups, setgroups(1 << 30, NULL));
}

IN_ORDER(initgroups)
{
	if (in_child()) {
		initgroups("nobody", 65534);
		_exit(0);
	}
}

IN_ORDER(setsid)
{
	setpgid(0, 0);
	INT(setsid, setsid());
}

IN_ORDER(setpgid)
{
	INT(setpgid, setpgid(0, 0));
	INT(setpgid, setpgid(0, -1));
}

IN_ORDER(unshare)
{
	INT(unshare, unshare(CLONE_FS));
	INT(unshare, unshare(-1));
}

IN_ORDER(setns)
{
	INT(setns, setns(-1, 0));
}

static struct rlimit limit;

IN_ORDER(getrlimit)
{
	INT(getrlimit, getrlimit(RLIMIT_NOFILE, &limit));
	INT(getrlimit, getrlimit64(RLIMIT_CORE, (struct rlimit64 *)&limit));
	INT(getrlimit, getrlimit(99, &limit));
}

IN_ORDER(setrlimit)
{
	INT(setrlimit, setrlimit(RLIMIT_CORE, &limit));
	INT(setrlimit, setrlimit64(RLIMIT_CORE, (struct rlimit64 *)&limit));
}

IN_ORDER(prlimit)
{
	INT(prlimit, prlimit(0, RLIMIT_NOFILE, NULL, &limit));
	INT(prlimit, prlimit64(-1, RLIMIT_NOFILE, NULL, (struct rlimit64 *)&limit));
}

static struct rusage usage;

IN_ORDER(getrusage)
{
	INT(getrusage, getrusage(RUSAGE_SELF, &usage));
	INT(getrusage, getrusage(77, &usage));
}

IN_ORDER(getpriority)
{
	TELL_ONLY(getpriority, "%d", getpriority(PRIO_PROCESS, 0));
}

IN_ORDER(setpriority)
{
	INT(setpriority, setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)));
	INT(setpriority, setpriority(77, 0, 0));
}

IN_ORDER(nice)
{
	TELL_ONLY(nice, "%d", nice(0));
}

static struct sched_param parameter;

IN_ORDER(sched_setscheduler)
{
	INT(sched_setscheduler, sched_setscheduler(0, SCHED_OTHER, &parameter));
	INT(sched_setscheduler, sched_setscheduler(0, 99, &parameter));
}

IN_ORDER(sched_getscheduler)
{
	INT(sched_getscheduler, sched_getscheduler(0));
}

IN_ORDER(sched_setparam)
{
	INT(sched_setparam, sched_setparam(0, &parameter));
}

IN_ORDER(sched_getparam)
{
	INT(sched_getparam, sched_getparam(-1, &parameter));
}

static cpu_set_t cpus;

IN_ORDER(sched_getaffinity)
{
	INT(sched_getaffinity, sched_getaffinity(0, sizeof cpus, &cpus));
	INT(sched_getaffinity, sched_getaffinity(0, 1, &cpus));
}

IN_ORDER(sched_setaffinity)
{
	INT(sched_setaffinity, sched_setaffinity(0, sizeof cpus, &cpus));
}

IN_ORDER(setenv)
{
	INT(setenv, setenv("LOOKBACK_CALLS", "secret", 1));
	INT(setenv, setenv("", "secret", 1));
}

IN_ORDER(getenv)
{
	TELL_ONLY(getenv, "%p", getenv("LOOKBACK_CALLS"));
	TELL_ONLY(getenv, "%p", getenv("LOOKBACK_MISSING"));
}

IN_ORDER(secure_getenv)
{
	TELL_ONLY(secure_getenv, "%p", secure_getenv("LOOKBACK_MISSING"));
}

IN_ORDER(unsetenv)
{
	INT(unsetenv, unsetenv("LOOKBACK_CALLS"));
	INT(unsetenv, unsetenv("="));
}

IN_ORDER(putenv)
{
	static char entry[] = "LOOKBACK_CALLS=secret";
	INT(putenv, putenv(entry));
}

IN_ORDER(clearenv)
{
	INT(clearenv, clearenv());
}

MAIN
