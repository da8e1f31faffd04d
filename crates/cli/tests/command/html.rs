//! `lookback report --html`: one page that says what a trace has, and does nothing.

use crate::common::*;
use std::process::Command;

/// Reads a page as browsers do: prints `text TEXT` of what it shows, and fails if it isn't well-formed, has
/// scripts, or names what it would load.
const READER: &str = r#"
import html.parser, re, sys
page = open(sys.argv[1], encoding='utf-8').read()
class Reader(html.parser.HTMLParser):
    open_, void = [], {'meta'}
    def handle_starttag(self, name, attributes):
        assert name in 'html head meta title style body main h1 h2 p section div table tr th td span svg rect text'.split(), name
        for attribute, value in attributes:
            assert not attribute.startswith('on') and attribute not in ('src', 'href', 'xlink:href'), attribute
        if name not in self.void: self.open_.append(name)
    def handle_endtag(self, name):
        assert self.open_.pop() == name, name
    def handle_data(self, data):
        if self.open_ and self.open_[-1] != 'style' and data.strip(): print('text', repr(data.strip()))
reader = Reader(convert_charrefs=True)
reader.feed(page); reader.close()
assert not reader.open_, reader.open_
assert not re.search(r'https?://|//[a-z]|url\(|@import', page), 'names a host'
"#;

fn page(scratch: &Scratch, options: &[&str]) -> String {
    let mut command: Command = scratch.lookback(&["report", "--html", "page.html"]);
    run(command.arg(scratch.outside("trace.dat")).args(options)).success();
    run(scratch.command("python3").args(["-c", READER, "page.html"])).success().stdout
}

#[test]
fn a_page_says_what_ran_failed_and_was_slow() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    scratch.recorded(&["sh", "-c", "sleep 0.05; cat /nosuch; kill -SEGV $$"]);
    let page = page(&scratch, &[]);
    for part in [
        "Trace of trace.dat",
        "No event was lost.",
        "SIGSEGV",
        "exit 1",
        "cat /nosuch",
        " /nosuch = ENOENT",
        "Timeline",
        "Flame graph",
        "nanosleep",
        "waiting: poll, sleep",
        "How long calls took",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let of_one = run(&mut scratch.lookback(&["report", "--html", "x.html", "--json"]));
    assert_eq!(of_one.code(), Some(125), "{of_one:?}");
}

#[test]
fn names_are_harmless_in_a_page() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let script = r#"
import os
for name in [b'/a\nb', b'/"q\\', b'/<script>alert(1)</script>', b'/\xff\xfe', b"/'><img src=x onerror=y>", b'/\x1b[31m',
             b'/]]></style>&amp;']:
    try: os.rmdir(b'/etc/passwd' + name)
    except OSError: pass
open('/proc/self/comm', 'w').write('<b>;"&')
os.execv('/bin/sh', ['<i onclick=z>', '-c', 'exit 3 # </svg></title>'])
"#;
    run(&mut scratch.record(&["-q"], &["python3", "-S", "-c", script]));
    let page = page(&scratch, &[]);
    for part in ["/<script>alert(1)</script>", "><img src=x onerror=y>", "/]]></style>&amp;", "<i onclick=z>"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn losses_and_what_was_not_seen_are_in_the_page() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let session = scratch.overwritten_session();
    run(&mut scratch.lookback(&["show", "--session", &session, "--html", "live.html"])).success();
    run(&mut scratch.lookback(&["delete", "-q", "--session", &session])).success();
    let page = run(scratch.command("python3").args(["-c", READER, "live.html"])).success().stdout;
    assert!(
        page.contains("Trace of a session") && page.contains("The trace is complete for the last"),
        "{page}"
    );
}
