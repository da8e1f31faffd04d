//! The top level: the recording's, until something is written there.
//!
//! A client of the kernel's tree takes it for its own: it clears `trace`, switches all events off and stops
//! recording before it starts. What was recorded all the time must outlast that. So the top level shows the
//! recording as long as it is only read; the first file that is opened there for writing gives it an instance
//! of its own, for good and for all who look. The recording is `instances/flight` all the while.

use crate::file::{File, Opened};
use crate::tree::{Tree, errno};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// A file of the top level.
pub(crate) struct TopLevelFile {
    pub(crate) tree: Tree,
    pub(crate) file: Box<dyn File>,
}

impl TopLevelFile {
    /// Whether opening it so is about to change something of the instance's.
    fn changes(&self, flags: OFlags) -> bool {
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR) && self.file.mode() & 0o222 != 0;
        writes && !self.file.only_adds()
    }
}

impl File for TopLevelFile {
    fn mode(&self) -> u32 {
        self.file.mode()
    }

    fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    fn open(&self, _tree: &Tree, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let tree = if self.changes(flags) { self.tree.own_top()? } else { self.tree.shown_at_top() };
        self.file.open(&tree, flags)
    }
}

/// What the top level's own tree is known as: no instance has this name.
const OWN: &str = "";

impl Tree {
    /// The tree that the top level shows.
    fn shown_at_top(&self) -> Tree {
        if !self.session().has_top() {
            return self.clone();
        }
        self.own_top().unwrap_or_else(|_| self.clone())
    }

    /// The top level's own tree, for which there is an instance from now on. The recording's in a session
    /// without room for instances.
    fn own_top(&self) -> Result<Tree, Errno> {
        let mut known = self.known_instances();
        if let Some(own) = known.get(OWN) {
            return Ok(own.clone());
        }
        let Some(session) = self.session().make_top().map_err(|error| errno(&error))? else {
            return Ok(self.clone());
        };
        let own = self.of_same(session, true);
        known.insert(OWN.to_string(), own.clone());
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Options, Session};

    fn tree() -> (tempfile::TempDir, Tree) {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { buffer_kb: 64, snapshots: 1, instances: 2, ..Options::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let tree = Tree::new(session);
        write(&tree, "instances/flight/events/enable", "1").unwrap();
        (directory, tree)
    }

    #[test]
    fn it_shows_the_recording_until_something_is_written() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "always on").unwrap();
        assert_eq!((read(&tree, "events/enable").as_str(), tree.session().has_top()), ("1\n", false));
        for path in ["trace", "instances/flight/trace", "per_cpu/cpu0/stats"] {
            assert!(!read(&tree, path).is_empty() && !tree.session().has_top());
        }
        assert!(read(&tree, "trace").ends_with(": always on\n"));
        write(&tree, "README", "x").unwrap_err();
        assert!(!tree.session().has_top(), "nothing can be changed there");
        write(&tree, "options/irq-info", "0").unwrap();
        assert!(tree.session().has_top());
        assert!(!read(&tree, "trace").contains("always on"));
        assert_eq!(
            (read(&tree, "set_event").as_str(), read(&tree, "options/irq-info").as_str()),
            ("", "0\n")
        );
        assert!(read(&tree, "instances/flight/trace").ends_with(": always on\n"));
        assert_eq!(read(&tree, "instances/flight/events/enable"), "1\n");
        let other = Tree::new(Session::open(tree.session().path()).unwrap());
        assert_eq!(read(&other, "set_event"), "", "for whoever looks");
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
        assert!(!tree.session().has_top());
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
    fn a_session_without_room_has_one_level() {
        let (_directory, tree) = crate::top::tests::tree();
        write(&tree, "tracing_on", "0").unwrap();
        assert_eq!(read(&tree, "instances/flight/tracing_on"), "0\n");
    }
}
