//! What `docs/looking.md` shows on the way from a snapshot to the cause is so.

use crate::common::*;
use rustix::process::Signal;

const SERVER: &str = include_str!("../../../../examples/hunt/server.c");

#[test]
fn a_snapshot_leads_to_the_cause_in_one_command() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let server = compile(&scratch, "server", SERVER, &["-g", "-pthread"]);
    let server = server.to_str().unwrap();
    let session = scratch.outside("session").to_str().unwrap().to_owned();
    let done = |task: &str, options: &[&str]| {
        let mut command = scratch.lookback(&[task, "--session", &session]);
        run(command.args(options)).success().stdout
    };
    done("start", &["-q"]);
    let crashed = run(scratch.lookback(&["run", "--session", &session, "--", server]).arg("4000"));
    assert_eq!(crashed.signal(), Some(11), "{crashed:?}");

    let explained = done("explain", &["-s"]);
    let has = |text: &str| assert!(explained.contains(text), "{text}: {explained}");
    has("page_fault_user: address=0x0 ip=reply");
    has("Failed: 16 of ");
    let failed = explained.lines().find(|line| line.contains("16 x  openat page-")).unwrap_or_default();
    assert!(
        failed.contains(" and 15 others = ENOENT  ") && failed.contains(", from read_page+"),
        "{explained}"
    );

    // The timeline begins at the fault, with its thread.
    let data = scratch.outside("data");
    let directory = data.join("lookback/perfetto-v52.0-6b9586def");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("index.html"), "<head></head>").unwrap();
    let mut view = scratch.lookback(&["view", "-s", "--no-browser", "--session", &session]);
    let mut viewing = start(view.env("XDG_DATA_HOME", &data));
    viewing.wait_for("http://127.0.0.1:");
    let said = viewing.said();
    let fault =
        said.lines().find_map(|line| line.strip_prefix("lookback: fault: page_fault_user of server-"));
    let thread = fault.unwrap_or_else(|| panic!("{said}")).to_owned();
    assert!(viewing.printed().contains(&format!("%20{thread}%24")), "it is pinned: {}", viewing.printed());
    viewing.signal(Signal::INT);
    viewing.wait().success();

    // What is new since all was well: requests up to the first whose page is not there.
    let (good, bad) = (scratch.outside("good.dat"), scratch.outside("bad.dat"));
    run(scratch.lookback(&["record", "-q", "-o"]).arg(&good).args(["--", server, "200"]));
    done("extract", &["-q", "-s", "-o", bad.to_str().unwrap()]);
    let differs = run(scratch.lookback(&["diff"]).args([&good, &bad])).success().stdout;
    let error = differs.lines().find(|line| line.contains("openat page-# = ENOENT")).unwrap_or_default();
    assert!(error.trim_start().starts_with("new "), "{differs}");
}
