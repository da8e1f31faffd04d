//! `trace-cmd record`, with the options that it has for events, buffers, clocks, and whom to record.

use super::*;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is recorded: a file that there is, and one that doesn't exist.
const PROGRAM: [&str; 3] = ["cat", "/etc/hostname", "/nonexistent"];

/// Ways to record that event of it, both times.
const WHOLE: &[&str] = &[
    "-e libc:open_exit",
    "--nosplice -e libc:open_exit",
    "--poll -e libc:open_exit",
    "-e libc",
    "-e *open*",
    "-e all",
    "-e libc -v -e libc:open",
    "-i -e nosuch -e libc:open_exit",
    "-a -e libc:open_exit",
    "-p nop -e libc:open_exit",
    "-S -e libc:open_exit",
    "-s 100 -e libc:open_exit",
    "-m 100 -e libc:open_exit",
    "-b 100 -e libc:open_exit",
    "-b 2000 -e libc:open_exit",
    "-F -e libc:open_exit",
    "-F -c -e libc:open_exit",
    "--no-filter --proc-map -F -e libc:open_exit",
    "-O nooverwrite -e libc:open_exit",
    "-O nosuch -e libc:open_exit",
    "-M zz -e libc:open_exit",
    "--cmdlines-size 100 -e libc:open_exit",
    "--compression none -e libc:open_exit",
    "--file-version 6 -e libc:open_exit",
    "-C mono -e libc:open_exit",
    "-C mono_raw -e libc:open_exit",
    "-C boot -e libc:open_exit",
    "-C tai -e libc:open_exit",
    "-C local -e libc:open_exit",
    "-C global -e libc:open_exit",
    "-C uptime -e libc:open_exit",
    "-C perf -e libc:open_exit",
    "-C x86-tsc -e libc:open_exit",
    // Wrong ones are told of, and then there is none; the kernel's trace-cmd does the same.
    "-e libc:open_exit -f nosuch==0",
    "-e libc:open_exit -R nosuch",
    "-b 100000000 -e libc:open_exit",
];

#[test]
fn it_records_what_it_is_to() {
    let Some(client) = Client::new() else { return };
    let clock = client.says("list -C");
    for arguments in WHOLE {
        client.record(arguments, &PROGRAM).success();
        let lines = client.recorded("trace.dat", "open_exit");
        assert_eq!(lines.len(), 2, "{arguments}: {lines:#?}");
        assert!(lines[0].contains("cat-") && lines[0].contains("pathname=\"/etc/hostname\""), "{lines:#?}");
        assert!(lines[1].contains("error=ENOENT pathname=\"/nonexistent\""), "{arguments}: {lines:#?}");
    }
    assert_eq!(client.says("list -C"), clock, "it is as it was");
    client.record("-e libc -v -e libc:open", &PROGRAM).success();
    assert!(
        client.recorded("trace.dat", "open").is_empty() && !client.recorded("trace.dat", "close").is_empty()
    );
    // Callers have names, by the file that lies over kallsyms.
    client.record("-e libc:open", &PROGRAM).success();
    assert!(client.recorded("trace.dat", "open").iter().all(|line| line.contains("caller=cat+0x")));
}

/// As on the kernel's tracefs: without `lookback run`.
#[test]
fn it_records_what_it_starts_and_not_itself() {
    let Some(client) = Client::new() else { return };
    for arguments in ["-e libc", "-F -e libc", "-e libc --nosplice", "-e libc -B other", "-c -F -e libc"] {
        let begun = (0..TRIES).any(|_| {
            let mut command = client.command("record");
            command.args(arguments.split_whitespace()).args(PROGRAM);
            run(&mut command).success();
            !client.recorded("trace.dat", "open_exit").is_empty()
        });
        assert!(begun, "{arguments}");
        let report = client.report(&["-i", "trace.dat"]);
        let events: Vec<&str> = report.lines().filter(|line| line.contains("] ")).collect();
        assert!(events.iter().any(|line| line.contains("pathname=\"/nonexistent\"")), "{report}");
        assert!(events.iter().all(|line| line.contains(" cat-")), "{arguments}: {report}");
    }
    client.says("start -e libc:open_exit");
    assert!(!client.says("show").contains(" trace-cmd-"), "none of it has read before it was told to record");
}

#[test]
fn filters_triggers_and_stacks_are_the_sessions() {
    let Some(client) = Client::new() else { return };
    let lines = |arguments: &str, event: &str| {
        client.record(arguments, &PROGRAM).success();
        client.recorded("trace.dat", event)
    };
    let failed = lines("-e libc:open_exit -f ret<0", "open_exit");
    assert!(failed.len() == 1 && failed[0].contains("/nonexistent"), "{failed:#?}");
    assert_eq!(lines("-F -e libc:open_exit -f ret>=0", "open_exit").len(), 1);
    assert_eq!(lines("-e libc:open_exit -R traceoff:1", "open_exit").len(), 1, "the first has stopped it");
    for arguments in ["-e libc:open -R stacktrace", "-O stacktrace -e libc:open", "-T -e libc:open"] {
        assert_eq!(lines(arguments, "kernel_stack").len(), 2, "{arguments}");
    }
    assert!(client.says("stat").contains("All disabled"), "nothing is left of them");
    assert_eq!(client.says("show --tracing_on"), "1\n");
}

