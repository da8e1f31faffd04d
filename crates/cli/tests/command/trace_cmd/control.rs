//! What sets and shows: start, stop, restart, set, show, stat, list, snapshot, extract, clear, reset.

use super::*;

#[test]
fn it_starts_shows_and_stops() {
    let Some(client) = Client::new() else { return };
    client.says("start -e libc:open");
    client.run(&["taskset", "-c", "0", "cat", "/etc/hostname"]).success();
    client.says("stop");
    let is_shown = |arguments: &str| {
        let shown = client.says(arguments);
        shown.lines().any(|line| line.contains(" cat-") && line.contains(" open: "))
    };
    assert!(is_shown("show") && is_shown("show -c 0") && !is_shown("show -B flight"));
    assert_eq!(client.says("show --tracing_on"), "0\n");
    assert!(is_shown("show -p"), "recording is off: it ends");
    assert!(!is_shown("show"));
    client.says("restart");
    assert_eq!(client.says("show --tracing_on"), "1\n");
    assert!(client.says("stat").contains("    libc\n        open\n"));
    client.says("set -e sched:sched_process_exec -e libc:open_exit -f ret<0 -R stacktrace");
    let state = client.says("stat");
    assert!(state.contains("sched_process_exec") && state.contains("ret<0"), "{state}");
    assert!(state.contains("libc:open_exit \"stacktrace"), "{state}");
    client.expect(&[
        ("show --current_tracer", 0, "nop"),
        ("show --buffer_size", 0, "1020"),
        ("show --buffer_total_size", 0, ""),
        ("show -B nosuch", 2, "instances/nosuch/trace"),
        ("show -c 999", 2, "per_cpu/cpu999/trace"),
        ("show --ftrace_filter", 0, "#### all functions enabled ####"),
        ("show --graph_function", 0, "#### all functions enabled ####"),
        ("start -e nosuch", 2, "No events enabled with nosuch"),
        ("start -p nosuch", 2, "Plugin 'nosuch' does not exist"),
        ("set -R traceoff -e libc:open", 255, "trigger must come after event"),
    ]);
    let mask = run(&mut client.lookback(&["get", "tracing_cpumask"])).success().stdout;
    assert_eq!(client.says("show --cpumask").trim(), mask.trim());
}

#[test]
fn it_lists_everything() {
    let Some(client) = Client::new() else { return };
    // Of an event that trace-cmd itself doesn't cause.
    client.says("set -B rare -e libc:open -f flags!=0 -e libc:chroot -R traceoff:3");
    client.expect(&[
        ("list", 0, "libc"),
        ("list -e", 0, "sched:sched_process_exec\n"),
        ("list -e ^libc:^open$", 0, "libc:open\n"),
        ("list -e ^libc:^open$ -F", 0, "field:unsigned int flags;"),
        ("list -e ^libc:^open$ -l", 0, "libc:open\nnone\n"),
        ("list -e ^libc:^open$ -R", 0, "# Available triggers:\n"),
        ("list -e nosuch", 0, ""),
        ("list -s", 0, "libc\nlock\nlookback\nraw_syscalls\nsched\nsignal\nsyscalls\n"),
        ("list -t", 0, "function"),
        ("list -p", 0, "nop\n"),
        ("list -o", 0, "\noverwrite\n"),
        ("list -B", 0, "rare\n"),
        ("list -C", 0, "[mono] mono_raw boot tai x86-tsc\n"),
        ("list -f", 0, ""),
        ("stat -B rare", 0, "        open\n"),
        ("stat -B rare", 0, "(flags!=0)"),
        ("stat -B rare", 0, "traceoff:count=3"),
        ("check-events", 0, ""),
        ("stack", 2, "stack tracer not configured"),
    ]);
}

