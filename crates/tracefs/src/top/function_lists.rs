//! `set_ftrace_filter` and `set_ftrace_notrace`: which functions are traced, and which are not. For the
//! tracer `function_graph` `set_graph_function` and `set_graph_notrace`: where it begins, and what it hides.

use crate::control_file::{Change, ControlFile, Opened, is_truncating};
use crate::errno::errno;
use crate::listed::Listed;
use crate::text_part::text_part;
use crate::token;
use crate::top::function_list_text::{KnownFunctions, show_commands, show_list};
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{
    Author, CommandText, Error, FunctionFilter, FunctionList, FunctionRule, TraceableFunction, parse_integer,
};
use std::sync::Arc;

/// Reads the functions of programs that have run, and after them what was written and fits none of those. A
/// write takes one word: a name, a pattern, a line number of `available_filter_functions`, any of them with
/// `!` before it to take functions out, and with `:mod:OBJECT` after it for those of one file, the program or
/// a library. A word that goes on in the next write ends there, or when the file is closed. `O_TRUNC` starts
/// a new list.
///
/// `set_ftrace_filter` takes commands, too: `FUNC:traceoff:3`, with `!` to remove one. ENODEV where there is
/// none of this kind, ERANGE for a count from 2^48 on, ENOMEM for more commands than a session has space for,
/// and without memory for a snapshot.
///
/// The lists for `function_graph` take names and patterns only, and EINVAL is the answer to a `!` that takes
/// nothing out.
///
/// Unlike the kernel's, a list stays one of patterns: it holds for programs that start later, too. So a
/// pattern that fits no function is refused (EINVAL) only if there are functions, and it names no object that
/// no program has had.
///
/// Source: `ftrace_regex_write`, `ftrace_process_regex`, `ftrace_graph_set_hash` in `kernel/trace/ftrace.c`
/// of Linux 6.18.
#[derive(Debug, Clone, Copy)]
struct FunctionListFile(FunctionFilter);

pub(super) const FILTER: Listed = Listed {
    name: "set_ftrace_filter",
    help: "the functions that are traced: names, or patterns with *, ?, [a-z]; !NAME takes one out; \
           and what is done when one is called: FUNC:COMMAND[:COUNT]",
    make: || Arc::new(FunctionListFile(FunctionFilter::Only)),
};

pub(super) const NOTRACE: Listed = Listed {
    name: "set_ftrace_notrace",
    help: "the functions that are not traced, whatever set_ftrace_filter says",
    make: || Arc::new(FunctionListFile(FunctionFilter::Never)),
};

pub(super) const GRAPH_FUNCTION: Listed = Listed {
    name: "set_graph_function",
    help: "the functions that function_graph traces, with all that they call: names or patterns",
    make: || Arc::new(FunctionListFile(FunctionFilter::GraphRoots)),
};

pub(super) const GRAPH_NOTRACE: Listed = Listed {
    name: "set_graph_notrace",
    help: "the functions that function_graph leaves out, with all that they call",
    make: || Arc::new(FunctionListFile(FunctionFilter::GraphHidden)),
};

/// A word that is taken and does nothing.
const MEANS_NONE: &str = ":mod:";

/// The most bytes of a word: names of C++ and Rust are long.
const MOST: usize = 4095;

impl ControlFile for FunctionListFile {
    fn takes_away(&self, change: Change<'_>) -> bool {
        // Whoever opens it to write will: then a list that is to be new is that of the right instance.
        matches!(change, Change::Opened(_))
    }

    fn open(&self, array: &TraceArray, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let is_new = is_truncating(flags);
        let (word, known) = (Vec::new(), Arc::default());
        Ok(Box::new(OpenList { filter: self.0, array: array.clone(), is_new, word, known, text: None }))
    }
}

/// The open file.
struct OpenList {
    filter: FunctionFilter,
    array: TraceArray,
    /// Whether what is written starts a new list: then the old one holds until that has something in it, so
    /// that meanwhile not all functions are traced.
    is_new: bool,
    /// A word that may go on.
    word: Vec<u8>,
    /// The functions that there were when one was last written that was not among them.
    known: Arc<KnownFunctions>,
    text: Option<String>,
}

impl OpenList {
    fn show(&self) -> String {
        let lists = self.array.instance().function_lists();
        let functions = KnownFunctions::of(&self.array);
        let commands = match self.filter {
            FunctionFilter::Only => show_commands(&self.array, &lists, &functions),
            _ => String::new(),
        };
        show_list(self.filter, lists.list(self.filter), &functions) + &commands
    }

