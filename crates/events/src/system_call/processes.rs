//! System calls on processes and threads, signals and memory.

use super::entry::SystemCall;

pub(super) const TABLE: &[SystemCall] = system_calls! {
    process {
        24 sched_yield();
        39 getpid();
        56 clone("unsigned long" clone_flags, "unsigned long" newsp, "int *" parent_tidptr,
            "int *" child_tidptr, "unsigned long" tls);
        57 fork();
        58 vfork();
        59 execve("const char *" filename, "const char *const *" argv, "const char *const *" envp);
        60 exit("int" error_code);
        61 wait4("pid_t" upid, "int *" stat_addr, "int" options, "struct rusage *" ru);
        97 getrlimit("unsigned int" resource, "struct rlimit *" rlim);
        98 getrusage("int" who, "struct rusage *" ru);
        100 times("struct tms *" tbuf);
        101 ptrace("long" request, "long" pid, "unsigned long" addr, "unsigned long" data);
        102 getuid();
        104 getgid();
        105 setuid("uid_t" uid);
        106 setgid("gid_t" gid);
        107 geteuid();
        108 getegid();
        109 setpgid("pid_t" pid, "pid_t" pgid);
        110 getppid();
        111 getpgrp();
        112 setsid();
        113 setreuid("uid_t" ruid, "uid_t" euid);
        114 setregid("gid_t" rgid, "gid_t" egid);
        115 getgroups("int" gidsetsize, "gid_t *" grouplist);
        116 setgroups("int" gidsetsize, "gid_t *" grouplist);
        117 setresuid("uid_t" ruid, "uid_t" euid, "uid_t" suid);
        118 getresuid("uid_t *" ruidp, "uid_t *" euidp, "uid_t *" suidp);
        119 setresgid("gid_t" rgid, "gid_t" egid, "gid_t" sgid);
        120 getresgid("gid_t *" rgidp, "gid_t *" egidp, "gid_t *" sgidp);
        121 getpgid("pid_t" pid);
        122 setfsuid("uid_t" uid);
        123 setfsgid("gid_t" gid);
        124 getsid("pid_t" pid);
        125 capget("cap_user_header_t" header, "cap_user_data_t" dataptr);
        126 capset("cap_user_header_t" header, "const cap_user_data_t" data);
        135 personality("unsigned int" personality);
        140 getpriority("int" which, "int" who);
        141 setpriority("int" which, "int" who, "int" niceval);
        142 sched_setparam("pid_t" pid, "struct sched_param *" param);
        143 sched_getparam("pid_t" pid, "struct sched_param *" param);
        144 sched_setscheduler("pid_t" pid, "int" policy, "struct sched_param *" param);
        145 sched_getscheduler("pid_t" pid);
        146 sched_get_priority_max("int" policy);
        147 sched_get_priority_min("int" policy);
        148 sched_rr_get_interval("pid_t" pid, "struct __kernel_timespec *" interval);
        154 modify_ldt("int" func, "void *" ptr, "unsigned long" bytecount);
        157 prctl("int" option, "unsigned long" arg2, "unsigned long" arg3, "unsigned long" arg4,
            "unsigned long" arg5);
        158 arch_prctl("int" option, "unsigned long" arg2);
        160 setrlimit("unsigned int" resource, "struct rlimit *" rlim);
        172 iopl("unsigned int" level);
        173 ioperm("unsigned long" from, "unsigned long" num, "int" turn_on);
        186 gettid();
        203 sched_setaffinity("pid_t" pid, "unsigned int" len, "unsigned long *" user_mask_ptr);
        204 sched_getaffinity("pid_t" pid, "unsigned int" len, "unsigned long *" user_mask_ptr);
        218 set_tid_address("int *" tidptr);
        231 exit_group("int" error_code);
        247 waitid("int" which, "pid_t" upid, "struct siginfo *" infop, "int" options, "struct rusage *" ru);
        251 ioprio_set("int" which, "int" who, "int" ioprio);
        252 ioprio_get("int" which, "int" who);
        272 unshare("unsigned long" unshare_flags);
        273 set_robust_list("struct robust_list_head *" head, "size_t" len);
        274 get_robust_list("int" pid, "struct robust_list_head * *" head_ptr, "size_t *" len_ptr);
        302 prlimit64("pid_t" pid, "unsigned int" resource, "const struct rlimit64 *" new_rlim,
            "struct rlimit64 *" old_rlim);
        308 setns("int" fd, "int" flags);
        309 getcpu("unsigned *" cpup, "unsigned *" nodep, "struct getcpu_cache *" unused);
        310 process_vm_readv("pid_t" pid, "const struct iovec *" lvec, "unsigned long" liovcnt,
            "const struct iovec *" rvec, "unsigned long" riovcnt, "unsigned long" flags);
        311 process_vm_writev("pid_t" pid, "const struct iovec *" lvec, "unsigned long" liovcnt,
            "const struct iovec *" rvec, "unsigned long" riovcnt, "unsigned long" flags);
        312 kcmp("pid_t" pid1, "pid_t" pid2, "int" type, "unsigned long" idx1, "unsigned long" idx2);
        314 sched_setattr("pid_t" pid, "struct sched_attr *" uattr, "unsigned int" flags);
        315 sched_getattr("pid_t" pid, "struct sched_attr *" uattr, "unsigned int" usize,
            "unsigned int" flags);
        317 seccomp("unsigned int" op, "unsigned int" flags, "void *" uargs);
        322 execveat("int" fd, "const char *" filename, "const char *const *" argv,
            "const char *const *" envp, "int" flags);
        324 membarrier("int" cmd, "unsigned int" flags, "int" cpu_id);
        334 rseq("struct rseq *" rseq, "u32" rseq_len, "int" flags, "u32" sig);
        434 pidfd_open("pid_t" pid, "unsigned int" flags);
        435 clone3("struct clone_args *" uargs, "size_t" size);
        438 pidfd_getfd("int" pidfd, "int" fd, "unsigned int" flags);
        444 landlock_create_ruleset("const struct landlock_ruleset_attr *const" attr, "const size_t" size,
            "const __u32" flags);
        445 landlock_add_rule("const int" ruleset_fd, "const enum landlock_rule_type" rule_type,
            "const void *const" rule_attr, "const __u32" flags);
        446 landlock_restrict_self("const int" ruleset_fd, "const __u32" flags);
    }
    signal {
        13 rt_sigaction("int" sig, "const struct sigaction *" act, "struct sigaction *" oact,
            "size_t" sigsetsize);
        14 rt_sigprocmask("int" how, "sigset_t *" nset, "sigset_t *" oset, "size_t" sigsetsize);
        15 rt_sigreturn();
        34 pause();
        62 kill("pid_t" pid, "int" sig);
        127 rt_sigpending("sigset_t *" uset, "size_t" sigsetsize);
        128 rt_sigtimedwait("const sigset_t *" uthese, "siginfo_t *" uinfo,
            "const struct __kernel_timespec *" uts, "size_t" sigsetsize);
        129 rt_sigqueueinfo("pid_t" pid, "int" sig, "siginfo_t *" uinfo);
        130 rt_sigsuspend("sigset_t *" unewset, "size_t" sigsetsize);
        131 sigaltstack("const stack_t *" uss, "stack_t *" uoss);
        200 tkill("pid_t" pid, "int" sig);
        219 restart_syscall();
        234 tgkill("pid_t" tgid, "pid_t" pid, "int" sig);
        282 signalfd("int" ufd, "sigset_t *" user_mask, "size_t" sizemask);
        289 signalfd4("int" ufd, "sigset_t *" user_mask, "size_t" sizemask, "int" flags);
        297 rt_tgsigqueueinfo("pid_t" tgid, "pid_t" pid, "int" sig, "siginfo_t *" uinfo);
        424 pidfd_send_signal("int" pidfd, "int" sig, "siginfo_t *" info, "unsigned int" flags);
    }
    mem {
        9 mmap("unsigned long" addr, "unsigned long" len, "unsigned long" prot, "unsigned long" flags,
            "unsigned long" fd, "unsigned long" off);
        10 mprotect("unsigned long" start, "size_t" len, "unsigned long" prot);
        11 munmap("unsigned long" addr, "size_t" len);
        12 brk("unsigned long" brk);
        25 mremap("unsigned long" addr, "unsigned long" old_len, "unsigned long" new_len,
            "unsigned long" flags, "unsigned long" new_addr);
        26 msync("unsigned long" start, "size_t" len, "int" flags);
        27 mincore("unsigned long" start, "size_t" len, "unsigned char *" vec);
        28 madvise("unsigned long" start, "size_t" len_in, "int" behavior);
        29 shmget("key_t" key, "size_t" size, "int" shmflg);
        30 shmat("int" shmid, "char *" shmaddr, "int" shmflg);
        31 shmctl("int" shmid, "int" cmd, "struct shmid_ds *" buf);
        67 shmdt("char *" shmaddr);
        149 mlock("unsigned long" start, "size_t" len);
        150 munlock("unsigned long" start, "size_t" len);
        151 mlockall("int" flags);
        152 munlockall();
        216 remap_file_pages("unsigned long" start, "unsigned long" size, "unsigned long" prot,
            "unsigned long" pgoff, "unsigned long" flags);
        237 mbind("unsigned long" start, "unsigned long" len, "unsigned long" mode,
            "const unsigned long *" nmask, "unsigned long" maxnode, "unsigned int" flags);
        238 set_mempolicy("int" mode, "const unsigned long *" nmask, "unsigned long" maxnode);
        239 get_mempolicy("int *" policy, "unsigned long *" nmask, "unsigned long" maxnode,
            "unsigned long" addr, "unsigned long" flags);
        256 migrate_pages("pid_t" pid, "unsigned long" maxnode, "const unsigned long *" old_nodes,
            "const unsigned long *" new_nodes);
        279 move_pages("pid_t" pid, "unsigned long" nr_pages, "const void * *" pages, "const int *" nodes,
            "int *" status, "int" flags);
        319 memfd_create("const char *" uname, "unsigned int" flags);
        323 userfaultfd("int" flags);
        325 mlock2("unsigned long" start, "size_t" len, "int" flags);
        329 pkey_mprotect("unsigned long" start, "size_t" len, "unsigned long" prot, "int" pkey);
        330 pkey_alloc("unsigned long" flags, "unsigned long" init_val);
        331 pkey_free("int" pkey);
        440 process_madvise("int" pidfd, "const struct iovec *" vec, "size_t" vlen, "int" behavior,
            "unsigned int" flags);
        447 memfd_secret("unsigned int" flags);
        448 process_mrelease("int" pidfd, "unsigned int" flags);
        450 set_mempolicy_home_node("unsigned long" start, "unsigned long" len, "unsigned long" home_node,
            "unsigned long" flags);
        462 mseal("unsigned long" start, "size_t" len, "unsigned long" flags);
    }
};
