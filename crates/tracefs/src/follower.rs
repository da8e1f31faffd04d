//! The top level: the recording's, until something is to be taken away from that.
//!
//! A client of the kernel's tree takes it for its own: it clears `trace`, disables all events and stops
//! recording before it starts. What is recorded all the time must outlast that. So the top level shows the
//! recording, and what is enabled or set there holds for it, up to the first change that would take
//! something away ([`ControlFile::takes_away`]). That gives the top level an instance of its own, for good
//! and for all readers, with the same settings. The recording is `instances/flight` all the while.

use crate::control_file::{Change, ControlFile, Opened};
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::sync::Arc;

/// A file of the top level that is open where that shows the recording: what is written to it goes where the
/// top level is then, and pipes are read there.
pub(crate) struct Follower {
    array: TraceArray,
    file: Arc<dyn ControlFile>,
    flags: OFlags,
}

impl Follower {
    /// Opens a file of the top level. With a follower unless that has an instance of its own.
    pub(crate) fn open(
        array: &TraceArray,
        file: &Arc<dyn ControlFile>,
        flags: OFlags,
    ) -> Result<(Box<dyn Opened>, Option<Follower>), Errno> {
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
        let shown = match writes && file.takes_away(Change::Opened(flags)) {
            true => array.own_top()?,
            false => array.shown_at_top(),
        };
        let follows = shown.instance().index() == 0;
        let follower = follows.then(|| Follower { array: array.clone(), file: file.clone(), flags });
        Ok((file.open(&shown, flags)?, follower))
    }

    /// Whether the top level has an instance of its own by now.
    pub(crate) fn has_moved(&self) -> bool {
        self.array.instance().session().has_top()
    }

