//! Programs that can't be recorded, or only in part: they are named, with the reason.

use crate::common::*;
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// Sleeps for so many milliseconds.
const SLEEPS: &str = "#include <stdlib.h>\n#include <unistd.h>\n\
    int main(int count, char **arguments) { return count > 1 && usleep(1000 * atoi(arguments[1])); }";

/// Runs what its arguments say by posix_spawn(3).
const SPAWNS: &str = "#include <spawn.h>\n#include <sys/wait.h>\nextern char **environ;\n\
    int main(int count, char **arguments) {\n\
        int pid, status;\n\
        if (posix_spawnp(&pid, arguments[1], 0, 0, arguments + 1, environ)) return 1;\n\
        return waitpid(pid, &status, 0) != pid;\n\
    }";

/// Executes what its arguments say by a system call, with an empty environment.
const EXECUTES: &str = "#include <sys/syscall.h>\n#include <unistd.h>\n\
    int main(int count, char **arguments) {\n\
        char *none[] = {0};\n\
        return syscall(SYS_execve, arguments[1], arguments + 1, none);\n\
    }";

/// A program that opens a file, in Go, and is linked with libc.
const OPENS: &str = "package main\n// #include <stdlib.h>\nimport \"C\"\nimport \"os\"\n\
    func main() { os.Open(\"/opened-by-go\"); C.free(C.malloc(8)) }\n";

/// A library in Go.
const LIBRARY: &str =
    "package main\nimport \"C\"\n//export number\nfunc number() C.int { return 7 }\nfunc main() {}\n";

