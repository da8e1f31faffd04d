//! `-R`: triggers, each for the event that precedes it.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use session::{ACTIONS, Action};

/// Triggers, each for the event of the `-e` before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TriggerArguments {
    triggers: Vec<(usize, String)>,
}

/// The option that names events.
const EVENTS: &str = "events";
/// This one.
const TRIGGERS: &str = "triggers";

impl TriggerArguments {
    /// Each with the index of its event among those of `-e`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.triggers.iter().map(|(event, text)| (*event, text.as_str()))
    }
}

impl FromArgMatches for TriggerArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TriggerArguments, Error> {
        let places = |id| matches.indices_of(id).into_iter().flatten();
        let texts = matches.get_many::<String>(TRIGGERS).into_iter().flatten();
        let triggers = places(TRIGGERS).zip(texts).map(|(place, text)| {
            let before = places(EVENTS).filter(|event| *event < place).count();
            let event = before.checked_sub(1).ok_or_else(|| {
                let text = format!("-R {text:?} has no event: expected -e EVENT before it\n");
                Error::raw(ErrorKind::MissingRequiredArgument, text)
            })?;
            Ok((event, text.clone()))
        });
        Ok(TriggerArguments { triggers: triggers.collect::<Result<_, Error>>()? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = TriggerArguments::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for TriggerArguments {
    fn augment_args(command: Command) -> Command {
        let target = |action: &Action| if action.has_target { ":SYSTEM:EVENT" } else { "" };
        let actions = ACTIONS.iter().map(|action| format!("{}{}", action.name, target(action)));
        let help = format!(
            "Take this action when the event of the -e before it happens: {}, followed by :COUNT and ' if FILTER'",
            actions.collect::<Vec<_>>().join(", ")
        );
        let option = Arg::new(TRIGGERS).short('R').long("trigger").value_name("TRIGGER");
        command.arg(option.action(ArgAction::Append).help(help))
    }

    fn augment_args_for_update(command: Command) -> Command {
        TriggerArguments::augment_args(command)
    }
}
