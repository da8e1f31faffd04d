//! Recordings that trace-cmd has made of the kernel: what `lookback report` prints of them is what trace-cmd
//! prints.

use crate::common::*;

/// Records into an instance of its own, in a mount namespace in which files that a locked-down kernel refuses
/// are other ones: without them trace-cmd stops.
const SCRIPT: &str = r#"
set -e
name=lookback-$$
place=/sys/kernel/tracing/instances/$name
mkdir "$place"
for file in "$place"/set_ftrace_* /sys/kernel/tracing/set_ftrace_*; do
    if [ -e "$file" ]; then : > empty; mount --bind empty "$file"; fi
done
echo 1 > enabled
for file in /proc/sys/kernel/ftrace_enabled /proc/sys/kernel/kptr_restrict; do mount --bind enabled "$file"; done
status=0
trace-cmd record -q -B "$name" -e sched:sched_switch -e sched:sched_process_exec "$@" \
    sh -c 'ls / > /dev/null; sleep 0.05' || status=$?
if [ -d "$place" ]; then rmdir "$place"; fi
exit $status
"#;

/// An event, whoever has printed it: trace-cmd leaves out the flags, and names the instance.
pub fn normal(line: &str) -> String {
    let line = match line.split_once(": ") {
        Some((instance, rest)) if instance.starts_with("lookback-") && !instance.contains('[') => rest,
        _ => line,
    };
    let (task, rest) = line.split_once('[').unwrap_or((line, ""));
    let (cpu, rest) = rest.split_once(']').unwrap_or((rest, ""));
    let words: Vec<&str> = rest.split_whitespace().collect();
    let after_flags = usize::from(words.first().is_some_and(|first| !first.ends_with(':')));
    format!("{} {cpu} {}", task.trim(), words[after_flags..].join(" "))
}

#[test]
fn of_all_versions_say_the_same() {
    if is_missing(&["trace-cmd", "unshare", "mount"]) || !rustix::process::geteuid().is_root() {
        return;
    }
    if !std::path::Path::new("/sys/kernel/tracing/instances").is_dir() {
        return eprintln!("skipped: no tracefs");
    }
    let scratch = Scratch::new();
    let script = scratch.write("record.sh", SCRIPT);
    for (name, options) in [
        ("six.dat", &["--file-version", "6", "-C", "mono"][..]),
        ("plain.dat", &["--file-version", "7", "--compression", "none"]),
        ("compressed.dat", &["--file-version", "7", "--compression", "zstd"]),
    ] {
        let file = scratch.path(name);
        let mut unshare = scratch.command("unshare");
        unshare.args(["-m", "bash"]).arg(&script).arg("-o").arg(&file).args(options);
        run(&mut unshare).success();
        let theirs =
            run(scratch.command("trace-cmd").args(["report", "-N", "-i"]).arg(&file)).success().stdout;
        let ours = run(scratch.lookback(&["report"]).arg(&file)).success().stdout;
        let theirs: Vec<String> =
            theirs.lines().filter(|line| !line.starts_with("cpus=")).map(normal).collect();
        let ours: Vec<String> = ours.lines().filter(|line| !line.starts_with('#')).map(normal).collect();
        assert!(
            ours.iter().any(|line| line.contains("sched_process_exec: filename=/usr/bin/ls")),
            "{ours:?}"
        );
        assert_eq!(ours, theirs, "{name}");
        let switches =
            run(scratch.lookback(&["report", "-F", "sched_switch: prev_comm == \"sleep\""]).arg(&file));
        let switches = switches.success().stdout;
        let expected = ours.iter().filter(|line| line.contains("sched_switch: prev_comm=sleep ")).count();
        assert_eq!(switches.lines().filter(|line| !line.starts_with('#')).count(), expected, "{name}");
        run(scratch.lookback(&["report", "-g", "1"]).arg(&file)).failure(125, &["processes of threads"]);
        run(scratch.lookback(&["report", "-B", "other"]).arg(&file))
            .failure(125, &["no instance called other"]);
    }
}