    /// Does what the word says that is whole now.
    fn end_word(&mut self) -> Result<(), Errno> {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return Ok(());
        }
        let word = std::str::from_utf8(&word).map_err(|_| Errno::INVAL)?;
        // Whoever writes many names doesn't wait for reading all files for each.
        if !self.known.have_name(word) {
            self.known = Arc::new(KnownFunctions::of(&self.array));
        }
        let functions = &*self.known.clone();
        let (word, adds) = word.strip_prefix('!').map_or((word, true), |word| (word, false));
        if self.filter.is_graph() {
            return self.end_graph_word(word, adds, functions);
        }
        if let Some(command) = CommandText::parse(word) {
            return self.end_command(&command.map_err(errno)?, adds, functions);
        }
        if word == MEANS_NONE {
            return Ok(());
        }
        let rule = rule(word, &functions.all)?;
        let is_unknown = functions.are_of_its_objects(&rule) && !functions.have(&rule);
        if is_unknown && (adds || !self.has(&rule)) && !self.names_unbuilt(&rule) {
            return Err(Errno::INVAL);
        }
        self.change(|list| if adds { list.add(&rule) } else { list.remove(&rule) })
    }

    /// Does what a word says that is for `function_graph`.
    fn end_graph_word(&mut self, word: &str, adds: bool, functions: &KnownFunctions) -> Result<(), Errno> {
        let rule: FunctionRule = word.parse().map_err(|_| Errno::INVAL)?;
        let is_pattern = rule.object.is_none() && rule.pattern == word && parse_integer(word).is_err();
        let before = match self.is_new {
            true => FunctionList::default(),
            false => self.array.instance().function_lists().list(self.filter).clone(),
        };
        let fitting = || functions.all.iter().filter(|function| function.fits(&rule));
        let is_in = || fitting().any(|function| function.is_in(&before));
        let is_meant = match adds {
            true => functions.all.is_empty() || functions.have(&rule) || self.names_unbuilt(&rule),
            false => is_in() || before.added().any(|added| *added == rule),
        };
        if !is_pattern || !is_meant {
            return Err(Errno::INVAL);
        }
        self.change(|list| if adds { list.add(&rule) } else { list.remove(&rule) })
    }

    /// Does what a word with a command says. What the list was stays: to open the file removes no command.
    fn end_command(
        &self,
        command: &CommandText,
        adds: bool,
        functions: &KnownFunctions,
    ) -> Result<(), Errno> {
        let rule = command.functions();
        let is_unknown = functions.are_of_its_objects(rule) && !functions.have(rule);
        let is_refused = adds && is_unknown && !self.names_unbuilt(rule);
        if self.filter == FunctionFilter::Never || is_refused {
            return Err(Errno::INVAL);
        }
        let instance = self.array.instance();
        let done = if adds { instance.add_command(command) } else { instance.remove_command(command) };
        done.map_err(|error| match error {
            Error::TriggerExists { .. } => Errno::INVAL,
            error => errno(error),
        })
    }

    /// Whether a rule names functions of files whose compiler has left no sites.
    fn names_unbuilt(&self, rule: &FunctionRule) -> bool {
        !self.array.instance().session().unbuilt_named(rule).is_empty()
    }

    /// Whether a rule is in the list as it was written.
    fn has(&self, rule: &FunctionRule) -> bool {
        self.array.instance().function_lists().list(self.filter).added().any(|added| added == rule)
    }

    fn change(&mut self, change: impl FnOnce(&mut FunctionList)) -> Result<(), Errno> {
        let is_new = std::mem::take(&mut self.is_new);
        let filter = self.filter;
        let changed = self.array.instance().change_functions(|lists| {
            let list = lists.list_mut(filter);
            if is_new {
                *list = FunctionList::default();
            }
            change(list);
        });
        changed.map_err(errno)
    }
}

impl Opened for OpenList {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let kept = self.text.take().filter(|_| offset > 0);
        let text = kept.unwrap_or_else(|| self.show());
        let part = text_part(text.as_bytes(), offset, len);
        self.text = Some(text);
        Ok(Some(part))
    }

    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let (word, taken) = token::first(bytes, MOST)?;
        let ends_before = bytes.first().is_some_and(|byte| token::is_blank(*byte));
        if ends_before {
            self.end_word()?;
        }
        if let Some(word) = word {
            if self.word.len() + word.len() > MOST {
                self.word.clear();
                return Err(Errno::INVAL);
            }
            self.word.extend_from_slice(word);
            if bytes.get(taken - 1).is_some_and(|last| token::is_blank(*last) || *last == 0) {
                self.end_word()?;
            }
        }
        Ok(taken)
    }
}

/// When the file is closed: what can't be done then is not done, as nobody is told of it.
impl Drop for OpenList {
    fn drop(&mut self) {
        let _ = self.end_word();
        if self.is_new {
            let _ = self.change(|_| ());
        }
    }
}

