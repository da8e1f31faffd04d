//! Commands of functions: what is done when one is called, in the traced process and at once, whether
//! functions are traced or not.
//!
//! A command is a trigger without a filter that belongs to functions instead of an event. As in the kernel a
//! function has one of each kind: of one action, with a count or without. Unlike the kernel's, a command that
//! was given to a pattern stays one of the pattern: functions of programs that start later have it, too, and
//! all of them share its count.

use super::TriggerInfo;
use super::command_text::CommandText;
use super::function_command::FunctionCommand;
use crate::{Error, Instance};
use abi::control::CounterRef;
use abi::instance::COMMANDS;
use event_trigger::{BadTrigger, Effect};
use function_filter::FunctionList;

impl Instance {
    /// What a command does, and how often it still may.
    pub fn describe_command(&self, command: &FunctionCommand) -> TriggerInfo {
        self.describe_action(command.kind.action, command.target, command.counter)
    }

    /// Gives functions a command, those of programs that start later included. Traced processes follow: see
    /// [`crate::Session::await_functions`].
    ///
    /// One that takes snapshots takes memory for as many as it may take, as far as there is space. After an
    /// error nothing has changed.
    pub fn add_command(&self, command: &CommandText) -> Result<(), Error> {
        let bad = |reason| command.bad(reason);
        let known = self.session.traceable_functions();
        let target = self.target_of(command)?;
        let (kind, rule) = (command.kind(), &command.functions);
        let exists = || Error::TriggerExists { text: command.text.clone() };
        if self.function_lists().have_all(kind, rule, &known) {
            return Err(exists());
        }
        let count = command.count().map_err(bad)?;
        if matches!(kind.action.effect, Effect::TakeSnapshot | Effect::Dump) {
            let wanted = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
            self.reserve_snapshots(wanted.max(1))?;
        }
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        self.try_change_functions(|lists| {
            if lists.have_all(kind, rule, &known) {
                return Err(exists());
            }
            let counter = match count {
                Some(count) => self.control().new_counter(count).ok_or_else(too_many)?,
                None => CounterRef::UNLIMITED,
            };
            let functions = FunctionList::default();
            lists.add_command(FunctionCommand { kind, target, counter, functions }, rule);
            if lists.commands.len() + self.commands_of_others() > COMMANDS {
                return Err(too_many());
            }
            Ok(())
        })?;
        let lock = self.session.lock_settings()?;
        self.soften(target).ok_or_else(too_many)?;
        self.session.follow_events(&[target], &lock);
        Ok(())
    }

    /// Takes a command from functions, whatever its count and event. Errors: there is none of this kind, or
    /// no function that is meant has it.
    pub fn remove_command(&self, command: &CommandText) -> Result<(), Error> {
        let known = self.session.traceable_functions();
        self.target_of(command)?;
        let (kind, rule) = (command.kind(), &command.functions);
        let mut targets = Vec::new();
        self.try_change_functions(|lists| {
            targets = lists.commands.iter().map(|command| command.target).collect();
            match lists.remove_commands(kind, rule, &known) {
                None => Err(Error::NoSuchCommand { text: command.text.clone() }),
                Some(0) => Err(command.bad(BadTrigger::NoSuchTrigger)),
                Some(_) => Ok(()),
            }
        })?;
        let lock = self.session.lock_settings()?;
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        targets.iter().try_for_each(|target| self.soften(*target).ok_or_else(too_many))?;
        self.session.follow_events(&targets, &lock);
        Ok(())
    }

    /// Gives a command of another instance a counter of its own, and memory for its snapshots.
    pub(super) fn renew_counter(&self, command: &mut FunctionCommand) -> Result<(), Error> {
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        if matches!(command.kind.action.effect, Effect::TakeSnapshot | Effect::Dump) {
            let _ = self.reserve_snapshots_locked(self.snapshots_of(command.counter));
        }
        if let Some(left) = self.control().count_left(command.counter) {
            command.counter = self.control().new_counter(left).ok_or_else(too_many)?;
        }
        self.soften(command.target).ok_or_else(too_many)
    }

    fn target_of(&self, command: &CommandText) -> Result<u16, Error> {
        let Some((system, name)) = &command.event else { return Ok(0) };
        self.target_event(system, name).ok_or_else(|| command.bad(BadTrigger::NoEvent))
    }

    /// How many commands functions have in other instances.
    fn commands_of_others(&self) -> usize {
        let others = self.control().commanding().filter(|instance| *instance != self.index);
        let mut count = 0;
        others.for_each(|instance| self.control().visit_commands(instance, &mut |_| count += 1));
        count
    }
}
