//! The life of processes: each has a beginning, programs, and exactly one end.

use crate::common::*;
use std::collections::BTreeSet;

/// Checks that every process of a trace was made once, before all else that it did, and has ended once, after
/// it, except for the first, which lookback has made.
#[track_caller]
fn is_complete(trace: &Trace) {
    let threads: BTreeSet<i32> =
        trace.named("sched_process_fork").map(|event| event.get("child_pid").parse().unwrap()).collect();
    for event in &trace.events {
        let is_known = threads.contains(&event.pid) || event.comm == "<...>" || event.comm == "lookback";
        assert!(is_known, "nobody has made the thread of {event:?}");
    }
    for pid in threads {
        let forks: Vec<&Event> = trace
            .named("sched_process_fork")
            .filter(|event| event.get("child_pid") == pid.to_string())
            .collect();
        assert_eq!(forks.len(), 1, "{forks:#?}");
        let exits: Vec<&Event> =
            trace.named("sched_process_exit").filter(|event| event.get("pid") == pid.to_string()).collect();
        assert_eq!(exits.len(), 1, "{pid}: {exits:#?}");
        for event in trace.events.iter().filter(|event| event.pid == pid) {
            // Who makes a child says so with the child's event.
            let made = event.name == "sched_process_fork" || event.time >= forks[0].time;
            assert!(made && event.time <= exits[0].time, "{forks:?}\n{event:?}\n{exits:?}");
        }
    }
}

#[test]
fn a_tree_of_processes() {
    let scratch = Scratch::new();
    let script = "for i in 1 2 3; do sh -c 'ls -d / | cat & (exit 3); wait' > /dev/null; done
        (sleep 0.01; exec true) & wait";
    let (outcome, trace) = scratch.recorded(&["sh", "-c", script]);
    assert_eq!(outcome.code(), Some(0));
    is_complete(&trace);
    assert_eq!(trace.count("sched_process_exit", "comm=sh group_dead=true"), 1 + 3 * 2, "and subshells");
    let of_ls: Vec<&Event> = trace.named("sched_process_exec").filter(|event| event.comm == "ls").collect();
    assert_eq!(of_ls.len(), 3);
}

#[test]
fn a_killed_child_has_one_end() {
    let scratch = Scratch::new();
    let script = "sleep 60 & echo $!; kill -9 $!; wait $!; echo $?";
    let (outcome, trace) = scratch.recorded(&["sh", "-c", script]);
    let (pid, status) = outcome.stdout.split_once('\n').unwrap();
    assert_eq!(status, "137\n");
    is_complete(&trace);
    assert_eq!(trace.count("sched_process_exit", &format!("pid={pid} group_dead=true")), 1);
    trace.expect("sched_process_exit", &format!("pid={pid} noticed_by=parent signal=SIGKILL"));
    let waited = trace.events.iter().find(|event| event.name.starts_with("wait") && event.has("ret", pid));
    assert!(waited.is_some_and(|event| event.has("wstatus", "9")), "{waited:?}");
}

#[test]
fn a_killed_program_has_one_end() {
    let scratch = Scratch::new();
    let (outcome, trace) = scratch.recorded(&["sh", "-c", "ls -d / > /dev/null; kill -9 $$"]);
    assert_eq!(outcome.signal(), Some(9));
    is_complete(&trace);
    trace.expect("sched_process_exit", "comm=sh noticed_by=observer signal=SIGKILL");
    trace.expect("sched_process_exit", "comm=ls noticed_by=itself signal=0");
}

#[test]
fn a_crash_has_one_end() {
    let scratch = Scratch::new();
    let (_, trace) = scratch.recorded(&["sh", "-c", "sh -c 'kill -SEGV $$'; sh -c 'kill -ABRT $$'; true"]);
    is_complete(&trace);
}

#[test]
fn killed_children_that_nobody_waits_for_have_one_end() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>
        int main(void) {
            signal(SIGCHLD, SIG_IGN);
            for (int i = 0; i < 10; i++) {
                pid_t child = fork();
                if (child == 0)
                    pause();
                kill(child, SIGKILL);
            }
            usleep(300000);
        }";
    let program = compile(&scratch, "killer", source, &[]);
    let (_, trace) = scratch.recorded(&[program.to_str().unwrap()]);
    is_complete(&trace);
}

