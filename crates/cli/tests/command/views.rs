//! `lookback report`: what it makes of events.

use crate::common::*;
use std::time::{SystemTime, UNIX_EPOCH};

fn recorded(script: &str) -> (Scratch, Trace) {
    let scratch = Scratch::new();
    let (outcome, trace) = scratch.recorded(&["sh", "-c", script]);
    outcome.success();
    (scratch, trace)
}

#[track_caller]
fn printed(scratch: &Scratch, options: &[&str]) -> String {
    run(&mut scratch.report(options)).success().stdout
}

#[test]
fn every_event_is_an_object() {
    if is_missing(&["python3"]) {
        return;
    }
    let (scratch, all) = recorded("cat /etc/passwd > /dev/null; ls '/quo\"te' 2> /dev/null; true");
    let json = printed(&scratch, &["--json"]);
    assert_eq!(json.lines().count(), all.events.len());
    scratch.write("json", &json);
    let script = "\
import json
for line in open('json'):
    e = json.loads(line)
    assert type(e['time']) is int and e['tgid'] >= 0 if 'tgid' in e else True
    print(e['comm'], e['pid'], e['cpu'], (e['time'] + 500) // 1000, e['event'], e['text'], sep='|')
";
    let read = run(scratch.command("python3").args(["-c", script])).success().stdout;
    let expected: Vec<String> = all
        .events
        .iter()
        .map(|event| {
            format!("{}|{}|{}|{}|{}|{}", event.comm, event.pid, event.cpu, event.time, event.name, event.text)
        })
        .collect();
    assert_eq!(read.lines().collect::<Vec<_>>(), expected);
    let fields = printed(
        &scratch,
        &["--json", "-F", "open*_exit: pathname ~ \"*quo*\" || pathname == \"/etc/passwd\""],
    );
    assert!(
        fields.contains(r#""event":"open"#)
            && fields.contains(r#""fields":{"ret":3,"error":0,"pathname":"/etc/passwd","duration":"#),
        "{fields}"
    );
    let stat = printed(&scratch, &["--json", "-e", "*stat*_exit"]);
    assert!(stat.contains(r#"/quo\"te"#), "{stat}");
}

#[test]
fn counts_are_those_of_the_events() {
    let (scratch, all) = recorded("ls / > /dev/null; ls / > /dev/null");
    let stat = printed(&scratch, &["--stat"]);
    let count = |name: &str| {
        let row = stat
            .lines()
            .find(|line| line.split(' ').next() == Some(name))
            .unwrap_or_else(|| panic!("{name}: {stat}"));
        row.split_whitespace().nth(1).unwrap().replace(',', "").parse::<usize>().unwrap()
    };
    assert_eq!(count("libc:close"), all.count("close", ""));
    assert_eq!(count("sched:sched_process_exec"), all.count("sched_process_exec", ""));
    let ls = all.expect_of("ls", "sched_process_exec", "").pid;
    assert_eq!(count(&format!("ls-{ls}")), all.events.iter().filter(|event| event.pid == ls).count());
    let cpu = all.events[0].cpu;
    assert_eq!(count(&cpu.to_string()), all.events.iter().filter(|event| event.cpu == cpu).count());
    let head = stat.lines().next().unwrap();
    assert!(head.contains(", 0 lost, ") && head.contains(" events, "), "{head}");
    let some = printed(&scratch, &["--stat", "-e", "libc:close"]);
    assert!(some.contains("libc:close ") && !some.contains("libc:readdir "), "{some}");
}

#[test]
fn pairs_are_measured() {
    let (scratch, all) = recorded("sleep 0.05; sleep 0.1");
    let table = printed(&scratch, &["--pair", "*nanosleep"]);
    let row = table.lines().nth(1).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[1], "2", "{table}");
    let ms = |index: usize| {
        assert_eq!(words[index + 1], "ms", "{row}");
        words[index].parse::<f64>().unwrap()
    };
    let (min, max) = (ms(2), ms(10));
    assert!((50.0..100.0).contains(&min) && (100.0..1000.0).contains(&max), "{row}");
    let start = all.events.iter().rfind(|event| event.name.ends_with("nanosleep")).unwrap();
    let longest = table.lines().skip_while(|line| !line.contains("LONGEST")).nth(1).unwrap();
    let time = format!("{}.{:06}", start.time / 1_000_000, start.time % 1_000_000);
    assert!(longest.contains(&time) && longest.contains(&format!("sleep-{}", start.pid)), "{longest}");
    assert!(table.contains("FROM"), "{table}");
    // From the one end to the other, whatever is between.
    let whole = printed(&scratch, &["--pair", "sched_process_exec..sched_process_exit"]);
    assert!(whole.contains("sched_process_exec..sched_process_exit"), "{whole}");
    let by_key = printed(&scratch, &["--pair", "sched_process_exec..sched_process_exit", "--key", "pid"]);
    assert_eq!(whole.lines().nth(1), by_key.lines().nth(1));
    let chosen = |options: &[&str]| run(&mut scratch.report(options)).success().stderr;
    let none = chosen(&["-e", "*nanosleep", "-P", "1,3-4", "-t", "no*"]);
    assert!(none.contains("the trace has 2 events of -e '*nanosleep', but none matches -P 1,3-4 -t 'no*'"));
    assert!(chosen(&["-e", "libc:mkdir", "-P", "1"]).contains("the trace has none of these events; if"));
    for (options, part) in [
        (
            &["--pair", "libc:mkdir"][..],
            "no such pairs: the trace has none of these events; if they were not enabled, `-e 'libc:mkdir'`",
        ),
        (&["--pair", "sched_process_exec..libc:mkdir"], "no such pairs"),
        (
            &["--pair", "*nanosleep", "-P", "1,3-4"],
            "the trace has 4 events of -e '*nanosleep', but none matches -P 1,3-4",
        ),
        (&["--pair", "sched_process_exec"], "name the event that ends it"),
        (&["--pair", "a..b"], "knows no event called a"),
        (&["--pair", "libc:read", "--key", "foo"], "--key foo: libc:read has common_type"),
        (&["--key", "pid"], "--pair"),
        (&["--json", "--stat"], "cannot be used with"),
    ] {
        run(&mut scratch.report(options)).failure(125, &[part]);
    }
}

#[test]
fn a_call_is_a_line() {
    let (scratch, all) = recorded("cat /etc/hostname /none > /dev/null; sleep 0.02");
    let calls = printed(&scratch, &["--calls"]);
    let line = |part: &str| {
        let found = calls.lines().find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("no {part} in\n{calls}"))
    };
    let opened = line("(pathname=\"/none\", flags=O_RDONLY");
    assert!(opened.contains(") = -1 ENOENT <") && opened.ends_with("s>"), "{opened}");
    let start = all.events.iter().find(|event| event.name.ends_with("nanosleep")).unwrap();
    let time = format!("{}.{:06}: {}(", start.time / 1_000_000, start.time % 1_000_000, start.name);
    let slept = line(&time);
    assert!(slept.contains(" = 0 <") && slept.ends_with(" ms>"), "{slept}");
    // What replaces a program returns to nobody, and what ends one neither.
    assert!(line("execve(").ends_with(" = 0") && line("_exit(status=0)").ends_with(" = ?"), "{calls}");
    // A child is made within its parent's call.
    let made = line("sched_process_fork: parent_comm=\"sh\"");
    assert!(made.contains(":   sched_process_fork"), "{calls}");
    // A chosen exit brings its call's arguments, hidden where that is asked for.
    let failed = printed(&scratch, &["--calls", "-F", "@file: error == ENOENT", "--redact", "*.pathname"]);
    assert!(failed.contains("pathname=\"***\"") && !failed.contains("/none"), "{failed}");
    assert!(failed.lines().skip(1).all(|line| line.contains(" = -1 ENOENT <")), "{failed}");
}

#[test]
fn strings_are_hidden() {
    let (scratch, all) = recorded("cat /etc/passwd > /dev/null; ls /etc/hostname > /dev/null");
    assert!(all.events.iter().any(|event| event.text.contains("/etc/passwd")));
    for form in [&[][..], &["--json"]] {
        let options =
            ["--redact", "*_exit.pathname", "--redact", "sched_process_exec.*", "--redact", "*.argv"];
        let text = printed(&scratch, &[form, &options].concat());
        assert!(
            !text.contains("/etc/passwd") && !text.contains("/usr/bin") && text.contains("***"),
            "{text}"
        );
    }
    // Only what fits a pattern is hidden.
    for form in [&[][..], &["--json"]] {
        let text = printed(&scratch, &[form, &["--redact", "*.*~*passw?*"]].concat());
        assert!(!text.contains("/etc/passwd") && text.contains("/etc/hostname") && text.contains("***"));
    }
    // What is shown is hidden; what it is chosen by is not.
    let chosen =
        printed(&scratch, &["-F", "open*_exit: pathname == \"/etc/passwd\"", "--redact", "open*_exit.path*"]);
    let chosen = Trace::new(&chosen);
    assert!(!chosen.events.is_empty() && chosen.events.iter().all(|event| event.has("pathname", "***")));
    for (rule, part) in [
        ("open_exit", "expected EVENT.FIELD"),
        ("open_exit.pathname~", "or EVENT.FIELD~PATTERN"),
        ("open_exit.ret~*", "no such event has a field of text"),
        ("open_exit.ret", "no such event has a field of text"),
        ("opne.x", "knows no event called opne"),
    ] {
        run(&mut scratch.report(&["--redact", rule])).failure(125, &[part]);
    }
}

#[test]
fn callers_have_names_and_lines() {
    if is_missing(&["c++"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = scratch.write(
        "shapes.cpp",
        "#include <unistd.h>\nnamespace shapes {\nstruct Store {\n\
         __attribute__((noinline)) int find(int number) {\nreturn access(\"/nonexistent\", number) + 1;\n}\n};\n}\n\
         int main() { return shapes::Store().find(0); }\n",
    );
    let program = scratch.path("shapes");
    run(scratch.command("c++").args(["-g", "-O1", "-o"]).arg(&program).arg(&source)).success();
    run(&mut scratch.record(&["-q"], &[program.to_str().unwrap()])).success();
    let caller = |options: &[&str]| Trace::new(&printed(&scratch, options)).expect("access", "").text.clone();
    assert!(caller(&["--no-demangle"]).contains("caller=_ZN6shapes5Store4findEi+0x"));
    assert!(caller(&[]).contains("caller=shapes::Store::find(int)+0x"));
    let text = caller(&["--lines"]);
    assert!(
        text.contains("caller=shapes::Store::find(int)+0x") && text.ends_with("/shapes.cpp:5)"),
        "{text}"
    );
    let json = printed(&scratch, &["--json", "--lines", "-e", "libc:access"]);
    assert!(json.contains("shapes.cpp:5)\"}"), "{json}");
    // Another program of the same name is not the one that was recorded.
    run(scratch.command("c++").args(["-g", "-O2", "-DOTHER", "-o"]).arg(&program).arg(&source)).success();
    assert!(!caller(&["--lines"]).contains("shapes.cpp"));
}

#[test]
fn handlers_have_names_and_lines() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = scratch.write(
        "handler.c",
        "#include <signal.h>\nstatic int before(void) { return 1; }\nstatic void handle(int number) {\n\
         (void)number;\n}\nint main(void) {\nsignal(SIGUSR1, handle);\nreturn raise(SIGUSR1) + before() - 1;\n}\n",
    );
    let program = scratch.path("handler");
    run(scratch.command("cc").args(["-g", "-O0", "-o"]).arg(&program).arg(&source)).success();
    run(&mut scratch.record(&["-q", "-e", "@signal"], &[program.to_str().unwrap()])).success();
    let text = printed(&scratch, &["--lines", "-F", "@signal: sa_flags >= 0"]);
    let trace = Trace::new(&text);
    let [event] = trace.events.as_slice() else { panic!("{text}") };
    assert!(event.text.contains("sa_handler=handle+0x0/"), "{text}");
    assert!(event.text.contains("/handler.c:3)"), "{text}");
}

#[test]
fn times_can_be_dates() {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let before = now();
    let (scratch, all) = recorded("true");
    let after = now();
    let json = printed(&scratch, &["--json", "--wall-clock"]);
    let text = printed(&scratch, &["--wall-clock"]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), all.events.len());
    let mut dates = Vec::new();
    for (line, object) in lines.iter().zip(json.lines()) {
        let date = object.split_once("\"date\":\"").unwrap().1.split_once('"').unwrap().0;
        assert!(line.contains(&format!(" {date}: ")), "{line} {date}");
        dates.push(date.to_owned());
    }
    assert!(dates.is_sorted());
    let chosen = printed(&scratch, &["--json", "--wall-clock", "-e", "sched_process_ex*"]);
    let mut shown = chosen.split("\"date\":\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let (exec, exit) = (shown.next().unwrap(), shown.next().unwrap());
    for (form, expected) in [
        (&["--calls"][..], format!(" {exec}: sched_process_exec: ")),
        (&["--stat"], format!(" from {exec} to {exit}\n")),
        (&["--tree"], format!("Z  {exit}  exit ")),
        (&["--pair", "sched_process_exec..sched_process_exit"], format!("  {exec}  sh-")),
    ] {
        let options = [form, &["--wall-clock", "-e", "sched_process_ex*"]].concat();
        let text = printed(&scratch, &options);
        assert!(text.contains(&expected), "{expected} in\n{text}");
    }
    let from = printed(&scratch, &["--from", &dates[dates.len() / 2]]);
    assert!(!from.is_empty());
    let shown = |time: u128| {
        let output =
            run(scratch.command("date").args(["-u", "-d", &format!("@{}", time / 1_000_000), "+%FT%T"]))
                .success()
                .stdout;
        output.trim().to_owned()
    };
    assert!(shown(before) <= dates[0] && dates[dates.len() - 1][..19] <= shown(after)[..], "{dates:?}");
}

#[test]
fn completions_are_scripts() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&mut scratch.lookback(&["completions", shell])).success().stdout;
        assert!(script.contains("report") && script.contains("redact"), "{shell}");
        if shell == "bash" {
            let path = scratch.write("completions", &script);
            run(scratch.command("bash").arg("-n").arg(path)).success();
        }
    }
    run(&mut scratch.lookback(&["completions", "tcsh"])).failure(125, &["possible values"]);
}