#[test]
fn it_takes_snapshots() {
    let Some(client) = Client::new() else { return };
    client.says("start -e libc:open");
    client.run(&["taskset", "-c", "0", "cat", "/etc/hostname"]).success();
    client.expect(&[
        ("snapshot", 0, "Snapshot is freed"),
        ("snapshot -s", 0, ""),
        ("snapshot", 0, " open: "),
        ("show -s", 0, " open: "),
        ("snapshot -c 0", 0, " open: "),
        ("show", 0, "entries-in-buffer/entries-written: 0/0"),
        ("snapshot -r", 0, ""),
        ("snapshot", 0, "Snapshot is allocated"),
        ("snapshot -f", 0, ""),
        ("snapshot", 0, "Snapshot is freed"),
        ("snapshot -c 999", 2, "Snapshot feature is not supported"),
    ]);
    client.says("set -B rare -e libc:open");
    client.run(&["cat", "/etc/hostname"]).success();
    client.expect(&[("snapshot -B rare -s", 0, ""), ("snapshot -B rare", 0, " open: ")]);
}

#[test]
fn it_extracts_and_clears() {
    let Some(client) = Client::new() else { return };
    let fill = || {
        client.says("start -e libc:open");
        client.says("start -B rare -e libc:open_exit");
        client.run(&["cat", "/etc/hostname"]).success();
    };
    let has = |arguments: &str, event: &str| client.says(arguments).contains(&format!(" {event}: "));
    fill();
    client.says("clear");
    assert!(!has("show", "open") && has("show -B rare", "open_exit"));
    client.says("clear -B rare");
    assert!(!has("show -B rare", "open_exit"));
    fill();
    client.says("clear -a");
    assert!(!has("show", "open") && !has("show -B rare", "open_exit"));
    client.expect(&[("clear -B nosuch", 2, "Failed to allocate instance nosuch")]);
    fill();
    client.says("extract");
    let mut lines = client.recorded("trace.dat", "open");
    // Of itself there is what it did before it read the tree.
    lines.retain(|line| !line.contains(" trace-cmd-"));
    assert!(lines.len() == 1 && lines[0].contains("caller=cat+0x"), "{lines:#?}");
    assert!(!has("show", "open"), "it was taken");
    client.says("extract -B rare -o rare.dat");
    let lines = client.recorded("rare.dat", "open_exit");
    assert_eq!(lines.iter().filter(|line| line.contains(" cat-")).count(), 1, "{lines:#?}");
    assert_eq!(client.says("list -B"), "flight\n", "it removes instances that it has emptied");
}

#[test]
fn it_resets() {
    let Some(client) = Client::new() else { return };
    client.says("start -e libc:open -f flags!=0 -C boot -M 1 -O stacktrace");
    client.says("start -B rare -e libc:open");
    client.says("stop");
    let state = client.says("stat");
    assert!(
        ["open", "flags!=0", "Clock: boot", "CPU mask: 1"].iter().all(|part| state.contains(part)),
        "{state}"
    );
    client.says("reset -B rare");
    client.says("reset");
    let state = client.says("stat");
    assert!(state.contains("All disabled") && !state.contains("flags!=0"), "{state}");
    assert_eq!(client.says("show --tracing_on"), "1\n");
    assert!(client.says("stat -B rare").contains("All disabled"));
    client.expect(&[("reset -d", 255, "Can not delete top level buffer")]);
    client.says("reset -a -d");
    assert_eq!(client.says("list -B"), "flight\n", "the default instance, next to which clients work");
}

/// What needs none of the kernel's other files works where a session is mounted over its tracefs.
#[test]
fn it_works_over_a_mount() {
    let Some(client) = Client::new() else { return };
    let script =
        "$LOOKBACK mount /sys/kernel/tracing > /dev/null && trap '$LOOKBACK umount /sys/kernel/tracing' EXIT
                  echo libc:open_exit > /sys/kernel/tracing/set_event
                  $LOOKBACK run -q -- cat /etc/hostname > /dev/null
                  trace-cmd stat | grep open_exit; trace-cmd stop; trace-cmd show | grep -c hostname
                  trace-cmd extract 2> /dev/null; trace-cmd report | grep -c hostname; trace-cmd list -B";
    let Some(mut command) = with_mount(&client.scratch, "covered", "size=1M", script) else { return };
    let outcome = run(command.env("LOOKBACK_SESSION", client.scratch.path("session"))).success();
    assert_eq!(outcome.stdout, "        open_exit\n1\n1\nflight\n");
}
