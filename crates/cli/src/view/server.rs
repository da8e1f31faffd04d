//! The server of the page: on loopback alone, for one who knows the token.
//!
//! It reads requests with httparse, which hyper does, too. A connection is for one request, and there are few
//! at a time. No web framework would be smaller: a path is looked up among files that are known at the start.

use super::address::{PUBLIC, PUBLIC_PORT, PageToken};
use super::interface::{InterfaceFiles, PAGE, media_type};
use super::request::{PageRequest, RequestRefusal, read};
use crate::failure::{Done, Failure};
use crate::interrupt::stop_flag;
use crate::say::note;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What is served, and to whom.
#[derive(Debug)]
pub(super) struct ViewedFiles {
    trace: File,
    /// None where the public interface reads the trace from here.
    interface: Option<InterfaceFiles>,
    token: PageToken,
    /// Pages that are open now.
    pages: AtomicUsize,
    /// Whether one was.
    was_open: AtomicBool,
    /// Connections at this time.
    connections: AtomicUsize,
}

/// Listens on loopback.
#[derive(Debug)]
pub(super) struct ViewServer {
    listener: TcpListener,
    port: u16,
}

/// The most connections at a time: a browser opens six.
const MOST: usize = 32;

/// How long a browser may take to send a request, or to take a part of the answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the server waits before it looks whether to end.
const STEP: Duration = Duration::from_millis(200);

/// What the page asks for to say that it is open: this connection stays as long as it does.
const OPEN: &str = "open";
const TRACE: &str = "trace";
const SAYS_OPEN: &str = "<script>new EventSource('open')</script></head>";

/// The page loads from this server alone, and other pages can't have it in them, or read from it.
const POLICY: &str = "Content-Security-Policy: default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; \
                      frame-ancestors 'none'; form-action 'none'\r\n\
                      Cross-Origin-Resource-Policy: same-origin\r\n";

impl ViewServer {
    /// Listens on this port, or on any if that is 0.
    pub(super) fn listen(port: u16) -> Done<ViewServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match port {
            PUBLIC_PORT => Failure::failed(format_args!(
                "port {port} of 127.0.0.1: {error}; {PUBLIC} reads from no other: end what uses it"
            )),
            _ => Failure::failed(format_args!("no port of 127.0.0.1 can be used: {error}")),
        })?;
        listener.set_nonblocking(true).map_err(Failure::failed)?;
        let port = listener.local_addr().map_err(Failure::failed)?.port();
        Ok(ViewServer { listener, port })
    }

    /// Where it listens.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Answers until it is interrupted, or until the page was closed for `linger`, or the public one has read
    /// the trace.
    pub(super) fn serve(&self, files: ViewedFiles, linger: Duration) -> Done<()> {
        let stop = stop_flag()?;
        let (files, port) = (Arc::new(files), self.port);
        let mut closed: Option<Instant> = None;
        while !stop.load(Ordering::Relaxed) {
            let mut waiting = [PollFd::new(&self.listener, PollFlags::IN)];
            let step = Timespec { tv_sec: 0, tv_nsec: STEP.subsec_nanos().into() };
            // A signal ends the wait: the flag says so.
            let _ = poll(&mut waiting, Some(&step));
            while let Ok((connection, _)) = self.listener.accept() {
                let files = Arc::clone(&files);
                // They are not waited for: a browser keeps connections that it may need, and they end with
                // this process.
                drop(thread::Builder::new().spawn(move || files.answer(connection, port)));
            }
            closed = match files.is_open() {
                Some(false) => closed.or_else(|| Some(Instant::now())),
                _ => None,
            };
            if closed.is_some_and(|closed| closed.elapsed() >= linger) {
                note!("lookback: the page was closed");
                break;
            }
        }
        Ok(())
    }
}