#[test]
fn a_process_with_threads_has_one_end() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    // A thread says itself that it was made; so all of them have to start.
    let source = "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>
        static pthread_barrier_t all;
        static void *thread(void *last) {
            pthread_barrier_wait(&all);
            if (last) access(\"last\", 0); else pause();
            return 0;
        }
        int main(int count, char **arguments) {
            pthread_t threads[5];
            pthread_barrier_init(&all, 0, 5);
            for (int i = 0; i < 5; i++)
                pthread_create(&threads[i], 0, thread, i == 4 ? \"\" : 0);
            pthread_join(threads[4], 0);
            if (count > 1)
                kill(getpid(), SIGKILL);
            exit(6);
        }";
    let program = compile(&scratch, "threads", source, &[]);
    let program = program.to_str().unwrap();
    for (arguments, code) in [(&[program][..], Some(6)), (&[program, "killed"], None)] {
        let (outcome, trace) = scratch.recorded(arguments);
        assert_eq!(outcome.code(), code);
        assert_eq!(trace.count("sched_process_fork", ""), 6);
        assert_eq!(trace.count("sched_process_exit", "group_dead=true"), 1);
        let last = trace.expect("access", "");
        assert_eq!(trace.count("sched_process_exit", &format!("pid={} group_dead=false", last.pid)), 1);
    }
}

#[test]
fn many_short_processes_are_all_there() {
    let scratch = Scratch::new();
    let script = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done";
    let (_, trace) = scratch.recorded(&["sh", "-c", script]);
    is_complete(&trace);
    assert_eq!(trace.count("sched_process_exec", "filename=/bin/true"), 200);
    assert_eq!(trace.count("sched_process_exit", "comm=true group_dead=true"), 200);
}

#[test]
fn a_program_that_executes_itself_has_space() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>
        int main(int count, char **options) {
            int left = atoi(options[1]);
            char next[20];
            sprintf(next, \"%d\", left - 1);
            if (left > 0) execl(options[0], options[0], next, NULL);
            return left;
        }";
    let program = compile(&scratch, "again", source, &[]);
    let outcome = run(&mut scratch.record(&[], &[program.to_str().unwrap(), "1000"])).success();
    assert!(outcome.stderr.contains("lookback: 1 process, "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(", 0 lost\n"), "{}", outcome.stderr);
    for wrong in ["tables were full", "still running"] {
        assert!(!outcome.stderr.contains(wrong), "{}", outcome.stderr);
    }
    let trace = scratch.trace();
    assert_eq!(trace.count("sched_process_exec", ""), 1001);
    assert!(trace.named("execl").all(|event| event.text.contains(" caller=main+")), "{trace:?}");
}

#[test]
fn threads_have_the_names_that_anyone_gives_them() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    // Two threads are named by their maker: one before it has called anything, one after. One names the first
    // of the process, and its own children have its name.
    let source = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sys/wait.h>\n#include <unistd.h>
        static pthread_barrier_t named, called;
        static pthread_t first;
        static void *early(void *nothing) {
            pthread_barrier_wait(&named);
            access(\"early\", 0);
            return nothing;
        }
        static void *child(void *nothing) {
            access(\"made_by_late\", 0);
            return nothing;
        }
        static void *late(void *nothing) {
            access(\"before\", 0);
            pthread_barrier_wait(&called);
            pthread_barrier_wait(&named);
            access(\"late\", 0);
            if (fork() == 0) {
                access(\"forked_by_late\", 0);
                _exit(0);
            }
            wait(0);
            pthread_t thread;
            pthread_create(&thread, 0, child, 0);
            pthread_join(thread, 0);
            pthread_setname_np(first, \"the_first\");
            return nothing;
        }
        int main(void) {
            pthread_t threads[2];
            first = pthread_self();
            pthread_barrier_init(&named, 0, 3);
            pthread_barrier_init(&called, 0, 2);
            pthread_create(&threads[0], 0, early, 0);
            pthread_create(&threads[1], 0, late, 0);
            pthread_setname_np(threads[0], \"early_bird\");
            if (pthread_setname_np(threads[0], \"a_name_that_is_too_long\") == 0)
                return 1;
            pthread_barrier_wait(&called);
            pthread_setname_np(threads[1], \"late_bird\");
            pthread_barrier_wait(&named);
            pthread_join(threads[0], 0);
            pthread_join(threads[1], 0);
            access(\"end\", 0);
        }";
    let program = compile(&scratch, "names", source, &["-pthread"]);
    let program = program.to_str().unwrap();
    for options in [&["-q"][..], &["-q", "-e", "access", "-e", "access_exit"]] {
        let outcome = run(&mut scratch.record(options, &[program]));
        assert_eq!(outcome.code(), Some(0), "{outcome:?}");
        let trace = scratch.trace();
        let name_at = |path: &str| trace.expect("access_exit", &format!("pathname={path}")).comm.as_str();
        let birds =
            [("early", "early_bird"), ("late", "late_bird"), ("before", "late_bird"), ("end", "the_first")];
        for (path, name) in birds.into_iter().chain([("forked_by_late", "late_bird")]) {
            assert_eq!(name_at(path), name, "{path} {options:?}");
        }
        if options.len() == 1 {
            assert_eq!(name_at("made_by_late"), "late_bird");
            trace.expect("sched_process_fork", "parent_comm=late_bird child_comm=late_bird");
            assert_eq!(trace.count("sched_process_fork", "child_comm="), 0);
        }
    }
}

#[test]
fn programs_have_the_arguments_that_they_were_executed_with() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    // A file that can't be executed: only the call knows with what it was to be. By the shell, with arguments
    // of all kinds, and by the others.
    let source = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <spawn.h>\n#include <unistd.h>
        int main(void) {
            char *words[] = {\"a word\", \"and\", \"more\", 0}, *none[] = {0};
            execl(\"/missing\", \"missing\", \"1\", \"2\", (char *)0);
            fexecve(open(\"/etc/passwd\", O_RDONLY), words, none);
            posix_spawn(0, \"/missing\", 0, 0, words, none);
            execv(\"/missing\", 0);
            execlp(\"sh\", \"sh\", \"-c\", \"/bin/echo '' 'two words' \\\"it's\\\" a=/b-c '$x' \u{e9}; /bin/echo $(seq 100)\", (char *)0);
        }";
    let program = compile(&scratch, "execute", source, &[]);
    let outcome = run(&mut scratch.record(&["-q"], &[program.to_str().unwrap()]));
    assert_eq!(outcome.code(), Some(0), "{outcome:?}");
    let json = run(&mut scratch.report(&["--json", "-F", "*: argv ~ \"*\""])).success().stdout;
    let arguments = |event: &str| -> Vec<String> {
        let event = format!("\"event\":\"{event}\"");
        let of_event = json.lines().filter(|line| line.contains(&event));
        let texts = of_event.filter_map(|line| line.split("\"argv\":\"").nth(1)?.split('"').next());
        texts.map(|text| text.replace("\\\\", "\\")).collect()
    };
    let (quoted, numbers) = ("/bin/echo '' 'two words' 'it'\\''s' a=/b-c '$x' \u{e9}", "/bin/echo 1 2 3 ");
    assert_eq!(arguments("fexecve"), ["'a word' and more"]);
    assert_eq!(arguments("posix_spawn"), ["'a word' and more"]);
    let executed = arguments("execve");
    assert_eq!(executed[..2], ["missing 1 2", ""]);
    assert!(executed[2].starts_with("sh -c '/bin/echo ") && executed.contains(&quoted.to_string()), "{json}");
    let executed = arguments("sched_process_exec");
    assert!(executed[0].ends_with("/execute") && executed.contains(&quoted.to_string()), "{json}");
    let long = executed.iter().find(|text| text.starts_with(numbers)).unwrap();
    assert!(long.len() == 184 && long.ends_with("..."), "{long}");
    let hidden = run(&mut scratch.report(&["--json", "--redact", "*.argv"])).success().stdout;
    assert!(!hidden.contains("two words") && hidden.contains(r#""argv":"***""#), "{hidden}");
}
