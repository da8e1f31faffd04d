//! Filters of a session: events get them or keep what they have, and nothing is half-applied.

use control::Here;
use session::{EnabledEvents, Error, FilteredSelection, Instance, Session, SessionOptions};
use tempfile::TempDir;

fn session() -> (TempDir, Instance) {
    let directory = tempfile::tempdir().unwrap();
    let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
    let session = Session::create(&directory.path().join("s"), &options).unwrap();
    (directory, session)
}

fn enable(session: &Instance, text: &str) -> Result<EnabledEvents, Error> {
    session.enable(&text.parse().unwrap())
}

/// What is on, with the filters.
fn on(session: &Instance) -> Vec<(String, Option<String>)> {
    session.events().filter(|event| event.enabled).map(|event| (event.name, event.filter)).collect()
}

fn filtered(name: &str, filter: &str) -> (String, Option<String>) {
    (name.to_string(), Some(filter.to_string()))
}

#[test]
fn only_without_if_is_a_filter_taken_away() {
    let (_directory, session) = session();
    let counts = enable(&session, "libc:read_exit if  ret < 0 ").unwrap();
    assert_eq!(counts, EnabledEvents { events: 1, others: 0 });
    assert_eq!(on(&session), [filtered("read_exit", "ret < 0")]);
    let selection = "libc:read_exit".parse().unwrap();
    session.set(&selection, false).unwrap();
    session.set(&selection, true).unwrap();
    assert_eq!(on(&session), [filtered("read_exit", "ret < 0")], "as by the kernel's `enable`");
    enable(&session, "libc:read_exit if ret == 0").unwrap();
    assert_eq!(on(&session), [filtered("read_exit", "ret == 0")]);
    enable(&session, "libc:read_exit").unwrap();
    assert_eq!(on(&session), [("read_exit".to_string(), None)]);
    enable(&session, "libc:read_exit if ret == 0").unwrap();
    enable(&session, "libc:read_exit if 0").unwrap();
    assert_eq!(on(&session), [("read_exit".to_string(), None)], "as in the kernel");
    enable(&session, "libc:read_exit if ret == 0").unwrap();
    session.set_all_off().unwrap();
    assert!(session.events().all(|event| event.filter.is_none() && !event.enabled));
}

#[test]
fn those_that_can_take_a_filter_get_it() {
    let (_directory, session) = session();
    enable(&session, "libc:open if flags == 0").unwrap();
    let counts = enable(&session, "libc:open* if ret < 0").unwrap();
    assert!(counts.events >= 2 && counts.others >= 2, "{counts:?}");
    let on = on(&session);
    assert!(on.contains(&filtered("open", "flags == 0")), "as it was: {on:?}");
    assert!(on.contains(&filtered("open_exit", "ret < 0")), "{on:?}");
    assert!(!on.iter().any(|(name, _)| name == "openat"), "it has no such field: {on:?}");
    assert_eq!(session.rules(), "", "rules are for events to come, which have no filter");
}

#[test]
fn after_an_error_nothing_has_changed() {
    let (_directory, session) = session();
    enable(&session, "libc:read* if common_pid == 3").unwrap();
    let before = on(&session);
    for bad in [
        "libc:read* if nonsense == 1",
        "libc:* if ret <",
        "libc:read_exit if ret ~ \"x\"",
        "libc:nope if ret < 0",
    ] {
        assert!(enable(&session, bad).is_err(), "{bad}");
        assert_eq!(on(&session), before, "{bad}");
    }
    let error = enable(&session, "libc:read_exit if ret < 0 && foo == 1").unwrap_err().to_string();
    let caret = "ret < 0 && foo == 1\n               ^\nparse_error: Field not found\n";
    assert!(error.starts_with(&format!("the filter for libc:read_exit:\n{caret}fields: ")), "{error}");
    let error = enable(&session, "shop:* if total > 5").unwrap_err();
    assert!(matches!(error, Error::NoEventToFilter { .. }), "{error}");
    assert_eq!(session.rules(), "", "and no rule is left of it");
    // All of them at once have no space.
    let long = vec!["common_pid == 1"; 100].join(" || ");
    let error = enable(&session, &format!("libc:* if {long}")).unwrap_err();
    assert!(matches!(error, Error::TooManyFilters { .. }), "{error}");
    assert_eq!(on(&session), before);
}

#[test]
fn a_filter_is_an_events_own() {
    let (_directory, session) = session();
    let id = session.events().find(|event| event.name == "read_exit").unwrap().id;
    assert_eq!(session.set_filters(&[id], "ret < 0\n").unwrap(), []);
    assert_eq!(session.filter(id).as_deref(), Some("ret < 0"));
    assert_eq!(on(&session), [], "whether it is on or not");
    assert_eq!(session.set_filters(&[id, 4095], "ret =").unwrap().len(), 1, "there is no other");
    assert_eq!(session.filter(id).as_deref(), Some("ret < 0"));
    // What a traced process makes of it: the common fields, `ret`, `error`.
    session.set(&"libc:read_exit".parse().unwrap(), true).unwrap();
    let passes = |ret: i64| {
        let mut record = abi::common::word(id, 0, 0, 1).to_le_bytes().to_vec();
        record.extend(ret.to_le_bytes());
        record.extend([0; 8]);
        session.control().passes(0, &record, &Here { cpu: 0, comm: b"" })
    };
    assert!(passes(-1) && !passes(0));
    assert_eq!(session.set_filters(&[id], "0").unwrap(), []);
    assert!(passes(0) && session.filter(id).is_none());
}

#[test]
fn what_was_there_before_comes_back() {
    let (_directory, session) = session();
    enable(&session, "libc:read_exit if ret < 0").unwrap();
    let close = session.events().find(|event| event.name == "close").unwrap().id;
    assert_eq!(session.set_filters(&[close], "fd > 2").unwrap(), []);
    let (before, known) = (session.settings(), session.events().collect::<Vec<_>>());
    for wanted in ["libc:read_exit", "libc:close if fd > 3", "libc:*_exit if ret == 0"] {
        enable(&session, wanted).unwrap();
    }
    session.restore(&before).unwrap();
    assert_eq!(session.settings(), before);
    assert_eq!(session.events().collect::<Vec<_>>(), known);
}

#[test]
fn the_default_has_no_filter() {
    let (_directory, session) = session();
    enable(&session, "libc:read_exit if ret < 0").unwrap();
    session.enable(&FilteredSelection::default()).unwrap();
    assert!(on(&session).len() > 100 && on(&session).iter().all(|(_, filter)| filter.is_none()));
}
