//! Calls on signals and time.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! signal_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            signal {
                kill(pid: Pid, sig: Signal) -> Success as [kill] around send::KILL;
                killpg(pgrp: Pid, sig: Signal) -> Success as [killpg];
                raise(sig: Signal) -> Success as [raise, gsignal] around send::RAISE;
                tgkill(tgid: Pid, tid: Pid, sig: Signal) -> Success as [tgkill] around send::TGKILL;
                pthread_kill(thread: Pointer, sig: Signal) -> ErrorNumber as [pthread_kill] around send::PTHREAD_KILL;
                sigqueue(pid: Pid, sig: Signal, value: Pointer) -> Success as [sigqueue] around send::SIGQUEUE;
                pthread_sigqueue(thread: Pointer, sig: Signal, value: Pointer) -> ErrorNumber as [pthread_sigqueue] around send::PTHREAD_SIGQUEUE;
                signal(signum: Signal, handler: Function) -> Handler as [];
                sigaction(signum: Signal, act: Pointer, oldact: Pointer) -> Success as [];
                sigset(sig: Signal, disp: Function) -> Handler as [sigset] around handler::SIGSET;
                sigprocmask(how: MaskChange, set: SignalSet, oldset: Pointer) -> Success as [sigprocmask] around mask::CHANGE;
                pthread_sigmask(how: MaskChange, set: SignalSet, oldset: Pointer) -> ErrorNumber as [pthread_sigmask] around mask::CHANGE;
                sigpending(set: SignalSet) -> Success as [sigpending];
                sigsuspend(mask: Pointer) -> Success as [sigsuspend] around mask::SUSPEND;
                sigwait(set: SignalSet, sig: SignalNumber) -> ErrorNumber as [sigwait];
                sigwaitinfo(set: SignalSet, info: Pointer) -> Descriptor as [sigwaitinfo];
                sigtimedwait(set: SignalSet, info: Pointer, timeout: Pointer) -> Descriptor as [sigtimedwait];
                sigaltstack(ss: Pointer, old_ss: Pointer) -> Success as [sigaltstack];
                signalfd(fd: Int, mask: SignalSet, flags: DescriptorFlags) -> Descriptor as [signalfd];
            }
            time {
                sleep(seconds: Unsigned) -> Remaining as [sleep];
                usleep(usec: Unsigned) -> Success as [usleep];
                nanosleep(req: Duration, rem: Pointer) -> Success as [nanosleep];
                clock_nanosleep(clockid: ClockId, flags: Int, req: Duration, rem: Pointer) -> ErrorNumber as [clock_nanosleep];
                pause() -> Success as [pause];
                alarm(seconds: Unsigned) -> Remaining as [alarm];
                ualarm(usecs: Unsigned, interval: Unsigned) -> Remaining as [ualarm];
                getitimer(which: Timer, curr_value: Pointer) -> Success as [getitimer];
                setitimer(which: Timer, new_value: Pointer, old_value: Pointer) -> Success as [setitimer];
                timer_create(clockid: ClockId, sevp: Pointer, timerid: Filled) -> Success as [timer_create];
                timer_settime(timerid: Pointer, flags: Int, new_value: Pointer, old_value: Pointer) -> Success as [timer_settime];
                timer_gettime(timerid: Pointer, curr_value: Pointer) -> Success as [timer_gettime];
                timer_getoverrun(timerid: Pointer) -> Descriptor as [timer_getoverrun];
                timer_delete(timerid: Pointer) -> Success as [timer_delete];
                timerfd_create(clockid: ClockId, flags: DescriptorFlags) -> Descriptor as [timerfd_create];
                timerfd_settime(fd: Int, flags: Int, new_value: Pointer, old_value: Pointer) -> Success as [timerfd_settime];
                timerfd_gettime(fd: Int, curr_value: Pointer) -> Success as [timerfd_gettime];
                clock_settime(clockid: ClockId, tp: Duration) -> Success as [clock_settime];
            }
            clock on request {
                time(tloc: Pointer) -> Offset as [time];
                gettimeofday(tv: Pointer, tz: Pointer) -> Success as [gettimeofday];
                clock_gettime(clockid: ClockId, tp: Duration) -> Success as [clock_gettime];
                clock_getres(clockid: ClockId, res: Duration) -> Success as [clock_getres];
                clock() -> Offset as [clock];
                times(buf: Pointer) -> Offset as [times];
            }
        }
    };
}
