//! What has to be true in every state, each with its law from `docs/decisions/001-ring.md`.
//!
//! What readers hand out, and when, is checked where they do it, by [`crate::ghost`].

use crate::actor::Role;
use crate::ghost::violated;
use crate::lane::LaneWriter;
use crate::layout::{ControlWord, Parts, Place, RINGS, Tail, Value, Word};
use crate::moment::Figures;
use crate::pool::{Entry, State as PoolState};
use crate::reader::Reader;
use crate::setting::Setting;
use crate::state::{Notes, State};
use crate::statistics::Statistics;
use crate::world::Violation;
use crate::writer::{Events, Writer};

/// Identity of the event that is written to see whether one can be.
const NEWCOMER: u8 = 100;

type Checked = Result<(), Violation>;

/// The words agree with the truth, and with each other.
pub fn check_words(state: &State, setting: &Setting) -> Checked {
    let memory = &state.memory;
    let tail = Tail(memory.local(Word::TAIL));
    let place = tail.place();
    let sequence = memory.local(place.sequence());
    let next = memory.local(place.first_event()).wrapping_add(tail.events());
    if next != state.ghost.commits {
        let truth = state.ghost.commits;
        return violated("R5", || format!("the next event is number {truth}, by the tail {next}"));
    }
    if tail.commit() > setting.capacity {
        return violated("R12", || format!("the tail {tail} is after its page"));
    }
    check_follows(state, place, sequence)?;
    check_pool(state)?;
    check_numbers(state, place, sequence)
}

/// R3: `seen` equals the control word only when the tail has followed it, and so must a reader see it.
fn check_follows(state: &State, place: Place, sequence: Value) -> Checked {
    let memory = &state.memory;
    let control = ControlWord(memory.get(Word::CONTROL));
    let seen = memory.local(Word::SEEN);
    if seen != Value::MAX && ControlWord(seen).is_off() {
        return violated("R3", || "an off-flag was adopted".into());
    }
    let first_sequence = memory.local(Word::first_sequence(place.ring));
    let generation = memory.local(Word::generation(place.ring));
    let truth = state.ghost.generation;
    let live = Parts(memory.get(Word::PARTS)).of(control.ring());
    // Who takes a snapshot of the block alone makes writers look again only after that.
    let is_exchanged = state.ghost.kept.iter().flatten().any(|kept| kept.part == place.ring);
    let follows = control.generation() == truth & 0xff && (live == place.ring || is_exchanged);
    if seen == control.0 && !follows {
        return violated("R3", || format!("seen is {control}, the tail in generation {truth}"));
    }
    if (1..=sequence).contains(&first_sequence) && generation != truth {
        return violated("R3", || format!("the tail is in generation {truth} and looks as in {generation}"));
    }
    Ok(())
}

/// R13: what is to be kept is, until somebody gives it up.
fn check_pool(state: &State) -> Checked {
    let live = ControlWord(state.memory.get(Word::CONTROL)).ring();
    for (ring, kept) in (0..).zip(&state.ghost.kept) {
        let Some(kept) = kept.filter(|_| ring != live) else { continue };
        let entry = Entry(state.memory.get(Word::kept(ring)));
        let is_kept = entry.is(PoolState::Kept) || entry.is(PoolState::Taking);
        if !is_kept || entry.generation() != kept.generation {
            return violated("R13", || format!("ring {ring} is to keep {kept:?} and does not"));
        }
    }
    Ok(())
}

/// R5: no page has a number that another has, or one that is more than one ahead.
fn check_numbers(state: &State, tail: Place, last: Value) -> Checked {
    let number = |index| {
        let place = Place { ring: tail.ring, index };
        state.memory.local(place.sequence())
    };
    for index in 0..state.memory.get(Word::pages(tail.ring)) as u8 {
        let ahead = number(index) > last + 1;
        let twice = number(index) != 0 && (0..index).any(|other| number(other) == number(index));
        if ahead || twice {
            let (number, ring) = (number(index), tail.ring);
            return violated("R5", || {
                format!("page {index} of ring {ring} has number {number}, the tail's has {last}")
            });
        }
    }
    Ok(())
}

/// Whoever comes now, when all others are gone, finds everything in order. A state in which actors are
/// in the middle of something is what they leave when they are killed there. `notes` tell what
/// the last newcomer did, if somebody wants to know.
pub fn check_newcomers(state: &State, setting: &Setting, notes: &mut Notes) -> Checked {
    check_statistics(state, setting, notes)?;
    forget(notes);
    check_everything_is_read(state, setting, notes)?;
    for ring in 0..RINGS as u8 {
        forget(notes);
        check_kept(state, setting, ring, notes)?;
    }
    forget(notes);
    check_writer_proceeds(state, setting, notes)
}

