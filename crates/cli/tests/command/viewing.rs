//! `lookback view`: what is served, and to whom.

use crate::common::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASE: &str = "v52.0-6b9586def";

/// An interface of three files, where the command looks for one.
fn interface(scratch: &Scratch) -> PathBuf {
    let data = scratch.outside("data");
    let directory = data.join("lookback").join(format!("perfetto-{RELEASE}"));
    std::fs::create_dir_all(directory.join("assets")).unwrap();
    std::fs::write(directory.join("index.html"), "<head><title>x</title></head>").unwrap();
    std::fs::write(directory.join("assets/a.wasm"), b"\0asm").unwrap();
    data
}

fn view(scratch: &Scratch, options: &[&str]) -> Command {
    let mut command = scratch.lookback(&["view", "--no-browser"]);
    command.args(options).env("XDG_DATA_HOME", scratch.outside("data"));
    command
}

/// The port, the path of the page, and what follows it.
fn parts(said: &str) -> (u16, String, String) {
    let line = said.lines().find(|line| line.starts_with("http://127.0.0.1:")).unwrap();
    let (address, rest) = line.split_once('#').unwrap();
    let (port, path) = address["http://127.0.0.1:".len()..].split_once('/').unwrap();
    (port.parse().unwrap(), format!("/{path}"), rest.to_owned())
}

/// Sends a request, and reads the answer: its head and its body.
fn ask(port: u16, request: &str) -> (String, Vec<u8>) {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
}

