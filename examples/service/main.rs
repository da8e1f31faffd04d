//! A web service with events of its own and `tracing` spans. It answers as many requests as its arguments
//! say, on a free port of this machine, and ends; `demo` has it ask itself.
//!
//! ```text
//! lookback record -e service: -e 'service_*:' -- service demo && lookback report
//! ```
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Error, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Instant;
use tracing::{info_span, warn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Clone, Copy)]
enum Method {
    Other = 0,
    Get = 1,
    Post = 2,
}

tracepoint::trace_event! {
    /// A request was read.
    fn service:request(
        id: u64,
        method: Method as symbolic { Method::Get => "GET", Method::Post => "POST", Method::Other => "other" },
        path: &str,
    );

    /// It was answered.
    fn service:answered(id: u64, status: u16, bytes: u32, ns: u64) => "request {id}: {status}, {bytes} bytes";
}

/// What is served.
fn page(path: &str) -> Option<&'static str> {
    let _span = info_span!("lookup", path).entered();
    match path {
        "/" => Some("welcome"),
        "/items/7" => Some("a bicycle"),
        _ => {
            warn!(name: "missing", path, "no such page");
            None
        }
    }
}

fn answer(id: u64, stream: TcpStream) -> Result<(), Error> {
    let started = Instant::now();
    let _span = info_span!("serve", id).entered();
    let mut line = String::new();
    let mut reader = BufReader::new(stream);
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let method = match words.next() {
        Some("GET") => Method::Get,
        Some("POST") => Method::Post,
        _ => Method::Other,
    };
    let path = words.next().unwrap_or("/");
    request(id, method, path);
    let (status, body) = page(path).map_or((404, "not found"), |body| (200, body));
    let mut stream = reader.into_inner();
    write!(stream, "HTTP/1.0 {status} -\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    answered(id, status, body.len() as u32, started.elapsed().as_nanos() as u64);
    Ok(())
}

fn main() -> Result<(), Error> {
    tracing_subscriber::registry().with(tracing_layer::layer()).init();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let argument = std::env::args().nth(1).unwrap_or_default();
    let count = if argument == "demo" { 3 } else { argument.parse().unwrap_or(u64::MAX) };
    println!("serving {count} requests at http://{address}");
    let client = (argument == "demo").then(|| std::thread::spawn(move || ask(address)));
    for id in 1..=count {
        let (stream, _) = listener.accept()?;
        if let Err(error) = answer(id, stream) {
            tracepoint::trace_printk!("request {id}: {error}");
        }
    }
    client.map_or(Ok(()), |client| client.join().expect("the client doesn't panic"))
}

/// Three requests, one after the other.
fn ask(address: SocketAddr) -> Result<(), Error> {
    for path in ["/", "/items/7", "/favicon.ico"] {
        let mut stream = TcpStream::connect(address)?;
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n")?;
        std::io::read_to_string(stream)?;
    }
    Ok(())
}