fn forget(notes: &mut Notes) {
    notes.iter_mut().for_each(Vec::clear);
}

/// R5: the accounts are right.
fn check_statistics(state: &State, setting: &Setting, notes: &mut Notes) -> Checked {
    let Some((Role::Statistics(statistics), _)) =
        state.alone(Role::Statistics(Statistics::new(1)), setting, notes)?
    else {
        return violated("R12", || "statistics do not come to an end".into());
    };
    let adopted = state.ghost.has_adopted(&state.memory);
    let truth = adopted.then(|| state.ghost.figures(&state.memory));
    if statistics.answer != truth {
        let answer = statistics.answer;
        return violated("R5", || format!("statistics are {answer:?}, the truth {truth:?}"));
    }
    let Figures { entries, overrun, .. } = truth.unwrap_or(Figures::NONE);
    if (statistics.units > 0) != (entries > 0) || statistics.oldest_time == Some(0) {
        return violated("R5", || format!("{entries} entries, and {statistics:?}"));
    }
    if overrun > 0 && setting.never_overwrites {
        return violated("R5", || format!("{overrun} events overwritten in a ring that must not"));
    }
    Ok(())
}

/// R6: a reader gets every event that is there, up to the tail.
fn check_everything_is_read(state: &State, setting: &Setting, notes: &mut Notes) -> Checked {
    let Some((Role::Reader(reader), _)) =
        state.alone(Role::Reader(Reader::of_everything()), setting, notes)?
    else {
        return violated("R12", || "a reader does not come to an end".into());
    };
    let ghost = &state.ghost;
    if !ghost.has_adopted(&state.memory) {
        return match reader.first {
            Some(first) => violated("R3", || format!("number {first} before the change is adopted")),
            None => Ok(()),
        };
    }
    let unread = ghost.unread(&state.memory);
    let first = (unread < ghost.commits).then_some(unread);
    let end = first.map_or(0, |_| ghost.commits);
    if (reader.first, reader.position) != (first, end) {
        let there = (first, end);
        return violated("R6", || format!("there is {there:?}, a reader finds {reader:?}"));
    }
    Ok(())
}

/// A snapshot has all events that the block had in its generation, whether its tail has left it or not.
fn check_kept(state: &State, setting: &Setting, ring: u8, notes: &mut Notes) -> Checked {
    let Some(kept) = state.ghost.kept[usize::from(ring)] else {
        return Ok(());
    };
    let Some((Role::Reader(reader), _)) =
        state.alone(Role::Reader(Reader::of_kept(ring, kept.generation)), setting, notes)?
    else {
        return violated("R12", || "a reader of a snapshot does not come to an end".into());
    };
    let first = state.memory.get(Word::next_event(kept.part)).max(kept.first);
    let end = kept.end_at(state.ghost.commits);
    let tail = Tail(state.memory.get(Word::TAIL));
    let left = tail.place().ring != kept.part;
    let last_page = if left { Tail(state.memory.get(Word::final_tail(kept.part))) } else { tail };
    let complete = match reader.first {
        Some(found) => found >= first && reader.position == end,
        // A writer that was cut off when it went on from an empty page has overwritten the one before.
        None => first >= end || last_page.events() == 0,
    };
    if !complete {
        return violated("R14", || format!("{kept:?} in ring {ring}, a reader finds {reader:?}"));
    }
    Ok(())
}

/// R7: a writer gets its event in, or is refused for a reason; and what it leaves is in order, too.
fn check_writer_proceeds(state: &State, setting: &Setting, notes: &mut Notes) -> Checked {
    let events = Events::small(1).numbered(NEWCOMER);
    let role = match setting.is_lane {
        true => Role::LaneWriter(LaneWriter::new(events)),
        false => Role::Writer(Writer::new(events)),
    };
    let Some((role, after)) = state.alone(role, setting, notes)? else {
        return violated("R7", || "a writer does not come to an end".into());
    };
    let written = match role {
        Role::Writer(writer) => writer.events.written,
        Role::LaneWriter(writer) => writer.events.written,
        _ => 0,
    };
    if written == 0 {
        return check_refused(&after);
    }
    check_words(&after, setting)?;
    check_everything_is_read(&after, setting, notes)
}

/// A writer was refused.
fn check_refused(state: &State) -> Checked {
    let memory = &state.memory;
    let control = ControlWord(memory.get(Word::CONTROL));
    let is_off = control.is_off() || memory.get(Word::FLAGS) != 0;
    let ring = Parts(memory.get(Word::PARTS)).of(control.ring());
    let unread = memory.get(Word::next_event(ring)) < state.ghost.commits;
    if is_off || control.no_overwrite() && unread {
        return Ok(());
    }
    violated("R7", || "a writer is refused for no reason".into())
}
