//! System calls by which programs communicate and wait, and the rest.

use super::entry::SystemCall;

pub(super) const TABLE: &[SystemCall] = system_calls! {
    net {
        41 socket("int" family, "int" type, "int" protocol);
        42 connect("int" fd, "struct sockaddr *" uservaddr, "int" addrlen);
        43 accept("int" fd, "struct sockaddr *" upeer_sockaddr, "int *" upeer_addrlen);
        44 sendto("int" fd, "void *" buff, "size_t" len, "unsigned int" flags, "struct sockaddr *" addr,
            "int" addr_len);
        45 recvfrom("int" fd, "void *" ubuf, "size_t" size, "unsigned int" flags, "struct sockaddr *" addr,
            "int *" addr_len);
        46 sendmsg("int" fd, "struct user_msghdr *" msg, "unsigned int" flags);
        47 recvmsg("int" fd, "struct user_msghdr *" msg, "unsigned int" flags);
        48 shutdown("int" fd, "int" how);
        49 bind("int" fd, "struct sockaddr *" umyaddr, "int" addrlen);
        50 listen("int" fd, "int" backlog);
        51 getsockname("int" fd, "struct sockaddr *" usockaddr, "int *" usockaddr_len);
        52 getpeername("int" fd, "struct sockaddr *" usockaddr, "int *" usockaddr_len);
        53 socketpair("int" family, "int" type, "int" protocol, "int *" usockvec);
        54 setsockopt("int" fd, "int" level, "int" optname, "char *" optval, "int" optlen);
        55 getsockopt("int" fd, "int" level, "int" optname, "char *" optval, "int *" optlen);
        170 sethostname("char *" name, "int" len);
        171 setdomainname("char *" name, "int" len);
        288 accept4("int" fd, "struct sockaddr *" upeer_sockaddr, "int *" upeer_addrlen, "int" flags);
        299 recvmmsg("int" fd, "struct mmsghdr *" mmsg, "unsigned int" vlen, "unsigned int" flags,
            "struct __kernel_timespec *" timeout);
        307 sendmmsg("int" fd, "struct mmsghdr *" mmsg, "unsigned int" vlen, "unsigned int" flags);
    }
    poll {
        7 poll("struct pollfd *" ufds, "unsigned int" nfds, "int" timeout_msecs);
        23 select("int" n, "fd_set *" inp, "fd_set *" outp, "fd_set *" exp,
            "struct __kernel_old_timeval *" tvp);
        213 epoll_create("int" size);
        232 epoll_wait("int" epfd, "struct epoll_event *" events, "int" maxevents, "int" timeout);
        233 epoll_ctl("int" epfd, "int" op, "int" fd, "struct epoll_event *" event);
        270 pselect6("int" n, "fd_set *" inp, "fd_set *" outp, "fd_set *" exp,
            "struct __kernel_timespec *" tsp, "void *" sig);
        271 ppoll("struct pollfd *" ufds, "unsigned int" nfds, "struct __kernel_timespec *" tsp,
            "const sigset_t *" sigmask, "size_t" sigsetsize);
        281 epoll_pwait("int" epfd, "struct epoll_event *" events, "int" maxevents, "int" timeout,
            "const sigset_t *" sigmask, "size_t" sigsetsize);
        284 eventfd("unsigned int" count);
        290 eventfd2("unsigned int" count, "int" flags);
        291 epoll_create1("int" flags);
        441 epoll_pwait2("int" epfd, "struct epoll_event *" events, "int" maxevents,
            "const struct __kernel_timespec *" timeout, "const sigset_t *" sigmask, "size_t" sigsetsize);
    }
    lock {
        64 semget("key_t" key, "int" nsems, "int" semflg);
        65 semop("int" semid, "struct sembuf *" tsops, "unsigned" nsops);
        66 semctl("int" semid, "int" semnum, "int" cmd, "unsigned long" arg);
        202 futex("u32 *" uaddr, "int" op, "u32" val, "const struct __kernel_timespec *" utime,
            "u32 *" uaddr2, "u32" val3);
        220 semtimedop("int" semid, "struct sembuf *" tsops, "unsigned int" nsops,
            "const struct __kernel_timespec *" timeout);
        449 futex_waitv("struct futex_waitv *" waiters, "unsigned int" nr_futexes, "unsigned int" flags,
            "struct __kernel_timespec *" timeout, "clockid_t" clockid);
        454 futex_wake("void *" uaddr, "unsigned long" mask, "int" nr, "unsigned int" flags);
        455 futex_wait("void *" uaddr, "unsigned long" val, "unsigned long" mask, "unsigned int" flags,
            "struct __kernel_timespec *" timeout, "clockid_t" clockid);
        456 futex_requeue("struct futex_waitv *" waiters, "unsigned int" flags, "int" nr_wake,
            "int" nr_requeue);
    }
    message {
        68 msgget("key_t" key, "int" msgflg);
        69 msgsnd("int" msqid, "struct msgbuf *" msgp, "size_t" msgsz, "int" msgflg);
        70 msgrcv("int" msqid, "struct msgbuf *" msgp, "size_t" msgsz, "long" msgtyp, "int" msgflg);
        71 msgctl("int" msqid, "int" cmd, "struct msqid_ds *" buf);
        240 mq_open("const char *" u_name, "int" oflag, "umode_t" mode, "struct mq_attr *" u_attr);
        241 mq_unlink("const char *" u_name);
        242 mq_timedsend("mqd_t" mqdes, "const char *" u_msg_ptr, "size_t" msg_len, "unsigned int" msg_prio,
            "const struct __kernel_timespec *" u_abs_timeout);
        243 mq_timedreceive("mqd_t" mqdes, "char *" u_msg_ptr, "size_t" msg_len, "unsigned int *" u_msg_prio,
            "const struct __kernel_timespec *" u_abs_timeout);
        244 mq_notify("mqd_t" mqdes, "const struct sigevent *" u_notification);
        245 mq_getsetattr("mqd_t" mqdes, "const struct mq_attr *" u_mqstat, "struct mq_attr *" u_omqstat);
    }
    time {
        35 nanosleep("struct __kernel_timespec *" rqtp, "struct __kernel_timespec *" rmtp);
        36 getitimer("int" which, "struct __kernel_old_itimerval *" value);
        37 alarm("unsigned int" seconds);
        38 setitimer("int" which, "struct __kernel_old_itimerval *" value,
            "struct __kernel_old_itimerval *" ovalue);
        96 gettimeofday("struct __kernel_old_timeval *" tv, "struct timezone *" tz);
        159 adjtimex("struct __kernel_timex *" txc_p);
        164 settimeofday("struct __kernel_old_timeval *" tv, "struct timezone *" tz);
        201 time("__kernel_old_time_t *" tloc);
        222 timer_create("const clockid_t" which_clock, "struct sigevent *" timer_event_spec,
            "timer_t *" created_timer_id);
        223 timer_settime("timer_t" timer_id, "int" flags, "const struct __kernel_itimerspec *" new_setting,
            "struct __kernel_itimerspec *" old_setting);
        224 timer_gettime("timer_t" timer_id, "struct __kernel_itimerspec *" setting);
        225 timer_getoverrun("timer_t" timer_id);
        226 timer_delete("timer_t" timer_id);
        227 clock_settime("const clockid_t" which_clock, "const struct __kernel_timespec *" tp);
        228 clock_gettime("const clockid_t" which_clock, "struct __kernel_timespec *" tp);
        229 clock_getres("const clockid_t" which_clock, "struct __kernel_timespec *" tp);
        230 clock_nanosleep("const clockid_t" which_clock, "int" flags,
            "const struct __kernel_timespec *" rqtp, "struct __kernel_timespec *" rmtp);
        283 timerfd_create("int" clockid, "int" flags);
        286 timerfd_settime("int" ufd, "int" flags, "const struct __kernel_itimerspec *" utmr,
            "struct __kernel_itimerspec *" otmr);
        287 timerfd_gettime("int" ufd, "struct __kernel_itimerspec *" otmr);
        305 clock_adjtime("const clockid_t" which_clock, "struct __kernel_timex *" utx);
    }
    system {
        63 newuname("struct new_utsname *" name);
        99 sysinfo("struct sysinfo *" info);
        103 syslog("int" type, "char *" buf, "int" len);
        153 vhangup();
        169 reboot("int" magic1, "int" magic2, "unsigned int" cmd, "void *" arg);
        248 add_key("const char *" _type, "const char *" _description, "const void *" _payload, "size_t" plen,
            "key_serial_t" ringid);
        249 request_key("const char *" _type, "const char *" _description, "const char *" _callout_info,
            "key_serial_t" destringid);
        250 keyctl("int" option, "unsigned long" arg2, "unsigned long" arg3, "unsigned long" arg4,
            "unsigned long" arg5);
        298 perf_event_open("struct perf_event_attr *" attr_uptr, "pid_t" pid, "int" cpu, "int" group_fd,
            "unsigned long" flags);
        318 getrandom("char *" ubuf, "size_t" len, "unsigned int" flags);
        321 bpf("int" cmd, "union bpf_attr *" uattr, "unsigned int" size);
        335 uretprobe();
        336 uprobe();
        459 lsm_get_self_attr("unsigned int" attr, "struct lsm_ctx *" ctx, "u32 *" size, "u32" flags);
        460 lsm_set_self_attr("unsigned int" attr, "struct lsm_ctx *" ctx, "u32" size, "u32" flags);
        461 lsm_list_modules("u64 *" ids, "u32 *" size, "u32" flags);
    }
};
