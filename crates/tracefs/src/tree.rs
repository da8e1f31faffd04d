//! The tree: names, directories, and what may be done with them.

use crate::catalog::Catalog;
use crate::errno::errno;
use crate::file::File;
use crate::handle::Handle;
use crate::placed::Placed;
use crate::{beside, cpu, event, instances, listed, options, sub_buffers, top};
use reading::{Contents, Formats, Reader};
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Instance, Marker};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use trace_data::event::EventTable;

/// The longest name of an entry.
pub(crate) const LONGEST_NAME: usize = 255;

/// The control tree of a session. A clone is the same tree.
#[derive(Clone)]
pub struct Tree {
    shared: Arc<Shared>,
    root: Directory,
}

struct Shared {
    session: Arc<Instance>,
    /// Whether it has what there is once for all instances.
    is_top: bool,
    reader: Mutex<Reader>,
    marker: OnceLock<Marker>,
    catalog: Mutex<Arc<Catalog>>,
    /// Shared by all instances of a session.
    formats: Arc<Mutex<Formats>>,
    instances: Mutex<HashMap<String, Tree>>,
    /// How many files are open that stop recording.
    pauses: Mutex<u32>,
}

/// Something in the tree.
pub enum Node {
    /// A directory.
    Directory(Directory),
    /// A file.
    File(Box<dyn File>),
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directory {
    /// The tree itself.
    Top,
    /// What [`Tree::beside`] has.
    Beside,
    /// `events`.
    Events,
    /// `events/SYSTEM`.
    System(String),
    /// `events/SYSTEM/EVENT`.
    Event(event::Name),
    /// `options`.
    Options,
    /// `per_cpu`.
    Cpus,
    /// `per_cpu/cpuN`.
    Cpu(u32),
    /// `instances`.
    Instances,
    /// `sub_buffers`.
    SubBuffers,
    /// A directory of an instance's tree.
    Of(String, Box<Directory>),
}

impl Directory {
    /// Its mode, as the kernel has it.
    pub fn mode(&self) -> u32 {
        match self {
            Directory::Top => 0o700,
            Directory::Events | Directory::System(_) | Directory::Event(_) | Directory::Beside => 0o755,
            Directory::Options | Directory::Cpus | Directory::Cpu(_) => 0o750,
            Directory::Instances | Directory::SubBuffers => 0o750,
            Directory::Of(_, inner) if **inner == Directory::Top => 0o750,
            Directory::Of(_, inner) => inner.mode(),
        }
    }

    /// The names in it, sorted.
    pub fn names(&self, tree: &Tree) -> Vec<String> {
        let mut names = match self {
            Directory::Top => top::names(tree),
            Directory::Beside => listed::names(beside::FILES),
            Directory::Events => event::names(tree),
            Directory::System(system) => event::names_of_system(tree, system),
            Directory::Event(name) => event::names_of_event(name),
            Directory::Options => options::names(tree),
            Directory::Cpus => cpu::names(tree),
            Directory::Cpu(_) => cpu::names_of_cpu(),
            Directory::Instances => instances::names(tree),
            Directory::SubBuffers => sub_buffers::names(tree),
            // One that has gone meanwhile has nothing.
            Directory::Of(name, inner) => tree.instance(name).map_or(Vec::new(), |tree| inner.names(&tree)),
        };
        names.sort();
        names
    }

    /// What it has of this name.
    pub(crate) fn entry(&self, tree: &Tree, name: &str) -> Option<Node> {
        match self {
            Directory::Top => top::entry(tree, name),
            Directory::Beside => listed::entry(beside::FILES, name),
            Directory::Events => event::entry(tree, name),
            Directory::System(system) => event::entry_of_system(tree, system, name),
            Directory::Event(event) => event::entry_of_event(event, name),
            Directory::Options => options::entry(tree, name),
            Directory::Cpus => cpu::entry(tree, name),
            Directory::Cpu(cpu) => cpu::entry_of_cpu(*cpu, name),
            Directory::Instances => instances::entry(tree, name),
            Directory::SubBuffers => sub_buffers::entry(tree, name),
            Directory::Of(instance, inner) => instances::entry_of(tree, instance, inner, name),
        }
    }
}

impl Tree {
    /// The tree of `session`, which is the recording: its top level shows that until something is written
    /// there, and is an instance of its own from then on.
    pub fn new(session: Instance) -> Tree {
        Tree::with(session, true, Arc::default())
    }

