//! The address of the page, and what the interface is asked for in it.

use super::focus::Focus;
use crate::failure::{Done, Failure};
use crate::json::Json;
use rustix::rand::{GetRandomFlags, getrandom};
use std::fmt::Write;

/// The public interface, and the only port of this machine that its policy lets it read from.
pub(super) const PUBLIC: &str = "https://ui.perfetto.dev";
pub(super) const PUBLIC_PORT: u16 = 9001;

/// What an address has to have in it to be answered: whoever doesn't know it gets nothing.
#[derive(Debug)]
pub(super) struct PageToken(String);

impl PageToken {
    /// A new one, of 128 random bits.
    pub(super) fn new() -> Done<PageToken> {
        let mut bytes = [0; 16];
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Ok(16) => Ok(PageToken(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
            _ => Err(Failure::failed("the kernel gives no random bytes")),
        }
    }

    /// What follows it in a path, if that begins with it. How long that takes says nothing of the token.
    pub(super) fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (given, rest) = path.strip_prefix('/')?.split_once('/')?;
        let is_long = given.len() == self.0.len();
        let differ = given.bytes().zip(self.0.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
        (is_long && differ == 0).then_some(rest)
    }
}

/// Where the page is.
#[derive(Debug)]
pub(super) struct PageAddress<'a> {
    pub(super) port: u16,
    pub(super) token: &'a PageToken,
    /// Whether it is the public interface that reads the trace from here.
    pub(super) is_public: bool,
}

impl PageAddress<'_> {
    /// Of this page, with what is to be looked at first.
    pub(super) fn page(&self, focus: &Focus) -> String {
        let own = format!("http://127.0.0.1:{}/{}/", self.port, self.token.0);
        let page = if self.is_public { format!("{PUBLIC}/") } else { own.clone() };
        let mut page = format!("{page}#!/?url={}", quoted(&format!("{own}trace")));
        if let Some((from, to)) = focus.visible {
            let _ = write!(page, "&visStart={from}&visEnd={to}");
        }
        if let Some((start, end)) = focus.slice {
            let _ = write!(page, "&ts={start}&dur={}", end.saturating_sub(start));
        }
        if !focus.tids.is_empty() {
            let _ = write!(page, "&startupCommands={}", quoted(&pins(&focus.tids).to_string()));
        }
        page
    }
}

/// The commands that have the interface pin the tracks of threads: their names end with the TID.
fn pins(tids: &[i32]) -> Json {
    let command = |tid: &i32| {
        Json::Object(vec![
            ("id", Json::Text("dev.perfetto.PinTracksByRegex".to_owned())),
            ("args", Json::List(vec![Json::Text(format!(" {tid}$"))])),
        ])
    };
    Json::List(tids.iter().map(command).collect())
}

/// A value as it stands in a query of an address.
fn quoted(value: &str) -> String {
    let mut quoted = String::new();
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => quoted.push(byte.into()),
            _ => {
                let _ = write!(quoted, "%{byte:02X}");
            }
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_opens() {
        let token = PageToken::new().unwrap();
        let other = PageToken::new().unwrap();
        assert_ne!(token.0, other.0);
        assert_eq!(token.strip(&format!("/{}/trace", token.0)), Some("trace"));
        assert_eq!(token.strip(&format!("/{}/", token.0)), Some(""));
        for path in ["/", "//", "/trace", &format!("/{}/trace", other.0), &format!("/{}", token.0), "*"] {
            assert_eq!(token.strip(path), None, "{path}");
        }
        assert_eq!(token.strip(&format!("/{}/x", &token.0[..31])), None);
    }

    #[test]
    fn the_address_says_what_to_look_at() {
        let token = PageToken("ab".into());
        let focus = Focus { visible: Some((5, 9)), slice: Some((6, 8)), tids: vec![7], lines: Vec::new() };
        let mut address = PageAddress { port: 80, token: &token, is_public: false };
        let rest = "#!/?url=http%3A%2F%2F127.0.0.1%3A80%2Fab%2Ftrace&visStart=5&visEnd=9&ts=6&dur=2&\
                    startupCommands=";
        let page = address.page(&focus);
        assert!(
            page.starts_with(&format!("http://127.0.0.1:80/ab/{rest}%5B%7B%22id%22%3A%22dev.")),
            "{page}"
        );
        address.is_public = true;
        assert!(address.page(&focus).starts_with(&format!("{PUBLIC}/{rest}")));
    }
}