    /// The file as it is to be used from now on: opened again where the top level has an instance of its own,
    /// or gets one because of what is to be written.
    pub(crate) fn follow(&self, bytes: &[u8]) -> Result<Option<Box<dyn Opened>>, Errno> {
        if !self.has_moved() && !self.file.takes_away(Change::Written(bytes)) {
            return Ok(None);
        }
        let own = self.array.own_top()?;
        self.file.open(&own, self.flags.difference(OFlags::TRUNC)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, tree_for, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Author, Instance};

    fn tree() -> (tempfile::TempDir, Tree) {
        let (directory, tree) = tree_for(1, 2);
        write(&tree, "instances/flight/events/enable", "1").unwrap();
        (directory, tree)
    }

    #[test]
    fn it_shows_the_recording_until_something_is_to_be_taken_away() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "always on").unwrap();
        for (path, value) in [
            ("README", ""),
            ("events/enable", "1"),
            ("buffer_percent", "10"),
            ("options/irq-info", "0"),
            ("tracing_on", "0"),
            ("tracing_on", "1"),
            ("snapshot", "1"),
            ("error_log", ""),
        ] {
            let written = write(&tree, path, value);
            assert!(
                (written.is_ok() || path == "README") && !tree.instance().session().has_top(),
                "{path}: {written:?}"
            );
        }
        assert!(read(&tree, "snapshot").ends_with(": always on\n"));
        assert_eq!(read(&tree, "instances/flight/options/irq-info"), "0\n");
        write(&tree, "trace_marker", "still").unwrap();
        assert!(read(&tree, "trace").ends_with(": still\n"));
        write(&tree, "events/libc/open/enable", "0").unwrap();
        assert!(tree.instance().session().has_top() && read(&tree, "trace").ends_with(": still\n"));
        let files = ["events/libc/open/enable", "events/enable", "options/irq-info", "buffer_percent"];
        assert_eq!(files.map(|file| read(&tree, file)), ["0\n", "X\n", "0\n", "10\n"], "what was set stays");
        assert!(read(&tree, "instances/flight/trace").ends_with(": still\n"));
        assert_eq!(read(&tree, "instances/flight/events/enable"), "1\n");
        let other = Tree::new(Instance::open(tree.instance().path()).unwrap());
        assert_eq!(read(&other, "events/libc/open/enable"), "0\n", "for whoever looks");
    }

    #[test]
    fn what_was_recorded_is_shown_until_it_is_cleared() {
        let (_directory, tree) = tree();
        let shown = || {
            let text = read(&tree, "trace");
            let counted = text.lines().find(|line| line.starts_with("# entries")).unwrap_or_default();
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            let texts = lines.map(|line| line.rsplit(": ").next().unwrap_or_default().to_string());
            (texts.collect::<Vec<_>>(), counted.split_whitespace().nth(2).map(str::to_string))
        };
        let expect = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
            let counted = format!("{0}/{0}", texts.len());
            assert_eq!(shown(), (texts, Some(counted)));
        };
        let mark = |path: &str, text: &str| write(&tree, path, text).unwrap();
        mark("trace_marker", "before");
        write(&tree, "events/libc/open/enable", "0").unwrap();
        assert!(tree.instance().session().has_top());
        mark("trace_marker", "after");
        mark("instances/flight/trace_marker", "not its own");
        expect(&["before", "after"]);
        let cpus = tree.instance().buffer().geometry().cpus;
        let of_cpus = (0..cpus).map(|cpu| read(&tree, &format!("per_cpu/cpu{cpu}/trace")));
        assert_eq!(of_cpus.map(|text| text.matches("before").count()).sum::<usize>(), 1);
        write(&tree, "trace", "").unwrap();
        mark("trace_marker", "new");
        expect(&["new"]);
        let recording = read(&tree, "instances/flight/trace");
        assert!(recording.contains(": before\n") && recording.ends_with(": not its own\n"), "{recording}");
    }

    #[test]
    fn what_empties_the_buffer_takes_that_away() {
        for (path, value) in
            [("trace", ""), ("per_cpu/cpu0/trace", ""), ("trace_clock", "boot"), ("buffer_size_kb", "8")]
        {
            let (_directory, tree) = tree();
            write(&tree, "trace_marker", "before").unwrap();
            write(&tree, "events/libc/open/enable", "0").unwrap();
            assert!(read(&tree, "trace").contains(": before"));
            write(&tree, path, value).unwrap();
            assert!(!read(&tree, "trace").contains(": before"), "{path}");
        }
    }

    #[test]
    fn a_file_that_is_open_follows() {
        let (_directory, tree) = tree();
        let mut switch = tree.open("tracing_on", OFlags::RDWR).unwrap();
        switch.write(Author::current(), b"0").unwrap();
        let state = |path: &str| read(&tree, &format!("{path}tracing_on"));
        assert_eq!((state(""), state("instances/flight/")), ("0\n".into(), "0\n".into()), "it is shown");
        write(&tree, "trace", "").unwrap();
        assert_eq!((state(""), state("instances/flight/")), ("0\n".into(), "1\n".into()), "it goes on");
        switch.write(Author::current(), b"1").unwrap();
        assert_eq!((state(""), state("instances/flight/")), ("1\n".into(), "1\n".into()));
        write(&tree, "instances/flight/tracing_on", "0").unwrap();
        switch.write(Author::current(), b"0").unwrap();
        switch.write(Author::current(), b"1").unwrap();
        assert_eq!(state("instances/flight/"), "0\n", "stopped by its own file");
    }

    #[test]
    fn a_pipe_that_is_open_follows() {
        let (_directory, tree) = tree();
        let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        write(&tree, "trace_marker", "one").unwrap();
        assert!(String::from_utf8(pipe.read(4096).unwrap()).unwrap().ends_with(": one\n"));
        assert!(!pipe.is_unblocked());
        write(&tree, "trace", "").unwrap();
        assert!(pipe.is_unblocked() && pipe.is_readable(), "to look again");
        assert_eq!(pipe.read(4096), Err(Errno::AGAIN));
        write(&tree, "instances/flight/trace_marker", "not shown").unwrap();
        assert!(!pipe.is_unblocked());
        write(&tree, "trace_marker", "two").unwrap();
        assert!(String::from_utf8(pipe.read(4096).unwrap()).unwrap().ends_with(": two\n"));
        assert_eq!(pipe.read(4096), Err(Errno::AGAIN));
        assert_eq!(tree.open("trace_pipe", OFlags::RDONLY).map(drop), Err(Errno::BUSY));
        drop(tree.open("instances/flight/trace_pipe", OFlags::RDONLY).unwrap());
    }

    #[test]
    fn the_recording_outlasts_what_a_client_begins_with() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "before").unwrap();
        let settings = |tree: &Tree, path: &str| {
            let files = ["tracing_on", "current_tracer", "trace_clock", "set_event", "buffer_size_kb"];
            files.map(|file| read(tree, &format!("{path}{file}")))
        };
        let before = settings(&tree, "instances/flight/");
        for (path, value) in [
            ("tracing_on", "0"),
            ("current_tracer", "nop"),
            ("events/enable", "0"),
            ("events/libc/open/filter", "0"),
            ("events/libc/filter", "0"),
            ("set_event", ""),
            ("trace", ""),
            ("per_cpu/cpu0/trace", ""),
            ("trace_clock", "boot"),
            ("buffer_size_kb", "8"),
            ("snapshot", "0"),
            ("tracing_cpumask", "1"),
            ("options/overwrite", "0"),
            ("error_log", ""),
        ] {
            write(&tree, path, value).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        drop(tree.open("free_buffer", OFlags::WRONLY).unwrap());
        assert_eq!(settings(&tree, "instances/flight/"), before);
        assert!(read(&tree, "trace_clock").contains("[boot]"));
        write(&tree, "instances/flight/trace_marker", "after").unwrap();
        let text = read(&tree, "instances/flight/trace");
        assert!(text.contains(": before\n") && text.ends_with(": after\n"), "{text}");
    }

    #[test]
    fn the_recording_does_what_its_own_files_say() {
        let (_directory, tree) = tree();
        write(&tree, "instances/flight/trace_marker", "one").unwrap();
        assert!(!tree.instance().session().has_top());
        assert_eq!(tree.remove_directory("instances/flight"), Err(Errno::BUSY));
        assert_eq!(tree.make_directory("instances/flight"), Err(Errno::EXIST));
        write(&tree, "instances/flight/trace", "").unwrap();
        write(&tree, "instances/flight/events/enable", "0").unwrap();
        write(&tree, "instances/flight/tracing_on", "0").unwrap();
        assert!(read(&tree, "set_event").is_empty() && !read(&tree, "trace").contains("one"));
        assert_eq!(write(&tree, "trace_marker", "x"), Err(Errno::BADF), "it is shown still, and stopped");
        assert_eq!(tree.open("instances/flight/README", OFlags::RDONLY).map(drop), Err(Errno::NOENT));
    }

    #[test]
    fn a_session_without_space_has_one_level() {
        let (_directory, tree) = crate::top::tests::tree();
        write(&tree, "tracing_on", "0").unwrap();
        assert_eq!(read(&tree, "instances/flight/tracing_on"), "0\n");
    }
}