/// What a word means: a number is the line of `available_filter_functions`.
fn rule(word: &str, functions: &[TraceableFunction]) -> Result<FunctionRule, Errno> {
    if let Ok(number) = parse_integer(word) {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let function = index.and_then(|index| functions.get(index)).ok_or(Errno::INVAL)?;
        // The name in the file: others may share that in the source.
        let symbol = function.names.first().map(|name| name.symbol.clone());
        return symbol.unwrap_or_else(|| function.name()).parse().map_err(|_| Errno::INVAL);
    }
    match word.parse() {
        // As the kernel answers.
        Err(_) if word.ends_with(":mod") => Err(Errno::NOMEM),
        parsed => parsed.map_err(|_| Errno::INVAL),
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    const FILTER: &str = "set_ftrace_filter";
    const NONE: &str = "#### all functions enabled ####\n";

    #[test]
    fn patterns_wait_for_programs() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, FILTER), NONE);
        assert_eq!(read(&tree, "set_ftrace_notrace"), "#### no functions disabled ####\n");
        write(&tree, FILTER, "vfs_read vfs_w*:mod:shop\n").unwrap();
        assert_eq!(read(&tree, FILTER), "vfs_read\nvfs_w*:mod:shop\n");
        let mut file = tree.open(FILTER, OFlags::WRONLY | OFlags::APPEND).unwrap();
        file.write_all(Author::current(), b"!vfs_read\n").unwrap();
        assert_eq!(read(&tree, FILTER), "vfs_w*:mod:shop\n");
        write(&tree, FILTER, "").unwrap();
        assert_eq!(read(&tree, FILTER), NONE);
    }

    #[test]
    fn the_lists_of_the_graph_take_names_and_patterns() {
        let (_directory, tree) = tree();
        let append = |file: &str, text: &str| {
            let mut file = tree.open(file, OFlags::WRONLY | OFlags::APPEND).unwrap();
            file.write_all(Author::current(), text.as_bytes())
        };
        for (file, none) in
            [("set_graph_function", NONE), ("set_graph_notrace", "#### no functions disabled ####\n")]
        {
            assert_eq!(read(&tree, file), none);
            write(&tree, file, "vfs_read vfs_w* vfs_open\n").unwrap();
            append(file, "!vfs_w*\n").unwrap();
            assert_eq!(read(&tree, file), "vfs_read\nvfs_open\n");
            for word in ["!vfs_w*", "vfs_read:traceoff", "vfs_*:mod:shop", ":mod:shop", "vfs_x:mod:", "1"] {
                assert_eq!(append(file, &format!("{word}\n")), Err(Errno::INVAL), "{word}");
            }
            assert_eq!(read(&tree, file), "vfs_read\nvfs_open\n");
            assert_eq!(write(&tree, file, "!vfs_read\n"), Err(Errno::INVAL), "of an empty list");
            assert_eq!(read(&tree, file), none);
        }
        assert_eq!(read(&tree, FILTER), NONE);
    }

    #[test]
    fn words_may_go_on_in_the_next_write() {
        let (_directory, tree) = tree();
        let author = Author::current();
        let flags = OFlags::WRONLY | OFlags::TRUNC;
        let mut file = tree.open(FILTER, flags).unwrap();
        assert_eq!(file.write(author, b"vfs_read vfs_write\n"), Ok(9), "one word");
        drop(file);
        assert_eq!(read(&tree, FILTER), "vfs_read\n");
        let mut file = tree.open(FILTER, flags).unwrap();
        assert_eq!(read(&tree, FILTER), "vfs_read\n", "until there is a new list");
        assert_eq!((file.write(author, b"vfs_"), file.write(author, b"open\n")), (Ok(4), Ok(5)));
        assert_eq!(read(&tree, FILTER), "vfs_open\n");
        let mut file = tree.open(FILTER, flags).unwrap();
        assert_eq!((file.write(author, b"vfs_close"), file.write(author, b" ")), (Ok(9), Ok(1)));
        assert_eq!(read(&tree, FILTER), "vfs_close\n");
        let mut file = tree.open(FILTER, flags).unwrap();
        file.write(author, b"vfs_last").unwrap();
        drop(file);
        assert_eq!(read(&tree, FILTER), "vfs_last\n", "ends with the file");
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        let (_directory, tree) = tree();
        for text in ["1", "0", "f:nosuchcommand", "f:", ":traceoff", "f:cpudump", "f:traceoff:x"] {
            assert_eq!(write(&tree, FILTER, &format!("{text}\n")), Err(Errno::INVAL), "{text}");
        }
        assert_eq!(write(&tree, "set_ftrace_notrace", "f:traceoff\n"), Err(Errno::INVAL));
    }
}
