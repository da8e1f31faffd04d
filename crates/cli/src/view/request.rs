//! A request of a browser, as far as it matters.

use std::io::{self, Read};

/// The most bytes of a request's head.
const MOST: usize = 16 * 1024;

/// The most headers of a request.
const HEADERS: usize = 64;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageRequest {
    /// The path, without the query.
    pub(super) path: String,
}

/// Why a request isn't answered with a file: an HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestRefusal {
    /// It is no request.
    Malformed,
    /// It has another host than this server: some page's name was made to lead here.
    OtherHost,
    /// It is none that only reads.
    OtherMethod,
    /// No such file.
    Unknown,
    /// Too many at once.
    Busy,
}

impl RequestRefusal {
    /// The status line's number and text.
    pub(super) fn status(self) -> &'static str {
        match self {
            RequestRefusal::Malformed => "400 Bad Request",
            RequestRefusal::OtherHost => "403 Forbidden",
            RequestRefusal::OtherMethod => "405 Method Not Allowed",
            RequestRefusal::Unknown => "404 Not Found",
            RequestRefusal::Busy => "503 Service Unavailable",
        }
    }
}

/// Reads a request to the server on this port.
///
/// # Errors
///
/// When nothing comes, or no end of it.
pub(super) fn read(connection: &mut impl Read, port: u16) -> io::Result<Result<PageRequest, RequestRefusal>> {
    let (mut head, mut chunk) = (Vec::new(), [0; 1024]);
    loop {
        let count = connection.read(&mut chunk)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&chunk[..count]);
        if let Some(request) = parse(&head, port) {
            return Ok(request);
        }
        if head.len() > MOST {
            return Ok(Err(RequestRefusal::Malformed));
        }
    }
}

/// The request, once its head is complete.
fn parse(head: &[u8], port: u16) -> Option<Result<PageRequest, RequestRefusal>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Partial) => return None,
        Err(_) => return Some(Err(RequestRefusal::Malformed)),
        Ok(httparse::Status::Complete(_)) => {}
    }
    let mut hosts = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("host"));
    let (host, other) = (hosts.next(), hosts.next());
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let is_own = host.is_some_and(|host| own.iter().any(|own| own.as_bytes() == host.value));
    if !is_own || other.is_some() {
        return Some(Err(RequestRefusal::OtherHost));
    }
    if request.method != Some("GET") {
        return Some(Err(RequestRefusal::OtherMethod));
    }
    let path = request.path.unwrap_or_default();
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    Some(Ok(PageRequest { path: path.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<PageRequest, RequestRefusal> {
        read(&mut text.as_bytes(), 80).unwrap()
    }

    #[test]
    fn only_reading_from_this_server_is_answered() {
        let request = of("GET /a/b?c HTTP/1.1\r\nhost: 127.0.0.1:80\r\n\r\n").unwrap();
        assert_eq!(request.path, "/a/b");
        assert!(of("GET / HTTP/1.1\r\nHost: localhost:80\r\n\r\n").is_ok());
        for host in ["Host: evil.example:80", "Host: 127.0.0.1", "Host: 127.0.0.1:81", "Accept: */*"] {
            assert_eq!(
                of(&format!("GET / HTTP/1.1\r\n{host}\r\n\r\n")),
                Err(RequestRefusal::OtherHost),
                "{host}"
            );
        }
        let twice = "GET / HTTP/1.1\r\nHost: localhost:80\r\nHost: evil.example\r\n\r\n";
        assert_eq!(of(twice), Err(RequestRefusal::OtherHost));
        for method in ["POST", "OPTIONS", "PUT", "HEAD", "get"] {
            let text = format!("{method} / HTTP/1.1\r\nHost: localhost:80\r\n\r\n");
            assert_eq!(of(&text), Err(RequestRefusal::OtherMethod), "{method}");
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(of("\u{1}\u{2}\r\n\r\n"), Err(RequestRefusal::Malformed));
        assert_eq!(
            of(&format!("GET /{} HTTP/1.1\r\n", "a".repeat(2 * MOST))),
            Err(RequestRefusal::Malformed)
        );
        let many = "A: b\r\n".repeat(HEADERS + 1);
        assert_eq!(of(&format!("GET / HTTP/1.1\r\n{many}\r\n")), Err(RequestRefusal::Malformed));
        assert!(read(&mut "GET / HTTP/1.1\r\n".as_bytes(), 80).is_err());
    }
}