/// A copy of a program that gets the rights of another user, or of another group.
fn privileged(scratch: &Scratch, name: &str, mode: u32) -> PathBuf {
    let path = compile(scratch, name, SLEEPS, &[]);
    chown(&path, Some(65534), Some(65534)).unwrap();
    set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

/// What is said of processes that were recorded to `trace.dat`: by the recording, and by its report.
#[track_caller]
fn told(scratch: &Scratch, script: &str) -> (String, String) {
    let recorded = run(&mut scratch.record(&["-e", "sched:"], &["sh", "-c", script])).success();
    (recorded.stderr, run(&mut scratch.report(&[])).success().stderr)
}

/// Checks that a program was named for that reason in both, with its PID.
#[track_caller]
fn assert_named((recorded, reported): &(String, String), part: &str, why: &str, name: &str) {
    let is_named = |text: &str, before: &str| {
        let all: Vec<&str> = text.lines().skip_while(|line| !line.trim_start().starts_with(before)).collect();
        let names = all.iter().find_map(|line| line.split_once(&format!("{why}: ")));
        let mut words =
            names.map_or("", |(_, names)| names).split(", ").filter_map(|word| word.split_once(' '));
        words.any(|(pid, named)| pid.parse::<u32>().is_ok() && named == name)
    };
    assert!(is_named(recorded, part), "{part}, {why}: {name}: {recorded}");
    let part = if part == "unseen" { "lookback: not recorded:" } else { "lookback: recorded in part:" };
    assert!(is_named(reported, part), "{part} {why}: {name}: {reported}");
}

#[test]
fn programs_without_the_agent_are_named() {
    if is_missing(&["cc", "musl-gcc", "chroot"]) || needs_root("make a set-user-ID program") {
        return;
    }
    let scratch = Scratch::new();
    let fixed = compile(&scratch, "fixed", SLEEPS, &["-static"]).display().to_string();
    let pie = compile(&scratch, "pie", SLEEPS, &["-static-pie"]).display().to_string();
    let narrow = compile(&scratch, "narrow", SLEEPS, &["-m32"]).display().to_string();
    let musl = compile_by("musl-gcc", &scratch, "small", SLEEPS, &[]).display().to_string();
    let alpine = compile_by("musl-gcc", &scratch, "alpine", SLEEPS, &["-static"]).display().to_string();
    // What the kernel starts as its dynamic linker is a program by itself.
    let linker = format!("-Wl,--dynamic-linker={alpine}");
    let other = compile(&scratch, "other", SLEEPS, &[&linker]).display().to_string();
    let user = privileged(&scratch, "user", 0o4755).display().to_string();
    let group = privileged(&scratch, "group", 0o2755).display().to_string();
    let spawns = compile(&scratch, "spawns", SPAWNS, &[]).display().to_string();
    std::fs::create_dir(scratch.outside("root")).unwrap();
    install(&scratch, Path::new(&fixed), &scratch.outside("root/inside"));
    let root = scratch.outside("root").display().to_string();
    scratch.write_program("script", format!("#!{alpine}\n"));
    let script = format!(
        "{fixed}; {fixed} 1; {pie}; {spawns} {narrow}; {spawns} {musl}; {spawns} {other}; {spawns} {alpine}; {user}; {spawns} {group}; \
         chroot {root} /inside; ./script; {spawns} true; /nowhere 2> /dev/null; {spawns} /nowhere; \
         setpriv --reuid 65534 true; true"
    );
    let told = told(&scratch, &script);
    for (why, names) in [
        ("static program", &["fixed and 1 more", "pie", "alpine", "script"][..]),
        ("32-bit program", &["narrow"]),
        ("linked with neither glibc nor musl", &["other"]),
        ("set-user-ID", &["user"]),
        ("set-group-ID", &["group"]),
        ("the agent's file is not in its root directory", &["inside"]),
    ] {
        names.iter().for_each(|name| assert_named(&told, "unseen", why, name));
    }
    // Somebody else may not open the session.
    assert_named(&told, "unseen", "did not attach", "true");
    assert!(["spawns", "nowhere", "setpriv", "small"].iter().all(|name| !told.1.contains(name)), "{told:?}");
    // They end under the names that they had.
    let trace = scratch.trace();
    for name in ["fixed", "narrow", "user", "group", "inside"] {
        trace.expect("sched_process_exit", &format!("comm={name} "));
    }
}

#[test]
fn what_a_system_call_has_executed_is_found_while_it_runs() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let fixed = compile(&scratch, "fixed", SLEEPS, &["-static"]).display().to_string();
    let plain = compile(&scratch, "plain", SLEEPS, &[]).display().to_string();
    let executes = compile(&scratch, "executes", EXECUTES, &[]).display().to_string();
    let script = format!("{executes} {fixed} 1500 & {executes} {plain} 1500 & {executes} /bin/true; wait");
    let told = told(&scratch, &script);
    assert_named(&told, "unseen", "static program", "fixed");
    assert_named(&told, "unseen", "LD_PRELOAD in its environment doesn't name lookback's agent", "plain");
    // One that runs still when the recording ends is found then.
    let script = format!("{executes} {fixed} 3000 & sleep 0.2; true");
    let told = self::told(&scratch, &script);
    assert_named(&told, "unseen", "static program", "fixed");
}

#[test]
fn programs_of_go_are_seen_in_part() {
    if is_missing(&["cc", "go"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_go(&scratch, "opens", OPENS, &[]);
    let library = build_go(&scratch, "libnumber.so", LIBRARY, &["-buildmode=c-shared"]);
    let source = "int number(void);\nint main(void) { return number() - 7; }";
    let user = compile(&scratch, "user", source, &[library.to_str().unwrap()]);
    let fixed = build_go(&scratch, "fixed", "package main\nfunc main() {}\n", &[]);
    let script = format!("{}; {}; {}; true", program.display(), user.display(), fixed.display());
    let told = told(&scratch, &script);
    assert_named(&told, "in part", "Go makes its own system calls", "opens");
    assert_named(&told, "in part", "libnumber.so: Go makes its own system calls", "user");
    assert_named(&told, "unseen", "static program", "fixed");
    assert_eq!(told.1.matches("Go makes").count(), 2, "{told:?}");
}

#[test]
fn a_recording_of_what_is_seen_says_nothing() {
    let scratch = Scratch::new();
    let (recorded, reported) = told(&scratch, "true; ls > /dev/null; (true) & env -i true; wait");
    assert!(!recorded.contains("unseen") && !recorded.contains("in part"), "{recorded}");
    assert_eq!(reported, "");
}