/// Counts a connection as long as it is there.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> (Counted<'a>, usize) {
        let before = count.fetch_add(1, Ordering::Relaxed);
        (Counted(count), before)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ViewedFiles {
    pub(super) fn new(trace: File, interface: Option<InterfaceFiles>, token: PageToken) -> ViewedFiles {
        ViewedFiles {
            trace,
            interface,
            token,
            pages: AtomicUsize::new(0),
            was_open: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        }
    }

    /// Whether the page is open; None before it was.
    fn is_open(&self) -> Option<bool> {
        self.was_open.load(Ordering::Relaxed).then(|| self.pages.load(Ordering::Relaxed) > 0)
    }

    /// Answers one request. Who goes away meanwhile doesn't get all of it.
    fn answer(&self, mut connection: TcpStream, port: u16) {
        let (_counted, before) = Counted::new(&self.connections);
        let _ = connection.set_nonblocking(false);
        let _ = connection.set_read_timeout(Some(PATIENCE));
        let _ = connection.set_write_timeout(Some(PATIENCE));
        let request = match before < MOST {
            true => read(&mut connection, port),
            false => Ok(Err(RequestRefusal::Busy)),
        };
        let Ok(request) = request else { return };
        let answered = match request.and_then(|request| self.find(&request)) {
            Ok(answer) => self.send(answer, &mut connection),
            Err(refusal) => refuse(refusal, &mut connection),
        };
        drop(answered);
    }

    fn find(&self, request: &PageRequest) -> Result<PageAnswer, RequestRefusal> {
        let path = self.token.strip(&request.path).ok_or(RequestRefusal::Unknown)?;
        let unreadable = |_| RequestRefusal::Unknown;
        match (path, &self.interface) {
            (TRACE, _) => Ok(PageAnswer::Trace),
            (_, None) => Err(RequestRefusal::Unknown),
            (OPEN, _) => Ok(PageAnswer::Open),
            ("", Some(interface)) => {
                let page = interface.get(PAGE).ok_or(RequestRefusal::Unknown)?;
                let page = std::fs::read_to_string(page).map_err(unreadable)?;
                Ok(PageAnswer::File(page.replacen("</head>", SAYS_OPEN, 1).into_bytes(), media_type(PAGE)))
            }
            (path, Some(interface)) => {
                let file = interface.get(path).ok_or(RequestRefusal::Unknown)?;
                Ok(PageAnswer::File(std::fs::read(file).map_err(unreadable)?, media_type(path)))
            }
        }
    }

    fn send(&self, answer: PageAnswer, out: &mut TcpStream) -> io::Result<()> {
        match answer {
            PageAnswer::File(bytes, kind) => {
                write!(out, "{}", self.head(kind, Some(bytes.len() as u64)))?;
                out.write_all(&bytes)
            }
            PageAnswer::Trace => {
                let (size, mut at) = (self.trace.metadata()?.len(), 0);
                write!(out, "{}", self.head("application/octet-stream", Some(size)))?;
                let mut chunk = vec![0; 1 << 18];
                while at < size {
                    let count = self.trace.read_at(&mut chunk, at)?;
                    if count == 0 {
                        break;
                    }
                    out.write_all(&chunk[..count])?;
                    at += count as u64;
                }
                // The public page can't say that it is open: it needs nothing more.
                if self.interface.is_none() && at == size {
                    self.was_open.store(true, Ordering::Relaxed);
                }
                Ok(())
            }
            PageAnswer::Open => {
                let (_counted, _) = Counted::new(&self.pages);
                self.was_open.store(true, Ordering::Relaxed);
                write!(out, "{}", self.head("text/event-stream", None))?;
                out.set_read_timeout(None)?;
                // The browser sends nothing more, and the read ends when it closes the connection.
                let _ = out.read(&mut [0])?;
                Ok(())
            }
        }
    }

    fn head(&self, kind: &str, size: Option<u64>) -> String {
        let size = size.map_or_else(String::new, |size| format!("Content-Length: {size}\r\n"));
        let policy = match self.interface {
            Some(_) => POLICY.to_owned(),
            None => format!("Access-Control-Allow-Origin: {PUBLIC}\r\n"),
        };
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{size}{policy}Cache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
        )
    }
}

/// What is sent.
enum PageAnswer {
    /// These bytes, of this media type.
    File(Vec<u8>, &'static str),
    Trace,
    /// Nothing, as long as the page is open.
    Open,
}

fn refuse(refusal: RequestRefusal, out: &mut TcpStream) -> io::Result<()> {
    let status = refusal.status();
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{status}\n",
        status.len() + 1
    )
}
