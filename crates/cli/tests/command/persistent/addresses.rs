//! What a process maps of a session: what it uses, and nothing of it is locked.

use super::Persistent;
use crate::common::*;
use std::os::unix::fs::MetadataExt;

/// Bytes of addresses that a program has when it has done something.
fn addresses(mut command: std::process::Command) -> u64 {
    let outcome = run(&mut command).success();
    let kb = outcome.stdout.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("a size");
    kb.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

const SHOW: [&str; 3] = ["grep", "VmSize", "/proc/self/status"];

#[test]
fn a_process_maps_what_it_uses() {
    let persistent = Persistent::of_size("4096", &["-e", "sched:"]);
    let mut plain = std::process::Command::new(SHOW[0]);
    plain.args(&SHOW[1..]);
    let plain = addresses(plain);
    let traced = addresses(persistent.running(&SHOW));
    let cpus =
        persistent.done("stat", &["--json", "--interval", "0"]).stdout.matches("\"cpu\":").count() as u64;
    // The live buffers, as much for a snapshot, the control area, the object, and its call slots.
    let buffers = (cpus + 1) * (4 << 20) * 2;
    assert!((buffers..buffers + (12 << 20)).contains(&(traced - plain)), "{plain} became {traced}");
    persistent.done("start", &["-B", "more", "-e", "libc:write"]);
    let without_event = addresses(persistent.running(&SHOW));
    assert!(without_event < traced + (1 << 20), "{traced} became {without_event}");
    persistent.done("set", &["-q", "function_profile_enabled", "1"]);
    let unprofiled = addresses(persistent.running(&SHOW));
    assert!(unprofiled < without_event + (256 << 10), "{without_event} became {unprofiled}");
}

/// Locks all of its memory, as some services do, and looks at what came of it.
const LOCKING: &str = "
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
    char line[256];
    int result = mlockall(MCL_CURRENT | MCL_FUTURE);
    printf(\"%d %s\\n\", result, result ? strerror(errno) : \"\");
    fflush(stdout);
    FILE *status = fopen(\"/proc/self/status\", \"r\");
    while (fgets(line, sizeof(line), status))
        if (!strncmp(line, \"VmLck\", 5))
            fputs(line, stdout);
    return 0;
}";

#[test]
fn who_locks_its_memory_locks_none_of_the_session() {
    let persistent = Persistent::of_size("4096", &[]);
    persistent.done("start", &["-B", "more", "-e", "libc:fopen_exit"]);
    let program = compile(&persistent.scratch, "locking", LOCKING, &[]);
    let plain = run(&mut std::process::Command::new(&program)).success().stdout;
    let memory = || persistent.path.join("session").metadata().unwrap().blocks() * 512;
    let before = memory();
    let traced = persistent.run(&[program.to_str().unwrap()]).success().stdout;
    assert_eq!(plain, traced);
    assert!(memory() < before + (1 << 20), "{before} bytes became {}", memory());
    // Its buffer was mapped after that.
    let more = persistent.shown(&["-B", "more"]);
    assert!(more.events.len() == 1 && more.events[0].text.contains("/proc/self/status"), "{more:?}");
}

/// Waits for a file, opens another, and waits for the next file.
const WAITING: &str = "
echo started
while [ ! -e stop1 ]; do sleep 0.01; done
cat /etc/hostname
echo opened
while [ ! -e stop2 ]; do sleep 0.01; done
";

/// What `list` and `stat` say of a process that maps no more than it has.
#[track_caller]
fn is_missing_and_said(before: &str, named: &str, told: &str) {
    let persistent = Persistent::new(&["-e", "libc:open*"]);
    let script = format!("{before}\n{WAITING}");
    let mut running =
        start(persistent.running(&["bash", "-c", &script]).current_dir(persistent.scratch.path("")));
    running.wait_for("started");
    persistent.done("start", &["-B", "more", "-e", "libc:open*"]);
    std::fs::write(persistent.scratch.path("stop1"), "").unwrap();
    running.wait_for("opened");
    assert!(persistent.opened(&[]).contains(&"/etc/hostname".to_string()));
    assert!(!persistent.opened(&["-B", "more"]).contains(&"/etc/hostname".to_string()));
    let stat = persistent.done("stat", &["-B", "more", "--interval", "0"]).stdout;
    assert!(stat.contains("of programs that could not map this instance's buffer"), "{stat}");
    let stat = persistent.done("stat", &["-B", "more", "--interval", "0", "--json"]).stdout;
    let count = stat.split("\"not_mapped_events\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    assert!(count.parse::<u64>().unwrap() >= 2, "{stat}");
    let listed = persistent.done("list", &[]).stdout;
    assert!(listed.contains(told), "{listed}");
    let listed = persistent.done("list", &["--json"]).stdout;
    assert!(listed.contains(&format!("\"confined_by\":\"{named}\"")), "{listed}");
    std::fs::write(persistent.scratch.path("stop2"), "").unwrap();
    running.wait().success();
}

#[test]
fn with_few_addresses_no_further_instance_is_mapped() {
    is_missing_and_said("ulimit -v 2000000", "addresses", "its address space is limited (ulimit -v)");
}

/// Executes a program with a filter of system calls that allows everything, as a container's.
const FILTERED: &str = "
import ctypes, os, sys
class Instruction(ctypes.Structure):
    _fields_ = [('code', ctypes.c_ushort), ('jt', ctypes.c_ubyte), ('jf', ctypes.c_ubyte), ('k', ctypes.c_uint)]
class Program(ctypes.Structure):
    _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.POINTER(Instruction))]
libc = ctypes.CDLL(None, use_errno=True)
program = Program(1, ctypes.pointer(Instruction(6, 0, 0, 0x7fff0000)))
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)) == 0
os.execvp(sys.argv[1], sys.argv[1:])
";

#[test]
fn in_a_sandbox_no_further_instance_is_mapped() {
    let before = format!(
        "if [ -z \"$FILTERED\" ]; then FILTERED=1 exec python3 -c \"{FILTERED}\" bash -c \"$BASH_EXECUTION_STRING\"; fi"
    );
    is_missing_and_said(&before, "sandbox", "sandboxed: records in no further instances");
}

#[test]
fn programs_of_a_sandbox_are_known_by_their_own_pids() {
    let persistent = Persistent::new(&["-e", "libc:open*"]);
    let inside = persistent.running(&["sh", "-c", WAITING]);
    let mut filtered = persistent.scratch.command("python3");
    filtered.args(["-c", FILTERED]).arg(inside.get_program()).args(inside.get_args());
    filtered.envs(inside.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut running = start(filtered.current_dir(persistent.scratch.path("")));
    running.wait_for("started");
    std::fs::write(persistent.scratch.path("stop1"), "").unwrap();
    running.wait_for("opened");
    let listed = persistent.done("list", &["--json"]).stdout;
    assert!(listed.contains("\"confined_by\":\"sandbox\""), "{listed}");
    assert!(!listed.contains("\"other_pid_namespace\":true"), "{listed}");
    std::fs::write(persistent.scratch.path("stop2"), "").unwrap();
    running.wait().success();
    // Children that sh makes by vfork(2) don't know their PIDs before they have executed a program.
    let written = persistent.done("extract", &["-o", persistent.scratch.path("trace.dat").to_str().unwrap()]);
    assert!(!written.stderr.contains("did not attach"), "{}", written.stderr);
}

#[test]
fn a_program_goes_on_in_buffers_that_have_grown() {
    let persistent = Persistent::new(&["-e", "libc:open*"]);
    let mut running =
        start(persistent.running(&["bash", "-c", WAITING]).current_dir(persistent.scratch.path("")));
    running.wait_for("started");
    persistent.done("set", &["buffer_size_kb", "240"]);
    std::fs::write(persistent.scratch.path("stop1"), "").unwrap();
    running.wait_for("opened");
    std::fs::write(persistent.scratch.path("stop2"), "").unwrap();
    running.wait().success();
    let trace = persistent.shown(&[]);
    assert_eq!(trace.count("open", "/etc/hostname") + trace.count("openat", "/etc/hostname"), 0);
    assert!(persistent.opened(&[]).contains(&"/etc/hostname".to_string()));
    assert!(persistent.done("stat", &["--interval", "0", "--json"]).stdout.contains("\"dropped_events\":0"));
}

#[test]
fn root_is_not_recorded_in_somebody_elses_session() {
    let persistent = Persistent::new(&["-e", "libc:open*"]);
    let Some(mut nobody) = as_nobody(&persistent.scratch) else { return };
    let directory = persistent.scratch.outside("theirs");
    std::fs::create_dir(&directory).unwrap();
    run(persistent.scratch.command("chown").arg("65534").arg(&directory)).success();
    let path = directory.join("session");
    run(nobody.args(["start", "-b", "64", "--session"]).arg(&path)).success();
    let mut run_by_root = persistent.scratch.lookback(&["run", "--session"]);
    let refused = run(run_by_root.arg(&path).args(["--", "cat", "/etc/hostname"]));
    assert_eq!(refused.status.code(), Some(125), "{refused:?}");
    assert!(refused.stderr.contains("belongs to the user 65534"), "{refused:?}");
    let mut recorded = persistent.scratch.lookback(&["record", "--session"]);
    let refused = run(recorded.arg(&path).args(["--", "cat", "/etc/hostname"]));
    assert!(refused.stderr.contains("belongs to the user 65534"), "{refused:?}");
    // Nor by the environment alone.
    let mut sees = persistent.running(&["sh", "-c", "LOOKBACK_SESSION=$0 exec cat /etc/hostname"]);
    run(sees.arg(&path)).success();
    let mut shown = persistent.scratch.lookback(&["show", "--session"]);
    assert!(!run(shown.arg(&path)).stdout.contains("hostname"));
}
