//! What is known of pid namespaces by their inodes.

/// The inode of the kernel's first one, in which all processes are seen: `PROC_PID_INIT_INO`.
pub const FIRST: u64 = 0xefff_fffc;
