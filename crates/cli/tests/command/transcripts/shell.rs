//! A shell as far as transcripts need one: its commands read and write the files of a session's control tree.

use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Instance};
use std::path::Path;
use tracefs::{Node, Tree};

pub struct Shell {
    tree: Tree,
    /// Runs a program in the session: with its arguments, to what it prints.
    run: Box<Run>,
}

type Run = dyn Fn(&str, &[&str]) -> Option<String>;

/// What a command has printed, and its errors.
type Answer = Result<String, String>;

impl Shell {
    pub fn new(session: &Path) -> Shell {
        Shell { tree: Tree::new(Instance::open(session).unwrap()), run: Box::new(|_, _| None) }
    }

    /// One that can run programs.
    pub fn running(self, run: impl Fn(&str, &[&str]) -> Option<String> + 'static) -> Shell {
        Shell { run: Box::new(run), ..self }
    }

    /// What a line prints; its error is the last line, as in a transcript.
    pub fn answer(&mut self, line: &str) -> String {
        let (mut printed, mut errors) = (String::new(), String::new());
        for command in split(line, "; ") {
            match self.pipeline(&command) {
                Ok(text) => printed += &text,
                Err(error) => errors += &format!("{error}\n"),
            }
        }
        printed + &errors
    }

    fn pipeline(&self, line: &str) -> Answer {
        let mut stages = split(line, " | ").into_iter();
        let mut text = self.command(&words(&stages.next().unwrap()))?;
        for stage in stages {
            let stage = words(&stage);
            text = filter(&stage.iter().map(String::as_str).collect::<Vec<_>>(), &text);
        }
        Ok(text)
    }

    fn command(&self, words: &[String]) -> Answer {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["echo", ref text @ .., into @ (">" | ">>"), file] => {
                self.redirect(file, into == ">>", &(text.join(" ") + "\n"))
            }
            ["printf", r"%s\n", ref lines @ .., into @ (">" | ">>"), file] => {
                self.redirect(file, into == ">>", &(lines.join("\n") + "\n"))
            }
            ["printf", text, into @ (">" | ">>"), file] => {
                self.redirect(file, into == ">>", &text.replace("\\n", "\n").replace("\\t", "\t"))
            }
            ["cat", ref files @ ..] => files.iter().map(|file| self.read(file)).collect(),
            ["mkdir", path] => self.tree.make_directory(path).map(|()| String::new()).map_err(error),
            ["rmdir", path] => self.tree.remove_directory(path).map(|()| String::new()).map_err(error),
            ["ls", path] => {
                let Node::Directory(directory) = self.tree.find(path).map_err(error)? else {
                    panic!("{path} is no directory")
                };
                let mut names = directory.names();
                names.sort();
                Ok(names.iter().map(|name| format!("{name}\n")).collect())
            }
            ["w", flags, file, ref texts @ ..] => Ok(self.write_each(flags, file, texts)),
            [program, ref arguments @ ..] if let Some(printed) = (self.run)(program, arguments) => {
                Ok(printed)
            }
            [ref command @ .., file] => Ok(filter(command, &self.read(file)?)),
            [] => panic!("an empty command is in a transcript"),
        }
    }

    fn read(&self, file: &str) -> Answer {
        let mut opened = self.tree.open(file, OFlags::RDONLY).map_err(error)?;
        Ok(String::from_utf8(opened.read_to_end().map_err(error)?).unwrap())
    }

    fn redirect(&self, file: &str, appends: bool, text: &str) -> Answer {
        let how = if appends { OFlags::APPEND } else { OFlags::TRUNC };
        let mut opened = self.tree.open(file, OFlags::WRONLY | OFlags::CREATE | how).map_err(error)?;
        opened.write_all(Author::current(), text.as_bytes()).map_err(error)?;
        Ok(String::new())
    }

    /// One write for each text, with what comes of it.
    fn write_each(&self, flags: &str, file: &str, texts: &[&str]) -> String {
        let mut how = if flags.contains('b') { OFlags::RDWR } else { OFlags::WRONLY };
        how.set(OFlags::TRUNC, flags.contains('t'));
        let mut opened = match self.tree.open(file, how) {
            Ok(opened) => opened,
            Err(error) => return format!("open: -1 {error:?}\n"),
        };
        let mut said = "open: ok\n".to_string();
        if flags.contains('R') {
            said += &format!("read 255: {}\n", opened.read(255).unwrap().len());
        }
        for text in texts {
            said += &format!("write {}: ", text.len());
            said += &match opened.write(Author::current(), text.as_bytes()) {
                Ok(count) => format!("{count}\n"),
                Err(error) => format!("-1 {error:?}\n"),
            };
        }
        said + "close: 0\n"
    }
}

fn error(error: Errno) -> String {
    format!("! {}", error.raw_os_error())
}

/// What a filter makes of a text.
fn filter(command: &[&str], text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<&str> = match command {
        ["head", count] => lines.into_iter().take(number(count)).collect(),
        ["tail", count] => lines[lines.len().saturating_sub(number(count))..].to_vec(),
        ["grep", pattern] => lines.into_iter().filter(|line| fits(pattern, line)).collect(),
        ["grep", "-v", pattern] => lines.into_iter().filter(|line| !fits(pattern, line)).collect(),
        ["grep", "-m2", "-v", pattern] => {
            lines.into_iter().filter(|line| !fits(pattern, line)).take(2).collect()
        }
        ["grep", "-E", patterns] => {
            lines.into_iter().filter(|line| patterns.split('|').any(|pattern| fits(pattern, line))).collect()
        }
        ["grep", "-c", pattern] => {
            return format!("{}\n", lines.into_iter().filter(|line| fits(pattern, line)).count());
        }
        ["tr", "\\n", " "] => return text.replace('\n', " ") + "\n",
        _ => panic!("{command:?} is in a transcript"),
    };
    shown.into_iter().flat_map(|line| [line, "\n"]).collect()
}

/// The number of `-8`.
fn number(option: &str) -> usize {
    option.trim_start_matches('-').parse().unwrap()
}

/// Whether a line has a text; at its start, where a `^` is before that.
fn fits(pattern: &str, line: &str) -> bool {
    let plain = pattern.trim_start_matches('^').replace('\\', "");
    if pattern.starts_with('^') { line.starts_with(&plain) } else { line.contains(&plain) || plain == "." }
}

/// The parts of a line between separators that are not quoted.
fn split(line: &str, separator: &str) -> Vec<String> {
    let (mut parts, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (index, sign) in line.char_indices() {
        is_quoted ^= sign == '\'';
        if !is_quoted && line[index..].starts_with(separator) {
            parts.push(line[start..index].to_string());
            start = index + separator.len();
        }
    }
    parts.push(line[start..].to_string());
    parts
}

/// The words of a command. In `$'...'` some signs stand for others.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted, mut is_special) = (Vec::new(), None::<String>, false, false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '$' if !is_quoted && signs.peek() == Some(&'\'') => is_special = true,
            '\'' => {
                is_special &= !is_quoted;
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            '\\' if is_quoted && is_special => {
                let sign = match signs.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                };
                word.get_or_insert_default().push(sign);
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}
