//! `report --tree`: who has made whom, and how each has ended.

use crate::common::*;

fn tree(scratch: &Scratch, options: &[&str]) -> String {
    run(&mut scratch.report(&[&["--tree"], options].concat())).success().stdout
}

/// The cells of the row whose command ends like this, and how deep it is indented.
fn row(table: &str, command: &str) -> (Vec<String>, usize) {
    let line = table.lines().find(|line| line.ends_with(command));
    let line = line.unwrap_or_else(|| panic!("no {command} in\n{table}"));
    let column = table.lines().next().and_then(|header| header.find("COMMAND")).unwrap();
    let (start, command) = line.split_at(column);
    let cells = start.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
    (cells.map(str::to_owned).collect(), command.len() - command.trim_start().len())
}

#[test]
fn processes_have_their_ends_under_their_parents() {
    let scratch = Scratch::new();
    let script = "sh -c 'cat /none 2> /dev/null; exit 3'; sh -c 'kill -9 $$'; sleep 0.05; exit 7";
    let (_, trace) = scratch.recorded(&["sh", "-c", script]);
    let table = tree(&scratch, &[]);
    let of = |command: &str| row(&table, command);
    let (main, depth) = of("; exit 7'");
    assert_eq!((main[2].as_str(), main[0].as_str()), ("exit 7", "+0.000000"), "{table}");
    let (shell, inner) = of("exit 3'");
    assert_eq!((shell[2].as_str(), inner), ("exit 3", depth + 2), "{table}");
    let (cat, innermost) = of("cat /none");
    assert_eq!((cat[2].as_str(), innermost), ("exit 1", depth + 4), "{table}");
    let pid = trace.expect_of("cat", "sched_process_exec", "").pid;
    assert_eq!(cat[5], pid.to_string());
    let of_cat = |event: &&Event| event.pid == pid;
    let entries = trace.events.iter().filter(of_cat).filter(|event| event.field("caller").is_some());
    let failed = |event: &&Event| event.field("error").is_some_and(|error| error != "0");
    let counted = [entries.count(), trace.events.iter().filter(of_cat).filter(failed).count()];
    assert_eq!([&cat[3], &cat[4]], counted.each_ref().map(ToString::to_string).each_ref(), "{table}");
    let (killed, _) = of("sh -c 'kill -9 $$'");
    assert_eq!(killed[2], "SIGKILL", "{table}");
    assert!(killed[1].starts_with("<+") && table.contains("\n< before: "), "{table}");
    // Nothing is known of the recorder but that it has made the program.
    assert!(!table.contains("lookback") && depth == 0, "{table}");
    // A process is shown with its ancestors, and what is counted is what is chosen.
    let chosen = tree(&scratch, &["-t", "cat", "-F", "*_exit: error == ENOENT"]);
    assert!(chosen.contains("cat /none") && !chosen.contains("kill -9 $$'\n"), "{chosen}");
    let (parent, child) = (row(&chosen, "exit 3'").0, row(&chosen, "cat /none").0);
    assert_eq!((parent[3].as_str(), child[3] == child[4]), ("0", true), "{chosen}");
    let hidden = tree(&scratch, &["--redact", "sched_process_exec.argv"]);
    assert!(hidden.contains("***") && !hidden.contains("/none"), "{hidden}");
    run(&mut scratch.report(&["--tree", "-t", "nobody"])).failure(125, &["no events of such processes"]);
    run(&mut scratch.report(&["--tree", "--stat"])).failure(125, &["cannot be used with"]);
}

#[test]
fn a_tree_fits_the_terminal() {
    let scratch = Scratch::new();
    let word = "w".repeat(100);
    run(&mut scratch.record(&["-q"], &["sh", "-c", &format!("true {word}; true")])).success();
    assert!(tree(&scratch, &[]).contains(&word), "a pipe gets all of it");
    for columns in [80, 100] {
        let mut command = scratch.report(&["--tree"]);
        let table = run(command.env("COLUMNS", columns.to_string())).success().stdout;
        assert!(table.lines().any(|line| line.ends_with("ww...")), "{table}");
        assert!(table.lines().all(|line| line.chars().count() <= columns), "{table}");
    }
}

#[test]
fn a_process_is_an_object() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q"], &["sh", "-c", "sh -c 'exit 3'; sh -c 'kill -9 $$'; true"])).success();
    scratch.write("json", tree(&scratch, &["--json"]));
    let script = "\
import json
known = {}
for line in open('json'):
    e = json.loads(line)
    known[e['pid']] = e
    if e['parent'] is not None:
        assert e['parent'] in known and e['start'] <= e['first_event'] <= e['end'] <= e['last_event']
        print((e['argv'] or '').split(';')[0], e['state'], e['status'], e['signal'], e['noticed_later'], sep='|')
";
    let read = run(scratch.command("python3").args(["-c", script])).success().stdout;
    let expected = "sh -c 'exit 3'|ended|3|None|False\nsh -c 'kill -9 $$'|ended|None|SIGKILL|True\n";
    assert!(read.ends_with(expected), "{read}");
}

#[test]
fn what_is_not_recorded_is_not_known() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-e", "libc:open*"], &["cat", "/etc/hostname"])).success();
    let table = tree(&scratch, &[]);
    let (cat, _) = row(&table, "cat");
    assert_eq!(cat[1..3], ["-", "-"], "{table}");
    assert!(cat[0].starts_with('<') && table.contains("`-e @process` enables them"), "{table}");
}

#[test]
fn a_session_has_a_tree_of_what_runs() {
    let scratch = Scratch::new();
    let path = scratch.outside("session").to_str().unwrap().to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "256", "--session", &path])).success();
    let mut command = scratch.lookback(&["run", "--session", &path, "--"]);
    let running = start(command.args(["sh", "-c", "sleep 9; true"]));
    let show = || run(&mut scratch.lookback(&["show", "--tree", "--session", &path])).stdout;
    running.wait_until(|| show().contains("sleep 9\n"));
    let table = show();
    assert_eq!(row(&table, "sleep 9").0[1], "running", "{table}");
    assert_eq!(row(&table, "sh -c 'sleep 9; true'").0[1], "running", "{table}");
    drop(running);
    run(&mut scratch.lookback(&["delete", "-q", "--session", &path])).success();
}
