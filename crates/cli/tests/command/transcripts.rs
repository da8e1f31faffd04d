//! Transcripts of the kernel's own files for functions: the same commands give the same here.
//!
//! A transcript has the kernel's answers, from Linux 6.18, with events that there are here in place of the
//! kernel's, and without commands that trace the kernel. `$ ` is before a command, `! ` before the number of
//! its error, and everything else is what it has printed. Where the answer is meant to be another one here, a
//! line `~ REASON` follows the kernel's, and then ours.

mod probed_program;
mod shell;

use crate::common::*;
use shell::Shell;

/// The kernel's functions that transcripts speak of, in the order of their addresses.
const KERNEL: &str = "
trace_initcall_level_cb trace_initcall_start_cb run_init_process do_exit vfs_truncate vfs_open vfs_llseek
vfs_iocb_iter_read vfs_iter_read vfs_readv vfs_read vfs_writev vfs_write vfs_copy_file_range vfs_get_link
vfs_path_parent_lookup vfs_path_lookup vfs_create vfs_unlink vfs_symlink vfs_rmdir vfs_link vfs_tmpfile
vfs_rename vfs_readlink vfs_pressure_ratio vfs_listxattr vfs_removexattr vfs_kern_mount.part.0 vfs_kern_mount
vfs_create_mount vfs_open_tree vfs_clean_context vfs_parse_comma_sep vfs_parse_fs_param_source
vfs_parse_fs_param vfs_parse_fs_qstr vfs_parse_monolithic_sep vfs_dup_fs_context vfs_cmd_create
vfs_splice_read vfs_dedupe_file_range_one vfs_dedupe_file_range vfs_clone_file_range vfs_cancel_lock
vfs_test_lock vfs_lock_file vfs_remove_acl vfs_coredump vfs_cleanup_quota_inode vfs_dentry_acceptable
genfs_read efi_mokvar_sysfs_read";

/// Modules of it, and their functions.
const MODULES: [(&str, &str); 2] = [
    (
        "ext4",
        "num_clusters_in_group ext4_has_free_clusters ext4_get_group_number ext4_sync_file ext4_sync_fs",
    ),
    (
        "mbcache",
        "mb_cache_entry_touch mb_cache_count mb_cache_entry_wait_unused mb_cache_create __mb_cache_entry_free \
         mb_cache_shrink mb_cache_shrink_worker mb_cache_scan mb_cache_entry_create mb_cache_destroy \
         mb_cache_entry_get mb_cache_entry_delete_or_get __entry_find mb_cache_entry_find_first \
         mb_cache_entry_find_next",
    ),
];

/// A session in which a program with these functions has run.
struct Kernel {
    _scratch: Scratch,
    place: String,
}

impl Kernel {
    fn new() -> Kernel {
        let scratch = Scratch::new();
        let modules = MODULES.map(|(name, functions)| {
            let library = scratch.path(name);
            let soname = format!("-Wl,-soname,{name}");
            build(&scratch, name, &define(functions), &["-shared", "-fPIC", &soname]);
            library.into_os_string().into_string().unwrap()
        });
        let main = "__attribute__((patchable_function_entry(0))) int main(void) { return 0; }\n";
        let linked = [&modules.each_ref().map(String::as_str)[..], &["-Wl,-rpath,$ORIGIN"]].concat();
        let program = build(&scratch, "kernel", &(define(KERNEL) + main), &linked);
        let place = scratch.outside("session").to_str().unwrap().to_string();
        run(&mut scratch.lookback(&["start", "-q", "--session", &place, "-e", "sched_process_exit"]))
            .success();
        run(&mut scratch.lookback(&["run", "--session", &place, program.to_str().unwrap()])).success();
        Kernel { _scratch: scratch, place }
    }

    /// A session in which no program has run.
    fn empty() -> Kernel {
        let scratch = Scratch::new();
        let place = scratch.outside("session").to_str().unwrap().to_string();
        run(&mut scratch.lookback(&["start", "-q", "--session", &place, "-e", "sched_process_exit"]))
            .success();
        Kernel { _scratch: scratch, place }
    }

    /// Compares every answer of a transcript.
    #[track_caller]
    fn play(&self, name: &str) {
        play(name, Shell::new(std::path::Path::new(&self.place)), |transcript| transcript);
    }

    /// Nothing is left of what was written.
    fn reset(&self) {
        let files = [
            "set_ftrace_filter",
            "set_ftrace_notrace",
            "set_graph_function",
            "set_graph_notrace",
            "max_graph_depth",
            "tracing_thresh",
        ];
        let mut shell = Shell::new(std::path::Path::new(&self.place));
        for file in files {
            let value = if file.starts_with("set") { "" } else { "0" };
            assert_eq!(shell.answer(&format!("echo {value} > {file}")), "");
        }
    }
}

/// Compares every answer of a transcript, in which what differs here by itself is replaced.
#[track_caller]
fn play(name: &str, mut shell: Shell, replace: impl Fn(String) -> String) {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/transcripts");
    let transcript = replace(std::fs::read_to_string(format!("{place}/{name}.txt")).unwrap());
    let (mut steps, mut wrong) = (0, String::new());
    for step in format!("\n{transcript}").split("\n$ ").skip(1) {
        let (command, expected) = step.split_once('\n').unwrap_or((step, ""));
        let (kernels, ours) = match expected.split_once("~ ") {
            Some((kernels, ours)) => (kernels, Some(ours.split_once('\n').map_or("", |(_, ours)| ours))),
            None => (expected, None),
        };
        let answer = comparable(command, &shell.answer(command));
        let expected = comparable(command, ours.unwrap_or(kernels));
        if answer != expected {
            wrong += &format!("{command}\n  expected {expected:?}\n  got      {answer:?}\n");
        } else if ours.is_some() && answer == comparable(command, kernels) {
            wrong += &format!("{command}\n  is no difference any more\n");
        }
        steps += 1;
    }
    assert!(steps > 1, "nothing was played");
    assert!(wrong.is_empty(), "{name}:\n{wrong}");
}