    /// The tree of an instance, as it is in `instances`.
    pub fn of_instance(session: Instance) -> Tree {
        Tree::with(session, false, Arc::default())
    }

    /// The tree of another instance of the same session: one that is in `instances`, or the top level's own.
    pub(crate) fn of_same(&self, session: Instance, is_top: bool) -> Tree {
        Tree::with(session, is_top, self.shared.formats.clone())
    }

    fn with(session: Instance, is_top: bool, formats: Arc<Mutex<Formats>>) -> Tree {
        let session = Arc::new(session);
        let reader = Mutex::new(Reader::new(session.clone()));
        Tree {
            root: Directory::Top,
            shared: Arc::new(Shared {
                session,
                is_top,
                reader,
                marker: OnceLock::new(),
                catalog: Mutex::default(),
                formats,
                instances: Mutex::default(),
                pauses: Mutex::default(),
            }),
        }
    }

    /// Files that are not in the kernel's tracefs but belong to it: where clients expect them, each is to be
    /// laid over the kernel's. `kallsyms`, with the addresses that are in this tree's events;
    /// `ftrace_enabled` and `kptr_restrict`, of `/proc/sys/kernel`.
    pub fn beside(&self) -> Tree {
        Tree { root: Directory::Beside, ..self.clone() }
    }

    /// The session.
    pub fn session(&self) -> &Instance {
        &self.shared.session
    }

    /// What is at `path`: names with slashes between. Slashes more than needed are as none.
    ///
    /// # Errors
    ///
    /// ENOENT, ENOTDIR, and ENAMETOOLONG for a name of more than 255 bytes.
    pub fn find(&self, path: &str) -> Result<Node, Errno> {
        let mut node = Node::Directory(self.root.clone());
        for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
            let Node::Directory(directory) = &node else { return Err(Errno::NOTDIR) };
            if name.len() > LONGEST_NAME {
                return Err(Errno::NAMETOOLONG);
            }
            node = match (directory.entry(self, name).ok_or(Errno::NOENT)?, directory) {
                (Node::File(file), directory) if !matches!(directory, Directory::Of(..)) => {
                    Node::File(self.file(file))
                }
                (node, _) => node,
            };
        }
        if path.ends_with('/') && matches!(node, Node::File(_)) {
            return Err(Errno::NOTDIR);
        }
        Ok(node)
    }

    /// A file of this tree, whatever tree it is opened with.
    fn file(&self, file: Box<dyn File>) -> Box<dyn File> {
        Box::new(Placed { tree: self.clone(), file: file.into() })
    }

    /// open(2) of a file, with the flags that it has there.
    ///
    /// # Errors
    ///
    /// Those of [`Tree::find`], but EACCES where `O_CREAT` asks for a name that doesn't exist; EEXIST where
    /// `O_EXCL` forbids that there is; EISDIR for a directory, and ENOTDIR for a file that should be one;
    /// EBUSY for a pipe that somebody else reads.
    pub fn open(&self, path: &str, flags: OFlags) -> Result<Handle, Errno> {
        let creates = flags.contains(OFlags::CREATE);
        if creates && path.ends_with('/') {
            return Err(Errno::ISDIR);
        }
        let found = match self.find(path) {
            Err(Errno::NOENT) if creates && self.find(parent(path)).is_ok() => return Err(Errno::ACCESS),
            found => found?,
        };
        if creates && flags.contains(OFlags::EXCL) {
            return Err(Errno::EXIST);
        }
        let Node::File(file) = found else { return Err(Errno::ISDIR) };
        if flags.contains(OFlags::DIRECTORY) {
            return Err(Errno::NOTDIR);
        }
        file.handle(self, flags)
    }

