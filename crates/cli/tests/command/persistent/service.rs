//! Units of systemd.

use super::{Persistent, opened_in, opens};
use crate::common::*;

#[test]
fn a_service_is_given_what_it_needs() {
    let persistent = Persistent::new(&[]);
    let units = persistent.scratch.path("etc/systemd/system");
    std::fs::create_dir_all(&units).unwrap();
    let root = persistent.scratch.path("");
    let unit = |name: &str, settings: &str| {
        let text = format!("[Service]\nExecStart=/bin/sleep 60\n{settings}");
        std::fs::write(units.join(name), text).unwrap();
    };
    let install = |name: &str, options: &[&str]| {
        let mut command = persistent.task("install", &[name, "--root", root.to_str().unwrap()]);
        command.args(options);
        command
    };
    let written =
        |name: &str| std::fs::read_to_string(units.join(format!("{name}.d/lookback.conf"))).unwrap();
    unit("plain.service", "Environment=LD_PRELOAD=/lib/other.so\n");
    run(&mut install("plain", &[])).success();
    let text = written("plain.service");
    let session = format!("Environment=\"LOOKBACK_SESSION={}\"", persistent.path.display());
    assert!(text.contains(&session) && text.contains("Environment=\"LD_PRELOAD=/lib/other.so:/"), "{text}");
    assert!(!text.contains("Paths="), "mounts that it does not need: {text}");
    unit("boxed@.service", "ProtectSystem=strict\nRootDirectory=/srv\nUser=nobody\n");
    let outcome = run(&mut install("boxed@1.service", &[])).success();
    assert!(outcome.stderr.contains("runs as nobody, which may not open"), "{outcome:?}");
    let text = written("boxed@1.service");
    for setting in ["ReadWritePaths=\"-/", "BindPaths=\"-/", "BindReadOnlyPaths=\"-/"] {
        assert!(text.contains(setting), "{text}");
    }
    run(&mut install("none", &[])).failure(125, &["there is no unit none.service in"]);
    run(&mut install("../evil", &[])).failure(125, &["is not the name of a service's unit"]);
    if !is_missing(&["systemd-analyze"]) {
        let mut verify = persistent.scratch.command("systemd-analyze");
        let outcome = run(verify.args(["verify", "--root"]).arg(&root).arg("plain.service"));
        assert!(!outcome.stderr.contains("lookback.conf"), "{outcome:?}");
    }
    run(&mut install("plain", &["boxed@1", "--remove"])).success();
    assert!(!units.join("plain.service.d").exists() && !units.join("boxed@1.service.d").exists());
    run(&mut install("plain", &["--remove"])).failure(125, &["is not attached"]);
}

