//! What works on a recording's file: report, hist, split, convert, dump, options.

use super::*;

#[test]
fn a_recording_is_read_in_all_ways() {
    let Some(client) = Client::new() else { return };
    client.record("-e libc", &["taskset", "-c", "0", "cat", "/etc/hostname"]).success();
    client.expect(&[
        ("report", 0, ": open_exit: "),
        ("report -l", 0, "cat-"),
        ("report -t", 0, ": open_exit: "),
        ("report -R", 0, ": open_exit: "),
        ("report -F open_exit:ret>=0", 0, "hostname"),
        ("report --cpu 0", 0, ": open_exit: "),
        ("report --ts-diff", 0, "(+"),
        ("report --stat", 0, "overrun: 0\n"),
        ("report --first-event", 0, "First event:"),
        ("report --last-event", 0, "Last event:"),
        ("report -E", 0, "libc:open_exit\n"),
        ("report --check-events", 0, ""),
        ("report -i nosuch.dat", 2, "nosuch.dat"),
        ("hist", 0, "malloc"),
        ("options", 0, ""),
        ("split -o part -m 1", 0, ""),
        ("convert --file-version 6 -o six.dat", 0, ""),
        ("report --events -i six.dat", 0, "name: open_exit"),
        ("convert --compression none -o plain.dat", 0, ""),
        ("dump --summary", 0, "7\t[Version]"),
        ("dump --events", 0, "open_exit"),
        ("dump --validate", 0, "valid trace-cmd file"),
        ("dump --validate -i six.dat", 0, "valid trace-cmd file"),
        ("nosuch", 255, ""),
    ]);
    let nanoseconds = client.report(&["-t"]);
    let time = nanoseconds.lines().find_map(|line| line.split_once(": ")?.0.rsplit_once('.')).unwrap().1;
    assert_eq!(time.len(), 9, "{time}");
    let whole = client.recorded("trace.dat", "open_exit");
    for file in ["six.dat", "plain.dat"] {
        assert_eq!(client.recorded(file, "open_exit"), whole, "{file}");
    }
}