    /// mkdir(2): in `instances`, that makes one.
    ///
    /// # Errors
    ///
    /// EPERM elsewhere, EEXIST, ENOMEM for more instances than the session has space for, EINVAL for a name
    /// that none can have, or those of [`Tree::find`] for the directory that it would be in.
    pub fn make_directory(&self, path: &str) -> Result<(), Errno> {
        if let Some(name) = instances::name_in("instances", path).filter(|_| self.is_top()) {
            return self.make_instance(name);
        }
        match self.find(path.trim_end_matches('/')) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => self.find(parent(path)).and(Err(Errno::PERM)),
            Err(error) => Err(error),
        }
    }

    /// rmdir(2): of an instance, that removes it.
    ///
    /// # Errors
    ///
    /// EPERM elsewhere, EBUSY while one of its files is open in any process, but for `format`, `id`,
    /// `trigger` and `options`, and always for `flight`; ENOTDIR for a file, or those of [`Tree::find`].
    pub fn remove_directory(&self, path: &str) -> Result<(), Errno> {
        let named =
            ["instances", "sub_buffers"].into_iter().find_map(|names| instances::name_in(names, path));
        if let Some(name) = named.filter(|_| self.is_top() && !matches!(self.find(path), Ok(Node::File(_)))) {
            return self.remove_instance(name);
        }
        match self.find(path)? {
            Node::Directory(_) => Err(Errno::PERM),
            Node::File(_) => Err(Errno::NOTDIR),
        }
    }

    /// unlink(2): no file can be removed.
    ///
    /// # Errors
    ///
    /// EPERM, EISDIR for a directory, or those of [`Tree::find`].
    pub fn remove_file(&self, path: &str) -> Result<(), Errno> {
        match self.find(path)? {
            Node::Directory(_) => Err(Errno::ISDIR),
            Node::File(_) => Err(Errno::PERM),
        }
    }

    /// The trees of instances that somebody has looked at.
    pub(crate) fn known_instances(&self) -> MutexGuard<'_, HashMap<String, Tree>> {
        self.shared.instances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is no instance's: it has what there is once for all.
    pub(crate) fn is_top(&self) -> bool {
        self.shared.is_top && self.root == Directory::Top
    }

    /// How many files are open that stop recording.
    pub(crate) fn pauses(&self) -> MutexGuard<'_, u32> {
        self.shared.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who reads events. Nobody keeps it for long.
    pub(crate) fn reader(&self) -> MutexGuard<'_, Reader> {
        // What a panic of another thread may have left half done is a queue of events: still a queue.
        self.shared.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the buffers, or the newest snapshot: None where there is none. It is not dropped meanwhile.
    pub(crate) fn read<R>(
        &self,
        is_snapshot: bool,
        read: impl FnOnce(&mut Reader, Contents<'_>) -> R,
    ) -> Result<Option<R>, Errno> {
        if !is_snapshot {
            return Ok(Some(read(&mut self.reader(), Contents::Live)));
        }
        let Some(newest) = self.session().snapshots().pop() else { return Ok(None) };
        let holder = self.session().holder().map_err(|error| errno(&error))?;
        Ok(holder.hold(newest).map(|held| read(&mut self.reader(), Contents::Snapshot(&held))))
    }

    /// The names of the events.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Catalog::update(&mut self.shared.catalog.lock().unwrap_or_else(PoisonError::into_inner), self)
    }

    /// The events, ready to be printed.
    pub(crate) fn formats(&self) -> Arc<EventTable> {
        self.shared.formats.lock().unwrap_or_else(PoisonError::into_inner).of(self.session())
    }

    /// Who writes markers; made when it is needed first.
    pub(crate) fn marker(&self) -> Result<&Marker, Errno> {
        if let Some(marker) = self.shared.marker.get() {
            return Ok(marker);
        }
        let made = Marker::new(self.shared.session.clone()).map_err(|error| errno(&error))?;
        Ok(self.shared.marker.get_or_init(|| made))
    }
}

/// The directory that a path is in.
fn parent(path: &str) -> &str {
    path.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent)
}
