//! Units of systemd.

use super::Persistent;
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
        let mut command = persistent.task("install", &["--unit", name, "--root", root.to_str().unwrap()]);
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
    run(&mut install("plain", &["--remove"])).success();
    assert!(!units.join("plain.service.d").exists());
    run(&mut install("plain", &["--remove"])).failure(125, &["is not attached"]);
}
