//! System calls on files and file systems.

use super::entry::SystemCall;

pub(super) const TABLE: &[SystemCall] = system_calls! {
    file {
        0 read("unsigned int" fd, "char *" buf, "size_t" count);
        1 write("unsigned int" fd, "const char *" buf, "size_t" count);
        2 open("const char *" filename, "int" flags, "umode_t" mode);
        3 close("unsigned int" fd);
        4 newstat("const char *" filename, "struct stat *" statbuf);
        5 newfstat("unsigned int" fd, "struct stat *" statbuf);
        6 newlstat("const char *" filename, "struct stat *" statbuf);
        8 lseek("unsigned int" fd, "off_t" offset, "unsigned int" whence);
        16 ioctl("unsigned int" fd, "unsigned int" cmd, "unsigned long" arg);
        17 pread64("unsigned int" fd, "char *" buf, "size_t" count, "loff_t" pos);
        18 pwrite64("unsigned int" fd, "const char *" buf, "size_t" count, "loff_t" pos);
        19 readv("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen);
        20 writev("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen);
        21 access("const char *" filename, "int" mode);
        32 dup("unsigned int" fildes);
        33 dup2("unsigned int" oldfd, "unsigned int" newfd);
        40 sendfile64("int" out_fd, "int" in_fd, "loff_t *" offset, "size_t" count);
        72 fcntl("unsigned int" fd, "unsigned int" cmd, "unsigned long" arg);
        73 flock("unsigned int" fd, "unsigned int" cmd);
        74 fsync("unsigned int" fd);
        75 fdatasync("unsigned int" fd);
        76 truncate("const char *" path, "long" length);
        77 ftruncate("unsigned int" fd, "off_t" length);
        78 getdents("unsigned int" fd, "struct linux_dirent *" dirent, "unsigned int" count);
        79 getcwd("char *" buf, "unsigned long" size);
        80 chdir("const char *" filename);
        81 fchdir("unsigned int" fd);
        82 rename("const char *" oldname, "const char *" newname);
        83 mkdir("const char *" pathname, "umode_t" mode);
        84 rmdir("const char *" pathname);
        85 creat("const char *" pathname, "umode_t" mode);
        86 link("const char *" oldname, "const char *" newname);
        87 unlink("const char *" pathname);
        88 symlink("const char *" oldname, "const char *" newname);
        89 readlink("const char *" path, "char *" buf, "int" bufsiz);
        90 chmod("const char *" filename, "umode_t" mode);
        91 fchmod("unsigned int" fd, "umode_t" mode);
        92 chown("const char *" filename, "uid_t" user, "gid_t" group);
        93 fchown("unsigned int" fd, "uid_t" user, "gid_t" group);
        94 lchown("const char *" filename, "uid_t" user, "gid_t" group);
        95 umask("int" mask);
        132 utime("char *" filename, "struct utimbuf *" times);
        133 mknod("const char *" filename, "umode_t" mode, "unsigned" dev);
        136 ustat("unsigned" dev, "struct ustat *" ubuf);
        137 statfs("const char *" pathname, "struct statfs *" buf);
        138 fstatfs("unsigned int" fd, "struct statfs *" buf);
        139 sysfs("int" option, "unsigned long" arg1, "unsigned long" arg2);
        155 pivot_root("const char *" new_root, "const char *" put_old);
        161 chroot("const char *" filename);
        162 sync();
        163 acct("const char *" name);
        165 mount("char *" dev_name, "char *" dir_name, "char *" type, "unsigned long" flags, "void *" data);
        166 umount("char *" name, "int" flags);
        167 swapon("const char *" specialfile, "int" swap_flags);
        168 swapoff("const char *" specialfile);
        179 quotactl("unsigned int" cmd, "const char *" special, "qid_t" id, "void *" addr);
        187 readahead("int" fd, "loff_t" offset, "size_t" count);
        188 setxattr("const char *" pathname, "const char *" name, "const void *" value, "size_t" size,
            "int" flags);
        189 lsetxattr("const char *" pathname, "const char *" name, "const void *" value, "size_t" size,
            "int" flags);
        190 fsetxattr("int" fd, "const char *" name, "const void *" value, "size_t" size, "int" flags);
        191 getxattr("const char *" pathname, "const char *" name, "void *" value, "size_t" size);
        192 lgetxattr("const char *" pathname, "const char *" name, "void *" value, "size_t" size);
        193 fgetxattr("int" fd, "const char *" name, "void *" value, "size_t" size);
        194 listxattr("const char *" pathname, "char *" list, "size_t" size);
        195 llistxattr("const char *" pathname, "char *" list, "size_t" size);
        196 flistxattr("int" fd, "char *" list, "size_t" size);
        197 removexattr("const char *" pathname, "const char *" name);
        198 lremovexattr("const char *" pathname, "const char *" name);
        199 fremovexattr("int" fd, "const char *" name);
        206 io_setup("unsigned" nr_events, "aio_context_t *" ctxp);
        207 io_destroy("aio_context_t" ctx);
        208 io_getevents("aio_context_t" ctx_id, "long" min_nr, "long" nr, "struct io_event *" events,
            "struct __kernel_timespec *" timeout);
        209 io_submit("aio_context_t" ctx_id, "long" nr, "struct iocb * *" iocbpp);
        210 io_cancel("aio_context_t" ctx_id, "struct iocb *" iocb, "struct io_event *" result);
        217 getdents64("unsigned int" fd, "struct linux_dirent64 *" dirent, "unsigned int" count);
        221 fadvise64("int" fd, "loff_t" offset, "size_t" len, "int" advice);
        235 utimes("char *" filename, "struct __kernel_old_timeval *" utimes);
        253 inotify_init();
        254 inotify_add_watch("int" fd, "const char *" pathname, "u32" mask);
        255 inotify_rm_watch("int" fd, "__s32" wd);
        257 openat("int" dfd, "const char *" filename, "int" flags, "umode_t" mode);
        258 mkdirat("int" dfd, "const char *" pathname, "umode_t" mode);
        259 mknodat("int" dfd, "const char *" filename, "umode_t" mode, "unsigned int" dev);
        260 fchownat("int" dfd, "const char *" filename, "uid_t" user, "gid_t" group, "int" flag);
        261 futimesat("int" dfd, "const char *" filename, "struct __kernel_old_timeval *" utimes);
        262 newfstatat("int" dfd, "const char *" filename, "struct stat *" statbuf, "int" flag);
        263 unlinkat("int" dfd, "const char *" pathname, "int" flag);
        264 renameat("int" olddfd, "const char *" oldname, "int" newdfd, "const char *" newname);
        265 linkat("int" olddfd, "const char *" oldname, "int" newdfd, "const char *" newname, "int" flags);
        266 symlinkat("const char *" oldname, "int" newdfd, "const char *" newname);
        267 readlinkat("int" dfd, "const char *" pathname, "char *" buf, "int" bufsiz);
        268 fchmodat("int" dfd, "const char *" filename, "umode_t" mode);
        269 faccessat("int" dfd, "const char *" filename, "int" mode);
        275 splice("int" fd_in, "loff_t *" off_in, "int" fd_out, "loff_t *" off_out, "size_t" len,
            "unsigned int" flags);
        276 tee("int" fdin, "int" fdout, "size_t" len, "unsigned int" flags);
        277 sync_file_range("int" fd, "loff_t" offset, "loff_t" nbytes, "unsigned int" flags);
        278 vmsplice("int" fd, "const struct iovec *" uiov, "unsigned long" nr_segs, "unsigned int" flags);
        280 utimensat("int" dfd, "const char *" filename, "struct __kernel_timespec *" utimes, "int" flags);
        285 fallocate("int" fd, "int" mode, "loff_t" offset, "loff_t" len);
        292 dup3("unsigned int" oldfd, "unsigned int" newfd, "int" flags);
        294 inotify_init1("int" flags);
        295 preadv("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen,
            "unsigned long" pos_l, "unsigned long" pos_h);
        296 pwritev("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen,
            "unsigned long" pos_l, "unsigned long" pos_h);
        300 fanotify_init("unsigned int" flags, "unsigned int" event_f_flags);
        301 fanotify_mark("int" fanotify_fd, "unsigned int" flags, "__u64" mask, "int" dfd,
            "const char *" pathname);
        303 name_to_handle_at("int" dfd, "const char *" name, "struct file_handle *" handle, "void *" mnt_id,
            "int" flag);
        304 open_by_handle_at("int" mountdirfd, "struct file_handle *" handle, "int" flags);
        306 syncfs("int" fd);
        316 renameat2("int" olddfd, "const char *" oldname, "int" newdfd, "const char *" newname,
            "unsigned int" flags);
        326 copy_file_range("int" fd_in, "loff_t *" off_in, "int" fd_out, "loff_t *" off_out, "size_t" len,
            "unsigned int" flags);
        327 preadv2("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen,
            "unsigned long" pos_l, "unsigned long" pos_h, "rwf_t" flags);
        328 pwritev2("unsigned long" fd, "const struct iovec *" vec, "unsigned long" vlen,
            "unsigned long" pos_l, "unsigned long" pos_h, "rwf_t" flags);
        332 statx("int" dfd, "const char *" filename, "unsigned" flags, "unsigned int" mask,
            "struct statx *" buffer);
        333 io_pgetevents("aio_context_t" ctx_id, "long" min_nr, "long" nr, "struct io_event *" events,
            "struct __kernel_timespec *" timeout, "const struct __aio_sigset *" usig);
        425 io_uring_setup("u32" entries, "struct io_uring_params *" params);
        426 io_uring_enter("unsigned int" fd, "u32" to_submit, "u32" min_complete, "u32" flags,
            "const void *" argp, "size_t" argsz);
        427 io_uring_register("unsigned int" fd, "unsigned int" opcode, "void *" arg, "unsigned int" nr_args);
        428 open_tree("int" dfd, "const char *" filename, "unsigned" flags);
        429 move_mount("int" from_dfd, "const char *" from_pathname, "int" to_dfd, "const char *" to_pathname,
            "unsigned int" flags);
        430 fsopen("const char *" _fs_name, "unsigned int" flags);
        431 fsconfig("int" fd, "unsigned int" cmd, "const char *" _key, "const void *" _value, "int" aux);
        432 fsmount("int" fs_fd, "unsigned int" flags, "unsigned int" attr_flags);
        433 fspick("int" dfd, "const char *" path, "unsigned int" flags);
        436 close_range("unsigned int" fd, "unsigned int" max_fd, "unsigned int" flags);
        437 openat2("int" dfd, "const char *" filename, "struct open_how *" how, "size_t" usize);
        439 faccessat2("int" dfd, "const char *" filename, "int" mode, "int" flags);
        442 mount_setattr("int" dfd, "const char *" path, "unsigned int" flags, "struct mount_attr *" uattr,
            "size_t" usize);
        443 quotactl_fd("unsigned int" fd, "unsigned int" cmd, "qid_t" id, "void *" addr);
        451 cachestat("unsigned int" fd, "struct cachestat_range *" cstat_range, "struct cachestat *" cstat,
            "unsigned int" flags);
        452 fchmodat2("int" dfd, "const char *" filename, "umode_t" mode, "unsigned int" flags);
        457 statmount("const struct mnt_id_req *" req, "struct statmount *" buf, "size_t" bufsize,
            "unsigned int" flags);
        458 listmount("const struct mnt_id_req *" req, "u64 *" mnt_ids, "size_t" nr_mnt_ids,
            "unsigned int" flags);
        463 setxattrat("int" dfd, "const char *" pathname, "unsigned int" at_flags, "const char *" name,
            "const struct xattr_args *" uargs, "size_t" usize);
        464 getxattrat("int" dfd, "const char *" pathname, "unsigned int" at_flags, "const char *" name,
            "struct xattr_args *" uargs, "size_t" usize);
        465 listxattrat("int" dfd, "const char *" pathname, "unsigned int" at_flags, "char *" list,
            "size_t" size);
        466 removexattrat("int" dfd, "const char *" pathname, "unsigned int" at_flags, "const char *" name);
        467 open_tree_attr("int" dfd, "const char *" filename, "unsigned" flags, "struct mount_attr *" uattr,
            "size_t" usize);
        468 file_getattr("int" dfd, "const char *" filename, "struct file_attr *" ufattr, "size_t" usize,
            "unsigned int" at_flags);
        469 file_setattr("int" dfd, "const char *" filename, "struct file_attr *" ufattr, "size_t" usize,
            "unsigned int" at_flags);
    }
    pipe {
        22 pipe("int *" fildes);
        293 pipe2("int *" fildes, "int" flags);
    }
};
