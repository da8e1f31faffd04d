//! Records of syslog(3): as events, as errors that take snapshots, and as without lookback.

use super::errors::reasons;
use super::*;

/// Says so on standard error what it says to the system's log: with arguments in all registers, and more.
const PROGRAM: &str = r#"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <syslog.h>
static void says(int priority, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsyslog(priority, format, list);
    va_end(list);
}
int main(int count, char **arguments) {
    openlog("shop", LOG_PERROR, LOG_DAEMON);
    setlogmask(LOG_UPTO(LOG_INFO));
    syslog(LOG_INFO, "%s of %d", "begins", count);
    syslog(LOG_DEBUG, "not said: %f", 0.5);
    says(LOG_WARNING, "%.2f %d", 0.25, 7);
    errno = ENOENT;
    if (!strcmp(arguments[1], "fails"))
        syslog(LOG_MAIL | LOG_ERR, "order %d %s %ld %c %d %x %.1f %.1f %.1f %.1f %.1f "
               "%.1f %.1f %.1f %.1f %.1f %.3Lf: %m",
               1, "two", 3L, '4', 5, 6, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.125L);
    if (!strcmp(arguments[1], "is worse")) says(LOG_CRIT, "%s %f %f %d: %m", "worse", 0.125, -1e9, 7);
    return 0;
}"#;

/// A session in which bad records take snapshots.
fn session() -> Persistent {
    Persistent::new(&["-e", "libc:syslog", "--snapshot-on", "syslog"])
}

#[test]
fn records_are_as_without_and_bad_ones_take_a_snapshot() {
    let scratch = Scratch::new();
    for options in [&[][..], &["-O2", "-D_FORTIFY_SOURCE=2"]] {
        let program = compile(&scratch, "shop", PROGRAM, options);
        let is_checked =
            std::fs::read(&program).unwrap().windows(14).any(|bytes| bytes == b"__vsyslog_chk\0");
        assert_eq!(is_checked, !options.is_empty());
        let program = program.to_str().unwrap();
        let says = |way: &str| {
            let session = session();
            let without = run(scratch.command(program).arg(way)).success();
            let with = session.run(&[program, way]);
            assert_eq!(with.visible(), without.visible());
            (session, with.stderr)
        };
        let (session, said) = says("warns");
        assert_eq!(said, "shop: begins of 2\nshop: 0.25 7\n");
        assert_eq!(reasons(&session), [""; 0]);

        let (session, said) = says("fails");
        assert!(said.ends_with(" 9.5 10.5 11.125: No such file or directory\n"), "{said:?}");
        let [reason] = reasons(&session).try_into().unwrap();
        assert!(reason.starts_with("syslog order %d %s %ld %c"), "{reason}");
        let listed = session.done("snapshots", &[]).stdout;
        assert!(listed.contains("  syslog LOG_ERR: order %d %s"), "{listed}");
        let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
        let levels: Vec<&str> = kept.events.iter().map(|event| event.get("level")).collect();
        assert_eq!(levels, ["LOG_INFO", "LOG_DEBUG", "LOG_WARNING", "LOG_ERR"], "what it asks for");
        kept.expect("syslog", "level=LOG_ERR facility=LOG_MAIL");

        let (session, said) = says("is worse");
        assert!(
            said.ends_with("shop: worse 0.125000 -1000000000.000000 7: No such file or directory\n"),
            "{said:?}"
        );
        assert_eq!(reasons(&session), ["syslog %s %f %f %d: %m"]);
        let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
        let event = kept.expect("syslog", "level=LOG_CRIT facility=0");
        assert!(event.text.contains("caller=says"), "{event:?}");
    }
}

#[test]
fn a_session_that_has_not_chosen_them_takes_none() {
    let session = Persistent::new(&["-e", "libc:open"]);
    let program = compile(&session.scratch, "shop", PROGRAM, &[]);
    session.run(&[program.to_str().unwrap(), "fails"]);
    assert_eq!(reasons(&session), [""; 0]);
}

#[test]
fn errors_of_rusts_logs_take_a_snapshot() {
    let program = build_tracing_example("logs");
    for (way, target, message) in
        [("log", "logs", "no order 7"), ("tracing", "logs", "no such order order=7 customer=Ada")]
    {
        let session = Persistent::new(&["-e", "libc:write", "--snapshot-on", "log"]);
        assert_eq!(session.run(&[&program, way]).stdout, "served\n");
        assert_eq!(reasons(&session), [format!("log {target}: {message}")]);
        let listed = session.done("snapshots", &[]).stdout;
        assert!(listed.contains(&format!("  an error of its log: {target}: {message}")), "{listed}");
        session.done("snapshot", &["-r", "-q"]);
        session.done("start", &["-q", "--snapshot-on", "signal"]);
        assert_eq!(session.run(&[&program, way]).stdout, "served\n");
        assert_eq!(reasons(&session), [""; 0], "not chosen");
        assert_eq!(
            run(session.scratch.command(&program).arg(way)).success().stdout,
            "served\n",
            "not recorded"
        );
    }
}
