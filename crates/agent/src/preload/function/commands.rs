//! What is done when a function with a command is called.
//!
//! A site has a bit for each of its commands; the bits are of a table of all commands that functions have in
//! any instance, as they were when the code was last brought up to date.
//!
//! Who has the turn replaces table and bits, while other threads may be at a site. The table's version is odd
//! meanwhile, and another one afterwards: who was called then does nothing. If the lists in the session have
//! changed meanwhile nothing is done at all until the code is brought up to date again.

use super::traced_site::TracedSite;
use super::turn::Turn;
use abi::control::{CounterRef, TriggerHead};
use abi::instance::COMMANDS;
use control::ControlArea;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};
use event_trigger::DueAction;
use function_filter::{CompiledLists, FunctionName};
use trace_event::{Entered, FrameRecord};

/// A command: its instance, and the words that it was compiled with.
struct CommandEntry {
    instance: AtomicU32,
    words: [AtomicU64; 2],
}

static TABLE: [CommandEntry; COMMANDS] =
    [const { CommandEntry { instance: AtomicU32::new(0), words: [const { AtomicU64::new(0) }; 2] } };
        COMMANDS];

/// How many commands the table has.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Odd while it is replaced.
static VERSION: AtomicU32 = AtomicU32::new(0);

/// 1 once functions had commands: a site may be called by others than tracers since then.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Whether functions have commands, or had some.
// Relaxed: set before any site is enabled for a command.
#[inline(always)]
pub(super) fn is_any() -> bool {
    SEEN.load(Relaxed) != 0
}

/// The table while it is replaced, for one who has the turn.
pub(super) struct Replacement<'a> {
    control: &'a ControlArea,
    /// What the lists were when it began.
    versions: u64,
}

impl<'a> Replacement<'a> {
    // AcqRel: what is stored afterwards is seen by nobody who doesn't see this. Relaxed stores of the table
    // and of sites are between this and the Release of `drop`.
    pub(super) fn begin(control: &'a ControlArea, is_off: bool, _turn: &Turn) -> Replacement<'a> {
        // A process may have been copied from one in which it was being replaced.
        if VERSION.load(Relaxed) & 1 == 0 {
            VERSION.fetch_add(1, AcqRel);
        }
        fence(Release);
        let versions = control.function_versions();
        let mut count = 0;
        for instance in control.commanding().filter(|_| !is_off) {
            control.visit_commands(instance, &mut |words| {
                if let Some(command) = TABLE.get(count) {
                    command.instance.store(instance as u32, Relaxed);
                    command.words.iter().zip(words).for_each(|(to, from)| to.store(from, Relaxed));
                    count += 1;
                }
            });
        }
        COUNT.store(count as u32, Relaxed);
        SEEN.fetch_or(u32::from(count > 0), Relaxed);
        Replacement { control, versions }
    }

    /// Whether there are commands.
    pub(super) fn has_any(&self) -> bool {
        COUNT.load(Relaxed) != 0
    }

    /// The bits of the commands of a function: of each kind the oldest one that an instance has given it. One
    /// that was not built to be traced has to be named.
    pub(super) fn bits(&self, name: FunctionName<'_>, object: &[u8], is_built: bool) -> u64 {
        if !self.has_any() {
            return 0;
        }
        let (mut bits, mut next) = (0, 0);
        for instance in self.control.commanding() {
            let Some(words) = self.control.function_words(instance) else { continue };
            let mut kinds = 0_u64;
            let lists = CompiledLists::new(|index| words.get(index));
            let lists = if is_built { lists } else { lists.naming() };
            lists.commands(name, object, &mut |[head, _], is_meant| {
                let head = TriggerHead::decode(head);
                let kind =
                    1_u64.checked_shl(u32::from(head.action) * 2 + u32::from(head.program)).unwrap_or(0);
                if is_meant && kinds & kind == 0 {
                    kinds |= kind;
                    bits |= 1_u64.checked_shl(next).unwrap_or(0);
                }
                next += 1;
            });
        }
        bits
    }
}

impl Drop for Replacement<'_> {
    // Release: pairs with the Acquire of `Commands::of`.
    fn drop(&mut self) {
        if self.control.function_versions() != self.versions {
            COUNT.store(0, Relaxed);
        }
        VERSION.store(VERSION.load(Relaxed).wrapping_add(1), Release);
    }
}

/// The commands that a site has, at a moment.
#[derive(Clone, Copy)]
pub(super) struct Commands {
    version: u32,
    bits: u64,
}

impl Commands {
    /// Those of a site.
    // Acquire: pairs with the Release at the end of a replacement.
    pub(super) fn of(site: &TracedSite) -> Commands {
        let version = VERSION.load(Acquire);
        Commands { version, bits: if version & 1 == 0 { site.commands() } else { 0 } }
    }

    /// Does those that act before the call is recorded, or after it. Stacks begin with what called from
    /// `frame`, which has not returned.
    pub(super) fn act(self, entered: Entered, frame: *const FrameRecord, is_after: bool) {
        let mut left = self.bits;
        while left != 0 {
            if let Some((instance, due)) = self.command(left.trailing_zeros() as usize)
                && due.action.is_after() == is_after
            {
                // SAFETY: the frame is that of who has called, see `called.rs`.
                unsafe { entered.act(instance, due, frame) };
            }
            left &= left - 1;
        }
    }

    /// The command of this number, and its instance. None where the table has changed since the site was
    /// looked at.
    // Acquire fence: pairs with the Release fence of a replacement, and puts the Relaxed loads before the
    // second look at the version, which can be Relaxed, too.
    fn command(self, number: usize) -> Option<(usize, DueAction)> {
        let command = TABLE.get(number).filter(|_| number < COUNT.load(Relaxed) as usize)?;
        let instance = command.instance.load(Relaxed) as usize;
        let [head, counter] = command.words.each_ref().map(|word| word.load(Relaxed));
        // Between what was read and the second look.
        fence(Acquire);
        if VERSION.load(Relaxed) != self.version {
            return None;
        }
        let head = TriggerHead::decode(head);
        Some((instance, DueAction::new(head.action, head.target, CounterRef(counter))?))
    }
}