/// What its units say is what makes the session, and copies it.
#[test]
fn a_session_has_a_unit_as_long_as_a_service_needs_it() {
    let persistent = Persistent::new(&["-e", "libc:open_exit"]);
    let units = persistent.scratch.path("etc/systemd/system");
    std::fs::create_dir_all(&units).unwrap();
    let root = persistent.scratch.path("");
    for name in ["one.service", "two.service"] {
        std::fs::write(units.join(name), "[Service]\nExecStart=/bin/sleep 60\n").unwrap();
    }
    let install = |options: &[&str]| {
        persistent.task("install", &[&["--root", root.to_str().unwrap()], options].concat())
    };
    run(&mut install(&["one", "none"])).failure(125, &["there is no unit none.service in"]);
    assert_eq!(std::fs::read_dir(&units).unwrap().count(), 2, "nothing is half done");
    let outcome = run(&mut install(&["one", "two"])).success();
    assert_eq!(outcome.stderr.matches("lookback: wrote ").count(), 3, "{outcome:?}");
    let unit = units.join("lookback-session.service");
    let line = |name: &str| {
        let text = std::fs::read_to_string(&unit).unwrap();
        let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(name)).collect();
        lines.join("\n").replace('"', "'")
    };
    let drop_in = std::fs::read_to_string(units.join("two.service.d/lookback.conf")).unwrap();
    assert!(drop_in.contains("[Unit]\nWants=lookback-session.service\nAfter=lookback-session.service\n"));
    if !is_missing(&["systemd-analyze"]) {
        let mut verify = persistent.scratch.command("systemd-analyze");
        verify.args(["verify", "--root"]).arg(&root).args(["one.service", "lookback-session.service"]);
        let outcome = run(&mut verify);
        // The tree has nothing else.
        let is_missing =
            |line: &str| line.ends_with(" not found.") || line.ends_with("No such file or directory");
        assert!(outcome.stderr.lines().all(is_missing), "{outcome:?}");
    }

    persistent.done("delete", &["-q"]);
    run(persistent.scratch.command("sh").args(["-c", &line("ExecStart=")])).success();
    persistent.run(&["true"]);
    let journal = persistent.scratch.outside("journal");
    run(&mut install(&["--persist", journal.to_str().unwrap(), "one"])).success();
    let copies = |runs: usize| {
        run(persistent.scratch.command("sh").args(["-c", &line("ExecStartPre=")])).success();
        let persist = format!("exec {}", line("ExecStart="));
        let persist = start(persistent.scratch.command("sh").args(["-c", &persist]));
        persist.wait_until(|| journal.exists() && std::fs::read_dir(&journal).unwrap().count() == runs);
        persist
    };
    let persist = copies(1);
    // Where the session is removed it ends, without a failure, and systemd starts it again, which makes the
    // next session, unless somebody has made it meanwhile.
    assert_eq!(line("Restart="), "always");
    persistent.done("delete", &["-q"]);
    persist.wait().success();
    let persist = copies(2);
    persistent.done("delete", &["-q"]);
    persistent.done("start", &["-q", "-e", "libc:open_exit"]);
    persist.wait().success();
    let persist = copies(3);
    // A session that is stopped and goes on is the same one.
    persistent.done("stop", &["-q"]);
    persistent.done("start", &["-q"]);
    persistent.run(&opens("/after"));
    persist.signal(rustix::process::Signal::TERM);
    persist.wait().success();
    let file = persistent.scratch.outside("journal.dat");
    let mut extract = persistent.scratch.lookback(&["extract", "-q", "--from"]);
    run(extract.arg(&journal).arg("-o").arg(&file)).success();
    let report = run(persistent.scratch.lookback(&["report"]).arg(&file)).success();
    assert_eq!(opened_in(&Trace::new(&report.stdout)), ["/after"]);

    let kept = persistent.scratch.outside("kept");
    run(&mut install(&["--save-to", kept.to_str().unwrap(), "one"])).success();
    run(persistent.scratch.command("sh").args(["-c", &line("ExecStartPre=")])).success();
    let watch = format!("exec {}", line("ExecStart="));
    let watch = start(persistent.scratch.command("sh").args(["-c", &watch]));
    persistent.run(&["sh", "-c", "kill -SEGV $$"]);
    let is_saved = |name: &str| name.contains("-SIGSEGV-");
    watch.wait_until(|| {
        let mut files = std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().file_name());
        files.any(|name| is_saved(name.to_str().unwrap()))
    });
    watch.signal(rustix::process::Signal::TERM);
    watch.wait().success();

    let other = persistent.scratch.path("session");
    run(persistent
        .scratch
        .lookback(&["install", "--root"])
        .arg(&root)
        .arg("--session")
        .arg(other)
        .arg("one"))
    .failure(125, &["is of another session", "name the session otherwise"]);
    run(&mut install(&["--remove", "one"])).success();
    assert!(unit.exists(), "the other service needs it");
    run(&mut install(&["--remove", "two"])).success();
    assert!(!unit.exists());
}

#[test]
fn a_container_is_given_options() {
    let persistent = Persistent::new(&["-e", "libc:open_exit"]);
    let printed = persistent.done("install", &["--container"]).stdout;
    let words: Vec<&str> = printed.split_whitespace().collect();
    let [preload, session, object, directory] = words[..] else { panic!("{printed}") };
    let path = persistent.path.display();
    assert_eq!(session, format!("--env=LOOKBACK_SESSION={path}"));
    assert_eq!(directory, format!("--volume={path}:{path}"));
    let file = preload.strip_prefix("--env=LD_PRELOAD=").unwrap();
    assert_eq!(object, format!("--volume={file}:{file}:ro"));
    // What a runtime does with them.
    let mut program = persistent.scratch.command("cat");
    program.env("LD_PRELOAD", file).env("LOOKBACK_SESSION", &persistent.path).arg("/in-a-container");
    run(&mut program).failure(1, &["/in-a-container"]);
    assert_eq!(persistent.opened(&[]), ["/in-a-container"]);
    run(&mut persistent.task("install", &["--container", "nginx"])).failure(125, &["cannot be used with"]);
    run(&mut persistent.task("install", &[])).failure(125, &["<SERVICE>"]);
}