/// A C program's functions of these names.
fn define(names: &str) -> String {
    let define = |(number, name): (usize, &str)| {
        format!(
            "void f{number}(void) __asm__(\"{name}\");\n\
             __attribute__((noinline)) void f{number}(void) {{ __asm__(\"\"); }}\n"
        )
    };
    names.split_whitespace().enumerate().map(define).collect()
}

fn build(scratch: &Scratch, name: &str, source: &str, options: &[&str]) -> std::path::PathBuf {
    let (source, built) = (scratch.write(&format!("{name}.c"), source), scratch.path(name));
    let mut compile = scratch.command("gcc");
    compile.args([
        "-O1",
        "-fno-toplevel-reorder",
        "-fpatchable-function-entry=5",
        "-Wl,--no-as-needed",
        "-o",
    ]);
    run(compile.arg(&built).arg(&source).args(options)).success();
    built
}

/// Without what differs: names of errors, the program's name, which the kernel has not after its own
/// functions, and the order of a hash: of functions that have the same command, and of those of the graph.
fn comparable(command: &str, answer: &str) -> Vec<String> {
    if command == "cat error_log" {
        return last_error(answer);
    }
    let mut lines: Vec<String> =
        answer.lines().map(|line| without_time(&without_name(line)).replace(" [kernel]", "")).collect();
    let key = |line: &str| match line.split_once(':') {
        Some((_, command)) => Some(command.to_string()),
        None if command.contains("set_graph_") => Some(String::new()),
        None => None,
    };
    lines.chunk_by_mut(|one, other| key(one).is_some() && key(one) == key(other)).for_each(<[String]>::sort);
    lines
}

/// The last error of those that are kept, without its time.
fn last_error(log: &str) -> Vec<String> {
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default();
    last.iter().map(|line| line.split_once("] ").map_or(*line, |(_, line)| line).to_string()).collect()
}

/// An event without its thread, CPU, flags and time, and without the number of its type.
fn without_time(line: &str) -> String {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if let Some(("ID", _)) = line.split_once(": ") {
        return "ID".to_string();
    }
    if let Some((before, _)) =
        line.split_once(" type: ").filter(|(before, _)| before.split(' ').all(is_number))
    {
        return format!("{} numbers and a type", before.split(' ').count());
    }
    let event = line.split_once("] ").and_then(|(_, rest)| rest.trim_start().split_once(char::is_whitespace));
    let event = event.and_then(|(_, rest)| rest.trim_start().split_once(": "));
    match event {
        Some((time, event)) if is_number(time) => event.to_string(),
        _ => line.to_string(),
    }
}

/// `! 22` for `! 22 EINVAL`, and `-1` for `-1 EINVAL`.
fn without_name(line: &str) -> String {
    match line.strip_prefix("! ").and_then(|error| error.split(' ').next()) {
        Some(number) => format!("! {number}"),
        None => line.split(" -1 ").next().map_or_else(String::new, str::to_string),
    }
}

#[test]
fn commands_of_functions_come_and_go_as_in_the_kernel() {
    Kernel::new().play("filter-commands");
    Kernel::new().play("filter-command-removals");
}

#[test]
fn lists_of_functions_are_written_and_read_as_in_the_kernel() {
    let kernel = Kernel::new();
    for transcript in ["function-defaults", "filter-globs", "filter-mod", "filter-notrace", "filter-write"] {
        kernel.play(transcript);
        kernel.reset();
    }
}

#[test]
fn files_of_the_graph_are_as_in_the_kernel() {
    let kernel = Kernel::new();
    for transcript in ["graph-function", "max-graph-depth", "tracing-thresh"] {
        kernel.play(transcript);
        kernel.reset();
    }
}

#[test]
fn what_is_wrong_is_refused_as_in_the_kernel() {
    Kernel::new().play("errors");
}

/// Of `/bin/mkdir`, where the kernel had a program of another name: nobody runs it here.
#[test]
fn probes_are_defined_and_refused_as_in_the_kernel() {
    Kernel::empty().play("probe-definitions");
    Kernel::empty().play("probe-errors");
}

/// With probes of programs in place of those of the kernel's code and of other events.
#[test]
fn dynamic_events_come_and_go_as_in_the_kernel() {
    Kernel::empty().play("dynamic-events");
}

#[test]
fn probes_of_a_program_record_as_in_the_kernel() {
    probed_program::ProbedProgram::new().play("probe-trace");
}

#[test]
fn threads_are_listed_as_in_the_kernel() {
    Kernel::new().play("function-pids");
}

#[test]
fn options_of_tracers_are_as_in_the_kernel() {
    Kernel::new().play("tracer-options");
}

#[test]
fn the_profile_is_switched_as_in_the_kernel() {
    Kernel::new().play("function-profile");
}

#[test]
fn instances_trace_functions_as_in_the_kernel() {
    Kernel::new().play("function-instance");
}