fn get(port: u16, path: &str) -> (String, Vec<u8>) {
    ask(port, &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"))
}

#[test]
fn the_page_and_the_trace_are_served_to_one_who_knows_the_token() {
    let scratch = Scratch::new();
    interface(&scratch);
    run(&mut scratch.lookback(&["record", "-q", "--", "sh", "-c", "sleep 0.05; cat /nosuch"]));
    let mut viewing = start(&mut view(&scratch, &["--linger", "0"]));
    viewing.wait_for("http://127.0.0.1:");
    let said = viewing.said();
    assert!(said.contains("slowest call: ") && said.contains(" events, "), "{said}");
    let (port, page, rest) = parts(&viewing.printed());
    for part in ["!/?url=http%3A%2F%2F127.0.0.1%3A", "%2Ftrace&visStart=", "&dur=", "PinTracksByRegex"] {
        assert!(rest.contains(part), "{part}: {rest}");
    }

    let (head, body) = get(port, &page);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("default-src 'self'"), "{head}");
    let body = String::from_utf8(body).unwrap();
    assert_eq!(body, "<head><title>x</title><script>new EventSource('open')</script></head>");
    let (head, body) = get(port, &format!("{page}assets/a.wasm"));
    assert!(head.contains("Content-Type: application/wasm\r\n") && body == b"\0asm", "{head}");
    let (head, trace) = get(port, &format!("{page}trace"));
    assert!(head.contains(&format!("Content-Length: {}\r\n", trace.len())), "{head}");
    run(&mut scratch.lookback(&["convert", "-o", "own.pftrace"])).success();
    assert_eq!(trace, std::fs::read(scratch.path("own.pftrace")).unwrap());

    let status = |(head, _): (String, Vec<u8>)| head.split(' ').nth(1).unwrap().to_owned();
    for path in ["/", "/trace", "/0123456789abcdef0123456789abcdef/trace", &page[..page.len() - 1]] {
        assert_eq!(status(get(port, path)), "404", "{path}");
    }
    for path in ["../index.html", "assets/../../../../etc/passwd", "assets", "%2e%2e/index.html"] {
        assert_eq!(status(get(port, &format!("{page}{path}"))), "404", "{path}");
    }
    let of_host = |host: &str| ask(port, &format!("GET {page} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert_eq!(status(of_host("rebound.example")), "403");
    let post = format!("POST {page} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    assert_eq!(status(ask(port, &post)), "405");
    assert_eq!(status(ask(port, "\u{1}\r\n\r\n")), "400");

    // A page that is open keeps it, and its end ends it.
    let mut open = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(open, "GET {page}open HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").unwrap();
    open.read_exact(&mut [0; 15]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(status(get(port, &page)), "200");
    drop(open);
    let ended = viewing.wait().success();
    assert!(ended.stderr.contains("the page was closed"), "{ended:?}");
}

#[test]
fn it_listens_on_loopback_alone_and_ends_by_control_c() {
    let scratch = Scratch::new();
    interface(&scratch);
    run(&mut scratch.lookback(&["record", "-q", "--", "true"])).success();
    let mut viewing = start(&mut view(&scratch, &["--quiet"]));
    viewing.wait_for("http://127.0.0.1:");
    let (port, ..) = parts(&viewing.printed());
    assert_eq!(viewing.said(), "");
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let listening: Vec<&str> =
        sockets.lines().filter(|line| line.contains(&format!(":{port:04X} 00000000:0000 0A"))).collect();
    assert_eq!(listening.len(), 1, "{sockets}");
    assert!(listening[0].contains(&format!(" 0100007F:{port:04X} ")), "{listening:?}");
    // A connection that says nothing keeps nobody.
    let idle = TcpStream::connect(("127.0.0.1", port)).unwrap();
    viewing.signal(rustix::process::Signal::INT);
    viewing.wait().success();
    drop(idle);
}

#[test]
fn what_can_be_read_of_a_truncated_trace_is_served() {
    let scratch = Scratch::new();
    interface(&scratch);
    scratch.recorded(&["sh", "-c", "ls -l /usr/bin > /dev/null"]).0.success();
    let whole = std::fs::read(scratch.outside("trace.dat")).unwrap();
    let short = scratch.write("short.dat", &whole[..whole.len() - 100_000]);
    let mut viewing = start(&mut view(&scratch, &["--quiet", short.to_str().unwrap()]));
    viewing.wait_for("http://127.0.0.1:");
    let said = viewing.said();
    assert!(said.contains("truncated") && said.contains("; what can be read is shown"), "{said}");
    let (port, page, _) = parts(&viewing.printed());
    let (_, trace) = get(port, &format!("{page}trace"));
    run(scratch.lookback(&["convert", "-q", "-o", "own.pftrace"]).arg(&short)).failure(125, &["truncated"]);
    let own = std::fs::read(scratch.path("own.pftrace")).unwrap();
    assert!(!own.is_empty() && trace == own, "{} and {} bytes", trace.len(), own.len());
    viewing.signal(rustix::process::Signal::INT);
    viewing.wait().failure(125, &["truncated"]);
}

#[test]
fn what_is_missing_is_said_with_what_helps() {
    let scratch = Scratch::new();
    run(&mut scratch.lookback(&["record", "-q", "--", "true"])).success();
    let missing = run(&mut view(&scratch, &[]));
    missing.failure(125, &["--fetch-ui", "--online"]);
    interface(&scratch);
    run(&mut view(&scratch, &["none.dat"])).failure(125, &["none.dat: "]);
}

/// In Chromium, with the interface as `--fetch-ui` fetches it: once for all runs of the tests.
#[test]
fn the_interface_shows_our_threads() {
    if is_missing(&["chromium", "python3"]) {
        return;
    }
    let scratch = Scratch::new();
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface");
    if !data.join("lookback").join(format!("perfetto-{RELEASE}/index.html")).is_file() {
        run(scratch.lookback(&["view", "--fetch-ui"]).env("XDG_DATA_HOME", &data)).success();
    }
    run(&mut scratch.lookback(&["record", "-q", "--", "sleep", "0.2"])).success();
    let mut viewing = start(view(&scratch, &[]).env("XDG_DATA_HOME", &data));
    viewing.wait_for("http://127.0.0.1:");
    let (said, printed) = (viewing.said(), viewing.printed());
    let pid = said.split("slowest call: ").nth(1).unwrap().split("sleep-").nth(1).unwrap();
    let pid = pid.split(',').next().unwrap();
    let profile = scratch.outside("profile");
    let mut browser = scratch.command("python3");
    browser.args(["-c", BROWSER, printed.trim_end(), &format!("sleep {pid}")]).arg(&profile);
    let page = run(&mut browser).success().stdout;
    assert!(page.starts_with("shown\n"), "{page}");
    viewing.signal(rustix::process::Signal::INT);
    viewing.wait().success();
}

/// Opens a page in a browser without a window, and waits until it shows a text: prints `shown`, or what it
/// shows instead.
const BROWSER: &str = r#"
import json, os, subprocess, sys, time
address, text, profile = sys.argv[1:]
(read_in, write_in), (read_out, write_out) = os.pipe(), os.pipe()
def use_pipes():
    # 3 and 4 may be among them.
    high = os.dup2(read_in, 10), os.dup2(write_out, 11)
    os.dup2(high[0], 3); os.dup2(high[1], 4)
options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1400,900', '--remote-debugging-pipe']
browser = subprocess.Popen(['chromium', *options, '--user-data-dir=' + profile], close_fds=False,
                           preexec_fn=use_pipes, stderr=subprocess.DEVNULL)
os.close(write_out)
answers, count = os.fdopen(read_out, 'rb'), 0
def ask(method, session=None, **parameters):
    global count
    count += 1
    message = {'id': count, 'method': method, 'params': parameters}
    if session: message['sessionId'] = session
    os.write(write_in, json.dumps(message).encode() + b'\0')
    while True:
        answer = b''
        while not answer.endswith(b'\0'): answer += answers.read(1)
        answer = json.loads(answer[:-1])
        if answer.get('id') == count: return answer.get('result', answer)
try:
    page = ask('Target.createTarget', url='about:blank')['targetId']
    session = ask('Target.attachToTarget', targetId=page, flatten=True)['sessionId']
    ask('Page.navigate', session, url=address)
    shown, end = '', time.monotonic() + 200
    while text not in shown and time.monotonic() < end:
        time.sleep(0.5)
        result = ask('Runtime.evaluate', session, expression='document.body.innerText', returnByValue=True)
        shown = result['result'].get('value') or ''
    print('shown' if text in shown else shown)
    print(address)
finally:
    browser.kill(); browser.wait()
"#;