#[test]
fn cpus_and_threads_are_chosen() {
    let Some(client) = Client::new() else { return };
    let program = ["taskset", "-c", "0", "cat", "/etc/hostname"];
    client.record("-M 1 -e libc:open_exit", &program).success();
    let lines = client.recorded("trace.dat", "open_exit");
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("[000]")), "{lines:#?}");
    // A thread that runs already, and two programs that nobody asked for.
    let script = "mkfifo go; $LOOKBACK run -q -- sh -c 'read word; : < /etc/passwd' < go & pid=$!
                  trace-cmd record -q -P $pid -e libc:open_exit -- sh -c \"
                      $LOOKBACK run -q -- cat /etc/hostname > go; tail --pid=$pid -f /dev/null\"";
    run(&mut client.lookback(&["exec", "--", "sh", "-c", script])).success();
    let lines = client.recorded("trace.dat", "open_exit");
    assert!(lines.len() == 1 && lines[0].contains("passwd"), "{lines:#?}");
}

#[test]
fn it_records_into_instances() {
    let Some(client) = Client::new() else { return };
    client.record("-e libc:close -B rare -e libc:open_exit -B other -e libc:open", &PROGRAM).success();
    let lines = client.recorded("trace.dat", "open_exit");
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("rare: ")), "{lines:#?}");
    let lines = client.recorded("trace.dat", "open");
    assert!(
        lines.iter().all(|line| line.contains("other: ") && line.contains("caller=cat+0x")),
        "{lines:#?}"
    );
    assert!(!client.recorded("trace.dat", "close").is_empty());
    assert_eq!(client.says("list -B"), "flight\n", "it removes what it has made");
}

#[test]
fn its_file_and_its_times_are_as_asked() {
    let Some(client) = Client::new() else { return };
    client.record("-e libc:open_exit -o other.dat", &PROGRAM).success();
    assert_eq!(client.recorded("other.dat", "open_exit").len(), 2);
    client.record("--date -e libc:open -C mono", &PROGRAM).success();
    let lines = client.recorded("trace.dat", "open");
    let time =
        lines[0].split_whitespace().find_map(|word| word.strip_suffix(':')?.parse::<f64>().ok()).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((now - time).abs() < 60.0, "{lines:#?}");
    assert!(lines[0].contains("caller=cat+0x"), "names that came while it ran: {lines:#?}");
    // Kept: what it has enabled stays so.
    client.record("-k -e libc:open_exit", &PROGRAM).success();
    assert!(client.says("stat").contains("open_exit"));
}

#[test]
fn functions_of_a_program_are_recorded() {
    let Some(client) = Client::new() else { return };
    let source = "__attribute__((noipa)) int leaf(int x) { return x + 1; }\n\
        __attribute__((noipa)) int other(int x) { return leaf(x) * 3; }\n\
        int main(void) { return other(1) + other(2) - 15; }\n";
    let program = compile(&client.scratch, "functions", source, &["-O2", "-fpatchable-function-entry=5"]);
    let program = [program.to_str().unwrap()];
    client.record("-p function", &program).success();
    assert!(client.says("report").contains(" other\n"));
    // trace-cmd looks for the names among those of programs that have run.
    client.record("-p function -l leaf", &program).success();
    let report = client.says("report");
    assert_eq!(report.matches(" leaf").count(), 2, "{report}");
    assert!(!report.contains(" other\n"), "{report}");
    // From a function on, in their graph.
    let calls = |report: &str| -> Vec<String> {
        let lines = report.lines().filter(|line| line.contains("funcgraph_"));
        lines.filter_map(|line| Some(line.split_once("|  ")?.1.trim_end().to_string())).collect()
    };
    // A call that ends on another CPU than it began on has two lines.
    let program = [&["taskset", "-c", "0"], &program[..]].concat();
    client.record("-p function_graph -g other", &program).success();
    let round = ["other() {", "  leaf();", "}"];
    assert_eq!(calls(&client.says("report")), [round, round].concat());
    client.record("-p function_graph --max-graph-depth 2", &program).success();
    assert_eq!(calls(&client.says("report")), ["main() {", "  other();", "  other();", "}"]);
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let Some(client) = Client::new() else { return };
    client.expect(&[
        ("record true", 255, "no event or plugin was specified"),
        ("record -e nosuch true", 2, "No events enabled with nosuch"),
        ("record -e libc:nosuch true", 2, "No events enabled with libc:nosuch"),
        ("record -C nosuch -e libc true", 255, "Clock nosuch is not supported"),
        ("record -f a==1 -e libc true", 255, "filter must come after event"),
        ("record -p nosuch true", 2, "Plugin 'nosuch' does not exist"),
        ("record --func-stack -e libc true", 2, "Function stack trace set, but functions not filtered"),
    ]);
    assert!(client.says("stat").contains("All disabled"));
}
