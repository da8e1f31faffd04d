//! What is answered is what `lookback report` says.

use crate::support::{HARMFUL, answer, lookback, sql, texts, trace};

fn report(words: &[&str]) -> String {
    let output = lookback().args(["report", "-q"]).args(words).arg(trace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn all_events_are_there_and_in_order() {
    let lines = report(&["--json"]);
    assert_eq!(answer("SELECT count(*) FROM events"), [lines.lines().count().to_string()]);
    let times: Vec<u64> =
        answer("SELECT ts FROM events ORDER BY ts").iter().map(|it| it.parse().unwrap()).collect();
    let mut expected: Vec<u64> = lines
        .lines()
        .map(|line| line.strip_prefix("{\"time\":").unwrap().split_once(',').unwrap().0.parse().unwrap())
        .collect();
    expected.sort_unstable();
    assert_eq!(times, expected);
}

#[test]
fn conditions_choose_the_same_before_and_after_decoding() {
    for condition in
        ["name = 'open_exit'", "system = 'libc' AND name IN ('open', 'close')", "cpu = 1", "tid > 0"]
    {
        // What is added to a column can't be seen before it is decoded.
        let late = condition.replace("name", "concat(name, '')").replace("cpu", "cpu + 0");
        let [before, after] = [condition, &late]
            .map(|it| answer(&format!("SELECT count(*), min(ts), max(ts) FROM events WHERE {it}")));
        assert_eq!(before, after, "{condition}");
    }
    let window = answer(
        "SELECT count(*) FROM events WHERE ts BETWEEN (SELECT min(ts) FROM events) + 1000 AND 9000000000000000000",
    );
    assert_ne!(window, ["0"]);
}

#[test]
fn calls_take_as_long_as_pairs_do() {
    let table = report(&["--pair", "libc:open"]);
    let count = answer("SELECT count(*) FROM slices WHERE name = 'open' AND ending IS NULL");
    let row = table.lines().find(|line| line.contains("libc:open")).unwrap();
    let numbers: Vec<String> = row.split_whitespace().map(|word| word.replace(',', "")).collect();
    assert!(numbers.contains(&count[0]), "{row}: {count:?}");
    // Their own times add up to the times of those that are in no other one.
    let [own, outer] = ["sum(self) FROM slices", "sum(dur) FROM slices WHERE depth = 0"]
        .map(|part| answer(&format!("SELECT {part}")));
    assert_eq!(own, outer);
}

#[test]
fn what_a_call_says_is_in_its_columns() {
    let failed = answer(
        "SELECT path, errno_name(error), ret, count(*) FROM slices WHERE name = 'open' AND error IS NOT NULL \
         AND path LIKE '/nonexistent/%' GROUP BY 1, 2, 3 ORDER BY 1",
    );
    assert_eq!(
        failed,
        ["/nonexistent/0,ENOENT,-1,100", "/nonexistent/1,ENOENT,-1,100", "/nonexistent/2,ENOENT,-1,100"]
    );
    let flags = "SELECT DISTINCT flag_names('open', 'flags', cast(arg(args, 'flags') AS BIGINT)), \
                 arg(args, 'mode') \
                 FROM slices WHERE name = 'open' AND path LIKE '%DROP%'";
    assert_eq!(answer(flags), ["O_RDWR|O_CREAT|O_CLOEXEC,384"]);
    let written = "SELECT sum(ret), min(size), count(DISTINCT fd) FROM slices \
                   WHERE name = 'write' AND path LIKE '%DROP%'";
    assert_eq!(answer(written), ["30000,100,1"]);
}

#[test]
fn harmful_names_are_values_like_others() {
    let query = "SELECT DISTINCT path FROM slices WHERE path LIKE '%DROP TABLE%'";
    let output = sql(&["--json"]).arg(trace()).arg(query).output().unwrap();
    let (line, _) = texts(&output);
    assert_eq!(line.lines().count(), 1, "{line}");
    let quoted = HARMFUL.replace('"', "\\\"").replace('\n', "\\n").replace('\u{1b}', "\\u001b");
    assert!(line.contains(&quoted), "{line}");
    let output = sql(&[trace()]).arg(query).output().unwrap();
    let (table, _) = texts(&output);
    assert!(!table.contains('\u{1b}'), "terminals act on it: {table:?}");
    assert_eq!(answer("SELECT count(*) > 0 FROM slices"), ["true"]);
}

#[test]
fn overlaps_are_those_of_a_join() {
    let lock = "SELECT ts, dur, tid FROM slices WHERE name LIKE 'pthread%'";
    for (other, condition) in [
        // Each with those of its thread.
        ("SELECT ts, dur, tid FROM slices", "a.tid = b.tid"),
        // Each with those of all threads.
        ("SELECT ts, dur FROM slices WHERE name = 'usleep'", "b.name = 'usleep'"),
    ] {
        let swept = answer(&format!("SELECT count(*), sum(dur) FROM intersect($${lock}$$, $${other}$$)"));
        let joined = answer(&format!(
            "SELECT count(*), sum(least(a.ts + a.dur, b.ts + b.dur) - greatest(a.ts, b.ts)) \
             FROM slices AS a JOIN slices AS b ON a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur \
             WHERE a.name LIKE 'pthread%' AND a.dur > 0 AND b.dur > 0 AND {condition}"
        ));
        assert_eq!(swept, joined);
        assert_ne!(swept, ["0,"]);
    }
}

#[test]
fn holders_of_locks_are_known() {
    let holders =
        answer("SELECT DISTINCT holder FROM slices WHERE name = 'pthread_mutex_lock' AND holder IS NOT NULL");
    assert!(!holders.is_empty());
    let waiters = answer(&format!(
        "SELECT count(*) FROM who_waits_for({}, 0, 9000000000000000000) WHERE because = 'holds the lock' AND tid <> {}",
        holders[0], holders[0]
    ));
    assert_ne!(waiters, ["0"]);
}

#[test]
fn stacks_fold() {
    let stacks = answer(
        "SELECT DISTINCT folded(frames) FROM slices JOIN stacks ON stacks.id = stack WHERE name = 'pthread_mutex_lock'",
    );
    assert!(stacks.iter().any(|stack| stack.ends_with(";hold") || stack.contains(";hold;")), "{stacks:?}");
}

#[test]
fn several_queries_come_from_standard_input() {
    let queries = trace().with_file_name("queries.sql");
    std::fs::write(&queries, "SELECT 1 AS one; -- first\nSELECT ';' AS two;\n").unwrap();
    let input = std::fs::File::open(queries).unwrap();
    let output = sql(&["--csv"]).arg(trace()).stdin(input).output().unwrap();
    assert_eq!(texts(&output).0, "one\n1\ntwo\n;\n");
}
